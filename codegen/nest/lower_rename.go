package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// rename lets a reduction write to an output that is a copy of it, perhaps with its axes in another order.
func (l *lowering) rename() error {
	for i := 0; i < len(l.defs); i++ {
		m := l.defs[i]
		if !m.isMap() || m.root.op != ir.OpRead {
			continue
		}
		d := l.of[m.root.tensor]
		at := loopsOf(m.root.at)
		if d == nil || d.isMap() || l.isVisible(d.target) || len(m.root.args) > 0 || len(at) != len(d.kept) || !at.sameAs(m.kept) {
			continue
		}
		order := make([]int, len(m.kept)) // of the axes of d, as those of m
		kept := make(loops, len(m.kept))
		for j, x := range m.kept {
			order[j] = slices.Index(at, x)
			kept[j] = d.kept[order[j]]
		}
		l.tracef("%s is written to %s", d.target.Name, m.target.Name)
		old := d.target
		delete(l.of, old)
		d.target, d.kept = m.target, kept
		l.of[m.target] = d
		l.defs = slices.Delete(l.defs, i, i+1)
		i--
		for _, other := range l.defs {
			other.setRoot(l.graph.rebuild(other.root, func(n *node) *node {
				if n.op != ir.OpRead || n.tensor != old {
					return nil
				}
				r := &node{op: n.op, typ: n.typ, tensor: m.target, args: n.args}
				for _, j := range order {
					r.at = append(r.at, n.at[j])
				}
				return l.graph.add(r)
			}))
		}
	}
	return nil
}
