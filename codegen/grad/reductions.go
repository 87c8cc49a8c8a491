package grad

import (
	"maps"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// throughExtreme shares the cotangent of a maximum or minimum among the points that reach it.
func (r *reverser) throughExtreme(d *ir.Def, body, g *ir.Value) *ir.Value {
	hit, ties := hits(d, body, r.names)
	r.define(ties)
	return guard(hit, Times(g, ir.Div(ir.Int(1), ir.Read(ties.Target, d.Dest...))))
}

// hits is the condition that a point reaches the maximum or minimum, and the definition of how many do. A NaN, which wins,
// is reached by the points that are NaN.
func hits(d *ir.Def, body *ir.Value, names names) (hit *ir.Value, ties *ir.Def) {
	t := d.Target
	y := ir.Read(t, d.Dest...)
	nan := func(v *ir.Value) *ir.Value { return ir.Call(ir.OpIsNaN, v) }
	hit = ir.Or(ir.Call(ir.OpEq, body, y), ir.And(nan(body), nan(y)))
	count := *d
	count.Monoid = ir.Sum
	count.Body = ir.Select(hit, ir.Cast(ir.Int(1), y.Type), ir.Int(0))
	return hit, count.Copy(&ir.Tensor{Name: names.fresh(t.Name + ".ties"), Role: ir.Local, Elem: t.Elem, Axes: t.Axes})
}

// throughProduct multiplies the cotangent of a product by the product of the other factors, which doesn't divide.
func (r *reverser) throughProduct(d *ir.Def, g *ir.Value) (*ir.Value, error) {
	o, err := others(d, r.f.Name, r.names)
	if err != nil {
		return nil, err
	}
	for _, x := range o.defs {
		r.define(x)
	}
	return Times(g, o.at), nil
}

// otherFactors is, for each point of a product, the product of the other factors.
type otherFactors struct {
	defs []*ir.Def // of the extents of ranges that are no axes, and of the product
	at   *ir.Value // its element at a point of the product
}

// others defines the product of the other factors, o[v] = Π body(v') for v' ≠ v, over axes of its own where variables of the
// product run over ranges.
func others(d *ir.Def, in string, names names) (*otherFactors, error) {
	t := d.Target
	if !d.IsPlain() {
		return nil, &ir.Fault{Func: in, Def: t.Name, Span: d.Span, Message: "the derivative of a product that scatters can't be derived; give it with grad"}
	}
	var r otherFactors
	target := &ir.Tensor{Name: names.fresh(t.Name + ".others"), Role: ir.Local, Elem: t.Elem}
	o := &ir.Def{Target: target, Monoid: ir.Prod, Span: d.Span}
	var index []*ir.Value
	at := map[*ir.Var]*ir.Value{} // the variables of the product by those of o
	for _, v := range d.Vars {
		w := &ir.Var{Name: v.Name, Axis: v.Axis}
		at[v] = ir.Index(w)
		if v.Axis == nil {
			length := longest(d, v, names)
			r.defs = append(r.defs, length)
			w.Axis = &ir.Axis{Name: "factor" + strings.TrimPrefix(length.Target.Name, "length"), Size: length.Target}
			at[v] = ir.Add(ir.Index(w), ir.Subst(v.Lo, at))
			o.Where = append(o.Where, ir.Call(ir.OpLt, at[v], ir.Subst(v.Hi, at)))
			index = append(index, ir.Sub(ir.Index(v), v.Lo))
		} else {
			index = append(index, ir.Index(v))
		}
		o.Vars, o.Dest, target.Axes = append(o.Vars, w), append(o.Dest, ir.Index(w)), append(target.Axes, w.Axis)
	}
	m := maps.Clone(at)
	var same []*ir.Value
	for _, v := range d.Reduced() {
		w := &ir.Var{Name: v.Name + "'", Axis: v.Axis}
		if v.Axis == nil {
			w.Lo, w.Hi = ir.Subst(v.Lo, m), ir.Subst(v.Hi, m)
		}
		o.Vars = append(o.Vars, w)
		m[v] = ir.Index(w)
		same = append(same, ir.Call(ir.OpEq, ir.Index(w), at[v]))
	}
	o.Where = append(append(o.Where, ir.Not(ir.And(same...))), ir.SubstAll(d.Where, m)...)
	o.Body = ir.Subst(d.Body, m)
	r.defs, r.at = append(r.defs, o), ir.Read(target, index...)
	return &r, nil
}

// longest defines how many values a variable of a definition has at most.
func longest(d *ir.Def, v *ir.Var, names names) *ir.Def {
	need := ir.FreeVars(v.Lo, v.Hi)
	before := d.Vars[:slices.Index(d.Vars, v)]
	for _, w := range slices.Backward(before) {
		if need[w] && w.Axis == nil {
			maps.Copy(need, ir.FreeVars(w.Lo, w.Hi))
		}
	}
	e := ir.Elem{Name: "i64"}
	n := &ir.Def{Monoid: ir.Max, Body: ir.Cast(ir.Sub(v.Hi, v.Lo), ir.ElemType(e)), Span: d.Span}
	for _, w := range before {
		if need[w] {
			n.Vars = append(n.Vars, w)
		}
	}
	return n.Copy(&ir.Tensor{Name: names.fresh("length_" + v.Name), Role: ir.Local, Elem: e, Axes: []*ir.Axis{}, IsSize: true})
}
