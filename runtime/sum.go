package runtime

import (
	"math"
	"unsafe"
)

// total is a sum of float64 with the rounding errors of its additions beside it.
type total struct{ sum, rest float64 }

// totalBytes is the size of a total.
const totalBytes = int(unsafe.Sizeof(total{}))

// add adds x. Of the sum and x, the smaller one loses digits: they go to rest.
func (t total) add(x float64) total {
	s := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.rest += (t.sum - s) + x
	} else {
		t.rest += (x - s) + t.sum
	}
	t.sum = s
	return t
}

// value is the sum. Infinities leave NaN in rest.
func (t total) value() float64 {
	if t.rest != t.rest {
		return t.sum
	}
	return t.sum + t.rest
}

// sumStrided sets dst, of one dtype, to the sums of src, of another, over the axes along which dst doesn't move (stride 0).
// They are kept in float64, with the errors of their additions, so that long sums lose nothing that matters.
func sumStrided(dst unsafe.Pointer, dstStride []int, dtype DType, src unsafe.Pointer, srcStride []int, from DType, shape []int) {
	n := span(shape, dstStride)
	if n == 0 {
		return // nothing to add; whoever owns dst has cleared it
	}
	block := getScratch(n * totalBytes)
	defer putScratch(block)
	totals := unsafe.Slice((*total)(block.pointer()), n)
	Clear(totals)
	switch from {
	case F32:
		sumElements[float32](totals, dstStride, src, srcStride, shape)
	case F64:
		sumElements[float64](totals, dstStride, src, srcStride, shape)
	default:
		n, at := span(shape, srcStride), lead(shape, srcStride)
		wide := getScratch(n * F32.Size())
		defer putScratch(wide)
		widenHalf(wide.pointer(), unsafe.Add(src, -at*from.Size()), from, n)
		sumElements[float32](totals, dstStride, unsafe.Add(wide.pointer(), at*F32.Size()), srcStride, shape)
	}
	storeTotals(dst, dstStride, dtype, totals, shape)
}

func sumElements[T float](totals []total, dstStride []int, src unsafe.Pointer, srcStride, shape []int) {
	s, os := spread[T](src, shape, srcStride)
	w := newWalk(shape, dstStride, srcStride)
	var index [MaxRank]int
	od := lead(shape, dstStride)
	for {
		if a, b := w.a[0], w.b[0]; a == 0 {
			t := totals[od]
			for i := range w.ext[0] {
				t = t.add(float64(s[os+i*b]))
			}
			totals[od] = t
		} else {
			for i := range w.ext[0] {
				t := &totals[od+i*a]
				*t = t.add(float64(s[os+i*b]))
			}
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}

// storeTotals rounds sums to the elements of dst.
func storeTotals(dst unsafe.Pointer, dstStride []int, dtype DType, totals []total, shape []int) {
	var none, index [MaxRank]int
	w := newWalk(shape, dstStride, none[:len(shape)])
	first := lead(shape, dstStride)
	od, os := first, 0
	for {
		for i := range w.ext[0] {
			at := od + i*w.a[0]
			storeElement(dtype, unsafe.Add(dst, (at-first)*dtype.Size()), totals[at].value())
			if w.a[0] == 0 {
				break
			}
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}
