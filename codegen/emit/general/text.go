package general

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// term is a Go expression.
type term struct {
	text string
	prec int  // of its operator
	lit  bool // an untyped constant
	neg  bool // a literal below zero
}

// Precedences of Go's operators.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precPrimary
)

func primary(format string, args ...any) term {
	return term{text: fmt.Sprintf(format, args...), prec: precPrimary}
}

// literal is a constant of Go.
func literal(text string) term {
	t := term{text: text, prec: precPrimary, lit: true}
	if strings.HasPrefix(text, "-") {
		t.prec, t.neg = precUnary, true
	}
	return t
}

func number(n int64) term { return literal(strconv.FormatInt(n, 10)) }

// at is t as an operand of an operator of precedence prec.
func (t term) at(prec int) string {
	if t.prec < prec || t.neg && prec > precAdd {
		return "(" + t.text + ")"
	}
	return t.text
}

func binary(op string, prec int, a, b term) term {
	return term{text: a.at(prec) + " " + op + " " + b.at(prec+1), prec: prec}
}

func call(f string, args ...term) term {
	var list []string
	for _, a := range args {
		list = append(list, a.text)
	}
	return primary("%s(%s)", f, strings.Join(list, ", "))
}

func not(t term) term {
	if rest, ok := strings.CutPrefix(t.text, "!"); ok && t.prec == precUnary {
		return term{text: rest, prec: precUnary}
	}
	return term{text: "!" + t.at(precUnary), prec: precUnary}
}

func negative(t term) term {
	if t.lit && !t.neg && t.text != "0" {
		return literal("-" + t.text)
	}
	return term{text: "-" + t.at(precPrimary), prec: precUnary}
}

// Sums and products of ints, short where one is a constant.
func plus(a, b term) term {
	switch {
	case a.text == "0":
		return b
	case b.text == "0":
		return a
	case a.whole() && b.whole():
		return number(a.int() + b.int())
	case b.neg:
		return binary("-", precAdd, a, literal(b.text[1:]))
	}
	return binary("+", precAdd, a, b)
}

func minus(a, b term) term {
	switch {
	case b.text == "0":
		return a
	case a.whole() && b.whole():
		return number(a.int() - b.int())
	case b.neg:
		return binary("+", precAdd, a, literal(b.text[1:]))
	}
	return binary("-", precAdd, a, b)
}

func times(a, b term) term {
	switch {
	case a.text == "1":
		return b
	case b.text == "1":
		return a
	case a.text == "0" || b.text == "0":
		return number(0)
	}
	return binary("*", precMul, a, b)
}

// whole tells whether t is a small whole constant.
func (t term) whole() bool {
	return t.lit && len(t.text) < 10 && strings.Trim(t.text, "-0123456789") == ""
}

func (t term) int() int64 {
	n, _ := strconv.ParseInt(t.text, 10, 64)
	return n
}

// simple tells whether t may be written twice.
func (t term) simple() bool {
	return t.lit || strings.IndexFunc(t.text, func(c rune) bool { return c != '.' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) < 0
}

// hasWord tells whether a name occurs in a text as a word.
func hasWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(name)
		if (i == 0 || !isWordByte(text[i-1])) && (from == len(text) || !isWordByte(text[from])) {
			return true
		}
	}
}

// isWordByte tells whether a byte is one of a word.
func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// block is a stretch of code in braces, and what is known in it.
type block struct {
	up    *block
	level int // loops that are open
	text  strings.Builder
	memo  map[int]value     // values by number
	texts map[string]string // variables by what they are
	facts []*linear         // each is at least 0
}

func (s *block) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

// maybe writes a line that defines or sets a variable which nothing may ask for: of a quotient the sign may be all that counts. See asked.
func (s *block) maybe(name, format string, args ...any) {
	s.printf("%[1]s%[2]s%[1]s%[3]s\n", mark, name, fmt.Sprintf(format, args...))
}

// mark stands around the name of the variable at the beginning of a line that maybe has written.
const mark = "\x01"

// asked is a function without the lines of maybe whose variables nothing else in it mentions.
func asked(text string) string {
	lines := strings.SplitAfter(text, "\n")
	names := make([]string, len(lines)) // of the lines of maybe that are left out as yet
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, mark); ok {
			names[i], lines[i], _ = strings.Cut(rest, mark)
		}
	}
	for {
		var kept strings.Builder
		for i, l := range lines {
			if names[i] == "" {
				kept.WriteString(l)
			}
		}
		more := false
		for i, name := range names {
			if name != "" && hasWord(kept.String(), name) {
				names[i], more = "", true
			}
		}
		if !more {
			return kept.String()
		}
	}
}

// inner is a block in s; in a loop of its own where loop is set.
func (s *block) inner(loop bool) *block {
	in := &block{up: s, level: s.level, memo: map[int]value{}, texts: map[string]string{}}
	if loop {
		in.level++
	}
	return in
}

// home is the outermost block around s in which as many loops are open as depth, or s where that has no more.
func (s *block) home(depth int) *block {
	if s.level <= depth {
		return s
	}
	for s.up != nil && s.up.level >= depth {
		s = s.up
	}
	return s
}

// find looks a value up in s and around it.
func (s *block) find(id int) (value, bool) {
	for ; s != nil; s = s.up {
		if v, ok := s.memo[id]; ok {
			return v, true
		}
	}
	return value{}, false
}

// let gives an expression a variable in s, or the one that it has.
func (g *gen) let(s *block, hint, typ string, t term) term {
	if t.simple() && !t.lit {
		return t
	}
	key := typ + " " + t.text
	for q := s; q != nil; q = q.up {
		if name, ok := q.texts[key]; ok {
			return primary("%s", name)
		}
	}
	name := g.nameIn(s, hint)
	g.declare(s, name, typ)
	if t.lit && typ != "int" {
		s.printf("%s := %s(%s)\n", name, typ, t.text)
	} else {
		s.printf("%s := %s\n", name, t.text)
	}
	s.texts[key] = name
	return primary("%s", name)
}

// nameIn is a name for a variable of s; nil stands for a block in a definition, whose names may occur in others again.
func (g *gen) nameIn(s *block, want string) string {
	name := g.name(want)
	if s == nil || s.up != nil {
		g.inner = append(g.inner, name)
	}
	return name
}

// name is a Go name like that of the spec, not used before.
func (g *gen) name(want string) string {
	if rest, ok := strings.CutPrefix(want, "@"); ok {
		want = "d" + rest
	}
	want = strings.ReplaceAll(strings.ReplaceAll(want, "@", "d"), "'", "New")
	var b strings.Builder
	up := false
	for _, c := range want {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = b.Len() > 0
			continue
		case b.Len() == 0 && unicode.IsDigit(c):
			b.WriteByte('v')
		case up:
			c = unicode.ToUpper(c)
		}
		b.WriteRune(c)
		up = false
	}
	base := b.String()
	if base == "" {
		base = "x"
	}
	sep := ""
	if unicode.IsDigit(rune(base[len(base)-1])) {
		sep = "_"
	}
	name := base
	for i := max(2, g.next[base]); g.names[name]; i++ {
		name = base + sep + strconv.Itoa(i)
		g.next[base] = i + 1
	}
	g.names[name] = true
	return name
}
