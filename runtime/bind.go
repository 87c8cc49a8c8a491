package runtime

import (
	"fmt"
	"math/bits"
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
	DType [MaxVars]DType       // of the dtype variables
	sig   *Signature
	t     [Near]*Tensor
	far   *farParams // the parameters from number Near on; nil where there are none
	// MakeAll lets BindNew make optional outputs too: those that backward reads.
	MakeAll bool
	made    bool            // outputs were made
	splat   uint64          // parameters whose Ptr is a page of equal elements
	writes  uint64          // parameters that are there and written
	packs   [MaxAxes]packAt // on the fast path, where packs lie
	fixed   uint32          // axes whose extents were fixed before Bind
	g       *binding        // general path; nil on the fast one
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

// BindOutputs is the second half of Bind. Without tensors the outputs are made.
func (s *Signature) BindOutputs(b *Bound, outputs ...*Tensor) error {
	for i, t := range outputs {
		b.setTensor(len(s.Params)-len(outputs)+i, t)
	}
	return b.done(b.bindOutputs(len(outputs) == 0))
}

func (b *Bound) set(s *Signature, tensors []*Tensor) {
	b.sig = s
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
		b.release()
	}
	return err
}

// takeDType checks the dtype of t, which may decide a dtype variable.
func (b *Bound) takeDType(s *Signature, p *Param, t *Tensor) bool {
	if p.Elem.Fixed == NoDType && p.Elem.Wrap == Plain {
		v := p.Elem.Var & (MaxVars - 1)
		if b.DType[v] == NoDType {
			b.DType[v] = t.dtype
			return s.Vars[v].DTypes.Has(t.dtype)
		}
		return b.DType[v] == t.dtype
	}
	return elemDType(p.Elem, &b.DType) == t.dtype
}

// overlap reports whether the memory from the first to the last element of a meets that of b.
func overlap(a, b *Tensor) bool {
	if a.n == 0 || b.n == 0 {
		return false
	}
	p, q := uintptr(a.data), uintptr(b.data)
	return p < q+b.bytes() && q < p+a.bytes()
}

// bytes is the size of the memory from the first to the last element.
func (t *Tensor) bytes() uintptr {
	n := t.n
	if !t.contig {
		n = span(t.dims(), t.strides())
	}
	return uintptr(n * t.dtype.Size())
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
	if b.g != nil && b.g.known>>axis&1 != 0 {
		if b.Ext[axis] != extent {
			return &ArgError{Op: b.sig.Op, Want: fmt.Sprintf("extent %d of axis %s", extent, b.sig.axisName(axis)), Got: fmt.Sprint(b.Ext[axis]), Err: ErrShape}
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

// Pack is the extents of a pack.
func (b *Bound) Pack(axis int) []int {
	if b.g != nil && b.packs[axis].param == 0 {
		return append([]int{}, b.g.shape[axis][:b.g.rank[axis]]...)
	}
	p := b.packs[axis]
	return append([]int{}, b.Tensor(int(p.param) - 1).shape[p.first:p.first+p.rank]...)
}

// PackExt is the extent of axis at of a pack; with at below 0 the number of its axes. It is 1 where the pack has no such axis.
func (b *Bound) PackExt(axis, at int) int {
	var shape []int
	if p := b.packs[axis]; b.g != nil && p.param == 0 {
		shape = b.g.shape[axis][:b.g.rank[axis]]
	} else {
		shape = b.Tensor(int(p.param) - 1).shape[p.first : p.first+p.rank]
	}
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
	if b.g == nil {
		b.g = getBinding()
	}
	return b.g.scratch(n * dtype.Size())
}

// Spare is the address of output i; where nobody wants it, scratch memory that a kernel can write.
func (b *Bound) Spare(i, n int) unsafe.Pointer {
	p := b.Address(i)
	if p == nil && b.Tensor(i) == nil {
		return b.Scratch(elemDType(b.sig.Params[i].Elem, &b.DType), n)
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
	b.release()
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
