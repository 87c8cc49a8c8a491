package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// resultElem is the element type of the result of `op f(..) = e`: that of e.
func (l *lowering) resultElem(at site, v *ir.Value) (ir.Elem, bool) {
	switch v.Type.Kind {
	case ir.Bool:
		return ir.Elem{Name: "bool"}, true
	case ir.Typed:
		// What is computed in acc(T) is stored as T.
		e := v.Type.Elem
		if e.Wrap == "acc" || e.Wrap == "sum" && l.class(e) == ir.ClassFloat {
			e.Wrap = ""
		}
		return e, true
	}
	// A number without a dtype takes that of the first input, if it is one that can hold it.
	for _, d := range l.sig.inputs {
		if e := d.param.Elem; !l.mayBeBool(e) {
			return e, true
		}
	}
	l.errorf(at, "type-stored", "the result is %s, so it has no dtype", l.typeText(v)).WithHint("cast it")
	return ir.Elem{}, false
}

// sameAxes checks that the axes and dtypes of results don't depend on uniform conditions: those are known only when
// the op is called, and a caller must know the shape of the result from what is written in the call.
func (o *operation) sameAxes(d *ir.OpDecl, made []*lowering) {
	for i, v := range d.Variants {
		for j := range d.Variants[:i] {
			w := d.Variants[j]
			if v.Refused != nil || w.Refused != nil || differStatically(v.Choices, w.Choices) {
				continue
			}
			for k, t := range v.Forward.Outputs {
				if k >= len(w.Forward.Outputs) || slices.EqualFunc(t.Axes, w.Forward.Outputs[k].Axes, sameAxis) {
					continue
				}
				made[i].rep.errorf(t.Span, "axis-depends", "the axes of %s depend on a condition that is known only when the op is called", quote(t.Name)).
					WithHint("name the axes in the signature, or make the choice by a bool or enum attribute")
				return
			}
		}
	}
}

func sameAxis(a, b *ir.Axis) bool { return a.Name == b.Name }

// differStatically tells whether two sets of choices decide an attribute, a presence or a rank differently.
func differStatically(a, b []ir.Choice) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Attr != "" && x.Attr == y.Attr && x.Word != y.Word || x.Present != "" && x.Present == y.Present && x.Holds != y.Holds ||
				x.Rank != "" && x.Rank == y.Rank && x.N != y.N {
				return true
			}
		}
	}
	return false
}

// shortResult declares the result of `op f(..) = e`, called y. Its dtype must not depend on choices.
func (o *operation) shortResult(d *ir.OpDecl) bool {
	if o.decl.Short == nil {
		return true
	}
	for _, v := range d.Variants {
		if len(v.Forward.Outputs) != 1 {
			continue
		}
		e := v.Forward.Outputs[0].Elem
		if d.Outputs == nil {
			d.Outputs = []*ir.Param{{Name: "y", Mode: ir.Output, Elem: e, Infer: true, Span: o.decl.Short.Pos()}}
		}
		if old := d.Outputs[0].Elem; old != e {
			o.in.unit.rep.errorf(o.decl.Short.Pos(), "type-stored", "the result is %s under some choices and %s under others", quote(old.String()), quote(e.String())).
				WithHint("cast the sides to one dtype, or write `-> (y: …)`")
			return false
		}
	}
	return true
}
