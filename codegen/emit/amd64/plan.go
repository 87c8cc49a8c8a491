package amd64

import "github.com/opgen/opgen/codegen/nest"

// plan is what is known about the values of a nest before selection.
type plan struct {
	perLane map[*nest.Value]bool // selected for each vector of a vector loop, not once
	inLoad  map[*nest.Value]bool // loads that become memory operands of their only user
	merged  map[*nest.Value]bool // computed only where their only user, a Select, takes them (AVX-512)
	dies    map[*nest.Value]*nest.Value
	uses    map[*nest.Value]uses
	loops   map[*nest.For]*loopPlan
	inLanes map[int]bool // slots that are reduced in virtual lanes
	results map[int]bool // slots whose result is used
	loaded  map[int]bool // operands that are read
}

// uses says in which forms a uniform value is needed.
type uses struct {
	flag  bool // as the condition of an IntSelect
	mask  bool // as any other condition
	splat bool // as an index in lanes
}

// loopPlan is what stands in a loop, at any depth.
type loopPlan struct {
	pointers []pointer // operands that move along the loop
	slots    []int     // reduced directly in it
	iota     bool
	serial   bool  // holds serial loops
	sums     int   // slots of these, for each lane
	ops      int   // instructions for each lane, about
	stored   []int // operands
}

func newPlan(n *nest.Nest) *plan {
	p := &plan{
		perLane: map[*nest.Value]bool{}, inLoad: map[*nest.Value]bool{}, merged: map[*nest.Value]bool{}, dies: map[*nest.Value]*nest.Value{},
		uses: map[*nest.Value]uses{}, loops: map[*nest.For]*loopPlan{}, inLanes: map[int]bool{}, results: map[int]bool{}, loaded: map[int]bool{},
	}
	where := map[*nest.Value]*nest.For{}
	n.Walk(func(s nest.Stmt, loops []*nest.For) {
		switch s := s.(type) {
		case *nest.For:
			p.loops[s] = &loopPlan{}
			for _, outer := range loops {
				p.loops[outer].serial = p.loops[outer].serial || s.Depth == nest.Serial
			}
		case *nest.Value:
			var inner *nest.For
			if len(loops) > 0 {
				inner = loops[len(loops)-1]
			}
			where[s] = inner
			if s.Op == nest.Result {
				p.results[s.Slot] = true
			}
			p.perLane[s] = s.Lane || inVector(loops) && effectPerLane(n, s)
			for _, loop := range loops {
				p.note(n, s, loop, loop == inner)
			}
			for i, a := range s.Args {
				p.use(s, i)
				if where[a] == inner && p.perLane[a] == p.perLane[s] {
					p.dies[a] = s
				} else {
					delete(p.dies, a)
				}
			}
		}
	})
	for loop := range p.loops {
		p.findFolds(n, loop.Body)
	}
	return p
}

func inVector(loops []*nest.For) bool {
	for _, l := range loops {
		if l.Depth == nest.Vector {
			return true
		}
	}
	return false
}

// effectPerLane says whether an effect in a vector loop happens for each lane. A sum of uniform values over Serial
// is uniform; all else in a vector loop is not.
func effectPerLane(n *nest.Nest, v *nest.Value) bool {
	switch v.Op {
	case nest.Store:
		return true
	case nest.Reduce:
		if n.Slots[v.Slot].Over != nest.Serial {
			return true
		}
		for _, a := range v.Args {
			if a.Lane {
				return true
			}
		}
	}
	return false
}

// note adds a value to the plan of a loop around it.
func (p *plan) note(n *nest.Nest, v *nest.Value, loop *nest.For, direct bool) {
	l := p.loops[loop]
	if p.perLane[v] {
		l.ops++
	}
	switch v.Op {
	case nest.Store:
		l.stored = append(l.stored, v.Operand)
	case nest.Load, nest.LoadInt, nest.Gather:
		p.loaded[v.Operand] = true
	}
	switch v.Op {
	case nest.Load, nest.LoadInt, nest.Store:
		l.point(&n.Operands[v.Operand], loop.Depth, pointer{operand: v.Operand})
	case nest.Gather:
		if loop.Depth == nest.Serial {
			l.point(&n.Operands[v.Operand], loop.Depth, pointer{v.Operand, true})
		}
	case nest.Iota:
		l.iota = true
	case nest.Reduce:
		slot := &n.Slots[v.Slot]
		if slot.Over == nest.Serial && !direct && p.perLane[v] {
			l.sums++
		}
		if slot.Wide {
			l.point(&n.Operands[slot.Acc], loop.Depth, pointer{operand: slot.Acc})
		} else if direct {
			l.slots = append(l.slots, v.Slot)
			if loop.Depth == nest.Vector {
				p.inLanes[v.Slot] = true
			}
		}
	}
}

func (l *loopPlan) point(o *nest.Operand, d nest.Depth, ptr pointer) {
	if !o.Moves(d) {
		return
	}
	for _, old := range l.pointers {
		if old == ptr {
			return
		}
	}
	l.pointers = append(l.pointers, ptr)
}

// use notes in which form argument i of v is needed.
func (p *plan) use(v *nest.Value, i int) {
	a := v.Args[i]
	u := p.uses[a]
	switch {
	case a.Type == nest.Mask && v.Op == nest.IntSelect:
		u.flag = true
	case a.Type == nest.Mask:
		u.mask = true
	case a.Type == nest.Int && v.Lane:
		u.splat = true
	}
	p.uses[a] = u
}

// findFolds finds what can be done together with its only use, in the same body and with no write to memory in between:
// loads by instructions that can take them from memory, and computations by a Select that takes them by its mask.
func (p *plan) findFolds(n *nest.Nest, stmts []nest.Stmt) {
	count := map[*nest.Value]int{}
	for _, s := range stmts {
		countUses(s, count)
	}
	loads, sides := map[*nest.Value]bool{}, map[*nest.Value]bool{}
	for _, s := range stmts {
		v, ok := s.(*nest.Value)
		if !ok {
			clear(loads)
			clear(sides)
			continue
		}
		if v.Lane && count[v] == 1 {
			switch f := facts[v.Op].form; {
			case v.Op == nest.Load:
				loads[v] = true
			case f == dyadic || f == monadic || f == rounding:
				sides[v] = true
			}
		}
		for _, i := range foldable(v) {
			if a := v.Args[i]; loads[a] {
				p.inLoad[a] = true
				break
			}
		}
		switch {
		case v.Op == nest.Select && sides[v.Args[1]]:
			p.merged[v.Args[1]] = true
		case v.Op == nest.Store, v.Op == nest.Reduce && n.Slots[v.Slot].Wide:
			clear(loads)
			clear(sides)
		}
	}
}

func countUses(s nest.Stmt, count map[*nest.Value]int) {
	switch s := s.(type) {
	case *nest.Value:
		for _, a := range s.Args {
			count[a]++
		}
	case *nest.For:
		for _, in := range s.Body {
			countUses(in, count)
		}
	}
}

// foldable lists the arguments of v of which one may be in memory, the best first.
func foldable(v *nest.Value) []int {
	if v.Op == nest.Reduce {
		return []int{1, 0}[2-len(v.Args):]
	}
	switch facts[v.Op].form {
	case dyadic:
		if v.Op.Info().Commutative {
			return []int{1, 0}
		}
		return []int{1}
	case monadic, rounding:
		return []int{0}
	case compare:
		return []int{1}
	case fusedMul:
		return []int{1, 0, 2}
	case choice:
		return []int{1}
	}
	return nil
}
