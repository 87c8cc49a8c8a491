package dsl

import (
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// The kinds of token. Comments are no tokens: the scanner keeps them aside.
const (
	tokWord    lexer.TokenType = iota + 1 // a name or keyword
	tokNumber                             // 1, 0.5, 1e-3
	tokString                             // "text", with its quotes
	tokPunct                              // an operator or bracket
	tokNewline                            // a line end that ends a statement
	tokBad                                // something that the scanner has already reported
)

// symbols names the kinds of token for the declaration grammar.
var symbols = map[string]lexer.TokenType{
	"EOF":     lexer.EOF,
	"Word":    tokWord,
	"Number":  tokNumber,
	"String":  tokString,
	"Punct":   tokPunct,
	"Newline": tokNewline,
	"Bad":     tokBad,
}

// puncts are the operators and brackets, the longest first where one begins another.
var puncts = []string{
	"...", "..=", "..", "=>", "->", "==", "!=", "<=", ">=", "&&", "||", "??",
	"+", "-", "*", "/", "%", "^", "=", "<", ">", "!", "?", "|", "'", "@", "_", ".", ",", ";", ":",
	"(", ")", "{", "}", "[", "]",
}

// set makes a lookup table of words.
func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

var (
	// constants are the reserved words that are values.
	constants = set("true", "false", "inf", "nan", "pi")
	// joints are the reserved words that join the parts of an expression.
	joints = set("if", "then", "else", "in", "where")
	// reserved words can't name a value.
	reserved = set("package", "import", "enum", "func", "op", "update", "inout", "state", "let", "dim", "require",
		"match", "grad", "save", "recompute", "example", "if", "then", "else", "in", "where",
		"true", "false", "inf", "nan", "pi")
	// reducers can't name a value either.
	reducers = set("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "logsumexp", "norm")
	// declarations are the words that begin one.
	declarations = set("enum", "func", "op", "update")
	// statements are the reserved words that begin a statement.
	statements = set("let", "dim", "require", "match", "grad", "save", "recompute", "example")
)

func isUpper(word string) bool { return word != "" && 'A' <= word[0] && word[0] <= 'Z' }

// startOf is the place of a token's first character.
func startOf(t *lexer.Token) diag.Pos {
	return diag.Pos{File: t.Pos.Filename, Offset: t.Pos.Offset, Line: t.Pos.Line, Col: t.Pos.Column}
}

// endOf is the place behind a token. No token spans lines; a line end has no width.
func endOf(t *lexer.Token) diag.Pos {
	p := startOf(t)
	if t.Type != tokNewline {
		p.Offset += len(t.Value)
		p.Col += utf8.RuneCountInString(t.Value)
	}
	return p
}

func spanOf(t *lexer.Token) diag.Span { return diag.Span{Start: startOf(t), End: endOf(t)} }

// join is the text from the start of a up to the end of b.
func join(a, b diag.Span) diag.Span { return diag.Span{Start: a.Start, End: b.End} }

// describe says in plain words what a token is.
func describe(t *lexer.Token) string {
	switch t.Type {
	case lexer.EOF:
		return "the end of the file"
	case tokNewline:
		return "the end of the line"
	case tokNumber:
		return "the number " + t.Value
	case tokString:
		return "the string " + t.Value
	}
	return quote(t.Value)
}

// quote sets a piece of source text off from the words around it.
func quote(text string) string { return "`" + text + "`" }
