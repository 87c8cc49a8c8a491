package nest

import (
	"math"
	"math/big"
)

// Exponential and logarithm in big floats, for tests of 64-bit functions.

const bigPrec = 300

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func bigAdd(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Add(x, y) }
func bigSub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sub(x, y) }
func bigMul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Mul(x, y) }
func bigDiv(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Quo(x, y) }

// bigExp sums the series of e^(x/2^s) and squares it s times. Beyond e^±2^16 it is 2^±2^17.
func bigExp(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 1<<16 {
		return new(big.Float).SetPrec(bigPrec).SetMantExp(big.NewFloat(1), int(math.Copysign(1<<17, f)))
	}
	s := max(0, x.MantExp(nil)) + 16
	y := new(big.Float).SetPrec(bigPrec).SetMantExp(x, -s)
	sum, term := bigOf(1), bigOf(1)
	for i := 1; i < 20; i++ {
		term = bigDiv(bigMul(term, y), bigOf(float64(i)))
		sum = bigAdd(sum, term)
	}
	for range s {
		sum = bigMul(sum, sum)
	}
	return sum
}

// bigLog is the logarithm of 2^e m with m in [1/2, 1), by the series of 2 atanh((m-1)/(m+1)) after square roots.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(bigPrec)
	e := x.MantExp(m)
	if e == 1 || e == 0 { // near 1 nothing may cancel
		return bigLogNear1(x)
	}
	return bigAdd(bigLogNear1(m), bigMul(bigOf(float64(e)), bigLogNear1(bigOf(2))))
}

func bigLogNear1(m *big.Float) *big.Float {
	const roots = 5
	for range roots {
		m = new(big.Float).SetPrec(bigPrec).Sqrt(m)
	}
	s := bigDiv(bigSub(m, bigOf(1)), bigAdd(m, bigOf(1)))
	z, power, sum := bigMul(s, s), s, new(big.Float).SetPrec(bigPrec)
	for i := 1; i < 40; i += 2 {
		sum = bigAdd(sum, bigDiv(power, bigOf(float64(i))))
		power = bigMul(power, z)
	}
	return new(big.Float).SetMantExp(sum, roots+1)
}

// Below 2^-bigTiny functions of 1+x are computed by the first two terms of their series, of which 1+x has lost the rest.
const bigTiny = 100

func bigExpm1(x *big.Float) *big.Float {
	if x.MantExp(nil) < -bigTiny {
		return bigAdd(x, bigDiv(bigMul(x, x), bigOf(2)))
	}
	return bigSub(bigExp(x), bigOf(1))
}

func bigLog1p(x *big.Float) *big.Float {
	if x.MantExp(nil) < -bigTiny {
		return bigSub(x, bigDiv(bigMul(x, x), bigOf(2)))
	}
	return bigLog(bigAdd(bigOf(1), x))
}

// bigErf sums the series of erf; beyond 6 it is ±1 to more than 52 bits.
func bigErf(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 7 {
		return bigOf(math.Copysign(1, f))
	}
	pi := bigPi()
	square, power := bigMul(x, x), x
	sum := bigOf(0)
	for i := 0; i < 400 && (i == 0 || power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-120); i++ {
		term := bigDiv(power, bigOf(float64(2*i+1)))
		sum = bigAdd(sum, term)
		power = bigDiv(bigMul(power, square), bigOf(-float64(i+1)))
	}
	return bigDiv(bigAdd(sum, sum), new(big.Float).SetPrec(bigPrec).Sqrt(pi))
}

func bigPi() *big.Float {
	pi, _ := new(big.Float).SetPrec(bigPrec).SetString("3.14159265358979323846264338327950288419716939937510582097494459" +
		"2307816406286208998628034825342117067982148")
	return pi
}

func bigSqrt(x *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sqrt(x) }
func bigNeg(x *big.Float) *big.Float  { return new(big.Float).SetPrec(bigPrec).Neg(x) }

// bigErfc is 1 - erf for small x; beyond, the continued fraction exp(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + …))).
func bigErfc(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if f < 3 {
		return bigSub(bigOf(1), bigErf(x))
	}
	c := x
	for k := 400; k > 0; k-- {
		c = bigAdd(x, bigDiv(bigOf(float64(k)/2), c))
	}
	return bigDiv(bigExp(bigNeg(bigMul(x, x))), bigMul(bigSqrt(bigPi()), c))
}

func bigCosh(x *big.Float) *big.Float {
	return bigDiv(bigAdd(bigExp(x), bigExp(bigNeg(x))), bigOf(2))
}

func bigSinh(x *big.Float) *big.Float {
	return bigDiv(bigSub(bigExpm1(x), bigExpm1(bigNeg(x))), bigOf(2))
}

