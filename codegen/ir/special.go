package ir

import "math"

// Functions of float64 that package math hasn't, or whose values at the edges differ from what the table of ops says.

// log2 is the logarithm to base 2, exact for powers of two.
func log2(x float64) float64 {
	frac, exp := math.Frexp(x)
	if frac == 0.5 {
		return float64(exp - 1)
	}
	if 0.5 < x && x < 2 {
		return math.Log1p(x-1) * math.Log2E // the logarithm of the fraction would cancel with the exponent
	}
	return math.Log2(x)
}

// log10 is the logarithm to base 10, exact for the powers of ten that are floats.
func log10(x float64) float64 {
	y := math.Log(x) * (1 / math.Ln10)
	if r := math.Round(y); math.Abs(r) <= 22 && r >= 0 && math.Pow10(int(r)) == x {
		return r
	}
	return y
}

// asin is atan2(x, sqrt((1-x)(1+x))), which loses nothing near ±1.
func asin(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }

// acos is 2 atan2(sqrt(1-x), sqrt(1+x)), which loses nothing near 1.
func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// sinh by expm1: e = exp(|x|) - 1, (e + e/(e+1))/2. Beyond the range of exp it is (exp(|x|/2)/2)·exp(|x|/2).
func sinh(x float64) float64 {
	a := math.Abs(x)
	var y float64
	switch {
	case a < 0x1p-28:
		return x
	case a < 709:
		e := math.Expm1(a)
		y = (e + e/(e+1)) / 2
	default:
		h := math.Exp(a / 2)
		y = h / 2 * h
	}
	return math.Copysign(y, x)
}

// cosh is (exp(|x|) + exp(-|x|))/2.
func cosh(x float64) float64 {
	a := math.Abs(x)
	if a < 709 {
		e := math.Exp(a)
		return (e + 1/e) / 2
	}
	h := math.Exp(a / 2)
	return h / 2 * h
}

// lgamma is log |Γ(x)|, +Inf at the poles and at both infinities.
func lgamma(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Inf(1)
	}
	y, _ := math.Lgamma(x)
	return y
}

// xlogy is x·log(y), 0 where x is 0 (but for a NaN y).
func xlogy(x, y float64) float64 {
	if x == 0 && y == y {
		return 0
	}
	return x * math.Log(y)
}

// logaddexp is log(exp(a) + exp(b)), shifted by the greater.
func logaddexp(a, b float64) float64 {
	if math.IsInf(a, 0) && a == b {
		return a
	}
	return maxNaN(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

// bernoulli are B₂, B₄, … B₃₀.
var bernoulli = [...]float64{
	1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510, 43867. / 798, -174611. / 330,
	854513. / 138, -236364091. / 2730, 8553103. / 6, -23749461029. / 870, 8615841276005. / 14322,
}

// polygamma is the order-th derivative of digamma (order 0: digamma itself) at x. Order is a whole number that isn't
// negative, else the result is NaN. At the poles 0, -1, -2, … it is +Inf where both sides agree (odd orders), else NaN;
// at a zero the sign of the zero says from which side, so digamma(0) is -Inf and digamma(-0) is +Inf.
//
// For x ≥ 1/2 the recurrence ψₙ(x) = ψₙ(x+1) - (-1)ⁿ n!/xⁿ⁺¹ leads to where the asymptotic series converges (Abramowitz
// and Stegun 6.4.6, 6.4.11); below, the reflection formula (6.4.7) leads above 1/2.
func polygamma(order, x float64) float64 {
	n := int(order)
	switch {
	case order != order || x != x || order < 0 || order > maxPolygamma || float64(n) != order:
		return math.NaN()
	case math.IsInf(x, 1):
		if n == 0 {
			return x
		}
		return math.Copysign(0, sign(minusOneTo(n+1)))
	case math.IsInf(x, -1):
		return math.NaN()
	case x <= 0 && x == math.Floor(x):
		switch {
		case n%2 == 1:
			return math.Inf(1)
		case x == 0:
			return -math.Copysign(math.Inf(1), x)
		}
		return math.NaN()
	case x < 0.5:
		// ψₙ(x) = (-1)ⁿ ψₙ(1-x) - π dⁿ/dxⁿ cot(πx)
		return minusOneTo(n)*polygamma(order, 1-x) - cotDerivative(n, x)
	}
	// All but digamma have the sign (-1)ⁿ⁺¹ for x > 0, so that nothing cancels.
	s := 0.0
	shift := 10.0 + order
	factorial := math.Gamma(order + 1)
	for ; x < shift; x++ {
		if n == 0 {
			s += 1 / x
		} else {
			s += factorial / math.Pow(x, order+1)
		}
	}
	if n == 0 {
		y := math.Log(x) - 1/(2*x)
		for k, p := 0, 1/(x*x); k < 10; k, p = k+1, p/(x*x) {
			y -= bernoulli[k] / float64(2*k+2) * p
		}
		return y - s
	}
	// (n-1)!/xⁿ + n!/(2xⁿ⁺¹) + Σ B₂ₖ (2k+n-1)!/((2k)! x²ᵏ⁺ⁿ)
	y := s + factorial/order/math.Pow(x, order) + factorial/(2*math.Pow(x, order+1))
	term := factorial / math.Pow(x, order) // (2k+n-1)!/((2k)! x²ᵏ⁺ⁿ) for k = 0, times n
	term /= order
	for k := 1; k <= len(bernoulli); k++ {
		a := float64(2 * k)
		term *= (a + order - 1) * (a + order - 2) / (a * (a - 1) * x * x)
		y += bernoulli[k-1] * term
	}
	return minusOneTo(n+1) * y
}

// maxPolygamma bounds the order of polygamma: factorials beyond are no floats.
const maxPolygamma = 100

func minusOneTo(n int) float64 { return 1 - 2*float64(n&1) }

// cotDerivative is π dⁿ/dxⁿ cot(πx): πⁿ⁺¹ Pₙ(c) with c = cot(πx), P₀ = c and Pₙ₊₁ = -(1+c²) Pₙ'.
func cotDerivative(n int, x float64) float64 {
	p := make([]float64, n+3)
	p[1] = 1
	for range n {
		q := make([]float64, n+3)
		for i := 1; i < n+2; i++ {
			d := float64(i) * p[i] // of c^(i-1)
			q[i-1] -= d
			if i+1 < len(q) {
				q[i+1] -= d
			}
		}
		p = q
	}
	r := x - math.Round(x) // exact; cot has period 1 in x
	c := 1 / math.Tan(math.Pi*r)
	if a := math.Abs(r); a > 0.25 {
		c = math.Copysign(math.Tan(math.Pi*(0.5-a)), r)
	}
	y := 0.0
	for i := len(p) - 1; i >= 0; i-- {
		y = y*c + p[i]
	}
	return y * math.Pow(math.Pi, float64(n+1))
}
