package dsl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opgen/opgen/dsl/diag"
)

// part is something that stands in a block: where it stood, and how it is written.
type part struct {
	at     diag.Span
	first  string // the name that it begins with, if it does with one
	simple bool   // it can stand on the line of the braces
	write  func()
}

func (p *printer) statements(list []Stmt) []part {
	parts := make([]part, 0, len(list))
	for _, s := range list {
		one := part{at: s.Pos(), simple: true, write: func() { p.stmt(s) }}
		switch s := s.(type) {
		case *Match:
			one.simple = false
		case *Assign:
			one.first = s.Name.Name
		}
		parts = append(parts, one)
	}
	return parts
}

// block ends the logical line that has been collected with a block that ends at a place: on the same line where that
// is a single short statement, as it was in the source.
func (p *printer) block(parts []part, end diag.Pos) {
	defer func() { p.pieces = nil }() // the line is written
	if len(parts) == 0 && !p.pending(end) {
		p.text(" {}")
		p.close(end)
		return
	}
	if len(parts) == 1 && p.oneLine(parts[0], end) {
		p.closeAt(end)
		return
	}
	p.text(" {")
	first := end
	if len(parts) > 0 {
		first = parts[0].at.Start
	}
	p.write(p.pieces)
	for i := 0; first.IsValid() && len(p.comments) > 0 && p.comments[0].Trailing && p.comments[0].Span.Start.Offset < first.Offset; i++ {
		c := p.comments[0]
		if i > 0 {
			p.out.WriteString("\n" + strings.Repeat(" ", p.indent+indentWidth))
		} else {
			p.out.WriteString(" ")
		}
		p.out.WriteString(c.Text)
		p.comments = p.comments[1:]
	}
	p.out.WriteByte('\n')
	p.indent += indentWidth
	p.fresh = true
	behind := p.next
	for i, one := range parts {
		p.next = end
		if i+1 < len(parts) {
			p.next = parts[i+1].at.Start
		}
		p.open(one.at.Start)
		if i > 0 && continued[one.first] {
			p.text("; ") // else it would be read as more of the line above
		}
		one.write()
		if len(p.pieces) > 0 {
			p.close(one.at.End)
		}
		p.fresh = false
	}
	p.next = behind
	p.flush(end)
	p.indent -= indentWidth
	p.out.WriteString(strings.Repeat(" ", p.indent) + "}")
	p.fresh = false
	p.closeAt(end)
}

// oneLine writes the collected line with a block of one part behind it, if that is how it stood and it fits.
func (p *printer) oneLine(one part, end diag.Pos) bool {
	if !one.simple || one.at.Start.Line != end.Line || p.pending(end) {
		return false
	}
	head, deep := p.pieces, p.deep
	p.pieces = []piece{{}}
	one.write()
	body := p.pieces
	p.pieces, p.deep = head, deep
	text := head[len(head)-1].text + " { "
	for i := range body {
		if body[i].forced {
			return false
		}
		text += body[i].sep + body[i].text
	}
	whole := slices.Clone(head)
	whole[len(whole)-1].text = text + " }"
	head[len(head)-1].text += " {"
	broken := breaks(whole, p.indent)
	fits := slices.Equal(broken, breaks(head, p.indent)) && lastWidth(whole, broken, p.indent) <= lineWidth
	head[len(head)-1].text = strings.TrimSuffix(head[len(head)-1].text, " {")
	if fits {
		p.write(whole)
	}
	return fits
}

// lastWidth is the width of the last line of a logical line.
func lastWidth(pieces []piece, broken []bool, indent int) int {
	width := 0
	for i := len(pieces) - 1; i >= 0; i-- {
		width += utf8.RuneCountInString(pieces[i].text)
		if i == 0 || broken[i] {
			return width + indent + pieces[i].deep*indentWidth
		}
		width += utf8.RuneCountInString(pieces[i].sep)
	}
	return width
}

// levelSet is the level of the place behind the = of a statement: broken before its operands are, not before its
// branches and operators.
const levelSet = levelAlt + 1

