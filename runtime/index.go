package runtime

import (
	"fmt"
	"unsafe"
)

// CheckIndex checks that parameter i, integers that are used as indices along an axis, holds only 0 ≤ v < the extent of
// that axis, or what guard leaves out (nil: nothing). It is called before the first kernel.
func (b *Bound) CheckIndex(i, axis int, guard func(v int) bool) error {
	return b.CheckIndexBelow(i, b.Ext[axis], guard)
}

// CheckIndexBelow is CheckIndex along an axis of the extent.
func (b *Bound) CheckIndexBelow(i, extent int, guard func(v int) bool) error {
	p, n := b.Address(i), b.count(i)
	if p == nil || n == 0 {
		return nil
	}
	if b.Move(i) == 0 {
		n = 1
	}
	at, v := -1, 0
	switch b.memory(i) {
	case I8:
		at, v = badIndex(unsafe.Slice((*int8)(p), n), extent, guard)
	case I16:
		at, v = badIndex(unsafe.Slice((*int16)(p), n), extent, guard)
	case I32:
		at, v = badIndex(unsafe.Slice((*int32)(p), n), extent, guard)
	case U8:
		at, v = badIndex(unsafe.Slice((*uint8)(p), n), extent, guard)
	case U16:
		at, v = badIndex(unsafe.Slice((*uint16)(p), n), extent, guard)
	case U32:
		at, v = badIndex(unsafe.Slice((*uint32)(p), n), extent, guard)
	case U64:
		at, v = badIndex(unsafe.Slice((*uint64)(p), n), extent, guard)
	default:
		at, v = badIndex(unsafe.Slice((*int64)(p), n), extent, guard)
	}
	if at < 0 {
		return nil
	}
	return IndexError(b.sig.Op, b.sig.Params[i].Name, at, v, extent)
}

// badIndex is the position of the first index that is out of range, and the index; -1 where there is none.
func badIndex[T Integer](v []T, extent int, guard func(v int) bool) (at, value int) {
	for i, x := range v {
		if uint(int(x)) >= uint(extent) && (guard == nil || guard(int(x))) {
			return i, int(x)
		}
	}
	return -1, 0
}

// count is the number of points of parameter i.
func (b *Bound) count(i int) int {
	n := 1
	for _, d := range b.sig.Params[i].Dims {
		if d.Factors == nil {
			n *= b.Ext[d.Axis]
		}
		for _, a := range d.Factors {
			n *= b.Ext[a]
		}
	}
	return n
}

// IndexError is the error of a data index out of range: element at (row-major, at the joint shape) of arg is value.
//
//go:noinline
func IndexError(op, arg string, at, value, extent int) error {
	return &ArgError{Op: op, Arg: arg, Want: fmt.Sprintf("0 ≤ index < %d", extent), Got: fmt.Sprintf("%d at element %d", value, at), Err: ErrIndex}
}
