package pass

import (
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"pgregory.net/rapid"
)

// Every pass keeps what a function computes: the forward function bit for bit, gradients but for rounding.
func TestPassesKeepValues(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			b, err := grad.Reverse(c.Func)
			if err != nil {
				t.Fatal(err)
			}
			in := irtest.WithOutputs(t, c.Func, c.Random(c.Func, 5))
			irtest.Cotangents(b, in, 5)
			f := c.Func
			for _, p := range Passes {
				n, nb := p.Run(f), p.Run(b)
				for _, x := range []*ir.Func{n, nb} {
					if err := ir.Verify(x); err != nil {
						t.Fatalf("%s: %v\n%v", p.Name, err, x)
					}
				}
				irtest.CheckSame(t, f, n, in, 0)
				irtest.CheckSame(t, b, nb, in, 1e-13)
				f, b = n, nb
			}
			irtest.CheckGrad(t, c.Func, b, in, 1e-8)
		})
	}
}

// The same of random functions.
func TestPassesKeepRandomValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := irtest.Random(t)
		b, err := grad.Reverse(f)
		if err != nil {
			t.Fatal(err)
		}
		c := irtest.Case{Extents: map[string]int{"B": 2, "D": 3}, Lo: -1, Hi: 1}
		in := irtest.WithOutputs(t, f, c.Random(f, 5))
		irtest.Cotangents(b, in, 5)
		simple, err := Run(f, "")
		if err != nil {
			t.Fatalf("%v\n%v", err, f)
		}
		irtest.CheckSame(t, f, simple, in, 0)
		after, err := Run(b, "")
		if err != nil {
			t.Fatalf("%v\n%v", err, b)
		}
		irtest.CheckSame(t, b, after, in, 1e-10)
	})
}

// Simplify rewrites these, and nothing that would change a bit.
func TestSimplify(t *testing.T) {
	b := irtest.New("simple")
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := irtest.Over("b", B)
	a, c := irtest.At(x, v), irtest.At(z, v)
	less := ir.Call(ir.OpLt, a, c)
	for _, k := range []struct {
		v    *ir.Value
		want string
	}{
		{ir.Mul(a, ir.Int(1)), "x[b]"},
		{ir.Mul(ir.Int(-1), a), "-x[b]"},
		{ir.Add(a, ir.Int(0)), "x[b] + 0"}, // -0 + 0 is +0
		{ir.Sub(a, ir.Int(0)), "x[b]"},
		{ir.Mul(a, ir.Int(0)), "x[b] * 0"}, // Inf*0 is NaN
		{ir.Neg(ir.Neg(a)), "x[b]"},
		{ir.Add(a, ir.Neg(c)), "x[b] - z[b]"},
		{ir.Sub(a, ir.Neg(c)), "x[b] + z[b]"},
		{ir.Mul(ir.Neg(a), ir.Neg(c)), "x[b] * z[b]"},
		{ir.Mul(ir.Neg(a), c), "-(x[b] * z[b])"},
		{ir.Div(a, ir.Int(2)), "x[b] * (1/2)"},
		{ir.Div(a, ir.Int(3)), "x[b] / 3"},
		{ir.Div(a, ir.Frac(1, 4)), "x[b] * 4"},
		{ir.Call(ir.OpPow, a, ir.Int(2)), "x[b] * x[b]"},
		{ir.Call(ir.OpPow, a, ir.Int(3)), "x[b] ^ 3"},
		{ir.Call(ir.OpPow, a, ir.Frac(1, 2)), "x[b] ^ (1/2)"}, // not sqrt: of -0 and -Inf they differ
		{ir.Sub(a, a), "x[b] - x[b]"},
		{ir.Div(a, a), "x[b] / x[b]"},
		{ir.Select(less, a, a), "x[b]"},
		{ir.Select(ir.Not(less), a, c), "if x[b] < z[b] then z[b] else x[b]"},
		{ir.Select(less, ir.Select(less, a, c), c), "if x[b] < z[b] then x[b] else z[b]"},
		{ir.Select(ir.Or(less, ir.And(less, ir.Call(ir.OpIsNaN, c))), a, c), "if x[b] < z[b] then x[b] else z[b]"},
		{ir.Call(ir.OpAbs, ir.Neg(a)), "abs(x[b])"},
		{ir.Call(ir.OpMax, a, a), "x[b]"},
	} {
		d := &ir.Def{Target: &ir.Tensor{Name: "y", Role: ir.Output, Elem: irtest.T, Axes: x.Axes}, Vars: irtest.Vars(v), Dest: ir.Indices(irtest.Vars(v)), Body: k.v}
		f := *b.F
		f.Defs, f.Outputs = []*ir.Def{d}, []*ir.Tensor{d.Target}
		if got := Simplify(&f).Defs[0].Body.String(); got != k.want {
			t.Errorf("%v is rewritten to %s, want %s", k.v, got, k.want)
		}
	}
}

// The sign in a derivative selects what it is multiplied with; in a condition, and in a formula of the op, it multiplies.
func TestKink(t *testing.T) {
	b := irtest.New("kink")
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := irtest.Over("b", B)
	product := ir.Mul(irtest.At(z, v), ir.Call(ir.OpSign, irtest.At(x, v)))
	chosen := ir.Select(ir.Call(ir.OpLt, product, ir.Int(1)), product, irtest.At(z, v))
	b.Out("y", ir.Assign, irtest.Vars(v), nil, chosen)
	b.Out("dy", ir.Assign, irtest.Vars(v), nil, chosen)
	b.Out("quotient", ir.Assign, irtest.Vars(v), nil, ir.Div(product, irtest.At(x, v)))
	b.F.Defs[1].Derived, b.F.Defs[2].Derived = true, true
	f := Kink(b.F)
	for i, want := range []string{
		"if z[b] * sign(x[b]) < 1 then z[b] * sign(x[b]) else z[b]",
		"if z[b] * sign(x[b]) < 1 then absorb(sign(x[b]), z[b]) else z[b]",
		"absorb(sign(x[b]), z[b] / x[b])",
	} {
		if got := f.Defs[i].Body.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
