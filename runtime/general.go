package runtime

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// What general portable functions are made of: those that are written straight from definitions.

// Elements is all elements of parameter i, row-major in the order of its declared axes at the joint shape. It is nil where
// there are none, and where nobody wants a result.
func Elements[T Element](b *Bound, i int) []T {
	p, n := b.Address(i), b.count(i)
	if p == nil || n == 0 {
		return nil
	}
	if b.Move(i) == 1 {
		return unsafe.Slice((*T)(p), n)
	}
	all := Temp[T](b, n) // a page of equal elements, written out
	x := *(*T)(p)
	for k := range all {
		all[k] = x
	}
	return all
}

// Temp is memory of the call for n values, all zero.
func Temp[T Element](b *Bound, n int) []T {
	if n == 0 {
		return nil
	}
	if b.g == nil {
		b.g = getBinding()
	}
	var zero T
	s := unsafe.Slice((*T)(b.g.scratch(n*int(unsafe.Sizeof(zero)))), n)
	Clear(s)
	return s
}

// maxRagged bounds the elements of what is computed over ranges whose lengths data say: an index that was never set, or a
// length read from the wrong place, would ask for all the memory that there is.
const maxRagged = 1 << 28

// ExtentOf is the extent of an axis of which data say that it has n values at most. What is too great for any tensor is left
// for Room to refuse.
func ExtentOf(n int64) int { return int(max(0, min(n, maxRagged+1))) }

// RoomOf is Room where one of the extents, n, comes from data, of arg: too many elements are an error too.
func RoomOf[T Element](b *Bound, arg string, n int64, extents ...int) error {
	if slices.Contains(extents, 0) {
		return nil
	}
	all := 1
	for _, e := range extents {
		if all > maxRagged/e {
			return &ArgError{Op: b.sig.Op, Arg: arg, Want: fmt.Sprintf("ranges that take at most %d elements of memory", maxRagged), Got: fmt.Sprintf("a range of %d values", n), Err: ErrValue}
		}
		all *= e
	}
	return b.takeScratch(arg, DTypeOf[T](), extents, all)
}

// AnyUnset reports whether an element has no value.
func AnyUnset(set []bool) bool {
	for _, s := range set {
		if !s {
			return true
		}
	}
	return false
}

// ValueError is the error of elements that have no value, or that break a condition: want says which.
//
//go:noinline
func ValueError(op, arg, want string) error {
	return &ArgError{Op: op, Arg: arg, Want: want, Err: ErrValue}
}

// FaultError is the error of a value that doesn't exist: what says which.
//
//go:noinline
func FaultError(op, what string) error {
	return &ArgError{Op: op, Text: ErrValue.Error() + ": " + what, Err: ErrValue}
}

// RangeError is the error of an index that was computed: of arg along an axis.
//
//go:noinline
func RangeError(op, arg, axis string, index, extent int) error {
	return &ArgError{Op: op, Arg: arg, Want: fmt.Sprintf("0 ≤ index of %s < %d", axis, extent), Got: fmt.Sprint(index), Err: ErrIndex}
}

// Functions of floats are computed in float64 and rounded once.

// Rsqrt is 1/√x.
func Rsqrt[T float](x T) T { return T(1 / math.Sqrt(float64(x))) }

// Sigmoid is 1/(1+exp(-x)), without overflow.
func Sigmoid[T float](x T) T {
	a := float64(x)
	if a < 0 {
		e := math.Exp(a)
		return T(e / (1 + e))
	}
	return T(1 / (1 + math.Exp(-a)))
}

// Softplus is log(1+exp(x)), without overflow.
func Softplus[T float](x T) T {
	a := float64(x)
	return T(Max64(a, 0) + math.Log1p(math.Exp(-math.Abs(a))))
}

// Lgamma is log |Γ(x)|, +Inf at the poles and at both infinities.
func Lgamma[T float](x T) T {
	if math.IsInf(float64(x), -1) {
		return T(math.Inf(1))
	}
	y, _ := math.Lgamma(float64(x))
	return T(y)
}

// Xlogy is x*log(y), and 0 where x is 0 and y is a number.
func Xlogy[T float](x, y T) T {
	if x == 0 && y == y {
		return 0
	}
	return T(float64(x) * math.Log(float64(y)))
}

// Logaddexp is log(exp(x) + exp(y)), shifted by the greater.
func Logaddexp[T float](x, y T) T {
	a, b := float64(x), float64(y)
	if math.IsInf(a, 0) && a == b {
		return x
	}
	return T(Max64(a, b) + math.Log1p(math.Exp(-math.Abs(a-b))))
}

// Absorb is x*y, and x where that is 0, whatever y is.
func Absorb[T float](x, y T) T {
	if x == 0 {
		return x
	}
	return x * y
}

// Sign is -1, 0 or 1. NaN and zeros stay what they are.
func Sign[T float | Integer | int](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return T(0) - 1
	}
	return x
}

// FloorMod is x - y*floor(x/y): the remainder with the sign of y.
func FloorMod[T float](x, y T) T {
	r := math.Mod(float64(x), float64(y))
	switch {
	case r == 0:
		r = math.Copysign(0, float64(y)) // a zero has the sign of y as well
	case (r < 0) != (y < 0):
		r += float64(y)
	}
	return T(r)
}

// FloorModInt is FloorMod of integers; y is not 0.
func FloorModInt[T Integer | int](x, y T) T {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// PowInt is x to the power n, which is not negative; it wraps.
func PowInt[T Integer | int](x, n T) T {
	r := T(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// FloorDiv is the greatest integer not above x/y; y is positive.
func FloorDiv(x, y int) int {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// RoundDiv is the integer nearest to x/y, the even one of two; y is positive.
func RoundDiv(x, y int) int {
	q := FloorDiv(x, y)
	if r := x - q*y; r > y-r || r == y-r && q&1 != 0 {
		q++
	}
	return q
}

// Numerator is that of the quotient x/y with a positive denominator; y is not 0.
func Numerator(x, y int) int {
	if y < 0 {
		return -x
	}
	return x
}

// Denominator is that of a quotient by y, positive; y is not 0.
func Denominator(y int) int {
	if y < 0 {
		return -y
	}
	return y
}

// Truth is 1 where c holds, else 0.
func Truth[T float | Integer | int](c bool) T {
	if c {
		return 1
	}
	return 0
}

// ShapeError is the error of extents that break a condition: want says which, got is the extent, where it is one.
//
//go:noinline
func ShapeError(op, want string, got ...int) error {
	e := &ArgError{Op: op, Want: want, Err: ErrShape}
	if len(got) > 0 {
		e.Got = fmt.Sprint(got[0])
	}
	return e
}
