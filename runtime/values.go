package runtime

import (
	"fmt"
	"unsafe"
)

// place is how far behind the first element the one at an index is. Negative indices count from the end.
func (t *Tensor) place(op string, index []int) (int, error) {
	if len(index) != int(t.rank) {
		return 0, &ArgError{Op: op, Arg: "index", Want: fmt.Sprintf("%d numbers for the shape %s", t.rank, shapeString(t.dims())),
			Got: shapeString(index), Err: ErrIndex}
	}
	k := 0
	for i, x := range index {
		x, ok := fromEnd(x, t.shape[i])
		if !ok {
			return 0, &ArgError{Op: op, Arg: "index", Want: "one within the shape " + shapeString(t.dims()), Got: shapeString(index), Err: ErrIndex}
		}
		k += x * t.stride[i]
	}
	return k, nil
}

// At is one element as a float64. Negative indices count from the end. See [Get] for integers that no float64 holds.
func (t *Tensor) At(index ...int) (float64, error) {
	if err := t.readable("At", t.DType()); err != nil {
		return 0, err
	}
	k, err := t.place("At", index)
	if err != nil {
		return 0, err
	}
	return t.load(k), nil
}

// Set sets one element to v, converted to the dtype as [Tensor.Fill] does.
func (t *Tensor) Set(v float64, index ...int) error {
	if err := t.writable("Set", t.DType()); err != nil {
		return err
	}
	k, err := t.place("Set", index)
	if err != nil {
		return err
	}
	storeElement(t.dtype, unsafe.Add(t.data, k*t.dtype.Size()), v)
	t.Touch()
	return nil
}

// Get is one element.
func Get[T Element](t *Tensor, index ...int) (T, error) {
	var zero T
	if err := t.readable("Get", DTypeOf[T]()); err != nil {
		return zero, err
	}
	k, err := t.place("Get", index)
	if err != nil {
		return zero, err
	}
	return *At[T](t.data, k), nil
}

// Put sets one element to v.
func Put[T Element](t *Tensor, v T, index ...int) error {
	if err := t.writable("Put", DTypeOf[T]()); err != nil {
		return err
	}
	k, err := t.place("Put", index)
	if err != nil {
		return err
	}
	*At[T](t.data, k) = v
	t.Touch()
	return nil
}

// Read copies the elements, row-major, to dst, which has as many, from a tensor with any strides.
func Read[T Element](dst []T, t *Tensor) error {
	if err := t.readable("Read", DTypeOf[T]()); err != nil {
		return err
	}
	if len(dst) != t.n {
		return t.wrongLength("Read", "dst", len(dst))
	}
	if t.n > 0 {
		var stride [MaxRank]int
		rowMajor(t.dims(), stride[:])
		copyStrided(unsafe.Pointer(unsafe.SliceData(dst)), stride[:t.rank], t.data, t.strides(), t.dims(), t.dtype.Size())
	}
	return nil
}

// Write sets the elements, in row-major order, to those of src, which has as many. The tensor may have any strides, as long
// as its elements are apart in memory. A slice over the memory of the tensor is copied first.
func Write[T Element](t *Tensor, src []T) error {
	if err := t.writable("Write", DTypeOf[T]()); err != nil {
		return err
	}
	if len(src) != t.n {
		return t.wrongLength("Write", "src", len(src))
	}
	if t.n == 0 {
		return nil
	}
	if s := over(unsafe.Pointer(unsafe.SliceData(src)), t.dtype, []int{t.n}, t.n); overlap(s, t) {
		apart := make([]T, len(src))
		Copy(apart, src)
		src = apart
	}
	var stride [MaxRank]int
	rowMajor(t.dims(), stride[:])
	copyStrided(t.data, t.strides(), unsafe.Pointer(unsafe.SliceData(src)), stride[:t.rank], t.dims(), t.dtype.Size())
	t.Touch()
	return nil
}

// CopyFrom sets the elements to those of src, of the same dtype, expanded to the shape of t. The two may share memory. It
// records nothing for gradients.
func (t *Tensor) CopyFrom(src *Tensor) error {
	if err := t.writable("CopyFrom", t.DType()); err != nil {
		return err
	}
	switch {
	case src == nil:
		return &ArgError{Op: "CopyFrom", Arg: "src", Want: "a tensor", Got: "nil", Err: ErrNil}
	case src.device != CPU:
		return deviceError("CopyFrom", "src", src)
	case src.dtype != t.dtype:
		return &ArgError{Op: "CopyFrom", Arg: "src", Want: t.dtype.String(), Got: src.dtype.String(), Err: ErrDType}
	}
	plain := src.Detach()
	defer plain.Release()
	from, err := plain.Expand(t.dims()...)
	if err != nil {
		return &ArgError{Op: "CopyFrom", Arg: "src", Want: "a shape that goes with " + shapeString(t.dims()), Got: src.describe(), Err: ErrShape}
	}
	defer from.Release()
	apart := from
	if overlap(from, t) {
		apart = from.copy()
		defer apart.Release()
	}
	copyStrided(t.data, t.strides(), apart.data, apart.strides(), t.dims(), t.dtype.Size())
	t.Touch()
	return nil
}

func (t *Tensor) wrongLength(op, arg string, n int) error {
	return &ArgError{Op: op, Arg: arg, Want: fmt.Sprintf("%d elements for %s", t.n, t.describe()), Got: fmt.Sprint(n), Err: ErrShape}
}

// writable is readable for elements that are written.
func (t *Tensor) writable(op string, d DType) error {
	if err := t.readable(op, d); err != nil {
		return err
	}
	if hasZeroStride(t.dims(), t.strides()) {
		return &ArgError{Op: op, Arg: "t", Want: "a tensor whose elements are apart", Got: t.describe(), Err: ErrAlias}
	}
	return nil
}
