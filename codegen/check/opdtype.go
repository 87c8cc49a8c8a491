package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// inlinedOp is an op whose formula stands in place of its call.
type inlinedOp struct {
	op    *operation
	call  *dsl.Call
	env   *env               // where the call stands
	elems map[string]ir.Elem // what its dtype variables stand for; nil: not asked yet
	wrong bool               // the arguments don't fit, which has been reported
}

// dtypeVars finds what the dtype variables of a called op stand for, from the types of its arguments.
func (l *lowering) dtypeVars(at site, o *operation, elems map[string]ir.Elem, typeOf func(input string) (ir.Type, bool)) bool {
	for _, d := range o.sig.inputs {
		want := d.param.Elem
		t, there := typeOf(d.param.Name)
		have := t.Elem
		switch {
		case !there || t.Kind == ir.Exact || t.Kind == ir.Real:
			continue // a number without a dtype takes what it meets
		case t.Kind == ir.Bool:
			have = ir.Elem{Name: "bool"}
		}
		if !o.sig.isTypeVar(want.Name) {
			if !l.same(have, want) {
				l.errorf(at, "type-stored", "%s of %s is %s, but this is %s", quote(d.param.Name), quote(o.decl.Name.Name), quote(want.String()), l.elemText(have)).
					WithNote(d.span, "declared here")
				return false
			}
			continue
		}
		old, known := elems[want.Name]
		if wide, fits := l.wider(old, have); known && !fits {
			l.errorf(at, "type-mixed", "%s: %s meets %s", quote(o.decl.Name.Name), l.elemText(old), l.elemText(have)).WithHint("cast one of them").
				WithNote(d.span, "declared here")
			return false
		} else if known {
			have = wide
		}
		elems[want.Name] = have
		for _, v := range o.sig.vars {
			for _, t := range l.dtypesOf(have) {
				if v.Name == want.Name && !slices.Contains(v.DTypes, t) {
					text := l.elemText(have)
					if isUpper(have.Name) {
						text += ", which may be " + t
					}
					l.errorf(at, "type-stored", "%s of %s can't be %s: %s is %s", quote(d.param.Name), quote(o.decl.Name.Name), text, quote(want.Name), strings.Join(v.DTypes, ", ")).
						WithNote(d.span, "declared here")
					return false
				}
			}
		}
	}
	return true
}

// typeOf is the type of an argument of a call that stands alone.
func (c *opCall) typeOf(input string) (ir.Type, bool) {
	a := c.args[input]
	switch {
	case a == nil:
		return ir.Type{}, false
	case a.v.tensor != nil:
		return ir.ElemType(a.v.tensor.Elem), true
	}
	return a.v.inlined.Type, true
}

// elemAt is an element type that is written at a place, in the dtype variables of the function that is made.
func (l *lowering) elemAt(at site, e ir.Elem) (ir.Elem, bool) {
	switch p := at.env.op; {
	case !isUpper(e.Name):
		return e, true
	case p != nil:
		return l.elemOfCall(at, p, e)
	case at.env.closed || !l.sig.isTypeVar(e.Name):
		l.errorf(at, "type-unknown", "%s is no dtype variable here", quote(e.Name))
		return e, false
	case l.callee != nil:
		return l.calledElem(at, l.op, l.callee.elems, e)
	}
	return e, true
}

// elem is an element type of the signature of the op that is lowered, in the dtype variables of the function that is made.
func (l *lowering) elem(e ir.Elem) ir.Elem {
	if l.callee == nil || !l.sig.isTypeVar(e.Name) {
		return e
	}
	r, _ := l.calledElem(l.callee.at, l.op, l.callee.elems, e)
	return r
}

// elemOfCall is an element type in the formula of an op that is inlined.
func (l *lowering) elemOfCall(at site, p *inlinedOp, e ir.Elem) (ir.Elem, bool) {
	if !p.op.sig.isTypeVar(e.Name) {
		l.errorf(at, "type-unknown", "%s is no dtype variable here", quote(e.Name))
		return e, false
	}
	if !l.argumentsFit(at, p) {
		return e, false
	}
	return l.calledElem(p.env.at(p.call), p.op, p.elems, e)
}

// argumentsFit tells whether the arguments of an op that is inlined have the dtypes that it declares, and finds what its dtype variables
// stand for.
func (l *lowering) argumentsFit(at site, p *inlinedOp) bool {
	if p.elems == nil {
		p.elems = map[string]ir.Elem{}
		p.wrong = !l.dtypeVars(p.env.at(p.call), p.op, p.elems, func(input string) (ir.Type, bool) { return l.typeOfArgument(at, p, input) })
	}
	return !p.wrong
}

// calledElem is an element type of a called op. What can't be told is taken for any dtype that may be meant.
func (l *lowering) calledElem(at site, o *operation, elems map[string]ir.Elem, e ir.Elem) (ir.Elem, bool) {
	of, known := elems[e.Name]
	if !known {
		l.errorf(at, "call-dtype", "nothing tells what %s of %s is: no argument has its dtype", quote(e.Name), quote(o.decl.Name.Name)).
			WithHint("cast a number that is given for it, as in f32(…)")
		for _, v := range o.sig.vars {
			if v.Name == e.Name {
				return ir.Elem{Name: v.DTypes[0]}, false
			}
		}
		return e, false
	}
	if e.Wrap != "" {
		of.Wrap = e.Wrap
	}
	return of, true
}

// typeOfArgument is the type of an argument of an op that is inlined. It is lowered for that alone: what it defines is dropped.
func (l *lowering) typeOfArgument(at site, p *inlinedOp, input string) (ir.Type, bool) {
	k := slices.IndexFunc(p.op.decl.Inputs, func(in *dsl.Input) bool { return in.Name.Name == input })
	if k < 0 || k >= len(p.call.Args) {
		return ir.Type{}, false
	}
	sink, hoisted, ragged, ranges, dims, requires := l.sink, l.hoisted, l.ragged, l.ranges, l.fn.Dims, l.fn.Requires
	defer func() {
		l.sink, l.hoisted, l.ragged, l.ranges, l.fn.Dims, l.fn.Requires = sink, hoisted, ragged, ranges, dims, requires
	}()
	l.ranges = maps.Clone(ranges)
	l.sink = &[]*ir.Def{}
	l.probing++ // calls in the argument are looked at when it is lowered for its value
	defer func() { l.probing-- }()
	e := p.env.with(func(n *env) {
		n.levels = &level{up: at.env.levels, axes: map[string]*binding{}, open: true} // axes don't matter
		n.guard, n.path, n.host, n.comp = &guard{}, at.env.path, at.env.host, at.env.comp
	})
	v := l.expr(p.call.Args[k].Value, e)
	return v.Type, !isBad(v)
}
