// Package interval bounds exact numbers of a call before they are computed. Code computes an exact number as an int64 over a positive one,
// without asking at each step whether these hold what comes out: intervals of the numbers that it is made of tell, once a call, that they do.
package interval

import (
	"math"
	"math/bits"
)

// Interval is the numbers n/d with lo ≤ n ≤ hi and least ≤ d ≤ most, where 0 < least. Nothing is known where over is set: a number on
// the way, or a numerator or a denominator, may be one that an int64 doesn't hold.
type Interval struct {
	lo, hi, least, most int64
	over                bool
}

// Of is one whole number.
func Of(n int64) Interval { return Between(n, n) }

// Between is the whole numbers lo ≤ n ≤ hi.
func Between(lo, hi int64) Interval { return Interval{lo: lo, hi: hi, least: 1, most: 1} }

// Ratio is n/d, where d is positive.
func Ratio(n, d int64) Interval { return Interval{lo: n, hi: n, least: d, most: d} }

// Below is the indices of an axis of n elements; of none, 0.
func Below(n int64) Interval { return Between(0, max(n-1, 0)) }

// Indices is the indices of axes of so many elements.
func (a Interval) Indices() Interval { return Between(0, max(a.hi-1, 0)) }

// Until is the whole numbers from one of a up to, and without, one of b; those of a where there are none.
func (a Interval) Until(b Interval) Interval {
	a, b = a.Ceil(), b.Ceil()
	end := b.Sub(Of(1)) // never computed, so that it doesn't count where it isn't held
	r := Between(a.lo, max(a.hi, end.hi))
	if end.over {
		r.hi = max(a.hi, b.hi)
	}
	r.over = a.over || b.over
	return r
}

// Width is how many numbers are from one of a to one of b, at most: 0 where there are none.
func (a Interval) Width(b Interval) Interval {
	d := b.Ceil().Sub(a.Ceil())
	return Interval{lo: max(d.lo, 0), hi: max(d.hi, 0), least: 1, most: 1, over: d.over}
}

// Holds reports whether all numbers on the way to these, and they themselves, are held by an int64.
func (a Interval) Holds() bool { return !a.over }

// Inside reports whether Holds is true and no numerator is more than 2 to the power n, whatever its sign.
func (a Interval) Inside(n int) bool {
	return !a.over && (n >= 63 || a.hi <= 1<<n && a.lo >= -1<<n)
}

// whole tells whether all numbers are.
func (a Interval) whole() bool { return a.most == 1 }

// Unknown is where nothing is known.
func Unknown() Interval { return Interval{least: 1, most: 1, over: true} }

// Neg is the numbers -x.
func (a Interval) Neg() Interval {
	if a.over || a.lo == math.MinInt64 {
		return Unknown()
	}
	a.lo, a.hi = -a.hi, -a.lo
	return a
}

// Abs is the numbers |x|.
func (a Interval) Abs() Interval {
	n := a.Neg() // max(x, -x)
	if n.over {
		return Unknown()
	}
	r := a
	r.lo, r.hi = max(a.lo, n.lo, 0), max(a.hi, n.hi)
	return r
}

// Add is the numbers x + y.
func (a Interval) Add(b Interval) Interval {
	a, b = meet(a, b)
	if a.over || b.over || overflows(a.lo, b.lo) || overflows(a.hi, b.hi) {
		return Unknown()
	}
	a.lo, a.hi = a.lo+b.lo, a.hi+b.hi
	return a
}

// Sub is the numbers x - y.
func (a Interval) Sub(b Interval) Interval {
	a, b = meet(a, b)
	lo, ok := Minus(a.lo, b.hi)
	hi, fits := Minus(a.hi, b.lo)
	if a.over || b.over || !ok || !fits {
		return Unknown()
	}
	a.lo, a.hi = lo, hi
	return a
}

// Mul is the numbers x * y.
func (a Interval) Mul(b Interval) Interval {
	if a.over || b.over {
		return Unknown()
	}
	r := Interval{lo: math.MaxInt64, hi: math.MinInt64}
	for _, x := range [...]int64{a.lo, a.hi} {
		for _, y := range [...]int64{b.lo, b.hi} {
			p, ok := Times(x, y)
			if !ok {
				return Unknown()
			}
			r.lo, r.hi = min(r.lo, p), max(r.hi, p)
		}
	}
	least, ok := Times(a.least, b.least)
	most, fits := Times(a.most, b.most)
	if !ok || !fits {
		return Unknown()
	}
	r.least, r.most = least, most
	return r
}

// Div is the numbers x / y. Where y is 0 there is none.
func (a Interval) Div(b Interval) Interval {
	if a.over || b.over || a.lo == math.MinInt64 && b.lo < 0 || b.lo == math.MinInt64 {
		return Unknown()
	}
	n := a.Mul(Between(b.least, b.most))
	if b.lo < 0 { // the sign moves to the numerator
		m := n.Neg()
		if b.hi <= 0 {
			n = m
		} else {
			n.lo, n.hi, n.over = min(n.lo, m.lo), max(n.hi, m.hi), n.over || m.over
		}
	}
	small := int64(1)
	if b.lo > 0 {
		small = b.lo
	} else if b.hi < 0 {
		small = -b.hi
	}
	d := Between(small, max(b.hi, -b.lo, 1)).Mul(Between(a.least, a.most))
	if n.over || d.over {
		return Unknown()
	}
	n.least, n.most = d.lo, d.hi
	return n
}

