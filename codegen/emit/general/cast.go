package general

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
)

// constant is an exact constant. One that is greater than numbers of i64 is a literal that is cast at once.
func (g *gen) constant(v *ir.Value) value {
	if !v.Const.Num().IsInt64() || !v.Const.Denom().IsInt64() {
		r := value{kind: whole, term: literal(v.Const.Num().String())}
		if !v.Const.IsInt() {
			r.den = &term{text: v.Const.Denom().String(), lit: true, prec: precPrimary}
		}
		return r
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
	case k == truth && isInt:
		return binary("!=", precCompare, t, number(0))
	case k == truth:
		return primary("(%s != 0)", code)
	case k.int() && isInt:
		return g.fits(t, k, s, v)
	case k.int():
		g.test(s, not(primary("runtime.Holds[%s](%s)", k.goType(), code)),
			fmt.Sprintf("runtime.AttrError(%q, %q, %q, %s)", g.k.Op, v.Name, "a whole number of "+k.what(), code))
		return call(k.goType(), t)
	}
	g.bail("attribute %s, of type %s", v.Name, v.Type)
	return term{}
}

// what is the dtype of an integer, in messages.
func (k *form) what() string {
	if k.open {
		return "the dtype"
	}
	return k.dtype
}

// limit is a number that a dtype is known by.
func (g *gen) limit(v *ir.Value, k kind) term {
	op := v.Op
	x, float := ir.LimitOf(op, k.dtype)
	i := slices.IndexFunc(g.k.Func.ElemVars, func(e ir.ElemVar) bool { return e.Name == v.Type.Elem.Name })
	switch {
	case i >= 0 && float && v.Type.Elem.Wrap == "" && ir.MayBeHalf(g.k.Func.ElemVars[i]):
		return call(k.goType(), primary("b.%s(%d)", limits[op], i))
	case float && k == f32:
		if d := v.Type.Elem.Resolve(g.k.DTypes); d != k.dtype {
			x, _ = ir.LimitOf(op, d)
		}
		return primary("float32(%s)", strconv.FormatFloat(x, 'g', -1, 32))
	case float:
		return primary("float64(%s)", strconv.FormatFloat(x, 'g', -1, 64))
	case op == ir.OpLowest && k.int():
		return primary("%s", k.least)
	case op == ir.OpHighest && k.int():
		return primary("%s", k.greatest)
	}
	g.bail("%v of %s", op, k.goType())
	return term{}
}

// limits are the methods of a runtime.Bound that give the limits of a dtype variable.
var limits = map[ir.Op]string{ir.OpLowest: "Lowest", ir.OpHighest: "Highest", ir.OpEpsilon: "Epsilon"}

// fits is an int as an integer of a dtype, which must hold it.
func (g *gen) fits(t term, k kind, s *block, v *ir.Value) term {
	from := v
	if v.Op == ir.OpCast {
		from = v.Args[0]
	}
	switch {
	case k.holds(from):
		return call(k.goType(), t)
	case k.bits == 64 && !k.wide():
		if c := ir.ConstOf(from); c == nil {
			return call(k.goType(), t)
		}
	}
	if c := ir.ConstOf(from); c != nil && !k.open || c != nil && !c.Num().IsInt64() {
		g.test(s, primary("true"), g.valueError(v, "a number that "+k.what()+" can't hold"))
		return call(k.goType(), number(0))
	}
	if !t.simple() || t.lit {
		t = g.let(s, "i", "int", typed(t))
	}
	g.test(s, not(primary("runtime.Fits[%s](%s)", k.goType(), t.text)), g.valueError(v, "a number that "+k.what()+" can't hold"))
	return call(k.goType(), t)
}

// cast converts between types.
func (g *gen) cast(v *ir.Value, k kind, s *block) value {
	is := func(t term) value { return value{kind: k, term: t} }
	if q := g.quotientOf(v.Args[0], k); q != nil {
		return is(g.divide(v.Args[0], q, k, s))
	}
	if k.float() && g.kindOf(v.Args[0]) == whole && ir.HasPower(v.Args[0]) {
		t := g.inFloat(v.Args[0], s)
		if k == f32 {
			t = call("float32", t)
		}
		return is(t)
	}
	if c := v.Args[0]; c.Op == ir.OpConst {
		return g.castFrom(g.constant(c), v, k, s)
	}
	return g.castFrom(g.value(v.Args[0], s), v, k, s)
}

// castFrom is cast of what stands in the argument.
func (g *gen) castFrom(a value, v *ir.Value, k kind, s *block) value {
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
	case k == whole && a.kind.int():
		return g.asExact(v, a, s)
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
