package runtime

import "unsafe"

// walk is a loop nest over two strided arrays of one shape: axes of extent 1 dropped, neighbours merged where both
// arrays allow it, innermost first.
type walk struct {
	n    int // axes, at least 1
	ext  [MaxRank]int
	a, b [MaxRank]int // strides
}

// newWalk makes a walk over arrays that are not empty.
func newWalk(shape, a, b []int) (w walk) {
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] == 1 {
			continue
		}
		if k := w.n - 1; k >= 0 && a[i] == w.a[k]*w.ext[k] && b[i] == w.b[k]*w.ext[k] {
			w.ext[k] *= shape[i]
			continue
		}
		w.ext[w.n], w.a[w.n], w.b[w.n] = shape[i], a[i], b[i]
		w.n++
	}
	if w.n == 0 {
		w.n, w.ext[0] = 1, 1
	}
	return w
}

// next moves the offsets to the next position of the axes from first on, and reports whether there is one.
func (w *walk) next(index *[MaxRank]int, first int, oa, ob *int) bool {
	for i := first; i < w.n; i++ {
		index[i]++
		*oa += w.a[i]
		*ob += w.b[i]
		if index[i] < w.ext[i] {
			return true
		}
		*oa -= w.a[i] * w.ext[i]
		*ob -= w.b[i] * w.ext[i]
		index[i] = 0
	}
	return false
}

// copyStrided copies the elements of src to dst; both have the given shape and element size. They may overlap only if
// they are the same.
func copyStrided(dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int, size int) {
	if span(shape, dstStride) == 0 {
		return
	}
	switch size {
	case 1:
		copyElements[uint8](dst, dstStride, src, srcStride, shape)
	case 2:
		copyElements[uint16](dst, dstStride, src, srcStride, shape)
	case 4:
		copyElements[uint32](dst, dstStride, src, srcStride, shape)
	default:
		copyElements[uint64](dst, dstStride, src, srcStride, shape)
	}
}

// bitsOf is as many bits as an element has.
type bitsOf interface {
	uint8 | uint16 | uint32 | uint64
}

// tile is the side of the squares in which an array is transposed.
const tile = 16

func copyElements[T bitsOf](dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int) {
	d, od := spread[T](dst, shape, dstStride)
	s, os := spread[T](src, shape, srcStride)
	w := newWalk(shape, dstStride, srcStride)
	if w.a[0] == 1 && w.b[0] != 1 {
		// A transposition: the source is contiguous along another axis. Bring that one next to the innermost.
		for i := 1; i < w.n; i++ {
			if w.b[i] == 1 {
				w.ext[1], w.ext[i] = w.ext[i], w.ext[1]
				w.a[1], w.a[i] = w.a[i], w.a[1]
				w.b[1], w.b[i] = w.b[i], w.b[1]
				copyTiles(d, s, &w, od, os)
				return
			}
		}
	}
	var index [MaxRank]int
	n, a, b := w.ext[0], w.a[0], w.b[0]
	for {
		switch {
		case a == 1 && b == 1:
			Copy(d[od:od+n], s[os:os+n])
		case a == 1 && b == 0:
			v := s[os]
			row := d[od : od+n]
			for i := range row {
				row[i] = v
			}
		default:
			for i := range n {
				d[od+i*a] = s[os+i*b]
			}
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}

// copyTiles copies where dst is contiguous along axis 0 and src along axis 1.
func copyTiles[T bitsOf](d, s []T, w *walk, od, os int) {
	var index [MaxRank]int
	n0, n1, a1, b0 := w.ext[0], w.ext[1], w.a[1], w.b[0]
	for {
		for j0 := 0; j0 < n1; j0 += tile {
			j1 := min(j0+tile, n1)
			for i0 := 0; i0 < n0; i0 += tile {
				i1 := min(i0+tile, n0)
				for j := j0; j < j1; j++ {
					row := d[od+j*a1+i0 : od+j*a1+i1]
					at := os + j + i0*b0
					for i := range row {
						row[i] = s[at]
						at += b0
					}
				}
			}
		}
		if !w.next(&index, 2, &od, &os) {
			return
		}
	}
}

// addStrided adds the elements of src, which are floats, to dst, in order.
func addStrided(dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int, dtype DType) {
	if span(shape, dstStride) == 0 {
		return
	}
	switch dtype {
	case F32:
		addElements[float32](dst, dstStride, src, srcStride, shape)
	case F64:
		addElements[float64](dst, dstStride, src, srcStride, shape)
	default:
		addHalves(dst, dstStride, src, srcStride, shape, dtype)
	}
}

// addHalves is addStrided of half-precision elements, whose sums are rounded once.
func addHalves(dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int, dtype DType) {
	w := newWalk(shape, dstStride, srcStride)
	var index [MaxRank]int
	od, os := 0, 0
	for {
		for i := range w.ext[0] {
			to := unsafe.Add(dst, 2*(od+i*w.a[0]))
			storeElement(dtype, to, loadElement(dtype, to)+loadElement(dtype, unsafe.Add(src, 2*(os+i*w.b[0]))))
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}

func addElements[T float](dst unsafe.Pointer, dstStride []int, src unsafe.Pointer, srcStride, shape []int) {
	d, od := spread[T](dst, shape, dstStride)
	s, os := spread[T](src, shape, srcStride)
	w := newWalk(shape, dstStride, srcStride)
	var index [MaxRank]int
	for {
		for i := range w.ext[0] {
			d[od+i*w.a[0]] += s[os+i*w.b[0]]
		}
		if !w.next(&index, 1, &od, &os) {
			return
		}
	}
}
