package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// readRange says that a data index e is in the range of an axis where guard holds, since the forward function reads
// an element there: out of range that is an error.
type readRange struct {
	vars  map[*ir.Var]bool
	guard []*ir.Value
	index *ir.Value
	axis  *ir.Axis
}

// readRanges finds what the reads of the forward function tell of data indices.
func readRanges(f *ir.Func) []readRange {
	var r []readRange
	for _, d := range f.Given {
		vars := map[*ir.Var]bool{}
		for _, v := range d.Vars {
			vars[v] = true
		}
		var visit func(v *ir.Value, guard []*ir.Value)
		visit = func(v *ir.Value, guard []*ir.Value) {
			switch v.Op {
			case ir.OpSelect:
				visit(v.Args[0], guard)
				visit(v.Args[1], append(slices.Clone(guard), ir.Conjuncts(v.Args[0])...))
				visit(v.Args[2], append(slices.Clone(guard), ir.Conjuncts(ir.Not(v.Args[0]))...))
				return
			case ir.OpAnd, ir.OpOr:
				visit(v.Args[0], guard) // the others may not be evaluated
				return
			case ir.OpRead:
				for i, e := range v.Args {
					if len(ir.Reads(e)) > 0 {
						r = append(r, readRange{vars, guard, e, v.Tensor.Axes[i]})
					}
				}
			}
			for _, a := range v.Args {
				visit(a, guard)
			}
		}
		visit(d.Body, d.Where)
	}
	return r
}

// withoutRanges drops 0 ≤ e and e < |A| from conditions that hold together, where a read tells so.
func (s *simplifier) withoutRanges(v *ir.Value) *ir.Value {
	kept := slices.Clone(v.Args)
	for i := 0; i < len(kept); {
		others := slices.Delete(slices.Clone(kept), i, i+1)
		if slices.ContainsFunc(s.ranges, func(r readRange) bool { return r.tells(kept[i], others) }) {
			kept = others
		} else {
			i++
		}
	}
	if len(kept) == len(v.Args) {
		return v
	}
	return ir.And(kept...)
}

// tells whether condition c is a bound of the range, where the others hold.
func (r *readRange) tells(c *ir.Value, others []*ir.Value) bool {
	plain := func(v *ir.Value) *ir.Value {
		for v.Op == ir.OpCast {
			v = v.Args[0]
		}
		return v
	}
	var e *ir.Value
	switch {
	case c.Op == ir.OpLe && ir.IsConst(c.Args[0], 0):
		e = c.Args[1]
	case c.Op == ir.OpLt && plain(c.Args[1]).Op == ir.OpExtent && plain(c.Args[1]).Axis == r.axis:
		e = c.Args[0]
	default:
		return false
	}
	m := map[*ir.Var]*ir.Value{}
	if !match(plain(r.index), plain(e), r.vars, m) {
		return false
	}
	for _, g := range r.guard {
		if g = ir.Subst(g, m); g.Op != ir.OpTrue && !slices.ContainsFunc(others, func(x *ir.Value) bool { return ir.Equal(x, g) }) {
			return false
		}
	}
	return true
}

// match finds values of vars that make pattern equal to v.
func match(pattern, v *ir.Value, vars map[*ir.Var]bool, m map[*ir.Var]*ir.Value) bool {
	if pattern.Op == ir.OpIndex && vars[pattern.Var] {
		if have := m[pattern.Var]; have != nil {
			return ir.Equal(have, v)
		}
		m[pattern.Var] = v
		return true
	}
	if pattern.Op != v.Op || pattern.Tensor != v.Tensor || len(pattern.Args) != len(v.Args) {
		return false
	}
	if len(pattern.Args) == 0 {
		return ir.Equal(pattern, v)
	}
	for i, a := range pattern.Args {
		if !match(a, v.Args[i], vars, m) {
			return false
		}
	}
	return true
}
