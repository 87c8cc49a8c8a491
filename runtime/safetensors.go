package runtime

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Tensors in the layout of safetensors: the size of a header as 8 bytes, the header in JSON, which names each tensor with its dtype, shape
// and place, and the elements, row-major and little-endian.

// NamedTensor is a tensor with its name in a file.
type NamedTensor struct {
	Name   string
	Tensor *Tensor
}

// ErrFormat is the kind of errors of files that are not what they should be.
var ErrFormat = errors.New("wrong file")

// tensorHeader is what a header says of a tensor.
type tensorHeader struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"`
}

// WriteTensors writes tensors, in their order, with notes (nil: none) in the header.
func WriteTensors(w io.Writer, list []NamedTensor, notes map[string]string) error {
	wrong := func(name, want, got string) error {
		return &ArgError{Op: "WriteTensors", Arg: name, Want: want, Got: got, Err: ErrName}
	}
	var head bytes.Buffer
	sep := "{"
	put := func(name string, v any) error {
		key, _ := json.Marshal(name)
		text, err := json.Marshal(v)
		head.WriteString(sep)
		head.Write(key)
		head.WriteByte(':')
		head.Write(text)
		sep = ","
		return err
	}
	if notes != nil {
		if err := put(notesKey, notes); err != nil {
			return err
		}
	}
	at := 0
	for i, n := range list {
		switch {
		case n.Tensor == nil:
			return &ArgError{Op: "WriteTensors", Arg: n.Name, Want: "a tensor", Got: "nil", Err: ErrNil}
		case !utf8.ValidString(n.Name):
			return wrong("name", "a name in UTF-8", strconv.Quote(n.Name))
		case n.Name == notesKey || slices.ContainsFunc(list[:i], func(m NamedTensor) bool { return m.Name == n.Name }):
			return wrong("name", "a name that no other tensor has", strconv.Quote(n.Name))
		}
		if err := n.Tensor.readable("WriteTensors", n.Tensor.dtype); err != nil {
			return err
		}
		end := at + n.Tensor.n*n.Tensor.dtype.Size()
		if err := put(n.Name, tensorHeader{strings.ToUpper(n.Tensor.dtype.String()), n.Tensor.Shape(), []int{at, end}}); err != nil {
			return err
		}
		at = end
	}
	if sep == "{" {
		head.WriteString(sep)
	}
	head.WriteByte('}')
	for head.Len()%8 != 0 {
		head.WriteByte(' ')
	}
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(head.Len()))
	if _, err := w.Write(size[:]); err != nil {
		return err
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for _, n := range list {
		if _, err := w.Write(n.Tensor.littleEndian()); err != nil {
			return err
		}
	}
	return nil
}

// littleEndian is the elements, row-major, as bytes.
func (t *Tensor) littleEndian() []byte {
	size := t.dtype.Size()
	b := make([]byte, t.n*size)
	if t.n == 0 {
		return b
	}
	var stride [MaxRank]int
	rowMajor(t.dims(), stride[:])
	copyStrided(unsafe.Pointer(unsafe.SliceData(b)), stride[:t.rank], t.data, t.strides(), t.dims(), size)
	swapElements(b, size)
	return b
}

// swapElements turns elements from the order of bytes of the machine to little-endian, or back.
func swapElements(b []byte, size int) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return
	}
	for i := 0; i < len(b); i += size {
		slices.Reverse(b[i : i+size])
	}
}
