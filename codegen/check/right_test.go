package check_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// TestLanguage evaluates the examples of testdata/right, which go through the language section by section.
func TestLanguage(t *testing.T) {
	names, err := filepath.Glob("testdata/right/*.op")
	if err != nil || len(names) == 0 {
		t.Fatal("no specs", err)
	}
	for _, name := range names {
		p, diags := check.Package(parse(t, name))
		for _, d := range diags.All {
			t.Error(d.String())
		}
		for _, o := range p.Ops {
			for _, x := range o.Examples {
				if err := evalExample(o, x); err != nil {
					t.Errorf("%v: %s: %v", x.Span.Start, o.Name, err)
				}
			}
		}
	}
}

// TestMomentumSGD compares three steps with the loop that defines the optimizer.
func TestMomentumSGD(t *testing.T) {
	op := opsByName(t)["optim.momentum_sgd"]
	const lr, momentum, dampening, decay = 0.1, 0.8, 0.25, 0.01
	p, buf := []float64{1, -2, 3}, []float64{0, 0, 0}
	state := map[string]*ir.Array{"p": ir.NewArray(3), "buf": ir.NewArray(3)}
	copy(state["p"].Data, p)
	for step := 1; step <= 3; step++ {
		g := []float64{0.5 * float64(step), -1, 2}
		state["g"] = &ir.Array{Shape: []int{3}, Data: g}
		got, err := ir.EvalOp(op, state, []ir.ExampleAttr{
			{Name: "lr", Number: lr}, {Name: "momentum", Number: momentum}, {Name: "dampening", Number: dampening},
			{Name: "weight_decay", Number: decay}, {Name: "step", Number: float64(step)},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k := range p {
			d := g[k] + decay*p[k]
			if step == 1 {
				buf[k] = d
			} else {
				buf[k] = momentum*buf[k] + (1-dampening)*d
			}
			p[k] -= lr * buf[k]
			if x := got["p'"].Data[k]; math.Abs(x-p[k]) > 1e-15 {
				t.Errorf("step %d: p[%d] is %v, want %v", step, k, x, p[k])
			}
		}
		state["p"], state["buf"] = got["p'"], got["buf'"]
	}
}

// TestConvBlock compares an op that calls others, of three packages, with the calls made one by one.
func TestConvBlock(t *testing.T) {
	ops := opsByName(t)
	array := func(shape ...int) *ir.Array {
		a := ir.NewArray(shape...)
		for k := range a.Data {
			a.Data[k] = math.Sin(float64(3*k + len(shape)))
		}
		return a
	}
	call := func(op string, inputs map[string]*ir.Array, attrs ...ir.ExampleAttr) *ir.Array {
		t.Helper()
		got, err := ir.EvalOp(ops[op], inputs, attrs, nil)
		if err != nil {
			t.Fatal(op, err)
		}
		return got["y"]
	}
	m, v := array(4), &ir.Array{Shape: []int{4}, Data: []float64{1, 2, 3, 4}}
	for _, shape := range [][2][]int{{{2, 3, 5}, {4, 3, 2}}, {{1, 3, 5, 4}, {4, 3, 2, 3}}, {{1, 3, 3, 4, 3}, {4, 3, 2, 1, 3}}} {
		x, w := array(shape[0]...), array(shape[1]...)
		ones := make([]float64, len(shape[0])-2)
		for k := range ones {
			ones[k] = 1
		}
		stride := ir.ExampleAttr{Name: "stride", Number: 2}
		pad := ir.ExampleAttr{Name: "pad", List: ones}
		got := call("compose.conv_block", map[string]*ir.Array{"x": x, "w": w, "m": m, "v": v}, stride, pad)
		h := call("window.conv", map[string]*ir.Array{"x": x, "w": w}, stride, pad)
		n := call("norm.batch_norm", map[string]*ir.Array{"x": h, "running_mean": m, "running_var": v}, ir.ExampleAttr{Name: "eps", Number: 1e-3})
		want := ir.NewArray(n.Shape...)
		for k, x := range n.Data {
			want.Data[k] = max(x, 0) + max(-x, 0.1*-x)
		}
		if err := compare(got, want); err != nil {
			t.Errorf("%v: %v", shape, err)
		}
	}
	// What is faulty is said at the call.
	_, err := ir.EvalOp(ops["compose.conv_block"], map[string]*ir.Array{"x": array(2, 3, 5), "w": array(4, 2, 2), "m": m, "v": v}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "axis C") {
		t.Errorf("got %v", err)
	}
}

// TestRanks checks that calls of a rank that an op isn't made for are refused with those that it is made for.
func TestRanks(t *testing.T) {
	ops := opsByName(t)
	_, err := ir.EvalOp(ops["window.conv"], map[string]*ir.Array{"x": ir.NewArray(1, 1, 1, 1, 1, 1), "w": ir.NewArray(1, 1, 1, 1, 1, 1)}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "...S has 4 axes here; the op is made for 1, 2, 3") {
		t.Errorf("got %v", err)
	}
	_, err = ir.EvalOp(ops["window.conv"], map[string]*ir.Array{"x": ir.NewArray(1, 1, 4), "w": ir.NewArray(1, 1, 2)},
		[]ir.ExampleAttr{{Name: "stride", List: []float64{1, 1}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "stride") && !strings.Contains(err.Error(), "w: has 3 axes") {
		t.Errorf("got %v", err)
	}
	_, err = ir.EvalOp(ops["window.interpolate_nearest"], map[string]*ir.Array{"x": ir.NewArray(1, 1, 4)}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "size or scale must be given") {
		t.Errorf("got %v", err)
	}
}

// TestRefused checks that calls which a spec forbids fail with its message.
func TestRefused(t *testing.T) {
	ops := opsByName(t)
	one := &ir.Array{Shape: []int{2, 1}, Data: []float64{1, 2}}
	for _, c := range []struct {
		op     string
		inputs map[string]*ir.Array
		attrs  []ir.ExampleAttr
		want   string
	}{
		{"loss.smooth_l1", map[string]*ir.Array{"x": one, "t": one}, []ir.ExampleAttr{{Name: "beta", Number: -1}}, "beta must not be negative"},
		{"norm.batch_norm", map[string]*ir.Array{"x": one}, nil, "evaluation needs running statistics"},
		{"loss.gaussian_nll", map[string]*ir.Array{"x": one, "t": one, "var": {Shape: []int{2, 1}, Data: []float64{1, -1}}}, nil, "var has negative entries"},
	} {
		_, err := ir.EvalOp(ops[c.op], c.inputs, c.attrs, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.op, err, c.want)
		}
	}
}

// TestLarge checks that a body which doubles with every func is refused in time.
func TestLarge(t *testing.T) {
	var src strings.Builder
	src.WriteString("package large\nfunc g0(x) = x + x\n")
	for k := range 60 {
		fmt.Fprintf(&src, "func g%d(x) = g%d(x) * g%d(x)\n", k+1, k, k)
	}
	src.WriteString("op f[T: float](x: T[...B]) = g60(x)\n")
	f, diags := dsl.Parse("large.op", []byte(src.String()))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	p, diags := check.Package([]*dsl.File{f})
	if len(p.Ops) != 0 || diags.Count(diag.Error) != 1 || diags.All[0].Code != "op-large" {
		t.Errorf("got %d ops, %v", len(p.Ops), diags.Err())
	}
}
