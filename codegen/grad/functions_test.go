package grad

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// Derivatives of functions at the edges of their domains, at kinks, infinities and NaN. Values that PyTorch gives are
// taken; where it gives NaN for 0/0 (hypot, xlogy by y) ours is 0.
func TestFunctionConventions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	n := func(x ...float64) map[string]int { return map[string]int{"B": len(x)} }
	one := func(op ir.Op, x []float64, want ...float64) {
		t.Helper()
		same(t, at(t, unary(op), n(x...), x)[0], want...)
	}
	two := func(op ir.Op, x, z []float64, byX, byZ []float64) {
		t.Helper()
		g := at(t, binary(op), n(x...), x, z)
		same(t, g[0], byX...)
		same(t, g[1], byZ...)
	}
	one(ir.OpAsin, []float64{-1, 0, 1, 2, nan}, inf, 1, inf, nan, nan)
	one(ir.OpAcos, []float64{-1, 0, 1, 2, nan}, -inf, -1, -inf, nan, nan)
	one(ir.OpAtan, []float64{0, inf, -inf, nan}, 1, 0, 0, nan)
	one(ir.OpAcosh, []float64{1, 0.5, inf}, inf, nan, 0)
	one(ir.OpAsinh, []float64{0, inf, 1e200, nan}, 1, 0, 1e-200, nan)
	one(ir.OpAtanh, []float64{-1, 0, 1}, inf, 1, inf)
	one(ir.OpErfc, []float64{inf, nan}, 0, nan)
	one(ir.OpErfinv, []float64{-1, 1, 2}, inf, inf, nan)
	one(ir.OpExp2, []float64{-inf, inf, nan}, 0, inf, nan)
	one(ir.OpLog2, []float64{0, inf}, inf, 0)
	one(ir.OpLgamma, []float64{0, math.Copysign(0, -1), -1, inf}, -inf, inf, nan, inf)
	one(ir.OpCosh, []float64{0, inf}, 0, inf)

	two(ir.OpHypot, []float64{0, 3, 1e200, -3}, []float64{0, 4, 0, 0}, []float64{0, 0.6, 1, -1}, []float64{0, 0.8, 0, 0})
	two(ir.OpAtan2, []float64{0, 1e200, 0, 0}, []float64{2, 0, -1, 0}, []float64{0.5, 0, -1, nan}, []float64{0, -1e-200, 0, nan})
	two(ir.OpXlogy, []float64{0, 0, 0, 2, 0}, []float64{0, -1, 1, 0, inf}, []float64{0, 0, 0, -inf, inf}, []float64{0, 0, 0, inf, 0})
	two(ir.OpCopysign, []float64{2, -2, 0, 3}, []float64{-1, -1, -1, math.Copysign(0, -1)}, []float64{-1, 1, 0, -1}, []float64{0, 0, 0, 0})
	two(ir.OpLogaddexp, []float64{0, -inf, inf, inf}, []float64{0, 1, 1, -inf}, []float64{0.5, 0, 1, 1}, []float64{0.5, 1, 0, 0})
}

// A function that is constant but for jumps, or that is random, has no derivative: what reads it gets one all the same.
func TestRandomHasNoDerivative(t *testing.T) {
	for _, op := range []ir.Op{ir.OpUniform, ir.OpNormal, ir.OpLowest, ir.OpHighest, ir.OpEpsilon, ir.OpSignbit} {
		if row, err := RowOf(op); err != nil || !row.None {
			t.Errorf("%v has the row %v, %v", op, row, err)
		}
	}
	f := unary(ir.OpAbs)
	f.Scalars = []*ir.Scalar{{Name: "seed", Type: ir.ExactType}}
	d := f.Defs[0]
	u := &ir.Value{Op: ir.OpUniform, Type: d.Body.Type, Args: []*ir.Value{d.Dest[0]}, Name: "seed"}
	d.Body = ir.Select(ir.Call(ir.OpLt, u, ir.Frac(1, 2)), ir.Mul(d.Body, ir.Int(2)), ir.Int(0))
	b := backward(t, f)
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{"seed": 3}}
	const count = 64
	x := ir.NewArray(count)
	for i := range x.Data {
		x.Data[i] = float64(i) + 1
	}
	in.Arrays[f.Inputs[0]] = x
	y, err := ir.Eval(f, in)
	if err != nil {
		t.Fatal(err)
	}
	in.Arrays[f.Outputs[0]] = y[f.Outputs[0]]
	ones := ir.NewArray(count)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	for _, c := range b.Inputs {
		if c.Role == ir.Cotangent {
			in.Arrays[c] = ones
		}
	}
	g, err := ir.Eval(b, in)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i, g := range g[b.Outputs[0]].Data {
		want := 0.0
		if y[f.Outputs[0]].Data[i] != 0 {
			want = 2
			kept++
		}
		if g != want {
			t.Errorf("element %d has gradient %v, want %v", i, g, want)
		}
	}
	if kept == 0 || kept == count {
		t.Errorf("%d of %d elements are kept", kept, count)
	}
}
