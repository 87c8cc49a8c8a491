package nest

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// split takes out of sums what is the same for all that is added up, and breaks those that would otherwise wait for another
// reduction over the same loops:
//
//	Σ c·a        is  c·Σ a           a factor that the summation doesn't touch
//	Σ (a + c·b)  is  Σ a + c·Σ b     where c is a result of such a reduction
//
// so that fewer operations are done at each point, and all sums of a row run in one stage. The steps that are taken out
// keep their order, so that no product of factors overflows that didn't before. A sum whose summands are a result of
// another reduction without a factor is left alone: a + c may be much smaller than a.
func (l *lowering) split() error {
	for i := 0; i < len(l.defs); i++ {
		d := l.defs[i]
		if d.isMap() || d.monoid != SumOf || !l.readAtOwnPoint(d) {
			continue
		}
		atoms := l.atoms(d)
		if atoms == nil || len(atoms) == 1 && atoms[0] == d.root {
			continue
		}
		sums, total := l.sumsOf(d, atoms)
		if l.isVisible(d.target) {
			// The target is stored: its function must fit into the nest of the sums.
			m := &definition{target: d.target, kept: d.kept}
			m.setRoot(total)
			if s, _ := l.scheduleOf(append(slices.Clone(sums), m)); s == nil {
				continue
			}
			l.of[d.target] = m
			sums = append(sums, m)
		} else {
			read := l.graph.add(&node{op: ir.OpRead, typ: Float, tensor: d.target, at: d.kept.at()})
			for _, other := range l.defs {
				other.setRoot(l.graph.replace(other.root, read, total))
			}
			delete(l.of, d.target)
		}
		for _, s := range sums {
			l.of[s.target] = s
		}
		l.defs = slices.Replace(l.defs, i, i+1, sums...)
		i += len(sums) - 1
		l.tracef("%s is computed from %d sums without the factors that are the same for all that they add up", d.target.Name, len(atoms))
	}
	return nil
}

func (l *lowering) isVisible(t *ir.Tensor) bool {
	return l.saved[t] || slices.Contains(l.f.Outputs, t)
}

// readAtOwnPoint says whether all that read d do so at its own loops.
func (l *lowering) readAtOwnPoint(d *definition) bool {
	for _, other := range l.defs {
		for _, n := range other.reads {
			if n.tensor == d.target && !slices.Equal(n.at, d.kept.at()) {
				return false
			}
		}
	}
	return true
}

// atoms are the values whose sums d is a linear function of; nil where it can't be written so.
func (l *lowering) atoms(d *definition) []*node {
	late := map[*ir.Tensor]bool{}
	for _, n := range d.reads {
		if p := l.of[n.tensor]; p != nil && p.reduced.sameAs(d.reduced) && p.kept.sameAs(d.kept) {
			late[n.tensor] = true
		}
	}
	waits := func(n *node) bool {
		found := false
		walkNodes([]*node{n}, func(n *node) { found = found || n.op == ir.OpRead && late[n.tensor] })
		return found
	}
	var atoms []*node
	ok := true
	var visit func(n *node)
	visit = func(n *node) {
		inner := func(n *node) bool { return n.loops.meets(d.reduced) }
		switch a := n.args; {
		case !inner(n):
			ok = false
		case n.op == ir.OpNeg:
			visit(a[0])
		case n.op == ir.OpMul && !inner(a[0]):
			visit(a[1])
		case n.op == ir.OpMul && !inner(a[1]), n.op == ir.OpDiv && !inner(a[1]):
			visit(a[0])
		case (n.op == ir.OpAdd || n.op == ir.OpSub) && waits(n):
			visit(a[0])
			visit(a[1])
		case waits(n):
			ok = false
		case !slices.Contains(atoms, n):
			atoms = append(atoms, n)
		}
	}
	visit(d.root)
	if !ok {
		return nil
	}
	return atoms
}

// sumsOf makes a sum of each atom, and d as a function of them.
func (l *lowering) sumsOf(d *definition, atoms []*node) (sums []*definition, total *node) {
	g := l.graph
	by := map[*node]*node{}
	for k, a := range atoms {
		t := &ir.Tensor{Name: fmt.Sprintf("%s_sum%d", d.target.Name, k), Role: ir.Local, Elem: d.target.Elem, Axes: d.target.Axes}
		s := &definition{target: t, kept: d.kept, reduced: d.reduced, monoid: SumOf}
		s.setRoot(a)
		sums = append(sums, s)
		by[a] = g.add(&node{op: ir.OpRead, typ: Float, tensor: t, at: d.kept.at()})
	}
	return sums, g.rebuild(d.root, func(n *node) *node { return by[n] })
}
