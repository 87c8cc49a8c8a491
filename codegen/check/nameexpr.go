package check

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

func (n *names) exprOrNil(e dsl.Expr) {
	if e != nil {
		n.expr(e)
	}
}

// expr checks the names of an expression.
func (n *names) expr(e dsl.Expr) {
	switch e := e.(type) {
	case *dsl.Ref:
		n.ref(e)
	case *dsl.Call:
		n.call(e)
	case *dsl.Binary:
		n.binary(e)
	case *dsl.Unary:
		n.expr(e.X)
	case *dsl.Alt:
		for _, x := range e.Alts {
			n.expr(x)
		}
	case *dsl.If:
		n.expr(e.Cond)
		n.expr(e.Then)
		n.expr(e.Else)
	case *dsl.Paren:
		n.expr(e.X)
	case *dsl.Tuple:
		for _, i := range e.Items {
			n.plainItem(i, "a list")
		}
	}
}

// plainItem checks an item that must be a value.
func (n *names) plainItem(i *dsl.Item, where string) {
	if i.Star || i.AxisPack != nil || i.In {
		d := n.rep.errorf(i.Span, "item", "expected a value in %s", where)
		if i.AxisPack != nil && where != "an index" {
			d.WithHint("the extents of a pack are folded as ..%s: prod(..%[1]s)", i.AxisPack.Name)
		}
		return
	}
	if where == "an index" {
		n.indexing++
		defer func() { n.indexing-- }()
	}
	n.exprOrNil(i.Value)
}

// ref checks a name that is read.
func (n *names) ref(e *dsl.Ref) {
	id := e.Name
	switch {
	case e.Package != nil:
		if m := n.in.imports[e.Package.Name]; m != nil {
			m.used = true
		}
		n.rep.errorf(e.Span, "name-qualified", "only funcs and ops are taken from other packages").WithHint("values of an op have plain names")
		return
	case id.Name == "":
		return
	case isUpper(id.Name):
		n.upper(e)
		n.indexItems(e.Index)
		return
	}
	n.indexItems(e.Index)
	if c := constants[id.Name]; c != nil {
		if e.Index != nil || e.Prime || e.Cotangent {
			n.rep.errorf(e.Span, "name-constant", "%s is a constant", quote(id.Name))
		}
		return
	}
	if id.Name == "step" && n.sig != nil && n.sig.op.decl.Update {
		return
	}
	if v := n.indexVar(id.Name); v != nil {
		v.used = true
		if e.Index != nil || e.Prime || e.Cotangent {
			n.rep.errorf(e.Span, "name-index", "%s is an index variable, a number", quote(id.Name)).WithNote(v.span, "declared here")
		}
		return
	}
	sym := n.table[id.Name]
	if sym == nil || sym.hidden {
		n.unknown(id)
		return
	}
	sym.used = true
	switch {
	case e.Cotangent && !n.grad:
		n.rep.errorf(e.Span, "grad-cotangent", "%s, the cotangent, is known in a grad formula alone", quote("@"+id.Name))
	case e.Cotangent && sym.kind != symOutput:
		n.rep.errorf(e.Span, "grad-cotangent", "only outputs have cotangents; %s is %s", quote(id.Name), symbolKinds[sym.kind]).
			WithNote(sym.span, "declared here")
	case e.Prime && sym.kind != symInout:
		n.rep.errorf(e.Span, "name-prime", "only an inout or state has a new value; %s is %s", quote(id.Name), symbolKinds[sym.kind]).
			WithNote(sym.span, "declared here")
	case sym.kind == symParam && e.Index != nil:
		n.rep.errorf(e.Index.Span, "func-param", "a func uses its parameters bare, without indices").WithNote(sym.span, "declared here")
	case sym.kind == symAttr && n.sig.attr(id.Name) != nil && n.sig.attr(id.Name).decl.Kind >= ir.AttrAxis:
		n.rep.errorf(e.Span, "attr-placement", "%s says where axes lie or is a seed; it isn't a number", quote(id.Name)).WithNote(sym.span, "declared here")
	}
}

func (n *names) indexVar(name string) *symbol {
	for _, v := range slices.Backward(n.indices) {
		if v.name == name {
			return v
		}
	}
	return nil
}