// Floor is the numbers ⌊x⌋.
func (a Interval) Floor() Interval {
	if a.over {
		return Unknown()
	}
	low, high := a.least, a.most // the denominators with which the least and the greatest come out
	if a.lo >= 0 {
		low = a.most
	}
	if a.hi >= 0 {
		high = a.least
	}
	return Between(floor(a.lo, low), floor(a.hi, high))
}

// Ceil is the numbers ⌈x⌉.
func (a Interval) Ceil() Interval {
	if a.whole() {
		return a
	}
	return a.Neg().Floor().Neg()
}

// Round is numbers among which those are that x is rounded to, or cut off to.
func (a Interval) Round() Interval {
	if a.whole() {
		return a
	}
	lo, hi := a.Floor(), a.Ceil()
	return Interval{lo: lo.lo, hi: hi.hi, least: 1, most: 1, over: lo.over || hi.over}
}

// Sign is -1, 0 and 1.
func (a Interval) Sign() Interval {
	r := Between(-1, 1)
	r.over = a.over
	return r
}

// Max is the numbers max(x, y).
func (a Interval) Max(b Interval) Interval {
	a, b = meet(a, b)
	a.lo, a.hi, a.over = max(a.lo, b.lo), max(a.hi, b.hi), a.over || b.over
	return a
}

// Min is the numbers min(x, y).
func (a Interval) Min(b Interval) Interval {
	a, b = meet(a, b)
	a.lo, a.hi, a.over = min(a.lo, b.lo), min(a.hi, b.hi), a.over || b.over
	return a
}

// Or is the numbers of both.
func (a Interval) Or(b Interval) Interval {
	return Interval{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), least: min(a.least, b.least), most: max(a.most, b.most), over: a.over || b.over}
}

// Fma is the numbers x*y + z.
func (a Interval) Fma(b, c Interval) Interval { return a.Mul(b).Add(c) }

// Mod is numbers among which the remainders of x by y are, whichever sign they take.
func (a Interval) Mod(b Interval) Interval {
	if a.over || b.over {
		return Unknown()
	}
	if !a.whole() || !b.whole() {
		q := a.Div(b).Round()
		return a.Sub(q.Mul(b))
	}
	most := max(b.hi, 1) - 1
	least := min(b.lo, -1) + 1
	if a.lo < 0 {
		least = min(least, -most)
	}
	if a.hi > 0 {
		most = max(most, -least)
	}
	return Between(least, most)
}

// Pow is the numbers x to the power y.
func (a Interval) Pow(b Interval) Interval {
	if a.over || b.over || !b.whole() || a.lo == math.MinInt64 || b.lo == math.MinInt64 {
		return Unknown()
	}
	quotient := !a.whole() || b.lo < 0
	m, p := max(a.hi, -a.lo), int64(1)
	if quotient { // numerators and denominators, which a negative power exchanges
		m = max(m, a.most)
	}
	for e := max(b.hi, -b.lo); e > 0 && m > 1; e-- {
		var ok bool
		if p, ok = Times(p, m); !ok {
			return Unknown()
		}
	}
	lo := int64(0)
	if a.lo < 0 {
		lo = -p
	}
	if quotient {
		return Interval{lo: lo, hi: p, least: 1, most: p}
	}
	return Between(lo, p)
}

// meet brings two to one denominator, as code does it.
func meet(a, b Interval) (x, y Interval) {
	switch {
	case a.over || b.over:
		return Unknown(), Unknown()
	case a.most == 1 && b.most == 1:
		return a, b
	}
	if a.least == a.most && b.least == b.most && a.most == b.most {
		return a, b
	}
	p, q := Between(a.least, a.most), Between(b.least, b.most)
	x, y = Between(a.lo, a.hi).Mul(q), Between(b.lo, b.hi).Mul(p)
	d := p.Mul(q)
	if x.over || y.over || d.over {
		return Unknown(), Unknown()
	}
	x.least, x.most, y.least, y.most = d.lo, d.hi, d.lo, d.hi
	return x, y
}

func floor(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// overflows tells whether an int64 doesn't hold x + y.
func overflows(x, y int64) bool {
	_, ok := Plus(x, y)
	return !ok
}

// Plus is x + y; ok tells whether an int64 holds it.
func Plus(x, y int64) (sum int64, ok bool) {
	sum = x + y
	return sum, (sum > x) == (y > 0)
}

// Minus is x - y; ok tells whether an int64 holds it.
func Minus(x, y int64) (difference int64, ok bool) {
	difference = x - y
	return difference, (difference < x) == (y > 0)
}

// Times is x * y; ok tells whether an int64 holds it.
func Times(x, y int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	product = x * y
	if (x < 0) != (y < 0) {
		return product, hi == 0 && lo <= 1<<(63)
	}
	return product, hi == 0 && lo <= math.MaxInt64
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
