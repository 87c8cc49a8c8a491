package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Carry finds reductions of which each element goes over the points of the one before it and a few more, and has them carried on along their axis,
// in as many steps as there are points:
//
//	y[t] += x[s]   for t in L, s in L where s <= t     becomes     y[t] += x[s]   for t in L, s in 0..t + 1   carried along t up
//
// One end of the range has to hang on an index of the target and to move one way with it; nothing else that is reduced may hang on that index. A
// reduction that leaves one point out, s != t, is one up to it and one from behind it (see hole.go).
//
// It always pays: as it stands such a reduction takes the square of the length, and no nest can express it (it needs two indices as values), so no
// fast kernel is given up for it. Elements are reduced in the order of the definition where the range grows upwards, and in the opposite order
// where it grows downwards.
func Carry(f *ir.Func) *ir.Func {
	c := carrier{f: f, names: map[string]bool{}, done: map[*ir.Tensor]*ir.Def{}}
	for _, t := range f.Inputs {
		c.names[t.Name] = true
	}
	for _, d := range f.Defs {
		c.names[d.Target.Name] = true
	}
	for _, d := range f.Defs {
		c.carry(d)
	}
	return with(f, c.defs)
}

// carrier carries the definitions of a function.
type carrier struct {
	f     *ir.Func
	names map[string]bool
	defs  []*ir.Def
	done  map[*ir.Tensor]*ir.Def // the same by target
}

// carry adds a definition, carried on if that can be.
func (c *carrier) carry(d *ir.Def) {
	parts := []*ir.Def{d}
	if reduces(d) {
		for _, way := range []func(*ir.Def) []*ir.Def{plainly, c.holed, c.following, c.scaled, c.back, c.factored} {
			if n := way(d); n != nil {
				parts = n
				break
			}
		}
	}
	for _, p := range parts {
		c.defs = append(c.defs, p)
		c.done[p.Target] = p
	}
}

// reduces tells whether a definition reduces to one element for each point of its target, in any order.
func reduces(d *ir.Def) bool {
	return d.Monoid != ir.Assign && d.Group == 0 && d.Across == "" && d.Carried == nil && !d.Target.IsSize && d.IsPlain() && len(d.Reduced()) > 0
}

// plainly is carried as a way to carry a definition.
func plainly(d *ir.Def) []*ir.Def {
	if n := carried(d); n != nil {
		return []*ir.Def{n}
	}
	return nil
}

// fresh is a name that no tensor has yet.
func (c *carrier) fresh(name string) string {
	for c.names[name] {
		name += "'"
	}
	c.names[name] = true
	return name
}

// carried is a reduction that is carried along an index of its target; nil where it can't be.
func carried(d *ir.Def) *ir.Def {
	for _, s := range d.Reduced() {
		for _, e := range d.Dest {
			if n := along(d, e.Var, s); n != nil {
				return n
			}
		}
	}
	return nil
}

// along is d carried along t, with s as the variable whose range grows; nil where it can't be.
func along(d *ir.Def, t, s *ir.Var) *ir.Def {
	if ir.DependsOn(d.Body, map[*ir.Var]bool{t: true}) {
		return nil
	}
	return grown(d, t, s, nil)
}

// grown is d with a range of s that grows along t, whatever its body is; nil where the range doesn't, or where a condition on points hangs on t that
// isn't one of known.
func grown(d *ir.Def, t, s *ir.Var, known []*ir.Value) *ir.Def {
	on, reduced := map[*ir.Var]bool{t: true}, own(d.Reduced())
	for _, v := range d.Reduced() {
		if v.Axis == nil && v != s && (ir.DependsOn(v.Lo, on) || ir.DependsOn(v.Hi, on)) {
			return nil
		}
	}
	r := span{t: t, s: s, vars: d.Vars, reduced: reduced}
	if s.Axis != nil {
		r.lo, r.hi = []*ir.Value{ir.Int(0)}, []*ir.Value{ir.Extent(s.Axis)}
	} else {
		r.lo, r.hi = []*ir.Value{ir.Ordered(s.Lo)}, []*ir.Value{ir.Ordered(s.Hi)}
	}
	var where []*ir.Value
	for _, w := range d.Where {
		for _, c := range ir.Conjuncts(w) {
			switch {
			case !ir.DependsOn(c, on) || slices.Contains(known, c):
				where = append(where, c)
			case r.always(c) || r.bounds(c):
			case !isKnown(c, reduced) || known != nil:
				return nil
			default:
				where = append(where, c)
			}
		}
	}
	lo, hi, falls, ok := r.ends()
	if !ok {
		return nil
	}
	w := &ir.Var{Name: s.Name, Lo: lo, Hi: hi}
	m := map[*ir.Var]*ir.Value{s: ir.Index(w)}
	n := *d
	n.Vars = nil
	for _, v := range d.Vars {
		if !reduced[v] {
			n.Vars = append(n.Vars, v)
		}
	}
	n.Vars = append(n.Vars, w)
	for _, v := range d.Reduced() {
		if v == s {
			continue
		}
		if v.Axis == nil {
			x := &ir.Var{Name: v.Name, Lo: ir.Subst(v.Lo, m), Hi: ir.Subst(v.Hi, m)}
			m[v] = ir.Index(x)
			v = x
		}
		n.Vars = append(n.Vars, v)
	}
	n.Where, n.Body = ir.SubstAll(where, m), ir.Subst(d.Body, m)
	n.Carried, n.Reverse = t, falls
	return &n
}

// span is the range of a variable s, of which ends may hang on t.
type span struct {
	t, s    *ir.Var
	vars    []*ir.Var // of the definition
	reduced map[*ir.Var]bool
	lo, hi  []*ir.Value // lo ≤ s < hi, for each
}

