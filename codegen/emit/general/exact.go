package general

import (
	"github.com/opgen/opgen/codegen/ir"
)

// exact writes an op of exact values: of ints, or of quotients of ints with positive denominators.
func (g *gen) exact(v *ir.Value, s *block) value {
	a := g.args(v, s)
	for i := range a {
		a[i] = g.asExact(v.Args[i], a[i], s)
	}
	is := func(t term) value { return value{kind: whole, term: t} }
	over := func(n term, d *term) value { return value{kind: whole, term: n, den: d} }
	do := g.arithmetic(v, s)
	negative := func(n term) term {
		if g.risky(v) {
			return do.minus(number(0), n)
		}
		return negative(n)
	}
	switch v.Op {
	case ir.OpNeg:
		return over(negative(a[0].term), a[0].den)
	case ir.OpAdd, ir.OpSub:
		join := do.plus
		if v.Op == ir.OpSub {
			join = do.minus
		}
		x, y, d := do.common(a[0], a[1])
		return over(join(x, y), d)
	case ir.OpMul:
		return over(do.times(a[0].term, a[1].term), do.product(a[0].den, a[1].den))
	case ir.OpDiv:
		return g.quotient(v, a[0], a[1], s)
	case ir.OpFma:
		p := over(do.times(a[0].term, a[1].term), do.product(a[0].den, a[1].den))
		x, y, d := do.common(p, a[2])
		return over(do.plus(x, y), d)
	case ir.OpAbs:
		n := g.twice(s, a[0].term)
		return over(call("max", n, negative(n)), a[0].den)
	case ir.OpSign:
		return is(call("runtime.Sign", typed(a[0].term)))
	case ir.OpMax, ir.OpMin:
		x, y, d := do.common(a[0], a[1])
		return over(call(ir.Facts[v.Op].Name, x, y), d)
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound:
		if v.Op == ir.OpCeil && a[0].den != nil {
			return is(negative(call("runtime.FloorDiv", negative(a[0].term), *a[0].den)))
		}
		return is(rounding(v.Op, a[0]))
	case ir.OpMod, ir.OpRem:
		if a[0].den == nil && a[1].den == nil && a[1].text != "0" {
			d := a[1].term
			if !d.lit {
				d = g.twice(s, d)
				g.test(s, binary("==", precCompare, d, number(0)), g.valueError(v, "division by zero"))
			}
			if v.Op == ir.OpMod {
				return is(call("runtime.FloorModInt", typed(a[0].term), d))
			}
			return is(binary("%", precMul, a[0].term, d))
		}
		q := g.quotient(v, a[0], a[1], s)
		op := ir.OpFloor
		if v.Op == ir.OpRem {
			op = ir.OpTrunc
		}
		w := is(rounding(op, q))
		x, y, d := do.common(a[0], over(do.times(w.term, a[1].term), a[1].den))
		return over(do.minus(x, y), d)
	case ir.OpPow:
		if a[0].den != nil || a[1].den != nil || !g.positive(v.Args[1]) {
			return g.powerOfQuotient(v, a[0], g.integral(v.Args[1], a[1], s), s)
		}
		if a[0].den == nil && a[1].den == nil {
			e := g.twice(s, a[1].term)
			g.test(s, binary("<", precCompare, e, number(0)), g.valueError(v, "a negative power"))
			if g.risky(v) {
				return is(g.held(v, call("runtime.PowerInt", a[0].term, e), s))
			}
			return is(call("runtime.PowInt", typed(a[0].term), e))
		}
	}
	g.bail("%s of exact values", ir.Facts[v.Op].Name)
	return value{}
}

// powerOfQuotient is a power of a quotient, or one with an exponent that may be negative.
func (g *gen) powerOfQuotient(v *ir.Value, base value, exponent term, s *block) value {
	d := number(1)
	if base.den != nil {
		d = *base.den
	}
	top, bottom, ok := g.nameIn(s, "n"), g.nameIn(s, "d"), g.nameIn(s, "ok")
	g.declare(s, top, "int")
	g.declare(s, bottom, "int")
	s.printf("%s, %s, %s := runtime.PowerQuo(%s, %s, %s)\n", top, bottom, ok, base.text, d.text, exponent.text)
	g.test(s, binary("==", precCompare, primary("%s", bottom), number(0)), g.valueError(v, "division by zero"))
	g.test(s, not(primary("%s", ok)), g.overflow(v))
	den := primary("%s", bottom)
	return value{kind: whole, term: primary("%s", top), den: &den}
}

// typed is a constant with the type int.
func typed(t term) term {
	if t.lit {
		return call("int", t)
	}
	return t
}

// twice is t where it can be written twice.
func (g *gen) twice(s *block, t term) term {
	if t.simple() && !t.lit {
		return t
	}
	return g.let(s, "n", "int", typed(t))
}

