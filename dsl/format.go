package dsl

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/opgen/opgen/dsl/diag"
)

// FormatSource gives the canonical form of the text of a file. A text with errors comes back as it is.
func FormatSource(name string, src []byte) ([]byte, *diag.List) {
	f, diags := Parse(name, src)
	if diags.HasErrors() {
		return src, diags
	}
	return Format(f), diags
}

// Format writes a file in canonical form, with all its comments. Parsing the result gives the same tree, apart from
// places. A tree made by a program needs no places; where there are any, lines end where they did in the source, and
// one blank line is kept of several.
func Format(f *File) []byte {
	p := &printer{comments: f.Comments}
	p.file(f)
	return []byte(p.out.String())
}

// printer writes a file line by line. A logical line, such as a statement or the head of an op, is first collected in
// pieces and then laid out.
type printer struct {
	out      strings.Builder
	comments []Comment // those not yet written
	pieces   []piece
	indent   int      // of the block, in columns
	deep     int      // steps to the right for the next lines of the logical line
	nest     int      // brackets around what is being written
	source   int      // the line of the source up to which all is written
	next     diag.Pos // where the source goes on behind the logical line; not valid: nowhere
	fresh    bool     // nothing stands above in the block
}

// decl is a declaration and what all have in common.
type decl struct {
	doc  string
	at   diag.Span
	node any
}

func declarationsOf(f *File) []decl {
	var list []decl
	for _, d := range f.Enums {
		list = append(list, decl{d.Doc, d.Span, d})
	}
	for _, d := range f.Funcs {
		list = append(list, decl{d.Doc, d.Span, d})
	}
	for _, d := range f.Ops {
		list = append(list, decl{d.Doc, d.Span, d})
	}
	slices.SortStableFunc(list, func(a, b decl) int { return cmp.Compare(a.at.Start.Offset, b.at.Start.Offset) })
	return list
}

func (p *printer) file(f *File) {
	decls := declarationsOf(f)
	var starts []diag.Pos // of imports and declarations
	for _, i := range f.Imports {
		starts = append(starts, i.Span.Start)
	}
	for _, d := range decls {
		starts = append(starts, d.at.Start)
	}
	goOn := func() {
		p.next = diag.Pos{}
		if len(starts) > 0 {
			p.next, starts = starts[0], starts[1:]
		}
	}
	p.fresh = true
	goOn()
	p.open(f.Package.Span.Start)
	p.text("package " + f.Package.Name)
	p.close(f.Package.Span.End)
	p.blank()
	for _, i := range f.Imports {
		goOn()
		p.open(i.Span.Start)
		p.text("import " + quoted(i.Path))
		p.close(i.Span.End)
	}
	if len(f.Imports) > 0 {
		p.blank()
	}
	for _, d := range decls {
		goOn()
		p.doc(f, d)
		p.open(d.at.Start)
		start := p.out.Len()
		switch n := d.node.(type) {
		case *Enum:
			p.enum(n)
		case *Func:
			p.fn(n)
		case *Op:
			p.op(n)
		}
		if !d.at.Start.IsValid() && strings.Count(p.out.String()[start:], "\n") > 1 {
			p.blank()
		}
	}
	p.flush(diag.Pos{Offset: math.MaxInt, Line: 1})
}

// doc writes the documentation of a declaration where its comments don't say the same.
func (p *printer) doc(f *File, d decl) {
	var own []Comment
	if d.at.Start.IsValid() {
		if docOf(f.Comments, d.at.Start) == d.doc {
			return
		}
		own = docComments(f.Comments, d.at.Start)
	}
	p.comments = slices.DeleteFunc(slices.Clone(p.comments), func(c Comment) bool {
		return slices.ContainsFunc(own, func(o Comment) bool { return o.Span == c.Span })
	})
	p.flush(d.at.Start)
	if d.doc != "" {
		p.blank()
		for line := range strings.SplitSeq(d.doc, "\n") {
			p.line(strings.TrimRight("// "+line, " "))
		}
		p.fresh = true
	}
}

