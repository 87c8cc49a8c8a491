package dsl

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// warnOfDivisions warns of comments that look as if // had been meant as a division: the text before one is an
// expression, and so is the text of the comment, of words that the file has elsewhere.
func (p *parser) warnOfDivisions(raw []lexer.Token) {
	var ends map[int]bool // where expressions end
	words := map[string]bool{}
	for _, t := range raw {
		words[t.Value] = true
	}
	for _, c := range p.file.Comments {
		if !c.Trailing || !isExpression(strings.TrimPrefix(c.Text, "//"), words) {
			continue
		}
		if ends == nil {
			ends = map[int]bool{}
			Inspect(p.file, func(n any) bool {
				if e, is := n.(Expr); is {
					ends[e.Pos().End.Offset] = true
				}
				return true
			})
		}
		before, _ := slices.BinarySearchFunc(raw, c.Span.Start.Offset, func(t lexer.Token, offset int) int { return t.Pos.Offset - offset })
		if before > 0 && ends[endOf(&raw[before-1]).Offset] {
			p.diags.Warnf(c.Span, "comment-division", "`//` begins a comment; this one reads like the right side of a division").
				WithHint("for the floor of a quotient write floor(a / b); else put the comment on a line of its own")
		}
	}
}

// isExpression tells whether a text is an expression and nothing else, with no words but these.
func isExpression(text string, words map[string]bool) bool {
	s := scan("", []byte(text))
	for _, t := range s.tokens {
		if r, _ := utf8.DecodeRuneInString(t.Value); unicode.IsLetter(r) && !words[t.Value] {
			return false
		}
	}
	list, deep := statementLines(s.tokens, s.pos)
	if deep != nil || len(s.diags.All) > 0 {
		return false
	}
	lex, err := lexer.Upgrade(&tokens{list})
	if err != nil {
		return false
	}
	r := reader{lex: lex}
	r.expr()
	return !r.failed && len(r.diags.All) == 0 && r.peek().EOF()
}
