package runtime

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"
)

// MaxRank is the greatest number of axes of a tensor.
const MaxRank = 8

// maxElements is the greatest number of elements: more fit no address space.
const maxElements = MaxPoints

// MaxPoints is the greatest extent of an axis.
const MaxPoints = 1 << (44 - (64-bits.UintSize)/32*17)

// Tensor is an array with axes: a view of memory that it may share with other tensors or with a slice of the caller.
// Its dtype, shape and strides never change. Using one tensor from several goroutines is safe as long as none of them
// writes its elements or changes what is recorded for gradients. A nil tensor is an input left out: it has no dtype, no shape
// and no elements, and methods that can fail fail on it. So it is with the zero value.
type Tensor struct {
	data   unsafe.Pointer // element 0 of the view; nil where there are no elements
	store  *storage
	auto   *autograd
	n      int // elements
	rank   uint8
	dtype  DType
	contig bool // row-major without gaps
	made   bool // for the call of a backward function that runs: it counts as what that takes
	device Device
	shape  [MaxRank]int
	stride [MaxRank]int // in elements
}

// storage is memory that tensors share.
type storage struct {
	base    unsafe.Pointer
	bytes   int
	version atomic.Uint64 // how often the elements were written by ops
	tensors atomic.Int64  // that are not released
	drops   atomic.Uint64 // how many were released
	from    *pooled       // nil: memory that isn't pooled
	shared  atomic.Bool   // somebody outside has the memory
	own     bool          // nobody else had the memory when it was made
	with    *common       // counts together with other storages; nil: by itself
}

// New makes a tensor of zeros. Without a shape it has no axes and one element.
func New(dtype DType, shape ...int) (*Tensor, error) {
	if !dtype.valid() {
		return nil, &ArgError{Op: "New", Arg: "dtype", Want: Any.String(), Got: dtype.String(), Err: ErrDType}
	}
	n, err := elements("New", shape)
	if err != nil {
		return nil, err
	}
	if err := room("New", "shape", dtype, shape, n); err != nil {
		return nil, err
	}
	return newTensor(dtype, shape, n), nil
}

// newTensor is New for a shape with n elements that is known to be right.
func newTensor(dtype DType, shape []int, n int) *Tensor {
	t, zeros := newResult(dtype, shape, n)
	if !zeros {
		Clear(unsafe.Slice((*byte)(t.data), n*dtype.Size()))
	}
	return t
}

// newResult is newTensor with any contents, and whether these are zeros.
func newResult(dtype DType, shape []int, n int) (t *Tensor, zeros bool) {
	t, zeros = newMemory(dtype, shape, n)
	if poison && n > 0 {
		t.poison()
		zeros = false
	}
	return t, zeros
}

// newMemory is newResult without poison.
func newMemory(dtype DType, shape []int, n int) (t *Tensor, zeros bool) {
	switch size := n * dtype.Size(); {
	case n == 0:
		return over(nil, dtype, shape, n), true
	case size < leastPooled:
		t := over(unsafe.Pointer(unsafe.SliceData(make([]uint64, (size+7)/8))), dtype, shape, n)
		t.store.own = true
		return t, true
	default:
		p, zeros := getPooled(size)
		t := over(p.pointer(), dtype, shape, n)
		t.store.from = p
		return t, zeros
	}
}

// FromSlice makes a tensor over data, row-major, without copying: the tensor and the slice share their elements. Writing
// through the slice, or another tensor over it, is not seen by the check for tensors changed between forward and backward;
// [Tensor.Touch] tells.
func FromSlice[T Element](data []T, shape ...int) (*Tensor, error) {
	n, err := elements("FromSlice", shape)
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, &ArgError{Op: "FromSlice", Arg: "data", Want: fmt.Sprintf("%d elements for the shape %s", n, shapeString(shape)),
			Got: fmt.Sprintf("%d", len(data)), Err: ErrShape}
	}
	return over(unsafe.Pointer(unsafe.SliceData(data)), DTypeOf[T](), shape, n), nil
}

// Scalar makes a tensor without axes that holds v.
func Scalar[T Element](v T) *Tensor {
	t := over(unsafe.Pointer(&v), DTypeOf[T](), nil, 1)
	t.store.own = true
	return t
}

// over makes a tensor over the n elements at p.
func over(p unsafe.Pointer, dtype DType, shape []int, n int) *Tensor {
	if n == 0 {
		p = nil
	}
	t := &Tensor{
		data:   p,
		store:  &storage{base: p, bytes: n * dtype.Size()},
		n:      n,
		rank:   uint8(len(shape)),
		dtype:  dtype,
		contig: true,
	}
	t.store.tensors.Store(1)
	copy(t.shape[:], shape)
	rowMajor(shape, t.stride[:])
	return t
}

// rowMajor sets the strides of a contiguous array.
func rowMajor(shape, stride []int) {
	s := 1
	for i := len(shape) - 1; i >= 0; i-- {
		stride[i] = s
		s *= shape[i]
	}
}

// isContiguous reports whether strides are those of a row-major array without gaps. Axes of extent 1 don't matter.
func isContiguous(shape, stride []int) bool {
	s := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 && stride[i] != s {
			return slices.Contains(shape, 0)
		}
		s *= shape[i]
	}
	return true
}

