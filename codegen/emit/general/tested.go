package general

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// Exact values that data are part of are tested where they are computed, unless the dtypes of the data say that int64 hold them. Those of
// attributes, extents and indices alone are bounded before the call, see ir.Fits.

// leaves are intervals of what exact values are made of.
func (g *gen) leaves() *ir.Leaves {
	if g.always == nil {
		g.always = ir.Always(g.k.Func, g.k.DTypes)
		g.always.Tested = true
	}
	return g.always
}

// risky tells whether an op of exact values may give what int64 don't hold, so that it is tested.
func (g *gen) risky(v *ir.Value) bool {
	if v.Type.Kind != ir.Exact || ir.IntervalOps[v.Op].Of == nil || !ir.HasData(v) {
		return false
	}
	id := g.num.ID(v)
	r, ok := g.risks[id]
	if !ok {
		l := g.leaves()
		var a [3]ir.Interval
		for i, x := range v.Args {
			a[i] = l.Of(x)
		}
		r = !ir.IntervalOps[v.Op].Of(a[0], a[1], a[2]).Holds()
		g.risks[id] = r
	}
	return r
}

// arithmetic is how ints are added, subtracted and multiplied.
type arithmetic struct{ plus, minus, times func(a, b term) term }

// plain is arithmetic of what is known to be held.
var plain = arithmetic{plus, minus, times}

// arithmetic is that of the exact value v in s: tested where what comes out may not be held.
func (g *gen) arithmetic(v *ir.Value, s *block) arithmetic {
	if !g.risky(v) {
		return plain
	}
	tested := func(f string, op func(a, b term) term) func(a, b term) term {
		return func(a, b term) term {
			if t := op(a, b); t.simple() {
				return t
			}
			return g.held(v, call(f, a, b), s)
		}
	}
	return arithmetic{tested("runtime.AddInt", plus), tested("runtime.SubInt", minus), tested("runtime.MulInt", times)}
}

// held is the int that a function of the runtime gives with whether it is held.
func (g *gen) held(v *ir.Value, t term, s *block) term {
	name, ok := g.nameIn(s, "n"), g.nameIn(s, "ok")
	g.declare(s, name, "int")
	s.printf("%s, %s := %s\n", name, ok, t.text)
	g.test(s, not(primary("%s", ok)), g.overflow(v))
	return primary("%s", name)
}

// joinExact adds an exact number to an accumulator, or multiplies that with it, where int64 hold what comes out.
func (g *gen) joinExact(d *ir.Def, k kind, s *block, acc, x term) {
	f := "runtime.AddInt"
	if d.Monoid == ir.Prod {
		f = "runtime.MulInt"
	}
	name, ok := g.nameIn(s, "n"), g.nameIn(s, "ok")
	s.printf("%s, %s := %s(int(%s), int(%s))\n", name, ok, f, acc.text, x.text)
	g.test(s, not(primary("%s", ok)), fmt.Sprintf("runtime.FaultError(%q, %q)", g.k.Op, ir.OverflowOf(d)))
	s.printf("%s = %s(%s)\n", acc.text, k.goType(), name)
}

// overflow is the error of an exact value that int64 don't hold.
func (g *gen) overflow(v *ir.Value) string {
	return fmt.Sprintf("runtime.FaultError(%q, %q)", g.k.Op, ir.Overflow(v))
}

// limited tests that the range of a variable whose ends are data has no more numbers than an axis may have.
func (g *gen) limited(v *ir.Var, lo, hi term, s *block) {
	l := g.leaves()
	if !ir.HasData(v.Lo) && !ir.HasData(v.Hi) || l.Of(v.Lo).Width(l.Of(v.Hi)).Inside(44) {
		return
	}
	g.test(s, call("runtime.TooMany", lo, hi), fmt.Sprintf("runtime.FaultError(%q, %q)", g.k.Op, ir.Fit{Range: v}.Message()))
}
