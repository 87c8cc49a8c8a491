package grad

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
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

// Families have derivatives of all orders where a quotient has a removable point: those of sin(x)/x at and near 0 are
// -x/3 + x³/30, -1/3 + x²/10, x/5, 1/5.
func TestRemovablePoints(t *testing.T) {
	b := irtest.New("sinc")
	B := b.Pack("B")
	x := b.In("x", B)
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Call(ir.OpSincn, ir.Int(0), irtest.At(x, v)))
	f := b.F
	at := []float64{0, 1e-300, -1e-9, 1e-4, math.Copysign(0, -1)}
	in := ir.Binding{Extents: map[*ir.Axis]int{B: len(at)}, Arrays: map[*ir.Tensor]*ir.Array{x: {Shape: []int{len(at)}, Data: at}}}
	ones := ir.NewArray(len(at))
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	for order, want := range []func(x float64) float64{
		func(x float64) float64 { return -x/3 + x*x*x/30 },
		func(x float64) float64 { return -1./3 + x*x/10 },
		func(x float64) float64 { return x/5 - x*x*x/42 },
		func(x float64) float64 { return 1./5 - x*x/14 },
	} {
		g, err := Forward(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range g.Inputs {
			if v.Role == ir.Tangent {
				in.Arrays[v] = ones
				if v.Of != x { // the change of a direction
					in.Arrays[v] = ir.NewArray(len(at))
				}
			}
		}
		out, err := ir.Eval(g, in)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range out[g.Outputs[0]].Data {
			if w := want(at[i]); !(math.Abs(d-w) <= 4e-16+4e-15*math.Abs(w)) {
				t.Errorf("derivative %d of sinc at %v is %v, want %v", order+1, at[i], d, w)
			}
		}
		f = g
	}
}

// A derivative that is no function is refused, and asked for only where the argument varies.
func TestRefusedDerivative(t *testing.T) {
	f := binary(ir.OpZeta)
	if _, err := Reverse(f); err == nil {
		t.Error("zeta has a derivative by its order")
	}
	if _, err := Forward(f); err == nil {
		t.Error("zeta has a tangent by its order")
	}
	f.UserGrads = []ir.UserGrad{{Of: f.Inputs[0], None: true}}
	if _, err := Reverse(f); err != nil {
		t.Error(err)
	}
}

// What a zero absorbs absorbs its derivative too: no infinity comes through it at any order.
func TestAbsorbedDerivatives(t *testing.T) {
	f := irtest.MaskedRoot()
	first := Close(backward(t, f))
	second := backward(t, first)
	in := irtest.Case{Extents: map[string]int{"B": 2, "D": 2}}.Random(f, 1)
	copy(in.Arrays[f.Inputs[0]].Data, []float64{0, 4})
	copy(in.Arrays[f.Inputs[1]].Data, []float64{-1, -1})
	irtest.Cotangents(first, in, 1)
	in = irtest.WithOutputs(t, first, in)
	irtest.Cotangents(second, in, 2)
	out, err := ir.Eval(second, in)
	if err != nil {
		t.Fatal(err)
	}
	for g, a := range out {
		for _, x := range a.Data {
			if x != 0 {
				t.Errorf("%s is %v: nothing flows here", g.Name, a.Data)
				break
			}
		}
	}
}
