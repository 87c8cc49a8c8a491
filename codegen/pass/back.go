package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// back carries what flows back from reductions that follow a running extreme, against the way that it runs:
//
//	z[l] += g(t)*exp(x[l] - h[t])   for t in l..L
//	z[l] += g(t)                    for t in l..L where x[l] == m[t]
//
// Here it is x[l], of the index along which the sum is carried, that is measured against each m[t]; but m[l], which x[l] is one of the points of, stands
// between them. The first is exp(x[l] - h[l]) times the sum w[l] of g(t)*exp(h[l] - h[t]), of which what is summed up so far is multiplied by exp(h[l] -
// h[l+1]) at each step, as in scaled. The second is the sum of g(t) where m[t] == m[l] if x[l] == m[l], else 0; none of its points counts any more when
// m moves.
//
// Where h is the maximum itself, and infinite at l, the term of t = l makes the sum NaN. So that has to be among the points.
func (c *carrier) back(d *ir.Def) []*ir.Def {
	if d.Monoid != ir.Sum || !c.f.IsFloat(d.Target) {
		return nil
	}
	d = filtered(d)
	for _, e := range d.Dest {
		if r := c.scaledBack(d, e.Var); r != nil {
			return r
		}
		if r := c.heldBack(d, e.Var); r != nil {
			return r
		}
	}
	return nil
}

// scaledBack is the first of the two.
func (c *carrier) scaledBack(d *ir.Def, l *ir.Var) []*ir.Def {
	if !d.Derived {
		return nil // where the rule gives NaN, this may give a number
	}
	x := exponential(d.Body, l)
	if x == nil {
		return nil
	}
	a, h := x.Args[0].Args[0], x.Args[0].Args[1]
	m, finite := c.shift(h)
	if m == nil || !m.isAgainst(d, l, a) {
		return nil
	}
	here := ir.Subst(h, map[*ir.Var]*ir.Value{m.at: ir.Index(l)})
	shifted := *d
	shifted.Body = wide(replaced(d.Body, x, ir.Call(ir.OpExp, ir.Sub(here, h))))
	n := m.grownBack(&shifted, l, nil)
	if n == nil || !finite && len(n.Where) > 0 {
		return nil
	}
	then, some := before(here, l, n.Reverse)
	n.Scaled = ratio(some, here, then, then, finite)
	into := c.backInto(d, ir.Elem{Name: "f64"})
	// Where x[l] is -Inf all that is read of it is 0, whatever the rest overflows to.
	z := ir.Call(ir.OpAbsorb, wide(ir.Call(ir.OpExp, ir.Sub(a, here))), ir.Read(into, d.Dest...))
	return []*ir.Def{n.Copy(into), pointwise(d, z)}
}

// heldBack is the second one.
func (c *carrier) heldBack(d *ir.Def, l *ir.Var) []*ir.Def {
	for i, w := range d.Where {
		a, m := c.reaches(w)
		if m == nil || ir.DependsOn(d.Body, map[*ir.Var]bool{l: true}) || !m.isAgainst(d, l, a) {
			continue
		}
		at := map[*ir.Var]*ir.Value{m.at: ir.Index(l)}
		here := ir.Subst(m.read, at)
		held := c.same(m.read, here)
		among := *d
		among.Where = slices.Clone(d.Where)
		among.Where[i] = held
		n := m.grownBack(&among, l, []*ir.Value{held})
		if n == nil {
			continue
		}
		then, some := before(here, l, n.Reverse)
		n.Kept = ir.And(some, c.same(here, then))
		into := c.backInto(d, d.Target.Elem)
		z := ir.Select(ir.Subst(w, at), ir.Read(into, d.Dest...), ir.Cast(ir.Int(0), ir.ElemType(into.Elem)))
		return []*ir.Def{n.Copy(into), pointwise(d, z)}
	}
	return nil
}

// backInto is a local of the axes of the target of d.
func (c *carrier) backInto(d *ir.Def, e ir.Elem) *ir.Tensor {
	return &ir.Tensor{Name: c.fresh(d.Target.Name + ".back"), Role: ir.Local, Elem: e, Axes: d.Target.Axes, Span: d.Target.Span}
}

// pointwise is the target of d with a value at each point.
func pointwise(d *ir.Def, v *ir.Value) *ir.Def {
	n := *d
	n.Monoid, n.Where, n.Vars = ir.Assign, nil, nil
	for _, e := range d.Dest {
		n.Vars = append(n.Vars, e.Var)
	}
	n.Body = ir.Cast(v, ir.ElemType(d.Target.Elem))
	return &n
}

// isAgainst tells whether d sums over the index of the extreme, and a is the point that the extreme at l takes in last.
func (m *running) isAgainst(d *ir.Def, l *ir.Var, a *ir.Value) bool {
	t := m.at
	others := slices.DeleteFunc(d.Reduced(), func(v *ir.Var) bool { return v == t })
	if !slices.Contains(d.Reduced(), t) || t.Axis == nil || t.Axis != l.Axis || m.hangsOn(others) || ir.DependsOn(a, own(d.Reduced())) || len(m.def.Reduced()) != 1 {
		return false
	}
	at := map[*ir.Var]*ir.Value{}
	for i, e := range m.def.Dest {
		if at[e.Var] = m.read.Args[i]; e.Var == m.def.Carried {
			at[e.Var] = ir.Index(l)
		}
	}
	w := m.def.Reduced()[0]
	lo, hi := ir.Ordered(ir.Subst(w.Lo, at)), ir.Ordered(ir.Subst(w.Hi, at))
	up := ir.IsConst(lo, 0) && ir.Equal(hi, ir.Add(ir.Index(l), ir.Int(1))) && !m.def.Reverse
	down := ir.Equal(lo, ir.Index(l)) && ir.Equal(hi, ir.Extent(l.Axis)) && m.def.Reverse
	at[w] = ir.Index(l)
	return (up || down) && ir.Equal(bare(ir.Subst(m.def.Body, at)), bare(a))
}

// grownBack is d carried along l over the index of the extreme, from l on against the way that the extreme runs; nil where it can't be.
func (m *running) grownBack(d *ir.Def, l *ir.Var, known []*ir.Value) *ir.Def {
	n := grown(d, l, m.at, append([]*ir.Value{}, known...))
	if n == nil || n.Reverse == m.def.Reverse {
		return nil
	}
	v, lower := n.Moving()
	if lower && ir.Equal(v.Lo, ir.Index(l)) || !lower && ir.Equal(v.Hi, ir.Add(ir.Index(l), ir.Int(1))) {
		return n
	}
	return nil
}
