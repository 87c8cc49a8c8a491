package runtime

import (
	"fmt"
	"unsafe"
)

// BindSlices is Bind for plain slices of one length, in the order of the parameters, where the signature has only one pack
// and every tensor has it. An output may be the slice of an input that InPlace names; other overlaps are handled by copies of the inputs.
func BindSlices[T Element](s *Signature, b *Bound, slices ...[]T) error {
	if pathErr != nil {
		return pathErr
	}
	b.sig = s
	dtype := DTypeOf[T]()
	b.splat = 0
	n := len(slices[0])
	b.DType = [MaxVars]DType{dtype}
	b.Ext[0] = n
	for i, x := range slices {
		if len(x) != n {
			return &ArgError{Op: s.Op, Arg: s.Params[i].Name, Want: fmt.Sprintf("%d elements, as %s", n, s.Params[0].Name),
				Got: fmt.Sprint(len(x)), Err: ErrShape}
		}
		b.Ptr[i] = nil
		if n > 0 {
			b.Ptr[i] = unsafe.Pointer(unsafe.SliceData(x))
		}
	}
	size := uintptr(n * dtype.Size())
	apart := func(i, j int) bool {
		p, q := uintptr(b.Ptr[i]), uintptr(b.Ptr[j])
		return p+size <= q || q+size <= p
	}
	for i := range slices {
		if !s.Params[i].Mode.written() {
			continue
		}
		for j := range slices {
			if j < i && s.Params[j].Mode.written() && !apart(i, j) {
				return b.Fail(&ArgError{Op: s.Op, Arg: s.Params[i].Name, Want: "memory apart from " + s.Params[j].Name,
					Got: "memory that overlaps", Err: ErrAlias})
			}
		}
	}
	for i := range slices {
		for j := range slices {
			if s.Params[i].Mode.written() && !s.Params[j].Mode.written() && !apart(i, j) &&
				(b.Ptr[i] != b.Ptr[j] || s.Params[i].InPlace>>j&1 == 0) {
				p := b.Scratch(dtype, n)
				copy(unsafe.Slice((*T)(p), n), slices[j])
				b.Ptr[j] = p
			}
		}
	}
	return nil
}
