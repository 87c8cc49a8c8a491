package general

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// cheap is the cost up to which a map is computed again at every point that reads it.
const cheap = 4

// inlined writes maps where they are read: those that one other definition reads, at one point for each of its own, or that
// cost little. What needs tests stays a definition of its own: it has to be right at points that nobody reads, too.
func (g *gen) inlined(defs []*ir.Def) []*ir.Def {
	for i := 0; i < len(defs); {
		if use := g.inlineUse(defs, i); use >= 0 {
			d := defs[i]
			next := slices.Clone(defs)
			next[use] = ir.MapDef(defs[use], func(v *ir.Value) *ir.Value {
				if v.Op != ir.OpRead || v.Tensor != d.Target {
					return v
				}
				at := map[*ir.Var]*ir.Value{}
				for k, e := range d.Dest {
					at[e.Var] = v.Args[k]
				}
				return ir.Cast(ir.Subst(d.Body, at), v.Type)
			})
			defs = slices.Delete(next, i, i+1)
			i = 0
			continue
		}
		i++
	}
	return defs
}

// inlineUse is the one definition that definition i is written into, -1 for none.
func (g *gen) inlineUse(defs []*ir.Def, i int) int {
	d := defs[i]
	t := d.Target
	if t.IsSize || !d.IsPointwise() || t.Role != ir.Local || g.k.Param(t) >= 0 || !g.unfailing(d, defs) {
		return -1
	}
	for _, r := range g.k.Func.Requires {
		if ir.Reads(r.Cond)[t] {
			return -1
		}
	}
	use := -1
	for k, o := range defs {
		if o.Reads()[t] {
			if use >= 0 {
				return -1
			}
			use = k
		}
	}
	if use < 0 {
		return -1
	}
	o := defs[use]
	at := -1
	for _, v := range o.Values() {
		fits := true
		ir.Walk(v, func(v *ir.Value) bool {
			if v.Op != ir.OpRead || v.Tensor != t {
				return true
			}
			id := g.num.ID(v)
			fits = fits && (at < 0 || at == id)
			at = id
			var seen []*ir.Var
			for k, a := range v.Args {
				if a.Op != ir.OpIndex || a.Var.Axis != t.Axes[k] || slices.Contains(seen, a.Var) {
					fits = false
					return true
				}
				seen = append(seen, a.Var)
			}
			fits = fits && (len(seen) == len(o.Vars) || cost(d.Body) <= cheap)
			return true
		})
		if !fits {
			return -1
		}
	}
	return use
}

// unfailing tells whether a map is right at every point without tests: it reads at its own variables, and divides no exact
// values.
func (g *gen) unfailing(d *ir.Def, defs []*ir.Def) bool {
	ok := true
	ir.Walk(d.Body, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpRead:
			for k, a := range v.Args {
				ok = ok && a.Op == ir.OpIndex && a.Var.Axis == v.Tensor.Axes[k]
			}
			i := slices.IndexFunc(defs, func(d *ir.Def) bool { return d.Target == v.Tensor })
			ok = ok && (i < 0 || g.everyPoint(defs[i]))
		case ir.OpCast:
			ok = ok && !(v.Type.Kind == ir.Exact && v.Args[0].Type.Kind != ir.Exact)
		case ir.OpDiv, ir.OpMod, ir.OpRem, ir.OpPow:
			ok = ok && g.kindOf(v).float()
		}
		return ok
	})
	return ok
}

// cost is that of a value, in additions.
func cost(v *ir.Value) int {
	n := 0
	ir.Walk(v, func(v *ir.Value) bool {
		n += ir.Facts[v.Op].Cost
		return true
	})
	return n
}
