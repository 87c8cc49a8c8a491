package general

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// TestWithin proves indices to lie within an axis of extent n, or doesn't: those that may leave it.
func TestWithin(t *testing.T) {
	n, m := &ir.Axis{Name: "N"}, &ir.Axis{Name: "M"}
	one := ir.Int(1)
	over := &ir.Var{Name: "t", Axis: n}
	at := ir.Index(over)
	upTo := &ir.Var{Name: "s", Lo: ir.Int(0), Hi: ir.Add(at, one)}
	inner := &ir.Var{Name: "i", Lo: ir.Int(0), Hi: ir.Sub(ir.Extent(n), one)}
	both := &ir.Var{Name: "d", Lo: ir.Int(0), Hi: ir.Call(ir.OpMin, ir.Extent(n), ir.Extent(m))}
	other := &ir.Var{Name: "j", Axis: m}
	s, i, d, j := ir.Index(upTo), ir.Index(inner), ir.Index(both), ir.Index(other)
	shifted := ir.Sub(j, ir.Int(2))
	guard := ir.And(ir.Call(ir.OpLe, ir.Int(0), shifted), ir.Call(ir.OpLt, shifted, ir.Extent(n)))
	for _, c := range []struct {
		index *ir.Value
		where *ir.Value
		want  bool
	}{
		{at, nil, true},
		{s, nil, true},
		{ir.Sub(at, s), nil, true},
		{ir.Add(i, one), nil, true},
		{d, nil, true},
		{ir.Call(ir.OpMod, j, ir.Extent(n)), nil, true},
		{shifted, guard, true},
		{ir.Add(at, one), nil, false},
		{ir.Sub(at, one), nil, false},
		{ir.Sub(s, at), nil, false},
		{j, nil, false},
		{shifted, nil, false},
		{ir.Add(shifted, one), guard, false},
		{ir.Int(0), nil, false},
	} {
		g := newGen(&Kernel{Func: &ir.Func{}})
		for _, v := range []*ir.Var{over, upTo, inner, both, other} {
			g.vars[v] = &loopVar{level: 1}
			g.ranges(v)
		}
		b := &block{}
		if c.where != nil {
			b.facts = g.factsOf(c.where, true)
		}
		if got := g.within(c.index, n, b); got != c.want {
			t.Errorf("%v in N where %v: got %v, want %v", c.index, c.where, got, c.want)
		}
	}
}
