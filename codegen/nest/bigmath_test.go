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
	pi, _ := new(big.Float).SetPrec(bigPrec).SetString("3.14159265358979323846264338327950288419716939937510582097494459")
	square, power := bigMul(x, x), x
	sum := bigOf(0)
	for i := 0; i < 400 && (i == 0 || power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-120); i++ {
		term := bigDiv(power, bigOf(float64(2*i+1)))
		sum = bigAdd(sum, term)
		power = bigDiv(bigMul(power, square), bigOf(-float64(i+1)))
	}
	return bigDiv(bigAdd(sum, sum), new(big.Float).SetPrec(bigPrec).Sqrt(pi))
}
