package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// plan says what a nest computes in each stage. A stage is the number of reductions of rows that come before.
type plan struct {
	l      *lowering
	sched  *schedule
	inside map[*ir.Tensor]*definition
	sinks  []sink // in order of stages
	stages int
	keeps  []*keep
	memo   map[*node]int
}

// sink is a value that leaves a stage: into a slot or into memory.
type sink struct {
	def    *definition
	reduce bool // else the target is stored
	stage  int
	lane   bool // in the vector loop, else in uniform code
	root   *node
}

// keep is a lane value that a later stage loads instead of computing it again.
type keep struct {
	node  *node
	from  int // the stage that computes and stores it
	until int // the last stage that loads it
	// into is the definition in whose target it lies: the target itself is the value (same), or it is stored later.
	// nil: row scratch.
	into *definition
	same bool
}

// planStages finds the stages of a cluster and the values that cross them.
func (l *lowering) planStages(c *cluster) *plan {
	p := &plan{l: l, sched: c.sched, inside: map[*ir.Tensor]*definition{}, memo: map[*node]int{}}
	for _, d := range c.members {
		p.inside[d.target] = d
	}
	for _, d := range c.members {
		r := c.sched.roles[d]
		leaves := l.leaves(d, p.inside)
		switch {
		case d.isMap():
			if leaves {
				p.sinks = append(p.sinks, sink{def: d, stage: p.stage(d.root), lane: r.onLanes(), root: d.root})
			}
		default:
			p.sinks = append(p.sinks, sink{def: d, reduce: true, stage: p.stage(d.root), lane: r.onLanes(), root: d.root})
			if leaves && !r.isAccumulator() {
				p.sinks = append(p.sinks, sink{def: d, stage: p.after(d), lane: r == serialSum && len(c.sched.vector) > 0})
			}
		}
	}
	slices.SortStableFunc(p.sinks, func(a, b sink) int { return a.stage - b.stage })
	for _, s := range p.sinks {
		p.stages = max(p.stages, s.stage+1)
	}
	p.cross()
	return p
}

// stage is the first stage in which n can be computed.
func (p *plan) stage(n *node) int {
	if s, ok := p.memo[n]; ok {
		return s
	}
	s := 0
	if d := p.member(n); d != nil {
		s = p.after(d)
	}
	for _, a := range n.args {
		s = max(s, p.stage(a))
	}
	p.memo[n] = s
	return s
}

// member is the definition of the nest that n reads, or nil.
func (p *plan) member(n *node) *definition {
	if n.op != ir.OpRead {
		return nil
	}
	return p.inside[n.tensor]
}

// after is the first stage in which the value of a member exists.
func (p *plan) after(d *definition) int {
	s := p.stage(d.root)
	if p.sched.roles[d] == rowReduce {
		s++
	}
	return s
}

// onLanes says whether n differs along the vector axis.
func (p *plan) onLanes(n *node) bool { return n.loops.meets(p.sched.vector) }

// cross finds lane values that several stages need and that are dear, or in memory anyway.
func (p *plan) cross() {
	first := map[*node]int{} // the stage that computes a value
	kept := map[*node]*keep{}
	var visit func(n *node, stage int)
	visit = func(n *node, stage int) {
		if d := p.member(n); d != nil {
			if !d.isMap() {
				return
			}
			n = d.root
		}
		if !p.onLanes(n) || len(n.args) == 0 {
			return
		}
		if k := kept[n]; k != nil && stage > k.from {
			k.until = stage
			return
		}
		if at, ok := first[n]; ok {
			if at == stage {
				return
			}
			if k := p.keepFor(n, at); k != nil {
				k.until = stage
				kept[n] = k
				p.keeps = append(p.keeps, k)
				return
			}
		}
		first[n] = stage
		for _, a := range n.args {
			visit(a, stage)
		}
	}
	for _, s := range p.sinks {
		if s.root != nil && s.lane {
			visit(s.root, s.stage)
		}
	}
	p.placeKeeps()
}

// keepFor decides about a value that stage from computes and a later one needs; nil: it is computed again.
func (p *plan) keepFor(n *node, from int) *keep {
	if n.typ != Float {
		return nil
	}
	for _, s := range p.sinks {
		if s.root == n && !s.reduce && s.lane && s.stage == from {
			return &keep{node: n, from: from, into: s.def, same: true}
		}
	}
	if costOf(n, p.sched.vector) < dear {
		return nil
	}
	return &keep{node: n, from: from}
}

// renews tells whether a definition is the new value of a tensor that is read in later stages than one: what is stored in its place there overwrites
// that, unless the call has memory for it and copies it at last.
func (p *plan) renews(d *definition, stage int) bool {
	old := d.target.Of
	if old == nil || d.target.Role != ir.Output || old.Role == ir.Output {
		return false
	}
	found := false
	for _, s := range p.sinks {
		if s.root != nil && s.stage > stage {
			walkNodes([]*node{s.root}, func(n *node) { found = found || n.op == ir.OpRead && n.tensor == old })
		}
	}
	return found
}

// placeKeeps gives kept values a place: the row of an output that is stored in their last stage or later, else scratch.
func (p *plan) placeKeeps() {
	taken := map[*definition]bool{}
	for _, k := range p.keeps {
		taken[k.into] = k.into != nil
	}
	for _, k := range p.keeps {
		if k.into != nil {
			continue
		}
		for _, s := range p.sinks {
			if !s.reduce && s.lane && s.def.isMap() && s.stage >= k.until && s.stage > k.from && !taken[s.def] && !p.renews(s.def, k.from) {
				k.into = s.def
				taken[s.def] = true
				break
			}
		}
	}
}
