package runtime

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/opgen/opgen/internal/interval"
)

// Interval bounds exact numbers of a call before they are computed, with all that is computed on the way to them. Generated code asks whether
// an int holds them, once a call.
type Interval = interval.Interval

// Whole is one whole number.
func Whole(n int) Interval { return interval.Of(int64(n)) }

// Ratio is n/d; d is positive.
func Ratio(n, d int) Interval { return interval.Ratio(int64(n), int64(d)) }

// Indices are those of an axis of n elements.
func Indices(n int) Interval { return interval.Below(int64(n)) }

// Numbers are the whole numbers lo ≤ n ≤ hi.
func Numbers(lo, hi int) Interval { return interval.Between(int64(lo), int64(hi)) }

// Unknown is numbers of which nothing is known.
func Unknown() Interval { return interval.Unknown() }

// AddInt is x + y; ok tells whether an int holds it.
func AddInt(x, y int) (sum int, ok bool) {
	sum = x + y
	return sum, (sum > x) == (y > 0)
}

// SubInt is x - y; ok tells whether an int holds it.
func SubInt(x, y int) (difference int, ok bool) {
	difference = x - y
	return difference, (difference < x) == (y > 0)
}

// MulInt is x * y; ok tells whether an int holds it.
func MulInt(x, y int) (product int, ok bool) {
	hi, lo := bits.Mul(magnitudeOf(x), magnitudeOf(y))
	product = x * y
	if (x < 0) != (y < 0) {
		return product, hi == 0 && lo <= 1<<(bits.UintSize-1)
	}
	return product, hi == 0 && lo < 1<<(bits.UintSize-1)
}

// PowerInt is x to the power n, which is not negative; ok tells whether an int holds it.
func PowerInt(x, n int) (power int, ok bool) {
	power = 1
	for ; n > 0; n-- {
		switch {
		case x == 0 || x == 1:
			return x, true
		case x == -1:
			return 1 - 2*(n&1), true
		}
		if power, ok = MulInt(power, x); !ok {
			return 0, false
		}
	}
	return power, true
}

// PowerQuo is the quotient n/d to the power e, with a positive denominator, as d is; the denominator 0 is that of 0 to a negative power. ok tells whether
// ints hold it.
func PowerQuo(n, d, e int) (top, bottom int, ok bool) {
	if e < 0 {
		if n == 0 {
			return 0, 0, true
		}
		if n == math.MinInt || e == math.MinInt {
			return 0, 1, false
		}
		n, d, e = d, n, -e
		if d < 0 {
			n, d = -n, -d
		}
	}
	top, up := PowerInt(n, e)
	bottom, down := PowerInt(d, e)
	if !up || !down {
		return 0, 1, false
	}
	return top, bottom, true
}

// Lowest is n/d in lowest terms, with a positive denominator; d is not 0, and an int holds both.
func Lowest(n, d int) (top, bottom int) {
	a, b := magnitudeOf(n), magnitudeOf(d)
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	top, bottom = int(a/x), int(b/x)
	if n != 0 && (n < 0) != (d < 0) {
		top = -top
	}
	return top, bottom
}

func magnitudeOf(x int) uint {
	if x < 0 {
		return -uint(x)
	}
	return uint(x)
}

// TooMany reports whether lo ≤ n < hi are more numbers than an axis has elements.
func TooMany(lo, hi int) bool { return lo < hi && uint(hi)-uint(lo) > MaxPoints }

// CompareQuo is negative, zero or positive as x/d is less than, equal to or greater than y/e; d and e are not 0.
func CompareQuo(x, d, y, e int) int {
	// Magnitudes hold the least int too, whose opposite is none.
	below, under := x != 0 && (x < 0) != (d < 0), y != 0 && (y < 0) != (e < 0)
	switch c := compareProducts(magnitudeOf(x), magnitudeOf(e), magnitudeOf(y), magnitudeOf(d)); {
	case below && under:
		return -c
	case below:
		return -1
	case under:
		return 1
	default:
		return c
	}
}

// compareProducts compares a*b with c*d.
func compareProducts(a, b, c, d uint) int {
	hi, lo := bits.Mul(a, b)
	top, low := bits.Mul(c, d)
	if c := cmp.Compare(hi, top); c != 0 {
		return c
	}
	return cmp.Compare(lo, low)
}
