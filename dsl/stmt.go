package dsl

import (
	"github.com/opgen/opgen/dsl/diag"
)

// block reads "{" {Stmt} "}".
func (r *reader) block() []Stmt {
	var list []Stmt
	r.braced("a statement", func() bool {
		if s := r.stmt(); !r.failed {
			list = append(list, s)
		}
		return true
	})
	return list
}

// braced reads what stands between braces, part by part, and goes on behind each part that has a fault. The part says
// whether another may follow.
func (r *reader) braced(what string, part func() bool) {
	open := r.expect("{")
	if r.failed {
		return
	}
	level := r.braces
	r.skipEnds()
	more := true
	for more && !r.at("}") && !r.endsBlock() {
		r.inside = 0
		more = part()
		r.endPart(level)
	}
	want := what + " or "
	if !more {
		want = ""
		for first := true; !r.at("}") && !r.endsBlock(); first = false {
			if first {
				r.expectClose("}", open, want)
			}
			r.resync(level)
			r.skipEnds()
		}
	}
	r.expectClose("}", open, want)
}

// endPart goes to the next part of a block, and reports what stands between.
func (r *reader) endPart(level int) {
	if !r.failed && !r.at("}", ";") && r.peek().Type != tokNewline && !r.peek().EOF() {
		r.fail("the end of the statement")
	}
	if r.failed {
		r.resync(level)
	}
	r.skipEnds()
}

// endsBlock tells whether the file or a new declaration begins here, so that the block was never closed.
func (r *reader) endsBlock() bool {
	t := r.peek()
	return t.EOF() || r.last.Type == tokNewline && t.Type == tokWord && declarations[t.Value] && r.second().Type == tokWord
}

// skipEnds goes over line ends and semicolons.
func (r *reader) skipEnds() {
	for r.peek().Type == tokNewline || r.at(";") {
		r.take()
	}
}

// resync makes the reader usable after a fault: it goes to the end of the statement, or of the block around it, where
// so many braces are open.
func (r *reader) resync(level int) {
	r.failed = false
	for ; !r.peek().EOF() && !r.endsBlock(); r.take() {
		if r.braces <= level && (r.at("}") || r.at(";") && r.inside == 0 && !r.closes() || r.peek().Type == tokNewline) {
			return // a semicolon within brackets is that of attributes
		}
	}
}

// closes tells whether a bracket that isn't open is closed further on in the line: that of a call whose `(` was left out.
func (r *reader) closes() bool {
	at := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(at)
	open := 0
	for t := r.lex.Peek(); !t.EOF() && t.Type != tokNewline; t = r.lex.Peek() {
		if r.lex.Next(); t.Type != tokPunct {
			continue
		}
		switch t.Value {
		case "(", "[":
			open++
		case ")", "]":
			open--
		case "{", "}":
			return false
		}
		if open < 0 {
			return true
		}
	}
	return false
}

// stmt reads one statement.
func (r *reader) stmt() Stmt {
	t := r.peek()
	start := startOf(t)
	if t.Type == tokWord {
		switch t.Value {
		case "let":
			return r.let()
		case "dim":
			return r.dim(start)
		case "require":
			return r.require(start)
		case "match":
			return r.match(start)
		case "grad":
			return r.grad(start)
		case "save", "recompute":
			r.take()
			names := r.names(r.name, "the name of a let")
			return &Keep{Save: t.Value == "save", Names: names, Span: r.from(start)}
		case "example":
			return r.example(start)
		case "if":
			r.fail("a statement")
			return nil
		}
	}
	s := &Assign{Name: r.name("a statement")}
	s.Prime = r.accept("'")
	s.Left, s.Value = r.definition()
	s.Span = r.from(start)
	return s
}

// definition reads [Br] "=" Expr.
func (r *reader) definition() (*Bracket, Expr) {
	var left *Bracket
	if r.at("[") {
		left = r.bracket()
	}
	r.expect("=")
	return left, r.expr()
}

// let reads Let = "let" ([".."] id [Br] | "(" id {"," id} ")") "=" Expr.
func (r *reader) let() *Let {
	s := &Let{}
	start := startOf(r.take())
	if r.at("(") {
		open := r.take()
		s.Names = r.names(r.value, "a name")
		r.expectClose(")", open, "`,` or ")
		r.expect("=")
		s.Value = r.expr()
	} else {
		s.Pack = r.accept("..")
		s.Names = []Ident{r.value("a name")}
		s.Left, s.Value = r.definition()
	}
	s.Span = r.from(start)
	return s
}

