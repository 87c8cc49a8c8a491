package runtime

import "unsafe"

// MaxOperands bounds the tensors that one kernel sees.
const MaxOperands = 16

// MaxScalars bounds the scalars of one kernel.
const MaxScalars = 16

// Args is what every kernel gets, on every target: extents, and for each operand an address and a stride for each
// axis. Assembly reads it by offset; its layout is fixed.
//
// A kernel runs rows 0 … Rows-1, elements 0 … N-1 and, where it has a serial axis, steps 0 … K-1. The element of
// operand i at (r, n, k) is at Ptr[i] + (r*Row[i] + n*Step[i] + k*KStep[i]) elements. Step is 0 or 1; with 0 the
// address must be readable for 64 elements that are all equal (see Splat), for inputs that move along the vector axis.
type Args struct {
	Rows, N, K int                         // offsets 0, 8, 16
	First      int                         // offset 24: index of row 0 in the whole call (for messages)
	Ptr        [MaxOperands]unsafe.Pointer // offset 32
	Row        [MaxOperands]int            // offset 160
	Step       [MaxOperands]int            // offset 288
	KStep      [MaxOperands]int            // offset 416
	F          [MaxScalars]float64         // offset 544: scalars as float64; a float32 kernel rounds once
	I          [MaxScalars]int             // offset 672

	// What is called for a piece of a row: see [Plan].
	Lane    int            // offset 800: index of element 0 in the row
	Pass    int            // offset 808: 0: all of a row, else the pass
	Results unsafe.Pointer // offset 816: of reductions over the row, a float each: read in later passes, written in their own
}

// Lanes is the number of elements that a call runs over in a pass.
func (a *Args) Lanes(pass int) int {
	if a.Pass == 0 || a.Pass == pass {
		return a.N
	}
	return 0
}

// Ends reports whether a call does what is done once a row, which has a number of passes.
func (a *Args) Ends(passes int) bool { return a.Pass == 0 || a.Pass > passes }

// RowValue is result i of the row of a call, which pass computes: x, if the call is for this pass or for all.
func RowValue[T float](a *Args, pass, i int, x T) T {
	switch {
	case a.Pass == pass:
		*At[T](a.Results, i) = x
	case a.Pass > pass:
		return *At[T](a.Results, i)
	}
	return x
}

// Stream, in the last of I, asks a kernel that has no scalar there to store outputs around the cache. That is faster for
// calls whose outputs together are much larger than the cache, and slower for others. Kernels that can't do it ignore it.
const Stream = 1

// Kernel is a compiled nest.
type Kernel func(*Args)
