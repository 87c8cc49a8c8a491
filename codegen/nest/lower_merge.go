package nest

import (
	"cmp"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// cluster is the definitions of one nest, in order.
type cluster struct {
	members []*definition
	sched   *schedule
}

func (c *cluster) has(d *definition) bool { return slices.Contains(c.members, d) }

func (c *cluster) name() string {
	s := ""
	for i, d := range c.members {
		if i > 0 {
			s += " + "
		}
		s += d.target.Name
	}
	return s
}

func (c *cluster) isContraction() bool {
	return slices.ContainsFunc(c.members, (*definition).isContraction)
}

// findNeeds finds the definitions that each one reads.
func (l *lowering) findNeeds() {
	for _, d := range l.defs {
		for _, n := range d.reads {
			if p := l.of[n.tensor]; p != nil && !slices.Contains(d.needs, p) {
				d.needs = append(d.needs, p)
			}
		}
	}
}

// merge starts with a nest for each definition, and merges nests as long as something is gained.
func (l *lowering) merge() error {
	l.findNeeds()
	for _, d := range l.defs {
		c := &cluster{members: []*definition{d}}
		var why string
		if c.sched, why = l.scheduleOf(c.members); c.sched == nil {
			return l.unsupported(d.target, "%s", why)
		}
		l.nests[d] = c
	}
	l.mergeEdges()
	for l.mergeShared() {
		l.mergeEdges()
	}
	return nil
}

// mergeEdges merges nests along what one passes to the other, the largest first, so that the largest values need
// no memory.
func (l *lowering) mergeEdges() {
	type edge struct{ from, to *definition }
	var edges []edge
	for _, d := range l.defs {
		for _, p := range d.needs {
			edges = append(edges, edge{p, d})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(len(b.from.kept), len(a.from.kept)) })
	for again := true; again; {
		again = false
		for _, e := range edges {
			if l.tryMerge(l.nests[e.from], l.nests[e.to], e.from.target.Name+" stays inside") {
				again = true
			}
		}
	}
}

// mergeShared merges two nests that read the same tensor, and says whether it did. A contraction gains nothing by it.
func (l *lowering) mergeShared() bool {
	for i, d := range l.defs {
		for _, e := range l.defs[:i] {
			a, b := l.nests[e], l.nests[d]
			if a == b || l.refused[[2]*cluster{a, b}] {
				continue
			}
			if t := sharedRead(a, b); t != nil && !a.isContraction() && !b.isContraction() && l.tryMerge(a, b, t.Name+" is read once") {
				return true
			}
			l.refused[[2]*cluster{a, b}] = true
		}
	}
	return false
}

// sharedRead is a tensor with axes that both read, or nil.
func sharedRead(a, b *cluster) *ir.Tensor {
	reads := map[*ir.Tensor]bool{}
	for _, d := range a.members {
		for _, n := range d.reads {
			reads[n.tensor] = len(n.tensor.Axes) > 0
		}
	}
	for _, d := range b.members {
		for _, n := range d.reads {
			if reads[n.tensor] {
				return n.tensor
			}
		}
	}
	return nil
}

// tryMerge merges two nests, with all that lies between them, if one schedule fits them and is no dearer.
func (l *lowering) tryMerge(a, b *cluster, why string) bool {
	if a == b || l.refused[[2]*cluster{a, b}] {
		return false
	}
	merged := l.together(a, b)
	if merged == nil {
		l.refused[[2]*cluster{a, b}] = true
		return false
	}
	for _, d := range merged.members {
		l.nests[d] = merged
	}
	l.tracef("merged %s: %s", merged.name(), why)
	return true
}

// together is the nest that two nests make, with all that lies between them; nil where they stay apart.
func (l *lowering) together(a, b *cluster) *cluster {
	parts := append([]*cluster{a, b}, l.between(a, b)...)
	for _, c := range l.between(b, a) {
		if !slices.Contains(parts, c) {
			parts = append(parts, c)
		}
	}
	merged := &cluster{}
	cost := 0
	for _, c := range parts {
		cost += c.sched.cost
	}
	for _, d := range l.defs {
		if slices.Contains(parts, l.nests[d]) {
			merged.members = append(merged.members, d)
		}
	}
	if !l.isEpilogue(merged) {
		return nil
	}
	c := l.choiceOf(merged.members)
	if merged.sched, _ = c.best(false); merged.sched == nil && cost >= costBatch {
		merged.sched, _ = c.best(true)
	}
	if merged.sched == nil || merged.sched.cost > cost || l.exceeds(merged) {
		return nil
	}
	return merged
}

// isEpilogue says whether all that stands beside a contraction follows from it. What comes before would keep it from
// being a micro-kernel.
func (l *lowering) isEpilogue(c *cluster) bool {
	if !c.isContraction() {
		return true
	}
	for _, d := range c.members {
		if !d.isContraction() && !slices.ContainsFunc(d.needs, c.has) {
			return false
		}
	}
	return true
}

// spareOperands are kept free for values that cross stages.
const spareOperands = 2

// exceeds says whether a nest would have too many operands or scalars.
func (l *lowering) exceeds(c *cluster) bool {
	inside := map[*ir.Tensor]*definition{}
	var roots []*node
	for _, d := range c.members {
		inside[d.target] = d
		roots = append(roots, d.root)
	}
	scalars := 0
	walkNodes(roots, func(n *node) {
		if n.op == ir.OpScalar {
			scalars++
		}
	})
	return len(l.accesses(c.members, inside)) > MaxOperands-spareOperands || scalars > MaxScalars
}

// between are the nests strictly between a and a later b.
func (l *lowering) between(a, b *cluster) []*cluster {
	after, before := map[*cluster]bool{a: true}, map[*cluster]bool{b: true}
	for changed := true; changed; {
		changed = false
		for _, d := range l.defs {
			for _, p := range d.needs {
				from, to := l.nests[p], l.nests[d]
				if from == to {
					continue
				}
				if after[from] && !after[to] {
					after[to], changed = true, true
				}
				if before[to] && !before[from] {
					before[from], changed = true, true
				}
			}
		}
	}
	var r []*cluster
	for _, d := range l.defs {
		if c := l.nests[d]; c != a && c != b && after[c] && before[c] && !slices.Contains(r, c) {
			r = append(r, c)
		}
	}
	return r
}

// ordered are the nests, each after those whose results it reads.
func (l *lowering) ordered() []*cluster {
	var r []*cluster
	done := map[*cluster]bool{}
	var visit func(c *cluster)
	visit = func(c *cluster) {
		if done[c] {
			return
		}
		done[c] = true
		for _, d := range c.members {
			for _, p := range d.needs {
				visit(l.nests[p])
			}
		}
		r = append(r, c)
	}
	for _, d := range l.defs {
		visit(l.nests[d])
	}
	return r
}