// upper checks a reference to an axis.
func (n *names) upper(e *dsl.Ref) {
	id := e.Name
	switch {
	case n.sig == nil:
		if n.axis != nil && n.axis.Name == id.Name {
			n.rep.errorf(id.Span, "func-axis", "%s stands for axes that may be several; count with sum[%s](1)", quote(id.Name), id.Name)
			return
		}
		n.rep.errorf(id.Span, "axis-unknown", "a func knows no axes but those that it is given").WithHint("hand the extent over as a parameter")
	case n.sig.isTypeVar(id.Name):
		n.rep.errorf(id.Span, "type-value", "%s is a dtype, not a value", quote(id.Name)).WithHint("a cast is written %s(x)", id.Name)
	case n.sig.axes[id.Name] == nil:
		d := n.rep.errorf(id.Span, "axis-unknown", "%s is no axis of this op", quote(id.Name))
		near := slices.Clone(n.sig.axisOrder)
		for name, s := range n.table {
			if strings.EqualFold(name, id.Name) && !s.hidden {
				near = append(near, name)
			}
		}
		suggest(d, id.Name, near)
	}
}

// indexItems checks the indices of a read.
func (n *names) indexItems(b *dsl.Bracket) {
	if b == nil {
		return
	}
	if b.Where != nil {
		n.rep.errorf(b.Where.Pos(), "index-where", "a read has no filter").WithHint("filter the reduction, or write an if")
	}
	for _, i := range b.Items {
		if i.AxisPack != nil {
			n.rep.errorf(i.Span, "index-axis", "an index is a variable, not an axis").WithHint("name the index of the pack on the left, as ..%s, and write it here",
				strings.ToLower(i.AxisPack.Name))
			continue
		}
		n.plainItem(i, "an index")
	}
}

// binary checks both sides; words of an enum stand beside an attribute that has them.
func (n *names) binary(e *dsl.Binary) {
	if (e.Op == "==" || e.Op == "!=") && (n.label(e.X, e.Y) || n.label(e.Y, e.X)) {
		return
	}
	n.expr(e.X)
	n.expr(e.Y)
}

// label checks a comparison of an attribute with a word; it is false where that isn't what stands there.
func (n *names) label(attr, word dsl.Expr) bool {
	words, is := n.enumSide(attr)
	id := bareName(word)
	if !is || id == nil {
		return false
	}
	if n.sig != nil && n.sig.attr(bareName(attr).Name) != nil && n.sig.attr(bareName(attr).Name).broken {
		n.expr(attr)
		return true // any word may be meant
	}
	known := slices.Contains(words, id.Name) || words == nil && n.in.unit.isEnumWord(id.Name)
	if n.isDeclared(id.Name) && (words == nil || !known) || words == nil && !known {
		return false
	}
	n.expr(attr)
	if !known {
		suggest(n.rep.errorf(id.Span, "enum-word", "%s is no value of %s", quote(id.Name), quote(bareName(attr).Name)), id.Name, words)
	}
	return true
}

// isDeclared tells whether a name is a value here.
func (n *names) isDeclared(name string) bool {
	s := n.table[name]
	return constants[name] != nil || isUpper(name) || n.indexVar(name) != nil || s != nil && !s.hidden
}

// enumSide tells whether an expression is an attribute with words, and which; a parameter may be any.
func (n *names) enumSide(e dsl.Expr) ([]string, bool) {
	id := bareName(e)
	if id == nil {
		return nil, false
	}
	s := n.table[id.Name]
	switch {
	case s == nil:
		return nil, !n.isDeclared(id.Name) // what isn't declared may be meant to be one
	case s.kind == symParam:
		return nil, true
	case s.kind == symAttr && n.sig != nil:
		if a := n.sig.attr(id.Name); a != nil && a.broken {
			return nil, true
		} else if a != nil && a.decl.Kind == ir.AttrEnum {
			return a.decl.Enum.Words, true
		}
	}
	return nil, false
}

// bareName is the name that an expression is, if it is nothing else.
func bareName(e dsl.Expr) *dsl.Ident {
	switch e := e.(type) {
	case *dsl.Paren:
		return bareName(e.X)
	case *dsl.Ref:
		if e.Index == nil && e.Package == nil && !e.Prime && !e.Cotangent {
			return &e.Name
		}
	}
	return nil
}

// isEnumWord tells whether any enum of the package has the word.
func (p *unit) isEnumWord(word string) bool {
	for _, e := range p.enumOrder {
		if slices.Contains(e.Words, word) {
			return true
		}
	}
	for _, o := range p.opOrder {
		for _, a := range o.decl.Attrs {
			if slices.ContainsFunc(a.Words, func(w dsl.Ident) bool { return w.Name == word }) {
				return true
			}
		}
	}
	return false
}