// bigAtan halves the angle, atan x = 2 atan(x/(1 + sqrt(1+x²))), and sums the series.
func bigAtan(x *big.Float) *big.Float {
	const halvings = 8
	for range halvings {
		x = bigDiv(x, bigAdd(bigOf(1), bigSqrt(bigAdd(bigOf(1), bigMul(x, x)))))
	}
	z, power, sum := bigMul(x, x), x, bigOf(0)
	for i := 1; i < 60; i += 2 {
		term := bigDiv(power, bigOf(float64(i)))
		if i%4 == 3 {
			term.Neg(term)
		}
		sum = bigAdd(sum, term)
		power = bigMul(power, z)
	}
	return new(big.Float).SetMantExp(sum, halvings)
}

func bigAsin(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) == 1 {
		return bigMul(x, bigDiv(bigPi(), bigOf(2)))
	}
	return bigAtan(bigDiv(x, bigSqrt(bigMul(bigSub(bigOf(1), x), bigAdd(bigOf(1), x)))))
}

func bigAcos(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f == -1 {
		return bigPi()
	}
	return bigMul(bigOf(2), bigAtan(bigSqrt(bigDiv(bigSub(bigOf(1), x), bigAdd(bigOf(1), x)))))
}

func bigAsinh(x *big.Float) *big.Float {
	a := new(big.Float).SetPrec(bigPrec).Abs(x)
	z := bigMul(a, a)
	y := bigLog1p(bigAdd(a, bigDiv(z, bigAdd(bigOf(1), bigSqrt(bigAdd(bigOf(1), z))))))
	if x.Signbit() {
		return bigNeg(y)
	}
	return y
}

func bigAcosh(x *big.Float) *big.Float {
	t := bigSub(x, bigOf(1))
	return bigLog1p(bigAdd(t, bigSqrt(bigMul(t, bigAdd(t, bigOf(2))))))
}

func bigAtanh(x *big.Float) *big.Float {
	return bigDiv(bigLog1p(bigDiv(bigMul(bigOf(2), x), bigSub(bigOf(1), x))), bigOf(2))
}

// bigAngle is x less the nearest multiple q of π/2, reduced in precision enough for every float.
func bigAngle(x *big.Float) (r *big.Float, q int64) {
	const prec = 1400
	halfPi := machin(prec)
	halfPi.Mul(halfPi, big.NewFloat(2))
	k := new(big.Float).SetPrec(prec).Quo(x, halfPi)
	half := big.NewFloat(math.Copysign(0.5, float64(x.Sign())))
	n, _ := new(big.Float).SetPrec(prec).Add(k, half).Int(nil)
	r = new(big.Float).SetPrec(prec).Sub(x, new(big.Float).SetPrec(prec).Mul(halfPi, new(big.Float).SetPrec(prec).SetInt(n)))
	return new(big.Float).SetPrec(bigPrec).Set(r), new(big.Int).Mod(n, big.NewInt(4)).Int64()
}

var machinAt = map[uint]*big.Float{}

// machin is π/4 = 4 atan(1/5) - atan(1/239).
func machin(prec uint) *big.Float {
	if machinAt[prec] == nil {
		atan := func(n int64) *big.Float {
			f := func(x int64) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(x) }
			power, sum := new(big.Float).SetPrec(prec).Quo(f(1), f(n)), f(0)
			for i := int64(1); i < 2*int64(prec); i += 2 {
				term := new(big.Float).SetPrec(prec).Quo(power, f(i))
				if i%4 == 3 {
					term.Neg(term)
				}
				sum.Add(sum, term)
				power.Quo(power, f(n*n))
			}
			return sum
		}
		pi4 := atan(5)
		pi4.Mul(pi4, big.NewFloat(4))
		machinAt[prec] = pi4.Sub(pi4, atan(239))
	}
	return new(big.Float).SetPrec(prec).Set(machinAt[prec])
}

func bigSin(x *big.Float) *big.Float { return bigWave(x, 0) }
func bigCos(x *big.Float) *big.Float { return bigWave(x, 1) }

// bigWave is the sine of x + quarter·π/2.
func bigWave(x *big.Float, quarter int64) *big.Float {
	r, q := bigAngle(x)
	q = (q + quarter) % 4
	z := bigMul(r, r)
	term, sum := r, bigOf(0)
	first := 2.0
	if q%2 == 1 {
		term, first = bigOf(1), 1
	}
	for i := first; i < 80; i += 2 {
		sum = bigAdd(sum, term)
		term = bigNeg(bigDiv(bigMul(term, z), bigOf(i*(i+1))))
	}
	if q >= 2 {
		return bigNeg(sum)
	}
	return sum
}
