package sample

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/runtime"
)

// numeric is the gradient of f at x, by central differences.
func numeric(f func() float64, x []float64) []float64 {
	g := make([]float64, len(x))
	for i := range x {
		const h = 1e-6
		old := x[i]
		x[i] = old + h
		up := f()
		x[i] = old - h
		down := f()
		x[i] = old
		g[i] = (up - down) / (2 * h)
	}
	return g
}

func leaf(data []float64, shape ...int) *runtime.Tensor {
	t := tensor(data, shape...)
	if err := t.RequireGrad(); err != nil {
		panic(err)
	}
	return t
}

// A chain of ops and views, with inputs that are expanded and used twice.
func TestGradientsOfChain(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		xs, us := drawFloats(r, 12), drawFloats(r, 3)
		reduction := rapid.SampledFrom([]Reduction{ReductionMean, ReductionSum}).Draw(r, "reduction")
		axis := rapid.IntRange(0, 1).Draw(r, "axis")
		beta := 0.3
		loss := func(x, u *runtime.Tensor) *runtime.Tensor {
			v := runtime.Must(runtime.Must(x.Transpose(0, 1)).Slice(0, 0, 4, 1))
			p := runtime.Must(Softmax(v, &SoftmaxAttrs{Axis: &axis})) // 4 × 3
			d := runtime.Must(SmoothL1(p, u, &SmoothL1Attrs{Beta: &beta, Reduction: ReductionNone}))
			e := runtime.Must(runtime.Must(u.Reshape(1, 3)).Expand(4, 3))
			return runtime.Must(SmoothL1(d, e, &SmoothL1Attrs{Beta: &beta, Reduction: reduction}))
		}
		x, u := leaf(xs, 3, 4), leaf(us, 3)
		y := loss(x, u)
		if err := y.Backward(); err != nil {
			r.Fatal(err)
		}
		f := func() float64 { return values(loss(tensor(xs, 3, 4), tensor(us, 3)))[0] }
		if want := numeric(f, xs); !nearAll(values(x.Grad()), want, 1e-6) {
			r.Fatalf("of x: got %v, want %v", values(x.Grad()), want)
		}
		if want := numeric(f, us); !nearAll(values(u.Grad()), want, 1e-6) {
			r.Fatalf("of u: got %v, want %v", values(u.Grad()), want)
		}
	})
}

// A scalar that is expanded gets the sum, with its own shape; many terms lose nothing.
func TestGradientOfExpanded(t *testing.T) {
	const n = 1 << 20
	x := runtime.Must(runtime.New(runtime.F32, n))
	u := runtime.Scalar[float32](2)
	if err := u.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	y := runtime.Must(SmoothL1(x, u, &SmoothL1Attrs{Reduction: ReductionSum}))
	if err := y.Backward(); err != nil {
		t.Fatal(err)
	}
	if g := u.Grad(); g.Rank() != 0 || values(g)[0] != n {
		t.Errorf("got %v, want %v", g, n)
	}
	if x.Grad() != nil {
		t.Error("a gradient that nobody wants")
	}
}

func TestBackwardTwice(t *testing.T) {
	x := leaf([]float64{1, 2}, 2)
	y := runtime.Must(SmoothL1(x, tensor([]float64{0, 0}, 2), &SmoothL1Attrs{Reduction: ReductionSum}))
	for range 2 {
		if err := y.Backward(runtime.KeepGraph); err != nil {
			t.Fatal(err)
		}
	}
	if got := values(x.Grad()); !slices.Equal(got, []float64{2, 2}) {
		t.Errorf("two times: got %v", got)
	}
	if err := y.Backward(); err != nil {
		t.Fatal(err)
	}
	if err := y.Backward(); !errors.Is(err, runtime.ErrGrad) {
		t.Errorf("on a graph that is freed: %v", err)
	}
	if got := values(x.Grad()); !slices.Equal(got, []float64{3, 3}) {
		t.Errorf("after an error: got %v", got)
	}
	if err := x.Grad().Backward(); err == nil {
		t.Error("a gradient has a graph")
	}
	x.ZeroGrad()
	if x.Grad() != nil {
		t.Error("ZeroGrad left a gradient")
	}
}

func TestBackwardWith(t *testing.T) {
	x := leaf([]float64{1, 2}, 2)
	y := runtime.Must(SmoothL1(x, tensor([]float64{0, 0}, 2), &SmoothL1Attrs{Reduction: ReductionNone}))
	if err := y.Backward(); !errors.Is(err, runtime.ErrShape) {
		t.Errorf("of two elements: %v", err)
	}
	for _, c := range []struct {
		cotangent *runtime.Tensor
		kind      error
	}{
		{nil, runtime.ErrNil},
		{tensor([]float64{1, 1, 1}, 3), runtime.ErrShape},
		{tensor([]float64{1, 1, 1, 1}, 2, 2), runtime.ErrShape},
		{tensor([]float32{1, 1}, 2), runtime.ErrDType},
	} {
		if err := y.BackwardWith(c.cotangent); !errors.Is(err, c.kind) {
			t.Errorf("with %v: %v", c.cotangent, err)
		}
	}
	if err := y.BackwardWith(tensor([]float64{3, 5}, 2)); err != nil {
		t.Fatal(err)
	}
	if got := values(x.Grad()); !slices.Equal(got, []float64{3, 5}) {
		t.Errorf("got %v", got)
	}
	seed := tensor([]float64{2, 2}, 2)
	z := leaf([]float64{0, 0}, 2)
	if err := z.BackwardWith(seed); err != nil {
		t.Fatal(err)
	}
	if got := z.Grad(); got == seed || !slices.Equal(values(got), []float64{2, 2}) {
		t.Errorf("of a leaf itself: got %v", got)
	}
}

