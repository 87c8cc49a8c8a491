package runtime

import (
	"math"
	"unsafe"
)

// What portable kernels are made of. Generated code calls these; they are small enough to be inlined.

// float is the element type of the lanes of a kernel.
type float interface{ float32 | float64 }

// Block is the most elements that a kernel handles at a time: what an operand with step 0 is readable for.
const Block = 64

// Slice is the n elements from offset elements behind p on.
func Slice[T any](p unsafe.Pointer, offset, n int) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Add(p, offset*int(unsafe.Sizeof(zero)))), n)
}

// At is the element offset elements behind p.
func At[T any](p unsafe.Pointer, offset int) *T {
	var zero T
	return (*T)(unsafe.Add(p, offset*int(unsafe.Sizeof(zero))))
}

// FMA32 is x*y + z rounded once.
func FMA32(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact: 48 bits
	s := p + float64(z)
	// Rounding s again is wrong only where s is half-way between two float32, which in the normal range means these
	// low bits; below it they are others, and above it there is nothing to round.
	if b := math.Float64bits(s); b&0x1fffffff != 0x10000000 && b&^(1<<63) >= 0x3810000000000000 {
		return float32(s)
	}
	return roundOdd32(p, float64(z), s)
}

// roundOdd32 is p+z rounded to float32, where s is p+z rounded to float64. An inexact s is first moved to its
// neighbour with an odd last bit if the exact sum lies on that side: then no information is lost that the second
// rounding needs.
func roundOdd32(p, z, s float64) float32 {
	t := s - p
	e := (p - (s - t)) + (z - t) // s + e is p + z exactly
	b := math.Float64bits(s)
	if e != 0 && b&1 == 0 && !math.IsInf(s, 0) && s == s {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
	}
	return float32(math.Float64frombits(b))
}

// Abs32 is x without its sign.
func Abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Max32 is the greater of a and b, b where they are equal; NaN wins.
func Max32(a, b float32) float32 {
	x, r := math.Float32bits(a), math.Float32bits(b)
	if a > b {
		r = x
	}
	if a != a {
		r = x
	}
	return math.Float32frombits(r)
}

// Min32 is the lesser of a and b, b where they are equal; NaN wins.
func Min32(a, b float32) float32 {
	x, r := math.Float32bits(a), math.Float32bits(b)
	if a < b {
		r = x
	}
	if a != a {
		r = x
	}
	return math.Float32frombits(r)
}

// Max64 is the greater of a and b, b where they are equal; NaN wins.
func Max64(a, b float64) float64 {
	x, r := math.Float64bits(a), math.Float64bits(b)
	if a > b {
		r = x
	}
	if a != a {
		r = x
	}
	return math.Float64frombits(r)
}

// Min64 is the lesser of a and b, b where they are equal; NaN wins.
func Min64(a, b float64) float64 {
	x, r := math.Float64bits(a), math.Float64bits(b)
	if a < b {
		r = x
	}
	if a != a {
		r = x
	}
	return math.Float64frombits(r)
}

// Select32 is a where m holds, else b, without a branch.
func Select32(m bool, a, b float32) float32 {
	x, r := math.Float32bits(a), math.Float32bits(b) // both before the choice: then it is a conditional move
	if m {
		r = x
	}
	return math.Float32frombits(r)
}

// Select64 is a where m holds, else b, without a branch.
func Select64(m bool, a, b float64) float64 {
	x, r := math.Float64bits(a), math.Float64bits(b) // both before the choice: then it is a conditional move
	if m {
		r = x
	}
	return math.Float64frombits(r)
}

// SelectInt is a where m holds, else b, without a branch.
func SelectInt[T int | uint32 | uint64](m bool, a, b T) T {
	if m {
		return a
	}
	return b
}

// LaneSum adds lanes pairwise: the upper half to the lower, until one is left. The number of lanes is a power of two.
// It uses acc up.
func LaneSum[T float](acc []T) T {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for i := range h {
			acc[i] += acc[i+h]
		}
	}
	return acc[0]
}

// LaneProd multiplies lanes as LaneSum adds them.
func LaneProd[T float](acc []T) T {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for i := range h {
			acc[i] *= acc[i+h]
		}
	}
	return acc[0]
}

// LaneMax is the greatest lane as Max32 or Max64 has it, combined as LaneSum does.
func LaneMax[T float](acc []T) T {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for i := range h {
			if x, y := acc[i], acc[i+h]; !(x > y || x != x) {
				acc[i] = y
			}
		}
	}
	return acc[0]
}

// LaneMin is the least lane as Min32 or Min64 has it, combined as LaneSum does.
func LaneMin[T float](acc []T) T {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for i := range h {
			if x, y := acc[i], acc[i+h]; !(x < y || x != x) {
				acc[i] = y
			}
		}
	}
	return acc[0]
}

// Fill sets each element to v.
func Fill[T any](acc []T, v T) {
	for i := range acc {
		acc[i] = v
	}
}
