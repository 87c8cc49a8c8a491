package runtime

import (
	goruntime "runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// integerProduct is y[r, n] = sum over k of x[r, k] w[k, n], the kernel of tests. With small integers sums are exact in any order.
func integerProduct(a *Args) {
	for r := range a.Rows {
		for n := range a.N {
			sum := 0.0
			for k := range a.K {
				sum += *At[float64](a.Ptr[0], r*a.Row[0]+k*a.KStep[0]) * *At[float64](a.Ptr[1], n*a.Step[1]+k*a.KStep[1])
			}
			*At[float64](a.Ptr[2], r*a.Row[2]+n*a.Step[2]) = sum
		}
	}
}

var integerPlan = Plan{Rows: true, Lanes: true, Steps: true, StepsTo: 2, Shared: 3, Operands: []Operand{{DType: F64}, {DType: F64}, {DType: F64, Use: Writes}}}

// TestBatchPoints: a launch at each point of a batch gives what launches of their own give, wherever operands lie along its axes, also in
// reverse and where all points have the same; where results are the same for several points they are the sums over these.
func TestBatchPoints(t *testing.T) {
	noLeaks(t)
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(r, "shape")
		rows, lanes, steps := rapid.IntRange(0, 5).Draw(r, "rows"), rapid.IntRange(0, 70).Draw(r, "lanes"), rapid.IntRange(0, 6).Draw(r, "steps")
		if rapid.IntRange(0, 9).Draw(r, "large") == 0 {
			rows, steps = 20, 130
		}
		sums := rapid.Bool().Draw(r, "sums")
		sizes := []int{rows * steps, steps * lanes, rows * lanes}
		strides, first, data := make([][]int, 3), make([]int, 3), make([][]float64, 3)
		for k := range 3 {
			at := sizes[k]
			order := rapid.Permutation(upTo(len(shape))).Draw(r, "order")
			strides[k] = make([]int, len(shape))
			for _, i := range order {
				switch {
				case rapid.IntRange(0, 3).Draw(r, "same") == 0 && (k < 2 || sums):
					continue
				case rapid.IntRange(0, 3).Draw(r, "reverse") == 0:
					strides[k][i] = -at
					first[k] += at * max(0, shape[i]-1)
				default:
					strides[k][i] = at
				}
				at *= max(1, shape[i])
			}
			data[k] = make([]float64, at+1)
			for i := range data[k] {
				if data[k][i] = float64(i%7 - 3); k == 2 {
					data[k][i] = -1000
				}
			}
		}
		want := slices.Clone(data[2])
		written := map[int]bool{}
		eachPoint(shape, func(_ int, index []int) {
			at := slices.Clone(first)
			for k := range at {
				for i, x := range index {
					at[k] += x * strides[k][i]
				}
			}
			for row := range rows {
				for n := range lanes {
					sum, to := 0.0, at[2]+row*lanes+n
					for s := range steps {
						sum += data[0][at[0]+row*steps+s] * data[1][at[1]+s*lanes+n]
					}
					if !written[to] {
						want[to] = 0
					}
					written[to] = true
					want[to] += sum
				}
			}
		})
		before := slices.Clone(data[2])
		for _, threads := range []int{1, 2, 3, 7} {
			goruntime.GOMAXPROCS(threads)
			copy(data[2], before)
			var a Args
			a.Rows, a.N, a.K = rows, lanes, steps
			for k := range 3 {
				a.Ptr[k] = unsafe.Pointer(&data[k][min(first[k], len(data[k])-1)])
			}
			a.Row[0], a.KStep[0] = steps, 1
			a.Step[1], a.KStep[1] = 1, lanes
			a.Row[2], a.Step[2] = lanes, 1
			batch := NewBatch()
			for i, e := range shape {
				batch.Extent(e, strides[0][i], strides[1][i], strides[2][i])
			}
			batch.Launch(func(a *Args) { Launch(integerProduct, a, &integerPlan) }, &a, &integerPlan)
			for i, x := range data[2] {
				if x != want[i] {
					r.Fatalf("%d threads, strides %v: element %d is %v, want %v", threads, strides, i, x, want[i])
				}
			}
		}
	})
}

