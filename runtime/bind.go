package runtime

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// Bound is what a call knows once its tensors fit the signature: extents, and for each tensor the address of its
// elements, contiguous and row-major in the order of its declared axes at the joint shape. What does not lie so in memory
// is copied to scratch memory that the call owns, and outputs back from there by Finish.
//
// It lives on the stack of the generated function: Bind, then kernels, then Finish or Fail.
type Bound struct {
	Ext   [MaxAxes]int         // extents by number of the axis; of a pack, their product
	Ptr   [Near]unsafe.Pointer // by number of the parameter; nil where it is absent or has no elements; see Address for others
	DType [MaxVars]DType       // of the dtype variables, as kernels see them: F32 for F16 and BF16
	sig   *Signature
	t     [Near]*Tensor
	far   *farParams // the parameters from number Near on; nil where there are none
	// MakeAll lets BindNew make optional outputs too: those that backward reads.
	MakeAll bool
	made    bool            // outputs were made
	splat   uint64          // parameters whose Ptr is a page of equal elements
	writes  uint64          // parameters that are there and written
	packs   [MaxAxes]packAt // on the fast path, where packs lie
	general bool            // it was not the fast path
	taken   uint64          // bytes that the call takes memory for
	sums    uint64          // of them, the most for the sums of an output at once
	small   int             // words that a binding has
	fixed   uint32          // axes whose extents were fixed before Bind
	given   [MaxVars]DType  // on the general path, of the dtype variables as tensors have them
	chosen  [MaxVars]DType  // dtype variables that the caller decides
	g       *binding        // general path; nil on the fast one
	again   *repeat         // of an update, where launches are asked for
}

// Bind fits tensors to the signature, in the order of its parameters. On an error nothing was changed and there is
// nothing to finish.
func (s *Signature) Bind(b *Bound, at *Placement, tensors ...*Tensor) error {
	if b.fixed == 0 && pathErr == nil && len(tensors) <= len(s.Params) && len(s.Params) <= Near && s.bindDense(b, at, tensors) {
		return nil
	}
	b.set(s, tensors)
	return b.done(s.bind(b, at, false))
}

// BindNew is Bind with the inputs alone: outputs are made, as contiguous tensors. Tensor gives them.
func (s *Signature) BindNew(b *Bound, at *Placement, inputs ...*Tensor) error {
	b.set(s, inputs)
	return b.done(s.bind(b, at, true))
}

// BindInputs is the first half of Bind, for ops whose code computes extents of outputs: Fix tells them, then BindOutputs
// goes on.
func (s *Signature) BindInputs(b *Bound, at *Placement, inputs ...*Tensor) error {
	b.set(s, inputs)
	return b.done(b.bindInputs(at))
}

// BindAxes and BindProducts are BindInputs in two parts, for ops whose code computes factors of axes that are products: what the
// other axes tell is known in between.
func (s *Signature) BindAxes(b *Bound, at *Placement, inputs ...*Tensor) error {
	b.set(s, inputs)
	return b.done(b.bindAxes(at))
}

// BindProducts goes on after BindAxes.
func (s *Signature) BindProducts(b *Bound) error { return b.done(b.bindProducts()) }

// BindOutputs is the second half of Bind: the parameters behind the inputs, of which optional ones at the end may be left out. Without
// tensors the outputs are made.
func (s *Signature) BindOutputs(b *Bound, outputs ...*Tensor) error {
	first := 0
	for first < len(s.Params) && (s.Params[first].Mode == In || s.Params[first].Mode == Inout) {
		first++
	}
	for i, t := range outputs[:min(len(outputs), len(s.Params)-first)] {
		b.setTensor(first+i, t)
	}
	return b.done(b.bindOutputs(len(outputs) == 0))
}

func (b *Bound) set(s *Signature, tensors []*Tensor) {
	b.sig, b.taken, b.sums, b.small = s, 0, 0, 0
	b.reach(s)
	for i, t := range tensors[:min(len(tensors), len(s.Params))] {
		b.setTensor(i, t)
	}
}

// bind is the general path.
func (s *Signature) bind(b *Bound, at *Placement, make bool) error {
	if err := b.bindInputs(at); err != nil {
		return err
	}
	return b.bindOutputs(make)
}

// done gives scratch memory back where there is an error.
func (b *Bound) done(err error) error {
	if err != nil {
		b.giveBack()
	}
	return err
}

// giveBack ends a call without results: outputs that were made for it are released.
func (b *Bound) giveBack() {
	if b.made {
		for i := range b.sig.Params {
			if b.sig.Params[i].Mode == Out {
				b.Tensor(i).Release()
			}
		}
	}
	b.release()
}

// takeDType checks a dtype, which may decide a dtype variable.
func takeDType(vars *[MaxVars]DType, s *Signature, p *Param, d DType) bool {
	if p.Elem.Fixed == NoDType && p.Elem.Wrap == Plain {
		v := p.Elem.Var & (MaxVars - 1)
		if vars[v] == NoDType {
			vars[v] = d
			return s.Vars[v].DTypes.Has(d)
		}
		return vars[v] == d
	}
	return elemDType(p.Elem, vars) == d
}

// Choose decides a dtype variable that no input may decide, before Bind. NoDType leaves it to an input.
func (b *Bound) Choose(s *Signature, v int, d DType) error {
	if d != NoDType && !s.Vars[v].DTypes.Has(d) {
		return &ArgError{Op: s.Op, Arg: s.Vars[v].Name, Want: s.Vars[v].DTypes.String(), Got: d.String(), Err: ErrDType}
	}
	b.chosen[v] = d
	return nil
}

// memory is the dtype that kernels have for parameter i.
func (b *Bound) memory(i int) DType { return elemDType(b.sig.Params[i].Elem, &b.DType).computed() }

