package nest

import (
	"fmt"
	"math"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// node is a value at a point of some loops. Equal nodes are one node, whichever definition they come from, so that
// nests that are merged share what they have in common.
type node struct {
	id    int
	op    ir.Op // of a function; or a leaf: OpConst, OpScalar, OpTrue, OpFalse, OpIndex, OpRead
	typ   Type  // Float, Int or Mask; comparisons go by the type of their arguments
	args  []*node
	loops loops // that the value depends on

	value  float64    // OpConst: as rounded to the dtype of the nest
	host   *ir.Value  // OpScalar: computed on the host
	loop   loop       // OpIndex
	tensor *ir.Tensor // OpRead
	at     []place    // OpRead: one for each axis of the tensor
}

// walkNodes visits nodes and what they are made of, each once, arguments first.
func walkNodes(roots []*node, visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.args {
			walk(a)
		}
		visit(n)
	}
	for _, r := range roots {
		walk(r)
	}
}

// term is what an index variable stands for: a loop, or an index that is a value.
type term struct {
	loop loop
	node *node // an Int; nil: the loop
}

// scope gives variables their terms.
type scope struct {
	terms    map[*ir.Var]term
	computed bool // a term is no loop
	memo     map[scopeKey]*node
}

type scopeKey struct {
	v    *ir.Value
	path *node
}

func newScope() *scope { return &scope{terms: map[*ir.Var]term{}, memo: map[scopeKey]*node{}} }

func (s *scope) has(v *ir.Var) bool { _, ok := s.terms[v]; return ok }

func (s *scope) set(v *ir.Var, t term) {
	s.terms[v] = t
	s.computed = s.computed || t.node != nil
}

// graph makes nodes of values. Virtual maps are unfolded where they are read. The first thing that nests can't
// express is remembered in err; nodes made after that are meaningless.
type graph struct {
	l      *lowering
	nodes  map[string]*node
	count  int
	hosts  ir.Numbering
	ids    map[any]int       // of tensors and axes
	scopes map[string]*scope // of virtual maps, by where they are read
	checks []*Check
	seen   map[string]bool // checks
	// Values with an index that is checked.
	checked map[*ir.Value]bool
	err     *Unsupported
}

func newGraph(l *lowering) *graph {
	return &graph{l: l, nodes: map[string]*node{}, ids: map[any]int{}, scopes: map[string]*scope{}, seen: map[string]bool{}, checked: map[*ir.Value]bool{}}
}

func (g *graph) failf(format string, args ...any) *node {
	if g.err == nil {
		g.err = &Unsupported{Func: g.l.f.Name, Reason: fmt.Sprintf(format, args...)}
	}
	return &node{id: -1, op: ir.OpConst}
}

// ref numbers a tensor or an axis.
func (g *graph) ref(p any) int {
	id, ok := g.ids[p]
	if !ok {
		id = len(g.ids)
		g.ids[p] = id
	}
	return id
}

// add is the node equal to n, or n itself where it is new.
func (g *graph) add(n *node) *node {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d", n.op, n.typ)
	for _, a := range n.args {
		fmt.Fprintf(&b, " %d", a.id)
		n.loops = n.loops.union(a.loops)
	}
	switch n.op {
	case ir.OpConst:
		fmt.Fprintf(&b, " c%x", math.Float64bits(n.value))
	case ir.OpScalar:
		n.host = g.hosts.First(n.host)
		fmt.Fprintf(&b, " h%d", g.hosts.ID(n.host))
	case ir.OpIndex:
		fmt.Fprintf(&b, " i%d#%d", g.ref(n.loop.axis), n.loop.nth)
		n.loops = loops{n.loop}
	case ir.OpRead:
		fmt.Fprintf(&b, " t%d", g.ref(n.tensor))
		for _, p := range n.at {
			if p.isIndex() {
				b.WriteString(" x")
				continue
			}
			fmt.Fprintf(&b, " i%d#%d", g.ref(p.loop.axis), p.loop.nth)
			n.loops = n.loops.union(loops{p.loop})
		}
	}
	key := b.String()
	if old := g.nodes[key]; old != nil {
		return old
	}
	n.id = g.count
	g.count++
	g.nodes[key] = n
	return n
}

