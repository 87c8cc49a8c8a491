package nest

import "math"

// atan reduces |x| to s with |s| ≤ tan(π/8): atan a = π/4 + atan((a-1)/(a+1)) = π/2 + atan(-1/a).
func (m *mathBuilder) atan(x *Value) *Value {
	a := m.Op(Abs, x)
	one := m.c(1)
	mid, far := m.Op(Lt, m.c(m.tanPi8), a), m.Op(Lt, m.c(1/m.tanPi8), a)
	above := m.sel(far, m.c(-1), m.sel(mid, m.sub(a, one), a))
	below := m.sel(far, a, m.sel(mid, m.add(a, one), one))
	high := m.sel(far, m.c(m.halfPi), m.sel(mid, m.c(m.halfPi/2), m.c(0)))
	low := m.sel(far, m.c(m.halfPiLo), m.sel(mid, m.c(m.halfPiLo/2), m.c(0)))
	return m.copySign(m.add(high, m.atanReduced(m.div(above, below), low)), x)
}

// atanReduced is atan(s) + low for |s| ≤ tan(π/8) and a small low.
func (m *mathBuilder) atanReduced(s, low *Value) *Value {
	z := m.mul(s, s)
	return m.add(s, m.fma(m.mul(s, z), m.poly(z, m.atanq...), low))
}

// atan2 is the angle of (x, y): atan of the lesser over the greater of |x| and |y|, then π/2 minus it where |y| is the greater,
// π minus it where x is negative (also -0), with the sign of y. 0/0 counts as 0, inf/inf as 1.
func (m *mathBuilder) atan2(y, x *Value) *Value {
	a, b := m.Op(Abs, x), m.Op(Abs, y)
	least, most := m.Op(Min, a, b), m.Op(Max, a, b)
	zero, one := m.c(0), m.c(1)
	q := m.div(least, most)
	q = m.sel(m.Op(Eq, most, zero), zero, m.sel(m.Op(Eq, least, m.c(math.Inf(1))), one, q))
	mid := m.Op(Lt, m.c(m.tanPi8), q)
	// atan q = base + atan s, of which multiples of π/4 are gathered: quarter·π/4 ± atan s.
	s := m.sel(mid, m.div(m.sub(least, most), m.add(least, most)), q)
	s = m.sel(m.Op(Eq, q, one), zero, s)
	// The sum of the two may overflow: then they are halved.
	halved := m.Op(Lt, m.c(m.huge), most)
	half := m.c(0.5)
	small, large := m.mul(least, half), m.mul(most, half)
	s = m.sel(m.Op(And, mid, m.Op(And, halved, m.Op(Ne, q, one))), m.div(m.sub(small, large), m.add(small, large)), s)
	r := m.atanReduced(s, zero)
	steep := m.Op(Lt, a, b)
	left := m.Op(Lt, m.copySign(one, x), zero)
	quarter := m.sel(mid, one, zero)
	flip := m.sel(steep, m.c(-1), one)
	quarter = m.fma(flip, quarter, m.sel(steep, m.c(2), zero))
	r = m.mul(flip, r)
	turn := m.sel(left, m.c(-1), one)
	quarter = m.fma(turn, quarter, m.sel(left, m.c(4), zero))
	r = m.mul(turn, r)
	angle := m.fma(quarter, m.c(m.halfPi/2), m.fma(quarter, m.c(m.halfPiLo/2), r))
	return m.copySign(m.Op(Abs, angle), y)
}

// asinReduced is s + s³ P(s²) for |s| ≤ 1/2; z is s².
func (m *mathBuilder) asinReduced(s, z *Value) *Value {
	return m.fma(m.mul(s, z), m.poly(z, m.asinq...), s)
}

// asin is that, and π/2 - 2 asin(sqrt((1-a)/2)) for a = |x| beyond 1/2. Beyond 1 the root is NaN.
func (m *mathBuilder) asin(x *Value) *Value {
	a := m.Op(Abs, x)
	far := m.Op(Lt, m.c(0.5), a)
	z := m.sel(far, m.fma(a, m.c(-0.5), m.c(0.5)), m.mul(a, a))
	s := m.sel(far, m.Op(Sqrt, z), a)
	y := m.asinReduced(s, z)
	outer := m.add(m.c(m.halfPi), m.fma(m.c(-2), y, m.c(m.halfPiLo)))
	return m.copySign(m.Op(Abs, m.sel(far, outer, y)), x)
}

// acos is π/2 - asin x, 2 asin(sqrt((1-x)/2)) beyond 1/2, and π minus that of -x below -1/2.
func (m *mathBuilder) acos(x *Value) *Value {
	a := m.Op(Abs, x)
	far := m.Op(Lt, m.c(0.5), a)
	z := m.sel(far, m.fma(a, m.c(-0.5), m.c(0.5)), m.mul(a, a))
	s := m.sel(far, m.Op(Sqrt, z), x)
	y := m.asinReduced(s, z)
	inner := m.sub(m.c(m.halfPi), m.sub(y, m.c(m.halfPiLo)))
	outer := m.mul(m.c(2), y)
	outer = m.sel(m.Op(Lt, x, m.c(0)), m.add(m.c(2*m.halfPi), m.sub(m.c(2*m.halfPiLo), outer)), outer)
	return m.sel(far, outer, inner)
}

// hypot is sqrt(x² + y²) of scaled x and y, rounded once but for the root: the error of the greater square is made good. An
// infinity wins over NaN.
func (m *mathBuilder) hypot(x, y *Value) *Value {
	a, b := m.Op(Abs, x), m.Op(Abs, y)
	swap := m.Op(Lt, a, b)
	most, least := m.sel(swap, b, a), m.sel(swap, a, b)
	up, down := 1/m.huge, m.huge
	large, small := m.Op(Lt, m.c(m.huge), most), m.Op(Lt, most, m.c(1/m.huge))
	scale := m.sel(large, m.c(up), m.sel(small, m.c(down), m.c(1)))
	back := m.sel(large, m.c(down), m.sel(small, m.c(up), m.c(1)))
	p, q := m.mul(most, scale), m.mul(least, scale)
	square := m.mul(p, p)
	low := m.fma(p, p, m.Op(Neg, square))
	y2 := m.mul(m.Op(Sqrt, m.add(square, m.fma(q, q, low))), back)
	inf := m.c(math.Inf(1))
	infinite := m.Op(Or, m.Op(Eq, a, inf), m.Op(Eq, b, inf))
	nan := m.Op(Not, m.Op(And, m.Op(Eq, x, x), m.Op(Eq, y, y)))
	return m.sel(infinite, inf, m.sel(nan, m.add(x, y), y2))
}

// copysign is the size of x with the sign of y.
func (m *mathBuilder) copysign(x, y *Value) *Value { return m.copySign(m.Op(Abs, x), y) }
