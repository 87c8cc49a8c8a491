package nest

import (
	"math"
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// value is the node of v in a scope. path is the condition under which the point is evaluated (nil: always): reads
// at indices that are data are guarded by it.
func (g *graph) value(v *ir.Value, env *scope, path *node) *node {
	if !env.computed && !g.isChecked(v) {
		path = nil
	}
	key := scopeKey{v: v, path: path}
	if n := env.memo[key]; n != nil {
		return n
	}
	var n *node
	switch {
	case g.err != nil:
		return &node{id: -1, op: ir.OpConst}
	case v.Type.Kind == ir.Bool:
		n = g.mask(v, env, path)
	case g.isInt(v):
		n = g.integer(v, env, path)
	default:
		n = g.number(v, env, path)
	}
	env.memo[key] = n
	return n
}

// isChecked says whether an index in v is checked, also in the maps that it reads: only there the path counts.
func (g *graph) isChecked(v *ir.Value) bool {
	if len(v.Args) == 0 && v.Op != ir.OpRead {
		return false
	}
	is, ok := g.checked[v]
	if ok {
		return is
	}
	if v.Op == ir.OpRead {
		is = slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Op != ir.OpIndex }) || g.l.solved[v.Tensor] != nil
		if d := g.l.virtual[v.Tensor]; d != nil {
			is = is || !d.IsPlain() || g.isChecked(d.Body) || slices.ContainsFunc(d.Where, g.isChecked)
		}
	}
	is = is || slices.ContainsFunc(v.Args, g.isChecked)
	g.checked[v] = is
	return is
}

// isInt says whether v is an index or an integer: an element of an integer dtype, or an exact number that the host
// can't compute.
func (g *graph) isInt(v *ir.Value) bool {
	if v.Type.Kind == ir.Typed {
		d, ok := g.l.dtype(v.Type.Elem)
		return ok && !d.IsFloat()
	}
	return v.Type.Kind == ir.Exact && !isHost(v)
}

// isHost says whether the host can compute v before the call: it reads no tensor and no index, and isn't random.
func isHost(v *ir.Value) bool {
	host := true
	ir.Walk(v, func(v *ir.Value) bool {
		host = host && v.Op != ir.OpRead && v.Op != ir.OpIndex && v.Op != ir.OpUniform && v.Op != ir.OpNormal
		return host
	})
	return host
}

// number is the node of a float.
func (g *graph) number(v *ir.Value, env *scope, path *node) *node {
	if v.Type.Kind == ir.Typed {
		if d, ok := g.l.dtype(v.Type.Elem); !ok || d != g.l.float {
			return g.failf("a value of type %s in nests of %s", v.Type.Elem.Resolve(g.l.opt.DTypes), g.l.float)
		}
	}
	if (v.Type.Kind != ir.Typed || v.Op == ir.OpScalar || v.Op == ir.OpCast && v.Args[0].Type.Kind != ir.Typed) && isHost(v) {
		return g.hostNumber(v)
	}
	arg := func(i int) *node { return g.value(v.Args[i], env, path) }
	switch v.Op {
	case ir.OpRead:
		return g.read(v, env, path)
	case ir.OpCast:
		return g.cast(v, env, path)
	case ir.OpSelect:
		c := arg(0)
		a := g.value(v.Args[1], env, g.and(path, c))
		b := g.value(v.Args[2], env, g.and(path, g.not(c)))
		return g.choose(c, a, b)
	case ir.OpStop:
		return arg(0)
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		if g.l.mayBeHalf(v.Type.Elem) {
			return g.scalar(v, Float) // a call knows
		}
		x, ok := ir.LimitOf(v.Op, v.Type.Elem.Resolve(g.l.opt.DTypes))
		if !ok {
			return g.failf("%s of %s", v.Op, g.l.float)
		}
		return g.constant(x)
	case ir.OpAbsorb:
		if a := v.Args[0]; a.Op == ir.OpSign { // which selects
			x := arg(1)
			return g.signed(g.value(a.Args[0], env, path), x, g.call(ir.OpNeg, Float, x))
		}
		x := arg(0)
		zero := g.call(ir.OpEq, Mask, x, g.constant(0))
		if q := v.Args[1]; q.Op == ir.OpDiv && ir.IsConst(q.Args[0], 1) {
			return g.choose(zero, x, g.call(ir.OpDiv, Float, x, g.value(q.Args[1], env, path)))
		}
		return g.choose(zero, x, g.call(ir.OpMul, Float, x, arg(1)))
	case ir.OpSign:
		return g.signed(arg(0), g.constant(1), g.constant(-1))
	case ir.OpPow:
		return g.power(v, env, path)
	}
	if _, ok := functions[v.Op]; !ok {
		return g.failf("there is no instruction for %s of floats", v.Op)
	}
	args := make([]*node, len(v.Args))
	for i := range args {
		if args[i] = arg(i); args[i].typ != Float {
			return g.failf("%s of an index", v.Op)
		}
	}
	return g.call(v.Op, Float, args...)
}

