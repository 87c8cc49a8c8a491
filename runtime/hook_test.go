package runtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// hookLog notes the names of the hooks that were called.
type hookLog []string

func (l *hookLog) add(t *testing.T, x *Tensor, name string, give func(g *Tensor) (*Tensor, error)) (remove func()) {
	t.Helper()
	return Must(x.Hook(func(g *Tensor) (*Tensor, error) {
		*l = append(*l, name)
		return give(g)
	}))
}

func leaveGrad(*Tensor) (*Tensor, error) { return nil, nil }

// Hooks are called once each, with complete gradients, in the order that is documented.
func TestHooks(t *testing.T) {
	x := leaf(t, 3.0)
	a := mul(x, x) // used three times below
	b := next(a)
	y := mul(b, mul(a, a)) // (x² + 1) x⁴
	var log hookLog
	var seen []float64
	note := func(g *Tensor) (*Tensor, error) {
		seen = append(seen, Must(g.At(0)))
		return nil, nil
	}
	log.add(t, x, "x", note)
	log.add(t, a, "a", note)
	log.add(t, b, "b", note)
	log.add(t, y, "y", note)
	again := log.add(t, x, "x again", leaveGrad)
	gone := log.add(t, a, "gone", leaveGrad)
	gone()
	gone()
	backward(t, y, KeepGraph)
	if want := []string{"y", "b", "a", "x", "x again"}; !slices.Equal(log, want) {
		t.Errorf("called %v, want %v", log, want)
	}
	// With a = 9: dy/db = a², dy/da = 3a² + 2a, dy/dx = 2x of that.
	if want := []float64{1, 81, 261, 1566}; !slices.Equal(seen, []float64{1, 81, 261, 1566}) {
		t.Errorf("gradients %v, want %v", seen, want)
	}
	wantGrad(t, x, 1566)
	again()
	log, seen = nil, nil
	backward(t, y)
	if want := []string{"y", "b", "a", "x"}; !slices.Equal(log, want) || seen[3] != 1566 {
		t.Errorf("the second time %v with %v, want %v", log, seen, want)
	}
	wantGrad(t, x, 2*1566)
}

// What a hook gives takes the place of the gradient.
func TestHooksReplace(t *testing.T) {
	double := func(g *Tensor) (*Tensor, error) { return mul(g, Must(Full(2.0, g.Shape()...))), nil }
	kept := Must(FromSlice([]float64{7, 8}, 2))
	for name, c := range map[string]struct {
		give func(g *Tensor) (*Tensor, error)
		want []float64 // of x, for y = (x²)·1 at x = (1, 2)
	}{
		"another":     {double, []float64{4, 8}},
		"in place":    {func(g *Tensor) (*Tensor, error) { return nil, g.Fill(3) }, []float64{6, 12}},
		"the same":    {func(g *Tensor) (*Tensor, error) { return g, nil }, []float64{2, 4}},
		"a view":      {func(g *Tensor) (*Tensor, error) { return Must(FromSlice([]float64{1, 5}, 2)).Flip() }, []float64{10, 4}},
		"of itself":   {func(g *Tensor) (*Tensor, error) { return g.Flip() }, []float64{2, 4}},
		"one it kept": {func(g *Tensor) (*Tensor, error) { return kept, nil }, []float64{14, 32}},
	} {
		x := leaf(t, 1.0, 2)
		h := mul(x, x)
		Must(h.Hook(c.give))
		backward(t, next(h))
		if got := Must(Values[float64](x.Grad())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		backward(t, mul(x, x))
	}
	if got := Must(Values[float64](kept)); got[0] != 7 || kept.Released() {
		t.Errorf("the tensor of the caller became %v", got)
	}
	x := leaf(t, 1.0)
	Must(x.Hook(double))
	Must(x.Hook(double))
	backward(t, next(x))
	backward(t, next(x))
	wantGrad(t, x, 8) // of each gradient, not of the sum so far
}

// An error of a hook, or something it can't give, ends Backward, and no leaf has changed.
func TestHooksFail(t *testing.T) {
	errOwn := errors.New("too large")
	for name, c := range map[string]struct {
		give func(g *Tensor) (*Tensor, error)
		kind error
	}{
		"its own":  {func(*Tensor) (*Tensor, error) { return nil, errOwn }, errOwn},
		"dtype":    {func(*Tensor) (*Tensor, error) { return Must(Full(float32(1), 1)), nil }, ErrDType},
		"shape":    {func(*Tensor) (*Tensor, error) { return Must(Full(1.0, 1, 1)), nil }, ErrShape},
		"released": {func(g *Tensor) (*Tensor, error) { g.Release(); return nil, nil }, ErrClosed},
	} {
		for _, where := range []string{"a leaf", "the result of test.mul"} {
			x, w := leaf(t, 1.0), leaf(t, 2.0)
			h := mul(x, x)
			y := mul(mul(next(w), h), w)
			of := h
			if where == "a leaf" {
				of = x
			}
			remove := Must(of.Hook(c.give))
			err := y.Backward(KeepGraph)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), where) {
				t.Errorf("%s of %s: %v", name, where, err)
			}
			if x.Grad() != nil || w.Grad() != nil {
				t.Errorf("%s of %s: half a gradient", name, where)
			}
			remove()
			backward(t, y) // the graph was kept
			wantGrad(t, x, 12)
			wantGrad(t, w, 5)
		}
	}
}

// A graph is not left half claimed by a hook that panics.
func TestHookPanics(t *testing.T) {
	x := leaf(t, 1.0)
	h := mul(x, x)
	remove := Must(h.Hook(func(*Tensor) (*Tensor, error) { panic("no") }))
	y := next(h)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = y.Backward(KeepGraph)
	}()
	remove()
	backward(t, y)
	wantGrad(t, x, 2)
}
