package nest

import "math"

// reduced is x = k ln 2 + r with |r| ≤ ln 2 / 2.
type reduced struct {
	k *Value // a Float
	r *Value
	t *Value // Bits; the low ones are k + offset
}

// reduce splits x. The sum of x/ln 2 and a large number is rounded to an integer, which is then both a float and the
// low bits of that sum. k ln 2 is subtracted in two parts; the first subtraction is exact.
func (m *mathBuilder) reduce(x *Value, offset float64) reduced {
	magic := m.c(m.magic + offset)
	t := m.fma(x, m.c(m.log2e), magic)
	k := m.sub(t, magic)
	r := m.fma(k, m.c(-m.ln2hi), x)
	r = m.fma(k, m.c(-m.ln2lo), r)
	return reduced{k: k, r: r, t: m.Op(AsBits, t)}
}

// pow2 is the float whose biased exponent is in the low bits of x.
func (m *mathBuilder) pow2(x *Value) *Value { return m.Op(AsFloat, m.Shl(x, m.mant)) }

// atLeast and atMost bound x; NaN stays.
func (m *mathBuilder) atLeast(lo float64, x *Value) *Value { return m.Op(Max, m.c(lo), x) }
func (m *mathBuilder) atMost(hi float64, x *Value) *Value  { return m.Op(Min, m.c(hi), x) }

// exp is e^x.
func (m *mathBuilder) exp(x *Value) *Value { return m.expNotLarge(m.atMost(m.expMax, x)) }

// expNotLarge is e^x for x that is at most expMax: e^r 2^h 2^(k-h) with h = k/2, so that results up to the largest
// float and down to the least subnormal one are rounded right.
func (m *mathBuilder) expNotLarge(x *Value) *Value {
	return m.expOf(m.reduce(m.atLeast(m.expMin, x), 2*m.bias))
}

// expOf is e^r 2^k, or 2^(k+n) where the low bits of t are k + 2 bias + n.
func (m *mathBuilder) expOf(s reduced) *Value {
	p := m.poly(s.r, append([]float64{1, 1}, m.expq...)...)
	h := m.Op(AsBits, m.fma(s.k, m.c(0.5), m.c(m.magic+m.bias)))
	return m.mul(m.mul(p, m.pow2(h)), m.pow2(m.Op(BitSub, s.t, h)))
}

// exp2 is 2^x: x = k + s exactly, and r = s ln 2.
func (m *mathBuilder) exp2(x *Value) *Value {
	x = m.atMost(m.exp2Max, m.atLeast(m.exp2Min, x))
	magic := m.c(m.magic + 2*m.bias)
	t := m.add(x, magic)
	k := m.sub(t, magic)
	s := m.sub(x, k)
	return m.expOf(reduced{k: k, r: m.mul(s, m.c(m.ln2)), t: m.Op(AsBits, t)})
}

// halfExp is e^x/2 for x that isn't negative. It is infinite only where e^x/2 is.
func (m *mathBuilder) halfExp(x *Value) *Value {
	s := m.reduce(m.atMost(m.expMax+1, x), 2*m.bias)
	s.t = m.Op(BitSub, s.t, m.BitsConst(1))
	return m.expOf(s)
}

// cosh is (e^|x| + e^-|x|)/2.
func (m *mathBuilder) cosh(x *Value) *Value {
	e := m.halfExp(m.Op(Abs, x))
	return m.add(e, m.div(m.c(0.25), e))
}

// sinh is u + u/(2u+1) with u = (e^|x| - 1)/2, odd. u is computed by quarters, as expm1 is by halves.
func (m *mathBuilder) sinh(x *Value) *Value {
	a := m.Op(Abs, x)
	s := m.reduce(m.atMost(m.expMax+0.7, a), m.bias-2)
	quarter := m.pow2(s.t)
	u := m.mul(m.c(2), m.fma(quarter, m.expm1r(s.r), m.sub(quarter, m.c(0.25))))
	y := m.add(u, m.div(u, m.fma(m.c(2), u, m.c(1))))
	y = m.sel(m.Op(Lt, u, m.c(math.Inf(1))), y, u)
	return m.copySign(m.sel(m.Op(Lt, a, m.c(m.tiny)), a, y), x)
}

// expm1r is e^r - 1 for a reduced r.
func (m *mathBuilder) expm1r(r *Value) *Value {
	return m.fma(m.mul(r, r), m.poly(r, m.expq...), r)
}

// expm1 is e^x - 1: 2^k (e^r - 1) + (2^k - 1), computed by halves since 2^k may overflow where the result doesn't.
// A tiny x is its own result; halves would lose a bit of it, and the sign of zero.
func (m *mathBuilder) expm1(x *Value) *Value {
	s := m.reduce(m.atMost(m.expMax, m.atLeast(m.expm1Min, x)), m.bias-1)
	half := m.pow2(s.t)
	y := m.mul(m.c(2), m.fma(half, m.expm1r(s.r), m.sub(half, m.c(0.5))))
	return m.sel(m.Op(Lt, m.Op(Abs, x), m.c(m.tiny)), x, y)
}

// expm1NotPositive is e^x - 1 for x that is not positive; the sign of a zero is lost.
func (m *mathBuilder) expm1NotPositive(x *Value) *Value {
	s := m.reduce(m.atLeast(m.expm1Min, x), m.bias)
	scale := m.pow2(s.t)
	return m.fma(scale, m.expm1r(s.r), m.sub(scale, m.c(1)))
}

// sigmoid is 1/(1 + e^-x).
func (m *mathBuilder) sigmoid(x *Value) *Value {
	e := m.expNotLarge(m.minusAbs(x))
	return m.div(m.sel(m.Op(Lt, x, m.c(0)), e, m.c(1)), m.add(e, m.c(1)))
}

// tanh is (e^2x - 1)/(e^2x + 1), odd.
func (m *mathBuilder) tanh(x *Value) *Value {
	t := m.expm1NotPositive(m.mul(m.c(-2), m.Op(Abs, x)))
	return m.copySign(m.Op(Abs, m.div(t, m.add(t, m.c(2)))), x)
}

// softplus is log(1 + e^x). With e = exp(-|x|) and s = e/(1 + e/2), log(1 + e) = 2 atanh(s/2).
func (m *mathBuilder) softplus(x *Value) *Value {
	return m.add(m.atLeast(0, x), m.log1pExp(m.minusAbs(x)))
}

// log1pExp is log(1 + e^x) for x that isn't positive.
func (m *mathBuilder) log1pExp(x *Value) *Value {
	e := m.expNotLarge(x)
	s := m.div(e, m.fma(m.c(0.5), e, m.c(1)))
	z := m.mul(s, s)
	return m.fma(m.mul(s, z), m.poly(z, m.atanhq...), s)
}

// logaddexp is max(x, y) + log(1 + e^-|x-y|); the difference of two equal infinities is 0 here.
func (m *mathBuilder) logaddexp(x, y *Value) *Value {
	d := m.sel(m.Op(Eq, x, y), m.c(0), m.sub(x, y))
	return m.add(m.Op(Max, x, y), m.log1pExp(m.minusAbs(d)))
}
