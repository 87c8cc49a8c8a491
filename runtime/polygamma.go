package runtime

import "math"

// Polygamma is the order-th derivative of digamma (order 0: digamma itself) at x, computed in float64. Order is a whole number
// that isn't negative, else the result is NaN. At the poles 0, -1, -2, … it is +Inf for odd orders; for even ones the sign of a
// zero says from which side (digamma(0) is -Inf, digamma(-0) +Inf), and the other poles give NaN.
func Polygamma[T float](order, x T) T { return T(polygamma(float64(order), float64(x))) }

// bernoulli are B₂, B₄, … B₃₀.
var bernoulli = [...]float64{
	1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510, 43867. / 798, -174611. / 330,
	854513. / 138, -236364091. / 2730, 8553103. / 6, -23749461029. / 870, 8615841276005. / 14322,
}

// maxPolygamma bounds the order of polygamma: factorials beyond are no floats.
const maxPolygamma = 100

// polygamma leads by the recurrence ψₙ(x) = ψₙ(x+1) - (-1)ⁿ n!/xⁿ⁺¹ to where the asymptotic series converges (Abramowitz and
// Stegun 6.4.6, 6.4.11), below 1/2 after the reflection formula (6.4.7).
func polygamma(order, x float64) float64 {
	n := int(order)
	alternate := 1 - 2*float64(n&1) // (-1)ⁿ
	switch {
	case order != order || x != x || order < 0 || order > maxPolygamma || float64(n) != order:
		return math.NaN()
	case math.IsInf(x, 1):
		if n == 0 {
			return x
		}
		return math.Copysign(0, -alternate)
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
		return alternate*polygamma(order, 1-x) - cotDerivative(n, x)
	}
	s, shift, factorial := 0.0, 10+order, math.Gamma(order+1)
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
	term := factorial / math.Pow(x, order) / order
	for k := 1; k <= len(bernoulli); k++ {
		a := float64(2 * k)
		term *= (a + order - 1) * (a + order - 2) / (a * (a - 1) * x * x)
		y += bernoulli[k-1] * term
	}
	return -alternate * y
}

// cotDerivative is π dⁿ/dxⁿ cot(πx): πⁿ⁺¹ Pₙ(c) with c = cot(πx), P₀ = c and Pₙ₊₁ = -(1+c²) Pₙ'.
func cotDerivative(n int, x float64) float64 {
	p := make([]float64, n+3)
	p[1] = 1
	for range n {
		q := make([]float64, n+3)
		for i := 1; i < n+2; i++ {
			d := float64(i) * p[i]
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
