package sample

import (
	"math"
	goruntime "runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/runtime"
)

func tensor[T runtime.Element](data []T, shape ...int) *runtime.Tensor {
	return runtime.Must(runtime.FromSlice(data, shape...))
}

func values(t *runtime.Tensor) []float64 {
	if t.DType() == runtime.F64 {
		return runtime.Must(runtime.Values[float64](t))
	}
	var v []float64
	for _, x := range runtime.Must(runtime.Values[float32](t)) {
		v = append(v, float64(x))
	}
	return v
}

func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*(1+math.Abs(b)) || a != a && b != b
}

func nearAll(a, b []float64, tol float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return near(x, y, tol) })
}

// smoothL1At is the definition, literally.
func smoothL1At(x, t, beta float64) float64 {
	if e := math.Abs(x - t); e < beta {
		return e * e / 2 / beta
	} else {
		return e - beta/2
	}
}

func drawFloats(r *rapid.T, n int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(r, "values")
}

func TestSmoothL1Values(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows, n := rapid.IntRange(0, 4).Draw(r, "rows"), rapid.IntRange(0, 70).Draw(r, "n")
		beta := rapid.SampledFrom([]float64{0, 0.5, 1, 2}).Draw(r, "beta")
		xs, ts := drawFloats(r, rows*n), drawFloats(r, n)
		x, u := tensor(xs, rows, n), tensor(ts, n)
		want := make([]float64, rows*n)
		sum := 0.0
		for i := range want {
			want[i] = smoothL1At(xs[i], ts[i%n], beta)
			sum += want[i]
		}
		at := SmoothL1Attrs{Beta: &beta, Reduction: ReductionNone}
		y := runtime.Must(SmoothL1(x, u, &at))
		if !nearAll(values(y), want, 1e-12) {
			r.Fatalf("none: got %v, want %v", values(y), want)
		}
		at.Reduction = ReductionSum
		if got := runtime.Must(runtime.Must(SmoothL1(x, u, &at)).Item()); !near(got, sum, 1e-12) {
			r.Fatalf("sum: got %v, want %v", got, sum)
		}
		at.Reduction = 0
		mean := sum / float64(rows*n) // NaN of nothing
		if got := runtime.Must(runtime.Must(SmoothL1(x, u, &at)).Item()); !near(got, mean, 1e-12) {
			r.Fatalf("mean: got %v, want %v", got, mean)
		}
	})
}

// Into writes any layout, and the same memory as an input.
func TestSmoothL1Into(t *testing.T) {
	xs, ts := []float32{0, 2, -1, 4, 5, 6}, []float32{0.5, 0, 0, 1, 1, 1}
	want := make([]float64, 6)
	for i := range want {
		want[i] = smoothL1At(float64(xs[i]), float64(ts[i]), 1)
	}
	none := &SmoothL1Attrs{Reduction: ReductionNone}
	u := tensor(ts, 2, 3)

	t.Run("transposed", func(t *testing.T) {
		y := runtime.Must(runtime.Must(runtime.New(runtime.F32, 3, 2)).Transpose(0, 1))
		if err := SmoothL1Into(y, tensor(xs, 2, 3), u, none); err != nil {
			t.Fatal(err)
		}
		if !nearAll(values(y), want, 1e-6) {
			t.Errorf("got %v, want %v", values(y), want)
		}
	})
	t.Run("in place", func(t *testing.T) {
		x := tensor(slices.Clone(xs), 2, 3)
		if err := SmoothL1Into(x, x, u, none); err != nil {
			t.Fatal(err)
		}
		if !nearAll(values(x), want, 1e-6) {
			t.Errorf("got %v, want %v", values(x), want)
		}
	})
	t.Run("shifted", func(t *testing.T) {
		memory := make([]float32, 7)
		copy(memory, xs)
		x, y := tensor(memory[:6], 2, 3), tensor(memory[1:], 2, 3)
		if err := SmoothL1Into(y, x, u, none); err != nil {
			t.Fatal(err)
		}
		if !nearAll(values(y), want, 1e-6) {
			t.Errorf("got %v, want %v", values(y), want)
		}
	})
	t.Run("transposed onto itself", func(t *testing.T) {
		x := tensor([]float32{1, 2, 3, 4}, 2, 2)
		y := runtime.Must(x.Transpose(0, 1))
		if err := SmoothL1Into(y, x, tensor([]float32{0, 0, 0, 0}, 2, 2), none); err != nil {
			t.Fatal(err)
		}
		if want := []float64{0.5, 1.5, 2.5, 3.5}; !nearAll(values(y), want, 1e-6) {
			t.Errorf("got %v, want %v", values(y), want)
		}
	})
}

