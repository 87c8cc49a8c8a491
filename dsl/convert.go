package dsl

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// The productions of the declaration grammar as parts of the syntax tree.

// spanOfTokens is the text of a production.
func spanOfTokens(list []lexer.Token) diag.Span {
	if len(list) == 0 {
		return diag.Span{}
	}
	return join(spanOf(&list[0]), spanOf(&list[len(list)-1]))
}

func (n *enumNode) enum(at diag.Span) *Enum {
	return &Enum{Name: n.Name.Ident, Words: identsOfWords(n.Words), Span: at}
}

func (n *funcNode) fn(at diag.Span, diags *diag.List) *Func {
	f := &Func{Name: n.Name.Ident, Span: at}
	if n.Axis != nil {
		f.Axis = &n.Axis.Ident
	}
	for _, p := range n.Params {
		f.Params = append(f.Params, p.Ident)
	}
	if n.Short != nil {
		f.Result = n.Short.take(diags)
	} else {
		f.Lets, f.Result = n.Body.lets, n.Body.result
		diags.Append(&n.Body.diags)
	}
	return f
}

func (n *opNode) op(at diag.Span, diags *diag.List) *Op {
	o := &Op{Update: n.Update, Name: n.Name.Ident, Span: at}
	for _, v := range n.Vars {
		o.Vars = append(o.Vars, TypeVar{Name: v.Name.Ident, Alts: identsOfWords(v.Alts)})
	}
	for i := range n.Inputs {
		o.Inputs = append(o.Inputs, n.Inputs[i].inputs(diags)...)
	}
	for i := range n.Attrs {
		o.Attrs = append(o.Attrs, n.Attrs[i].attrs(diags)...)
	}
	for i := range n.Outputs {
		for _, name := range n.Outputs[i].Names {
			o.Outputs = append(o.Outputs, &Output{Name: name.Ident, Type: n.Outputs[i].Type.tensor()})
		}
	}
	if n.Short != nil {
		o.Short = n.Short.take(diags)
	} else {
		o.Body = n.Body.stmts
		diags.Append(&n.Body.diags)
	}
	if o.Update {
		noStep(o, diags)
	}
	return o
}

// inputs gives the inputs that share one type.
func (n *inputNode) inputs(diags *diag.List) []*Input {
	modes := map[string]InputMode{"inout": Inout, "state": State}
	init := n.Init.take(diags)
	list := make([]*Input, 0, len(n.Names))
	for _, name := range n.Names {
		in := &Input{Mode: modes[n.Mode], Name: name.Name.Ident, Optional: name.Optional, Type: n.Type.tensor(), Init: init,
			Span: join(name.Name.Span, spanOfTokens(n.Tokens))}
		list = append(list, in)
	}
	if n.Init != nil && n.Mode != "state" {
		diags.Errorf(n.Init.at, "init-state", "only a state has an initial value").WithHint("an attribute stands behind `;` and has a default")
	}
	return list
}

// attrs gives the attributes that share one type.
func (n *attrNode) attrs(diags *diag.List) []*Attr {
	value := n.Default.take(diags)
	list := make([]*Attr, 0, len(n.Names))
	for _, name := range n.Names {
		a := &Attr{Name: name.Name.Ident, Optional: name.Optional, Default: value,
			Span: join(name.Name.Span, spanOfTokens(n.Tokens))}
		switch {
		case n.Elem != nil:
			a.Elem = n.Elem.elem()
		case n.Place != "":
			a.Kind = map[string]AttrKind{"axis": AttrAxis, "axes": AttrAxes, "keep": AttrKeep}[n.Place]
			for _, axis := range n.Axes {
				a.Words = append(a.Words, axis.Ident)
			}
		default:
			a.Kind = AttrEnum
			a.Words = identsOfWords(n.Enum)
		}
		if n.List != nil {
			length := n.List.Ident
			a.List = &length
		}
		list = append(list, a)
	}
	return list
}

func (n *typeNode) tensor() TensorType {
	return TensorType{Elem: n.Elem.elem(), Infer: n.Infer, Axes: axesOf(n.Axes), Span: spanOfTokens(n.Tokens)}
}

func (n *elemNode) elem() Elem {
	switch {
	case n.Of != nil:
		return Elem{Wrap: n.Wrap, Name: n.Of.Ident}
	case n.Plain != nil:
		return Elem{Name: n.Plain.Ident}
	}
	return Elem{}
}

func axesOf(nodes []*axisNode) []*Axis {
	var list []*Axis
	for _, n := range nodes {
		a := &Axis{Optional: n.Optional, Span: spanOfTokens(n.Tokens)}
		switch {
		case n.Pack != nil:
			a.Pack, a.Name = true, n.Pack.Ident
		case n.Name != nil:
			a.Name = n.Name.Ident
		default:
			a.Product = axesOf(n.Product)
		}
		list = append(list, a)
	}
	return list
}

// take gives the expression and hands over what was said about it.
func (n *exprNode) take(diags *diag.List) Expr {
	if n == nil {
		return nil
	}
	diags.Append(&n.diags)
	return n.expr
}

func identsOfWords(words []wordNode) []Ident {
	var list []Ident
	for _, w := range words {
		list = append(list, w.Ident)
	}
	return list
}

// noStep reports values of an update that are called step: there that is the number of the step.
func noStep(o *Op, diags *diag.List) {
	check := func(n Ident) {
		if n.Name == "step" {
			diags.Errorf(n.Span, "reserved-word", "in an update `step` is the number of the step and can't name a value")
		}
	}
	for _, in := range o.Inputs {
		check(in.Name)
	}
	for _, a := range o.Attrs {
		check(a.Name)
	}
	for _, out := range o.Outputs {
		check(out.Name)
	}
	Inspect(o.Body, func(n any) bool {
		if l, is := n.(*Let); is {
			for _, name := range l.Names {
				check(name)
			}
		}
		return true
	})
}
