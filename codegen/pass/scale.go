package pass

import "github.com/opgen/opgen/codegen/ir"

// scaled carries sums of exponentials that are shifted by a running maximum h, as logsumexp over a range that grows:
//
//	y[t] += w(s)*exp(x[s] - h[t])   for s in 0..t+1
//
// What was summed up so far is multiplied by exp(h[t-1] - h[t]) where the maximum moves, which is at most 1, as all exponentials are.
//
// h has to be the maximum, or 0 where that is infinite; so it falls twice at most, from 0 when the first number comes that is not -Inf, and to 0
// when +Inf does. Then the factor is above 1, and the points are summed up anew. Where h is the maximum itself terms are NaN while that is infinite, and count
// anew when it isn't any more.
func (c *carrier) scaled(d *ir.Def) []*ir.Def {
	if d.Monoid != ir.Sum || !c.f.IsFloat(d.Target) {
		return nil
	}
	for _, e := range d.Dest {
		t := e.Var
		x := exponential(d.Body, t)
		if x == nil {
			continue
		}
		a, h := x.Args[0].Args[0], x.Args[0].Args[1]
		m, finite := c.shift(h)
		if m == nil || m.at != t || m.hangsOn(d.Reduced()) || ir.DependsOn(a, map[*ir.Var]bool{t: true}) {
			continue
		}
		for _, s := range d.Reduced() {
			n := grown(d, t, s, []*ir.Value{})
			if n == nil || n.Reverse != m.def.Reverse {
				continue
			}
			v, _ := n.Moving()
			if !m.covers(v, ir.Subst(a, map[*ir.Var]*ir.Value{s: ir.Index(v)})) {
				continue
			}
			then, some := before(h, t, n.Reverse)
			n.Scaled = ratio(some, then, h, then, finite)
			return []*ir.Def{n}
		}
	}
	return nil
}

// wide is a value as a float64.
func wide(v *ir.Value) *ir.Value { return ir.Cast(v, ir.TypedAs(ir.Elem{Name: "f64"})) }

// ratio is exp(a - b) in float64, for a shift that moves; then is the one of them that comes first. It is 1 where there is none before, or where the shift
// stays, and 2, for anew, where it was infinite, if it can be.
func ratio(some, a, b, then *ir.Value, finite bool) *ir.Value {
	by := ir.Call(ir.OpExp, ir.Sub(wide(a), wide(b)))
	if !finite {
		by = ir.Select(ir.Call(ir.OpIsInf, then), wide(ir.Int(2)), by)
	}
	return ir.Select(ir.And(some, ir.Not(ir.Call(ir.OpEq, a, b))), by, wide(ir.Int(1)))
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
	h = c.resolved(h)
	var conds []*ir.Value
	if h.Op == ir.OpSelect {
		cond, v, zero := h.Args[0], h.Args[1], h.Args[2]
		if ir.IsConst(v, 0) {
			cond, v, zero = ir.Not(cond), zero, v
		}
		if !ir.IsConst(zero, 0) {
			return nil, false
		}
		conds, h = ir.Conjuncts(cond), c.resolved(v)
	}
	if m = c.runningAt(h); m == nil || m.def.Monoid != ir.Max {
		return nil, false
	}
	r := span{vars: []*ir.Var{m.at}}
	for _, q := range conds {
		if q.Op == ir.OpNot && q.Args[0].Op == ir.OpIsInf && ir.Equal(c.resolved(q.Args[0].Args[0]), h) {
			finite = true
		} else if !r.always(q) {
			return nil, false
		}
	}
	return m, finite
}

// resolved is a value without stops and casts that leave it as it is, and what it is computed as where it is an element of another tensor.
func (c *carrier) resolved(v *ir.Value) *ir.Value {
	for {
		v = bare(v)
		switch d := c.done[v.Tensor]; {
		case v.Op == ir.OpStop:
			v = v.Args[0]
		case v.Op == ir.OpRead && d != nil && d.IsPointwise():
			v = at(d, v.Args)
		default:
			return v
		}
	}
}
