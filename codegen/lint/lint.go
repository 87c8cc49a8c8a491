// Package lint finds formulas that are right on paper and lose digits, overflow or have an infinite derivative in floating point, and says how
// to write them instead.
//
// A rule looks at the syntax, through parentheses, lets and the bodies of funcs, and at the types that the checker found for it: only
// arithmetic of float elements is looked at, since that of exact numbers loses nothing. Each finding has a rewrite, as an edit of the text, which is
// equal to the original in real numbers; `opgen fmt -fix` applies them.
package lint

import (
	"cmp"
	"slices"
	"unicode"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// Finding is a warning and the edits that mend what it is about.
type Finding struct {
	diag.Diagnostic
	Edits []Edit // of the file of the place; none: the comments in it have no other place
}

// Edit replaces the text from one byte offset up to another.
type Edit struct {
	Start, End int
	Text       string
}

// Imported gives the files of an imported package whose funcs may be looked through; nil: none.
type Imported func(path string) []*dsl.File

// Check looks at the files of one package, which has no errors, in the order of the text. Places in pkg tell the types.
func Check(files []*dsl.File, pkg *ir.Package, imported Imported) []Finding {
	l := &linter{types: typesOf(pkg), imported: imported, loaded: map[string]*folder{}}
	own := l.folder(files)
	for _, f := range files {
		l.file = f
		for _, d := range f.Funcs {
			l.fn(own, f, d)
		}
		for _, d := range f.Ops {
			l.op(own, f, d)
		}
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		if c := cmp.Compare(a.Span.Start.File, b.Span.Start.File); c != 0 {
			return c
		}
		return a.Span.Start.Offset - b.Span.Start.Offset
	})
	return l.found
}

// linter is one run.
type linter struct {
	types    types
	imported Imported
	loaded   map[string]*folder
	file     *dsl.File
	found    []Finding

	// Of the op or func that is looked at:
	home      *frame
	update    bool
	byHand    bool            // no derivative of it is derived
	limits    map[string]bool // names that a require mentions
	mentioned map[string]bool // names in it
	steps     int             // names and calls that may still be looked through at this place
}

// fn looks at the body of a func.
func (l *linter) fn(own *folder, file *dsl.File, d *dsl.Func) {
	l.start(own, file, d)
	for _, s := range d.Lets {
		l.expr(s.Value, place{span: s.Span, block: true})
	}
	l.expr(d.Result, place{span: d.Result.Pos()})
}

// op looks at the body of an op.
func (l *linter) op(own *folder, file *dsl.File, d *dsl.Op) {
	l.start(own, file, d)
	l.update = d.Update
	l.byHand = gradientsByHand(d)
	l.states(d)
	if d.Short != nil {
		l.expr(d.Short, place{span: d.Short.Pos()})
	}
	l.stmts(d.Body)
}

// start begins with an op or func.
func (l *linter) start(own *folder, file *dsl.File, d any) {
	l.home = newFrame(own, file, d)
	l.update, l.byHand = false, false
	l.limits, l.mentioned, l.steps = map[string]bool{}, map[string]bool{}, maxSteps
	for name := range l.home.inputs {
		l.mentioned[name] = true
	}
	dsl.Inspect(d, func(n any) bool {
		switch n := n.(type) {
		case *dsl.Require:
			l.namesIn(n.Cond, l.limits)
		case *dsl.Ref:
			l.mentioned[n.Name.Name] = true
		case *dsl.Assign:
			l.mentioned[n.Name.Name] = true
		case *dsl.Let:
			for _, id := range n.Names {
				l.mentioned[id.Name] = true
			}
		}
		return true
	})
}

// gradientsByHand tells whether the spec says itself what the derivative by each input is.
func gradientsByHand(d *dsl.Op) bool {
	said := map[string]bool{}
	for _, s := range d.Body {
		switch s := s.(type) {
		case *dsl.Grad:
			said[s.Name.Name] = true
		case *dsl.GradNone:
			for _, id := range s.Names {
				said[id.Name] = true
			}
		}
	}
	return !slices.ContainsFunc(d.Inputs, func(in *dsl.Input) bool { return !said[in.Name.Name] && mayBe(d, in.Type.Elem, floats) })
}

// place is where an expression stands.
type place struct {
	span    diag.Span // of the statement
	block   bool      // the statement is a line of a block
	operand bool      // an operator stands beside the expression
	guards  []dsl.Expr
	stopped bool      // without a derivative
	paren   diag.Span // of the parentheses directly around the expression
}

// under is the place of an operand.
func (p place) under() place { p.operand = true; return p }

// alone is the place of what no operator stands beside.
func (p place) alone() place { p.operand = false; return p }

// given is a place where a condition has been tested.
func (p place) given(cond dsl.Expr) place {
	p.guards = append(slices.Clip(p.guards), cond)
	p.operand = false
	return p
}

func (l *linter) stmts(list []dsl.Stmt) {
	for _, s := range list {
		at := place{span: s.Pos(), block: true}
		switch s := s.(type) {
		case *dsl.Let:
			l.expr(s.Value, at)
		case *dsl.Assign:
			l.expr(s.Value, at)
		case *dsl.Require:
			at.stopped = true
			l.expr(s.Cond, at)
		case *dsl.Grad:
			at.stopped = true
			l.expr(s.Value, at)
		case *dsl.Match:
			for _, a := range s.Arms {
				l.stmts(a.Body)
			}
		}
	}
}

