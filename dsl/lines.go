package dsl

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// maxDepth is how deep brackets, blocks and expressions may nest, and how many operands one chain of operators may
// have: far more than a person writes, few enough for everything that walks the tree by recursion.
const maxDepth = 1000

var (
	// continues are the tokens after which a line end doesn't end a statement.
	continues = set(",", "=", "->", "=>", ":", "if", "then", "else", "in", "where",
		"+", "-", "*", "/", "%", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "??")
	// continued are the tokens before which a line end doesn't end a statement.
	continued = set("then", "else", "->", "=>", "unverified")
	// closers maps each closing bracket to its opening one.
	closers = map[string]string{")": "(", "]": "[", "}": "{"}
)

// statementLines keeps of all line ends those that end a statement, and ends the stream with an EOF token. deep is
// where brackets nest too deeply; the stream ends there.
//
// A bracket that was never closed would swallow every line end behind it. So a line that can only be the start of a
// declaration or a statement closes the brackets open before it, and the parser finds the fault where it is.
func statementLines(raw []lexer.Token, end diag.Pos) (out []lexer.Token, deep *lexer.Token) {
	out = make([]lexer.Token, 0, len(raw)+1)
	var open []string
	next := 0 // the first token behind i that is no line end
	for i := range raw {
		t := &raw[i]
		if t.Type == tokNewline {
			if next <= i {
				for next = i + 1; next < len(raw) && raw[next].Type == tokNewline; next++ {
				}
			}
			open = reopen(open, raw[next:])
			inside := len(open) > 0 && open[len(open)-1] != "{"
			if !inside && endsStatement(out, raw[next:]) {
				out = append(out, *t)
			}
			continue
		}
		if t.Type == tokPunct {
			switch t.Value {
			case "(", "[", "{":
				if open = append(open, t.Value); len(open) > maxDepth {
					deep = t
					return append(out, lexer.EOFToken(t.Pos)), deep
				}
			case ")", "]", "}":
				open = closeBracket(open, closers[t.Value])
			}
		}
		out = append(out, *t)
	}
	return append(out, lexer.EOFToken(lexer.Position{Filename: end.File, Offset: end.Offset, Line: end.Line, Column: end.Col})), nil
}

// endsStatement applies the rule for a line end outside ( and [.
func endsStatement(before, after []lexer.Token) bool {
	if len(before) == 0 {
		return false
	}
	last := &before[len(before)-1]
	if last.Type == tokNewline {
		return false
	}
	if startsDeclaration(after) || last.Value != ":" && startsStatement(after) {
		return true // whatever stands before is incomplete
	}
	if isOneOf(last, continues) {
		return false
	}
	return len(after) == 0 || !isOneOf(&after[0], continued)
}

func isOneOf(t *lexer.Token, words map[string]bool) bool {
	return (t.Type == tokWord || t.Type == tokPunct) && words[t.Value]
}

// closeBracket drops the innermost bracket of the kind and all within; a closing bracket without an opening one
// closes nothing.
func closeBracket(open []string, kind string) []string {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == kind {
			return open[:i]
		}
		if open[i] == "{" {
			break
		}
	}
	return open
}

// reopen drops the brackets that the line ahead shows to be unclosed.
func reopen(open []string, ahead []lexer.Token) []string {
	switch {
	case startsDeclaration(ahead):
		return nil
	case startsStatement(ahead):
		for i := len(open) - 1; i >= 0; i-- {
			if open[i] == "{" {
				return open[:i+1]
			}
		}
	case len(ahead) > 0 && ahead[0].Type == tokPunct && ahead[0].Value == "}":
		return closeTo(open)
	}
	return open
}

// closeTo drops the round and square brackets above the innermost brace.
func closeTo(open []string) []string {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == "{" {
			return open[:i+1]
		}
	}
	return open
}

// startsDeclaration tells whether tokens at the start of a line begin a declaration and can be nothing else.
func startsDeclaration(ahead []lexer.Token) bool {
	return len(ahead) > 1 && ahead[0].Type == tokWord && declarations[ahead[0].Value] && ahead[1].Type == tokWord
}

// startsStatement is the same for statements.
func startsStatement(ahead []lexer.Token) bool {
	if len(ahead) < 2 || ahead[0].Type != tokWord || !statements[ahead[0].Value] {
		return false
	}
	next := &ahead[1]
	return next.Type == tokWord || next.Type == tokPunct && (next.Value == ".." || next.Value == "..." || next.Value == "{")
}
