package dsl

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// foreign are words and operators of other languages, and what to write instead.
var foreign = map[string]string{
	"and": "&&", "or": "||", "not": "!", "elif": "else if", "def": "func", "fn": "func", "fun": "func", "function": "func", "var": "let", "const": "let",
	"True": "true", "False": "false", "None": "??", "pow": "^",
}

// habits are words with which statements of other languages begin, and what there is instead.
var habits = map[string]string{
	"return":   "an output is set by its name, y = …; a func ends with its value",
	"assert":   "a condition of the call is written: require … else \"message\"",
	"case":     "an arm begins with its word: none: y = …; _ stands for all others",
	"from":     "a package is imported as a whole, import \"loss\", and its ops are called loss.mse(…)",
	"backward": "a derivative by hand is written grad x = …, with @y for the cotangent of y",
	"for":      "there are no loops: y[i] = … says it for every i, and sum[k](…) goes over k",
	"while":    "there are no loops: a value may read itself at earlier points, y[t] = … y[t - 1] ?? 0 …",
	"raise":    "a condition of the call is written: require … else \"message\"",
	"print":    "there is no output but the results; `opgen explain` shows what becomes of an op",
}

// guess is what is known of a fault: the tokens around it, and what was expected.
type guess struct {
	last, found, next *lexer.Token
	want              string
}

// is tells whether a token is an operator, a bracket or a word.
func is(t *lexer.Token, text string) bool {
	return t != nil && (t.Type == tokPunct || t.Type == tokWord) && t.Value == text
}

