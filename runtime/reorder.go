package runtime

import "unsafe"

// Reorder copies a contiguous array whose axes have the given extents to dst, contiguous with the axes in the given order:
// axis k of dst is axis order[k] of src.
func Reorder(dst, src unsafe.Pointer, dtype DType, extents, order []int) {
	var shape, stride, from, to [MaxRank]int
	rowMajor(extents, stride[:])
	n := len(order)
	for k, a := range order {
		shape[k], from[k] = extents[a], stride[a]
	}
	rowMajor(shape[:n], to[:])
	copyStrided(dst, to[:n], src, from[:n], shape[:n], dtype.Size())
}
