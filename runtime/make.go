package runtime

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Zeros makes a tensor of zeros with the dtype of T.
func Zeros[T Element](shape ...int) (*Tensor, error) { return New(DTypeOf[T](), shape...) }

// Full makes a tensor in which every element is v.
func Full[T Element](v T, shape ...int) (*Tensor, error) {
	n, err := elements("Full", shape)
	if err != nil {
		return nil, err
	}
	if err := room("Full", "shape", DTypeOf[T](), shape, n); err != nil {
		return nil, err
	}
	t, _ := newResult(DTypeOf[T](), shape, n)
	if n > 0 {
		fillWith(unsafe.Slice((*T)(t.data), n), v)
	}
	return t, nil
}

func fillWith[T Element](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// Arange makes a tensor of lo, lo+step, lo+2·step, … up to and without hi. Elements are computed from their numbers, so that errors
// don't add up.
func Arange[T Integer | float](lo, hi, step T) (*Tensor, error) {
	n, err := rangeLength(lo, hi, step)
	if err != nil {
		return nil, err
	}
	if err := room("Arange", "range", DTypeOf[T](), []int{n}, n); err != nil {
		return nil, err
	}
	t, _ := newResult(DTypeOf[T](), []int{n}, n)
	if n > 0 {
		s := unsafe.Slice((*T)(t.data), n)
		for i := range s {
			s[i] = lo + T(i)*step
		}
	}
	return t, nil
}

// rangeLength is the number of elements of a range.
func rangeLength[T Integer | float](lo, hi, step T) (int, error) {
	wrong := func(arg, want string, got T) (int, error) {
		return 0, &ArgError{Op: "Arange", Arg: arg, Want: want, Got: fmt.Sprint(got), Err: ErrValue}
	}
	limit := func() (int, error) {
		return 0, &ArgError{Op: "Arange", Arg: "range", Want: fmt.Sprintf("at most %d elements", uint(maxElements)), Got: fmt.Sprintf("%v to %v by %v", lo, hi, step), Err: ErrShape}
	}
	down := step < 0
	switch {
	case step == 0 || step != step:
		return wrong("step", "a number that isn't 0", step)
	case lo != lo || hi != hi:
		return wrong("range", "numbers", lo+hi)
	case !down && lo >= hi || down && lo <= hi:
		return 0, nil
	}
	if DTypeOf[T]().Float() {
		n := math.Ceil((float64(hi) - float64(lo)) / float64(step))
		if !(n <= maxElements) {
			return limit()
		}
		return int(n), nil
	}
	// The distance of two integers fits an unsigned one, whatever their signs.
	width, by := uint64(hi)-uint64(lo), uint64(step)
	if down {
		width, by = -width, -by
	}
	n := (width-1)/by + 1
	if n > maxElements {
		return limit()
	}
	return int(n), nil
}

// FromBytes makes a tensor of elements as bytes, row-major and little-endian, which it copies. Of booleans every byte but 0 is true.
func FromBytes(dtype DType, data []byte, shape ...int) (*Tensor, error) {
	if !dtype.valid() {
		return nil, &ArgError{Op: "FromBytes", Arg: "dtype", Want: Any.String(), Got: dtype.String(), Err: ErrDType}
	}
	n, err := elements("FromBytes", shape)
	if err != nil {
		return nil, err
	}
	if len(data) != n*dtype.Size() {
		return nil, &ArgError{Op: "FromBytes", Arg: "data", Want: fmt.Sprintf("%d bytes for %s%s", n*dtype.Size(), dtype, shapeString(shape)),
			Got: fmt.Sprint(len(data)), Err: ErrShape}
	}
	if err := room("FromBytes", "shape", dtype, shape, n); err != nil {
		return nil, err
	}
	t, _ := newResult(dtype, shape, n)
	t.setBytes(data)
	return t, nil
}

// setBytes sets the elements of a contiguous tensor.
func (t *Tensor) setBytes(data []byte) {
	if t.n == 0 {
		return
	}
	to := unsafe.Slice((*byte)(t.data), len(data))
	Copy(to, data)
	swapElements(to, t.dtype.Size())
	if t.dtype == Bool {
		for i, x := range to {
			to[i] = min(x, 1)
		}
	}
}

// Bytes is a copy of the elements as bytes, row-major and little-endian.
func (t *Tensor) Bytes() ([]byte, error) {
	if err := t.readable("Bytes", t.DType()); err != nil {
		return nil, err
	}
	return t.littleEndian(), nil
}

// Equal reports whether two tensors have the same dtype, shape and bits of elements.
func Equal(a, b *Tensor) bool {
	if a.readable("Equal", a.DType()) != nil || b.readable("Equal", b.DType()) != nil || a.dtype != b.dtype || !sameShape(a, b) {
		return false
	}
	return slices.Equal(a.littleEndian(), b.littleEndian())
}
