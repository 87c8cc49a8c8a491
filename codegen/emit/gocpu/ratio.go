package gocpu

import (
	"math/big"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// ratio is an exact number of a call: an int over a constant, which is positive.
type ratio struct {
	num expr
	den int64
}

// maxDen bounds denominators, so that products with numbers of a call stay far from overflow.
const maxDen = 1 << 20

// ratio writes v as a ratio, or is false where it isn't one: where it is divided by what isn't constant, for one.
func (h *host) ratio(v *ir.Value) (r ratio, ok bool) {
	if v.Type.Kind != ir.Exact {
		return ratio{}, false
	}
	if c := v.Const; v.Op == ir.OpConst {
		if !c.Num().IsInt64() || !c.Denom().IsInt64() || c.Denom().Int64() > maxDen {
			return ratio{}, false
		}
		return ratio{intLiteral(c.Num().Int64()), c.Denom().Int64()}, true
	}
	if e, err := h.integer(v); err == nil {
		return ratio{e, 1}, true
	}
	var a []ratio
	for i, x := range v.Args {
		if v.Op == ir.OpSelect && i == 0 {
			continue
		}
		r, ok := h.ratio(x)
		if !ok {
			return ratio{}, false
		}
		a = append(a, r)
	}
	switch v.Op {
	case ir.OpNeg:
		return ratio{unary("-", a[0].num), a[0].den}, true
	case ir.OpAbs:
		return ratio{call(jen.Id("max"), a[0].num, unary("-", a[0].num)), a[0].den}, true
	case ir.OpSign:
		return ratio{call(runtimeFunc("Sign"), typedInt(a[0].num)), 1}, true
	case ir.OpMul:
		return ratio{product(a[0].num, a[1].num), a[0].den * a[1].den}.small()
	case ir.OpDiv:
		c := ir.ConstOf(v.Args[1])
		if c == nil || c.Sign() == 0 {
			return ratio{}, false
		}
		return a[0].over(c)
	case ir.OpFloor:
		return ratio{a[0].floor(), 1}, true
	case ir.OpCeil:
		a[0].num = unary("-", a[0].num)
		return ratio{unary("-", a[0].floor()), 1}, true
	case ir.OpTrunc:
		return ratio{binary("/", precMul, typedInt(a[0].num), intLiteral(a[0].den)), 1}, true
	case ir.OpRound:
		return ratio{call(runtimeFunc("RoundDiv"), a[0].num, intLiteral(a[0].den)), 1}, true
	case ir.OpAdd, ir.OpSub, ir.OpMax, ir.OpMin, ir.OpMod, ir.OpRem, ir.OpSelect:
		x, y, den := meet(a[0], a[1])
		return h.met(v, x, y, den)
	}
	return ratio{}, false
}

// met is an op of two numbers over one denominator.
func (h *host) met(v *ir.Value, x, y expr, den int64) (ratio, bool) {
	switch v.Op {
	case ir.OpAdd, ir.OpSub:
		return ratio{binary(hostInfix[v.Op].text, precAdd, x, y), den}, true
	case ir.OpMax:
		return ratio{call(jen.Id("max"), x, y), den}, true
	case ir.OpMin:
		return ratio{call(jen.Id("min"), x, y), den}, true
	case ir.OpSelect:
		c, err := h.cond(v.Args[0])
		return ratio{call(runtimeFunc("SelectInt"), c, typedInt(x), typedInt(y)), den}, err == nil
	}
	if c := ir.ConstOf(v.Args[1]); c == nil || c.Sign() == 0 {
		return ratio{}, false
	}
	if v.Op == ir.OpMod {
		return ratio{call(runtimeFunc("FloorModInt"), typedInt(x), y), den}, true
	}
	return ratio{binary("%", precMul, typedInt(x), y), den}, true
}

// over is r divided by a constant.
func (r ratio) over(c *big.Rat) (ratio, bool) {
	if !c.Num().IsInt64() || !c.Denom().IsInt64() {
		return ratio{}, false
	}
	p, q := c.Num().Int64(), c.Denom().Int64()
	if p < 0 {
		p, q = -p, -q
	}
	if p > maxDen || q > maxDen || q < -maxDen {
		return ratio{}, false
	}
	return ratio{product(r.num, intLiteral(q)), r.den * p}.small()
}

func (r ratio) small() (ratio, bool) { return r, r.den <= maxDen }

// floor is the greatest whole number that isn't greater.
func (r ratio) floor() expr {
	if r.den == 1 {
		return r.num
	}
	return call(runtimeFunc("FloorDiv"), r.num, intLiteral(r.den))
}

// float is a ratio as a float64, rounded once.
func (r ratio) float() expr {
	num := call(jen.Id("float64"), r.num)
	if r.den == 1 {
		return num
	}
	return binary("/", precMul, num, intLiteral(r.den))
}

// meet brings two ratios to one denominator.
func meet(a, b ratio) (x, y expr, den int64) {
	g := new(big.Int).GCD(nil, nil, big.NewInt(a.den), big.NewInt(b.den)).Int64()
	return product(a.num, intLiteral(b.den/g)), product(b.num, intLiteral(a.den/g)), a.den / g * b.den
}

// product leaves out ones.
func product(a, b expr) expr {
	switch {
	case isOneLiteral(a):
		return b
	case isOneLiteral(b):
		return a
	}
	return binary("*", precMul, a, b)
}

func isOneLiteral(e expr) bool {
	return e.lit && render1([]jen.Code{e.code}) == render1([]jen.Code{intLiteral(1).code})
}

// typedInt is an int where Go would take a constant for something else.
func typedInt(e expr) expr {
	if e.lit {
		return call(jen.Id("int"), e)
	}
	return e
}

// intLiteral is a constant of Go.
func intLiteral(n int64) expr {
	e := expr{code: jen.Op(strconv.FormatInt(n, 10)), prec: precPrimary, lit: true}
	if n < 0 {
		e.prec = precUnary
	}
	return e
}

// quotients compares exact numbers of which one is divided by a number of the call. Nothing holds where that is zero.
func (h *host) quotients(op ir.Op, a, b *ir.Value) (expr, bool) {
	x, d, ok := h.quotient(a)
	if !ok {
		return expr{}, false
	}
	y, e, ok := h.quotient(b)
	if !ok || isOneLiteral(d) && isOneLiteral(e) {
		return expr{}, false
	}
	zero := intLiteral(0)
	c := binary(hostCompare[op], precCompare, call(runtimeFunc("CompareQuo"), x, d, y, e), zero)
	for _, n := range []expr{e, d} {
		if !n.lit {
			c = binary("&&", precAnd, binary("!=", precCompare, n, zero), c)
		}
	}
	return c, true
}

// quotient writes an exact number as one int over another.
func (h *host) quotient(v *ir.Value) (num, den expr, ok bool) {
	if r, ok := h.ratio(v); ok {
		return r.num, intLiteral(r.den), true
	}
	if v.Type.Kind != ir.Exact || v.Op != ir.OpNeg && hostInfix[v.Op].text == "" {
		return expr{}, expr{}, false
	}
	var nums, dens []expr
	for _, x := range v.Args {
		n, d, ok := h.quotient(x)
		if !ok {
			return expr{}, expr{}, false
		}
		nums, dens = append(nums, n), append(dens, d)
	}
	switch v.Op {
	case ir.OpNeg:
		return unary("-", nums[0]), dens[0], true
	case ir.OpMul:
		return product(nums[0], nums[1]), product(dens[0], dens[1]), true
	case ir.OpDiv:
		return product(nums[0], dens[1]), product(dens[0], nums[1]), true
	}
	return binary(hostInfix[v.Op].text, precAdd, product(nums[0], dens[1]), product(nums[1], dens[0])), product(dens[0], dens[1]), true
}
