package ir_test

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// Maxima that an output reads need points, unless nothing reads them where there are none.
func TestNeedsPoints(t *testing.T) {
	// most[b] = max x[b, d], and what use makes of it.
	with := func(use func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor)) *ir.Func {
		b := irtest.New("f")
		B, D := b.Pack("B"), b.Axis("D")
		x := b.In("x", B, D)
		i, d := irtest.Over("b", B), irtest.Over("d", D)
		use(b, B, D, x, b.Let("most", ir.Max, irtest.Vars(i), irtest.Vars(d), irtest.At(x, i, d)))
		return b.F
	}
	for _, c := range []struct {
		name string
		f    *ir.Func
		want string
	}{
		{"a maximum", reduction(ir.Max), "0 < |D| || |...B| == 0"},
		{"a sum", reduction(ir.Sum), ""},
		{"read at each row", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i := irtest.Over("b", B)
			b.Out("y", ir.Assign, irtest.Vars(i), nil, ir.Neg(irtest.At(most, i)))
		}), "0 < |D| || |...B| == 0"},
		{"added up", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i := irtest.Over("b", B)
			b.Out("y", ir.Sum, nil, irtest.Vars(i), irtest.At(most, i))
		}), "0 < |D| || |...B| == 0"},
		{"read at each element", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i, d := irtest.Over("b", B), irtest.Over("d", D)
			b.Out("y", ir.Assign, irtest.Vars(i, d), nil, ir.Sub(irtest.At(x, i, d), irtest.At(most, i)))
		}), ""},
		{"in a branch", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i := irtest.Over("b", B)
			m := irtest.At(most, i)
			b.Out("y", ir.Assign, irtest.Vars(i), nil, ir.Select(ir.Call(ir.OpLt, ir.Int(0), ir.Extent(D)), m, ir.Cast(ir.Int(0), m.Type)))
		}), ""},
		{"in a branch that data decide", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i := irtest.Over("b", B)
			z := b.In("z", B)
			m := irtest.At(most, i)
			b.Out("y", ir.Assign, irtest.Vars(i), nil, ir.Select(ir.Call(ir.OpLt, ir.Int(0), irtest.At(z, i)), m, ir.Cast(ir.Int(0), m.Type)))
		}), "0 < |D| || |...B| == 0"},
		{"of all elements, read at each row", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i, j, d := irtest.Over("b", B), irtest.Over("c", B), irtest.Over("d", D)
			all := b.Let("all", ir.Max, nil, irtest.Vars(j, d), irtest.At(x, j, d))
			b.Out("y", ir.Assign, irtest.Vars(i), nil, irtest.At(all))
		}), "0 < |D| || |...B| == 0"},
		{"not read", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i, d := irtest.Over("b", B), irtest.Over("d", D)
			b.Out("y", ir.Sum, irtest.Vars(i), irtest.Vars(d), irtest.At(x, i, d))
		}), ""},
	} {
		got := ""
		for _, r := range ir.NeedsPoints(c.f) {
			got += r.Cond.String()
		}
		if got != c.want {
			t.Errorf("%s: requires %q, want %q", c.name, got, c.want)
		}
	}
}
