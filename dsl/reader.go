package dsl

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// reader is the part of the parser written by hand: expressions, statements and blocks. It reads from the token
// stream that it shares with the declaration grammar.
//
// The first fault of a statement stops the reading of that statement: from then on the reader sees only the end of
// the file, so that every loop ends and nothing further is reported, until the statement's owner calls resync.
type reader struct {
	lex    *lexer.PeekingLexer
	last   lexer.Token // the last token taken
	diags  diag.List
	failed bool
	depth  int
	braces int // braces taken that are still open
	inside int // parentheses and square brackets of the statement taken that are still open
}

var endOfFile = lexer.Token{Type: lexer.EOF}

func (r *reader) peek() *lexer.Token {
	if r.failed {
		return &endOfFile
	}
	return r.lex.Peek()
}

// second is the token behind the next one.
func (r *reader) second() *lexer.Token {
	if r.failed || r.lex.Peek().EOF() {
		return &endOfFile
	}
	at := r.lex.MakeCheckpoint()
	defer r.lex.LoadCheckpoint(at)
	r.lex.Next()
	return r.lex.Peek()
}

func (r *reader) take() *lexer.Token {
	if r.failed {
		return &endOfFile
	}
	t := r.lex.Next()
	if t.EOF() {
		return t
	}
	r.last = *t
	if t.Type == tokPunct {
		switch t.Value {
		case "{":
			r.braces++
			r.inside = 0
		case "}":
			r.braces--
			r.inside = 0
		case "(", "[":
			r.inside++
		case ")", "]":
			r.inside = max(0, r.inside-1)
		}
	}
	return t
}

// at tells whether the next token is one of the operators, brackets or keywords.
func (r *reader) at(texts ...string) bool {
	t := r.peek()
	if t.Type == tokPunct || t.Type == tokWord {
		for _, text := range texts {
			if t.Value == text {
				return true
			}
		}
	}
	return false
}

func (r *reader) accept(text string) bool {
	if r.at(text) {
		r.take()
		return true
	}
	return false
}

// expect takes the token or fails.
func (r *reader) expect(text string) *lexer.Token {
	if !r.at(text) {
		r.fail(quote(text))
		return &endOfFile
	}
	return r.take()
}

// expectClose takes the bracket that closes the one at open; want lists what else could have stood there.
func (r *reader) expectClose(text string, open *lexer.Token, want string) {
	if r.at(text) {
		r.take()
		return
	}
	if d := r.fail(want + quote(text)); d != nil {
		d.WithNote(spanOf(open), "to close this %s", quote(open.Value))
	}
}

// from is the text from a start up to the last token taken.
func (r *reader) from(start diag.Pos) diag.Span {
	end := endOf(&r.last)
	if end.Offset < start.Offset {
		end = start
	}
	return diag.Span{Start: start, End: end}
}

// fail reports that something else was expected here, and stops the statement. The result is nil where nothing is
// reported, because something was said of this token already.
func (r *reader) fail(expected string) *diag.Diagnostic {
	if r.failed {
		return nil
	}
	t, next := r.lex.Peek(), r.second()
	r.failed = true
	if n := len(r.diags.All); t.Type == tokBad || n > 0 && r.diags.All[n-1].Span == spanOf(t) {
		return nil
	}
	d := r.diags.Errorf(spanOf(t), "syntax-expected", "expected %s, found %s", expected, describe(t))
	d.Hint = hintFor(guess{&r.last, t, next, expected})
	return d
}

// report adds an error that doesn't stop the statement.
func (r *reader) report(at diag.Span, code, format string, args ...any) *diag.Diagnostic {
	if r.failed {
		return &diag.Diagnostic{}
	}
	return r.diags.Errorf(at, code, format, args...)
}

// enter counts a level of nesting; it fails where they are too many.
func (r *reader) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.tooDeep()
	}
	return !r.failed
}

func (r *reader) leave() { r.depth-- }

func (r *reader) tooDeep() {
	r.report(spanOf(r.peek()), "nesting-deep", "more than %d levels of nesting, or operands in a row", maxDepth).
		WithHint("give a part a name with let")
	r.failed = true
}

// word takes a word, reserved or not.
func (r *reader) word(what string) Ident {
	t := r.peek()
	if t.Type != tokWord {
		r.fail(what)
		return Ident{}
	}
	r.take()
	return identOf(t)
}

// name takes a name that begins with a lower-case letter and is not reserved.
func (r *reader) name(what string) Ident {
	n := r.word(what)
	if d := faultOfName(n); d != nil && !r.failed {
		r.diags.Add(*d)
	}
	return n
}

// value takes the name of a new value, which can't be that of a reducer either.
func (r *reader) value(what string) Ident {
	n := r.name(what)
	if d := faultOfValue(n); d != nil && !r.failed {
		r.diags.Add(*d)
	}
	return n
}

// upper takes the name of an axis or dtype variable.
func (r *reader) upper(what string) Ident {
	n := r.word(what)
	if d := faultOfUpper(n, what); d != nil && !r.failed {
		r.diags.Add(*d)
	}
	return n
}

// names takes a list of names.
func (r *reader) names(one func(string) Ident, what string) []Ident {
	list := []Ident{one(what)}
	for r.accept(",") {
		list = append(list, one(what))
	}
	return list
}

// str takes a string and gives its value.
func (r *reader) str(what string) string {
	t := r.peek()
	if t.Type != tokString {
		r.fail(what)
		return ""
	}
	r.take()
	return unquote(t)
}

// unquote gives a string's value; of one that the scanner has found fault with, what stands between the quotes.
func unquote(t *lexer.Token) string {
	text, err := strconv.Unquote(t.Value)
	if err != nil {
		return strings.Trim(t.Value, `"`)
	}
	return text
}

func identOf(t *lexer.Token) Ident { return Ident{Name: t.Value, Span: spanOf(t)} }