// expr looks at an expression and at all in it that no finding covers.
func (l *linter) expr(e dsl.Expr, at place) {
	if e == nil {
		return
	}
	if l.types[spanKey(e.Pos())] {
		l.steps = maxSteps
		for i := range rules {
			if r := rules[i].find(l, view{e, l.home}, at); r != nil && l.steps > 0 {
				l.report(&rules[i], e, r, at)
				return
			}
		}
	}
	at.paren = diag.Span{}
	switch e := e.(type) {
	case *dsl.Ref:
		l.bracket(e.Index, at)
	case *dsl.Call:
		inner := at.alone()
		inner.stopped = at.stopped || e.Package == nil && e.Name.Name == "stop"
		if e.Index != nil && e.Index.Where != nil {
			inner = inner.given(e.Index.Where)
		}
		l.bracket(e.Index, at)
		l.items(e.Args, inner)
		for _, n := range e.Named {
			l.expr(n.Value, inner)
		}
	case *dsl.Binary:
		l.expr(e.X, at.under())
		l.expr(e.Y, at.under())
	case *dsl.Unary:
		l.expr(e.X, at.under())
	case *dsl.Alt:
		for _, x := range e.Alts {
			l.expr(x, at.under())
		}
	case *dsl.If:
		l.expr(e.Cond, at.alone())
		l.expr(e.Then, at.given(e.Cond))
		l.expr(e.Else, at.given(e.Cond))
	case *dsl.Paren:
		inner := at.alone()
		inner.paren = e.Span
		l.expr(e.X, inner)
	case *dsl.Tuple:
		l.items(e.Items, at.alone())
	}
}

func (l *linter) bracket(b *dsl.Bracket, at place) {
	if b != nil {
		l.items(b.Items, at.alone())
		l.expr(b.Where, at.alone())
	}
}

func (l *linter) items(list []*dsl.Item, at place) {
	for _, i := range list {
		l.expr(i.Value, at)
		l.expr(i.From, at.under())
		l.expr(i.To, at.under())
	}
}

// report adds a finding.
func (l *linter) report(r *rule, e dsl.Expr, w dsl.Expr, at place) {
	to := w
	switch {
	case !isPrimary(to):
		at.paren = diag.Span{}
		if at.operand {
			to = &dsl.Paren{X: to}
		}
	case at.paren.Start.IsValid() && l.joins(at.paren):
		at.paren = diag.Span{}
	}
	l.add(diag.Diagnostic{Code: r.Code, Span: e.Pos(), Message: r.why, Hint: "write `" + dsl.FormatExpr(w) + "`", Notes: l.origins(e, w)}, dsl.FormatExpr(to), at)
}

// origins are notes of the lets that an expression names and its rewrite doesn't.
func (l *linter) origins(e dsl.Expr, w dsl.Expr) []diag.Note {
	kept := map[string]bool{}
	dsl.Inspect(w, func(n any) bool {
		if r, is := n.(*dsl.Ref); is {
			kept[r.Name.Name] = true
		}
		return true
	})
	var notes []diag.Note
	dsl.Inspect(e, func(n any) bool {
		if r, is := n.(*dsl.Ref); is && isBare(r) && !kept[r.Name.Name] && l.home.lets[r.Name.Name] != nil {
			kept[r.Name.Name] = true
			notes = append(notes, diag.Note{Span: l.home.lets[r.Name.Name].Span, Message: "`" + r.Name.Name + "` is this"})
		}
		return true
	})
	return notes
}

// add adds a finding whose text is replaced.
func (l *linter) add(d diag.Diagnostic, text string, at place) {
	d.Severity = diag.Warning
	span := d.Span
	if at.paren.Start.IsValid() {
		span = at.paren
	}
	l.found = append(l.found, Finding{d, l.edits(span, text, at)})
}

// joins tells whether a word stands directly beside a stretch of text: if(x)then.
func (l *linter) joins(span diag.Span) bool {
	part := func(at int) bool {
		return at >= 0 && at < len(l.file.Source) && (l.file.Source[at] == '_' || unicode.IsLetter(rune(l.file.Source[at])) || unicode.IsDigit(rune(l.file.Source[at])))
	}
	return part(span.Start.Offset-1) || part(span.End.Offset)
}

// edits replaces a stretch of text. Comments in it move above the statement; where that is no line of a block, there is no place for
// them, and nothing is replaced.
func (l *linter) edits(span diag.Span, text string, at place) []Edit {
	edit := Edit{span.Start.Offset, span.End.Offset, text}
	var moved string
	src := l.file.Source
	line := lineStart(src, at.span.Start.Offset)
	indent := string(src[line:at.span.Start.Offset])
	for _, c := range l.file.Comments {
		if c.Span.Start.Offset >= edit.Start && c.Span.End.Offset <= edit.End {
			moved += indent + c.Text + "\n"
		}
	}
	switch {
	case moved == "":
		return []Edit{edit}
	case !at.block || !isBlank(indent):
		return nil
	}
	return []Edit{{line, line, moved}, edit}
}

func lineStart(src []byte, offset int) int {
	for offset > 0 && src[offset-1] != '\n' {
		offset--
	}
	return offset
}

func isBlank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\t' {
			return false
		}
	}
	return true
}