// bounds takes a condition for a bound of s that hangs on t, if it is one.
func (r *span) bounds(c *ir.Value) bool {
	swap := c.Op == ir.OpNot
	if swap {
		c = c.Args[0]
	}
	if c.Op != ir.OpLt && c.Op != ir.OpLe || c.Args[0].Type.Kind != ir.Exact {
		return false
	}
	e, sign := solved(c.Args[0], c.Args[1], r.s)
	if e == nil || ir.DependsOn(e, r.reduced) {
		return false
	}
	// s < e for sign > 0, s > e for sign < 0; or with equality.
	strict := (c.Op == ir.OpLt) != swap
	below := (sign > 0) != swap
	switch {
	case below && !strict:
		e = ir.Add(e, ir.Int(1))
	case !below && strict:
		e = ir.Add(e, ir.Int(1))
	}
	if e = ir.Ordered(e); below {
		r.hi = append(r.hi, e)
	} else {
		r.lo = append(r.lo, e)
	}
	return true
}

// solved is e where a ⋚ b says s ⋚ e (sign 1) or s ⋛ e (sign -1), and e is whole; nil where it doesn't say so.
func solved(a, b *ir.Value, s *ir.Var) (e *ir.Value, sign int) {
	p, x := ir.LinearIn(a, s)
	q, y := ir.LinearIn(b, s)
	if p == nil || q == nil || !ir.IsWhole(x) || !ir.IsWhole(y) {
		return nil, 0
	}
	switch k := p.Sub(p, q); {
	case !k.IsInt() || !k.Num().IsInt64():
	case k.Num().Int64() == 1:
		return ir.Sub(y, x), 1
	case k.Num().Int64() == -1:
		return ir.Sub(x, y), -1
	}
	return nil, 0
}

// always tells whether a condition holds at all points.
func (r *span) always(c *ir.Value) bool {
	switch {
	case c.Op == ir.OpLe:
		return ir.AtMost(c.Args[0], c.Args[1], r.vars)
	case c.Op == ir.OpLt && ir.IsWhole(c.Args[0]) && ir.IsWhole(c.Args[1]):
		return ir.AtMost(ir.Add(c.Args[0], ir.Int(1)), c.Args[1], r.vars)
	}
	return false
}

// ends are the bounds of s, of which one moves as t rises, and whether the range grows as t falls.
func (r *span) ends() (lo, hi *ir.Value, falls, ok bool) {
	lo, lower, ok := r.end(r.lo, ir.OpMax, func(a, b *ir.Value) bool { return ir.AtMost(b, a, r.vars) })
	if !ok {
		return nil, nil, false, false
	}
	hi, upper, ok := r.end(r.hi, ir.OpMin, func(a, b *ir.Value) bool { return ir.AtMost(a, b, r.vars) })
	if !ok || (lower == 0) == (upper == 0) {
		return nil, nil, false, false
	}
	return lo, hi, lower > 0 || upper < 0, true
}

// end is one bound of several, the least or the greatest of them, and which way it moves as t rises. A bound is left out where another one implies it.
func (r *span) end(bounds []*ir.Value, op ir.Op, implies func(a, b *ir.Value) bool) (end *ir.Value, moves int, ok bool) {
	on := map[*ir.Var]bool{r.t: true}
	var kept []*ir.Value
	for i, b := range bounds {
		if !slices.ContainsFunc(kept, func(a *ir.Value) bool { return implies(a, b) }) &&
			!slices.ContainsFunc(bounds[i+1:], func(a *ir.Value) bool { return implies(a, b) }) {
			kept = append(kept, b)
		}
	}
	for _, b := range kept {
		if ir.DependsOn(b, on) {
			way := moving(b, r.t)
			if way == 0 || moves == -way || !isKnown(b, r.reduced) {
				return nil, 0, false
			}
			moves = way
		} else if !isKnown(b, r.reduced) {
			return nil, 0, false
		}
		switch {
		case end == nil:
			end = b
		case end.Type.Kind != ir.Exact || b.Type.Kind != ir.Exact:
			return nil, 0, false
		default:
			end = ir.Call(op, end, b)
		}
	}
	return end, moves, true
}

// moving tells which way a whole number goes as t rises: 1 up, -1 down, or not at all; 0 where it isn't known.
func moving(e *ir.Value, t *ir.Var) int {
	if !ir.IsWhole(e) {
		return 0
	}
	if a, _ := ir.LinearIn(e, t); a != nil {
		return a.Sign()
	}
	return 0
}

// isKnown tells whether a bound or a condition can be computed for an element whether it has points or not: of indices, extents and numbers, and of elements of
// inputs at indices of the target, in ways that can't fail.
func isKnown(v *ir.Value, reduced map[*ir.Var]bool) bool {
	if ir.DependsOn(v, reduced) {
		return false
	}
	ok := true
	ir.Walk(v, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpConst, ir.OpIndex, ir.OpExtent, ir.OpScalar, ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpMax, ir.OpMin,
			ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpNot, ir.OpAnd, ir.OpOr, ir.OpFloor, ir.OpCeil, ir.OpAbs:
		case ir.OpMul:
			ok = ok && v.Type.Kind == ir.Exact
		case ir.OpCast:
			ok = ok && v.Type.Kind == ir.Exact && v.Args[0].Op == ir.OpRead
		case ir.OpRead:
			ok = ok && v.Tensor.Role == ir.Input && !v.Tensor.Optional && atOwnPoints(v)
		default:
			ok = false
		}
		return ok
	})
	return ok
}
