package runtime

import (
	"fmt"
	"unsafe"
)

// BindSlices is Bind for plain slices, in the order of the parameters, where the signature has only one pack. Slices of tensors
// that have it are of one length, others have one element. An output may be the slice of an input that InPlace names;
// other overlaps are handled by copies of the inputs.
func BindSlices[T Element](s *Signature, b *Bound, slices ...[]T) error {
	var near [Near]Elems
	list := near[:0]
	for _, x := range slices {
		list = append(list, SliceOf(x))
	}
	return BindMixed(s, b, list...)
}

// Elems is a plain slice of elements of some dtype.
type Elems struct {
	p     unsafe.Pointer // nil where there are no elements
	n     int
	dtype DType
}

// SliceOf is a slice for [BindMixed].
func SliceOf[T Element](x []T) Elems {
	e := Elems{n: len(x), dtype: DTypeOf[T]()}
	if len(x) > 0 {
		e.p = unsafe.Pointer(unsafe.SliceData(x))
	}
	return e
}

// apart reports whether two slices share no memory.
func (e Elems) apart(f Elems) bool {
	p, q := uintptr(e.p), uintptr(f.p)
	return p+e.bytes() <= q || q+f.bytes() <= p
}

func (e Elems) bytes() uintptr { return uintptr(e.n * e.dtype.Size()) }

// BindMixed is [BindSlices] for slices of several dtypes.
func BindMixed(s *Signature, b *Bound, slices ...Elems) error {
	if pathErr != nil {
		return pathErr
	}
	if !s.Outer || len(slices) != len(s.Params) {
		return &ArgError{Op: s.Op, Want: "an op on points, called with tensors or slices", Got: fmt.Sprintf("%d slices", len(slices)), Err: ErrShape}
	}
	b.sig, b.taken, b.sums, b.small = s, 0, 0, 0
	b.reach(s)
	b.splat = 0
	b.DType = [MaxVars]DType{}
	first, half := 0, false
	for first < len(slices)-1 && len(s.Params[first].Dims) == 0 {
		first++
	}
	n := slices[first].n
	b.Ext[0] = n
	b.packs[0].param = flatPack
	for i, x := range slices {
		p := &s.Params[i]
		if len(p.Dims) == 0 {
			if x.n != 1 {
				return &ArgError{Op: s.Op, Arg: p.Name, Want: "one element", Got: fmt.Sprint(x.n), Err: ErrShape}
			}
		} else if x.n != n {
			return &ArgError{Op: s.Op, Arg: p.Name, Want: fmt.Sprintf("%d elements, as %s", n, s.Params[first].Name), Got: fmt.Sprint(x.n), Err: ErrShape}
		}
		if !takeDType(&b.DType, s, p, x.dtype) {
			return &ArgError{Op: s.Op, Arg: p.Name, Want: elemDType(p.Elem, &b.DType).String(), Got: x.dtype.String(), Err: ErrDType}
		}
		half = half || x.dtype.half()
		b.setPtr(i, x.p)
	}
	if half {
		return bindHalves(s, b, slices)
	}
	if err := b.checkScratch(); err != nil {
		return b.Fail(err)
	}
	for i, x := range slices {
		for j := range i {
			if s.Params[i].Mode.written() && s.Params[j].Mode.written() && !x.apart(slices[j]) {
				return b.Fail(&ArgError{Op: s.Op, Arg: s.Params[i].Name, Want: "memory apart from " + s.Params[j].Name,
					Got: "memory that overlaps", Err: ErrAlias})
			}
		}
	}
	for i, x := range slices {
		for j, y := range slices {
			if s.Params[i].Mode.written() && !s.Params[j].Mode.written() && !x.apart(y) && (x.p != y.p || x.n != y.n || s.Params[i].InPlace>>j&1 == 0) {
				if err := b.takeScratch(s.Params[j].Name, y.dtype, []int{y.n}, y.n); err != nil {
					return b.Fail(err)
				}
				p := b.Scratch(y.dtype, y.n)
				Copy(unsafe.Slice((*byte)(p), y.bytes()), unsafe.Slice((*byte)(y.p), y.bytes()))
				b.setPtr(j, p)
			}
		}
	}
	return nil
}

// bindHalves is BindMixed where elements of half precision are among the slices, which kernels get as float32: Bind of tensors over
// the slices.
func bindHalves(s *Signature, b *Bound, slices []Elems) error {
	tensors := make([]*Tensor, len(slices))
	for i, x := range slices {
		var shape []int
		if len(s.Params[i].Dims) > 0 {
			shape = []int{x.n}
		}
		tensors[i] = over(x.p, x.dtype, shape, x.n)
	}
	return s.Bind(b, nil, tensors...)
}
