package dsl

import (
	"strconv"
	"strings"

	"github.com/opgen/opgen/dsl/diag"
)

// The levels at which lines end within an expression; those of the operators follow levelOperator.
const (
	levelBranch   = 2 // before then and else
	levelOperator = 3
	levelAlt      = levelOperator + 7
	levelList     = 1
	levelWhere    = 0
)

// The precedence of what isn't in levels: all of Un, the operands of a power, the operands of ??.
const (
	precIf    = 0
	precUnary = 6
	precPower = 7
	precAlt   = 8
	precPrim  = 9
)

func precedence(e Expr) int {
	switch e := e.(type) {
	case *If:
		return precIf
	case *Binary:
		if e.Op == "^" {
			return precPower
		}
		return levels[e.Op]
	case *Unary:
		return precUnary
	case *Alt:
		return precAlt
	}
	return precPrim
}

// quoted gives the source text of a string.
func quoted(text string) string { return strconv.Quote(text) }

// expr writes an expression.
func (p *printer) expr(e Expr) { p.nested(e, false) }

// nested writes an expression; tight is for products beside sums, which have no blanks around their operators.
func (p *printer) nested(e Expr, tight bool) {
	switch e := e.(type) {
	case *Number:
		p.text(e.Text)
	case *Ref:
		p.path(e.Cotangent, e.Package, e.Name, nil, e.Prime, e.Index)
	case *Call:
		p.call(e)
	case *Binary:
		p.binary(e, tight)
	case *Unary:
		p.text(e.Op)
		p.operand(e.X, e.X != nil && precedence(e.X) < precUnary, tight)
	case *Alt:
		for i, x := range e.Alts {
			if i > 0 {
				p.text(" ??")
				p.brk(" ", levelAlt, e.Alts[i-1].Pos().End, x.Pos().Start)
			}
			if u, is := x.(*Unary); is && i > 0 && u.Op == "-" && precedence(u.X) == precPrim {
				p.text(u.Op)
				p.expr(u.X)
				continue
			}
			p.operand(x, precedence(x) < precPrim, false)
		}
	case *If:
		p.text("if")
		p.rest(" ", e.Cond.Pos().Start)
		p.expr(e.Cond)
		p.brk(" ", levelBranch, e.Cond.Pos().End, e.Then.Pos().Start)
		p.text("then ")
		p.expr(e.Then)
		p.brk(" ", levelBranch, e.Then.Pos().End, e.Else.Pos().Start)
		p.text("else ")
		p.expr(e.Else)
	case *Paren:
		p.text("(")
		p.nest++
		p.brk("", never, e.Span.Start, e.X.Pos().Start)
		p.expr(e.X)
		p.nest--
		p.rest("", e.Span.End)
		p.text(")")
	case *Tuple:
		p.text("(")
		p.items(e.Items, e.Span.Start)
		p.rest("", e.Span.End)
		p.text(")")
	}
}

// operand writes an operand, in parentheses where it needs them and the tree has none.
func (p *printer) operand(e Expr, parens, tight bool) {
	if !parens {
		p.nested(e, tight)
		return
	}
	p.text("(")
	p.nest++
	p.expr(e)
	p.nest--
	p.text(")")
}

func (p *printer) binary(e *Binary, tight bool) {
	prec := precedence(e)
	left, right := prec, prec+1
	switch {
	case e.Op == "^":
		left, right = precPrim, precUnary
	case prec == compare:
		left = prec + 1
	}
	tight = tight || prec <= sums
	p.operand(e.X, precedence(e.X) < left || precedence(e.X) == precAlt, tight)
	at, behind := e.X.Pos().End, e.Y.Pos().Start
	if e.isTight(tight) && (e.Op == "^" || !p.pending(behind)) {
		p.text(e.Op)
		p.brk("", never, at, behind)
	} else {
		p.text(" " + e.Op)
		p.brk(" ", levelOperator+prec, at, behind)
	}
	p.operand(e.Y, precedence(e.Y) < right || precedence(e.Y) == precAlt, tight)
}

// isTight tells whether an operator stands without blanks around it: powers always, sums and all that is looser
// never, products as they were written, for there the blanks show what the writer takes together. Products of a tree
// without places are tight where they stand beside something looser.
func (e *Binary) isTight(beside bool) bool {
	switch {
	case e.Op == "^":
		return true
	case levels[e.Op] <= sums:
		return false
	}
	x, op, y := e.X.Pos().End, e.OpAt, e.Y.Pos().Start
	if x.IsValid() && op.Start.IsValid() && y.IsValid() {
		return x.Offset == op.Start.Offset && op.End.Offset == y.Offset
	}
	return beside
}

