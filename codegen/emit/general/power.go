package general

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// Powers soon exceed an int. Where an exact value with powers becomes a float it is computed in float64 from its parts without powers, which
// are exact: see ir.HasPower.

// inFloat is an exact value as a float64.
func (g *gen) inFloat(v *ir.Value, s *block) term {
	if !ir.HasPower(v) {
		return g.let(s, "t", "float64", g.rounded(v, g.value(v, s), f64))
	}
	if v.Op == ir.OpSelect {
		return g.floatChoice(v, s)
	}
	var a []term
	for _, x := range v.Args {
		a = append(a, g.inFloat(x, s))
	}
	if op, ok := infix[v.Op]; ok {
		return g.let(s, "t", "float64", call("float64", binary(op.text, op.prec, a[0], a[1])))
	}
	switch v.Op {
	case ir.OpNeg:
		return negative(a[0])
	case ir.OpAbs:
		return call("math.Abs", a[0])
	case ir.OpPow:
		return g.let(s, "t", "float64", call("math.Pow", a[0], a[1]))
	case ir.OpMax, ir.OpMin:
		return call(ir.Facts[v.Op].Name, a[0], a[1])
	case ir.OpFma:
		return call("float64", binary("+", precAdd, call("float64", binary("*", precMul, a[0], a[1])), a[2]))
	}
	g.bail("%s of powers of fractions", ir.Facts[v.Op].Name)
	return term{}
}

// floatChoice is a select of exact values as a float64; one side is evaluated.
func (g *gen) floatChoice(v *ir.Value, s *block) term {
	c := g.cond(v.Args[0], s)
	name := g.nameIn(s, "t")
	g.declare(s, name, "float64")
	s.printf("var %s float64\n", name)
	text := fmt.Sprintf("if %s {\n", c.text)
	for k, x := range v.Args[1:] {
		in := s.inner(false)
		in.facts = append(in.facts, g.factsOf(v.Args[0], k == 0)...)
		t := g.inFloat(x, in)
		if k == 1 {
			text += "} else {\n"
		}
		text += in.text.String() + fmt.Sprintf("%s = %s\n", name, t.text)
	}
	s.printf("%s}\n", text)
	return primary("%s", name)
}