// signed is plus where x is positive, minus where it is negative, and x itself where it is 0 or NaN.
func (g *graph) signed(x, plus, minus *node) *node {
	zero := g.constant(0)
	below := g.choose(g.call(ir.OpLt, Mask, x, zero), minus, x)
	return g.choose(g.call(ir.OpLt, Mask, zero, x), plus, below)
}

// hostNumber is a number that is known, or that the host computes.
func (g *graph) hostNumber(v *ir.Value) *node {
	inner := v
	for inner.Op == ir.OpCast && inner.Args[0].Type.Kind != ir.Bool {
		inner = inner.Args[0]
	}
	sign := 1.0
	if inner.Op == ir.OpNeg && inner.Args[0].Op != ir.OpConst {
		inner, sign = inner.Args[0], -1
	}
	switch inner.Op {
	case ir.OpConst:
		return g.constant(roundRat(inner.Const, g.l.float))
	case ir.OpInf:
		return g.constant(sign * math.Inf(1))
	case ir.OpNaN:
		return g.constant(math.NaN())
	case ir.OpPi:
		return g.constant(sign * math.Pi)
	}
	return g.scalar(v, Float)
}

// roundRat rounds once to the dtype.
func roundRat(r *big.Rat, d DType) float64 {
	if d == F32 {
		x, _ := r.Float32()
		return float64(x)
	}
	x, _ := r.Float64()
	return x
}

// cast is a conversion to the float dtype.
func (g *graph) cast(v *ir.Value, env *scope, path *node) *node {
	a := v.Args[0]
	n := g.value(a, env, path)
	switch n.typ {
	case Mask:
		return g.choose(n, g.constant(1), g.constant(0))
	case Int:
		return g.failf("a conversion of an index or an integer to %s", g.l.float)
	}
	return n
}

// maxChain bounds powers that are written as products.
const maxChain = 64

// power is x^y: products by repeated squaring for a small whole constant y.
func (g *graph) power(v *ir.Value, env *scope, path *node) *node {
	c := ir.ConstOf(v.Args[1])
	if c == nil || !c.IsInt() || c.Num().CmpAbs(big.NewInt(maxChain)) > 0 {
		x, y := g.value(v.Args[0], env, path), g.value(v.Args[1], env, path)
		if x.typ != Float || y.typ != Float {
			return g.failf("a power of an index")
		}
		return g.call(ir.OpPow, Float, x, y)
	}
	x, n := g.value(v.Args[0], env, path), c.Num().Int64()
	abs := n
	if n < 0 {
		abs = -n
	}
	r, square := (*node)(nil), x
	for ; abs > 0; abs >>= 1 {
		if abs&1 == 1 {
			if r == nil {
				r = square
			} else {
				r = g.call(ir.OpMul, Float, r, square)
			}
		}
		if abs > 1 {
			square = g.call(ir.OpMul, Float, square, square)
		}
	}
	switch {
	case n == 0:
		return g.constant(1)
	case n < 0:
		return g.call(ir.OpDiv, Float, g.constant(1), r)
	}
	return r
}

// mask is the node of a condition.
func (g *graph) mask(v *ir.Value, env *scope, path *node) *node {
	switch v.Op {
	case ir.OpTrue, ir.OpFalse:
		return g.truth(v.Op == ir.OpTrue)
	case ir.OpNot:
		return g.not(g.value(v.Args[0], env, path))
	case ir.OpAnd:
		all := g.truth(true)
		for _, a := range v.Args {
			all = g.and(all, g.value(a, env, g.and(path, all)))
		}
		return all
	case ir.OpOr:
		some := g.truth(false)
		for _, a := range v.Args {
			some = g.or(some, g.value(a, env, g.and(path, g.not(some))))
		}
		return some
	case ir.OpRead:
		return g.read(v, env, path)
	}
	if isHost(v) {
		number := &ir.Value{Op: ir.OpSelect, Type: ir.ExactType, Args: []*ir.Value{v, ir.Int(1), ir.Int(0)}}
		return g.call(ir.OpNe, Mask, g.scalar(number, Float), g.constant(0))
	}
	arg := func(i int) *node { return g.value(v.Args[i], env, path) }
	switch v.Op {
	case ir.OpPresent:
		return g.failf("has(%s) is no static choice", v.Tensor.Name)
	case ir.OpSelect:
		c := arg(0)
		a := g.value(v.Args[1], env, g.and(path, c))
		b := g.value(v.Args[2], env, g.and(path, g.not(c)))
		return g.or(g.and(c, a), g.and(g.not(c), b))
	case ir.OpCast:
		n := arg(0)
		if n.typ != Float {
			return g.failf("a conversion of an integer to bool")
		}
		return g.call(ir.OpNe, Mask, n, g.constant(0))
	case ir.OpIsNaN:
		x := arg(0)
		return g.call(ir.OpNe, Mask, x, x)
	case ir.OpSignbit: // also of zeros and NaN
		return g.call(ir.OpLt, Mask, g.call(ir.OpCopysign, Float, g.constant(1), arg(0)), g.constant(0))
	case ir.OpIsInf:
		return g.call(ir.OpEq, Mask, g.call(ir.OpAbs, Float, arg(0)), g.constant(math.Inf(1)))
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return g.compare(v, env, path)
	}
	return g.failf("there is no instruction for the condition %s", v.Op)
}

