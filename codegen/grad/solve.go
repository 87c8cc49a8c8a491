package grad

import (
	"maps"
	"math/big"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// flow is what flows back to a tensor u through one read of it:
//
//	@u[dest(v)] += body(v)   for v in vars where where
//
// Solved, dest are variables of their own that run over the axes of u, and what was asked of dest stands in where.
type flow struct {
	vars  []*ir.Var
	dest  []*ir.Value
	where []*ir.Value
	body  *ir.Value
}

// pointwise tells whether each element of u gets at most one contribution, which stands at the element.
func (c *flow) pointwise(u *ir.Tensor) bool {
	return len(c.vars) == len(u.Axes) && c.plain(u)
}

// plain tells whether dest are distinct variables over the axes of u.
func (c *flow) plain(u *ir.Tensor) bool {
	return (&ir.Def{Target: u, Vars: c.vars, Dest: c.dest}).IsPlain()
}

// solve turns the equations k = dest(v), one for each axis of u, into variables and conditions. A variable that occurs
// with coefficient ±1 is replaced; an equation that holds no variable any more becomes a condition on k. Where an
// equation that reads data, or a range, would tie a variable that remains, visiting every k for every v costs more than the
// scatter, and the flow stays as it is. So it does where a range would be asked for at a k for which it may have no value.
func (c *flow) solve(u *ir.Tensor) *flow {
	if c.plain(u) {
		return c
	}
	s := &flow{}
	open := map[*ir.Var]bool{} // variables not yet replaced
	for _, v := range c.vars {
		open[v] = true
	}
	m := map[*ir.Var]*ir.Value{}
	moved := map[*ir.Var]bool{} // variables that now have a value which may be out of their ranges
	keys := make([]*ir.Var, len(u.Axes))
	done := make([]bool, len(u.Axes))
	for j, a := range u.Axes {
		keys[j] = &ir.Var{Name: keyName(a, c.vars, keys[:j]), Axis: a}
		// Plain variables first: they cost no condition.
		if e := c.dest[j]; e.Op == ir.OpIndex && open[e.Var] && e.Var.Axis == a {
			keys[j].Name = e.Var.Name
			m[e.Var] = ir.Index(keys[j])
			delete(open, e.Var)
			done[j] = true
		}
	}
	var ranges, equations []*ir.Value
	for j := range u.Axes {
		if done[j] {
			continue
		}
		e := ir.Subst(c.dest[j], m)
		if v, x := unit(e, ir.Index(keys[j]), replaceable(e, c.vars, open)); v != nil {
			lo, hi := v.Lo, v.Hi
			if v.Axis != nil {
				lo, hi = ir.Int(0), ir.Extent(v.Axis)
			}
			delete(open, v)
			moved[v] = true
			m[v] = x
			compose(m, v, x)
			ranges = append(ranges, inRange(x, ir.Subst(lo, m), ir.Subst(hi, m))...)
			continue
		}
		equations = append(equations, ir.Call(ir.OpEq, ir.Index(keys[j]), e))
	}
	for i, q := range equations {
		q = ir.Subst(q, m)
		if ir.DependsOn(q, open) || len(open) > 0 && len(ir.Reads(q)) > 0 {
			return c
		}
		equations[i] = q
	}
	s.vars = keys
	waiting := maps.Clone(open) // variables that aren't listed yet
	for _, v := range c.vars {
		if !open[v] {
			continue
		}
		if v.Axis == nil {
			if ir.DependsOn(ir.Subst(v.Lo, m), waiting) || ir.DependsOn(ir.Subst(v.Hi, m), waiting) {
				return c // its range hangs on a variable that was replaced by it
			}
			w := &ir.Var{Name: v.Name, Lo: ir.Subst(v.Lo, m), Hi: ir.Subst(v.Hi, m)}
			if anyDepends([]*ir.Value{v.Lo, v.Hi}, moved) && !(defined(w.Lo, nil) && defined(w.Hi, nil)) {
				return c // ranges are asked for before conditions
			}
			m[v] = ir.Index(w)
			compose(m, v, m[v])
			delete(waiting, v)
			v = w
		}
		delete(waiting, v)
		s.vars = append(s.vars, v)
	}
	s.dest = ir.Indices(keys)
	where, ok := conditions(c.where, ir.SubstAll(ranges, m), ir.SubstAll(equations, m), m, moved, keys)
	if !ok {
		return c
	}
	s.where = where
	s.body = ir.Subst(c.body, m)
	return s
}

// hoisted moves the guards of the body to where: the destination is read, and in range, only where they hold.
func (c *flow) hoisted() *flow {
	p := Presence(c.body)
	if p.Op == ir.OpTrue {
		return c
	}
	h := *c
	h.where = append(append([]*ir.Value{}, c.where...), ir.Conjuncts(p)...)
	for h.body.Op == ir.OpSelect && IsZero(h.body.Args[2]) {
		h.body = h.body.Args[1]
	}
	return &h
}

// replaceable are the open variables that may be replaced by what an equation for e gives: not those on which the range of another
// variable of e hangs.
func replaceable(e *ir.Value, vars []*ir.Var, open map[*ir.Var]bool) map[*ir.Var]bool {
	r := maps.Clone(open)
	free := ir.FreeVars(e)
	for _, w := range vars {
		if w.Axis != nil || !open[w] || !free[w] {
			continue
		}
		for v := range ir.FreeVars(w.Lo, w.Hi) {
			delete(r, v)
		}
	}
	return r
}

// compose puts the value of v into the values found before.
func compose(m map[*ir.Var]*ir.Value, v *ir.Var, x *ir.Value) {
	one := map[*ir.Var]*ir.Value{v: x}
	for w, y := range m {
		if w != v {
			m[w] = ir.Subst(y, one)
		}
	}
}

// inRange are the conditions lo ≤ x < hi that don't hold anyway.
func inRange(x, lo, hi *ir.Value) []*ir.Value {
	if x.Op == ir.OpIndex && x.Var.Axis != nil && ir.IsConst(lo, 0) && hi.Op == ir.OpExtent && hi.Axis == x.Var.Axis {
		return nil
	}
	var r []*ir.Value
	for _, c := range []*ir.Value{ir.Call(ir.OpLe, lo, x), ir.Call(ir.OpLt, x, hi)} {
		if c.Op != ir.OpTrue {
			r = append(r, c)
		}
	}
	return r
}

// unit finds an open variable v that e holds with coefficient ±1 and nowhere else, and solves e = k for it.
func unit(e, k *ir.Value, open map[*ir.Var]bool) (*ir.Var, *ir.Value) {
	var found *ir.Var
	var value *ir.Value
	ir.Walk(e, func(x *ir.Value) bool {
		if found != nil || x.Op != ir.OpIndex || !open[x.Var] {
			return found == nil
		}
		a, rest := ir.LinearIn(e, x.Var)
		if a == nil || !a.IsInt() || a.Num().CmpAbs(big.NewInt(1)) != 0 {
			return true
		}
		// k = ±v + rest
		found, value = x.Var, less(k, rest)
		if a.Sign() < 0 {
			value = ir.Sub(rest, k)
		}
		return false
	})
	return found, value
}

// less is a - b, written with a plus where b is a negative constant.
func less(a, b *ir.Value) *ir.Value {
	if b.Const != nil && b.Const.Sign() < 0 {
		return ir.Add(a, ir.Const(new(big.Rat).Neg(b.Const)))
	}
	return ir.Sub(a, b)
}

// keyName is a name for the variable of an axis that no other variable has.
func keyName(a *ir.Axis, vars, keys []*ir.Var) string {
	name := strings.ToLower(a.Name)
	taken := func() bool {
		for _, l := range [][]*ir.Var{vars, keys} {
			for _, v := range l {
				if v.Name == name {
					return true
				}
			}
		}
		return false
	}
	for taken() {
		name += "'"
	}
	return name
}

// guardOf is the exact condition at u[dest] under which a solved flow contributes something; nil where it isn't
// known without a reduction.
func (c *flow) guardOf(u *ir.Tensor) *ir.Value {
	var all []*ir.Value
	for _, w := range append(append([]*ir.Value{}, c.where...), Presence(c.body)) {
		all = append(all, ir.Conjuncts(w)...)
	}
	if mayVanish(c.body) {
		return nil
	}
	if len(all) == 0 && c.plain(u) {
		return ir.True
	}
	if !c.plain(u) {
		return nil
	}
	reduced := map[*ir.Var]bool{}
	for _, v := range (&ir.Def{Vars: c.vars, Dest: c.dest}).Reduced() {
		reduced[v] = true
	}
	var kept []*ir.Value
	bound := map[*ir.Var]bool{} // variables that an equation fixes
	for _, w := range all {
		if !ir.DependsOn(w, reduced) {
			kept = append(kept, w)
			continue
		}
		// There is a v with v == e, free of reduced variables: e in the range of v.
		v, e := Fixes(w, reduced)
		if v == nil || bound[v] || v.Axis == nil {
			return nil
		}
		bound[v] = true
		kept = append(kept, OnAxis(e, v.Axis)...)
	}
	return ir.And(kept...)
}

// OnAxis are the conditions under which an exact number is an index of an axis: whole, where it may be a fraction, and in range.
func OnAxis(e *ir.Value, a *ir.Axis) []*ir.Value {
	r := []*ir.Value{ir.Call(ir.OpLe, ir.Int(0), e), ir.Call(ir.OpLt, e, ir.Extent(a))}
	if e.Type.Kind == ir.Exact && !ir.IsWhole(e) && !(e.Op == ir.OpCast && e.Args[0].Type.Kind == ir.Typed) {
		r = append([]*ir.Value{ir.Call(ir.OpEq, ir.Call(ir.OpFloor, e), e)}, r...)
	}
	return r
}

// Fixes reads a condition as v == e, with v one of the variables and e free of them.
func Fixes(w *ir.Value, vars map[*ir.Var]bool) (*ir.Var, *ir.Value) {
	if w.Op != ir.OpEq {
		return nil, nil
	}
	for i, a := range w.Args {
		e := w.Args[1-i]
		if a.Op == ir.OpCast {
			a = a.Args[0]
		}
		if a.Op == ir.OpIndex && vars[a.Var] && !ir.DependsOn(e, vars) {
			return a.Var, e
		}
	}
	return nil, nil
}
