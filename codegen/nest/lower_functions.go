package nest

import (
	"math"

	"github.com/opgen/opgen/codegen/ir"
)

// functions tells how an op of floats is computed: by one instruction, or by a composition.
var functions = map[ir.Op]struct {
	op   Op
	math string
}{
	ir.OpAdd: {op: Add}, ir.OpSub: {op: Sub}, ir.OpMul: {op: Mul}, ir.OpDiv: {op: Div},
	ir.OpNeg: {op: Neg}, ir.OpAbs: {op: Abs}, ir.OpMax: {op: Max}, ir.OpMin: {op: Min},
	ir.OpFma: {op: Fma}, ir.OpSqrt: {op: Sqrt},
	ir.OpFloor: {op: Floor}, ir.OpCeil: {op: Ceil}, ir.OpTrunc: {op: Trunc}, ir.OpRound: {op: Round},
	ir.OpRsqrt: {math: "rsqrt"}, ir.OpExp: {math: "exp"}, ir.OpExpm1: {math: "expm1"},
	ir.OpLog: {math: "log"}, ir.OpLog1p: {math: "log1p"}, ir.OpTanh: {math: "tanh"},
	ir.OpSigmoid: {math: "sigmoid"}, ir.OpSoftplus: {math: "softplus"}, ir.OpErf: {math: "erf"}, ir.OpErfc: {math: "erfc"},
	ir.OpExp2: {math: "exp2"}, ir.OpLog2: {math: "log2"}, ir.OpLog10: {math: "log10"},
	ir.OpSin: {math: "sin"}, ir.OpCos: {math: "cos"}, ir.OpTan: {math: "tan"},
	ir.OpAsin: {math: "asin"}, ir.OpAcos: {math: "acos"}, ir.OpAtan: {math: "atan"}, ir.OpAtan2: {math: "atan2"},
	ir.OpSinh: {math: "sinh"}, ir.OpCosh: {math: "cosh"},
	ir.OpAsinh: {math: "asinh"}, ir.OpAcosh: {math: "acosh"}, ir.OpAtanh: {math: "atanh"},
	ir.OpPow: {math: "pow"}, ir.OpHypot: {math: "hypot"}, ir.OpCopysign: {math: "copysign"}, ir.OpXlogy: {math: "xlogy"}, ir.OpLogaddexp: {math: "logaddexp"},
}

// comparisons are instructions by whether they compare indices.
var comparisons = map[ir.Op][2]Op{
	ir.OpEq: {Eq, IntEq}, ir.OpNe: {Ne, IntNe}, ir.OpLt: {Lt, IntLt}, ir.OpLe: {Le, IntLe},
}

// function adds an op of floats.
func (e *emitter) function(op ir.Op, args []*Value) *Value {
	f := functions[op]
	if f.math != "" {
		v, err := e.b.Math(f.math, args...)
		if err != nil {
			e.fail(e.l.unsupported(e.c.members[0].target, "%v", err))
			return e.b.Const(0)
		}
		return v
	}
	switch op {
	case ir.OpDiv:
		return e.divide(args[0], args[1])
	case ir.OpMul:
		for i, a := range args {
			if q, ok := e.quotients[a]; ok && !args[1-i].Lane {
				return UniformMulDiv(e.b, q[0], args[1-i], q[1])
			}
		}
	}
	return e.b.Op(f.op, args...)
}

// divide is x/d: exact products for powers of two, two products for a divisor that all lanes have; one where that is
// a root, whose reciprocal neither overflows nor loses bits.
func (e *emitter) divide(x, d *Value) *Value {
	if d.Op == Const {
		if r := reciprocal(d.Imm, e.l.float); r != 0 {
			return e.b.Op(Mul, x, e.b.Const(r))
		}
	}
	switch {
	case !x.Lane || d.Lane:
	case d.Op == Sqrt:
		return e.b.Op(Mul, x, e.b.Op(Div, e.b.Const(1), d))
	default:
		q := UniformDiv(e.b, x, d)
		e.quotients[q] = [2]*Value{x, d}
		return q
	}
	return e.b.Op(Div, x, d)
}

// reciprocal is 1/d where multiplying by it is dividing by d, exactly: for powers of two whose reciprocal is a normal
// number. Else it is 0.
func reciprocal(d float64, float DType) float64 {
	frac, exp := math.Frexp(d)
	limit := 1020
	if float == F32 {
		limit = 124
	}
	if math.Abs(frac) != 0.5 || exp > limit || exp < -limit {
		return 0
	}
	return 1 / d
}
