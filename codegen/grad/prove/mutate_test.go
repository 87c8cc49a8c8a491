package prove_test

import (
	"math/big"
	"math/rand/v2"

	"github.com/opgen/opgen/codegen/ir"
)

// mutate changes one place in the formula by hand: a factor, sign, branch, comparison, constant, function, tensor, or a reduction.
// It returns nil where the change doesn't fit.
func mutate(r *rand.Rand, f *ir.Func) *ir.Func {
	u := f.UserGrads[0]
	defs := append([]*ir.Def(nil), u.Defs...)
	i := r.IntN(len(defs))
	if reduced := defs[i].Reduced(); len(reduced) > 0 && r.IntN(5) == 0 {
		defs[i] = mutateReduction(r, defs[i], reduced)
	} else {
		nodes := nodesOf(defs[i].Body)
		old := nodes[r.IntN(len(nodes))]
		changed := change(r, f, old)
		if changed == nil {
			return nil
		}
		d := *defs[i]
		d.Body = ir.Map(d.Body, func(v *ir.Value) *ir.Value {
			if v == old {
				return changed
			}
			return v
		})
		defs[i] = &d
	}
	u.Defs = defs
	g := *f
	g.UserGrads = []ir.UserGrad{u}
	if ir.Verify(&g) != nil {
		return nil
	}
	return &g
}

func nodesOf(v *ir.Value) []*ir.Value {
	var r []*ir.Value
	ir.Walk(v, func(v *ir.Value) bool {
		r = append(r, v)
		return v.Op != ir.OpRead // indices stay
	})
	return r
}

// mutateReduction takes a mean for a sum, a maximum, or only the first or all but the first of the terms.
func mutateReduction(r *rand.Rand, old *ir.Def, reduced []*ir.Var) *ir.Def {
	d := *old
	v := reduced[r.IntN(len(reduced))]
	first := ir.Call(ir.OpEq, ir.Index(v), ir.Int(0))
	switch r.IntN(4) {
	case 0:
		if v.Axis != nil {
			d.Body = ir.Div(d.Body, ir.Extent(v.Axis))
		}
	case 1:
		d.Monoid = ir.Max
	case 2:
		d.Where = append(append([]*ir.Value(nil), d.Where...), first)
	case 3:
		d.Where = append(append([]*ir.Value(nil), d.Where...), ir.Not(first))
	}
	return &d
}

// swaps are functions that are easily taken for each other.
var swaps = map[ir.Op][]ir.Op{
	ir.OpAdd: {ir.OpSub, ir.OpMul}, ir.OpSub: {ir.OpAdd}, ir.OpMul: {ir.OpAdd, ir.OpDiv}, ir.OpDiv: {ir.OpMul},
	ir.OpMax: {ir.OpMin}, ir.OpMin: {ir.OpMax}, ir.OpLt: {ir.OpLe, ir.OpEq}, ir.OpLe: {ir.OpLt, ir.OpNe}, ir.OpEq: {ir.OpNe, ir.OpLe},
	ir.OpExp: {ir.OpExpm1, ir.OpSigmoid}, ir.OpSqrt: {ir.OpRsqrt, ir.OpAbs}, ir.OpRsqrt: {ir.OpSqrt}, ir.OpSigmoid: {ir.OpTanh, ir.OpExp},
	ir.OpTanh: {ir.OpSigmoid, ir.OpSin}, ir.OpAbs: {ir.OpSign}, ir.OpSign: {ir.OpAbs, ir.OpTanh}, ir.OpNeg: {ir.OpAbs},
}

// change gives something else in the place of v.
func change(r *rand.Rand, f *ir.Func, v *ir.Value) *ir.Value {
	var all []*ir.Value
	add := func(n *ir.Value, err error) {
		if err == nil {
			all = append(all, ir.Cast(n, v.Type))
		}
	}
	build := func(op ir.Op, args ...*ir.Value) { add(ir.Build(f.ElemVars, op, args...)) }
	if v.Type.Kind == ir.Bool {
		if v.Op != ir.OpRead {
			all = append(all, ir.Not(v), ir.True, ir.False)
		}
	} else {
		build(ir.OpNeg, v)
		build(ir.OpMul, v, ir.Int(2))
		build(ir.OpMul, v, v)
		build(ir.OpMul, v, ir.Frac(1001, 1000))
		build(ir.OpAdd, v, ir.Frac(1, 8))
		build(ir.OpAbs, v)
		build(ir.OpMax, v, ir.Int(0))
		for _, s := range f.Scalars {
			build(ir.OpMul, v, ir.ScalarOf(s))
			build(ir.OpDiv, v, ir.ScalarOf(s))
		}
		for _, a := range f.Axes {
			build(ir.OpMul, v, ir.Extent(a))
			build(ir.OpDiv, v, ir.Extent(a))
		}
		all = append(all, ir.Cast(ir.Int(0), v.Type), ir.Cast(ir.Int(1), v.Type))
	}
	for _, a := range v.Args { // forget the rest
		if a.Type == v.Type && v.Op != ir.OpRead {
			all = append(all, a)
		}
	}
	for _, op := range swaps[v.Op] {
		build(op, v.Args...)
	}
	switch v.Op {
	case ir.OpSelect:
		build(ir.OpSelect, v.Args[0], v.Args[2], v.Args[1])
	case ir.OpSub, ir.OpDiv, ir.OpLt, ir.OpLe:
		build(v.Op, v.Args[1], v.Args[0])
	case ir.OpConst:
		for _, c := range []*big.Rat{big.NewRat(1, 2), big.NewRat(3, 1), big.NewRat(-1, 1), big.NewRat(1, 1)} {
			all = append(all, ir.Const(c))
		}
	case ir.OpExtent:
		for _, a := range f.Axes {
			if a != v.Axis {
				all = append(all, ir.Extent(a))
			}
		}
	case ir.OpRead:
		for _, t := range f.Inputs {
			if t != v.Tensor && t.Elem == v.Tensor.Elem && sameAxes(t, v.Tensor) {
				all = append(all, ir.Read(t, v.Args...))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.IntN(len(all))]
}

func sameAxes(t, u *ir.Tensor) bool {
	if len(t.Axes) != len(u.Axes) {
		return false
	}
	for i, a := range t.Axes {
		if a != u.Axes[i] {
			return false
		}
	}
	return true
}
