package check

import (
	"math/big"

	"github.com/opgen/opgen/codegen/ir"
)

// denominator is a whole number whose product with an exact value is whole at every point; nil: none is known.
func (l *lowering) denominator(v *ir.Value) *big.Int {
	if l.isWhole(v) {
		return big.NewInt(1)
	}
	switch v.Op {
	case ir.OpConst:
		return v.Const.Denom()
	case ir.OpNeg, ir.OpAbs:
		return l.denominator(v.Args[0])
	case ir.OpAdd, ir.OpSub, ir.OpMax, ir.OpMin:
		return l.common(v.Args[0], v.Args[1])
	case ir.OpSelect:
		return l.common(v.Args[1], v.Args[2])
	case ir.OpMul:
		if a, b := l.denominator(v.Args[0]), l.denominator(v.Args[1]); a != nil && b != nil {
			return new(big.Int).Mul(a, b)
		}
	case ir.OpDiv:
		a, by := l.denominator(v.Args[0]), v.Args[1].Const
		if a != nil && by != nil && by.IsInt() && by.Sign() != 0 {
			return new(big.Int).Mul(a, new(big.Int).Abs(by.Num()))
		}
	}
	return nil
}

// common is the least common multiple of two denominators.
func (l *lowering) common(a, b *ir.Value) *big.Int {
	m, n := l.denominator(a), l.denominator(b)
	if m == nil || n == nil {
		return nil
	}
	r := new(big.Int).Mul(m, n)
	return r.Div(r, new(big.Int).GCD(nil, nil, m, n))
}

// times multiplies a value by a multiple of its denominator, so that each part of what results is whole.
func (l *lowering) times(v *ir.Value, n *big.Int) *ir.Value {
	factor := ir.Const(new(big.Rat).SetInt(n))
	if l.isWhole(v) {
		return ir.Mul(v, factor)
	}
	switch v.Op {
	case ir.OpConst:
		return ir.Mul(v, factor)
	case ir.OpMul:
		d := l.denominator(v.Args[0])
		return ir.Mul(l.times(v.Args[0], d), l.times(v.Args[1], new(big.Int).Div(n, d)))
	case ir.OpDiv:
		by := v.Args[1].Const.Num()
		return l.times(v.Args[0], new(big.Int).Quo(n, by))
	case ir.OpSelect:
		return ir.Select(v.Args[0], l.times(v.Args[1], n), l.times(v.Args[2], n))
	}
	args := make([]*ir.Value, len(v.Args))
	for k, a := range v.Args {
		args[k] = l.times(a, n)
	}
	return ir.Call(v.Op, args...)
}

// fractional makes a reduction of fractions with a common denominator: that of whole numbers, divided by it.
func (l *lowering) fractional(s *exactSum, v *ir.Value, n *big.Int) *ir.Value {
	whole := *s
	whole.body, whole.whole = l.times(s.body, n), true
	r := l.readAt(&whole, v, ir.Elem{Name: "i64"}, ir.ExactType)
	if isBad(r) {
		return bad
	}
	return ir.Div(r, ir.Const(new(big.Rat).SetInt(n)))
}