// A tensor that backward needs was written in between: by an op, by an optimizer, by its owner, through a view.
func TestVersions(t *testing.T) {
	zero := tensor([]float64{0, 0}, 2)
	none := &SmoothL1Attrs{Reduction: ReductionNone}
	for name, change := range map[string]func(x *runtime.Tensor) error{
		"op": func(x *runtime.Tensor) error { return SmoothL1Into(x, zero, zero, none) },
		"view": func(x *runtime.Tensor) error {
			return SoftmaxInto(runtime.Must(x.Detach().Slice(0, 0, 1, 1)), runtime.Must(zero.Slice(0, 0, 1, 1)), nil)
		},
		"fill":  func(x *runtime.Tensor) error { return x.Fill(2) },
		"touch": func(x *runtime.Tensor) error { x.Touch(); return nil },
	} {
		x := leaf([]float64{1, 2}, 2)
		y := runtime.Must(SmoothL1(x, zero, &SmoothL1Attrs{Reduction: ReductionSum}))
		if err := change(x); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err := y.Backward()
		if !errors.Is(err, runtime.ErrVersion) || !strings.Contains(err.Error(), "smooth_l1: x") {
			t.Errorf("%s: %v", name, err)
		}
		if x.Grad() != nil {
			t.Errorf("%s: a gradient after an error", name)
		}
	}
	// What backward doesn't need may change.
	x := leaf([]float64{1, 2}, 2)
	p := runtime.Must(Softmax(x, nil))
	y := runtime.Must(SmoothL1(p, zero, nil))
	if err := x.Fill(9); err != nil {
		t.Fatal(err)
	}
	if err := y.Backward(); err != nil {
		t.Errorf("softmax doesn't need its input: %v", err)
	}
}

// Results of recorded ops can't be written: their history would be wrong.
func TestWriteRecorded(t *testing.T) {
	x := leaf([]float64{1, 2}, 2)
	y := runtime.Must(Softmax(x, nil))
	for _, into := range []*runtime.Tensor{y, runtime.Must(x.Slice(0, 0, 2, 1))} {
		before := values(into)
		if err := SoftmaxInto(into, tensor([]float64{5, 6}, 2), nil); !errors.Is(err, runtime.ErrGrad) {
			t.Errorf("%v", err)
		}
		if !slices.Equal(before, values(into)) {
			t.Error("written in spite of an error")
		}
	}
}

// Graphs on many goroutines, all with one leaf.
func TestConcurrentBackward(t *testing.T) {
	w := leaf([]float64{1, 2, 3, 4}, 4)
	var wg sync.WaitGroup
	const goroutines, times = 8, 25
	for range goroutines {
		wg.Go(func() {
			for range times {
				y := runtime.Must(SmoothL1(w, tensor([]float64{0, 0, 0, 0}, 4), &SmoothL1Attrs{Reduction: ReductionSum}))
				if err := y.Backward(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, g := range values(w.Grad()) {
		if g != goroutines*times {
			t.Errorf("gradient %v, want %v", g, goroutines*times)
		}
	}
}

// Two losses of one hidden value.
func TestSharedGraph(t *testing.T) {
	x := leaf([]float64{1, 2}, 2)
	h := runtime.Must(Softmax(x, nil))
	zero := tensor([]float64{0, 0}, 2)
	a, b := runtime.Must(SmoothL1(h, zero, nil)), runtime.Must(SmoothL1(zero, h, nil))
	if err := a.Backward(runtime.KeepGraph); err != nil {
		t.Fatal(err)
	}
	first := values(x.Grad())
	if err := b.Backward(); err != nil {
		t.Fatal(err)
	}
	for i, g := range values(x.Grad()) {
		if math.Abs(g-2*first[i]) > 1e-15 {
			t.Errorf("gradient %v, want %v", g, 2*first[i])
		}
	}
	if err := a.Backward(); !errors.Is(err, runtime.ErrGrad) || !strings.Contains(err.Error(), "softmax") {
		t.Errorf("through what is freed: %v", err)
	}
}

// The backward function can be called without a graph, in float32.
func TestSoftmaxBackwardInto(t *testing.T) {
	x, gy := tensor([]float32{1, 2, 3, 0, 0, 0}, 2, 3), tensor([]float32{1, 0, 0, 1, 2, 3}, 2, 3)
	gx, y := runtime.Must(runtime.New(runtime.F32, 2, 3)), runtime.Must(Softmax(x, nil))
	if err := SoftmaxBackwardInto(gx, gy, x, y, nil); err != nil {
		t.Fatal(err)
	}
	p, c := values(y), values(gy)
	want := make([]float64, 6)
	for i := range want {
		dot := 0.0
		for k := i / 3 * 3; k < i/3*3+3; k++ {
			dot += p[k] * c[k]
		}
		want[i] = p[i] * (c[i] - dot)
	}
	if !nearAll(values(gx), want, 1e-6) {
		t.Errorf("got %v, want %v", values(gx), want)
	}
	if err := SoftmaxBackwardInto(nil, gy, x, y, nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	if err := SoftmaxBackwardInto(gx, tensor([]float32{1, 1, 1}, 3), x, y, nil); !errors.Is(err, runtime.ErrShape) {
		t.Errorf("a cotangent that would be expanded: %v", err)
	}
}
