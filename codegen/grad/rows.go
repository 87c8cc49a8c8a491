// Package grad derives gradients: the table of derivatives, the reverse rule and the solver of index equations.
package grad

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// Point is where a derivative is taken: the arguments of an op, and its result.
type Point struct {
	A []*ir.Value
	Y *ir.Value
	// Active tells of each argument whether it has a derivative at all. It decides kinks: an argument that meets a
	// constant has derivative 0 at the tie, two arguments that vary share it.
	Active []bool
}

// Row is the derivative of an op by each of its arguments.
type Row struct {
	// None: the result is a condition, an index, or constant but for jumps; nothing flows back.
	None bool
	// Walked: the reverse rule follows the op itself (reads, selects, casts).
	Walked bool
	// D is ∂result/∂argument, one for each argument; nil: that argument has none.
	D []Partial
	// Refused is an argument, counted from 1, whose derivative is no function that there is; 0: there is no such one.
	Refused int
}

// Partial is a derivative by one argument.
type Partial func(p Point) *ir.Value

var none = Row{None: true}

// rows is the table of derivatives. Conventions at kinks: abs'(0) = 0, sqrt'(0) = +Inf, x^0 has derivative 0,
// max and min of two that tie give half to each, and 0 to one that meets a constant. A NaN argument of max and min
// gets what an argument alone would get.
var rows = map[ir.Op]Row{
	ir.OpConst: none, ir.OpInf: none, ir.OpNaN: none, ir.OpPi: none, ir.OpScalar: none, ir.OpExtent: none,
	ir.OpIndex: none, ir.OpTrue: none, ir.OpFalse: none, ir.OpPresent: none,
	ir.OpRead: {Walked: true}, ir.OpCast: {Walked: true}, ir.OpSelect: {Walked: true},

	ir.OpAdd: {D: []Partial{one, one}},
	ir.OpSub: {D: []Partial{one, minusOne}},
	ir.OpMul: {D: []Partial{arg(1), arg(0)}},
	ir.OpDiv: {D: []Partial{
		func(p Point) *ir.Value { return ir.Div(ir.Int(1), p.A[1]) },
		func(p Point) *ir.Value { return ir.Neg(ir.Div(p.Y, p.A[1])) },
	}},
	ir.OpMod: {D: []Partial{one, func(p Point) *ir.Value { return ir.Neg(ir.Call(ir.OpFloor, ir.Div(p.A[0], p.A[1]))) }}},
	ir.OpRem: {D: []Partial{one, func(p Point) *ir.Value { return ir.Neg(ir.Call(ir.OpTrunc, ir.Div(p.A[0], p.A[1]))) }}},
	ir.OpPow: {D: []Partial{powBase, powExponent}},
	ir.OpNeg: {D: []Partial{minusOne}},
	ir.OpAbs: {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpSign, p.A[0]) }}},
	ir.OpMax: {D: []Partial{extreme(0, false), extreme(1, false)}},
	ir.OpMin: {D: []Partial{extreme(0, true), extreme(1, true)}},
	ir.OpFma: {D: []Partial{arg(1), arg(0), one}},

	ir.OpSqrt:  {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Frac(1, 2), p.Y) }}},
	ir.OpRsqrt: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Mul(ir.Frac(-1, 2), p.Y), p.A[0]) }}},
	ir.OpExp:   {D: []Partial{func(p Point) *ir.Value { return p.Y }}},
	ir.OpExpm1: {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpExp, p.A[0]) }}},
	ir.OpLog:   {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), p.A[0]) }}},
	ir.OpLog1p: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), ir.Add(ir.Int(1), p.A[0])) }}},
	ir.OpTanh: {D: []Partial{func(p Point) *ir.Value {
		return ir.Sub(ir.Int(1), ir.Mul(p.Y, p.Y))
	}}},
	ir.OpSigmoid:  {D: []Partial{func(p Point) *ir.Value { return ir.Mul(p.Y, ir.Sub(ir.Int(1), p.Y)) }}},
	ir.OpSoftplus: {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpSigmoid, p.A[0]) }}},
	ir.OpSin:      {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpCos, p.A[0]) }}},
	ir.OpCos:      {D: []Partial{func(p Point) *ir.Value { return ir.Neg(ir.Call(ir.OpSin, p.A[0])) }}},
	ir.OpErf: {D: []Partial{func(p Point) *ir.Value {
		c := ir.Div(ir.Int(2), ir.Call(ir.OpSqrt, ir.Pi()))
		return ir.Mul(c, ir.Call(ir.OpExp, ir.Neg(ir.Mul(p.A[0], p.A[0]))))
	}}},

	ir.OpSign: none, ir.OpFloor: none, ir.OpCeil: none, ir.OpTrunc: none, ir.OpRound: none,
	ir.OpEq: none, ir.OpNe: none, ir.OpLt: none, ir.OpLe: none, ir.OpNot: none, ir.OpAnd: none, ir.OpOr: none,
	ir.OpIsNaN: none, ir.OpIsInf: none,
	ir.OpStop: none,
	ir.OpAbsorb: {D: []Partial{
		// Where 0 absorbed an infinity nothing flows; where it met a number, the product is an ordinary one.
		func(p Point) *ir.Value {
			absorbed := ir.And(ir.Call(ir.OpEq, p.A[0], ir.Int(0)), ir.Or(ir.Call(ir.OpIsNaN, p.A[1]), ir.Call(ir.OpIsInf, p.A[1])))
			return ir.Select(absorbed, ir.Int(0), p.A[1])
		},
		arg(0),
	}},
}

