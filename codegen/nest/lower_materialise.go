package nest

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// dear is the cost, in additions, from which a value is kept rather than computed again.
const dear = 10

// costOf is the cost of computing n at each point of the inner loops, in additions. What depends on none of them is
// computed outside.
func costOf(n *node, inner loops) int {
	cost := 0
	walkNodes([]*node{n}, func(n *node) {
		if n.loops.meets(inner) {
			cost += ir.Facts[n.op].Cost
		}
	})
	return cost
}

// materialise gives dear values a definition of their own where a nest would compute them again and again: in the
// serial loop of a contraction, for each vector or grid point that they don't depend on; in a vector loop, for each row.
func (l *lowering) materialise() error {
	for i := 0; i < len(l.defs); i++ {
		d := l.defs[i]
		s, why := l.scheduleOf([]*definition{d})
		if s == nil {
			return l.unsupported(d.target, "%s", why)
		}
		n := repeated(d.root, s, map[*node]bool{})
		if n == nil {
			continue
		}
		kept := memoryOrder(n)
		t := &ir.Tensor{Name: fmt.Sprintf("%s_part%d", d.target.Name, i), Role: ir.Local, Elem: d.target.Elem, Axes: kept.axes()}
		def := &definition{target: t, kept: kept}
		def.setRoot(n)
		l.of[t] = def
		read := l.graph.add(&node{op: ir.OpRead, typ: Float, tensor: t, at: kept.at()})
		for _, other := range l.defs {
			other.setRoot(l.graph.replace(other.root, n, read))
		}
		l.defs = append(l.defs[:i:i], append([]*definition{def}, l.defs[i:]...)...)
		l.tracef("%s[%s] is kept: %s would compute it again for each point of other loops", t.Name, kept, d.target.Name)
	}
	return nil
}

// memoryOrder are the loops of n in the order of a tensor that n reads, where one has them all.
func memoryOrder(n *node) loops {
	order := n.loops
	found := false
	walkNodes([]*node{n}, func(r *node) {
		if r.op == ir.OpRead && !found {
			if at := loopsOf(r.at); at.sameAs(n.loops) {
				order, found = at, true
			}
		}
	})
	return order
}

// repeated is a dear value that is computed again for points that it doesn't depend on, the largest there is; or nil. Values that
// were seen before hold none.
func repeated(n *node, s *schedule, seen map[*node]bool) *node {
	if len(n.args) == 0 || n.typ != Float || len(n.loops) == 0 || seen[n] {
		return nil
	}
	seen[n] = true
	rows := s.batch.union(s.grid)
	again := n.loops.meets(s.serial) && !(n.loops.hasAll(s.vector) && n.loops.hasAll(rows)) ||
		n.loops.meets(s.vector) && !n.loops.hasAll(rows)
	if again && n.op != ir.OpRead && costOf(n, s.vector.union(s.serial)) >= dear {
		return n
	}
	for _, a := range n.args {
		if r := repeated(a, s, seen); r != nil {
			return r
		}
	}
	return nil
}
