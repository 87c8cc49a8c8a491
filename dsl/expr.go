package dsl

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// levels gives the binary operators their precedence, the loosest first. Powers bind tighter than the signs before
// them and are read by unary.
var levels = map[string]int{
	"||": 1,
	"&&": 2,
	"==": compare, "!=": compare, "<": compare, "<=": compare, ">": compare, ">=": compare,
	"+": 4, "-": 4,
	"*": 5, "/": 5, "%": 5,
}

// compare is the level of the comparisons, which don't chain.
const compare = 3

// sums is the level at which the bounds of a range are read.
const sums = 4

func levelOf(t *lexer.Token) int {
	if t.Type != tokPunct {
		return 0
	}
	return levels[t.Value]
}

// expr reads Expr = "if" Expr "then" Expr "else" Expr | And {"||" And}.
func (r *reader) expr() Expr {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	if !r.at("if") {
		return r.binary(1)
	}
	e := &If{}
	start := startOf(r.take())
	e.Cond = r.expr()
	r.expect("then")
	e.Then = r.expr()
	r.expect("else")
	e.Else = r.expr()
	e.Span = r.from(start)
	return e
}

// binary reads operands joined by operators of at least the level, by precedence climbing.
func (r *reader) binary(least int) Expr {
	x := r.unary()
	compared := false
	for n := 1; ; n++ {
		op := r.peek()
		level := levelOf(op)
		if level == 0 || level < least {
			return x
		}
		if n == maxDepth {
			r.tooDeep()
			return x
		}
		r.take()
		if level == compare {
			if compared {
				r.report(spanOf(op), "chained-comparison", "comparisons don't chain").
					WithHint("compare twice and join with `&&`: a < b && b < c")
			}
			compared = true
		} else {
			compared = false
		}
		y := r.binary(level + 1)
		if r.failed {
			return x
		}
		x = r.pair(op, x, y)
	}
}

// pair joins two operands.
func (r *reader) pair(op *lexer.Token, x, y Expr) Expr {
	r.noAlt(x)
	r.noAlt(y)
	return &Binary{Op: op.Value, X: x, Y: y, OpAt: spanOf(op), Span: join(x.Pos(), y.Pos())}
}

// noAlt reports an operand with ?? that has no parentheses around it.
func (r *reader) noAlt(e Expr) {
	if _, is := e.(*Alt); is {
		r.report(e.Pos(), "alt-parens", "`??` joins no other operator without parentheses").
			WithHint("put parentheses around what belongs together: (a ?? b)")
	}
}

// unary reads Un = ("-"|"!") Un | Alt ["^" Un].
func (r *reader) unary() Expr {
	if r.at("-", "!") {
		if !r.enter() {
			return nil
		}
		defer r.leave()
		op := r.take()
		x := r.unary()
		if r.failed {
			return nil
		}
		r.noAlt(x)
		return &Unary{Op: op.Value, X: x, Span: join(spanOf(op), x.Pos())}
	}
	x := r.alt()
	if !r.at("^") {
		return x
	}
	if !r.enter() {
		return nil
	}
	defer r.leave()
	op := r.take()
	y := r.unary()
	if r.failed {
		return nil
	}
	return r.pair(op, x, y)
}

// alt reads Alt = Prim {"??" ["-"] Prim}.
func (r *reader) alt() Expr {
	x := r.primary()
	if !r.at("??") {
		return x
	}
	alts := []Expr{x}
	for r.accept("??") {
		if !r.at("-") {
			alts = append(alts, r.primary())
			continue
		}
		op := r.take()
		if y := r.primary(); !r.failed {
			alts = append(alts, &Unary{Op: op.Value, X: y, Span: join(spanOf(op), y.Pos())})
		}
	}
	if r.failed {
		return nil
	}
	return &Alt{Alts: alts, Span: join(x.Pos(), alts[len(alts)-1].Pos())}
}

