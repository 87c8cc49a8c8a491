package runtime

import "math"

// Sincn is the order-th derivative of sin(x)/x, computed in float64.
func Sincn[T float](order, x T) T { return T(sincn(float64(order), float64(x))) }

// Erfcx is exp(x²)·erfc(x), computed in float64.
func Erfcx[T float](x T) T { return T(erfcx(float64(x))) }

// BesselJ is the Bessel function of the first kind of a whole order, computed in float64.
func BesselJ[T float](order, x T) T { return T(besselJ(float64(order), float64(x))) }

// BesselI is the modified Bessel function of the first kind of a whole order, computed in float64.
func BesselI[T float](order, x T) T { return T(besselI(float64(order), float64(x))) }

// BesselIe is BesselI times exp(-|x|), computed in float64.
func BesselIe[T float](order, x T) T { return T(besselIe(float64(order), float64(x))) }

// Zeta is the Hurwitz zeta function Σ (k+q)⁻ˢ, computed in float64.
func Zeta[T float](s, q T) T { return T(zeta(float64(s), float64(q))) }

// sincn is the order-th derivative of sin(x)/x, which is 1 at 0: ∫₀¹ tⁿ cos(xt + nπ/2) dt. Order is a whole number that isn't
// negative, else the result is NaN.
//
// Beyond the order the recurrence Sₙ = (sin(x + nπ/2) - n·Sₙ₋₁)/x loses nothing; below, and near 0, the series
// Σ (-1)ᵏ x²ᵏ⁻ⁿ/((2k+1)(2k-n)!) over 2k ≥ n does not cancel.
func sincn(order, x float64) float64 {
	n := int(order)
	switch {
	case order != order || x != x || order < 0 || order > maxOrder || float64(n) != order:
		return math.NaN()
	case math.IsInf(x, 0):
		return 0
	}
	if a := math.Abs(x); a <= max(2, order) {
		k := (n + 1) / 2
		term := 1 - 2*float64(k&1) // (-1)ᵏ x²ᵏ⁻ⁿ/(2k-n)!
		if n&1 == 1 {
			term *= x
		}
		sum := 0.0
		for ; ; k++ {
			next := sum + term/float64(2*k+1)
			if next == sum && (term != 0 || x == 0) || k > 2*maxOrder {
				return next
			}
			sum = next
			m := float64(2*k - n)
			term *= -x * x / ((m + 1) * (m + 2))
		}
	}
	sin, cos := math.Sincos(x)
	turn := [4]float64{sin, cos, -sin, -cos}
	s := sin / x
	for k := 1; k <= n; k++ {
		s = (turn[k&3] - float64(k)*s) / x
	}
	return s
}

// maxOrder bounds the orders of families: what they count with stays a float.
const maxOrder = 100

// erfcx is exp(x²)·erfc(x), which falls like 1/x where erfc underflows.
func erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case x < 0:
		return 2*expSquare(x) - erfcx(-x)
	case x < 10:
		return expSquare(x) * math.Erfc(x)
	}
	// 1/(x√π) Σ (-1)ᵏ (2k-1)!!/(2x²)ᵏ
	sum, term := 1.0, 1.0
	for k := 1; k < 30; k++ {
		term *= -float64(2*k-1) / (2 * x * x)
		sum += term
	}
	return sum / (x * math.Sqrt(math.Pi))
}

// expSquare is exp(x²), with the rounding of the square made good.
func expSquare(x float64) float64 {
	s := x * x
	return math.Exp(s) * (1 + math.FMA(x, x, -s))
}

// besselJ is the Bessel function of the first kind; order is a whole number, else the result is NaN.
func besselJ(order, x float64) float64 {
	n, ok := wholeOrder(order)
	if !ok || x != x {
		return math.NaN()
	}
	return math.Jn(n, x)
}

// besselI is the modified Bessel function of the first kind.
func besselI(order, x float64) float64 {
	if a := math.Abs(x); a > 700 { // exp(x) may overflow where the product does not
		return besselIe(order, x) * math.Exp(a/2) * math.Exp(a/2)
	}
	return besselIe(order, x) * math.Exp(math.Abs(x))
}

// besselIe is besselI times exp(-|x|).
//
// The series Σ (x/2)²ᵏ⁺ⁿ/(k!(k+n)!) has terms of one sign; beyond its reach the asymptotic one is used (Abramowitz and Stegun
// 9.6.10, 9.7.1).
func besselIe(order, x float64) float64 {
	n, ok := wholeOrder(order)
	if !ok || x != x {
		return math.NaN()
	}
	n = max(n, -n)
	a := math.Abs(x)
	sign := 1.0
	if x < 0 && n&1 == 1 {
		sign = -1
	}
	if a > max(30, float64(n*n)) {
		sum, term, mu := 1.0, 1.0, 4*float64(n)*float64(n)
		for k := 1; k < 60; k++ {
			odd := float64(2*k - 1)
			next := -term * (mu - odd*odd) / (float64(k) * 8 * a)
			if math.Abs(next) >= math.Abs(term) && k > n {
				break
			}
			term = next
			sum += term
		}
		return sign * sum / math.Sqrt(2*math.Pi*a)
	}
	half := a / 2
	term := math.Exp(-a)
	for k := 1; k <= n; k++ {
		term *= half / float64(k)
	}
	sum := term
	for k := 1; term > sum*0x1p-60; k++ {
		term *= half * half / (float64(k) * float64(k+n))
		sum += term
	}
	return sign * sum
}

// wholeOrder is an order as a whole number within bounds.
func wholeOrder(order float64) (n int, ok bool) {
	n = int(order)
	return n, order == order && math.Abs(order) <= maxOrder && float64(n) == order
}

// zeta is the Hurwitz zeta function Σ (k+q)⁻ˢ over k ≥ 0, for s > 1; +Inf at s = 1 and at the poles 0, -1, … of q, NaN below
// s = 1 and where a negative number would be raised to a power that isn't whole. By Euler and Maclaurin's sum.
func zeta(s, q float64) float64 {
	switch {
	case s != s || q != q || s < 1:
		return math.NaN()
	case s == 1 || q <= 0 && q == math.Floor(q):
		return math.Inf(1)
	case q <= 0 && s != math.Floor(s):
		return math.NaN()
	case math.IsInf(q, 1) || math.IsInf(s, 1) && q > 1:
		return 0
	}
	sum := 0.0
	for ; q < 12; q++ {
		sum += math.Pow(q, -s)
	}
	p := math.Pow(q, -s)
	sum += p*q/(s-1) + p/2
	// Σ B₂ₖ/(2k)! s(s+1)…(s+2k-2) q^(-s-2k+1)
	term := s * p / q / 2
	for k, b := range bernoulli {
		sum += b * term
		m := float64(2*k + 2)
		term *= (s + m - 1) * (s + m) / ((m + 1) * (m + 2) * q * q)
	}
	return sum
}
