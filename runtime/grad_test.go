package runtime

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// leaf is a tensor that requires a gradient.
func leaf[T Element](t testing.TB, data ...T) *Tensor {
	t.Helper()
	x := Must(FromSlice(data, len(data)))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	return x
}

// mul is x·y of f64, recorded as generated code does it.
func mul(x, y *Tensor) *Tensor {
	product := func(a, b *Tensor) []float64 {
		v, w := Must(Values[float64](a)), Must(Values[float64](b))
		for i := range v {
			v[i] *= w[i]
		}
		return v
	}
	z := Must(New(F64, x.Shape()...))
	if err := Write(z, product(x, y)); err != nil {
		panic(err)
	}
	if NeedsGrad(x, y) {
		Record("test.mul", []*Tensor{z}, []*Tensor{x, y}, []Saved{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}, func(p *Backprop) error {
			for i := range 2 {
				if p.Wants(i) {
					if err := Write(p.Grad(i), product(p.Cotangent(0), p.Saved(1-i))); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return z
}

// next is x + 1, whose derivative reads nothing but x's shape.
func next(x *Tensor) *Tensor {
	z := Must(New(F64, x.Shape()...))
	v := Must(Values[float64](x))
	for i := range v {
		v[i]++
	}
	if err := Write(z, v); err != nil {
		panic(err)
	}
	if NeedsGrad(x) {
		Record("test.next", []*Tensor{z}, []*Tensor{x}, nil, func(p *Backprop) error { return p.Grad(0).CopyFrom(p.Cotangent(0)) })
	}
	return z
}

func backward(t testing.TB, y *Tensor, options ...BackwardOption) {
	t.Helper()
	if err := y.BackwardWith(Must(Full(1.0, y.Shape()...)), options...); err != nil {
		t.Fatal(err)
	}
}

func wantGrad(t testing.TB, x *Tensor, want ...float64) {
	t.Helper()
	if x.Grad() == nil {
		t.Fatalf("no gradient, want %v", want)
	}
	if got := Must(Values[float64](x.Grad())); !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
}

// TestGradients walks back through graphs of all shapes.
func TestGradients(t *testing.T) {
	for name, c := range map[string]struct {
		graph func(x *Tensor) *Tensor
		want  float64 // at x = 3
	}{
		"a leaf":              {func(x *Tensor) *Tensor { return x }, 1},
		"a product":           {func(x *Tensor) *Tensor { return mul(x, x) }, 6},
		"a chain":             {func(x *Tensor) *Tensor { y := mul(x, x); return mul(y, y) }, 108},
		"two ways":            {func(x *Tensor) *Tensor { return mul(next(x), mul(x, x)) }, 33},
		"without a gradient":  {func(x *Tensor) *Tensor { return mul(x, Must(Full(5.0, 1))) }, 5},
		"cut off":             {func(x *Tensor) *Tensor { return mul(x, mul(x, x).Detach()) }, 9},
		"a view of a product": {func(x *Tensor) *Tensor { return Must(Must(mul(x, x).Reshape(1, 1)).Select(0, 0)) }, 6},
		"a copy":              {func(x *Tensor) *Tensor { return mul(x.Clone(), x) }, 6},
	} {
		x := leaf(t, 3.0)
		backward(t, c.graph(x))
		if got := Must(x.Grad().At(0)); got != c.want {
			t.Errorf("%s: gradient %v, want %v", name, got, c.want)
		}
	}
}

// Gradients of several Backward calls add up, until ZeroGrad or until the sum is released.
func TestAccumulation(t *testing.T) {
	x := leaf(t, 1.0, 2)
	backward(t, mul(x, x))
	g := x.Grad()
	wantGrad(t, x, 2, 4)
	if err := mul(x, x).BackwardWith(Must(FromSlice([]float64{10, 0}, 2))); err != nil {
		t.Fatal(err)
	}
	wantGrad(t, x, 22, 4)
	if x.Grad() != g {
		t.Error("the sum is another tensor")
	}
	x.ZeroGrad()
	if x.Grad() != nil {
		t.Error("a gradient after ZeroGrad")
	}
	backward(t, mul(x, x))
	x.Grad().Release()
	backward(t, mul(x, x))
	wantGrad(t, x, 2, 4)
	cotangent := Must(Full(1.0, 2))
	if err := x.BackwardWith(cotangent); err != nil {
		t.Fatal(err)
	}
	wantGrad(t, x, 3, 5)
	if got := Must(cotangent.At(0)); got != 1 {
		t.Errorf("the cotangent of the caller became %v", got)
	}
}

// TestBackwardMisuse has an error for each wrong call, and none changes a gradient.
func TestBackwardMisuse(t *testing.T) {
	x := leaf(t, 1.0, 2)
	y := mul(x, x)
	used := mul(x, x)
	backward(t, mul(used, Must(Full(0.0, 2))))
	x.ZeroGrad()
	one := Must(Full(1.0, 2))
	only := func(_ any, err error) error { return err }
	for name, c := range map[string]struct {
		err  error
		kind error
	}{
		"several elements":          {y.Backward(), ErrShape},
		"no leaf":                   {Scalar(1.0).Backward(), ErrGrad},
		"cotangent of no leaf":      {one.BackwardWith(one), ErrGrad},
		"integers":                  {Scalar(int32(1)).Backward(), ErrGrad},
		"without a cotangent":       {y.BackwardWith(nil), ErrNil},
		"cotangent of other shape":  {y.BackwardWith(Must(Full(1.0, 1, 2))), ErrShape},
		"cotangent of other dtype":  {y.BackwardWith(Must(Full(float32(1), 2))), ErrDType},
		"unknown option":            {y.BackwardWith(one, 7), ErrAttr},
		"graph that was freed":      {mul(used, x).BackwardWith(one), ErrGrad},
		"gradient of integers":      {Scalar(int32(1)).RequireGrad(), ErrDType},
		"result as a leaf":          {y.RequireGrad(), ErrGrad},
		"hook of nothing":           {only((*Tensor)(nil).Hook(nil)), ErrNil},
		"hook without a function":   {only(x.Hook(nil)), ErrNil},
		"hook without a gradient":   {only(one.Hook(func(g *Tensor) (*Tensor, error) { return g, nil })), ErrGrad},
		"hook of a detached tensor": {only(y.Detach().Hook(func(g *Tensor) (*Tensor, error) { return g, nil })), ErrGrad},
	} {
		var arg *ArgError
		if !errors.Is(c.err, c.kind) || !errors.As(c.err, &arg) {
			t.Errorf("%s: %v, want %v", name, c.err, c.kind)
		}
	}
	if x.Grad() != nil {
		t.Errorf("an error left the gradient %v", x.Grad())
	}
	backward(t, y) // nothing has touched it
	wantGrad(t, x, 2, 4)
}

// A graph is freed by Backward, with what it shares with other graphs, unless KeepGraph is given.
func TestFreedGraphs(t *testing.T) {
	x := leaf(t, 3.0)
	shared := mul(x, x)
	a, b := next(shared), next(shared)
	backward(t, a, KeepGraph)
	backward(t, a, KeepGraph)
	backward(t, b)
	wantGrad(t, x, 18)
	for range 2 {
		err := a.Backward()
		if !errors.Is(err, ErrGrad) || !strings.Contains(err.Error(), "test.mul") || !strings.Contains(err.Error(), "KeepGraph") {
			t.Errorf("a second Backward: %v", err)
		}
	}
	wantGrad(t, x, 18)
}

// TestVersions changes what a graph has saved, in each way there is.
func TestVersions(t *testing.T) {
	for name, change := range map[string]func(x *Tensor) error{
		"Fill":     func(x *Tensor) error { return x.Fill(1) },
		"Set":      func(x *Tensor) error { return x.Set(1, 0) },
		"Put":      func(x *Tensor) error { return Put(x, 1.0, 0) },
		"Write":    func(x *Tensor) error { return Write(x, []float64{1, 1}) },
		"CopyFrom": func(x *Tensor) error { return x.CopyFrom(Must(Full(1.0, 2))) },
		"Touch":    func(x *Tensor) error { x.Touch(); return nil },
		"a view":   func(x *Tensor) error { return Must(x.Detach().Flip()).Set(1, 0) },
	} {
		x, w := Must(FromSlice([]float64{2, 3}, 2)), leaf(t, 1.0, 1)
		y := next(mul(next(w), x))
		if err := change(x); err != nil {
			t.Fatal(err)
		}
		err := y.BackwardWith(x)
		var arg *ArgError
		if !errors.Is(err, ErrVersion) || !errors.As(err, &arg) || arg.Op != "test.mul" || arg.Arg != "y" {
			t.Errorf("%s: %v", name, err)
		}
		if w.Grad() != nil {
			t.Errorf("%s: a gradient of changed values", name)
		}
	}
	x := leaf(t, 1.0, 2)
	y := next(x) // saves nothing
	if err := x.Fill(7); err != nil {
		t.Fatal(err)
	}
	backward(t, y)
	wantGrad(t, x, 1, 1)

	// In the middle of a walk.
	z := mul(x, x)
	last := next(z)
	Must(last.Hook(func(g *Tensor) (*Tensor, error) { return nil, x.Fill(0) }))
	x.ZeroGrad()
	if err := last.BackwardWith(y); !errors.Is(err, ErrVersion) || x.Grad() != nil {
		t.Errorf("changed in a hook: %v, gradient %v", err, x.Grad())
	}
}

// Gradients go only to floats that ask for them.
func TestInputsWithoutGradient(t *testing.T) {
	x, index := leaf(t, 1.0, 2), Must(FromSlice([]int64{1, 0}, 2))
	out, place := Must(New(F64, 2)), Must(New(I64, 2))
	Record("test.take", []*Tensor{out, place}, []*Tensor{x, index, nil}, []Saved{{Name: "index", Tensor: index}, {Name: "none"}}, func(p *Backprop) error {
		if p.Wants(1) || p.Wants(2) || p.Grad(1) != nil || p.Grad(2) != nil || p.Saved(1) != nil {
			return fmt.Errorf("integers or nothing want a gradient")
		}
		return p.Grad(0).CopyFrom(p.Cotangent(0))
	})
	if place.RequiresGrad() || !out.RequiresGrad() {
		t.Error("the wrong result requires a gradient")
	}
	backward(t, out)
	wantGrad(t, x, 1, 1)
}

// Sums of gradients of half precision are kept in f32 and rounded once: 2048 + 1 is 2048 in f16.
func TestHalfGradients(t *testing.T) {
	for _, d := range []DType{F16, BF16} {
		x := Must(New(d, 2))
		if err := x.RequireGrad(); err != nil {
			t.Fatal(err)
		}
		h := x.Clone() // not a leaf
		var parts []*Tensor
		for range 1500 {
			parts = append(parts, h.Clone(), x.Clone())
		}
		sum := Must(New(d, 2))
		Record("test.sum", []*Tensor{sum}, parts, nil, func(p *Backprop) error {
			for i := range parts {
				if err := p.Grad(i).Fill(1); err != nil {
					return err
				}
			}
			return nil
		})
		backwardOf(t, sum)
		want := Must(New(d, 1))
		if err := want.Fill(3000); err != nil {
			t.Fatal(err)
		}
		if g := x.Grad(); g.DType() != d || Must(g.At(1)) != Must(want.At(0)) {
			t.Errorf("gradient %v, want %v", g, want)
		}
	}
}

// backwardOf is backward for results of any dtype.
func backwardOf(t *testing.T, y *Tensor) {
	t.Helper()
	c := Must(New(y.DType(), y.Shape()...))
	if err := c.Fill(1); err != nil {
		t.Fatal(err)
	}
	if err := y.BackwardWith(c); err != nil {
		t.Fatal(err)
	}
}

// An op may have results of another dtype than its inputs: each gradient has the dtype of its tensor.
func TestMixedGradients(t *testing.T) {
	x := leaf(t, ToFloat16(1))
	wide := Must(New(F32, 1))
	Record("test.widen", []*Tensor{wide}, []*Tensor{x}, nil, func(p *Backprop) error {
		return p.Grad(0).Set(Must(p.Cotangent(0).At(0)), 0)
	})
	var parts []*Tensor
	for range 3000 { // 2048 + 1 = 2048 in f16
		parts = append(parts, wide.Clone())
	}
	sum := Must(New(F32, 1))
	Record("test.sum", []*Tensor{sum}, parts, nil, func(p *Backprop) error {
		for i := range parts {
			if err := p.Grad(i).Set(1, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err := sum.Backward(); err != nil {
		t.Fatal(err)
	}
	if g := x.Grad(); g.DType() != F16 || Must(g.At(0)) != 3000 {
		t.Errorf("gradient %v, want 3000 in f16", g)
	}
}

// A graph may be as deep as memory allows: nothing recurs.
func TestDeepGraph(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 18))
	x := leaf(t, 0.0)
	y := x
	for range 100_000 {
		y = next(y)
	}
	if err := y.Backward(); err != nil {
		t.Fatal(err)
	}
	wantGrad(t, x, 1)
}

// Forward and backward calls of many goroutines with leaves in common. The sums are of whole numbers, so that their order
// doesn't show.
func TestConcurrentBackward(t *testing.T) {
	const routines, calls = 8, 30
	x, w := leaf(t, 1.0, 2), leaf(t, 3.0, 5)
	var wg sync.WaitGroup
	for range routines {
		wg.Go(func() {
			for range calls {
				y := mul(next(mul(x, w)), w) // (x w + 1) w
				if err := y.BackwardWith(x.Detach()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	n := float64(routines * calls)
	wantGrad(t, x, n*9, n*2*25)
	wantGrad(t, w, n*7, n*2*21)
}

// Of Backward calls over one graph at the same time, all but one are refused, or none where they don't meet.
func TestBackwardsOfOneGraph(t *testing.T) {
	x := leaf(t, 1.0)
	shared := mul(x, x)
	ends := make([]*Tensor, 8)
	for i := range ends {
		ends[i] = next(shared)
	}
	var wg sync.WaitGroup
	errs := make([]error, len(ends))
	for i, y := range ends {
		wg.Go(func() { errs[i] = y.Backward() })
	}
	wg.Wait()
	right := 0
	for _, err := range errs {
		if err == nil {
			right++
		} else if !errors.Is(err, ErrGrad) {
			t.Error(err)
		}
	}
	if right != 1 {
		t.Errorf("%d of them went through", right)
	}
	wantGrad(t, x, 2)
}
