package dsl

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// What the grammar of declarations expects at a token is found by trial: each kind of token is put in its place, and
// those that the grammar gets past were possible. So there is no table to be kept in step with the grammar.
var (
	lowerTrial  = lexer.Token{Type: tokWord, Value: "x"}
	upperTrial  = lexer.Token{Type: tokWord, Value: "X"}
	numberTrial = lexer.Token{Type: tokNumber, Value: "1"}
	signTrial   = lexer.Token{Type: tokPunct, Value: "-"}
	textTrial   = lexer.Token{Type: tokString, Value: `""`}

	// literalTrials are shown as they are.
	literalTrials = []string{"(", "[", "{", "...", ":", "=", "->", ",", ";", "|", "?", "_", ")", "]"}
)

// expected says in plain words what could stand at tokens[at], where a Node begins with the first token.
func expected[Node any](list []lexer.Token, at int) string {
	possible := func(trial lexer.Token) bool {
		trial.Pos = list[at].Pos
		behind := lexer.EOFToken(trial.Pos)
		behind.Pos.Offset++
		lex, err := lexer.Upgrade(&tokens{append(append(make([]lexer.Token, 0, at+2), list[:at]...), trial, behind)})
		if err != nil {
			return false
		}
		_, err = read[Node](lex)
		stop, stopped := stopOf(err)
		return !stopped || stop.Pos.Offset > trial.Pos.Offset
	}
	var words []string
	lower, upper := possible(lowerTrial), possible(upperTrial)
	switch {
	case lower && possible(numberTrial) && possible(signTrial):
		return "an expression"
	case lower && upper:
		words = append(words, "a name")
	case lower:
		words = append(words, "a lower-case name")
	case upper:
		words = append(words, "an upper-case name")
	}
	if possible(numberTrial) {
		words = append(words, "a whole number")
	}
	if possible(textTrial) {
		words = append(words, "a string")
	}
	for _, text := range literalTrials {
		if possible(lexer.Token{Type: tokPunct, Value: text}) {
			words = append(words, quote(text))
		}
	}
	return orList(words)
}

// orList joins words as prose does: a, b or c.
func orList(words []string) string {
	switch n := len(words); n {
	case 0:
		return "something else"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

// stopOf gives the token at which the grammar stopped, and false if it didn't.
func stopOf(err error) (lexer.Token, bool) {
	if err == nil {
		return lexer.Token{}, false
	}
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		return unexpected.Unexpected, true
	}
	var syntax *syntaxError
	if errors.As(err, &syntax) {
		return syntax.at, true
	}
	return lexer.Token{}, true
}

// unclosed gives the innermost bracket that is open behind the tokens.
func unclosed(list []lexer.Token) *lexer.Token {
	var open []*lexer.Token
	for i := range list {
		if t := &list[i]; t.Type == tokPunct {
			switch t.Value {
			case "(", "[", "{":
				open = append(open, t)
			case ")", "]", "}":
				if len(open) > 0 {
					open = open[:len(open)-1]
				}
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}

// misfit is the message for a token that the grammar of declarations can't take.
func misfit[Node any](list []lexer.Token, at int) *diag.Diagnostic {
	found := &list[at]
	if found.Type == tokBad {
		return nil
	}
	want := expected[Node](list, at)
	var last lexer.Token
	if at > 0 {
		last = list[at-1]
	}
	next := &endOfFile
	if at+1 < len(list) {
		next = &list[at+1]
	}
	d := &diag.Diagnostic{Code: "syntax-expected", Span: spanOf(found),
		Message: "expected " + want + ", found " + describe(found), Hint: hintFor(guess{&last, found, next, want})}
	if open := unclosed(list[:at]); open != nil && (found.EOF() || found.Type == tokNewline || found.Value == "{") {
		d.WithNote(spanOf(open), "this %s isn't closed", quote(open.Value))
	}
	return d
}
