package dsl

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// The ends of the declaration grammar: names, expressions and blocks. Where the token can't be one, they let the
// grammar try something else; where it is a misnamed one, they take it and say so.
type (
	wordNode   struct{ Ident } // any word
	nameNode   struct{ Ident } // a lower-case name
	valueNode  struct{ Ident } // a lower-case name that no reducer bears
	axisName   struct{ Ident } // an upper-case name
	dtypeName  struct{ Ident }
	lengthNode struct{ Ident } // the length of a list: a number or an axis
	stringNode struct{ Text string }
	exprNode   struct {
		expr  Expr
		at    diag.Span
		diags diag.List
	}
	blockNode struct {
		stmts []Stmt
		diags diag.List
	}
	bodyNode struct {
		lets   []*Let
		result Expr
		diags  diag.List
	}
)

// Parse takes any word.
func (n *wordNode) Parse(lex *lexer.PeekingLexer) error { return takeWord(lex, &n.Ident, nil) }

// Parse takes a lower-case name.
func (n *nameNode) Parse(lex *lexer.PeekingLexer) error { return takeWord(lex, &n.Ident, faultOfName) }

// Parse takes the name of a value.
func (n *valueNode) Parse(lex *lexer.PeekingLexer) error {
	return takeWord(lex, &n.Ident, func(n Ident) *diag.Diagnostic {
		if d := faultOfName(n); d != nil {
			return d
		}
		return faultOfValue(n)
	})
}

// Parse takes the name of an axis.
func (n *axisName) Parse(lex *lexer.PeekingLexer) error {
	return takeWord(lex, &n.Ident, func(n Ident) *diag.Diagnostic { return faultOfUpper(n, "the name of an axis") })
}

// Parse takes the name of a dtype variable.
func (n *dtypeName) Parse(lex *lexer.PeekingLexer) error {
	return takeWord(lex, &n.Ident, func(n Ident) *diag.Diagnostic { return faultOfUpper(n, "a dtype variable") })
}

// Parse takes a whole number or the name of an axis.
func (n *lengthNode) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != tokNumber {
		return takeWord(lex, &n.Ident, func(n Ident) *diag.Diagnostic { return faultOfUpper(n, "the name of an axis") })
	}
	lex.Next()
	n.Ident = identOf(t)
	if digitsLen(t.Value) != len(t.Value) {
		return &syntaxError{[]diag.Diagnostic{{Code: "syntax-expected", Span: spanOf(t),
			Message: "expected the length of the list, a whole number, found " + t.Value}}, *t}
	}
	return nil
}

// Parse takes a string.
func (n *stringNode) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != tokString {
		return participle.NextMatch
	}
	n.Text = unquote(lex.Next())
	return nil
}

// takeWord takes a word unless the check finds fault with it.
func takeWord(lex *lexer.PeekingLexer, into *Ident, fault func(Ident) *diag.Diagnostic) error {
	t := lex.Peek()
	if t.Type != tokWord {
		return participle.NextMatch
	}
	lex.Next()
	*into = identOf(t)
	if fault != nil {
		if d := fault(*into); d != nil {
			return &syntaxError{[]diag.Diagnostic{*d}, *t}
		}
	}
	return nil
}

// Parse reads an expression. A fault that stopped the reading ends the declaration; others are kept.
func (n *exprNode) Parse(lex *lexer.PeekingLexer) error {
	r := reader{lex: lex}
	start := startOf(lex.Peek())
	n.expr = r.expr()
	n.at = r.from(start)
	n.diags = r.diags
	if r.failed {
		return &syntaxError{r.diags.All, *lex.Peek()}
	}
	return nil
}

// Parse reads the block of an op, with all its faults.
func (n *blockNode) Parse(lex *lexer.PeekingLexer) error {
	r, err := openBrace(lex)
	if err != nil {
		return err
	}
	n.stmts = r.block()
	n.diags = r.diags
	return nil
}

// Parse reads the block of a func, with all its faults.
func (n *bodyNode) Parse(lex *lexer.PeekingLexer) error {
	r, err := openBrace(lex)
	if err != nil {
		return err
	}
	n.lets, n.result = r.body()
	n.diags = r.diags
	return nil
}

func openBrace(lex *lexer.PeekingLexer) (*reader, error) {
	r := &reader{lex: lex}
	if !r.at("{") {
		return nil, participle.NextMatch
	}
	return r, nil
}
