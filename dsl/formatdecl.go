package dsl

import (
	"strings"

	"github.com/opgen/opgen/dsl/diag"
)

// The levels at which lines end within the head of a declaration.
const (
	levelDefinition = iota // behind =
	levelAttrs             // behind ;
	levelArrow             // before ->
	levelParams            // between inputs, attributes and outputs
	levelNames             // between names with one type
)

// headDeep is how far the further lines of a head stand to the right: farther than the block below it.
const headDeep = 2

func (p *printer) enum(e *Enum) {
	p.text("enum " + e.Name.Name + "(")
	p.idents(e.Words, e.Name.Span.End)
	p.rest("", e.Span.End)
	p.text(")")
	p.close(e.Span.End)
}

// idents writes names with commas between; the text before them ends at a place.
func (p *printer) idents(list []Ident, at diag.Pos) {
	for i, n := range list {
		if i == 0 {
			p.rest("", n.Span.Start)
		} else {
			p.text(",")
			p.brk(" ", levelNames, at, n.Span.Start)
		}
		p.text(n.Name)
		at = n.Span.End
	}
}

func (p *printer) fn(f *Func) {
	p.text("func " + f.Name.Name)
	at := f.Name.Span.End
	if f.Axis != nil {
		p.text("[" + f.Axis.Name)
		p.text("]")
	}
	p.text("(")
	p.nest++
	p.deep = headDeep
	p.idents(f.Params, at)
	p.nest--
	if n := len(f.Params); n > 0 {
		at = f.Params[n-1].Span.End
	}
	first := f.Result.Pos()
	if len(f.Lets) > 0 {
		first = f.Lets[0].Span
	}
	p.text(")")
	p.deep = 1
	if len(f.Lets) == 0 {
		p.text(" =")
		p.brk(" ", levelDefinition, at, first.Start)
		p.expr(f.Result)
		p.close(f.Span.End)
		return
	}
	parts := make([]part, 0, len(f.Lets)+1)
	for _, l := range f.Lets {
		parts = append(parts, part{at: l.Span, write: func() { p.let(l) }})
	}
	parts = append(parts, part{at: f.Result.Pos(), first: firstName(f.Result), write: func() { p.expr(f.Result) }})
	p.block(parts, f.Span.End)
}

func (p *printer) op(o *Op) {
	if o.Update {
		p.text("update ")
	} else {
		p.text("op ")
	}
	p.text(o.Name.Name)
	p.deep = headDeep
	at := o.Name.Span.End
	if len(o.Vars) > 0 {
		p.vars(o.Vars, at)
	}
	p.text("(")
	p.nest++
	at = p.inputs(o.Inputs, at)
	at = p.attrs(o.Attrs, at)
	p.nest--
	behind := o.Span.End
	switch {
	case o.Short != nil:
		behind = o.Short.Pos().Start
	case len(o.Outputs) > 0:
		behind = o.Outputs[0].Name.Span.Start
	case len(o.Body) > 0:
		behind = o.Body[0].Pos().Start
	}
	if o.Short != nil {
		p.text(") =")
		p.deep = 1
		p.brk(" ", levelDefinition, at, behind)
		p.expr(o.Short)
		p.close(o.Span.End)
		return
	}
	p.text(")")
	if len(o.Outputs) > 0 {
		p.brk(" ", levelArrow, at, behind)
		p.text("-> (")
		p.nest++
		p.outputs(o.Outputs)
		p.nest--
		p.text(")")
	}
	p.deep = 1
	p.block(p.statements(o.Body), o.Span.End)
}

func (p *printer) vars(list []TypeVar, at diag.Pos) {
	p.text("[")
	p.nest++
	for i, v := range list {
		if i == 0 {
			p.rest("", v.Name.Span.Start)
		} else {
			p.text(",")
			p.brk(" ", levelNames, at, v.Name.Span.Start)
		}
		p.text(v.Name.Name + ":")
		sep := " "
		for j, alt := range v.Alts {
			if j > 0 {
				p.text("|")
				sep = ""
			}
			p.rest(sep, alt.Span.Start)
			p.text(alt.Name)
			at = alt.Span.End
		}
	}
	p.nest--
	p.text("]")
}

// param is a name with what may stand around it.
type param struct {
	mode     string
	name     Ident
	optional bool
	group    diag.Pos // where the type that it shares with its neighbours begins
	typ      func()
	end      diag.Pos
}

