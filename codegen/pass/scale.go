package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// scaled carries sums of exponentials that are shifted by a running maximum h, as logsumexp over a range that grows, and its derivative:
//
//	y[t] += w(s)*exp(x[s] - h[t])   for s in 0..t+1
//	z[l] += g(t)*exp(x[l] - h[t])   for t in l..L
//
// What was summed up so far is multiplied by exp(h[t-1] - h[t]) where the maximum moves, which is at most 1, as all exponentials are. The second is
// exp(x[l] - h[l]) times the sum of g(t)*exp(h[l] - h[t]), which is multiplied by exp(h[l] - h[l+1]) at each step down. Both are kept in float64.
//
// h has to be the maximum, or 0 where that is infinite; so it falls twice at most, from 0 when the first number comes that is not -Inf, and to 0
// when +Inf does. Then the factor is above 1, and the points are summed up anew. The first sum may also have the maximum itself as h: terms are NaN while that is infinite, and
// count anew when it isn't any more.
func (c *carrier) scaled(d *ir.Def) []*ir.Def {
	if d.Monoid != ir.Sum || !c.f.IsFloat(d.Target) {
		return nil
	}
	for _, e := range d.Dest {
		for _, s := range d.Reduced() {
			if n := c.scaledUp(d, e.Var, s); n != nil {
				return n
			}
			if n := c.scaledDown(d, e.Var, s); n != nil {
				return n
			}
		}
	}
	return nil
}

// scaledUp is the first of the two.
func (c *carrier) scaledUp(d *ir.Def, t, s *ir.Var) []*ir.Def {
	x := exponential(d.Body, t)
	if x == nil {
		return nil
	}
	a, h := x.Args[0].Args[0], x.Args[0].Args[1]
	m, finite := c.shift(h)
	if m == nil || m.at != t || m.hangsOn(d.Reduced()) || ir.DependsOn(a, map[*ir.Var]bool{t: true}) {
		return nil
	}
	n := grown(d, t, s, []*ir.Value{})
	if n == nil || n.Reverse {
		return nil
	}
	v, lower := n.Moving()
	if lower || !m.covers(v, ir.Subst(a, map[*ir.Var]*ir.Value{s: ir.Index(v)})) {
		return nil
	}
	n.Scaled = ratio(ir.Call(ir.OpLe, ir.Int(1), ir.Index(t)), before(h, t), h, finite)
	return []*ir.Def{n}
}

// scaledDown is the second one.
func (c *carrier) scaledDown(d *ir.Def, l, t *ir.Var) []*ir.Def {
	x := exponential(d.Body, l)
	if x == nil {
		return nil
	}
	a, h := x.Args[0].Args[0], x.Args[0].Args[1]
	m, finite := c.shift(h)
	others := slices.DeleteFunc(slices.Clone(d.Reduced()), func(v *ir.Var) bool { return v == t })
	if m == nil || !finite || m.at != t || t.Axis == nil || t.Axis != l.Axis || m.hangsOn(others) || ir.DependsOn(a, own(d.Reduced())) || !m.reachesTo(a, l) {
		return nil
	}
	here := ir.Subst(h, map[*ir.Var]*ir.Value{t: ir.Index(l)})
	shifted := *d
	shifted.Body = wide(replaced(d.Body, x, ir.Call(ir.OpExp, ir.Sub(here, h))))
	n := grown(&shifted, l, t, []*ir.Value{})
	if n == nil || !n.Reverse {
		return nil
	}
	if v, lower := n.Moving(); !lower || !ir.Equal(v.Lo, ir.Index(l)) {
		return nil
	}
	up := ir.Add(ir.Index(l), ir.Int(1))
	n.Scaled = ratio(ir.Call(ir.OpLt, up, ir.Extent(l.Axis)), here, ir.Subst(here, map[*ir.Var]*ir.Value{l: up}), true)
	into := &ir.Tensor{Name: c.fresh(d.Target.Name + ".scaled"), Role: ir.Local, Elem: ir.Elem{Name: "f64"}, Axes: d.Target.Axes, Span: d.Target.Span}
	y := *d
	y.Monoid, y.Where, y.Vars = ir.Assign, nil, nil
	for _, e := range d.Dest {
		y.Vars = append(y.Vars, e.Var)
	}
	// Where x[l] is -Inf all that is read of it is 0, whatever the rest overflows to.
	y.Body = ir.Cast(ir.Call(ir.OpAbsorb, wide(ir.Call(ir.OpExp, ir.Sub(a, here))), ir.Read(into, d.Dest...)), ir.ElemType(d.Target.Elem))
	return []*ir.Def{n.Copy(into), &y}
}

