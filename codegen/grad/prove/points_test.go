package prove

import (
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// TestPoints checks that points find what a random point rarely meets: a wrong branch near zero, and kinks.
func TestPoints(t *testing.T) {
	k := ir.ScalarOf(beta)
	diff := ir.Sub(at(x), at(y))
	inside := ir.Call(ir.OpLt, ir.Call(ir.OpAbs, diff), k)
	sign := ir.Call(ir.OpSign, diff)
	want := ir.Select(inside, ir.Div(diff, k), sign)
	for _, c := range []struct {
		name  string
		got   *ir.Value
		equal bool
	}{
		{"itself", want, true},
		{"other branches", ir.Select(ir.Call(ir.OpLe, k, diff), ir.Int(1), ir.Select(ir.Call(ir.OpLe, diff, ir.Neg(k)), ir.Int(-1), ir.Div(diff, k))), true},
		{"beta/1000 wide", ir.Select(ir.Call(ir.OpLt, ir.Call(ir.OpAbs, diff), ir.Mul(k, ir.Frac(1001, 1000))), ir.Div(diff, k), sign), false},
		{"off by 1e-9", ir.Mul(want, ir.Frac(1_000_000_001, 1_000_000_000)), false},
		{"off by 1e-12", ir.Mul(want, ir.Frac(1_000_000_000_001, 1_000_000_000_000)), false},
		{"rounded otherwise", ir.Div(ir.Mul(want, ir.Frac(1, 3)), ir.Frac(1, 3)), true},
		{"wrong inside", ir.Select(inside, diff, sign), false},
		{"sign at zero", ir.Select(ir.Call(ir.OpLt, ir.Int(0), diff), ir.Int(1), ir.Int(-1)), false},
	} {
		p, q := local("p", axB, axD), local("q", axB, axD)
		f := &ir.Func{Name: "f", Inputs: []*ir.Tensor{x, y}, Outputs: []*ir.Tensor{p, q}, Scalars: []*ir.Scalar{beta}, Requires: []ir.Require{{Cond: ir.Call(ir.OpLt, ir.Int(0), k)}}, Axes: []*ir.Axis{axB, axD},
			ElemVars: []ir.ElemVar{{Name: "T", DTypes: []string{"f32", "f64"}}}, Defs: []*ir.Def{assign(p, cast(c.got), b, d), assign(q, cast(want), b, d)}}
		v := Test(f, p, q)
		if (v.Counter == nil) != c.equal || c.equal && v.Points < 5 {
			t.Errorf("%s: %+v, want equal = %v", c.name, v, c.equal)
		}
		if v.Counter != nil && !strings.Contains(v.Counter.String(), "beta = ") {
			t.Errorf("%s: the counterexample doesn't name its attribute: %s", c.name, v.Counter)
		}
	}
	// |d| with another subgradient at 0: passes with a note.
	p, q := local("p", axB, axD), local("q", axB, axD)
	half := ir.Select(ir.Call(ir.OpEq, at(x), at(y)), ir.Frac(1, 2), sign)
	f := &ir.Func{Name: "f", Inputs: []*ir.Tensor{x, y}, Outputs: []*ir.Tensor{p, q}, Axes: []*ir.Axis{axB, axD},
		ElemVars: []ir.ElemVar{{Name: "T", DTypes: []string{"f32", "f64"}}}, Defs: []*ir.Def{assign(p, cast(half), b, d), assign(q, cast(sign), b, d)}}
	if v := Test(f, p, q); v.Counter != nil || v.Kinks == 0 {
		t.Errorf("another subgradient at a kink: %+v", v)
	}
}

func cast(v *ir.Value) *ir.Value { return ir.Cast(v, ir.TypedAs(t32)) }
