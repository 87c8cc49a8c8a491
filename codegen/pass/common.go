package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Common makes equal locals one, and reads what a local merely repeats.
func Common(f *ir.Func) *ir.Func {
	same := map[*ir.Tensor]*ir.Tensor{} // a local and its equal
	alias := map[*ir.Tensor]*ir.Def{}   // a local that is a read of another tensor
	var kept []*ir.Def
	r := eachDef(f, func(d *ir.Def) *ir.Def {
		d = ir.MapDef(d, func(v *ir.Value) *ir.Value {
			if v.Op != ir.OpRead {
				return v
			}
			if t := same[v.Tensor]; t != nil {
				n := *v
				n.Tensor = t
				return &n
			}
			if a := alias[v.Tensor]; a != nil {
				return at(a, v.Args)
			}
			return v
		})
		if d.Target.Role == ir.Local && d.Group == 0 {
			if d.IsPointwise() && d.Body.Op == ir.OpRead && (d.Derived || atOwnPoints(d.Body)) {
				alias[d.Target] = d
				return d
			}
			for _, k := range kept {
				if k.Target.Role == ir.Local && ir.EqualDefs(k, d) {
					same[d.Target] = k.Target
					return d
				}
			}
		}
		kept = append(kept, d)
		return d
	})
	for t, a := range alias { // what is the same, element for element
		if slices.EqualFunc(a.Body.Args, a.Dest, ir.Equal) {
			same[t] = a.Body.Tensor
		}
	}
	if len(same) == 0 {
		return r
	}
	n := *r
	n.Save, n.Recompute = named(f.Save, same), named(f.Recompute, same)
	return &n
}

// named are tensors by those that stand for them.
func named(list []*ir.Tensor, same map[*ir.Tensor]*ir.Tensor) []*ir.Tensor {
	var r []*ir.Tensor
	for _, t := range list {
		for u := same[t]; u != nil; u = same[t] {
			t = u
		}
		if !slices.Contains(r, t) {
			r = append(r, t)
		}
	}
	return r
}

// at is the body of a pointwise definition at indices.
func at(d *ir.Def, index []*ir.Value) *ir.Value {
	m := map[*ir.Var]*ir.Value{}
	for i, e := range d.Dest {
		m[e.Var] = index[i]
	}
	return ir.Subst(d.Body, m)
}

// atOwnPoints tells whether a read is at variables over the axes that it reads along, so that no point of it is out of range: a
// definition that repeats others has errors of its own, also at points that nobody reads.
func atOwnPoints(read *ir.Value) bool {
	for i, a := range read.Args {
		if a.Op != ir.OpIndex || a.Var.Axis != read.Tensor.Axes[i] {
			return false
		}
	}
	return true
}