// common brings two exact values to one denominator.
func common(a, b value) (x, y term, den *term) { return plain.common(a, b) }

// common brings two exact values to one denominator.
func (do arithmetic) common(a, b value) (x, y term, den *term) {
	switch {
	case a.den == nil && b.den == nil:
		return a.term, b.term, nil
	case a.den != nil && b.den != nil && a.den.text == b.den.text:
		return a.term, b.term, a.den
	case a.den == nil:
		return do.times(a.term, *b.den), b.term, b.den
	case b.den == nil:
		return a.term, do.times(b.term, *a.den), a.den
	}
	return do.times(a.term, *b.den), do.times(b.term, *a.den), do.product(a.den, b.den)
}

// product is that of denominators, of which nil is 1.
func (do arithmetic) product(a, b *term) *term {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	p := do.times(*a, *b)
	return &p
}

// quotient divides exact values.
func (g *gen) quotient(v *ir.Value, a, b value, s *block) value {
	do := g.arithmetic(v, s)
	n, d := a.term, b.term
	if b.den != nil {
		n = do.times(n, *b.den)
	}
	if a.den != nil {
		d = do.times(d, *a.den)
	}
	switch {
	case d.lit && d.text == "0":
		g.test(s, primary("true"), g.valueError(v, "division by zero"))
		d = number(1)
	case d.lit && d.neg:
		d = literal(d.text[1:])
		if g.risky(v) {
			n = do.minus(number(0), n)
		} else {
			n = negative(n)
		}
	case d.lit:
	default:
		d = g.twice(s, d)
		g.test(s, binary("==", precCompare, d, number(0)), g.valueError(v, "division by zero"))
		if !g.positive(v.Args[1]) {
			if g.risky(v) {
				least := func(t term) term { return binary("==", precCompare, t, primary("math.MinInt")) }
				n = g.twice(s, n)
				g.test(s, binary("||", precOr, binary("&&", precAnd, binary("<", precCompare, d, number(0)), least(n)), least(d)), g.overflow(v))
			}
			if !ir.HasData(v.Args[1]) {
				n, d = call("runtime.Numerator", n, d), call("runtime.Denominator", d)
			}
		}
		if ir.HasData(v.Args[1]) {
			n, d = g.lowest(n, d, s)
		}
	}
	if d.text == "1" {
		return value{kind: whole, term: n}
	}
	return value{kind: whole, term: n, den: &d}
}

// lowest is a quotient in lowest terms, with a positive denominator: where data tell a denominator, as that of a sum of fractions, it is often a
// multiple of what is needed.
func (g *gen) lowest(n, d term, s *block) (top, bottom term) {
	a, b := g.nameIn(s, "n"), g.nameIn(s, "d")
	g.declare(s, a, "int")
	g.declare(s, b, "int")
	s.printf("%s, %s := runtime.Lowest(%s, %s)\n", a, b, n.text, d.text)
	return primary("%s", a), primary("%s", b)
}

// positive tells whether an exact value is known not to be negative.
func (g *gen) positive(v *ir.Value) bool {
	l := g.linear(v)
	return l != nil && g.proves(l, nil)
}

// rounding makes a whole number of a quotient.
func rounding(op ir.Op, a value) term {
	if a.den == nil {
		return a.term
	}
	switch op {
	case ir.OpFloor:
		return call("runtime.FloorDiv", a.term, *a.den)
	case ir.OpCeil:
		return negative(call("runtime.FloorDiv", negative(a.term), *a.den))
	case ir.OpTrunc:
		return binary("/", precMul, a.term, *a.den)
	}
	return call("runtime.RoundDiv", a.term, *a.den)
}

// integral is an exact value that must be whole.
func (g *gen) integral(v *ir.Value, a value, s *block) term {
	if a.den == nil {
		return a.term
	}
	n := g.twice(s, a.term)
	g.test(s, binary("!=", precCompare, binary("%", precMul, n, *a.den), number(0)), g.valueError(v, "a number that isn't whole"))
	return binary("/", precMul, n, *a.den)
}

// compareExact compares exact values. Products with denominators are held, unless data are part of them.
func (g *gen) compareExact(op string, v *ir.Value, a, b value) term {
	if (a.den != nil || b.den != nil) && (ir.HasData(v.Args[0]) || ir.HasData(v.Args[1])) {
		d, e := number(1), number(1)
		if a.den != nil {
			d = *a.den
		}
		if b.den != nil {
			e = *b.den
		}
		return binary(op, precCompare, call("runtime.CompareQuo", a.term, d, b.term, e), number(0))
	}
	x, y, _ := common(a, b)
	return binary(op, precCompare, x, y)
}