// compare compares floats, indices or conditions.
func (g *graph) compare(v *ir.Value, env *scope, path *node) *node {
	var a, b *node
	if g.isInt(v.Args[0]) || g.isInt(v.Args[1]) {
		a, b = g.integer(v.Args[0], env, path), g.integer(v.Args[1], env, path)
	} else {
		a, b = g.value(v.Args[0], env, path), g.value(v.Args[1], env, path)
	}
	switch {
	case a.typ != b.typ:
		return g.failf("a comparison of an index with a float")
	case a.typ != Mask:
		return g.call(v.Op, Mask, a, b)
	}
	same := g.or(g.and(a, b), g.and(g.not(a), g.not(b)))
	if v.Op == ir.OpNe {
		return g.not(same)
	}
	return same
}

// integer is the node of an index or an integer.
func (g *graph) integer(v *ir.Value, env *scope, path *node) *node {
	switch v.Op {
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		return g.failf("%s of an integer dtype", v.Op)
	}
	if isHost(v) {
		for v.Op == ir.OpCast && v.Args[0].Type.Kind == ir.Exact {
			v = v.Args[0]
		}
		return g.scalar(v, Int)
	}
	switch v.Op {
	case ir.OpIndex:
		return g.termValue(env.terms[v.Var])
	case ir.OpRead:
		return g.read(v, env, path)
	case ir.OpCast:
		if a := v.Args[0]; a.Type.Kind == ir.Exact || v.Type.Kind == ir.Exact || v.Type == a.Type {
			return g.integer(a, env, path)
		}
		return g.failf("a conversion between integers")
	case ir.OpSelect:
		c := g.value(v.Args[0], env, path)
		a := g.integer(v.Args[1], env, g.and(path, c))
		b := g.integer(v.Args[2], env, g.and(path, g.not(c)))
		r := g.choose(c, a, b)
		if r.op == ir.OpSelect && len(c.loops) > 0 {
			return g.failf("an index is selected by what differs along loops")
		}
		return r
	}
	return g.failf("there is no instruction for %s of indices", v.Op)
}

// read is an element of a tensor: of a virtual map, what the map computes.
func (g *graph) read(v *ir.Value, env *scope, path *node) *node {
	t := v.Tensor
	terms := make([]term, len(v.Args))
	for i, a := range v.Args {
		if a.Op == ir.OpIndex {
			terms[i] = env.terms[a.Var]
			continue
		}
		terms[i] = term{node: g.integer(a, env, path)}
	}
	if d := g.l.virtual[t]; d != nil {
		return g.element(d, terms, path)
	}
	if d := g.l.solved[t]; d != nil {
		at := map[loop]term{}
		for i, k := range d.kept {
			at[k] = terms[i]
		}
		return g.substitute(d.root, at)
	}
	n := &node{op: ir.OpRead, typ: Float, tensor: t, at: make([]place, len(terms))}
	switch d, ok := g.l.dtype(t.Elem); {
	case g.l.isBool(t.Elem) && t.Role != ir.Input:
		return g.failf("%s has elements of type %s, and it must be kept", t.Name, boolName)
	case !ok:
		return g.failf("%s has elements of type %s", t.Name, t.Elem.Resolve(g.l.opt.DTypes))
	case !d.IsFloat():
		n.typ = Int
	case d != g.l.float:
		return g.failf("%s has elements of type %s in nests of %s", t.Name, d, g.l.float)
	}
	for i, x := range terms {
		switch {
		case x.node == nil && x.loop.axis != t.Axes[i]:
			return g.failf("%s is read along %s at an index of %s", t.Name, t.Axes[i].Name, x.loop)
		case x.node == nil:
			n.at[i] = place{loop: x.loop}
			continue
		}
		if len(x.node.loops) == 0 {
			return g.failf("%s is read along %s at one index", t.Name, t.Axes[i].Name)
		}
		g.check(x.node, path, t, t.Axes[i])
		n.at[i] = place{index: len(n.args)}
		n.args = append(n.args, g.clamped(x.node, t.Axes[i]))
	}
	if g.l.isBool(t.Elem) {
		return g.call(ir.OpNe, Mask, g.add(n), g.constant(0))
	}
	return g.add(n)
}