// primary reads Prim = number | "(" Item {"," Item} ")" | a reference or call.
func (r *reader) primary() Expr {
	t := r.peek()
	switch {
	case t.Type == tokNumber:
		r.take()
		return &Number{Text: t.Value, Span: spanOf(t)}
	case r.at("("):
		return r.paren()
	case r.at("if"):
		d := r.report(spanOf(t), "if-parens", "an if that is an operand needs parentheses around it")
		d.WithHint("write (if … then … else …)")
		return r.expr()
	case r.at("@") || t.Type == tokWord:
		return r.path()
	}
	r.fail("an expression")
	return nil
}

// paren reads a parenthesised expression, or the index or list that several items make.
func (r *reader) paren() Expr {
	open := r.take()
	items := r.items()
	r.expectClose(")", open, "`,` or ")
	if r.failed {
		return nil
	}
	span := r.from(startOf(open))
	if i := items[0]; len(items) == 1 && i.Value != nil && !i.Pack && !i.In {
		return &Paren{X: i.Value, Span: span}
	}
	return &Tuple{Items: items, Span: span}
}

// path reads ["@"] Path ["'"] [Br] ["(" [Item {"," Item}] [";" id "=" Expr {"," id "=" Expr}] ")"].
func (r *reader) path() Expr {
	start := startOf(r.peek())
	c := &Call{Cotangent: r.accept("@")}
	if t := r.peek(); t.Type == tokWord && reserved[t.Value] && !constants[t.Value] {
		if joints[t.Value] {
			r.fail("an expression")
			return nil
		}
		if !is(r.second(), "=") { // else an attribute of a call is meant, which is said there
			r.report(spanOf(t), "reserved-word", "%s is a reserved word and can't be a name", quote(t.Value))
		}
	}
	c.Name = r.word("a name")
	switch {
	case c.Name.Name == "acc" && r.at("("):
		r.take()
		of := r.upper("a dtype variable")
		r.expect(")")
		c.AccOf = &of
	case r.accept("."):
		pkg := c.Name
		c.Package = &pkg
		c.Name = r.word("a name")
	}
	c.Prime = r.accept("'")
	if r.at("[") {
		c.Index = r.bracket()
	}
	if r.at("(") {
		r.arguments(c)
	} else if c.AccOf == nil && !r.failed {
		return &Ref{Cotangent: c.Cotangent, Package: c.Package, Name: c.Name, Prime: c.Prime, Index: c.Index, Span: r.from(start)}
	}
	c.Span = r.from(start)
	return c
}

func (r *reader) arguments(c *Call) {
	open := r.take()
	if !r.at(")", ";") {
		c.Args = r.items()
	}
	want := "`,`, `;` or "
	if r.accept(";") {
		want = "`,` or "
		for more := true; more; more = r.accept(",") {
			n := r.name("the name of an attribute")
			r.expect("=")
			c.Named = append(c.Named, NamedArg{Name: n, Value: r.expr()})
		}
	}
	r.expectClose(")", open, want)
	if c.AccOf != nil && len(c.Args) == 0 {
		r.report(r.from(startOf(open)), "syntax-expected", "expected a value to cast between the parentheses")
	}
}

// bracket reads Br = "[" [Item {"," Item} ["where" Expr]] "]".
func (r *reader) bracket() *Bracket {
	open := r.take()
	b := &Bracket{}
	if !r.at("]") {
		b.Items = r.items()
		if r.accept("where") {
			b.Where = r.expr()
		}
	}
	r.expectClose("]", open, "`,` or ")
	b.Span = r.from(startOf(open))
	return b
}

func (r *reader) items() []*Item {
	list := []*Item{r.item()}
	for r.accept(",") {
		list = append(list, r.item())
	}
	return list
}

// item reads Item = "*" | "..." Name | [".."] Expr ["in" Sum [(".."|"..=") Sum]].
func (r *reader) item() *Item {
	i := &Item{}
	start := startOf(r.peek())
	switch {
	case r.accept("*"):
		i.Star = true
	case r.accept("..."):
		axis := r.upper("a pack of axes")
		i.AxisPack = &axis
	default:
		i.Pack = r.accept("..")
		i.Value = r.expr()
		if r.accept("in") {
			i.In = true
			i.From = r.binary(sums)
			if r.at("..", "..=") {
				i.Inclusive = r.take().Value == "..="
				i.To = r.binary(sums)
			}
		}
	}
	i.Span = r.from(start)
	return i
}
