package nest

import (
	"fmt"
	"math/big"

	"github.com/opgen/opgen/codegen/ir"
)

// check notes that index, where path holds, must lie within axis of t. Only indices that are data need it.
func (g *graph) check(index, path *node, t *ir.Tensor, axis *ir.Axis) {
	switch index.op {
	case ir.OpSelect:
		g.check(index.args[1], g.and(path, index.args[0]), t, axis)
		g.check(index.args[2], g.and(path, g.not(index.args[0])), t, axis)
		return
	case ir.OpRead:
	default:
		return
	}
	if path != nil && implied(path, index, axis) {
		return
	}
	key := fmt.Sprintf("%d %d %d", index.id, g.ref(t), g.ref(axis))
	if path != nil {
		key += fmt.Sprintf(" %d", path.id)
	}
	if g.seen[key] {
		return
	}
	g.seen[key] = true
	c := &Check{Index: index.tensor, Of: t, Axis: axis}
	vars := map[loop]*ir.Var{}
	for _, p := range index.at {
		if p.isIndex() {
			g.failf("an index of %s is read at an index that is data itself", t.Name)
			return
		}
		v := &ir.Var{Name: fmt.Sprintf("i%d", len(c.Vars)), Axis: p.loop.axis}
		vars[p.loop] = v
		c.Vars = append(c.Vars, v)
	}
	if path != nil && path.op != ir.OpTrue {
		if c.Guard = guard(path, index, vars); c.Guard == nil {
			g.failf("an index of %s is read under a condition on more than the index and attributes", t.Name)
			return
		}
	}
	g.checks = append(g.checks, c)
}

// implied says whether a condition is only met by an index within axis: it equals that of a loop over it.
func implied(path, index *node, axis *ir.Axis) bool {
	switch path.op {
	case ir.OpAnd:
		return implied(path.args[0], index, axis) || implied(path.args[1], index, axis)
	case ir.OpEq:
		a, b := path.args[0], path.args[1]
		return a == index && b.op == ir.OpIndex && b.loop.axis == axis || b == index && a.op == ir.OpIndex && a.loop.axis == axis
	}
	return false
}

// guard writes a condition as a value that the host can compute for an element of an index tensor, read at vars. It
// is nil where the condition depends on other tensors.
func guard(n, index *node, vars map[loop]*ir.Var) *ir.Value {
	args := make([]*ir.Value, len(n.args))
	for i, a := range n.args {
		if args[i] = guard(a, index, vars); args[i] == nil {
			return nil
		}
	}
	switch n.op {
	case ir.OpTrue:
		return ir.True
	case ir.OpFalse:
		return ir.False
	case ir.OpScalar:
		return n.host
	case ir.OpConst:
		if r := new(big.Rat).SetFloat64(n.value); r != nil {
			return ir.Const(r)
		}
		return nil
	case ir.OpRead:
		if n != index {
			return nil
		}
		at := make([]*ir.Value, len(n.at))
		for i, p := range n.at {
			at[i] = ir.Index(vars[p.loop])
		}
		return ir.Read(n.tensor, at...)
	case ir.OpNot, ir.OpAnd, ir.OpOr, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpSelect:
	default:
		return nil
	}
	typ := ir.BoolType
	for i, a := range args {
		if a.Type.Kind == ir.Bool {
			continue
		}
		// Indices meet as exact numbers.
		args[i] = ir.Cast(a, ir.ExactType)
		if n.op == ir.OpSelect {
			typ = ir.ExactType
		}
	}
	return &ir.Value{Op: n.op, Type: typ, Args: args}
}
