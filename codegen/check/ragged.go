package check

import "github.com/opgen/opgen/codegen/ir"

// raggedAxis is outerAxis for a range that nothing bounds before the call: there are as many indices as the longest range
// has values, which the call computes before what runs over them. Index 0 stands for the first value of each range.
func (r *reduction) raggedAxis(o *ir.Var, lo, hi *ir.Value) (v *ir.Var, base *ir.Value, inside []*ir.Value) {
	l := r.l
	a := l.ranges[o]
	if a == nil {
		if a = r.longest(o, lo, hi); a == nil {
			return nil, nil, nil
		}
		l.ranges[o] = a
	}
	if l.mayFail(lo, hi) {
		inside = l.settleAll(l.paths[o])
	}
	inside = append(inside, ir.Call(ir.OpLt, ir.Index(o), hi))
	return &ir.Var{Name: o.Name, Axis: a}, lo, inside
}

// longest makes the axis of a range, and the definition of its extent:
//
//	length max= hi(v) - lo(v)   for v in what the range depends on, where it is evaluated
func (r *reduction) longest(o *ir.Var, lo, hi *ir.Value) *ir.Axis {
	l := r.l
	where := l.settleAll(l.paths[o])
	if isBad(where...) {
		return nil
	}
	probe := *r
	probe.inner = r.inner.inside(false)
	d := &ir.Def{Monoid: ir.Max, Span: r.at.span}
	fresh := map[*ir.Var]*ir.Value{}
	for _, w := range probe.outerVars(append([]*ir.Value{lo, hi}, where...)) {
		v := *w
		if v.Axis == nil {
			v.Lo, v.Hi = ir.Subst(l.settle(v.Lo), fresh), ir.Subst(l.settle(v.Hi), fresh)
			if isBad(v.Lo, v.Hi) {
				return nil
			}
		}
		d.Vars = append(d.Vars, &v)
		fresh[w] = ir.Index(&v)
	}
	e := ir.Elem{Name: "i64"}
	d.Body = ir.Cast(ir.Subst(ir.Sub(hi, lo), fresh), ir.ElemType(e))
	d.Where = ir.SubstAll(distinct(where), fresh)
	d.Target = &ir.Tensor{Role: ir.Local, Elem: e, Axes: []*ir.Axis{}, IsSize: true, Span: r.at.span}
	for _, have := range l.ragged {
		if ir.EqualDefs(have.def, d) {
			return have.axis
		}
	}
	d.Target.Name = l.tensorName("length_" + o.Name)
	a := &ir.Axis{Name: l.axisName("range_" + o.Name), Size: d.Target}
	l.known[a] = true
	l.ragged = append(l.ragged, ragged{d, a})
	l.emit(d)
	return a
}

// ragged is an axis for ranges whose lengths data say, with the definition of its extent.
type ragged struct {
	def  *ir.Def
	axis *ir.Axis
}
