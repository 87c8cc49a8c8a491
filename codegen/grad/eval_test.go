package grad

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// product is y = x*z over one pack, with x and z expanded to its joint shape.
func product() *ir.OpDecl {
	b := irtest.New("mul")
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Mul(irtest.At(x, v), irtest.At(z, v)))
	pack := []ir.AxisRef{{Name: "B", Pack: true}}
	return &ir.OpDecl{Package: "p", Name: "mul",
		Inputs:   []*ir.Param{{Name: "x", Axes: pack}, {Name: "z", Axes: pack}},
		Outputs:  []*ir.Param{{Name: "y", Axes: pack, Mode: ir.Output}},
		Variants: []*ir.Variant{{Forward: b.F}}}
}

// Gradients of expanded inputs are summed back to their shapes.
func TestEvalGradOfExpandedInputs(t *testing.T) {
	inputs := map[string]*ir.Array{
		"x": {Shape: []int{1}, Data: []float64{5}},
		"z": {Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}},
	}
	ones := map[string]*ir.Array{"y": {Shape: []int{2, 2}, Data: []float64{1, 1, 1, 1}}}
	b, err := ir.Bind(product(), ir.ShapesOf(inputs), nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Reverse(b.Func)
	if err != nil {
		t.Fatal(err)
	}
	got, err := EvalBackward(b, back, inputs, ones, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*ir.Array{
		"x": {Shape: []int{1}, Data: []float64{10}},
		"z": {Shape: []int{2, 2}, Data: []float64{5, 5, 5, 5}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Tangents of expanded inputs are expanded; what isn't named doesn't change.
func TestEvalTangentOfExpandedInputs(t *testing.T) {
	inputs := map[string]*ir.Array{
		"x": {Shape: []int{1}, Data: []float64{5}},
		"z": {Shape: []int{2, 2}, Data: []float64{1, 2, 3, 4}},
	}
	for _, c := range []struct{ tangents, want map[string]*ir.Array }{
		{map[string]*ir.Array{"x": {Shape: []int{1}, Data: []float64{10}}}, map[string]*ir.Array{"y": {Shape: []int{2, 2}, Data: []float64{10, 20, 30, 40}}}},
		{map[string]*ir.Array{"z": {Shape: []int{2, 2}, Data: []float64{1, 0, 2, 0}}}, map[string]*ir.Array{"y": {Shape: []int{2, 2}, Data: []float64{5, 0, 10, 0}}}},
	} {
		got, err := EvalTangent(product(), inputs, nil, c.tangents, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(d)
		}
	}
}

// A formula of the author stands in place of the derived one; none stands for no gradient.
func TestUserGradients(t *testing.T) {
	f := irtest.Linear()
	x, w, c := f.Inputs[0], f.Inputs[1], f.Inputs[2]
	y := f.Outputs[0]
	B, I, O := x.Axes[0], x.Axes[1], w.Axes[0]
	g := &ir.Tensor{Name: "@y", Role: ir.Cotangent, Elem: irtest.T, Axes: y.Axes, Of: y}
	r := &ir.Tensor{Name: "mine", Role: ir.Local, Elem: irtest.T, Axes: []*ir.Axis{I, O}}
	b, i, o := irtest.Over("b", B), irtest.Over("i", I), irtest.Over("o", O)
	f.UserGrads = []ir.UserGrad{
		{Of: w, Result: r, Defs: []*ir.Def{{Target: r, Vars: irtest.Vars(i, o, b), Dest: ir.Indices(irtest.Vars(i, o)), Monoid: ir.Sum,
			Body: ir.Mul(ir.Int(7), ir.Mul(irtest.At(g, b, o), irtest.At(x, b, i)))}}},
		{Of: c, None: true},
	}
	back := backward(t, f)
	if len(back.Outputs) != 2 {
		t.Fatalf("%d gradients\n%v", len(back.Outputs), back)
	}
	for _, in := range back.Inputs {
		if in.Role == ir.Cotangent && in != g {
			t.Error("the formula reads another cotangent than the function takes")
		}
	}
	plain := irtest.Linear()
	plainBack := backward(t, plain)
	call := func(f, back *ir.Func) []float64 {
		in := irtest.WithOutputs(t, f, irtest.Case{Extents: map[string]int{"B": 2, "I": 3, "O": 2}, Lo: -1, Hi: 1}.Random(f, 1))
		irtest.Cotangents(back, in, 1)
		out, err := ir.Eval(back, in)
		if err != nil {
			t.Fatal(err)
		}
		return out[back.Outputs[1]].Data
	}
	got, want := call(f, back), call(plain, plainBack)
	for i := range want {
		if d := got[i] - 7*want[i]; d > 1e-12 || d < -1e-12 {
			t.Fatalf("got %v, want 7 times %v", got, want)
		}
	}
}
