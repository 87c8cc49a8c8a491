package nest

// erf is x + x P(x²) for small x, and 1 - exp(Q(|x|)), with the sign of x, beyond: Q approximates the logarithm of
// erfc, whose absolute error is what counts there.
func (m *mathBuilder) erf(x *Value) *Value {
	size := m.Op(Abs, x)
	near := m.fma(size, m.poly(m.mul(size, size), m.erfq...), size)
	far := m.sub(m.c(1), m.expNotLarge(m.poly(m.atMost(m.erfMax, size), m.erfcq...)))
	return m.copySign(m.sel(m.Op(Lt, size, m.c(m.erfSplit)), near, far), x)
}
