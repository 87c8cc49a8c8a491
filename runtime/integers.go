package runtime

import (
	"cmp"
	"math"
	"math/bits"
)

// Functions of integers of any dtype, for general portable functions.

// Fits reports whether T holds n.
func Fits[T Integer](n int) bool { return int(T(n)) == n && (T(n) < 0) == (n < 0) }

// Holds reports whether x is a whole number that T holds.
func Holds[T Integer](x float64) bool {
	return x == math.Trunc(x) && x >= float64(Least[T]()) && x < float64(Greatest[T]())+1 && float64(T(x)) == x
}

// Exceeds reports whether x is greater than any int64.
func Exceeds[T Integer](x T) bool { return x > 0 && uint64(x) > math.MaxInt64 }

// AbsInt is x without its sign. That of the least number is the number itself.
func AbsInt[T Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// Compare is negative, zero or positive as x is less than, equal to or greater than num/den; den is positive.
func Compare[T Integer](x T, num, den int) int {
	switch {
	case x < 0 && num >= 0:
		return -1
	case x >= 0 && num < 0:
		return 1
	case x < 0:
		return -compareProduct(uint64(-int64(x)), uint64(den), uint64(-int64(num)))
	}
	return compareProduct(uint64(x), uint64(den), uint64(num))
}

// compareProduct compares x*y with z.
func compareProduct(x, y, z uint64) int {
	hi, lo := bits.Mul64(x, y)
	if hi > 0 {
		return 1
	}
	return cmp.Compare(lo, z)
}

// Overflows reports whether T can't hold x/y: the least number divided by -1. y is not 0.
func Overflows[T Integer](x, y T) bool { return x < 0 && y < 0 && x == Least[T]() && y == ^T(0) }

// FloorQuo is the greatest integer not above x/y; y is not 0, and T holds the quotient.
func FloorQuo[T Integer](x, y T) T {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// CeilQuo is the least integer not below x/y.
func CeilQuo[T Integer](x, y T) T {
	q := x / y
	if x%y != 0 && (x < 0) == (y < 0) {
		q++
	}
	return q
}

// TruncQuo is x/y without its fraction.
func TruncQuo[T Integer](x, y T) T { return x / y }

// RoundQuo is the integer nearest to x/y, the even one of two.
func RoundQuo[T Integer](x, y T) T {
	q, r := x/y, x%y
	// Twice the remainder against the divisor, as magnitudes that don't overflow.
	a, b := magnitude(r), magnitude(y)
	if rest := b - a; a > rest || a == rest && q&1 != 0 {
		if (x < 0) != (y < 0) {
			return q - 1
		}
		return q + 1
	}
	return q
}

// magnitude is the absolute value of x.
func magnitude[T Integer](x T) uint64 {
	if x < 0 {
		return -uint64(int64(x))
	}
	return uint64(x)
}

// limits are the greatest finite number and the distance from 1 to the next number of the float dtypes.
var limits = [...]struct{ highest, epsilon float64 }{
	F16: {65504, 0x1p-10}, BF16: {0x1.fep127, 0x1p-7}, F32: {math.MaxFloat32, 0x1p-23}, F64: {math.MaxFloat64, 0x1p-52},
}

// Given is the dtype that tensors have where a dtype variable stands, which DType has as kernels see it.
func (b *Bound) Given(v int) DType {
	if d := b.given[v]; d != NoDType {
		return d
	}
	return b.DType[v]
}

// Lowest is the least finite number of a dtype variable that stands for floats.
func (b *Bound) Lowest(v int) float64 { return -limits[b.Given(v)].highest }

// Highest is the greatest finite number of a dtype variable that stands for floats.
func (b *Bound) Highest(v int) float64 { return limits[b.Given(v)].highest }

// Epsilon is the distance from 1 to the next number of a dtype variable that stands for floats.
func (b *Bound) Epsilon(v int) float64 { return limits[b.Given(v)].epsilon }