// reachesTo tells whether the extreme at l is taken of all points up to l, that of l being a.
func (m *running) reachesTo(a *ir.Value, l *ir.Var) bool {
	d := m.def
	if len(d.Reduced()) != 1 {
		return false
	}
	at := map[*ir.Var]*ir.Value{}
	for i, e := range d.Dest {
		if at[e.Var] = m.read.Args[i]; e.Var == d.Carried {
			at[e.Var] = ir.Index(l)
		}
	}
	w := d.Reduced()[0]
	if !ir.IsConst(w.Lo, 0) || !ir.Equal(ir.Ordered(ir.Subst(w.Hi, at)), ir.Ordered(ir.Add(ir.Index(l), ir.Int(1)))) {
		return false
	}
	at[w] = ir.Index(l)
	return ir.Equal(bare(ir.Subst(d.Body, at)), bare(a))
}

// wide is a value as a float64.
func wide(v *ir.Value) *ir.Value { return ir.Cast(v, ir.TypedAs(ir.Elem{Name: "f64"})) }

// ratio is exp(a - b) in float64, for a shift a that is followed by b; 1 where inside doesn't hold, or where the shift stays, and 2, for anew, where a
// is infinite.
func ratio(inside, a, b *ir.Value, finite bool) *ir.Value {
	moved := ir.And(inside, ir.Not(ir.Call(ir.OpEq, a, b)))
	by := ir.Call(ir.OpExp, ir.Sub(wide(a), wide(b)))
	if !finite {
		by = ir.Select(ir.Call(ir.OpIsInf, a), wide(ir.Int(2)), by)
	}
	return ir.Select(moved, by, wide(ir.Int(1)))
}

// exponential finds the factor exp(a - b) of a product that hangs on t, if nothing else in it does; nil where there isn't one.
func exponential(v *ir.Value, t *ir.Var) *ir.Value {
	on := map[*ir.Var]bool{t: true}
	var find func(v *ir.Value) *ir.Value
	find = func(v *ir.Value) *ir.Value {
		factors := v.Args
		switch {
		case v.Op == ir.OpExp && v.Args[0].Op == ir.OpSub && ir.DependsOn(v, on):
			return v
		case v.Op == ir.OpDiv || v.Op == ir.OpCast || v.Op == ir.OpNeg:
			factors = v.Args[:1]
		case v.Op != ir.OpMul:
			return nil
		}
		for _, a := range factors {
			if x := find(a); x != nil {
				return x
			}
		}
		return nil
	}
	x := find(v)
	if x == nil || ir.DependsOn(replaced(v, x, ir.Cast(ir.Int(1), x.Type)), on) {
		return nil
	}
	return x
}

// replaced is a value with y in place of x in it.
func replaced(v, x, y *ir.Value) *ir.Value {
	return ir.Map(v, func(v *ir.Value) *ir.Value {
		if v == x {
			return y
		}
		return v
	})
}

// shift reads a value as a running maximum, or as that where it is finite and 0 else, and tells which; nil where it is neither.
func (c *carrier) shift(h *ir.Value) (m *running, finite bool) {
	if h.Op == ir.OpRead {
		if d := c.done[h.Tensor]; d != nil && d.IsPointwise() {
			h = at(d, h.Args)
		}
	}
	unstopped := func(v *ir.Value) *ir.Value {
		for v = bare(v); v.Op == ir.OpStop; {
			v = bare(v.Args[0])
		}
		return v
	}
	h = unstopped(h)
	var conds []*ir.Value
	if h.Op == ir.OpSelect && ir.IsConst(h.Args[2], 0) {
		conds, h = ir.Conjuncts(h.Args[0]), unstopped(h.Args[1])
	}
	if m = c.runningAt(h); m == nil || m.def.Monoid != ir.Max {
		return nil, false
	}
	r := span{vars: []*ir.Var{m.at}}
	for _, q := range conds {
		if q.Op == ir.OpNot && q.Args[0].Op == ir.OpIsInf && ir.Equal(unstopped(q.Args[0].Args[0]), h) {
			finite = true
		} else if !r.always(q) {
			return nil, false
		}
	}
	return m, finite
}
