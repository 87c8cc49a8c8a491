// Package npy reads and writes tensors as NumPy's files: .npy, one array, and .npz, several in a zip archive.
//
// Format: NEP 1 and the documentation of numpy.lib.format, versions 1.0, 2.0 and 3.0. NumPy has no bfloat16; see
// [runtime.WriteTensors] for a format that has.
package npy

import (
	"fmt"
	"io"
	"slices"

	"github.com/opgen/opgen/runtime"
)

// magic begins every .npy file.
const magic = "\x93NUMPY"

// typeCodes are the element types of NumPy without their order of bytes.
var typeCodes = map[runtime.DType]string{
	runtime.F16: "f2", runtime.F32: "f4", runtime.F64: "f8",
	runtime.I8: "i1", runtime.I16: "i2", runtime.I32: "i4", runtime.I64: "i8",
	runtime.U8: "u1", runtime.U16: "u2", runtime.U32: "u4", runtime.U64: "u8",
	runtime.Bool: "b1",
}

// wrong is the error of a file, at a place in it.
func wrong(op string, at int64, want, got string) error {
	return &runtime.ArgError{Op: op, Arg: fmt.Sprintf("at byte %d", at), Want: want, Got: got, Err: runtime.ErrFormat}
}

// Read reads a .npy file. An array in Fortran order becomes a tensor that is a transposed view, so that its elements lie in memory
// as they did in NumPy. No more memory is taken than the file has bytes, but for a constant factor.
func Read(r io.Reader) (*runtime.Tensor, error) {
	c := &counter{r: r}
	h, err := readHeader(c)
	if err != nil {
		return nil, err
	}
	size, err := h.bytes(c.n)
	if err != nil {
		return nil, err
	}
	if most := runtime.MaxBytes(); int64(size) > most {
		return nil, wrong("npy.Read", c.n, fmt.Sprintf("at most %d bytes of elements (see runtime.SetMaxBytes)", most), fmt.Sprint(size))
	}
	from := c.n
	data, err := io.ReadAll(io.LimitReader(c, int64(size)))
	if err != nil {
		return nil, wrong("npy.Read", c.n, fmt.Sprintf("%d bytes of elements", size), err.Error())
	}
	if len(data) < size {
		return nil, wrong("npy.Read", from, fmt.Sprintf("%d bytes of elements", size), fmt.Sprintf("%d bytes", len(data)))
	}
	if h.big {
		reverse(data, h.dtype.Size())
	}
	shape := slices.Clone(h.shape)
	if !h.fortran {
		return runtime.FromBytes(h.dtype, data, shape...)
	}
	slices.Reverse(shape)
	t, err := runtime.FromBytes(h.dtype, data, shape...)
	if err != nil {
		return nil, err
	}
	return t.Permute(descending(len(shape))...)
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// reverse turns the order of bytes of each element.
func reverse(data []byte, size int) {
	if size == 1 {
		return
	}
	for i := 0; i+size <= len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// descending is n-1, …, 1, 0.
func descending(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = n - 1 - i
	}
	return list
}

// Write writes a tensor as a .npy file of version 1.0, as NumPy does: in Fortran order where it lies in memory so, else in C
// order.
func Write(w io.Writer, t *runtime.Tensor) error {
	return write("npy.Write", w, t)
}

func write(op string, w io.Writer, t *runtime.Tensor) error {
	if t == nil {
		return &runtime.ArgError{Op: op, Arg: "t", Want: "a tensor", Got: "nil", Err: runtime.ErrNil}
	}
	if t.Released() {
		return &runtime.ArgError{Op: op, Arg: "t", Want: "a tensor in use", Got: t.String(), Err: runtime.ErrClosed}
	}
	if _, ok := typeCodes[t.DType()]; !ok {
		return &runtime.ArgError{Op: op, Arg: "t", Want: "a dtype that NumPy has", Got: t.DType().String(), Err: runtime.ErrDType}
	}
	h := header{dtype: t.DType(), shape: t.Shape()}
	source := t.Detach()
	defer source.Release()
	if !t.IsContiguous() {
		turned, err := source.Permute(descending(t.Rank())...)
		if err != nil {
			return err
		}
		defer turned.Release()
		if turned.IsContiguous() {
			h.fortran, source = true, turned
		}
	}
	data, err := source.Bytes()
	if err != nil {
		return err
	}
	if _, err := w.Write(h.encode()); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}
