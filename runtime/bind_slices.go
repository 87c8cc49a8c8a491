package runtime

import (
	"fmt"
	"unsafe"
)

// BindSlices is Bind for plain slices, in the order of the parameters, where the signature has only one pack. Slices of tensors
// that have it are of one length, others have one element. An output may be the slice of an input that InPlace names;
// other overlaps are handled by copies of the inputs.
func BindSlices[T Element](s *Signature, b *Bound, slices ...[]T) error {
	if pathErr != nil {
		return pathErr
	}
	if !s.Outer || len(slices) != len(s.Params) {
		return &ArgError{Op: s.Op, Want: "an op on points, called with tensors or slices", Got: fmt.Sprintf("%d slices", len(slices)), Err: ErrShape}
	}
	b.sig = s
	b.reach(s)
	dtype := DTypeOf[T]()
	b.splat = 0
	b.DType = [MaxVars]DType{dtype}
	first := 0
	for first < len(slices)-1 && len(s.Params[first].Dims) == 0 {
		first++
	}
	n := len(slices[first])
	b.Ext[0] = n
	for i, x := range slices {
		if len(s.Params[i].Dims) == 0 {
			if len(x) != 1 {
				return &ArgError{Op: s.Op, Arg: s.Params[i].Name, Want: "one element", Got: fmt.Sprint(len(x)), Err: ErrShape}
			}
		} else if len(x) != n {
			return &ArgError{Op: s.Op, Arg: s.Params[i].Name, Want: fmt.Sprintf("%d elements, as %s", n, s.Params[first].Name),
				Got: fmt.Sprint(len(x)), Err: ErrShape}
		}
		b.setPtr(i, nil)
		if len(x) > 0 {
			b.setPtr(i, unsafe.Pointer(unsafe.SliceData(x)))
		}
	}
	size := func(i int) uintptr { return uintptr(len(slices[i]) * dtype.Size()) }
	apart := func(i, j int) bool {
		p, q := uintptr(b.Address(i)), uintptr(b.Address(j))
		return p+size(i) <= q || q+size(j) <= p
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
				(b.Address(i) != b.Address(j) || len(slices[i]) != len(slices[j]) || s.Params[i].InPlace>>j&1 == 0) {
				p := b.Scratch(dtype, len(slices[j]))
				copy(unsafe.Slice((*T)(p), len(slices[j])), slices[j])
				b.setPtr(j, p)
			}
		}
	}
	return nil
}
