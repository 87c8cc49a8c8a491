package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// cotangent is the incoming gradient of an output.
func (l *lowering) cotangent(name string, at site) *value {
	v := l.table[name]
	if v == nil || v.tensor == nil || v.broken {
		return v
	}
	if !l.mayBeFloat(v.tensor.Elem) {
		l.errorf(at, "grad-cotangent", "%s is %s; only floats have cotangents", quote(name), l.elemText(v.tensor.Elem)).WithNote(v.span, "declared here")
		return &value{broken: true}
	}
	t := l.cotans[v.tensor]
	if t == nil {
		t = &ir.Tensor{Name: "@" + name, Role: ir.Cotangent, Elem: v.tensor.Elem, Axes: v.tensor.Axes, Of: v.tensor, Span: v.span}
		l.cotans[v.tensor] = t
	}
	return &value{name: "@" + name, span: v.span, tensor: t, slots: v.slots, loose: v.loose}
}

// mayBeFloat tells whether a type stands for a float in some calls.
func (l *lowering) mayBeFloat(e ir.Elem) bool {
	return slices.ContainsFunc(l.dtypesOf(e), func(d string) bool { return ir.ClassOf(nil, ir.Elem{Name: d}) == ir.ClassFloat })
}

// differentiated are the elements that are floats where an input has a gradient: its own, and those of what it is a gradient of.
func (l *lowering) differentiated(of *ir.Tensor) []ir.Elem {
	r := []ir.Elem{of.Elem}
	for _, d := range l.sig.outputs {
		r = append(r, d.param.Elem)
	}
	return r
}

// grad lowers a derivative that is given by hand, with definitions of its own. It holds for the calls in which what it derives is a
// float.
func (l *lowering) grad(s *dsl.Grad, top *env) {
	d := l.sig.find(s.Name.Name)
	if d == nil || d.in == nil {
		return
	}
	at := site{s.Name.Span, top}
	of := l.table[s.Name.Name].tensor
	if !l.gradable(of, d, at) {
		return
	}
	if d.param.Optional && d.fallback == nil && !l.has(d.param.Name) {
		return // what isn't there has no gradient
	}
	g := ir.UserGrad{Of: of, Unverified: s.Unverified, Reason: s.Reason, Span: s.Span}
	g.Result = &ir.Tensor{Name: "@" + s.Name.Name, Role: ir.Gradient, Elem: of.Elem, Of: of, Span: s.Name.Span}
	sink, vars := l.sink, l.vars
	l.sink, l.vars = &g.Defs, ir.Floats(vars, l.differentiated(of)...)
	known, ragged := len(l.hoisted), len(l.ragged)
	l.gradOf = s.Name.Name
	v, body := l.definition(s.Name, s.Left, l.slotsOf(d.param.Axes), s.Value, top)
	body = l.coerceTo(top.at(s.Value), body, d.param.Elem, "the gradient of "+quote(s.Name.Name))
	if !isBad(body) {
		l.place(v, g.Result, body, s.Span)
		l.fn.UserGrads = append(l.fn.UserGrads, g)
	}
	l.sink, l.vars, l.gradOf = sink, vars, ""
	l.hoisted, l.ragged = l.hoisted[:known], l.ragged[:ragged]
}

func (l *lowering) gradNone(id dsl.Ident) {
	d := l.sig.find(id.Name)
	if d == nil || d.in == nil {
		return
	}
	of := l.table[id.Name].tensor
	if l.gradable(of, d, site{id.Span, nil}) {
		l.fn.UserGrads = append(l.fn.UserGrads, ir.UserGrad{Of: of, None: true, Span: id.Span})
	}
}

// gradable reports inputs that have no gradient, or two.
func (l *lowering) gradable(of *ir.Tensor, d *tensorDecl, at site) bool {
	if of.Role != ir.Input {
		return false
	}
	if !l.mayBeFloat(of.Elem) {
		l.errorf(at, "grad-of", "%s is %s; only floats have gradients", quote(of.Name), l.elemText(of.Elem)).WithNote(d.span, "declared here")
		return false
	}
	for _, g := range l.fn.UserGrads {
		if g.Of == of {
			l.errorf(at, "grad-twice", "the gradient of %s is given twice", quote(of.Name)).WithNote(g.Span, "given here first")
			return false
		}
	}
	return true
}