// path writes a name with what belongs to it.
func (p *printer) path(cotangent bool, pkg *Ident, name Ident, acc *Ident, prime bool, index *Bracket) {
	if cotangent {
		p.text("@")
	}
	if pkg != nil {
		p.text(pkg.Name + ".")
	}
	p.text(name.Name)
	if acc != nil {
		p.text("(" + acc.Name + ")")
	}
	if prime {
		p.text("'")
	}
	p.bracket(index)
}

func (p *printer) call(e *Call) {
	p.path(e.Cotangent, e.Package, e.Name, e.AccOf, e.Prime, e.Index)
	if e.AccOf != nil && len(e.Args) == 0 && len(e.Named) == 0 {
		return
	}
	at := e.Name.Span.End
	if e.AccOf != nil {
		at = e.AccOf.Span.End
	}
	if e.Index != nil {
		at = e.Index.Span.End
	}
	p.text("(")
	if len(e.Args) > 0 {
		p.items(e.Args, at)
		at = e.Args[len(e.Args)-1].Span.End
	}
	if len(e.Named) > 0 {
		p.nest++
		for i, n := range e.Named {
			switch {
			case i > 0:
				p.text(",")
				p.brk(" ", levelList, at, n.Name.Span.Start)
			default:
				p.text(";")
				p.brk(" ", levelList, at, n.Name.Span.Start)
			}
			p.text(n.Name.Name + " =")
			p.rest(" ", n.Value.Pos().Start)
			p.expr(n.Value)
			at = n.Value.Pos().End
		}
		p.nest--
	}
	p.rest("", e.Span.End)
	p.text(")")
}

func (p *printer) bracket(b *Bracket) {
	if b == nil {
		return
	}
	p.text("[")
	if len(b.Items) > 0 {
		p.items(b.Items, b.Span.Start)
	}
	if b.Where != nil {
		p.nest++
		at := b.Span.Start
		if len(b.Items) > 0 {
			at = b.Items[len(b.Items)-1].Span.End
		}
		p.brk(" ", levelWhere, at, b.Where.Pos().Start)
		p.text("where ")
		p.expr(b.Where)
		p.nest--
	}
	p.rest("", b.Span.End)
	p.text("]")
}

// items writes a list of items whose opening bracket ends at a place.
func (p *printer) items(list []*Item, at diag.Pos) {
	p.nest++
	for i, item := range list {
		if i == 0 {
			p.brk("", never, at, item.Span.Start)
		} else {
			p.text(",")
			p.brk(" ", levelList, at, item.Span.Start)
		}
		p.item(item)
		at = item.Span.End
	}
	p.nest--
}

func (p *printer) item(i *Item) {
	switch {
	case i.Star:
		p.text("*")
		return
	case i.AxisPack != nil:
		p.text("..." + i.AxisPack.Name)
		return
	case i.Pack:
		p.text("..")
	}
	p.expr(i.Value)
	if !i.In {
		return
	}
	p.text(" in")
	p.rest(" ", i.From.Pos().Start)
	p.operand(i.From, precedence(i.From) < sums, false)
	if i.To != nil {
		p.text("..")
		if i.Inclusive {
			p.text("=")
		}
		p.rest("", i.To.Pos().Start)
		p.operand(i.To, precedence(i.To) < sums, false)
	}
}

// firstName gives the name that an expression begins with; "": it begins with something else.
func firstName(e Expr) string {
	switch e := e.(type) {
	case *Ref:
		return firstOfPath(e.Cotangent, e.Package, e.Name)
	case *Call:
		return firstOfPath(e.Cotangent, e.Package, e.Name)
	case *Binary:
		return firstName(e.X)
	case *Alt:
		return firstName(e.Alts[0])
	}
	return ""
}

func firstOfPath(cotangent bool, pkg *Ident, name Ident) string {
	switch {
	case cotangent:
		return ""
	case pkg != nil:
		return pkg.Name
	}
	return name.Name
}

// FormatExpr gives the text of an expression on one line, with the parentheses that it needs; comments stay behind.
func FormatExpr(e Expr) string {
	p := &printer{pieces: []piece{{}}}
	p.expr(e)
	var b strings.Builder
	for _, x := range p.pieces {
		b.WriteString(x.sep + x.text)
	}
	return b.String()
}