func TestSmoothL1Slice(t *testing.T) {
	memory := []float64{0, 2, -1, 4, 5}
	want := make([]float64, 4)
	for i := range want {
		want[i] = smoothL1At(memory[i], 1, 1)
	}
	ones := []float64{1, 1, 1, 1}
	if err := SmoothL1Slice(memory[1:], memory[:4], ones, nil); err != nil {
		t.Fatal(err)
	}
	if !nearAll(memory[1:], want, 1e-12) {
		t.Errorf("got %v, want %v", memory[1:], want)
	}
	if err := SmoothL1Slice[float32](nil, nil, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestSoftmaxValues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(r, "shape")
		axis := rapid.IntRange(-len(shape), len(shape)-1).Draw(r, "axis")
		n := 1
		for _, e := range shape {
			n *= e
		}
		xs := drawFloats(r, n)
		y := values(runtime.Must(Softmax(tensor(xs, shape...), &SoftmaxAttrs{Axis: &axis})))
		if axis < 0 {
			axis += len(shape)
		}
		inner := 1
		for _, e := range shape[axis+1:] {
			inner *= e
		}
		for i := range xs {
			first := i - i/inner%shape[axis]*inner
			sum := 0.0
			for k := range shape[axis] {
				sum += math.Exp(xs[first+k*inner])
			}
			if want := math.Exp(xs[i]) / sum; !near(y[i], want, 1e-12) {
				r.Fatalf("element %d: got %v, want %v", i, y[i], want)
			}
		}
	})
}

// A row of -Inf, and a row with NaN, have NaN; a 0-d tensor counts as one with an axis.
func TestSoftmaxEdges(t *testing.T) {
	inf, nan := math.Inf(-1), math.NaN()
	y := values(runtime.Must(Softmax(tensor([]float64{inf, inf, nan, 0, 0, inf}, 3, 2), nil)))
	if want := []float64{nan, nan, nan, nan, 1, 0}; !nearAll(y, want, 0) {
		t.Errorf("got %v, want %v", y, want)
	}
	for _, axis := range []int{0, -1} {
		y := runtime.Must(Softmax(runtime.Scalar(7.0), &SoftmaxAttrs{Axis: &axis}))
		if y.Rank() != 0 || values(y)[0] != 1 {
			t.Errorf("of a scalar along %d: %v", axis, y)
		}
	}
	for _, shape := range [][]int{{0}, {3, 0}, {0, 3}, {3, 0, 4}} {
		y := runtime.Must(Softmax(runtime.Must(runtime.New(runtime.F32, shape...)), nil))
		if !slices.Equal(y.Shape(), shape) {
			t.Errorf("of nothing: shape %v, want %v", y.Shape(), shape)
		}
	}
}

// Results have the same bits for any number of threads.
func TestSameBits(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	x := make([]float32, 300_001)
	for i := range x {
		x[i] = float32((i*7919)%1013)/64 - 7
	}
	zero := runtime.Must(runtime.New(runtime.F32))
	var first []float64
	for procs := 1; procs <= 3; procs++ {
		goruntime.GOMAXPROCS(procs)
		mean := values(runtime.Must(SmoothL1(tensor(x, len(x)), zero, nil)))
		soft := values(runtime.Must(Softmax(tensor(x[:300_000], 1000, 300), nil)))
		got := append(mean, soft...)
		if procs == 1 {
			first = got
		} else if !slices.Equal(first, got) {
			t.Fatalf("other bits with %d threads", procs)
		}
	}
}
