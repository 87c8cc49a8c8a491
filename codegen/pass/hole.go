package pass

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// hole is the point that a reduction leaves out: vars[i] is at[i], for all i.
type hole struct {
	vars []*ir.Var
	at   []*ir.Value
}

// holed computes a reduction over all points but one, in one or several axes, of reductions that are carried: over the points before the one
// in order and over those behind it, which meet in the target. Nothing is divided, nor taken back from a whole, so zeros, NaN and Inf are right.
//
// Points of several axes differ in the first of them, or are the same there and differ in the second, and so on:
//
//	p[i, j] *= x[k, l]   for … where !(k == i && l == j)
//
// is Π over k < i and all l, times that over k > i, times x[i, l] over l < j, times that over l > j. The first two don't hang on j and have no axis of it.
//
// Factors and terms that are floats are kept in float64 on the way, as what is reduced is, and rounded once.
// It is nil where d isn't such a reduction, or where one of the parts couldn't be carried.
func (c *carrier) holed(d *ir.Def) []*ir.Def {
	for i, w := range d.Where {
		h := holeOf(w, d)
		if h == nil {
			continue
		}
		names := maps.Clone(c.names)
		where := slices.Delete(slices.Clone(d.Where), i, i+1)
		if parts := c.around(d, h, where); parts != nil {
			return parts
		}
		c.names = names
	}
	return nil
}

// holeOf reads a condition as one that leaves out a point; nil where it isn't one.
func holeOf(w *ir.Value, d *ir.Def) *hole {
	var equal []*ir.Value
	switch w.Op {
	case ir.OpNe:
		equal = []*ir.Value{w}
	case ir.OpNot:
		equal = ir.Conjuncts(w.Args[0])
	}
	reduced := d.Reduced()
	all := map[*ir.Var]bool{}
	for _, v := range reduced {
		all[v] = true
	}
	at := map[*ir.Var]*ir.Value{}
	for _, q := range equal {
		if q.Op != ir.OpEq && q != w || q.Args[0].Type.Kind != ir.Exact || q.Args[1].Type.Kind != ir.Exact {
			return nil
		}
		for _, v := range reduced {
			if e, _ := solved(q.Args[0], q.Args[1], v); e != nil && at[v] == nil && !ir.DependsOn(e, all) {
				at[v] = ir.Ordered(e)
				break
			}
		}
	}
	if len(at) == 0 || len(at) != len(equal) {
		return nil
	}
	h := &hole{}
	for _, v := range reduced {
		if at[v] != nil {
			h.vars, h.at = append(h.vars, v), append(h.at, at[v])
		}
	}
	return h
}

// around are the parts of a reduction around a hole, and what they meet in. where are its other conditions.
func (c *carrier) around(d *ir.Def, h *hole, where []*ir.Value) []*ir.Def {
	elem, ok := c.kept(d)
	if !ok {
		return nil
	}
	if extreme := d.Monoid == ir.Max || d.Monoid == ir.Min; extreme && (len(h.vars) > 1 || len(where) > 0) {
		return nil // whether a part has points isn't known
	}
	var parts []*ir.Def
	var values []*ir.Value           // which meet
	fixed := map[*ir.Var]*ir.Value{} // variables that are where the hole is
	var inside []*ir.Value           // and that this is in their ranges
	for i, v := range h.vars {
		before, after := sides(v, h.at[i], fixed)
		var read, empty [2]*ir.Value
		for k, side := range []*ir.Value{before, after} {
			conds := append(slices.Concat(where, inside), side)
			p, value, none := c.part(d, fixed, conds, elem, [...]string{".before", ".after"}[k])
			if p == nil {
				return nil
			}
			parts = append(parts, p)
			read[k], empty[k] = value, none
		}
		if d.Monoid == ir.Max || d.Monoid == ir.Min {
			values = append(values, ir.Select(empty[0], read[1], ir.Select(empty[1], read[0], joined(d.Monoid, read[0], read[1]))))
		} else {
			values = append(values, joined(d.Monoid, read[0], read[1]))
		}
		fixed[v] = h.at[i]
		inside = append(inside, within(v, h.at[i], fixed)...)
	}
	body := values[0]
	for _, v := range values[1:] {
		body = joined(d.Monoid, body, v)
	}
	n := *d
	n.Monoid, n.Where, n.Body = ir.Assign, nil, ir.Cast(body, ir.ElemType(d.Target.Elem))
	n.Vars = slices.DeleteFunc(slices.Clone(d.Vars), func(v *ir.Var) bool { return slices.Contains(d.Reduced(), v) })
	return append(parts, &n)
}