// RowOf is the row of an op. An op without a row is an error, never a zero.
func RowOf(op ir.Op) (Row, error) {
	r, ok := rows[op]
	if !ok {
		return r, fmt.Errorf("the derivative of %v is not in the table", op)
	}
	return r, nil
}

// refuses is the error of a derivative that is none; active tells of arguments whether they vary.
func (r Row) refuses(op ir.Op, active []bool) error {
	if r.Refused > 0 && active[r.Refused-1] {
		return fmt.Errorf("the derivative of %v by argument %d is no function that there is", op, r.Refused)
	}
	return nil
}

func one(Point) *ir.Value      { return ir.Int(1) }
func minusOne(Point) *ir.Value { return ir.Int(-1) }

// arg is the argument with number i.
func arg(i int) Partial { return func(p Point) *ir.Value { return p.A[i] } }

// powBase is ∂(a^b)/∂a = b*a^(b-1), and 0 where b is 0.
func powBase(p Point) *ir.Value {
	a, b := p.A[0], p.A[1]
	if c := ir.ConstOf(b); c != nil {
		switch {
		case c.Sign() == 0:
			return ir.Int(0)
		case ir.IsConst(b, 1):
			return ir.Int(1)
		case ir.IsConst(b, 2):
			return ir.Mul(ir.Int(2), a)
		}
		return ir.Mul(b, ir.Call(ir.OpPow, a, ir.Sub(ir.Const(c), ir.Int(1))))
	}
	d := ir.Mul(b, ir.Call(ir.OpPow, a, ir.Sub(b, ir.Int(1))))
	return ir.Select(ir.Call(ir.OpEq, b, ir.Int(0)), ir.Int(0), d)
}

// powExponent is ∂(a^b)/∂b = a^b*log(a), and 0 where a is 0 and b isn't negative.
func powExponent(p Point) *ir.Value {
	a, b := p.A[0], p.A[1]
	flat := ir.And(ir.Call(ir.OpEq, a, ir.Int(0)), ir.Call(ir.OpLe, ir.Int(0), b))
	return ir.Select(flat, ir.Int(0), ir.Mul(p.Y, ir.Call(ir.OpLog, a)))
}

// extreme is the derivative of max or min by argument i: 1 where it wins, half at a tie of two that vary.
func extreme(i int, least bool) Partial {
	return func(p Point) *ir.Value {
		a, b := p.A[i], p.A[1-i]
		loses := ir.Call(ir.OpLe, a, b)
		if least {
			loses = ir.Call(ir.OpLe, b, a)
		}
		if !p.Active[1-i] {
			return ir.Select(loses, ir.Int(0), ir.Int(1))
		}
		tie := ir.Select(ir.Call(ir.OpEq, a, b), ir.Frac(1, 2), ir.Int(0))
		return ir.Select(loses, tie, ir.Int(1))
	}
}
