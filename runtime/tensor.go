package runtime

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// MaxRank is the greatest number of axes of a tensor.
const MaxRank = 8

// maxElements is the greatest number of elements: more fit no address space.
const maxElements = 1 << (44 - (64-bits.UintSize)/32*17)

// Tensor is an array with axes: a view of memory that it may share with other tensors or with a slice of the caller.
// Its dtype, shape and strides never change. Using one tensor from several goroutines is safe as long as none of them
// writes its elements or changes what is recorded for gradients. A nil tensor is an input left out: it has no dtype, no shape
// and no elements, and methods that can fail fail on it.
type Tensor struct {
	data   unsafe.Pointer // element 0 of the view; nil where there are no elements
	store  *storage
	n      int // elements
	shape  [MaxRank]int
	stride [MaxRank]int // in elements; not negative
	rank   uint8
	dtype  DType
	device Device
	contig bool // row-major without gaps
	auto   *autograd
}

// storage is memory that tensors share.
type storage struct {
	base    unsafe.Pointer
	bytes   int
	version atomic.Uint64 // how often the elements were written by ops
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
	return newTensor(dtype, shape, n), nil
}

// newTensor is New for a shape with n elements that is known to be right.
func newTensor(dtype DType, shape []int, n int) *Tensor {
	var p unsafe.Pointer
	if n > 0 {
		if dtype.Size() == 4 {
			p = unsafe.Pointer(unsafe.SliceData(make([]uint32, n)))
		} else {
			p = unsafe.Pointer(unsafe.SliceData(make([]uint64, n)))
		}
	}
	return over(p, dtype, shape, n)
}

// FromSlice makes a tensor over data, row-major, without copying: the tensor and the slice share their elements. Writing
// through the slice is not seen by the check for tensors changed between forward and backward; [Tensor.Touch] tells.
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
	return over(unsafe.Pointer(&v), DTypeOf[T](), nil, 1)
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
		if shape[i] == 0 {
			return true
		}
		if shape[i] != 1 && stride[i] != s {
			return false
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
	if t != nil {
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
		s += (e - 1) * stride[i]
	}
	return s
}

// Data is the elements of a contiguous tensor, row-major, shared with it.
func Data[T Element](t *Tensor) ([]T, error) {
	if err := t.readable("Data", DTypeOf[T]()); err != nil {
		return nil, err
	}
	if !t.contig {
		return nil, &ArgError{Op: "Data", Arg: "t", Want: "a contiguous tensor (see Contiguous and Values)", Got: t.describe(), Err: ErrShape}
	}
	return unsafe.Slice((*T)(t.data), t.n), nil
}

// Values is a copy of the elements, row-major, of a tensor with any strides.
func Values[T Element](t *Tensor) ([]T, error) {
	if err := t.readable("Values", DTypeOf[T]()); err != nil {
		return nil, err
	}
	v := make([]T, t.n)
	if t.n > 0 {
		var stride [MaxRank]int
		rowMajor(t.dims(), stride[:])
		copyStrided(unsafe.Pointer(unsafe.SliceData(v)), stride[:t.rank], t.data, t.strides(), t.dims(), t.dtype.Size())
	}
	return v, nil
}

func (t *Tensor) readable(op string, d DType) error {
	switch {
	case t == nil:
		return missingTensor(op)
	case t.dtype != d:
		return &ArgError{Op: op, Arg: "t", Want: d.String(), Got: t.dtype.String(), Err: ErrDType}
	case t.device != CPU:
		return &ArgError{Op: op, Arg: "t", Want: CPU.String(), Got: t.device.String(), Err: ErrDevice}
	}
	return nil
}

// At is one element as a float64.
func (t *Tensor) At(index ...int) (float64, error) {
	if err := t.readable("At", t.DType()); err != nil {
		return 0, err
	}
	if len(index) != int(t.rank) {
		return 0, &ArgError{Op: "At", Arg: "index", Want: fmt.Sprintf("%d numbers for the shape %s", t.rank, shapeString(t.dims())),
			Got: shapeString(index), Err: ErrIndex}
	}
	k := 0
	for i, x := range index {
		if x < 0 || x >= t.shape[i] {
			return 0, &ArgError{Op: "At", Arg: "index", Want: "one within the shape " + shapeString(t.dims()), Got: shapeString(index), Err: ErrIndex}
		}
		k += x * t.stride[i]
	}
	return t.load(k), nil
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
	p := unsafe.Add(t.data, k*t.dtype.Size())
	switch t.dtype {
	case F32:
		return float64(*(*float32)(p))
	case F64:
		return *(*float64)(p)
	case I32:
		return float64(*(*int32)(p))
	default:
		return float64(*(*int64)(p))
	}
}

// Fill sets every element to v, converted to the dtype.
func (t *Tensor) Fill(v float64) error {
	if err := t.readable("Fill", t.DType()); err != nil {
		return err
	}
	if hasZeroStride(t.dims(), t.strides()) {
		return &ArgError{Op: "Fill", Arg: "t", Want: "a tensor whose elements are apart", Got: t.describe(), Err: ErrAlias}
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
