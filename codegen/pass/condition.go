package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// fact is a condition that is known to hold, or not to.
type fact struct {
	cond  *ir.Value
	holds bool
}

// conditions are the facts that follow from conditions that hold.
func conditions(conds ...*ir.Value) []fact {
	var r []fact
	for _, c := range conds {
		for _, x := range append([]*ir.Value{c}, ir.Conjuncts(c)...) {
			if x.Op == ir.OpNot {
				r = append(r, fact{x.Args[0], false})
			} else if x.Op != ir.OpTrue {
				r = append(r, fact{x, true})
			}
		}
	}
	return r
}

// refuted are the facts that follow from a condition that doesn't hold.
func refuted(c *ir.Value) []fact {
	r := []fact{{c, false}}
	if c.Op == ir.OpOr {
		for _, x := range c.Args {
			r = append(r, fact{x, false})
		}
	}
	for i, f := range r {
		if f.cond.Op == ir.OpNot {
			r[i] = fact{f.cond.Args[0], true}
		}
	}
	return r
}

// assuming rewrites a value where facts are known; in each arm of a select its condition is one more.
func (s *simplifier) assuming(v *ir.Value, known []fact) *ir.Value {
	var num ir.Numbering
	holds := map[int]bool{}
	for _, f := range known {
		holds[num.ID(f.cond)] = f.holds
	}
	if len(known) > 0 {
		v = ir.Map(v, func(x *ir.Value) *ir.Value {
			if x.Type.Kind == ir.Bool {
				if h, ok := holds[num.ID(x)]; ok {
					if h {
						return ir.True
					}
					return ir.False
				}
			}
			return s.simple(x)
		})
	}
	return s.arms(v)
}

// arms rewrites the arms of the outermost selects of a value under their conditions.
func (s *simplifier) arms(v *ir.Value) *ir.Value {
	if v.Op == ir.OpSelect {
		c := v.Args[0]
		return s.simple(ir.WithArgs(v, []*ir.Value{c, s.assuming(v.Args[1], conditions(c)), s.assuming(v.Args[2], refuted(c))}))
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = a
		if a.Type.Kind == ir.Typed && v.Op != ir.OpRead {
			args[i] = s.arms(a)
		}
	}
	return s.simple(ir.WithArgs(v, args))
}

// absorbed drops from a || b what another side implies: a || a && b is a.
func absorbed(v *ir.Value) *ir.Value {
	var num ir.Numbering
	sets := make([][]int, len(v.Args))
	for i, a := range v.Args {
		for _, c := range ir.Conjuncts(a) {
			sets[i] = append(sets[i], num.ID(c))
		}
	}
	var kept []*ir.Value
	for i, a := range v.Args {
		implied := false
		for k := range v.Args {
			if k != i && len(sets[k]) < len(sets[i]) && !slices.ContainsFunc(sets[k], func(id int) bool { return !slices.Contains(sets[i], id) }) {
				implied = true
			}
		}
		if !implied {
			kept = append(kept, a)
		}
	}
	if len(kept) == len(v.Args) {
		return v
	}
	return ir.Or(kept...)
}

// unguarded drops the guard of a sum whose parts are guarded by themselves: the guard keeps products from being computed,
// and here none follows.
func unguarded(v *ir.Value) *ir.Value {
	if v.Op == ir.OpSelect && grad.IsZero(v.Args[2]) {
		s := v.Args[1]
		if s.Op == ir.OpAdd || s.Op == ir.OpSub {
			p := ir.Or(grad.Presence(s.Args[0]), grad.Presence(s.Args[1]))
			if p.Op != ir.OpTrue && ir.Equal(absorbedAll(p), v.Args[0]) {
				v = s
			}
		}
	}
	switch v.Op {
	case ir.OpAdd, ir.OpSub, ir.OpNeg:
		args := make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = unguarded(a)
		}
		return ir.WithArgs(v, args)
	}
	return v
}

func absorbedAll(v *ir.Value) *ir.Value {
	if v.Op == ir.OpOr {
		return absorbed(v)
	}
	return v
}