func (r *reader) dim(start diag.Pos) Stmt {
	s := &Dim{}
	r.take()
	s.Pack = r.accept("...")
	s.Name = r.upper("the name of an axis")
	r.expect("=")
	s.Value = r.expr()
	s.Span = r.from(start)
	return s
}

func (r *reader) require(start diag.Pos) Stmt {
	s := &Require{}
	r.take()
	s.Cond = r.expr()
	if r.accept("else") {
		s.Message = r.str("the message, a string")
	}
	s.Span = r.from(start)
	return s
}

// match reads "match" word "{" {("_" | word {"," word}) ":" (Stmt|Block)} "}".
func (r *reader) match(start diag.Pos) Stmt {
	s := &Match{}
	r.take()
	s.Name = r.word("the name of an attribute")
	r.braced("an arm", func() bool {
		if a := r.arm(); !r.failed {
			s.Arms = append(s.Arms, a)
		}
		return true
	})
	s.Span = r.from(start)
	return s
}

func (r *reader) arm() *Arm {
	a := &Arm{}
	start := startOf(r.peek())
	if !r.accept("_") {
		a.Labels = r.names(r.word, "a word of the enum or `_`")
	}
	r.expect(":")
	if r.at("{") {
		a.Block = true
		a.Body = r.block()
	} else {
		a.Body = []Stmt{r.stmt()}
	}
	a.Span = r.from(start)
	return a
}

// grad reads "grad" (id [Br] "=" Expr ["unverified" string] | "none" id {"," id}).
func (r *reader) grad(start diag.Pos) Stmt {
	r.take()
	if r.at("none") && r.second().Type == tokWord {
		r.take()
		names := r.names(r.name, "the name of an input")
		return &GradNone{Names: names, Span: r.from(start)}
	}
	s := &Grad{Name: r.name("the name of an input or `none`")}
	s.Left, s.Value = r.definition()
	if r.accept("unverified") {
		s.Unverified = true
		s.Reason = r.str("the reason, a string")
	}
	s.Span = r.from(start)
	return s
}

func (r *reader) example(start diag.Pos) Stmt {
	s := &Example{}
	r.take()
	s.In = r.binds()
	r.expect("=>")
	s.Out = r.binds()
	s.Span = r.from(start)
	return s
}

// binds reads Vals = "{" {id ["'"] "=" Val [","]} "}".
func (r *reader) binds() []Bind {
	open := r.expect("{")
	if r.failed {
		return nil
	}
	var list []Bind
	for r.skipLines(); !r.at("}") && !r.failed && !r.endsBlock(); r.skipLines() {
		b := Bind{Name: r.name("a name")}
		b.Prime = r.accept("'")
		r.expect("=")
		b.Value = r.val()
		list = append(list, b)
		r.accept(",")
	}
	r.expectClose("}", open, "`,` or ")
	return list
}

func (r *reader) skipLines() {
	for r.peek().Type == tokNewline {
		r.take()
	}
}

// val reads Val = Expr | "[" [Val {"," Val}] "]".
func (r *reader) val() Val {
	start := startOf(r.peek())
	v := Val{}
	if r.at("[") {
		open := r.take()
		if !r.at("]") {
			for more := true; more; more = r.accept(",") {
				v.List = append(v.List, r.val())
			}
		}
		r.expectClose("]", open, "`,` or ")
	} else {
		v.Expr = r.expr()
	}
	v.Span = r.from(start)
	return v
}

// body reads what a func may have for "=" Expr: "{" {Let} Expr "}".
func (r *reader) body() (lets []*Let, result Expr) {
	r.braced("an expression", func() bool {
		if r.at("let") {
			if l := r.let(); !r.failed {
				lets = append(lets, l)
			}
			return true
		}
		result = r.expr()
		return false
	})
	if result == nil && len(r.diags.All) == 0 {
		r.diags.Errorf(spanOf(&r.last), "syntax-expected", "expected an expression, the value of the func, before %s", describe(&r.last))
	}
	return lets, result
}
