package pass

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// Gradients, as derived and rewritten, keep their digits in f32 for inputs far from one: nothing overflows that the formula itself
// doesn't, and no small difference is taken of large sums.
func TestScales(t *testing.T) {
	cases := map[string]irtest.Case{}
	for _, c := range irtest.Cases() {
		cases[c.Name] = c
	}
	for _, k := range []struct {
		name         string
		scale, shift float64
		attr         string
		value        float64
		tolerance    float64
	}{
		{"softmax", 1e4, 0, "", 0, 1e-5},
		{"softmax", 1, 1e5, "", 0, 1e-2}, // x itself has but two digits after the point
		{"layer_norm", 1e15, 0, "eps", 0, 1e-5},
		{"layer_norm", 1e-15, 0, "eps", 0, 1e-5},
		{"layer_norm", 1, 1000, "eps", 1e-5, 1e-3},
		{"smooth_l1", 1e-18, 0, "beta", 1e-18, 1e-5},
		{"smooth_l1", 1e18, 0, "beta", 1e18, 1e-5},
		{"smooth_l1", 0, 0, "beta", 1e-40, 1e-5},
		{"smooth_l1", 1e-38, 0, "beta", 1e-38, 1e-5},
		{"cross_entropy", 1e4, 0, "ignore_index", -100, 1e-5},
		{"logsumexp", 1e4, 1e4, "", 0, 1e-3},
	} {
		c := cases[k.name]
		c.Scalars = map[string]float64{k.attr: k.value}
		derived, err := grad.Reverse(c.Func)
		if err != nil {
			t.Fatal(err)
		}
		simple, err := Run(derived, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, back := range []*ir.Func{derived, simple} {
			run := func(dtype string) map[*ir.Tensor]*ir.Array {
				in := c.Random(c.Func, 8)
				in.DTypes = map[string]string{"T": dtype}
				for i, x := range in.Arrays[c.Func.Inputs[0]].Data {
					in.Arrays[c.Func.Inputs[0]].Data[i] = float64(float32(x*k.scale + k.shift))
				}
				in = irtest.WithOutputs(t, c.Func, in)
				irtest.Cotangents(back, in, 8)
				out, err := ir.Eval(back, in)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			got, want := run("f32"), run("f64")
			g := back.Outputs[0]
			size := 0.0
			for _, x := range want[g].Data {
				size = max(size, math.Abs(x))
			}
			for i, x := range want[g].Data {
				if d := math.Abs(got[g].Data[i] - x); !(d <= k.tolerance*size+0x1p-149) {
					t.Errorf("%s scaled by %g, shifted by %g: %s[%d] is %g in f32, %g in f64", k.name, k.scale, k.shift, g.Name, i, got[g].Data[i], x)
					break
				}
			}
		}
	}
}
