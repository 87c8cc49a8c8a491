package check

import (
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// overAll tells whether a reduction goes over all tensors of a call, sum[*](e), and whether it may.
func (l *lowering) overAll(x *dsl.Call, e *env) (all, ok bool) {
	if x.Index == nil {
		return false, true
	}
	var star *dsl.Item
	for _, i := range x.Index.Items {
		if i.Star {
			star = i
		}
	}
	if star == nil {
		return false, true
	}
	at := site{star.Span, e}
	switch name := x.Name.Name; {
	case !l.root.decl.Update:
		l.errorf(at, "all-tensors", "%s goes over all tensors of a call, and an op is called for one of each", quote(name+"[*]")).
			WithHint("write it in an update, or name the axes: %s[K](…)", name)
	case len(x.Index.Items) > 1:
		l.errorf(at, "all-tensors", "`*` is all axes of all tensors: nothing stands beside it").
			WithHint("reduce the other axes first: %s[*](%s[K](…))", name, name)
	case strings.HasPrefix(name, "arg"):
		l.errorf(at, "all-tensors", "%s tells a position, and there is none in several tensors", quote(name))
	default:
		return true, true
	}
	return true, false
}

// textPlace is where a reduction stands in the text, with the calls that led there: the same in all variants.
func (r *reduction) textPlace() string {
	b := r.at.span.Start.String()
	for _, c := range r.at.env.calls {
		b += " " + c.Start.String()
	}
	return b
}

// acrossOnly refuses a value under [*] that depends on an index of the place around it: there is one total for all.
func (r *reduction) acrossOnly() bool {
	if outer := r.outerVars(append([]*ir.Value{r.body}, r.where...)); len(outer) > 0 {
		r.l.errorf(r.at, "all-tensors", "what %s goes over depends on index %s of the place around it", quote(r.name+"[*]"), quote(outer[0].Name)).
			WithHint("all tensors have one %s together: leave the indices out", r.name)
		return false
	}
	return true
}

// anywhere is the condition that some tensor of the call has a point.
func (r *reduction) anywhere() *ir.Value {
	e := r.l.numberElem()
	one := r.l.push(ir.Int(1), ir.ElemType(e))
	return ir.Call(ir.OpLt, r.l.push(ir.Int(0), ir.ElemType(e)), r.hoist("any", ir.Max, one, r.where, e))
}

// truth is whether a condition holds for any or all points of all tensors. It is reduced as 1 and 0, which partial results
// can be.
func (r *reduction) truth() *ir.Value {
	e := r.l.numberElem()
	one, zero := r.l.push(ir.Int(1), ir.ElemType(e)), r.l.push(ir.Int(0), ir.ElemType(e))
	m := ir.Min
	if r.name == "any" {
		m = ir.Max
	}
	return ir.Call(ir.OpLt, zero, r.hoist(r.name, m, ir.Select(r.body, one, zero), r.where, e))
}

// numberElem is what an op computes in: that of its first tensor of floats.
func (l *lowering) numberElem() ir.Elem {
	for _, d := range l.root.sig.inputs {
		if l.class(d.param.Elem) == ir.ClassFloat {
			return l.accOf(d.param.Elem)
		}
	}
	return ir.Elem{Name: "f64"}
}

// totals splits the functions of an update at what goes over all tensors.
func (o *operation) totals(d *ir.OpDecl) bool {
	err := ir.Split(d)
	if err != nil {
		o.in.unit.rep.errorf(o.decl.Name.Span, "all-tensors", "under some choices a total needs another one, and under others that one needs it: %v", err)
	}
	return err == nil
}
