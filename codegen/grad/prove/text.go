package prove

import (
	"math/big"
	"slices"
	"strings"
)

// text writes an atom for people.
func (a *atom) text() string {
	switch a.kind {
	case kindIndex:
		if a.name != "" {
			return a.name
		}
		return "·"
	case kindSize, kindName, kindRead:
		return plainName(a.name)
	case kindExp:
		return "exp(" + a.args[0].text() + ")"
	case kindPower:
		return "(" + a.args[0].text() + ")"
	case kindCond:
		switch a.name {
		case "lt0":
			return comparison(a.args[0], "<", ">")
		case "eq0":
			return comparison(a.args[0], "==", "==")
		}
	case kindSum:
		p := &poly{terms: []term{{mono: a.body, coef: one}}}
		return "sum(" + p.text() + ")"
	}
	args := make([]string, len(a.args))
	for i, p := range a.args {
		args[i] = p.text()
	}
	name := a.name
	if a.isSign() {
		name = "sign"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// comparison writes that p is less than, or equal to, zero: with its number on the right, and no factor before its first name. turned
// is the relation for -p.
func comparison(p *poly, relation, turned string) string {
	rest, number := &poly{}, new(big.Rat)
	for _, t := range p.terms {
		if len(t.mono) == 0 {
			number.Neg(t.coef)
		} else {
			rest.terms = append(rest.terms, t)
		}
	}
	if rest.isZero() {
		return p.text() + " " + relation + " 0"
	}
	first := rest.terms[0].coef
	if first.Sign() < 0 {
		relation = turned
	}
	inv := new(big.Rat).Inv(first)
	return scale(rest, inv).text() + " " + relation + " " + number.Mul(number, inv).RatString()
}

// plainName is a name without the number that tells it from others of that name; that of a cotangent begins with @ itself.
func plainName(name string) string {
	if i := strings.LastIndex(name, "@"); i > 0 {
		return name[:i]
	}
	return name
}

// text writes a polynomial for people.
func (p *poly) text() string {
	if p.isZero() {
		return "0"
	}
	var b strings.Builder
	for i, t := range p.terms {
		c := new(big.Rat).Abs(t.coef)
		switch {
		case t.coef.Sign() < 0 && i == 0:
			b.WriteString("-")
		case t.coef.Sign() < 0:
			b.WriteString(" - ")
		case i > 0:
			b.WriteString(" + ")
		}
		var f []string
		if c.Cmp(one) != 0 || len(t.mono) == 0 {
			f = append(f, c.RatString())
		}
		rest, size := absolute(t.mono)
		for _, a := range size {
			f = append(f, "abs("+a.text()+")")
		}
		for _, x := range rest {
			s := x.atom.text()
			if x.atom.kind == kindCond {
				s = "(" + s + ")"
			}
			if x.exp.Cmp(one) != 0 {
				s += "^" + x.exp.RatString()
			}
			f = append(f, s)
		}
		b.WriteString(strings.Join(f, "*"))
	}
	return b.String()
}

// absolute finds sign(x)*x in a product: the rest, and each x.
func absolute(m mono) (rest mono, of []*atom) {
	rest = m
	for _, f := range m {
		if !f.atom.isSign() || f.exp.Cmp(one) != 0 {
			continue
		}
		x := factorOf(f.atom.args[0])
		i := slices.IndexFunc(rest, func(g factor) bool { return g.atom == x && g.exp.Cmp(one) == 0 })
		if x == nil || i < 0 {
			continue
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(g factor) bool { return g.atom == x || g.atom == f.atom })
		of = append(of, x)
	}
	return rest, of
}