// params writes parameters, those with one type together. It gives the place where the last ends.
func (p *printer) params(list []param, at diag.Pos) diag.Pos {
	for i, one := range list {
		joined := i > 0 && one.group.IsValid() && one.group == list[i-1].group
		switch {
		case joined:
			p.text(",")
			p.brk(" ", levelNames, at, one.name.Span.Start)
		case i > 0:
			p.text(",")
			p.brk(" ", levelParams, at, one.name.Span.Start)
		}
		if one.mode != "" && !joined {
			p.text(one.mode + " ")
		}
		p.text(one.name.Name)
		if one.optional {
			p.text("?")
		}
		at = one.name.Span.End
		if i+1 < len(list) && one.group.IsValid() && list[i+1].group == one.group {
			continue
		}
		p.text(":")
		p.rest(" ", one.group)
		p.nest++
		one.typ()
		p.nest--
		at = one.end
	}
	return at
}

func (p *printer) inputs(list []*Input, at diag.Pos) diag.Pos {
	if len(list) > 0 {
		p.brk("", never, at, list[0].Name.Span.Start)
	}
	params := make([]param, 0, len(list))
	for _, in := range list {
		params = append(params, param{mode: [...]string{In: "", Inout: "inout", State: "state"}[in.Mode], name: in.Name,
			optional: in.Optional, group: in.Type.Span.Start, end: in.Span.End, typ: func() {
				p.tensor(in.Type)
				p.initial(in.Type.Span.End, in.Init)
			}})
	}
	return p.params(params, at)
}

// initial writes the value that stands behind a type.
func (p *printer) initial(at diag.Pos, e Expr) {
	if e != nil {
		p.text(" =")
		p.brk(" ", levelDefinition, at, e.Pos().Start)
		p.expr(e)
	}
}

func (p *printer) attrs(list []*Attr, at diag.Pos) diag.Pos {
	if len(list) == 0 {
		return at
	}
	p.text(";")
	p.nest--
	p.brk(" ", levelAttrs, at, list[0].Name.Span.Start)
	p.nest++
	params := make([]param, 0, len(list))
	for _, a := range list {
		params = append(params, param{name: a.Name, optional: a.Optional, group: placeOf(a), end: a.Span.End, typ: func() { p.attr(a) }})
	}
	return p.params(params, at)
}

// placeOf is a place within the type of an attribute: the same for attributes written with one type.
func placeOf(a *Attr) diag.Pos {
	if a.Kind == AttrElem || len(a.Words) == 0 {
		return a.Elem.Name.Span.Start
	}
	return a.Words[0].Span.Start
}

func (p *printer) attr(a *Attr) {
	at := a.Elem.Name.Span.End
	switch a.Kind {
	case AttrElem:
		p.elem(a.Elem)
	case AttrEnum:
		p.text("enum(")
		p.idents(a.Words, placeOf(a))
		p.text(")")
	default:
		words := make([]string, 0, len(a.Words))
		for _, w := range a.Words {
			words = append(words, w.Name)
		}
		p.text([...]string{AttrAxis: "axis", AttrAxes: "axes", AttrKeep: "keep"}[a.Kind] + "(" + strings.Join(words, "|") + ")")
	}
	if len(a.Words) > 0 {
		at = a.Words[len(a.Words)-1].Span.End
	}
	if a.List != nil {
		p.text("[" + a.List.Name + "]")
		at = a.List.Span.End
	}
	p.initial(at, a.Default)
}

func (p *printer) outputs(list []*Output) {
	params := make([]param, 0, len(list))
	for _, o := range list {
		params = append(params, param{name: o.Name, group: o.Type.Span.Start, end: o.Type.Span.End, typ: func() { p.tensor(o.Type) }})
	}
	p.rest("", list[0].Name.Span.Start)
	p.params(params, diag.Pos{})
}

func (p *printer) elem(e Elem) {
	if e.Wrap == "" {
		p.text(e.Name.Name)
		return
	}
	p.text(e.Wrap + "(")
	p.rest("", e.Name.Span.Start)
	p.text(e.Name.Name + ")")
}

func (p *printer) tensor(t TensorType) {
	p.elem(t.Elem)
	p.text("[")
	if t.Infer {
		p.text("_")
	}
	p.axes(t.Axes, t.Elem.Name.Span.End)
	p.rest("", t.Span.End)
	p.text("]")
}

func (p *printer) axes(list []*Axis, at diag.Pos) {
	for i, a := range list {
		if i == 0 {
			p.rest("", a.Span.Start)
		} else {
			p.text(",")
			p.brk(" ", levelNames, at, a.Span.Start)
		}
		switch {
		case len(a.Product) > 0:
			p.text("(")
			p.nest++
			p.axes(a.Product, a.Span.Start)
			p.nest--
			p.rest("", a.Span.End)
			p.text(")")
		case a.Pack:
			p.text("..." + a.Name.Name)
		default:
			p.text(a.Name.Name)
		}
		if a.Optional {
			p.text("?")
		}
		at = a.Span.End
	}
}
