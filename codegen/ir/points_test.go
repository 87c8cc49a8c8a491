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
		{"as the end of a range", with(func(b *irtest.Build, B, D *ir.Axis, x, most *ir.Tensor) {
			i, d := irtest.Over("b", B), irtest.Over("d", D)
			j := &ir.Var{Name: "j", Lo: ir.Int(0), Hi: ir.Cast(ir.Call(ir.OpFloor, irtest.At(most, i)), ir.ExactType)}
			b.Out("y", ir.Sum, irtest.Vars(i), irtest.Vars(j), ir.Cast(ir.Index(j), ir.ElemType(most.Elem)))
			b.Out("z", ir.Assign, irtest.Vars(i, d), nil, irtest.At(x, i, d))
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

// Conditions and ranges ask for a maximum where it has points, unless they stand where it has, or ask for that themselves.
func TestAskable(t *testing.T) {
	b := irtest.New("f")
	N, K := b.Axis("N"), b.Axis("K")
	x := b.In("x", N, K)
	n, k, i := irtest.Over("n", N), irtest.Over("k", K), irtest.Over("i", N)
	most := b.Let("most", ir.Max, nil, irtest.Vars(i, k), irtest.At(x, i, k))
	half := b.Let("half", ir.Assign, nil, nil, ir.Div(irtest.At(most), ir.Int(2)))
	one := ir.Cast(ir.Int(1), ir.ElemType(half.Elem))
	large := ir.Call(ir.OpLt, ir.Int(1), irtest.At(half))
	j := &ir.Var{Name: "j", Lo: ir.Int(0), Hi: ir.Cast(ir.Call(ir.OpFloor, irtest.At(half)), ir.ExactType)}
	some := ir.Call(ir.OpLt, ir.Int(0), ir.Extent(K))
	b.Let("filtered", ir.Sum, nil, irtest.Vars(i), one, large)
	b.Let("there", ir.Sum, irtest.Vars(n), irtest.Vars(k), irtest.At(x, n, k), large)
	b.Let("asked", ir.Sum, nil, irtest.Vars(i), one, ir.Select(some, large, ir.False))
	count := b.Let("count", ir.Sum, irtest.Vars(n), irtest.Vars(j), one)
	b.Out("y", ir.Assign, irtest.Vars(n, k), nil, ir.Mul(irtest.At(x, n, k), irtest.At(count, n)))
	b.F.Defs = ir.Askable(b.F)
	for i, want := range []string{
		"most[] max= x[i, k]   for i in N, k in K",
		"half[] = most[] / 2",
		"filtered[] += 1   for i in N   where 1 < (if 0 < |K| then half[] else 0)",
		"there[n] += x[n, k]   for n in N, k in K   where 1 < half[]",
		"asked[] += 1   for i in N   where (if 0 < |K| then 1 < half[] else false)",
		"count[n] += 1   for n in N, j in 0..exact(floor(if 0 < |K| then half[] else 0))",
	} {
		if got := b.F.Defs[i].String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	got, err := eval(b.F, nil, nil, array([]int{1, 2}, 2, 6))
	check(t, "of something", got, err, 6, 18)
	got, err = eval(b.F, nil, nil, array([]int{2, 0}))
	check(t, "of nothing", got, err)
}
