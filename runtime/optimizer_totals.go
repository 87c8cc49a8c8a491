package runtime

import (
	"math"
	"unsafe"
)

// startTotal sets a number to what a reduction of nothing gives.
func startTotal(t *Tensor, m Monoid) {
	if !t.dtype.Float() {
		t.storeInt(startInt(t.dtype, m))
		return
	}
	v := 0.0
	switch m {
	case MaxOf:
		v = math.Inf(-1)
	case MinOf:
		v = math.Inf(1)
	case ProdOf:
		v = 1
	}
	t.storeFloat(v)
}

// startInt is what a reduction of no integers gives, as the bits of an int64.
func startInt(d DType, m Monoid) int64 {
	bits := 8 * d.Size()
	switch {
	case m == ProdOf:
		return 1
	case m == SumOf || Unsigned.Has(d) && m == MaxOf:
		return 0
	case m == MaxOf:
		return -1 << (bits - 1)
	case Unsigned.Has(d):
		return int64(^uint64(0) >> (64 - bits))
	}
	return int64(^uint64(0) >> (65 - bits))
}

// combineFloats puts partial results together. They are kept in float64, sums with the errors of their additions.
func combineFloats(all *Tensor, slots []*Slot, t Total) {
	var sum total
	x := 1.0
	switch t.Monoid {
	case MaxOf:
		x = math.Inf(-1)
	case MinOf:
		x = math.Inf(1)
	}
	for _, s := range slots {
		if !s.live {
			continue
		}
		switch p := s.tensors[t.Part].load(0); t.Monoid {
		case SumOf:
			sum = sum.add(p)
		case ProdOf:
			x *= p
		case MaxOf:
			x = Max64(x, p)
		case MinOf:
			x = Min64(x, p)
		}
	}
	if t.Monoid == SumOf {
		x = sum.value()
	}
	all.storeFloat(x)
}

// combineInts puts partial results together; sums and products wrap.
func combineInts(all *Tensor, slots []*Slot, t Total) {
	x := startInt(all.dtype, t.Monoid)
	for _, s := range slots {
		if !s.live {
			continue
		}
		p := s.tensors[t.Part].loadInt()
		less := p < x
		if Unsigned.Has(all.dtype) {
			less = uint64(p) < uint64(x)
		}
		switch {
		case t.Monoid == SumOf:
			x += p
		case t.Monoid == ProdOf:
			x *= p
		case less == (t.Monoid == MinOf):
			x = p
		}
	}
	all.storeInt(x)
}

// storeFloat sets a tensor of one float.
func (t *Tensor) storeFloat(v float64) {
	if t.dtype == F64 {
		*(*float64)(t.data) = v
	} else {
		*(*float32)(t.data) = float32(v)
	}
}

// storeInt sets a tensor of one integer to the low bits of v.
func (t *Tensor) storeInt(v int64) {
	switch t.dtype.Size() {
	case 1:
		*(*int8)(t.data) = int8(v)
	case 2:
		*(*int16)(t.data) = int16(v)
	case 4:
		*(*int32)(t.data) = int32(v)
	default:
		*(*int64)(t.data) = v
	}
}

// loadInt is the integer of a tensor of one; of U64 the bits.
func (t *Tensor) loadInt() int64 {
	if t.dtype.Size() == 8 {
		return *(*int64)(t.data)
	}
	return int64(t.load(0))
}

// newTotal makes the memory of a partial result or of a total.
func newTotal(e Elem, vars *[MaxVars]DType) *Tensor {
	d := elemDType(e, vars).computed()
	return over(unsafe.Pointer(new(uint64)), d, nil, 1)
}
