package runtime

import "unsafe"

// Wide is the address of input i, of integers, with its elements as i64: a copy where they are not. Kernels read indices so,
// whatever the dtype of the caller's is.
func (b *Bound) Wide(i int) unsafe.Pointer {
	p, d := b.Address(i), b.memory(i)
	if p == nil || d == I64 {
		return p
	}
	n := b.count(i)
	if b.Move(i) == 0 {
		n = Block
	}
	if n == 0 {
		return p
	}
	q := b.Scratch(I64, n)
	to := unsafe.Slice((*int64)(q), n)
	switch d {
	case I8:
		toInt64(to, unsafe.Slice((*int8)(p), n))
	case I16:
		toInt64(to, unsafe.Slice((*int16)(p), n))
	case I32:
		toInt64(to, unsafe.Slice((*int32)(p), n))
	case U8:
		toInt64(to, unsafe.Slice((*uint8)(p), n))
	case U16:
		toInt64(to, unsafe.Slice((*uint16)(p), n))
	case U32:
		toInt64(to, unsafe.Slice((*uint32)(p), n))
	case U64:
		toInt64(to, unsafe.Slice((*uint64)(p), n))
	}
	return q
}

func toInt64[T Integer](to []int64, from []T) {
	for i, x := range from {
		to[i] = int64(x)
	}
}

// Truths is the address of input i, of bool, with its elements as floats: 1 where they are true, 0 elsewhere.
func (b *Bound) Truths(i int, dtype DType) unsafe.Pointer {
	p, n := b.Address(i), b.count(i)
	if b.Move(i) == 0 {
		n = Block
	}
	if p == nil || n == 0 {
		return p
	}
	q, from := b.Scratch(dtype, n), unsafe.Slice((*uint8)(p), n)
	if dtype.computed() == F64 {
		truths(unsafe.Slice((*float64)(q), n), from)
	} else {
		truths(unsafe.Slice((*float32)(q), n), from)
	}
	return q
}

func truths[T float](to []T, from []uint8) {
	for i, x := range from {
		to[i] = T(x)
	}
}

// Indices is the address of the indices 0 … n-1, as i64.
func (b *Bound) Indices(n int) unsafe.Pointer {
	q := b.Scratch(I64, n)
	for i := range n {
		*At[int64](q, i) = int64(i)
	}
	return q
}

// Page is the address of Block elements equal to that at p, of a float dtype: an operand that a kernel could move along, with
// step 0.
func (b *Bound) Page(p unsafe.Pointer, dtype DType) unsafe.Pointer {
	if p == nil {
		return nil
	}
	q := b.Scratch(dtype, Block)
	if dtype.computed() == F64 {
		fill(unsafe.Slice((*float64)(q), Block), *(*float64)(p))
	} else {
		fill(unsafe.Slice((*float32)(q), Block), *(*float32)(p))
	}
	return q
}

func fill[T any](to []T, x T) {
	for i := range to {
		to[i] = x
	}
}
