package nest

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
	s := m.reduce(m.atLeast(m.expMin, x), 2*m.bias)
	p := m.poly(s.r, append([]float64{1, 1}, m.expq...)...)
	h := m.Op(AsBits, m.fma(s.k, m.c(0.5), m.c(m.magic+m.bias)))
	return m.mul(m.mul(p, m.pow2(h)), m.pow2(m.Op(BitSub, s.t, h)))
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
	e := m.expNotLarge(m.minusAbs(x))
	s := m.div(e, m.fma(m.c(0.5), e, m.c(1)))
	z := m.mul(s, s)
	l := m.fma(m.mul(s, z), m.poly(z, m.atanhq...), s)
	return m.add(m.atLeast(0, x), l)
}
