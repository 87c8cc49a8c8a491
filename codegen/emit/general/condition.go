package general

import (
	"github.com/opgen/opgen/codegen/ir"
)

// cond writes a condition.
func (g *gen) cond(v *ir.Value, s *block) term { return g.value(v, s).term }

// logic writes && and ||, of which the right side is only evaluated where it counts.
func (g *gen) logic(v *ir.Value, s *block) term {
	var parts []*ir.Value
	var visit func(a *ir.Value)
	visit = func(a *ir.Value) {
		if a.Op != v.Op || a != v && g.uses[g.num.ID(a)] > 1 {
			parts = append(parts, a)
			return
		}
		for _, x := range a.Args {
			visit(x)
		}
	}
	visit(v)
	return g.chain(v.Op, parts, g.cond(parts[0], s), s)
}

// chain goes on with a condition whose first part is written.
func (g *gen) chain(op ir.Op, parts []*ir.Value, all term, s *block) term {
	sign, prec := "&&", precAnd
	if op == ir.OpOr {
		sign, prec = "||", precOr
	}
	in := s.inner(false)
	for i, a := range parts[1:] {
		in.facts = append(in.facts, g.factsOf(parts[i], op == ir.OpAnd)...)
		c := g.cond(a, in)
		if in.text.Len() == 0 {
			all = joined(sign, prec, all, c)
			continue
		}
		// What the part needs stands in a branch; so does what follows, which may use it.
		name := g.nameIn(s, "c")
		g.declare(s, name, "bool")
		s.printf("%s := %s\n", name, all.text)
		all = primary("%s", name)
		c = g.chain(op, parts[i+1:], c, in)
		test := all
		if op == ir.OpOr {
			test = not(test)
		}
		s.printf("if %s {\n%s%s = %s\n}\n", test.text, in.text.String(), name, c.text)
		break
	}
	return all
}

// joined is a && b or a || b, short where that leaves out nothing but constants.
func joined(sign string, prec int, a, b term) term {
	neutral := "true"
	if sign == "||" {
		neutral = "false"
	}
	switch {
	case a.text == neutral:
		return b
	case b.text == neutral, a.text == b.text:
		return a
	}
	return binary(sign, prec, a, b)
}

// choose writes a select, of which one side is evaluated.
func (g *gen) choose(v *ir.Value, k kind, s *block) value {
	c := g.cond(v.Args[0], s)
	switch c.text {
	case "true":
		return g.value(v.Args[1], s)
	case "false":
		return g.value(v.Args[2], s)
	}
	yes, no := s.inner(false), s.inner(false)
	yes.facts, no.facts = g.factsOf(v.Args[0], true), g.factsOf(v.Args[0], false)
	a, b := g.value(v.Args[1], yes), g.value(v.Args[2], no)
	name := g.nameIn(s, hintOf(v))
	g.declare(s, name, k.goType())
	r := value{kind: k, term: primary("%s", name)}
	den := ""
	if a.den != nil || b.den != nil {
		den = g.name("den") // a name of its own in the function, see asked
		g.declare(s, den, "int")
		d := primary("%s", den)
		r.den = &d
	}
	set := func(in *block, x value) string {
		in.printf("%s = %s\n", name, x.text)
		if den != "" {
			d := number(1)
			if x.den != nil {
				d = *x.den
			}
			in.maybe(den, "%s = %s", den, d.text)
		}
		return in.text.String()
	}
	if no.text.Len() == 0 && den == "" && b.simple() {
		if b.lit && k != whole {
			s.printf("%s := %s(%s)\n", name, k.goType(), b.text)
		} else {
			s.printf("%s := %s\n", name, b.text)
		}
		s.printf("if %s {\n%s}\n", c.text, set(yes, a))
		return r
	}
	s.printf("var %s %s\n", name, k.goType())
	if den != "" {
		s.maybe(den, "var %s int", den)
	}
	s.printf("if %s {\n%s} else {\n%s}\n", c.text, set(yes, a), set(no, b))
	return r
}

// compare writes a comparison. Integers and exact values meet as ints, so that nothing has to fit.
func (g *gen) compare(v *ir.Value, s *block) term {
	op := infix[v.Op]
	x, y := v.Args[0], v.Args[1]
	quotient := func(v *ir.Value) bool { return v.Type.Kind == ir.Typed && g.kindOf(v) == whole }
	if quotient(x) != quotient(y) {
		return g.against(op.text, op.prec, x, y, s)
	}
	if g.kindOf(x).int() && (g.fromExact(x) || g.fromExact(y)) {
		if k := g.kindOf(x); k.wide() && g.fromExact(x) != g.fromExact(y) {
			return g.against(op.text, op.prec, x, y, s)
		}
		a, b := g.asInt(x, s), g.asInt(y, s)
		return g.compareExact(op.text, v, a, b)
	}
	a := g.args(v, s)
	if a[0].kind == whole {
		return g.compareExact(op.text, v, a[0], a[1])
	}
	return binary(op.text, op.prec, a[0].term, a[1].term)
}

// fromExact tells whether an integer was made of an exact value.
func (g *gen) fromExact(v *ir.Value) bool {
	return v.Op == ir.OpCast && v.Args[0].Type.Kind == ir.Exact && g.isWhole(v.Args[0])
}

// asInt is an integer as an int.
func (g *gen) asInt(v *ir.Value, s *block) value {
	if g.fromExact(v) {
		return g.value(v.Args[0], s)
	}
	a := g.value(v, s)
	return value{kind: whole, term: call("int", a.term)}
}