// stmt writes a statement behind what has been collected.
func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Let:
		p.let(s)
	case *Assign:
		p.text(s.Name.Name)
		if s.Prime {
			p.text("'")
		}
		p.set(s.Name, s.Left, s.Value)
	case *Dim:
		p.text("dim ")
		if s.Pack {
			p.text("...")
		}
		p.text(s.Name.Name)
		p.set(s.Name, nil, s.Value)
	case *Require:
		p.text("require ")
		p.expr(s.Cond)
		if s.Message != "" {
			p.brk(" ", levelBranch, s.Cond.Pos().End, s.Span.End)
			p.text("else " + quoted(s.Message))
		}
	case *Match:
		p.text("match " + s.Name.Name)
		parts := make([]part, 0, len(s.Arms))
		for _, a := range s.Arms {
			one := part{at: a.Span, write: func() { p.arm(a) }}
			if len(a.Labels) > 0 {
				one.first = a.Labels[0].Name
			}
			parts = append(parts, one)
		}
		p.block(parts, s.Span.End)
	case *Grad:
		p.text("grad " + s.Name.Name)
		p.set(s.Name, s.Left, s.Value)
		if s.Unverified {
			p.brk(" ", levelBranch, s.Value.Pos().End, s.Span.End)
			p.text("unverified " + quoted(s.Reason))
		}
	case *GradNone:
		p.text("grad none ")
		p.idents(s.Names, diag.Pos{})
	case *Keep:
		if s.Save {
			p.text("save ")
		} else {
			p.text("recompute ")
		}
		p.idents(s.Names, diag.Pos{})
	case *Example:
		p.text("example ")
		at := p.binds(s.In, s.Span.Start)
		behind := s.Span.End
		if len(s.Out) > 0 {
			behind = s.Out[0].Name.Span.Start
		}
		p.brk(" ", levelDefinition, at, behind)
		p.text("=> ")
		p.binds(s.Out, behind)
	}
}

func (p *printer) let(s *Let) {
	p.text("let ")
	last := s.Names[len(s.Names)-1]
	switch {
	case len(s.Names) > 1:
		p.text("(")
		p.nest++
		p.idents(s.Names, s.Span.Start)
		p.nest--
		p.text(")")
	case s.Pack:
		p.text(".." + last.Name)
	default:
		p.text(last.Name)
	}
	p.set(last, s.Left, s.Value)
}

// set writes what stands behind the name that is defined.
func (p *printer) set(name Ident, left *Bracket, value Expr) {
	at := name.Span.End
	if left != nil {
		p.bracket(left)
		at = left.Span.End
	}
	p.text(" =")
	p.brk(" ", levelSet, at, value.Pos().Start)
	p.expr(value)
}

func (p *printer) arm(a *Arm) {
	at := a.Span.Start
	if len(a.Labels) == 0 {
		p.text("_")
	} else {
		p.idents(a.Labels, at)
		at = a.Labels[len(a.Labels)-1].Span.End
	}
	p.text(":")
	if a.Block || len(a.Body) != 1 {
		p.block(p.statements(a.Body), a.Span.End)
		return
	}
	if _, is := a.Body[0].(*Match); is {
		p.rest(" ", a.Body[0].Pos().Start)
	} else {
		p.brk(" ", never, at, a.Body[0].Pos().Start)
		p.deep++
	}
	p.stmt(a.Body[0])
}

// binds writes the values of an example; what stands before them ends at a place. It gives the place where they end.
func (p *printer) binds(list []Bind, at diag.Pos) diag.Pos {
	if len(list) == 0 {
		p.text("{}")
		return at
	}
	p.text("{")
	p.nest++
	for i, b := range list {
		if i > 0 {
			p.text(",")
			p.brk(" ", levelList, at, b.Name.Span.Start)
		} else {
			p.brk(" ", never, at, b.Name.Span.Start)
		}
		p.text(b.Name.Name)
		if b.Prime {
			p.text("'")
		}
		p.text(" =")
		p.brk(" ", levelSet, b.Name.Span.End, b.Value.Span.Start)
		p.val(b.Value)
		at = b.Value.Span.End
	}
	p.nest--
	p.text(" }")
	return at
}

func (p *printer) val(v Val) {
	if v.Expr != nil {
		p.expr(v.Expr)
		return
	}
	p.text("[")
	p.nest++
	at := v.Span.Start
	for i, one := range v.List {
		if i == 0 {
			p.rest("", one.Span.Start)
		} else {
			p.text(",")
			p.brk(" ", levelList, at, one.Span.Start)
		}
		p.val(one)
		at = one.Span.End
	}
	p.nest--
	p.rest("", v.Span.End)
	p.text("]")
}
