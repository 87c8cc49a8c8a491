package robust_test

import (
	"math"
	"testing"

	"github.com/opgen/opgen/examples/robust"
	"github.com/opgen/opgen/runtime"
)

// TestPseudoHuber compares value and gradient with the closed form: y = mean δ²(√(1+(d/δ)²) - 1), dy/dx = d/√(1+(d/δ)²)/n.
func TestPseudoHuber(t *testing.T) {
	const delta = 0.7
	xs, ts := []float64{-3, -0.2, 0, 0.4, 5}, []float64{1, -0.1, 0, 0.1, 4}
	x, err := runtime.FromSlice(xs, len(xs))
	if err != nil {
		t.Fatal(err)
	}
	target, err := runtime.FromSlice(ts, len(ts))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	y, err := robust.PseudoHuber(x, target, &robust.PseudoHuberAttrs{Delta: new(delta)})
	if err != nil {
		t.Fatal(err)
	}
	if err := y.Backward(); err != nil {
		t.Fatal(err)
	}
	grad, err := runtime.Data[float64](x.Grad())
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i := range xs {
		d := xs[i] - ts[i]
		root := math.Sqrt(1 + d*d/delta/delta)
		want += delta * delta * (root - 1) / float64(len(xs))
		if g := d / root / float64(len(xs)); math.Abs(grad[i]-g) > 1e-14 {
			t.Errorf("gradient %d: %v, want %v", i, grad[i], g)
		}
	}
	if got, err := y.Item(); err != nil || math.Abs(got-want) > 1e-14 {
		t.Errorf("value %v (%v), want %v", got, err, want)
	}
}

// TestRefusesDelta checks that the spec's requirement becomes an error.
func TestRefusesDelta(t *testing.T) {
	x := runtime.Scalar(1.0)
	if _, err := robust.PseudoHuber(x, x, &robust.PseudoHuberAttrs{Delta: new(-1.0)}); err == nil {
		t.Error("a negative delta was taken")
	}
}