// blank leaves a blank line, unless there is one.
func (p *printer) blank() {
	if !p.fresh {
		p.out.WriteByte('\n')
	}
	p.fresh = true
}

// line writes a line that is laid out already.
func (p *printer) line(text string) {
	p.out.WriteString(strings.Repeat(" ", p.indent) + text + "\n")
	p.fresh = false
}

// gap leaves a blank line if there is one in the source before a line.
func (p *printer) gap(line int) {
	if line > p.source+1 && p.source > 0 {
		p.blank()
	}
}

// flush writes the comments before a place, each on a line of its own.
func (p *printer) flush(before diag.Pos) {
	for _, c := range p.takeComments(before) {
		p.gap(c.Span.Start.Line)
		p.line(c.Text)
		p.source = c.Span.Start.Line
	}
}

// takeComments gives the comments before a place; they count as written.
func (p *printer) takeComments(before diag.Pos) []Comment {
	n := 0
	for before.IsValid() && n < len(p.comments) && p.comments[n].Span.Start.Offset < before.Offset {
		n++
	}
	taken := p.comments[:n]
	p.comments = p.comments[n:]
	return taken
}

// pending tells whether comments stand before a place that aren't written yet.
func (p *printer) pending(before diag.Pos) bool {
	return before.IsValid() && len(p.comments) > 0 && p.comments[0].Span.Start.Offset < before.Offset
}

// open begins a logical line, behind the comments that stand before it.
func (p *printer) open(at diag.Pos) {
	p.flush(at)
	if at.IsValid() {
		p.gap(at.Line)
	}
	p.pieces = []piece{{}}
	p.deep = 1
	p.nest = 0
}

// close ends a logical line whose text in the source ends at a place.
func (p *printer) close(end diag.Pos) {
	p.write(p.pieces)
	p.closeAt(end)
}

// write lays a logical line out, without its line end.
func (p *printer) write(pieces []piece) {
	p.out.WriteString(strings.Repeat(" ", p.indent))
	render(&p.out, pieces, breaks(pieces, p.indent), p.indent)
	p.fresh = false
}

// closeAt ends the line, with the comment that stands behind it.
func (p *printer) closeAt(end diag.Pos) {
	if end.IsValid() {
		p.source = max(p.source, end.Line)
		trailing := true
		for len(p.comments) > 0 {
			c := p.comments[0]
			onLine := c.Trailing && c.Span.Start.Line == end.Line && !(p.next.IsValid() && p.next.Offset <= c.Span.Start.Offset)
			if c.Span.Start.Offset >= end.Offset && !onLine {
				break
			}
			if trailing {
				p.out.WriteString(" " + c.Text)
				trailing = false
			} else {
				p.out.WriteString("\n" + strings.Repeat(" ", p.indent) + c.Text)
			}
			p.comments = p.comments[1:]
		}
	}
	p.out.WriteByte('\n')
}

// text adds to the logical line.
func (p *printer) text(s string) { p.pieces[len(p.pieces)-1].text += s }

// brk adds a place at which the line may end: the text before it ends at one place of the source, the text behind it
// begins at another. Levels count within the brackets around.
//
// The levels of the places where lines end: where a logical line is too long, it ends at the last of the lowest ones.
func (p *printer) brk(sep string, level int, before, behind diag.Pos) {
	if level != never {
		level += p.nest * levelsWithin
	}
	p.pieces = append(p.pieces, piece{sep: sep, level: level, deep: p.deep,
		forced: before.IsValid() && behind.IsValid() && behind.Line > before.Line, comments: p.takeComments(behind)})
}

// rest adds a place at which comments before another can stand.
func (p *printer) rest(sep string, behind diag.Pos) {
	if p.pending(behind) {
		p.brk(sep, never, diag.Pos{}, behind)
	} else {
		p.text(sep)
	}
}

// levelsWithin is how many levels there are between one bracket and the next.
const levelsWithin = 20
