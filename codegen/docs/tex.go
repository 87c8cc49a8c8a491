package docs

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// How tightly a formula binds: where something of a lower level stands in one of a higher, it is put in parentheses.
const (
	bindsChoice  = iota // cases
	bindsAlt            // a ?? b
	bindsOr             // conditions
	bindsAnd            //
	bindsCompare        //
	bindsSum            // a + b
	bindsBig            // -a, and operators with a body: sums, maxima
	bindsProduct        // a b, a/b
	bindsPower          //
	bindsAtom           //
)

// term is a formula in LaTeX.
type term struct {
	tex   string
	binds int
	parts []string // of a sum, with their signs: where a long line may be broken
	num   *term    // of a quotient
	den   *term
	lead  bool   // begins with a digit, so that no factor may stand directly before it
	fence bool   // begins with a parenthesis, which after a name would look like a call
	chain *chain // of a comparison a < b
}

// chain is a comparison that may go on: 0 ≤ a and a < n is 0 ≤ a < n.
type chain struct{ first, sign, last string }

func atom(tex string) term { return term{tex: tex, binds: bindsAtom} }

func number(tex string) term { return term{tex: tex, binds: bindsAtom, lead: true} }

// tall matches what is higher than a line, so that parentheses around it must grow.
var tall = regexp.MustCompile(`\\(frac|sum|prod|begin|mathop|max|min|sqrt|overline|lvert|lVert)`)

// fenced puts a formula in a pair of delimiters.
func fenced(open, tex, end string) string {
	if tall.MatchString(tex) {
		return `\left` + open + tex + `\right` + end
	}
	return open + tex + end
}

// within is the term where binding is needed at least as tight as level.
func (t term) within(level int) term {
	if t.binds >= level {
		return t
	}
	return term{tex: fenced("(", t.tex, ")"), binds: bindsAtom, fence: true}
}

// add is a + b, or a - b.
func add(a term, sign string, b term) term {
	switch {
	case b.tex == "0":
		return a
	case a.tex == "0" && sign == "+":
		return b
	case a.tex == "0":
		return negate(b)
	}
	if rest, ok := strings.CutPrefix(b.tex, "-"); ok && b.binds == bindsBig {
		b.tex = rest
		sign = map[string]string{"+": "-", "-": "+"}[sign]
	}
	parts := a.parts
	if parts == nil {
		parts = []string{a.within(bindsSum).tex}
	}
	right := b.within(bindsBig).tex
	r := term{binds: bindsSum, lead: a.lead, parts: append(parts[:len(parts):len(parts)], sign+" "+right)}
	r.tex = strings.Join(r.parts, " ")
	return r
}

// negate is -a.
func negate(a term) term {
	if rest, ok := strings.CutPrefix(a.tex, "-"); ok && a.binds == bindsBig {
		r := term{tex: rest, binds: bindsProduct, lead: digit.MatchString(rest)}
		if body.MatchString(rest) {
			r.binds = bindsBig
		}
		return r
	}
	return term{tex: "-" + a.within(bindsBig).tex, binds: bindsBig}
}

var (
	digit = regexp.MustCompile(`^[0-9]`)
	body  = regexp.MustCompile(`^\\(sum|prod|max|min|mathop)`) // an operator with a body
)

// multiply is a b.
func multiply(a, b term) term {
	switch {
	case a.tex == "1":
		return b
	case b.tex == "1":
		return a
	case strings.HasPrefix(a.tex, "-") && a.binds == bindsBig:
		return negate(multiply(negate(a), b))
	case strings.HasPrefix(b.tex, "-") && b.binds == bindsBig:
		return negate(multiply(a, negate(b)))
	}
	l, r := a.within(bindsProduct), b.within(bindsProduct)
	sign := `\,`
	if r.lead || r.fence {
		sign = ` \cdot `
	}
	return term{tex: l.tex + sign + r.tex, binds: bindsProduct, lead: l.lead, fence: l.fence}
}

// divide is a over b; a quotient over something has one line.
func divide(a, b term) term {
	if strings.HasPrefix(a.tex, "-") && a.binds == bindsBig {
		return negate(divide(negate(a), b))
	}
	if a.num != nil {
		return fraction(*a.num, multiply(*a.den, b))
	}
	return fraction(a, b)
}

func fraction(num, den term) term {
	return term{tex: `\frac{` + num.tex + `}{` + den.tex + `}`, binds: bindsProduct, num: &num, den: &den}
}

// power is a to the b.
func power(a, b term) term {
	base := a.within(bindsAtom).tex
	if strings.Contains(base, "^") && !strings.HasPrefix(base, "(") && !strings.HasPrefix(base, `\left`) {
		base = "{" + base + "}" // it has a superscript of its own
	}
	return term{tex: base + "^{" + b.tex + "}", binds: bindsPower, lead: a.lead, fence: strings.HasPrefix(base, "(") || strings.HasPrefix(base, `\left(`)}
}

// call is f(args).
func call(f string, args ...term) term {
	var list []string
	for _, a := range args {
		list = append(list, a.tex)
	}
	return term{tex: f + fenced("(", strings.Join(list, `,\, `), ")"), binds: bindsAtom}
}

// operator is an operator with what it goes over below it, and a body.
func operator(op, below string, body term) term {
	if below != "" {
		op += "_{" + below + "}"
	}
	b := body.within(bindsProduct)
	if !b.fence {
		op += ` `
	}
	return term{tex: op + b.tex, binds: bindsBig}
}