// overlap reports whether the memory from the first to the last element of a meets that of b.
func overlap(a, b *Tensor) bool {
	if a.n == 0 || b.n == 0 {
		return false
	}
	p, pEnd := a.memory()
	q, qEnd := b.memory()
	return p < qEnd && q < pEnd
}

// memory is where the memory from the first to the last element begins and ends.
func (t *Tensor) memory() (from, to uintptr) {
	from = uintptr(t.data)
	if t.contig {
		return from, from + uintptr(t.n*t.dtype.Size())
	}
	from -= uintptr(lead(t.dims(), t.strides()) * t.dtype.Size())
	return from, from + uintptr(span(t.dims(), t.strides())*t.dtype.Size())
}

// Move is 0 where the address of parameter i is a page of equal elements, else 1: the factor of its strides.
func (b *Bound) Move(i int) int { return int(^b.splat >> i & 1) }

// Tensor is the tensor of parameter i; after BindNew, outputs too.
func (b *Bound) Tensor(i int) *Tensor {
	if i < Near {
		return b.t[i]
	}
	return b.far.t[i-Near]
}

// Fix sets the extent of an axis: before Bind where it follows from attributes, between BindInputs and BindOutputs
// where it follows from other extents.
func (b *Bound) Fix(axis, extent int) {
	b.Ext[axis] = extent
	b.fixed |= 1 << axis
	if b.g != nil {
		b.g.known |= 1 << axis
	}
}

// Derive is Fix of an extent that follows from attributes or other extents. Where inputs have the axis they must agree.
func (b *Bound) Derive(axis, extent int) error {
	if extent > MaxPoints {
		return b.wrongExtent(axis, fmt.Sprintf("extent of at most %d of axis %s", uint(MaxPoints), b.sig.axisName(axis)), fmt.Sprint(extent))
	}
	if b.g != nil && b.g.known>>axis&1 != 0 {
		if b.Ext[axis] != extent {
			return b.wrongExtent(axis, fmt.Sprintf("extent %d of axis %s", extent, b.sig.axisName(axis)), fmt.Sprint(b.Ext[axis]))
		}
		return nil
	}
	b.Fix(axis, extent)
	return nil
}

// FixPack sets the extents of a pack, between BindInputs and BindOutputs.
func (b *Bound) FixPack(axis int, shape ...int) {
	n := 1
	for c, e := range shape[:min(len(shape), MaxRank)] {
		b.g.shape[axis][c] = e
		n *= e
	}
	b.g.rank[axis] = min(len(shape), MaxRank)
	b.Fix(axis, n)
}

// wrongExtent is the error of an extent that isn't what it must be. It names the tensor that the extent is of.
func (b *Bound) wrongExtent(axis int, want, got string) error {
	e := &ArgError{Op: b.sig.Op, Want: want, Got: got, Err: ErrShape}
	for i := range b.sig.Params {
		if b.isInput(i) && slices.ContainsFunc(b.sig.Params[i].Dims, func(d Dim) bool { return d.Factors == nil && d.Axis == axis }) {
			e.Arg, e.Got = b.sig.Params[i].Name, b.Tensor(i).describe()
			break
		}
	}
	return e
}

// Pack is the extents of a pack.
func (b *Bound) Pack(axis int) []int {
	shape, _ := b.packShape(axis)
	return append([]int{}, shape...)
}

// PackExt is the extent of axis at of a pack; with at below 0 the number of its axes. It is 1 where the pack has no such axis.
func (b *Bound) PackExt(axis, at int) int {
	shape, _ := b.packShape(axis)
	switch {
	case at < 0:
		return len(shape)
	case at < len(shape):
		return shape[at]
	}
	return 1
}

// Scratch is memory of the call for temporary values, with any contents.
func (b *Bound) Scratch(dtype DType, n int) unsafe.Pointer {
	if b.again != nil && n == 1 {
		if p := b.again.temp(); p != nil {
			return p
		}
	}
	if b.g == nil {
		b.g = getBinding()
	}
	return b.g.scratch(n * dtype.Size())
}

// Row is Scratch for as many numbers as a tensor of an update has elements. Where a launch is repeated with more rows, these have it one after the other.
func (b *Bound) Row(dtype DType, n int) unsafe.Pointer {
	if b.again != nil {
		if p := b.again.row(n); p != nil {
			return p
		}
	}
	return b.Scratch(dtype, n)
}

// Spare is the address of output i; where nobody wants it, scratch memory that a kernel can write.
func (b *Bound) Spare(i, n int) unsafe.Pointer {
	p := b.Address(i)
	if p == nil && b.Tensor(i) == nil {
		return b.Scratch(b.memory(i), n)
	}
	return p
}

// Finish ends a call whose kernels have run: outputs that went through scratch memory are copied out, and the versions of
// what was written move on.
func (b *Bound) Finish() {
	if b.g != nil || b.far != nil {
		b.finish()
		return
	}
	for w := b.writes; w != 0; w &= w - 1 {
		b.t[bits.TrailingZeros64(w)&(Near-1)].store.version.Add(1)
	}
}

// finish is Finish with memory to give back.
func (b *Bound) finish() {
	if b.g != nil {
		b.copyOut()
	}
	for w := b.writes; w != 0; w &= w - 1 {
		b.Tensor(bits.TrailingZeros64(w)).store.version.Add(1)
	}
	b.release()
}

// Fail ends a call without results. It returns err.
func (b *Bound) Fail(err error) error {
	b.giveBack()
	return err
}

func (b *Bound) release() {
	if b.g != nil {
		putBinding(b.g)
		b.g = nil
	}
	if b.far != nil && !b.made {
		putFar(b.far)
		b.far = nil
	}
}
