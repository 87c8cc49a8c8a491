package grad

import "github.com/opgen/opgen/codegen/ir"

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
	at := ir.Read(o.Target, o.Dest...)
	r.define(o.Copy(o.Target))
	return Times(g, at), nil
}

// others defines, for each point of a product, the product of the other factors. Its destination are the variables of the
// product.
func others(d *ir.Def, in string, names names) (*ir.Def, error) {
	t := d.Target
	others := &ir.Tensor{Name: names.fresh(t.Name + ".others"), Role: ir.Local, Elem: t.Elem}
	for _, v := range d.Vars {
		if v.Axis == nil || !d.IsPlain() {
			return nil, &ir.Fault{Func: in, Def: t.Name, Span: d.Span,
				Message: "the derivative of a product over a range that is no axis can't be derived; give it with grad"}
		}
		others.Axes = append(others.Axes, v.Axis)
	}
	o := &ir.Def{Target: others, Dest: ir.Indices(d.Vars), Monoid: ir.Prod, Span: d.Span}
	o.Vars = append(o.Vars, d.Vars...)
	m := map[*ir.Var]*ir.Value{}
	var same []*ir.Value
	for _, v := range d.Reduced() {
		w := &ir.Var{Name: v.Name + "'", Axis: v.Axis}
		o.Vars = append(o.Vars, w)
		m[v] = ir.Index(w)
		same = append(same, ir.Call(ir.OpEq, ir.Index(w), ir.Index(v)))
	}
	o.Where = append([]*ir.Value{ir.Not(ir.And(same...))}, ir.SubstAll(d.Where, m)...)
	o.Body = ir.Subst(d.Body, m)
	return o, nil
}