// hints are tried in this order.
var hints = []struct {
	fits func(g guess) bool
	hint string
}{
	{func(g guess) bool { return is(g.found, "*") && is(g.last, "*") }, "powers are written `^`"},
	{func(g guess) bool { return is(g.found, ":") && is(g.next, "=") }, "write `=`"},
	{func(g guess) bool {
		return is(g.next, "=") && g.want == "`=`" && strings.Contains("+-*/%^", g.found.Value)
	},
		"a value is set once: write y = … with all of it, or name the parts with let"},
	{func(g guess) bool {
		return (is(g.found, "..") || is(g.found, "*")) && strings.Contains(g.want, "`...`")
	}, "a pack is written ...B"},
	{func(g guess) bool { return is(g.found, ":") && strings.HasSuffix(g.want, "`,` or `)`") }, "parameters of a func have no types"},
	{func(g guess) bool { return is(g.found, "=") && strings.Contains(g.want, "`]`") }, "a range is written k in 0..n"},
	{func(g guess) bool {
		return (is(g.found, "..") || is(g.found, "..=")) && strings.Contains(g.want, "`]`")
	}, "a range has an index: k in 0..n"},
	{func(g guess) bool { return is(g.found, "...") && strings.Contains(g.want, "`]`") }, "a range is written 0..n, and 0..=n with its end"},
	{func(g guess) bool {
		return (is(g.found, "|") || is(g.found, "if")) && (strings.Contains(g.want, "`]`") || strings.Contains(g.want, "`)`"))
	}, "a filter stands behind where: sum[k where k != n](…)"},
	{func(g guess) bool {
		return is(g.found, "?") && strings.Contains(g.want, "`)`") && strings.Contains(g.want, "`=`")
	}, "the `?` stands behind the name: w?: T[N]"},
	{func(g guess) bool { return is(g.found, ")") && g.want == "`=`" }, "behind `;` stand attributes with their values: name = …"},
	{func(g guess) bool {
		return g.want == "`(`" && (is(g.last, "axis") || is(g.last, "axes") || is(g.last, "keep"))
	}, "it says which axes it is about: axis(D), axes(R), keep(R)"},
	{func(g guess) bool { return g.want == "`{`" && is(g.found, "=") }, "the short form names no results: op f(x: T[N]) = …"},
	{func(g guess) bool { return g.want == "`{`" && g.found.Type == tokNewline }, "the brace stands on the line of what it belongs to"},
	{func(g guess) bool {
		return g.found.Type == tokNumber && strings.HasPrefix(g.want, "a word of the enum")
	}, "match is by the words of an enum; numbers are compared in an if"},
	{func(g guess) bool { return g.want == "`{`" && (is(g.last, "=>") || is(g.last, "example")) }, "values stand in braces: example { x = [1] } => { y = [2] }"},
	{func(g guess) bool { return levelOf(g.found) > 0 && strings.HasPrefix(g.want, "a statement") }, "a line ends a statement: the operator stands at the end of the line before"},
	{func(g guess) bool {
		return is(g.found, ":") && strings.Contains(g.want, "`]`") || is(g.found, ":") && is(g.last, "[")
	},
		"there are no slices: index it, as in let h[k in 0..3] = x[k], or name the axis in a reduction"},
	{func(g guess) bool { return is(g.found, "?") }, "write if … then … else …"},
	{func(g guess) bool { return is(g.found, "if") && strings.HasPrefix(g.want, "the end") }, "write if … then … else …"},
	{func(g guess) bool { return is(g.found, "if") }, "a choice is a value, y = if … then … else …; match chooses statements by the word of an enum"},
	{func(g guess) bool { return g.want == "`else`" }, "an if has two sides: if … then … else …"},
	{func(g guess) bool { return is(g.found, "@") }, "a product of matrices is a sum over their common axis: sum[K](a * b)"},
	{func(g guess) bool { return is(g.found, "|") }, "a magnitude is abs(…), and `||` joins conditions"},
	{func(g guess) bool { return is(g.found, "=>") && strings.Contains(g.want, "`->`") }, "write `->`"},
	{func(g guess) bool { return g.want == "`(`" && is(g.last, "->") }, "results stand in parentheses: -> (y: T[N])"},
	{func(g guess) bool { return is(g.found, "<") && strings.Contains(g.want, "`[`") }, "dtype variables stand in brackets: [T: float]"},
	{func(g guess) bool { return is(g.found, "-") && strings.Contains(g.want, "`(`") }, "names are made of letters, digits and _"},
	{func(g guess) bool { return is(g.found, "]") && g.want == "`:`" }, "write the dtypes that it may be: [T: float]"},
	{func(g guess) bool { return (is(g.found, ")") || is(g.found, "=")) && strings.Contains(g.want, "`:`") }, "write the type behind the name: factor: float = 1"},
	{func(g guess) bool { return (is(g.last, "state") || is(g.last, "inout")) && g.want == "`[`" }, "the word stands before the name: state m: T[N]"},
	{func(g guess) bool { return g.want == "`[`" }, "a tensor lists its axes, T[N] or T[] for one number; attributes stand behind `;`"},
	{func(g guess) bool { return g.found.Type == tokNumber && strings.Contains(g.want, "upper-case") },
		"an axis has a name; `dim N = 3` gives its extent"},
	{func(g guess) bool { return is(g.last, "...") }, "a pack has a name: ...B"},
	{func(g guess) bool { return is(g.found, "'") && strings.Contains(g.want, "string") }, "strings stand in `\"`"},
	{func(g guess) bool { return g.found.Type == tokString && is(g.last, ",") }, "a message stands behind else: require … else \"…\""},
	{func(g guess) bool { return g.found.Type == tokString && g.want == "an expression" }, "no value is a string; the words of an enum stand without quotes"},
	{func(g guess) bool {
		return (is(g.found, "=>") || is(g.found, "->") || is(g.found, "=")) && g.want == "`:`"
	}, "write `:`"},
	{func(g guess) bool { return is(g.found, ",") && strings.HasPrefix(g.want, "the end of the statement") }, "statements, and the arms of a match, end with their line, or with `;`"},
	{func(g guess) bool { return g.found.Type == tokWord && is(g.last, "import") }, "the path of a package is a string: import \"loss\""},
	{func(g guess) bool { return is(g.found, "=") && strings.Contains(g.want, "`;` or `)`") },
		"attributes of a call stand behind `;`, and axes in brackets: sum[K](x)"},
	{func(g guess) bool { return is(g.found, "=") }, "`==` compares"},
	{func(g guess) bool { return is(g.found, "==") }, "`=` defines"},
	{func(g guess) bool { return is(g.found, "[") && is(g.last, ")") }, "only a name can be indexed: give the value one with let"},
	{func(g guess) bool { return is(g.found, "[") && is(g.last, "]") }, "indices stand in one pair of brackets: x[n, k]"},
	{func(g guess) bool { return is(g.found, ".") }, "a number needs a digit before and behind its dot"},
	{func(g guess) bool {
		return g.found.Type == tokWord && statements[g.found.Value] && strings.HasPrefix(g.want, "the end")
	},
		"a statement ends with its line, or with `;`"},
	{func(g guess) bool {
		return (g.found.Type == tokWord || g.found.Type == tokNumber) && (g.last.Type == tokNumber || g.last.Type == tokWord && !reducers[g.last.Value]) &&
			g.want == "the end of the statement"
	}, "a call needs its parentheses, and a product its `*`"},
	{func(g guess) bool {
		return g.last.Type == tokWord && reducers[g.last.Value] && (g.found.Type == tokWord || g.found.Type == tokNumber)
	}, "a reducer is called, with its indices or axes in brackets: sum[k](…)"},
}

// words are those with which statements begin, in order.
var words = slices.Sorted(maps.Keys(statements))

// hintFor guesses from a fault what was meant.
func hintFor(g guess) string {
	switch {
	case g.last.Type == tokWord && g.last.Value == "not":
		return "write `!`"
	case g.last.Type == tokWord && habits[g.last.Value] != "" && (g.want == "`=`" || g.want == "`:`") || g.last.Type == tokWord && g.last.Value == "return":
		return habits[g.last.Value]
	case g.found.Type == tokWord && foreign[g.found.Value] != "":
		return "write " + quote(foreign[g.found.Value])
	case g.last.Type == tokWord && foreign[g.last.Value] != "" && g.want == "`=`":
		return "write " + quote(foreign[g.last.Value])
	}
	if near := diag.Suggest(g.last.Value, words); g.want == "`=`" && g.last.Type == tokWord && g.found.Type == tokWord && near != "" {
		return "did you mean " + quote(near) + "?"
	}
	for _, h := range hints {
		if h.fits(g) {
			return h.hint
		}
	}
	return ""
}
