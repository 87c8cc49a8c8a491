package runtime

import (
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// eachPoint calls f with every index within a shape, row-major, and its number.
func eachPoint(shape []int, f func(n int, index []int)) {
	index := make([]int, len(shape))
	for _, e := range shape {
		if e == 0 {
			return
		}
	}
	for n := 0; ; n++ {
		f(n, index)
		i := len(shape) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

// counting is a contiguous tensor that holds start, start+1, …
func counting(dtype DType, start int, shape ...int) *Tensor {
	t := Must(New(dtype, shape...))
	for i := range t.n {
		t.store1(i, float64(start+i))
	}
	return t
}

// store1 writes the element k elements behind the first.
func (t *Tensor) store1(k int, v float64) {
	storeElement(t.dtype, unsafe.Add(t.data, k*t.dtype.Size()), v)
}

// drawLayout is a tensor of the shape with random strides, holding start, start+1, … in row-major order.
func drawLayout(r *rapid.T, dtype DType, start int, shape ...int) *Tensor {
	rank := len(shape)
	order := rapid.Permutation(upTo(rank)).Draw(r, "order")
	big := make([]int, rank)
	var step, from [MaxRank]int
	for k, a := range order {
		step[a] = rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(r, "step")
		from[a] = rapid.SampledFrom([]int{0, 0, 1}).Draw(r, "from")
		big[k] = shape[a]*step[a] + from[a]
	}
	t := Must(New(dtype, big...))
	for i := range t.n {
		t.store1(i, -1)
	}
	inverse := make([]int, rank)
	for k, a := range order {
		inverse[a] = k
	}
	v := Must(t.Permute(inverse...))
	var flip []int
	for a := range rank {
		v = Must(v.Slice(a, from[a], from[a]+shape[a]*step[a], step[a]))
		if rapid.IntRange(0, 3).Draw(r, "flip") == 0 {
			flip = append(flip, a)
		}
	}
	if len(flip) > 0 {
		v = Must(v.Flip(flip...))
	}
	eachPoint(shape, func(n int, index []int) { v.store1(v.offset(index), float64(start+n)) })
	return v
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (t *Tensor) offset(index []int) int {
	k := 0
	for i, x := range index {
		k += x * t.stride[i]
	}
	return k
}

// broadcastIndex is the index of t for an index at the joint shape.
func broadcastIndex(shape, joint []int) []int {
	index := make([]int, len(shape))
	for i := range shape {
		if shape[i] > 1 {
			index[i] = joint[i+len(joint)-len(shape)]
		}
	}
	return index
}

// jointShape is the NumPy rule.
func jointShape(shapes ...[]int) []int {
	var joint []int
	for _, s := range shapes {
		for len(joint) < len(s) {
			joint = append([]int{1}, joint...)
		}
		for i, e := range s {
			if e != 1 {
				joint[i+len(joint)-len(s)] = e
			}
		}
	}
	return joint
}

// drawBroadcast draws shapes that go together.
func drawBroadcast(r *rapid.T, n, maxRank int) [][]int {
	joint := rapid.SliceOfN(rapid.IntRange(0, 4), 0, maxRank).Draw(r, "joint")
	shapes := make([][]int, n)
	for i := range shapes {
		s := append([]int{}, joint...)
		for k := range s {
			if rapid.IntRange(0, 3).Draw(r, "one") == 0 {
				s[k] = 1
			}
		}
		shapes[i] = s[rapid.IntRange(0, len(s)).Draw(r, "cut"):]
		if rapid.Bool().Draw(r, "whole") {
			shapes[i] = s
		}
	}
	return shapes
}

// bound reads point n of what a kernel sees of parameter i.
func (b *Bound) bound(i, n int) float64 {
	d := elemDType(b.sig.Params[i].Elem, &b.DType)
	n *= b.Move(i)
	t := Tensor{data: b.Ptr[i], dtype: d}
	return t.load(n)
}

// setBound writes point n.
func (b *Bound) setBound(i, n int, v float64) {
	t := Tensor{data: b.Ptr[i], dtype: elemDType(b.sig.Params[i].Elem, &b.DType)}
	t.store1(n, v)
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }

// noLeaks checks that a test gives back the scratch memory that it takes.
func noLeaks(t *testing.T) {
	t.Helper()
	before := scratchLive.Load()
	t.Cleanup(func() {
		if after := scratchLive.Load(); after != before {
			t.Errorf("%d blocks of scratch memory were not given back", after-before)
		}
	})
}
