package general

import (
	"fmt"
	"math"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
)

// constant is an exact constant.
func (g *gen) constant(v *ir.Value) value {
	if !v.Const.Num().IsInt64() || !v.Const.Denom().IsInt64() {
		return value{kind: whole, term: literal(v.Const.Num().String()), den: &term{text: v.Const.Denom().String(), lit: true, prec: precPrimary}}
	}
	r := value{kind: whole, term: number(v.Const.Num().Int64())}
	if !v.Const.IsInt() {
		d := number(v.Const.Denom().Int64())
		r.den = &d
	}
	return r
}

// scalar is an attribute in its type.
func (g *gen) scalar(v *ir.Value, s *block) term {
	code, isInt, err := g.k.Scalar(v.Name)
	if err != nil {
		g.bail("%v", err)
	}
	t := primary("%s", code)
	switch k := g.kindOf(v); {
	case k == whole && isInt || k == f64 && !isInt:
		return t
	case k.float():
		return call(k.goType(), t)
	case k.int() && isInt:
		return g.fits(t, k, s, v)
	case k.int():
		g.test(s, term{text: fmt.Sprintf("%[1]s != math.Trunc(%[1]s) || math.Abs(%[1]s) >= %[2]s", code, bound(k))},
			fmt.Sprintf("runtime.AttrError(%q, %q, %q, %s)", g.k.Op, v.Name, "a whole number of "+kinds[k].dtype, code))
		return call(k.goType(), t)
	}
	g.bail("attribute %s, of type %s", v.Name, v.Type)
	return term{}
}

// limit is a number that a dtype is known by.
func (g *gen) limit(op ir.Op, k kind) term {
	x, float := ir.LimitOf(op, kinds[k].dtype)
	switch {
	case float && k == f32:
		return primary("float32(%s)", strconv.FormatFloat(x, 'g', -1, 32))
	case float:
		return primary("float64(%s)", strconv.FormatFloat(x, 'g', -1, 64))
	case op == ir.OpLowest && k.int():
		return primary("%s", kinds[k].least)
	case k.int():
		return primary("%s", kinds[k].greatest)
	}
	g.bail("%v of %s", op, k.goType())
	return term{}
}

func bound(k kind) string {
	if k == i32 {
		return "1<<31"
	}
	return "1<<63"
}

// fits is an int as an integer of a dtype, which must hold it.
func (g *gen) fits(t term, k kind, s *block, v *ir.Value) term {
	if k == i64 || t.whole() {
		return call(k.goType(), t)
	}
	if !t.simple() {
		t = g.let(s, "i", "int", t)
	}
	g.test(s, binary("!=", precCompare, call("int", call("int32", t)), t), g.valueError(v, "a number that i32 can't hold"))
	return call("int32", t)
}

// cast converts between types.
func (g *gen) cast(v *ir.Value, k kind, s *block) value {
	a := g.value(v.Args[0], s)
	is := func(t term) value { return value{kind: k, term: t} }
	typed := func(t term) value { return is(call(k.goType(), t)) }
	switch {
	case a.kind == truth && k == truth || a.kind == whole && k == whole:
		return a
	case a.kind == truth:
		return is(term{text: fmt.Sprintf("runtime.Truth[%s](%s)", k.goType(), a.text), prec: precPrimary})
	case k == truth:
		return is(binary("!=", precCompare, a.term, number(0)))
	case a.kind == whole && k.float():
		return is(g.rounded(v.Args[0], a, k))
	case a.kind == whole:
		return is(g.fits(g.integral(v.Args[0], a, s), k, s, v))
	case k == whole && a.kind.float():
		x := g.let(s, "t", "float64", wide(a))
		g.test(s, term{text: fmt.Sprintf("%s != math.Trunc(%[1]s) || math.Abs(%[1]s) >= 1<<63", x.text)}, g.valueError(v, "a number that isn't whole"))
		return typed(x)
	case a.kind == k:
		return a
	case a.kind.float() && k.int():
		return is(term{text: fmt.Sprintf("runtime.Saturate[%s](%s)", k.goType(), wide(a).text), prec: precPrimary})
	}
	return typed(a.term)
}

// rounded is an exact value as a float.
func (g *gen) rounded(v *ir.Value, a value, k kind) term {
	if c := ir.ConstOf(v); c != nil {
		x, _ := c.Float64()
		bits := 64
		if k == f32 {
			y, _ := c.Float32()
			x, bits = float64(y), 32
		}
		if math.IsInf(x, 0) {
			g.bail("the constant %s is too large", c.RatString())
		}
		format := byte('g')
		if m := math.Abs(x); m == 0 || m >= 1 && m < 1e15 {
			format = 'f'
		}
		return literal(strconv.FormatFloat(x, format, -1, bits))
	}
	if a.den == nil {
		return call(k.goType(), a.term)
	}
	q := binary("/", precMul, call("float64", a.term), call("float64", *a.den))
	if k == f32 {
		q = call("float32", q)
	}
	return q
}
