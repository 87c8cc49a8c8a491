package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// solve takes loops out of a sum in which one point of the loop counts:
//
//	Σ over r of (if r == e && c then body(r) else 0)  is  if e in range && c then body(e) else 0
//
// for an e that is free of what is summed over. The gradient of a read at an index that is data is such a sum.
func (l *lowering) solve(d *definition) {
	for d.monoid == SumOf && d.root.op == ir.OpSelect && isZero(d.root.args[2]) {
		conds := conjuncts(d.root.args[0])
		i, r, e := d.onePoint(conds)
		if i < 0 {
			return
		}
		g := l.graph
		where := g.inRange(e, r.axis)
		for _, c := range slices.Delete(slices.Clone(conds), i, i+1) {
			where = g.and(where, c)
		}
		at := map[loop]term{r: {node: e}}
		root := g.choose(g.substitute(where, at), g.substitute(d.root.args[1], at), d.root.args[2])
		d.reduced = slices.DeleteFunc(slices.Clone(d.reduced), func(x loop) bool { return x == r })
		d.setRoot(root)
		l.tracef("%s needs one point along %s only: the sum is solved", d.target.Name, r)
	}
}

// onePoint finds a condition that fixes a reduced loop.
func (d *definition) onePoint(conds []*node) (i int, r loop, e *node) {
	for i, c := range conds {
		if c.op != ir.OpEq || c.args[0].typ != Int {
			continue
		}
		for k, a := range c.args {
			if e := c.args[1-k]; a.op == ir.OpIndex && d.reduced.has(a.loop) && !e.loops.meets(d.reduced) {
				return i, a.loop, e
			}
		}
	}
	return -1, loop{}, nil
}

// conjuncts are the conditions that must all hold for c to hold.
func conjuncts(c *node) []*node {
	if c.op == ir.OpAnd {
		return append(conjuncts(c.args[0]), conjuncts(c.args[1])...)
	}
	return []*node{c}
}

func isZero(n *node) bool { return n.op == ir.OpConst && n.value == 0 }
