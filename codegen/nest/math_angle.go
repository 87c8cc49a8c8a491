package nest

import "math"

// angle is |x| = q π/2 + (r + low), with q modulo 4 in -2 … 2, |r| ≤ π/4 (a little more at most), and low the rounding error of r.
type angle struct{ q, r, low *Value }

// reduceAngle is exact for every float (Payne and Hanek 1983). |x| = 2^(limb·j) y with 2^least ≤ y < 2^(limb+least), y is split
// into three digits to base 2^limb, and these are multiplied with the digits of 2/π from the (j-2)th on: earlier ones give
// multiples of 4. Digits have either sign and are so short that the sums of products in a column are exact. Columns beyond
// limbs don't reach the bits of r even for the x that is nearest to a multiple of π/2. Choosing the digits by j takes a select
// each for each bit of j.
func (m *mathBuilder) reduceAngle(x *Value) angle {
	a := m.Op(Abs, x)
	y, digits := m.window(a)
	base := math.Ldexp(1, m.limb)
	part := [3]*Value{m.Op(Round, y)}
	rest := m.sub(y, part[0])
	part[1] = m.Op(Round, m.mul(rest, m.c(base)))
	part[2] = m.mul(m.fma(part[1], m.c(-1/base), rest), m.c(base*base))
	column := make([]*Value, m.limbs)
	for n := range column {
		// digits[i] is that of 2/π with number i + j - 2.
		sum := m.mul(part[2], digits[n])
		sum = m.fma(part[1], digits[n+1], sum)
		column[n] = m.fma(part[0], digits[n+2], sum)
	}
	for n := m.limbs - 1; n > 0; n-- {
		carry := m.Op(Round, m.mul(column[n], m.c(1/base)))
		column[n] = m.fma(carry, m.c(-base), column[n])
		column[n-1] = m.add(column[n-1], carry)
	}
	q := m.fma(m.Op(Round, m.mul(column[0], m.c(0.25))), m.c(-4), column[0])
	below := column[m.limbs-1]
	for n := m.limbs - 2; n > 1; n-- {
		below = m.fma(below, m.c(1/base), column[n])
	}
	// The fraction is (f + fLow)/base.
	f := m.fma(below, m.c(1/base), column[1])
	fLow := m.fma(below, m.c(1/base), m.sub(column[1], f))
	unit := m.c(m.halfPi / base)
	r := m.mul(f, unit)
	low := m.fma(f, unit, m.Op(Neg, r))
	low = m.fma(fLow, unit, m.fma(f, m.c(m.halfPiLo/base), low))
	small := m.Op(Lt, a, m.c(m.halfPi/2))
	zero := m.c(0)
	return angle{q: m.sel(small, zero, q), r: m.sel(small, a, r), low: m.sel(small, zero, low)}
}

// window scales a into the first window and gives the digits of 2/π for it, beginning two before.
func (m *mathBuilder) window(a *Value) (*Value, []*Value) {
	count := m.limbs + 2
	last := (int(m.bias) - m.least) / m.limb // of the windows
	digit := func(i int) *Value {
		if i < 2 || i-2 >= len(m.twoOverPi) {
			return m.c(0)
		}
		return m.c(m.twoOverPi[i-2])
	}
	shift := 1
	for 2*shift <= last {
		shift *= 2
	}
	digits := make([]*Value, count+2*shift-1)
	for i := range digits {
		digits[i] = digit(i)
	}
	for ; shift > 0; shift /= 2 {
		far := m.Op(Le, m.c(math.Ldexp(1, m.least+m.limb*shift)), a)
		a = m.sel(far, m.mul(a, m.c(math.Ldexp(1, -m.limb*shift))), a)
		next := make([]*Value, count+shift-1)
		for i := range next {
			next[i] = digits[i]
			if digits[i+shift] != digits[i] && i <= last-shift+count-1 {
				next[i] = m.sel(far, digits[i+shift], digits[i])
			}
		}
		digits = next
		last = max(last-shift, shift-1)
	}
	return a, digits
}

// sinOf and cosOf are the sine and cosine of a reduced angle.
func (m *mathBuilder) sinOf(a angle) *Value {
	z := m.mul(a.r, a.r)
	return m.add(a.r, m.fma(m.mul(a.r, z), m.poly(z, m.sinq...), a.low))
}

func (m *mathBuilder) cosOf(a angle) *Value {
	z := m.mul(a.r, a.r)
	half := m.mul(m.c(0.5), z)
	w := m.sub(m.c(1), half)
	lost := m.sub(m.sub(m.c(1), w), half) // of 1 - z/2
	high := m.fma(m.mul(z, z), m.poly(z, m.cosq...), m.Op(Neg, m.mul(a.r, a.low)))
	return m.add(w, m.add(lost, high))
}

// odd is whether q is 1 or -1, and turned whether it is ±2 or the number given.
func (m *mathBuilder) odd(a angle) *Value { return m.Op(Eq, m.Op(Abs, a.q), m.c(1)) }

func (m *mathBuilder) turned(a angle, also float64) *Value {
	return m.Op(Or, m.Op(Eq, m.Op(Abs, a.q), m.c(2)), m.Op(Eq, a.q, m.c(also)))
}

// sin by quadrant: sin r, cos r, -sin r, -cos r; odd.
func (m *mathBuilder) sin(x *Value) *Value {
	a := m.reduceAngle(x)
	y := m.sel(m.odd(a), m.cosOf(a), m.sinOf(a))
	return m.withSign(m.sel(m.turned(a, -1), m.Op(Neg, y), y), x)
}

// cos by quadrant: cos r, -sin r, -cos r, sin r.
func (m *mathBuilder) cos(x *Value) *Value {
	a := m.reduceAngle(x)
	y := m.sel(m.odd(a), m.sinOf(a), m.cosOf(a))
	return m.sel(m.turned(a, 1), m.Op(Neg, y), y)
}

// tan is sin r/cos r, or -cos r/sin r in odd quadrants; odd.
func (m *mathBuilder) tan(x *Value) *Value {
	a := m.reduceAngle(x)
	s, c := m.sinOf(a), m.cosOf(a)
	odd := m.odd(a)
	return m.withSign(m.div(m.sel(odd, m.Op(Neg, c), s), m.sel(odd, s, c)), x)
}

// withSign turns y around where x has a minus sign.
func (m *mathBuilder) withSign(y, x *Value) *Value {
	sign := m.Op(BitAnd, m.Op(AsBits, x), m.BitsConst(m.sign))
	return m.Op(AsFloat, m.Op(BitXor, m.Op(AsBits, y), sign))
}