// elements is the number of elements of a shape, if the shape is possible.
func elements(op string, shape []int) (int, error) {
	if len(shape) > MaxRank {
		return 0, &ArgError{Op: op, Arg: "shape", Want: fmt.Sprintf("at most %d axes", MaxRank), Got: fmt.Sprintf("%d", len(shape)), Err: ErrShape}
	}
	n, empty := 1, false
	for _, e := range shape {
		if e < 0 {
			return 0, &ArgError{Op: op, Arg: "shape", Want: "extents of 0 or more", Got: shapeString(shape), Err: ErrShape}
		}
		if e == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul(uint(n), uint(e))
		if hi != 0 || lo > maxElements {
			return 0, &ArgError{Op: op, Arg: "shape", Want: fmt.Sprintf("at most %d elements", uint(maxElements)), Got: shapeString(shape), Err: ErrShape}
		}
		n = int(lo)
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// DType is the type of the elements.
func (t *Tensor) DType() DType { return t.orNone().dtype }

// Device is where the elements are.
func (t *Tensor) Device() Device { return t.orNone().device }

// Rank is the number of axes.
func (t *Tensor) Rank() int { return int(t.orNone().rank) }

// Len is the number of elements.
func (t *Tensor) Len() int { return t.orNone().n }

// Shape is a copy of the extents.
func (t *Tensor) Shape() []int { return append([]int{}, t.orNone().dims()...) }

// Strides is a copy of the distances between neighbours along each axis, in elements.
func (t *Tensor) Strides() []int { return append([]int{}, t.orNone().strides()...) }

// IsContiguous reports whether the elements lie next to each other in row-major order.
func (t *Tensor) IsContiguous() bool { return t.orNone().contig }

// Touch tells that the elements were written by other means than ops, so that gradients that need the old values are
// refused.
func (t *Tensor) Touch() {
	if t != nil && t.store != nil {
		t.store.version.Add(1)
	}
}

// orNone is t, or for nil a tensor of nothing.
func (t *Tensor) orNone() *Tensor {
	if t == nil {
		return new(Tensor)
	}
	return t
}

// dims is the shape without a copy.
func (t *Tensor) dims() []int { return t.shape[:t.rank] }

func (t *Tensor) strides() []int { return t.stride[:t.rank] }

// sameShape reports whether the shapes are equal.
func sameShape(a, b *Tensor) bool {
	if a.rank != b.rank {
		return false
	}
	for i := range a.rank {
		if a.shape[i&(MaxRank-1)] != b.shape[i&(MaxRank-1)] {
			return false
		}
	}
	return true
}

// span is the number of elements from the first to the last in memory.
func span(shape, stride []int) int {
	s := 1
	for i, e := range shape {
		if e == 0 {
			return 0
		}
		s += (e - 1) * max(stride[i], -stride[i])
	}
	return s
}

// lead is the number of elements in memory before the one with index 0: some where a stride is negative.
func lead(shape, stride []int) int {
	s := 0
	for i, e := range shape {
		if e == 0 {
			return 0
		}
		s -= (e - 1) * min(stride[i], 0)
	}
	return s
}

// spread is the elements of an array in memory, from the first one to the last, and where among them the one with index 0 is.
func spread[T any](p unsafe.Pointer, shape, stride []int) (s []T, at int) {
	at = lead(shape, stride)
	var zero T
	return unsafe.Slice((*T)(unsafe.Add(p, -at*int(unsafe.Sizeof(zero)))), span(shape, stride)), at
}

// Data is the elements of a contiguous tensor, row-major, shared with it.
func Data[T Element](t *Tensor) ([]T, error) {
	if err := t.readable("Data", DTypeOf[T]()); err != nil {
		return nil, err
	}
	if !t.contig {
		return nil, &ArgError{Op: "Data", Arg: "t", Want: "a contiguous tensor (see Contiguous and Values)", Got: t.describe(), Err: ErrShape}
	}
	t.store.shared.Store(true)
	return unsafe.Slice((*T)(t.data), t.n), nil
}

// Values is a copy of the elements, row-major, of a tensor with any strides.
func Values[T Element](t *Tensor) ([]T, error) {
	if err := t.readable("Values", DTypeOf[T]()); err != nil {
		return nil, err
	}
	v := make([]T, t.n)
	return v, Read(v, t)
}

func (t *Tensor) readable(op string, d DType) error {
	switch {
	case t == nil || t.store == nil:
		return t.missing(op)
	case t.device != CPU:
		return deviceError(op, "t", t)
	case t.dtype != d:
		return &ArgError{Op: op, Arg: "t", Want: d.String(), Got: t.dtype.String(), Err: ErrDType}
	}
	return nil
}

// Item is the element of a tensor that has only one.
func (t *Tensor) Item() (float64, error) {
	if err := t.readable("Item", t.DType()); err != nil {
		return 0, err
	}
	if t.n != 1 {
		return 0, &ArgError{Op: "Item", Arg: "t", Want: "one element", Got: t.describe(), Err: ErrShape}
	}
	return t.load(0), nil
}

// load is the element k elements behind the first.
func (t *Tensor) load(k int) float64 {
	return loadElement(t.dtype, unsafe.Add(t.data, k*t.dtype.Size()))
}

// Fill sets every element to v, converted to the dtype.
func (t *Tensor) Fill(v float64) error {
	if err := t.writable("Fill", t.DType()); err != nil {
		return err
	}
	if t.n > 0 {
		var zero [MaxRank]int
		one := splatElement(t.dtype, v)
		copyStrided(t.data, t.strides(), unsafe.Pointer(&one), zero[:t.rank], t.dims(), t.dtype.Size())
	}
	t.Touch()
	return nil
}

// hasZeroStride reports whether several elements share memory.
func hasZeroStride(shape, stride []int) bool {
	zero := false
	for i, e := range shape {
		if e == 0 {
			return false
		}
		zero = zero || e > 1 && stride[i] == 0
	}
	return zero
}