func (g *graph) call(op ir.Op, typ Type, args ...*node) *node {
	if (op == ir.OpEq || op == ir.OpLe) && args[0] == args[1] && args[0].typ == Int {
		return g.truth(true)
	}
	return g.add(&node{op: op, typ: typ, args: args})
}

// with is n with other arguments.
func (g *graph) with(n *node, args []*node) *node {
	switch n.op {
	case ir.OpNot:
		return g.not(args[0])
	case ir.OpAnd:
		return g.and(args[0], args[1])
	case ir.OpOr:
		return g.or(args[0], args[1])
	case ir.OpSelect:
		return g.choose(args[0], args[1], args[2])
	case ir.OpRead:
		copied := *n
		copied.args, copied.loops = args, nil
		return g.add(&copied)
	}
	return g.call(n.op, n.typ, args...)
}

// rebuild is n where each node for which by gives another is replaced.
func (g *graph) rebuild(n *node, by func(*node) *node) *node {
	memo := map[*node]*node{}
	var walk func(*node) *node
	walk = func(n *node) *node {
		if r := memo[n]; r != nil {
			return r
		}
		r := by(n)
		if r == nil {
			args := make([]*node, len(n.args))
			changed := false
			for i, a := range n.args {
				args[i] = walk(a)
				changed = changed || args[i] != a
			}
			if r = n; changed {
				r = g.with(n, args)
			}
		}
		memo[n] = r
		return r
	}
	return walk(n)
}

// replace is n with old replaced.
func (g *graph) replace(n, old, by *node) *node {
	return g.rebuild(n, func(n *node) *node {
		if n == old {
			return by
		}
		return nil
	})
}

// substitute is n with loops replaced by terms.
func (g *graph) substitute(n *node, terms map[loop]term) *node {
	var by func(*node) *node
	by = func(n *node) *node {
		switch n.op {
		case ir.OpIndex:
			if t, ok := terms[n.loop]; ok {
				return g.termValue(t)
			}
		case ir.OpRead:
			r := &node{op: n.op, typ: n.typ, tensor: n.tensor, at: make([]place, len(n.at))}
			for i, p := range n.at {
				t, ok := terms[p.loop]
				switch {
				case p.isIndex():
					r.at[i] = place{index: len(r.args)}
					r.args = append(r.args, g.rebuild(n.args[p.index], by))
				case ok && t.node != nil:
					r.at[i] = place{index: len(r.args)}
					r.args = append(r.args, g.clamped(t.node, n.tensor.Axes[i]))
				case ok:
					r.at[i] = place{loop: t.loop}
				default:
					r.at[i] = p
				}
			}
			return g.add(r)
		}
		return nil
	}
	return g.rebuild(n, by)
}

// inRange says whether an index lies within an axis.
func (g *graph) inRange(index *node, axis *ir.Axis) *node {
	zero, extent := g.scalar(ir.Int(0), Int), g.scalar(ir.Extent(axis), Int)
	return g.and(g.call(ir.OpLe, Mask, zero, index), g.call(ir.OpLt, Mask, index, extent))
}

// clamped is an index where it lies within an axis, else 0: whatever it is, no other memory is read.
func (g *graph) clamped(index *node, axis *ir.Axis) *node {
	return g.choose(g.inRange(index, axis), index, g.scalar(ir.Int(0), Int))
}

// constant is a float, rounded to the dtype of the nest.
func (g *graph) constant(x float64) *node {
	if g.l.float == F32 {
		x = float64(float32(x))
	}
	return g.add(&node{op: ir.OpConst, typ: Float, value: x})
}

// scalar is a number that the host computes.
func (g *graph) scalar(v *ir.Value, typ Type) *node {
	return g.add(&node{op: ir.OpScalar, typ: typ, host: v})
}

// truth is a condition that is known.
func (g *graph) truth(holds bool) *node {
	if holds {
		return g.add(&node{op: ir.OpTrue, typ: Mask})
	}
	return g.add(&node{op: ir.OpFalse, typ: Mask})
}

