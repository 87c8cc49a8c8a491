package check

import (
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Reductions of fractions whose common denominator isn't a number. As of whole numbers, sums and products are kept in i64, and an error where these don't
// hold one:
//
//	sum n(k)/d(k)   =  (sum n(k)/d(k)*D) / D,   D = prod abs(d(k))
//	prod n(k)/d(k)  =  (prod n(k)) / (prod d(k))
//
// and max and min are like sum. What is the same at all points is a factor of D once.

// rational makes a reduction of fractions as an exact number.
func (l *lowering) rational(s *exactSum, v *ir.Value) *ir.Value {
	body := l.settle(s.body)
	if isBad(body) {
		return bad
	}
	d := l.factors(body)
	if s.monoid == ir.Prod {
		by := product(d)
		return ratio(l.wholly(s, v, ir.Prod, ir.Mul(body, by)), l.wholly(s, v, ir.Prod, by))
	}
	own := map[*ir.Var]bool{}
	for _, x := range s.r.vars() {
		own[x] = true
	}
	moving := slices.DeleteFunc(slices.Clone(d), func(x *ir.Value) bool { return !ir.DependsOn(x, own) })
	fixed := product(slices.DeleteFunc(slices.Clone(d), func(x *ir.Value) bool { return ir.DependsOn(x, own) }))
	if fixed = l.magnitude(fixed); fixed.Op != ir.OpConst { // where it is 0 there is no number at any point, which those say, if there are any
		fixed = ir.Call(ir.OpMax, fixed, ir.Int(1))
	}
	here := &ir.Value{Op: ir.OpRead, Type: ir.ExactType, Args: ir.Indices(s.outer)} // where the reduction stands
	all := ir.Mul(fixed, l.wholly(s, here, ir.Prod, l.magnitude(product(moving))))
	if isBad(all) {
		return bad
	}
	n := l.wholly(s, v, s.monoid, ir.Mul(body, all))
	at := map[*ir.Var]*ir.Value{}
	for k, o := range s.outer {
		at[o] = v.Args[k]
	}
	return ratio(n, ir.Subst(all, at))
}

// wholly makes a reduction of the same points, of whole numbers.
func (l *lowering) wholly(s *exactSum, v *ir.Value, m ir.Monoid, body *ir.Value) *ir.Value {
	if m == ir.Prod && ir.IsConst(body, 1) {
		return body
	}
	whole := *s
	whole.monoid, whole.body, whole.whole = m, body, true
	if m != s.monoid {
		whole.r.name = "denominator"
	}
	return l.readAt(&whole, v, ir.Elem{Name: "i64"}, ir.ExactType)
}

// ratio is a quotient of exact numbers.
func ratio(a, b *ir.Value) *ir.Value {
	if isBad(a, b) {
		return bad
	}
	return ir.Div(a, b)
}

// magnitude is the absolute value of an exact number, which is the number itself where it is known not to be negative.
func (l *lowering) magnitude(v *ir.Value) *ir.Value {
	if b := l.between(v).least; b != nil && b.Const != nil && b.Const.Sign() >= 0 {
		return v
	}
	return ir.Call(ir.OpAbs, v)
}

// product is that of exact values; of none it is 1.
func product(list []*ir.Value) *ir.Value {
	p := ir.Int(1)
	for _, x := range list {
		p = ir.Mul(p, x)
	}
	return p
}

// factors are whole numbers the product of which with an exact value is whole at each point. One is 0 only where the value divides by 0.
func (l *lowering) factors(v *ir.Value) []*ir.Value {
	if l.isWhole(v) {
		return nil
	}
	switch v.Op {
	case ir.OpConst:
		return []*ir.Value{ir.Const(new(big.Rat).SetInt(v.Const.Denom()))}
	case ir.OpAdd, ir.OpSub, ir.OpMax, ir.OpMin, ir.OpMod, ir.OpRem:
		return union(l.factors(v.Args[0]), l.factors(v.Args[1]))
	case ir.OpSelect:
		return []*ir.Value{ir.Select(v.Args[0], product(l.factors(v.Args[1])), product(l.factors(v.Args[2])))}
	case ir.OpDiv:
		return append(l.factors(v.Args[0]), product(append(l.factors(v.Args[1]), v.Args[1])))
	case ir.OpPow:
		base, n := v.Args[0], v.Args[1]
		by := product(l.factors(base))
		up, down := ir.Call(ir.OpMax, n, ir.Int(0)), ir.Call(ir.OpMax, ir.Neg(n), ir.Int(0))
		return []*ir.Value{ir.Call(ir.OpPow, by, up), ir.Call(ir.OpPow, ir.Mul(base, by), down)}
	}
	var list []*ir.Value
	for _, a := range v.Args {
		list = append(list, l.factors(a)...)
	}
	return list
}

// union are the factors of both of two lists, those that both have once.
func union(a, b []*ir.Value) []*ir.Value {
	rest := slices.Clone(a)
	for _, x := range b {
		if k := slices.IndexFunc(rest, func(y *ir.Value) bool { return ir.Equal(x, y) }); k >= 0 {
			rest = slices.Delete(rest, k, k+1)
		} else {
			a = append(a, x)
		}
	}
	return a
}

// commonNumber is a common denominator of a sum that is a number, which an i64 holds; nil: there is none.
func (l *lowering) commonNumber(s *exactSum) *big.Int {
	if s.whole || s.monoid == ir.Prod {
		return nil
	}
	if n := l.denominator(s.body); n != nil && n.IsInt64() {
		return n
	}
	return nil
}
