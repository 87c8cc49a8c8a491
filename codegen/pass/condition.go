package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// facts are the conditions known where a value is computed, on the way into the arms of selects. What is known in an arm is taken back
// behind it, so that a value is rewritten once for each arm that it is in, whatever is around it.
type facts struct {
	s     *simplifier
	holds map[int]bool // by number
	memo  map[*ir.Value]*ir.Value
	plain map[*ir.Value]bool // whether a value holds no conditions
}

// assuming rewrites a value where conditions hold; in each arm of a select its condition is one more.
func (s *simplifier) assuming(v *ir.Value, where []*ir.Value) *ir.Value {
	f := &facts{s: s, holds: map[int]bool{}, plain: map[*ir.Value]bool{}}
	for _, c := range where {
		f.learn(c, true)
	}
	return f.within(v)
}

// learn notes that a condition holds or doesn't, and what follows; it gives the numbers that are new.
func (f *facts) learn(c *ir.Value, holds bool) []int {
	var learnt []int
	note := func(c *ir.Value, holds bool) {
		if c.Op == ir.OpNot {
			c, holds = c.Args[0], !holds
		}
		id := f.s.num.ID(c)
		if _, ok := f.holds[id]; !ok && c.Op != ir.OpTrue && c.Op != ir.OpFalse {
			f.holds[id] = holds
			learnt = append(learnt, id)
		}
	}
	note(c, holds)
	if holds && c.Op == ir.OpAnd || !holds && c.Op == ir.OpOr {
		for _, x := range c.Args {
			note(x, holds)
		}
	}
	return learnt
}

// within rewrites a value where what is known now holds.
func (f *facts) within(v *ir.Value) *ir.Value {
	outer := f.memo
	f.memo = map[*ir.Value]*ir.Value{}
	r := f.rewrite(v)
	f.memo = outer
	return r
}

// arm rewrites an arm of a select on conditions, the one that was written and what became of it.
func (f *facts) arm(v *ir.Value, holds bool, conds ...*ir.Value) *ir.Value {
	if f.isPlain(v) {
		return v
	}
	var learnt []int
	for _, c := range conds {
		learnt = append(learnt, f.learn(c, holds)...)
	}
	r := f.within(v)
	for _, id := range learnt {
		delete(f.holds, id)
	}
	return r
}

func (f *facts) rewrite(v *ir.Value) *ir.Value {
	if f.isPlain(v) {
		return v
	}
	if known := f.known(v); known != nil {
		return known
	}
	r, ok := f.memo[v]
	if !ok {
		r = f.rebuilt(v)
		f.memo[v] = r
	}
	return r
}

func (f *facts) rebuilt(v *ir.Value) *ir.Value {
	args := make([]*ir.Value, len(v.Args))
	if v.Op != ir.OpSelect {
		for i, a := range v.Args {
			args[i] = f.rewrite(a)
		}
		r := f.s.num.First(f.s.simple(ir.WithArgs(v, args)))
		if known := f.known(r); known != nil {
			return known
		}
		return r
	}
	c := f.rewrite(v.Args[0])
	switch c.Op {
	case ir.OpTrue:
		return f.rewrite(v.Args[1])
	case ir.OpFalse:
		return f.rewrite(v.Args[2])
	}
	args[0], args[1], args[2] = c, f.arm(v.Args[1], true, v.Args[0], c), f.arm(v.Args[2], false, v.Args[0], c)
	return f.s.num.First(f.s.simple(ir.WithArgs(v, args)))
}

// known is true or false for a condition of which that is known, else nil.
func (f *facts) known(v *ir.Value) *ir.Value {
	if v.Type.Kind != ir.Bool {
		return nil
	}
	switch h, ok := f.holds[f.s.num.ID(v)]; {
	case !ok:
		return nil
	case h:
		return ir.True
	}
	return ir.False
}

// isPlain tells whether no conditions occur in a value.
func (f *facts) isPlain(v *ir.Value) bool {
	plain, ok := f.plain[v]
	if !ok {
		plain = v.Type.Kind != ir.Bool && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !f.isPlain(a) })
		f.plain[v] = plain
	}
	return plain
}

// absorbed drops from a || b what another side implies: a || a && b is a.
func (s *simplifier) absorbed(v *ir.Value) *ir.Value {
	sets := make([]map[int]bool, len(v.Args))
	by := map[int][]int{} // the sides by one of their conditions
	for i, a := range v.Args {
		sets[i] = map[int]bool{}
		for k, c := range ir.Conjuncts(a) {
			id := s.num.ID(c)
			if sets[i][id] = true; k == 0 {
				by[id] = append(by[id], i)
			}
		}
	}
	implied := func(i int) bool {
		for id := range sets[i] {
			for _, k := range by[id] {
				if len(sets[k]) < len(sets[i]) && subset(sets[k], sets[i]) {
					return true
				}
			}
		}
		return false
	}
	var kept []*ir.Value
	for i, a := range v.Args {
		if len(sets[i]) == 1 || !implied(i) {
			kept = append(kept, a)
		}
	}
	if len(kept) == len(v.Args) {
		return v
	}
	return ir.Or(kept...)
}

func subset(a, b map[int]bool) bool {
	for x := range a {
		if !b[x] {
			return false
		}
	}
	return true
}

// unguarded drops the guard of a sum whose parts are guarded by themselves: the guard keeps products from being computed,
// and here none follows.
func (s *simplifier) unguarded(v *ir.Value) *ir.Value {
	if v.Op == ir.OpSelect && grad.IsZero(v.Args[2]) {
		sum := v.Args[1]
		if sum.Op == ir.OpAdd || sum.Op == ir.OpSub {
			p := ir.Or(grad.Presence(sum.Args[0]), grad.Presence(sum.Args[1]))
			if p.Op == ir.OpOr {
				p = s.absorbed(p)
			}
			if p.Op != ir.OpTrue && s.num.Equal(p, v.Args[0]) {
				v = sum
			}
		}
	}
	switch v.Op {
	case ir.OpAdd, ir.OpSub, ir.OpNeg:
		args := make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = s.unguarded(a)
		}
		return ir.WithArgs(v, args)
	}
	return v
}
