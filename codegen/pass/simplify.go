package pass

import (
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Simplify rewrites values to cheaper ones with the same bits: x*1, x-0, --x, x^2 = x*x, x/2 = x*0.5, selects with
// equal arms, conditions that are known where they are asked. In derived definitions x+0 is x too, whose sign of zero
// may differ, and guards of whole sums, which only products need, are dropped.
func Simplify(f *ir.Func) *ir.Func {
	s := &simplifier{f: f, ranges: readRanges(f)}
	return eachDef(f, s.def)
}

type simplifier struct {
	f       *ir.Func
	ranges  []readRange
	derived bool         // whether the definition is
	num     ir.Numbering // of its values
}

func (s *simplifier) def(d *ir.Def) *ir.Def {
	s.derived = d.Derived
	s.num.Reset()
	n := *ir.MapDef(d, func(v *ir.Value) *ir.Value { return s.num.First(s.simple(v)) })
	n.Body = s.assuming(n.Body, n.Where)
	if d.Derived {
		n.Body = s.unguarded(n.Body)
	}
	n.Where = ir.Conjuncts(s.simple(ir.And(n.Where...)))
	if n.Body == d.Body && slices.Equal(n.Vars, d.Vars) && slices.Equal(n.Dest, d.Dest) && slices.Equal(n.Where, d.Where) && n.Kept == d.Kept && n.Scaled == d.Scaled {
		return d
	}
	return &n
}

// simple simplifies a value whose arguments are simple.
func (s *simplifier) simple(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpSelect:
		return s.simpleSelect(v)
	case ir.OpAnd:
		return s.withoutRanges(v)
	case ir.OpOr:
		return s.absorbed(v)
	case ir.OpEq, ir.OpLe:
		if t := v.Args[0].Type; (t.Kind == ir.Exact || t.Kind == ir.Typed && s.f.Class(t.Elem) == ir.ClassInt) && ir.Equal(v.Args[0], v.Args[1]) {
			return ir.True
		}
	}
	if v.Type.Kind != ir.Typed || len(v.Args) == 0 {
		return v
	}
	a := v.Args[0]
	b := v.Args[len(v.Args)-1]
	fits := func(x *ir.Value) bool { return ir.SameNumbers(s.f.ElemVars, x.Type, v.Type) }
	switch v.Op {
	case ir.OpCast:
		if fits(a) {
			return a // T and acc(T): rounding is done where elements are stored
		}
	case ir.OpAdd:
		switch {
		case s.derived && ir.IsConst(b, 0) && fits(a):
			return a
		case s.derived && ir.IsConst(a, 0) && fits(b):
			return b
		case b.Op == ir.OpNeg:
			return ir.WithArgs(ir.Sub(a, b.Args[0]), []*ir.Value{a, b.Args[0]})
		}
	case ir.OpSub:
		switch {
		case ir.IsConst(b, 0) && fits(a):
			return a
		case b.Op == ir.OpNeg:
			return ir.Add(a, b.Args[0])
		}
	case ir.OpMul:
		return s.simpleMul(v, fits)
	case ir.OpDiv:
		switch {
		case ir.IsConst(b, 1) && fits(a):
			return a
		case a.Op == ir.OpNeg:
			return s.simple(ir.Neg(s.simple(ir.Div(a.Args[0], b))))
		}
		if r := inverse(b); r != nil && s.f.Class(v.Type.Elem) == ir.ClassFloat {
			return ir.Mul(a, r)
		}
	case ir.OpPow:
		switch {
		case ir.IsConst(b, 1) && fits(a):
			return a
		case ir.IsConst(b, 2):
			return ir.Mul(a, a)
		case ir.IsConst(b, 0):
			return ir.Cast(ir.Int(1), v.Type)
		case ir.IsConst(b, -1):
			return ir.Div(ir.Int(1), a)
		}
	case ir.OpNeg:
		switch {
		case a.Op == ir.OpNeg && fits(a.Args[0]):
			return a.Args[0]
		case a.Op == ir.OpCast && a.Args[0].Op == ir.OpConst && a.Args[0].Const.Sign() != 0:
			return ir.Cast(ir.Neg(a.Args[0]), v.Type)
		}
	case ir.OpAbs:
		if a.Op == ir.OpNeg || a.Op == ir.OpAbs {
			return ir.Call(ir.OpAbs, a.Args[0])
		}
	case ir.OpMax, ir.OpMin:
		if ir.Equal(a, b) {
			return a
		}
	case ir.OpAbsorb:
		if ir.IsConst(b, 1) && fits(a) {
			return a
		}
	}
	return v
}

// simpleMul simplifies a product.
func (s *simplifier) simpleMul(v *ir.Value, fits func(*ir.Value) bool) *ir.Value {
	a, b := v.Args[0], v.Args[1]
	switch {
	case ir.IsConst(b, 1) && fits(a):
		return a
	case ir.IsConst(a, 1) && fits(b):
		return b
	case ir.IsConst(b, -1):
		return s.simple(ir.Neg(a))
	case ir.IsConst(a, -1):
		return s.simple(ir.Neg(b))
	case a.Op == ir.OpNeg && b.Op == ir.OpNeg:
		return ir.Mul(a.Args[0], b.Args[0])
	case a.Op == ir.OpNeg:
		return ir.Neg(ir.Mul(a.Args[0], b))
	case b.Op == ir.OpNeg:
		return ir.Neg(ir.Mul(a, b.Args[0]))
	}
	return v
}

// inverse is 1/v where v is a constant power of two: dividing by v and multiplying by it round alike.
func inverse(v *ir.Value) *ir.Value {
	c := ir.ConstOf(v)
	if c == nil || c.Sign() == 0 {
		return nil
	}
	n := new(big.Int).Abs(c.Num())
	pow2 := func(x *big.Int) bool {
		return x.BitLen() <= 32 && new(big.Int).And(x, new(big.Int).Sub(x, big.NewInt(1))).Sign() == 0
	}
	if !pow2(n) || !pow2(c.Denom()) || c.Cmp(big.NewRat(1, 1)) == 0 {
		return nil
	}
	return ir.Cast(ir.Const(new(big.Rat).Inv(c)), v.Type)
}

// simpleSelect simplifies a choice: equal arms, a negated condition, a condition asked again in an arm.
func (s *simplifier) simpleSelect(v *ir.Value) *ir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	if c.Op == ir.OpNot {
		c, a, b = c.Args[0], b, a
	}
	fits := func(x *ir.Value) bool { return ir.SameNumbers(s.f.ElemVars, x.Type, v.Type) }
	if a.Op == ir.OpSelect && ir.Equal(a.Args[0], c) && fits(a.Args[1]) {
		a = a.Args[1]
	}
	if b.Op == ir.OpSelect && ir.Equal(b.Args[0], c) && fits(b.Args[2]) {
		b = b.Args[2]
	}
	if ir.Equal(a, b) && fits(a) {
		return a
	}
	if c == v.Args[0] && a == v.Args[1] && b == v.Args[2] {
		return v
	}
	r := *v
	r.Args = []*ir.Value{c, a, b}
	return &r
}
