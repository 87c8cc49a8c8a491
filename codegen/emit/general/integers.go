package general

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// Integers whose dtype may hold more than an int, and quotients of integers.

// against compares an integer that may be greater than an int with an exact value.
func (g *gen) against(op string, prec int, x, y *ir.Value, s *block) term {
	if !g.kindOf(x).int() || g.fromExact(x) {
		return binary(op, prec, number(0), g.ordered(g.value(y, s), g.value(uncastExact(x), s)))
	}
	return binary(op, prec, g.ordered(g.value(x, s), g.value(uncastExact(y), s)), number(0))
}

// uncastExact is the exact value that an integer was made of, or the value itself.
func uncastExact(v *ir.Value) *ir.Value {
	if v.Op == ir.OpCast && v.Args[0].Type.Kind == ir.Exact {
		return v.Args[0]
	}
	return v
}

// ordered is negative, zero or positive as an integer is less than, equal to or greater than an exact value.
func (g *gen) ordered(n, a value) term {
	den := number(1)
	if a.den != nil {
		den = *a.den
	}
	return call("runtime.Compare", n.term, a.term, den)
}

// quotientOf is the quotient in the rounded quotient v of two integers of the form of the result, or of one and a constant
// that it holds; nil where v is none.
func (g *gen) quotientOf(v *ir.Value, k kind) *ir.Value {
	if !k.int() || roundings[v.Op] == "" || v.Args[0].Op != ir.OpDiv || g.kindOf(v.Args[0]) != whole {
		return nil
	}
	q := v.Args[0]
	for _, a := range q.Args {
		if !k.holds(a) && g.kindOf(integerOf(a)) != k {
			return nil
		}
	}
	return q
}

// integerOf is the integer that an exact value is made of, or the value itself.
func integerOf(v *ir.Value) *ir.Value {
	if v.Op == ir.OpCast && v.Type.Kind == ir.Exact {
		return v.Args[0]
	}
	return v
}

// asExact is a number as an exact value.
func (g *gen) asExact(v *ir.Value, a value, s *block) value {
	switch {
	case a.kind.wide():
		x := g.let(s, "n", a.kind.goType(), a.term)
		g.test(s, call("runtime.Exceeds", x), g.valueError(v, "a number that i64 can't hold"))
		return value{kind: whole, term: call("int", x)}
	case a.kind.int():
		return value{kind: whole, term: call("int", a.term)}
	}
	return a
}

// roundings are the functions of the runtime that divide integers.
var roundings = map[ir.Op]string{ir.OpFloor: "FloorQuo", ir.OpCeil: "CeilQuo", ir.OpTrunc: "TruncQuo", ir.OpRound: "RoundQuo"}

// divide writes a rounded quotient of integers.
func (g *gen) divide(v, q *ir.Value, k kind, s *block) term {
	var t []term
	for _, a := range q.Args {
		if c := ir.ConstOf(a); c != nil {
			t = append(t, call(k.goType(), literal(c.Num().String())))
			continue
		}
		x := g.value(integerOf(a), s).term
		if !x.simple() || x.lit {
			x = g.let(s, "n", k.goType(), x)
		}
		t = append(t, x)
	}
	if c := ir.ConstOf(q.Args[1]); c == nil || c.Sign() == 0 {
		g.test(s, binary("==", precCompare, t[1], number(0)), g.valueError(v, "division by zero"))
	}
	if c := ir.ConstOf(q.Args[1]); !k.unsigned && (c == nil || c.Sign() < 0) {
		g.test(s, call("runtime.Overflows", t...), g.valueError(v, fmt.Sprintf("a number that %s can't hold", k.what())))
	}
	return call("runtime."+roundings[v.Op], t...)
}
