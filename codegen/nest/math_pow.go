package nest

import "math"

// pair is a number as the sum of two floats, the second at most about an ulp of the first.
type pair struct{ hi, lo *Value }

// product is x·y with its rounding error.
func (m *mathBuilder) product(x, y *Value) pair {
	p := m.mul(x, y)
	return pair{p, m.fma(x, y, m.Op(Neg, p))}
}

// fastSum is x + y with its rounding error, where |x| ≥ |y| or x is 0.
func (m *mathBuilder) fastSum(x, y *Value) pair {
	s := m.add(x, y)
	return pair{s, m.add(m.sub(x, s), y)}
}

// log2Pair is log2 of a positive finite x to about 1½ times the precision of a float: k + 2 atanh(s)/ln 2 with s = f/(2+f), of
// whose series s and s³ are taken in two floats.
func (m *mathBuilder) log2Pair(x *Value) pair {
	d := m.decomposed(x)
	two := m.c(2)
	below := m.add(d.f, two)
	belowLo := m.sub(d.f, m.sub(below, two))
	s := pair{hi: m.div(d.f, below)}
	minus := m.Op(Neg, s.hi)
	s.lo = m.div(m.fma(minus, belowLo, m.fma(minus, below, d.f)), below)
	z := m.product(s.hi, s.hi)
	z.lo = m.fma(m.mul(two, s.hi), s.lo, z.lo)
	cube := m.product(s.hi, z.hi)
	cube.lo = m.fma(s.hi, z.lo, m.fma(s.lo, z.hi, cube.lo))
	third := m.product(cube.hi, m.c(m.twoThirds))
	third.lo = m.fma(cube.lo, m.c(m.twoThirds), m.fma(cube.hi, m.c(m.twoThirdsLo), third.lo))
	rest := m.mul(m.mul(cube.hi, z.hi), m.poly(z.hi, m.powq...))
	l := m.fastSum(m.mul(two, s.hi), third.hi)
	l.lo = m.add(l.lo, m.fma(two, s.lo, m.add(third.lo, rest)))
	g := m.product(l.hi, m.c(m.log2eHi))
	g.lo = m.fma(l.hi, m.c(m.log2eLo), m.fma(l.lo, m.c(m.log2eHi), g.lo))
	t := m.fastSum(d.k, g.hi)
	t.lo = m.add(t.lo, g.lo)
	return t
}

// pow is x^y as C99 has it: 2^(y log2 |x|); 1 where y is 0 or x is 1, also with NaN; negative for a negative x and an odd y, NaN
// for a finite negative x and a y that isn't whole.
func (m *mathBuilder) pow(x, y *Value) *Value {
	zero, one, inf := m.c(0), m.c(1), m.c(math.Inf(1))
	a := m.Op(Abs, x)
	t := m.log2Pair(a)
	// log2 of 0, of infinity and of NaN.
	edge := m.sel(m.Op(Eq, a, zero), m.c(math.Inf(-1)), a)
	inside := m.Op(And, m.Op(Lt, zero, a), m.Op(Lt, a, inf))
	hi, lo := m.sel(inside, t.hi, edge), m.sel(inside, t.lo, zero)
	// |x| = 1: also with an infinite y.
	power := m.sel(m.Op(Eq, hi, zero), m.sel(m.Op(Eq, y, y), zero, y), m.mul(y, hi))
	low := m.fma(y, lo, m.fma(y, hi, m.Op(Neg, power)))
	bounded := m.atMost(m.exp2Max, m.atLeast(m.exp2Min, power))
	low = m.sel(m.Op(And, m.Op(Eq, bounded, power), m.Op(Lt, m.Op(Abs, y), inf)), low, zero)
	magic := m.c(m.magic + 2*m.bias)
	n := m.add(bounded, magic)
	k := m.sub(n, magic)
	r := m.add(m.sub(bounded, k), low)
	z := m.expOf(reduced{k: k, r: m.mul(r, m.c(m.ln2)), t: m.Op(AsBits, n)})
	whole := m.Op(Eq, m.Op(Trunc, y), y)
	half := m.mul(m.c(0.5), y)
	odd := m.Op(And, whole, m.Op(Ne, m.Op(Trunc, half), half))
	z = m.withSign(z, m.sel(odd, x, zero))
	broken := m.Op(And, m.Op(And, m.Op(Lt, x, zero), m.Op(Lt, a, inf)), m.Op(Not, whole))
	z = m.sel(broken, m.c(math.NaN()), z)
	return m.sel(m.Op(Or, m.Op(Eq, x, one), m.Op(Eq, y, zero)), one, z)
}
