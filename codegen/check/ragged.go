package check

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// raggedAxis is outerAxis for a range whose length isn't known before the call: there are as many indices as the longest range
// has values, which the call computes before what runs over them. Index 0 stands for the first value of each range.
func (r *reduction) raggedAxis(o *ir.Var, lo, hi *ir.Value) (v *ir.Var, base *ir.Value, inside []*ir.Value) {
	l := r.l
	where := l.settleAll(l.paths[o])
	a := l.ranges[o]
	if a == nil {
		probe := *r
		probe.inner = r.inner.inside(false)
		if a = l.longest(r.at, o.Name, probe.outerVars(append([]*ir.Value{lo, hi}, where...)), lo, hi, where); a == nil {
			return nil, nil, nil
		}
		l.ranges[o] = a
	}
	if l.mayFail(lo, hi) {
		inside = where
	}
	return &ir.Var{Name: o.Name, Axis: a}, lo, append(inside, ir.Call(ir.OpLt, ir.Index(o), hi))
}

// longest makes the axis of a range that outer variables tell, and the definition of its extent:
//
//	length max= hi(v) - lo(v)   for v in outer where the range is evaluated
func (l *lowering) longest(at site, name string, outer []*ir.Var, lo, hi *ir.Value, where []*ir.Value) *ir.Axis {
	if isBad(where...) {
		return nil
	}
	d := &ir.Def{Monoid: ir.Max, Span: at.span}
	fresh := map[*ir.Var]*ir.Value{}
	for _, w := range outer {
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
	d.Target = &ir.Tensor{Role: ir.Local, Elem: e, Axes: []*ir.Axis{}, IsSize: true, Span: at.span}
	for _, have := range l.ragged {
		if ir.EqualDefs(have.def, d) {
			return have.axis
		}
	}
	d.Target.Name = l.tensorName("length_" + name)
	a := &ir.Axis{Name: l.axisName("range_" + name), Size: d.Target}
	l.known[a] = true
	l.ragged = append(l.ragged, ragged{d, a})
	l.emit(d)
	return a
}

// ragged is an axis for ranges whose lengths the call computes, with the definition of its extent.
type ragged struct {
	def  *ir.Def
	axis *ir.Axis
}

// totalled tells whether an update reduces over all tensors of a call: each has its own extents, and they are computed with it.
func (o *operation) totalled() bool {
	found := false
	if o.decl.Update {
		dsl.Inspect(o.decl.Body, func(n any) bool {
			i, is := n.(*dsl.Item)
			found = found || is && i.Star
			return !found
		})
	}
	return found
}

// hasDType tells whether exact numbers depend on an attribute of a dtype variable, and so are known once a call has its dtypes.
func hasDType(vs ...*ir.Value) bool {
	found := false
	for _, v := range vs {
		ir.Walk(v, func(v *ir.Value) bool {
			found = found || v.Type.Kind == ir.Typed
			return !found
		})
	}
	return found
}