// not is the opposite of c.
func (g *graph) not(c *node) *node {
	switch c.op {
	case ir.OpNot:
		return c.args[0]
	case ir.OpTrue, ir.OpFalse:
		return g.truth(c.op == ir.OpFalse)
	}
	return g.call(ir.OpNot, Mask, c)
}

// and is a condition that holds where both do; nil holds always.
func (g *graph) and(a, b *node) *node {
	switch {
	case a == nil || a.op == ir.OpTrue || a == b || b.op == ir.OpFalse:
		return b
	case b.op == ir.OpTrue || a.op == ir.OpFalse:
		return a
	}
	return g.call(ir.OpAnd, Mask, a, b)
}

// or is a condition that holds where one does.
func (g *graph) or(a, b *node) *node {
	switch {
	case a.op == ir.OpFalse || a == b || b.op == ir.OpTrue:
		return b
	case b.op == ir.OpFalse || a.op == ir.OpTrue:
		return a
	}
	return g.call(ir.OpOr, Mask, a, b)
}

// choose is a where c holds, else b.
func (g *graph) choose(c, a, b *node) *node {
	switch {
	case c.op == ir.OpTrue || a == b:
		return a
	case c.op == ir.OpFalse:
		return b
	case c.op == ir.OpNot:
		return g.choose(c.args[0], b, a)
	case a.op == ir.OpSelect && a.args[0] == c:
		return g.choose(c, a.args[1], b)
	case b.op == ir.OpSelect && b.args[0] == c:
		return g.choose(c, a, b.args[2])
	}
	return g.call(ir.OpSelect, a.typ, c, a, b)
}

// element is the element of a map at terms, one for each axis of its target. An index of the destination that is
// computed, e, is solved for: the element is the body where term = e, else what nothing adds up to.
func (g *graph) element(d *ir.Def, terms []term, path *node) *node {
	key := fmt.Sprintf("t%d", g.ref(d.Target))
	for _, t := range terms {
		if t.node != nil {
			key += fmt.Sprintf(" n%d", t.node.id)
		} else {
			key += fmt.Sprintf(" i%d#%d", g.ref(t.loop.axis), t.loop.nth)
		}
	}
	env := g.scopes[key]
	if env == nil {
		env = newScope()
		g.scopes[key] = env
	}
	return g.contribution(d, env, terms, path)
}

// contribution is what a definition gives to the element of its target at terms, at the point of its variables.
func (g *graph) contribution(d *ir.Def, env *scope, terms []term, path *node) *node {
	var computed []int
	for i, e := range d.Dest {
		if e.Op == ir.OpIndex && axisOf(e.Var) == d.Target.Axes[i] && !contains(d.Dest[:i], e.Var) {
			env.set(e.Var, terms[i])
		} else {
			computed = append(computed, i)
		}
	}
	where := g.truth(true)
	for _, c := range d.Where {
		where = g.and(where, g.value(c, env, g.and(path, where)))
	}
	for _, i := range computed {
		index := g.integer(d.Dest[i], env, g.and(path, where))
		g.check(index, g.and(path, where), d.Target, d.Target.Axes[i])
		where = g.and(where, g.call(ir.OpEq, Mask, g.termValue(terms[i]), index))
	}
	if where.op == ir.OpTrue {
		return g.value(d.Body, env, path)
	}
	return g.choose(where, g.value(d.Body, env, g.and(path, where)), g.constant(identities[d.Monoid]))
}

func contains(vs []*ir.Value, v *ir.Var) bool {
	for _, e := range vs {
		if e.Op == ir.OpIndex && e.Var == v {
			return true
		}
	}
	return false
}

// filtered is what a reduction combines at each point of its loops, kept and reduced ones.
func (g *graph) filtered(d *ir.Def, env *scope, kept loops) *node {
	terms := make([]term, len(kept))
	for i, k := range kept {
		terms[i] = term{loop: k}
	}
	return g.contribution(d, env, terms, nil)
}

func (g *graph) termValue(t term) *node {
	if t.node != nil {
		return t.node
	}
	return g.add(&node{op: ir.OpIndex, typ: Int, loop: t.loop})
}
