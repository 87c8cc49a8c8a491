package runtime

import (
	"fmt"
	"unsafe"
)

// FromFloats makes a tensor of any dtype of numbers, row-major: floats are rounded, integers saturate, and booleans are
// whether a number is not 0.
func FromFloats(dtype DType, data []float64, shape ...int) (*Tensor, error) {
	t, err := New(dtype, shape...)
	if err != nil {
		return nil, err
	}
	if t.n != len(data) {
		return nil, &ArgError{Op: "FromFloats", Arg: "data", Want: fmt.Sprintf("%d elements for the shape %s", t.n, shapeString(shape)),
			Got: fmt.Sprint(len(data)), Err: ErrShape}
	}
	for i, x := range data {
		storeElement(dtype, unsafe.Add(t.data, i*dtype.Size()), x)
	}
	return t, nil
}

// Floats is a copy of the elements of a tensor of any dtype and strides, row-major, as float64.
func (t *Tensor) Floats() ([]float64, error) {
	if err := t.readable("Floats", t.DType()); err != nil {
		return nil, err
	}
	c := t
	if !t.contig {
		c = t.copy()
	}
	v := make([]float64, t.n)
	for i := range v {
		v[i] = c.load(i)
	}
	return v, nil
}
