package irtest

import (
	"github.com/opgen/opgen/codegen/ir"
	"pgregory.net/rapid"
)

// expression draws a smooth value of x[b, d], z[d] and the sum of x over d.
func expression(t *rapid.T, leaves []*ir.Value, depth int) *ir.Value {
	if depth == 0 {
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
	arg := func() *ir.Value { return expression(t, leaves, depth-1) }
	// Arguments stay in the domains, away from kinks: sigmoid is in (0, 1).
	safe := func() *ir.Value { return ir.Add(ir.Frac(1, 2), ir.Call(ir.OpSigmoid, arg())) }
	switch rapid.IntRange(0, 8).Draw(t, "op") {
	case 0:
		return ir.Add(arg(), arg())
	case 1:
		return ir.Sub(arg(), arg())
	case 2:
		return ir.Mul(ir.Call(ir.OpTanh, arg()), arg())
	case 3:
		return ir.Div(arg(), safe())
	case 4:
		op := rapid.SampledFrom([]ir.Op{ir.OpTanh, ir.OpSigmoid, ir.OpSoftplus, ir.OpSin, ir.OpCos, ir.OpErf}).Draw(t, "function")
		return ir.Call(op, arg())
	case 5:
		op := rapid.SampledFrom([]ir.Op{ir.OpSqrt, ir.OpRsqrt, ir.OpLog, ir.OpExp, ir.OpLog1p, ir.OpExpm1}).Draw(t, "function")
		return ir.Call(op, safe())
	case 6:
		return ir.Select(ir.Call(ir.OpLt, leaves[0], ir.Frac(1, 3)), arg(), arg())
	case 7:
		return ir.Call(ir.OpPow, safe(), ir.Call(ir.OpTanh, arg()))
	}
	return ir.Neg(arg())
}

// Random draws a function with a reduction between two random formulas.
func Random(t *rapid.T) *ir.Func {
	b := New("random")
	B, D := b.Axis("B"), b.Axis("D")
	x, z := b.In("x", B, D), b.In("z", D)
	i, d := Over("b", B), Over("d", D)
	leaves := []*ir.Value{At(x, i, d), At(z, d), ir.Frac(3, 4)}
	h := b.Let("h", ir.Assign, Vars(i, d), nil, expression(t, leaves, 2))
	s := b.Let("s", ir.Sum, Vars(i), Vars(d), ir.Mul(At(h, i, d), At(z, d)))
	leaves = append(leaves, At(h, i, d), At(s, i))
	b.Out("y", ir.Assign, Vars(i, d), nil, ir.Add(expression(t, leaves, 3), ir.Call(ir.OpTanh, At(h, i, d))))
	return b.F
}
