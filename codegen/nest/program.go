package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Program is how one function runs: launches in order. Tensors are contiguous and row-major in the order of their
// axes; the caller has expanded, permuted and packed what was not. Inputs of bool are floats, 1 where they are true and 0 elsewhere.
type Program struct {
	Name     string
	Func     *ir.Func
	Launches []*Launch
	Temps    []*ir.Tensor // live from one launch to a later one
	Indices  []*ir.Tensor // of i64, with one axis: each element is its index, which nests read where they compute with one
	Saved    []*ir.Tensor // forward: written for the backward program, where they are inputs; nowhere else
	Checks   []*Check     // run on the host before the first launch
	Trace    []string     // how it came about, for people
}

// Launch runs a nest over extents: once for each point of the batch axes, as if each were a launch of its own.
type Launch struct {
	Nest                 *Nest
	Batch                []*ir.Axis // outermost first; at most one is a pack
	Grid, Vector, Serial []*ir.Axis // what each axis of the nest runs over: the product, in order; empty: once
	Operands             []Bind
	Scalars              []*ir.Value // exact or real, of attributes, extents and step; one for each scalar of the nest
	// Wanted is set where all that the launch computes can be unwanted gradients: it runs if any of these is wanted.
	Wanted []*ir.Tensor
}

// Bind is the tensor behind an operand. A stride is the product of the extents of its axes (empty: 1), or 0 where
// the operand doesn't move.
type Bind struct {
	Tensor               *ir.Tensor
	Batch                []Stride // one for each batch axis of the launch; nil: there are none
	Grid, Vector, Serial Stride
	// Pack: the elements along the vector axis are not next to each other; the driver copies the tensor with
	// the vector axis moved last (order: Order, positions in Tensor.Axes) and the strides are those of the copy.
	Pack  bool
	Order []int
}

// InBatch says whether a tensor differs from point to point of the batch axes.
func (b *Bind) InBatch() bool {
	return slices.ContainsFunc(b.Batch, func(s Stride) bool { return s.Moves })
}

// Stride is a distance in elements.
type Stride struct {
	Moves bool
	Axes  []*ir.Axis
}

// Check is a bound on indices that are data: for every element of Index (an integer tensor) for which Guard holds,
// 0 ≤ element < extent of Axis. Guard reads Index at the same point, written as a read with the variables Vars.
type Check struct {
	Index *ir.Tensor
	Vars  []*ir.Var
	Guard *ir.Value  // nil: always
	Of    *ir.Tensor // the tensor that is read
	Axis  *ir.Axis
}