// TestBatchOfRows: where all points have the same second factor, and rows lie one after the other, it is one launch.
func TestBatchOfRows(t *testing.T) {
	const points, rows, lanes, steps = 6, 4, 3, 5
	data := make([]float64, points*rows*max(lanes, steps))
	a := Args{Rows: rows, N: lanes, K: steps}
	for k := range 3 {
		a.Ptr[k] = unsafe.Pointer(&data[0])
	}
	a.Row[0], a.KStep[0], a.Step[1], a.KStep[1], a.Row[2], a.Step[2] = steps, 1, 1, lanes, lanes, 1
	for _, c := range []struct {
		strides           [3]int
		calls, rows, step int
	}{
		{[3]int{rows * steps, 0, rows * lanes}, 1, points * rows, steps},
		{[3]int{rows * steps, steps * lanes, rows * lanes}, points, rows, steps},
		{[3]int{rows * steps, 0, 2 * rows * lanes}, points, rows, steps},
	} {
		var calls []Args
		batch := NewBatch()
		batch.Extent(2, 3*c.strides[0], 3*c.strides[1], 3*c.strides[2])
		batch.Extent(3, c.strides[0], c.strides[1], c.strides[2])
		batch.Launch(func(a *Args) { calls = append(calls, *a) }, &a, &integerPlan)
		if len(calls) != c.calls || calls[0].Rows != c.rows || calls[0].K != c.step {
			t.Errorf("strides %v: %d calls of %d rows and %d steps, want %d of %d and %d", c.strides, len(calls), calls[0].Rows, calls[0].K, c.calls, c.rows, c.step)
		}
	}
	// Rows of x and w lie one after the other over all points: one sum.
	var calls []Args
	b := a
	b.Row[0], b.KStep[0] = 1, rows
	batch := NewBatch()
	batch.Extent(points, rows*steps, steps*lanes, 0)
	batch.Launch(func(a *Args) { calls = append(calls, *a) }, &b, &integerPlan)
	if len(calls) != 1 || calls[0].K != points*steps {
		t.Errorf("%d calls of %d steps, want one of %d", len(calls), calls[0].K, points*steps)
	}
}

// batchSignature is that of a product of matrices with a batch.
func batchSignature() *Signature {
	return &Signature{
		Op: "test.product", Vars: []Var{{Name: "T", DTypes: Floats}}, Axes: []Axis{{Name: "B", Pack: true}, {Name: "N"}, {Name: "K"}},
		Params: []Param{
			{Name: "x", Mode: In, Dims: []Dim{{Axis: 0}, {Axis: 1}, {Axis: 2}}, Splat: true, Batch: 1},
			{Name: "z", Mode: In, Dims: []Dim{{Axis: 0}, {Axis: 2}}, Splat: true, Batch: 1},
			{Name: "y", Mode: Out, Dims: []Dim{{Axis: 0}, {Axis: 1}}},
		},
	}
}

// TestBatchBinding: along the axes of a batch tensors are taken as they lie, and nothing is repeated where a copy is needed. The kernel sees
// the elements of each point, whatever the layout.
func TestBatchBinding(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		dtype := rapid.SampledFrom([]DType{F32, F64, F16}).Draw(r, "dtype")
		shapes := drawBroadcast(r, 2, 3)
		n, k := rapid.IntRange(1, 3).Draw(r, "n"), rapid.IntRange(1, 3).Draw(r, "k")
		x, z := drawLayout(r, dtype, 1, append(slices.Clone(shapes[0]), n, k)...), drawLayout(r, dtype, 500, append(slices.Clone(shapes[1]), k)...)
		joint := jointShape(shapes...)
		var b Bound
		s := batchSignature()
		if err := s.BindNew(&b, nil, x, z); err != nil {
			r.Fatal(err)
		}
		batch := NewBatch()
		batch.Axis(&b, 0, ^0, ^1, n)
		if len(joint) != batch.n {
			r.Fatalf("a batch of %d axes, want those of %v", batch.n, joint)
		}
		eachPoint(joint, func(_ int, index []int) {
			var at [2]int
			for i, e := range index {
				at[0] += e * batch.stride[i][0]
				at[1] += e * batch.stride[i][1]
			}
			for row := range n {
				for step := range k {
					want := x.load(x.offset(append(broadcastIndex(shapes[0], index), row, step)))
					if got := b.bound(0, (at[0] + row*k + step)); !same(got, want) {
						r.Fatalf("x at %v, %d, %d is %v, want %v", index, row, step, got, want)
					}
					want = z.load(z.offset(append(broadcastIndex(shapes[1], index), step)))
					if got := b.bound(1, at[1]+step); !same(got, want) {
						r.Fatalf("z at %v, %d is %v, want %v", index, step, got, want)
					}
				}
			}
		})
		batch.n = 0
		batchPool.Put(batch)
		b.Finish()
	})
	t.Run("in place", func(t *testing.T) {
		x := counting(F32, 1, 5, 2, 3)
		z := Must(counting(F32, 1, 1, 3).Expand(5, 3))
		var b Bound
		if err := batchSignature().BindNew(&b, nil, Must(x.Flip(0)), z); err != nil {
			t.Fatal(err)
		}
		defer b.Finish()
		if b.Ptr[0] != unsafe.Add(x.data, 4*6*4) || b.Ptr[1] != z.data {
			t.Errorf("x and z are copied: %v and %v, want %v and %v", b.Ptr[0], b.Ptr[1], unsafe.Add(x.data, 4*6*4), z.data)
		}
	})
}

