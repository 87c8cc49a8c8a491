package grad

import (
	"maps"

	"github.com/opgen/opgen/codegen/ir"
)

func init() { maps.Copy(rows, functionRows) }

// functionRows are the rows of functions beyond those that most specs use. Where a derivative has a removable point the
// family is closed under it (polygamma, sincn), and squares that overflow before the result does are written otherwise.
//
// Conventions at edges: xlogy has derivative 0 by x where x is 0 and log(y) isn't finite, and 0 by y where x is 0; hypot
// has derivative 0 at (0, 0); copysign has none by its second argument, and 0 where the first is 0.
var functionRows = map[ir.Op]Row{
	ir.OpLowest: none, ir.OpHighest: none, ir.OpEpsilon: none, ir.OpUniform: none, ir.OpNormal: none, ir.OpSignbit: none,

	ir.OpExp2:  {D: []Partial{func(p Point) *ir.Value { return ir.Mul(p.Y, logOf(2)) }}},
	ir.OpLog2:  {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), ir.Mul(p.A[0], logOf(2))) }}},
	ir.OpLog10: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), ir.Mul(p.A[0], logOf(10))) }}},

	ir.OpTan: {D: []Partial{func(p Point) *ir.Value { return ir.Add(ir.Int(1), ir.Mul(p.Y, p.Y)) }}},
	// 1/sqrt(1 - x²), and its negative.
	ir.OpAsin: {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpRsqrt, oneMinusSquare(p.A[0])) }}},
	ir.OpAcos: {D: []Partial{func(p Point) *ir.Value { return ir.Neg(ir.Call(ir.OpRsqrt, oneMinusSquare(p.A[0]))) }}},
	ir.OpAtan: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), ir.Add(ir.Int(1), ir.Mul(p.A[0], p.A[0]))) }}},

	ir.OpSinh:  {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpCosh, p.A[0]) }}},
	ir.OpCosh:  {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpSinh, p.A[0]) }}},
	ir.OpAsinh: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), ir.Call(ir.OpHypot, ir.Int(1), p.A[0])) }}},
	// 1/sqrt(x² - 1); the product of the roots is NaN below 1, as acosh is.
	ir.OpAcosh: {D: []Partial{func(p Point) *ir.Value {
		x := p.A[0]
		return ir.Mul(ir.Call(ir.OpRsqrt, ir.Sub(x, ir.Int(1))), ir.Call(ir.OpRsqrt, ir.Add(x, ir.Int(1))))
	}}},
	ir.OpAtanh: {D: []Partial{func(p Point) *ir.Value { return ir.Div(ir.Int(1), oneMinusSquare(p.A[0])) }}},

	ir.OpErfc: {D: []Partial{func(p Point) *ir.Value {
		c := ir.Div(ir.Int(-2), ir.Call(ir.OpSqrt, ir.Pi()))
		return ir.Mul(c, ir.Call(ir.OpExp, ir.Neg(ir.Mul(p.A[0], p.A[0]))))
	}}},
	ir.OpErfinv: {D: []Partial{func(p Point) *ir.Value {
		c := ir.Div(ir.Call(ir.OpSqrt, ir.Pi()), ir.Int(2))
		return ir.Mul(c, ir.Call(ir.OpExp, ir.Mul(p.Y, p.Y)))
	}}},
	ir.OpLgamma: {D: []Partial{func(p Point) *ir.Value { return ir.Call(ir.OpPolygamma, ir.Int(0), p.A[0]) }}},
	ir.OpPolygamma: {D: []Partial{nil, func(p Point) *ir.Value {
		return ir.Call(ir.OpPolygamma, ir.Add(p.A[0], ir.Int(1)), p.A[1])
	}}},

	ir.OpSincn: {D: []Partial{nil, func(p Point) *ir.Value { return ir.Call(ir.OpSincn, ir.Add(p.A[0], ir.Int(1)), p.A[1]) }}},
	// 2x·erfcx(x) - 2/√π
	ir.OpErfcx: {D: []Partial{func(p Point) *ir.Value {
		return ir.Sub(ir.Mul(ir.Mul(ir.Int(2), p.A[0]), p.Y), ir.Div(ir.Int(2), ir.Call(ir.OpSqrt, ir.Pi())))
	}}},
	// (Jₙ₋₁ - Jₙ₊₁)/2 and (Iₙ₋₁ + Iₙ₊₁)/2.
	ir.OpBesselJ: {D: []Partial{nil, func(p Point) *ir.Value {
		return ir.Div(ir.Sub(neighbour(p, ir.OpBesselJ, -1), neighbour(p, ir.OpBesselJ, 1)), ir.Int(2))
	}}},
	ir.OpBesselI: {D: []Partial{nil, func(p Point) *ir.Value {
		return ir.Div(ir.Add(neighbour(p, ir.OpBesselI, -1), neighbour(p, ir.OpBesselI, 1)), ir.Int(2))
	}}},
	ir.OpBesselIe: {D: []Partial{nil, func(p Point) *ir.Value {
		slope := ir.Div(ir.Add(neighbour(p, ir.OpBesselIe, -1), neighbour(p, ir.OpBesselIe, 1)), ir.Int(2))
		return ir.Sub(slope, ir.Mul(ir.Call(ir.OpSign, p.A[1]), p.Y))
	}}},
	// -s·ζ(s+1, q) by q; by s it is no function of this table.
	ir.OpZeta: {Refused: 1, D: []Partial{nil, func(p Point) *ir.Value {
		return ir.Neg(ir.Mul(p.A[0], ir.Call(ir.OpZeta, ir.Add(p.A[0], ir.Int(1)), p.A[1])))
	}}},

	// x/(x² + y²) and -y/(x² + y²).
	ir.OpAtan2: {D: []Partial{
		func(p Point) *ir.Value { return overHypot(p, p.A[1]) },
		func(p Point) *ir.Value { return ir.Neg(overHypot(p, p.A[0])) },
	}},
	ir.OpHypot: {D: []Partial{shareOfHypot(0), shareOfHypot(1)}},
	ir.OpXlogy: {D: []Partial{
		func(p Point) *ir.Value {
			x, y := p.A[0], p.A[1]
			flat := ir.And(ir.Call(ir.OpEq, x, ir.Int(0)), ir.Call(ir.OpLe, y, ir.Int(0)))
			return ir.Select(flat, ir.Int(0), ir.Call(ir.OpLog, y))
		},
		func(p Point) *ir.Value {
			x, y := p.A[0], p.A[1]
			return ir.Select(ir.Call(ir.OpEq, x, ir.Int(0)), ir.Int(0), ir.Div(x, y))
		},
	}},
	// exp(a - y) = 1/(1 + exp(b - a))
	ir.OpLogaddexp: {D: []Partial{
		func(p Point) *ir.Value { return ir.Call(ir.OpSigmoid, ir.Sub(p.A[0], p.A[1])) },
		func(p Point) *ir.Value { return ir.Call(ir.OpSigmoid, ir.Sub(p.A[1], p.A[0])) },
	}},
	ir.OpCopysign: {D: []Partial{
		func(p Point) *ir.Value {
			return ir.Mul(ir.Call(ir.OpSign, p.A[0]), ir.Call(ir.OpCopysign, ir.Int(1), p.A[1]))
		},
		nil,
	}},
}

// neighbour is a function of a family at the order that lies by step beside that of the point.
func neighbour(p Point, op ir.Op, step int64) *ir.Value {
	return ir.Call(op, ir.Add(p.A[0], ir.Int(step)), p.A[1])
}

// logOf is the constant log(n).
func logOf(n int64) *ir.Value { return ir.Call(ir.OpLog, ir.Int(n)) }

// oneMinusSquare is 1 - x², which loses nothing near ±1.
func oneMinusSquare(x *ir.Value) *ir.Value {
	return ir.Mul(ir.Sub(ir.Int(1), x), ir.Add(ir.Int(1), x))
}

// overHypot is v/(x² + y²), in two steps since the squares may overflow.
func overHypot(p Point, v *ir.Value) *ir.Value {
	h := ir.Call(ir.OpHypot, p.A[0], p.A[1])
	return ir.Div(ir.Div(v, h), h)
}

// shareOfHypot is the derivative of hypot by argument i.
func shareOfHypot(i int) Partial {
	return func(p Point) *ir.Value {
		return ir.Select(ir.Call(ir.OpEq, p.Y, ir.Int(0)), ir.Int(0), ir.Div(p.A[i], p.Y))
	}
}
