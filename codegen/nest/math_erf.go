package nest

// erf is x + x P(x²) for small x, and 1 - exp(Q(|x|)), with the sign of x, beyond: Q approximates the logarithm of
// erfc, whose absolute error is what counts there.
func (m *mathBuilder) erf(x *Value) *Value {
	size := m.Op(Abs, x)
	near := m.fma(size, m.poly(m.mul(size, size), m.erfq...), size)
	far := m.sub(m.c(1), m.expNotLarge(m.poly(m.atMost(m.erfMax, size), m.erfcq...)))
	return m.copySign(m.sel(m.Op(Lt, size, m.c(m.erfSplit)), near, far), x)
}

// erfc is exp(-x²) P(t)/(1 + 2x) for x beyond 1/2, 2 - erfc(-x) below -1/2, and 1 - erf x between. The rounding error of x² is
// made good.
func (m *mathBuilder) erfc(x *Value) *Value {
	size := m.Op(Abs, x)
	near := m.sub(m.c(1), m.copySign(m.fma(size, m.poly(m.mul(size, size), m.erfq...), size), x))
	a := m.atMost(m.erfcMax, size)
	square := m.mul(a, a)
	e := m.expNotLarge(m.Op(Neg, square))
	e = m.fma(m.Op(Neg, e), m.fma(a, a, m.Op(Neg, square)), e)
	t := m.div(m.sub(a, m.c(m.erfcxMid)), m.add(a, m.c(m.erfcxMid)))
	far := m.div(m.mul(e, m.poly(t, m.erfcxq...)), m.fma(m.c(2), a, m.c(1)))
	far = m.sel(m.Op(Lt, x, m.c(0)), m.sub(m.c(2), far), far)
	return m.sel(m.Op(Lt, size, m.c(0.5)), near, far)
}