// kept is the type in which parts of a reduction are kept; ok is false where none holds them as the reduction would.
func (c *carrier) kept(d *ir.Def) (e ir.Elem, ok bool) {
	e = d.Target.Elem
	if d.Monoid != ir.Sum && d.Monoid != ir.Prod {
		return e, true
	}
	switch class := c.f.Class(e); {
	case class == ir.ClassFloat || d.Derived && class == ir.ClassUnknown:
		return ir.Elem{Name: "f64"}, true
	case class == ir.ClassUnknown:
		return e, d.Monoid == ir.Sum // parts of a product may overflow where the product doesn't
	}
	return e, true
}

// sides are the conditions that a variable stands before a place, and behind it.
func sides(v *ir.Var, at *ir.Value, fixed map[*ir.Var]*ir.Value) (before, after *ir.Value) {
	at = ir.Subst(at, fixed)
	return ir.Call(ir.OpLt, ir.Index(v), at), ir.Call(ir.OpLt, at, ir.Index(v))
}

// within are the conditions that a place is in the range of a variable, if it isn't an index of the same axis.
func within(v *ir.Var, at *ir.Value, fixed map[*ir.Var]*ir.Value) []*ir.Value {
	lo, hi := v.Lo, v.Hi
	if v.Axis != nil {
		if at.Op == ir.OpIndex && at.Var.Axis == v.Axis {
			return nil
		}
		lo, hi = ir.Int(0), ir.Extent(v.Axis)
	}
	return []*ir.Value{ir.Call(ir.OpLe, ir.Subst(lo, fixed), at), ir.Call(ir.OpLt, at, ir.Subst(hi, fixed))}
}

// joining are the ops of two values that are reduced.
var joining = map[ir.Monoid]ir.Op{ir.Sum: ir.OpAdd, ir.Prod: ir.OpMul, ir.Max: ir.OpMax, ir.Min: ir.OpMin, ir.Any: ir.OpOr, ir.All: ir.OpAnd}

func joined(m ir.Monoid, a, b *ir.Value) *ir.Value { return ir.Call(joining[m], a, b) }

// part reduces the points on one side of a hole, for the indices of the target that it hangs on alone. It gives the element at these,
// and the condition that no points are there; nil where it can't be carried.
func (c *carrier) part(d *ir.Def, fixed map[*ir.Var]*ir.Value, where []*ir.Value, elem ir.Elem, name string) (p *ir.Def, read, none *ir.Value) {
	n := *d
	m := maps.Clone(fixed)
	n.Vars = nil
	for _, v := range d.Reduced() {
		if fixed[v] != nil {
			continue
		}
		if v.Axis == nil {
			w := &ir.Var{Name: v.Name, Lo: ir.Subst(v.Lo, m), Hi: ir.Subst(v.Hi, m)}
			m[v] = ir.Index(w)
			v = w
		}
		n.Vars = append(n.Vars, v)
	}
	n.Where, n.Body = ir.SubstAll(where, m), ir.Cast(ir.Subst(d.Body, m), ir.ElemType(elem))
	used := ir.FreeVars(append(slices.Clone(n.Where), n.Body)...)
	for _, v := range n.Vars {
		if v.Axis == nil {
			maps.Copy(used, ir.FreeVars(v.Lo, v.Hi))
		}
	}
	t := &ir.Tensor{Role: ir.Local, Elem: elem, Span: d.Target.Span}
	n.Dest = nil
	var over []*ir.Var
	for i, e := range d.Dest {
		if used[e.Var] {
			n.Dest, t.Axes, over = append(n.Dest, e), append(t.Axes, d.Target.Axes[i]), append(over, e.Var)
		}
	}
	n.Target, n.Vars = t, append(over, n.Vars...)
	if p = carried(&n); p == nil {
		return nil, nil, nil
	}
	s, _ := p.Moving()
	none = ir.Call(ir.OpLe, s.Hi, s.Lo)
	t.Name = c.fresh(d.Target.Name + name)
	return p.Copy(t), ir.Read(t, n.Dest...), none
}