// TestOutputsLeftOut: optional outputs that the caller doesn't take are left out at the end, also where binding is in two halves.
func TestOutputsLeftOut(t *testing.T) {
	s := batchSignature()
	s.Params = append(s.Params, Param{Name: "kept", Mode: Out, Dims: []Dim{{Axis: 1}}, Optional: true})
	x, z, y := counting(F32, 1, 2, 3), counting(F32, 1, 3), counting(F32, 0, 2)
	var b Bound
	if err := s.BindInputs(&b, nil, x, z); err != nil {
		t.Fatal(err)
	}
	if err := s.BindOutputs(&b, y); err != nil {
		t.Fatal(err)
	}
	defer b.Finish()
	if b.Tensor(2) != y || b.Tensor(3) != nil {
		t.Error("the output isn't the first one")
	}
}

// TestSums: a long serial axis of a kernel that stores a function of sums is cut, and the results are those of exact sums.
func TestSums(t *testing.T) {
	noLeaks(t)
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	withBias := func(long *atomic.Bool) Kernel {
		return func(a *Args) {
			if a.K > 1 {
				long.Store(true)
			}
			integerProduct(&Args{Rows: a.Rows, N: a.N, K: a.K, Ptr: [MaxOperands]unsafe.Pointer{a.Ptr[0], a.Ptr[1], a.Ptr[3]},
				Row: [MaxOperands]int{a.Row[0], 0, a.Row[3]}, Step: [MaxOperands]int{0, a.Step[1], a.Step[3]}, KStep: [MaxOperands]int{a.KStep[0], a.KStep[1]}})
			for r := range a.Rows {
				for n := range a.N {
					*At[float64](a.Ptr[3], r*a.Row[3]+n*a.Step[3]) += *At[float64](a.Ptr[2], n*a.Step[2])
				}
			}
		}
	}
	for _, steps := range []int{16383, 16384, 16385, 40000} {
		for _, s := range [][2]int{{1, 1}, {1, 5}, {3, 9}} {
			for turned := range 2 {
				for _, threads := range []int{1, 2, 3, 7} {
					goruntime.GOMAXPROCS(threads)
					a, y := productArgs[float64](s[0], s[1], steps, false, turned == 1)
					for k, n := range [3]int{s[0] * steps, s[1] * steps, s[1]} {
						for i := range n {
							*At[float64](a.Ptr[k], i) = float64(i%5 - 2)
						}
					}
					var long atomic.Bool
					plan := Plan{Rows: true, Lanes: true, Shared: 3, Operands: []Operand{{DType: F64}, {DType: F64}, {DType: F64}, {DType: F64, Use: Writes}},
						Sums: &Sums{Kernel: integerProduct, Plan: &integerPlan, From: []int{0, 1}, One: 0, Sum: 1}}
					Launch(withBias(&long), &a, &plan)
					if cut := steps > 16384 && s[0]*s[1]*steps > chunkElements; cut == long.Load() {
						t.Errorf("%v, %d steps: the serial axis is cut: %t, want %t", s, steps, !long.Load(), cut)
					}
					for i, got := range y {
						row, n := i/s[1], i%s[1]
						want := *At[float64](a.Ptr[2], n)
						for k := range steps {
							want += *At[float64](a.Ptr[0], row*steps+k) * *At[float64](a.Ptr[1], n*a.Step[1]+k*a.KStep[1])
						}
						if got != want {
							t.Fatalf("%v, %d steps, %d threads, turned %d: element %d is %v, want %v", s, steps, threads, turned, i, got, want)
						}
					}
				}
			}
		}
	}
}
