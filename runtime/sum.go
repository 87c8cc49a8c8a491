package runtime

import (
	"math"
	"unsafe"
)

// total is a sum of float64 with the rounding errors of its additions beside it.
type total struct{ sum, rest float64 }

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

// sumStrided sets dst to the sums of src over the axes along which dst doesn't move (stride 0). They are kept in float64,
// with the errors of their additions, so that long sums lose nothing that matters.
func sumStrided(dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int, dtype DType) {
	if span(shape, dstStride) == 0 {
		return // nothing to add; whoever owns dst has cleared it
	}
	if dtype == F32 {
		sumElements[float32](dst, dstStride, src, srcStride, shape)
	} else {
		sumElements[float64](dst, dstStride, src, srcStride, shape)
	}
}

func sumElements[T float](dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int) {
	n := span(shape, dstStride)
	d := unsafe.Slice((*T)(dst), n)
	s := unsafe.Slice((*T)(src), span(shape, srcStride))
	var zero total
	block := getScratch(n * int(unsafe.Sizeof(zero)))
	defer putScratch(block)
	totals := unsafe.Slice((*total)(block.pointer()), n)
	clear(totals)
	w := newWalk(shape, dstStride, srcStride)
	var index [MaxRank]int
	od, os := 0, 0
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
			break
		}
	}
	var none [MaxRank]int
	w = newWalk(shape, dstStride, none[:len(shape)])
	index, od, os = [MaxRank]int{}, 0, 0
	for {
		for i := range w.ext[0] {
			at := od + i*w.a[0]
			d[at] = T(totals[at].value())
			if w.a[0] == 0 {
				break
			}
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}