// stack is a list of conditions, one below the other.
func stack(lines []string) string {
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return `\substack{` + strings.Join(lines, ` \\ `) + `}`
}

// compare is a < b and the like.
func compare(sign string, a, b term) term {
	l, r := a.within(bindsSum).tex, b.within(bindsSum).tex
	return term{tex: l + " " + sign + " " + r, binds: bindsCompare, chain: &chain{l, sign, r}}
}

// ascending are the signs of comparisons that may follow each other.
var ascending = map[string]bool{"<": true, `\le`: true}

// both is the conjunction of conditions, in order.
func both(list []term) term {
	r := chained(list)
	if len(r) == 1 {
		return r[0]
	}
	var texts []string
	for _, c := range r {
		texts = append(texts, c.within(bindsCompare).tex)
	}
	return term{tex: strings.Join(texts, ` \land `), binds: bindsAnd}
}

// chained are conditions with those as one that go on from each other.
func chained(list []term) []term {
	var r []term
	for _, c := range list {
		if n := len(r); n > 0 && c.chain != nil && r[n-1].chain != nil && ascending[c.chain.sign] && ascending[r[n-1].chain.sign] && r[n-1].chain.last == c.chain.first {
			last := &r[n-1]
			last.tex += " " + c.chain.sign + " " + c.chain.last
			last.chain = &chain{last.chain.first, c.chain.sign, c.chain.last}
			continue
		}
		if c.chain != nil {
			c.chain = &chain{c.chain.first, c.chain.sign, c.chain.last}
		}
		r = append(r, c)
	}
	return r
}

// either is the disjunction of conditions.
func either(list []term) term {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.within(bindsCompare).tex)
	}
	if len(texts) == 1 {
		return list[0]
	}
	return term{tex: strings.Join(texts, ` \lor `), binds: bindsOr}
}

// opposite are the signs of equality; the others have none, since of NaN neither holds.
var opposite = map[string]string{"=": `\ne`, `\ne`: "="}

func not(c term) term {
	if c.chain != nil && opposite[c.chain.sign] != "" && c.tex == c.chain.first+" "+c.chain.sign+" "+c.chain.last {
		return term{tex: c.chain.first + " " + opposite[c.chain.sign] + " " + c.chain.last, binds: bindsCompare}
	}
	return term{tex: `\lnot ` + c.within(bindsAtom).tex, binds: bindsCompare}
}

// branch is one side of a choice; the last one has no condition.
type branch struct{ value, cond string }

// cases is a choice, in order.
func cases(list []branch) term {
	var lines []string
	for _, b := range list {
		line := b.value + ` & \text{otherwise}`
		if b.cond != "" {
			line = b.value + ` & \text{if } ` + b.cond
		}
		lines = append(lines, line)
	}
	return term{tex: `\begin{cases} ` + strings.Join(lines, ` \\ `) + ` \end{cases}`, binds: bindsChoice}
}

// inline is a choice on one line, for indices.
func inline(list []branch) term {
	text := ""
	for _, b := range list {
		text += b.value
		if b.cond != "" {
			text += ` \text{ if } ` + b.cond + `, \text{ else } `
		}
	}
	return term{tex: text, binds: bindsChoice}
}

// equation is a line: what is defined, and as what.
type equation struct {
	left  string
	right term
	note  string // behind it, in LaTeX
}

// widest is how many characters of a formula go on a line.
const widest = 96

// aligned writes equations below each other, those that are long on several lines.
func aligned(list []equation) string {
	var lines []string
	for _, e := range list {
		note := ""
		if e.note != "" {
			note = ` \quad ` + e.note
		}
		room := widest - width(e.left)
		if width(e.right.tex) <= room || len(e.right.parts) < 2 {
			lines = append(lines, e.left+" &= "+e.right.tex+note)
			continue
		}
		line, first := "", true
		for _, p := range e.right.parts {
			if line != "" && width(line+p) > room {
				lines = append(lines, lead(e.left, first)+line)
				line, first = "", false
			}
			if line != "" {
				line += " "
			}
			line += p
		}
		lines = append(lines, lead(e.left, first)+line+note)
	}
	if len(lines) == 1 {
		return strings.Replace(lines[0], " &= ", " = ", 1)
	}
	return "\\begin{aligned}\n" + strings.Join(lines, " \\\\\n") + "\n\\end{aligned}"
}

func lead(left string, first bool) string {
	if first {
		return left + " &= "
	}
	return `&\quad {}`
}

var commands = regexp.MustCompile(`\\(text|mathrm|mathbf|mathop|frac|left|right|substack|begin\{\w+\}|end\{\w+\}|bar|overline|[a-zA-Z]+)|\\[,;! ]|[{}^_&]`)

// width is about how many characters of a formula are seen.
func width(tex string) int {
	return utf8.RuneCountInString(commands.ReplaceAllStringFunc(tex, func(c string) string {
		switch c {
		case `\sum`, `\prod`, `\le`, `\ne`, `\land`, `\lor`, `\in`, `\cdot`, `\sigma`, `\mu`, `\omega`, `\varphi`:
			return "x"
		case `\exp`, `\log`, `\max`, `\min`, `\sqrt`:
			return "xxx"
		}
		return ""
	}))
}
