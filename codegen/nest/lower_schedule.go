package nest

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// role is how a definition is computed in a nest.
type role uint8

const (
	laneMap   role = iota // at each point of grid and vector
	rowMap                // once a row
	rowReduce             // reduces the vector axis: a row value
	wideSum               // reduces the grid, an element a column: leaves the nest as an accumulator
	laneTotal             // reduces grid and vector: an accumulator
	rowTotal              // reduces the grid, of row values: an accumulator
	serialSum             // reduces the serial axis
	serialMap             // at each point of grid, vector and serial
)

var roleNames = [...]string{"map", "row map", "row reduction", "column accumulator", "accumulator", "row accumulator", "serial reduction", "serial map"}

func (r role) String() string { return nameOf(roleNames[:], int(r)) }

// isAccumulator says whether the result leaves the nest, which can't read it.
func (r role) isAccumulator() bool { return r == wideSum || r == laneTotal || r == rowTotal }

// onLanes says whether what is reduced or stored is computed in the vector loop.
func (r role) onLanes() bool { return r != rowMap && r != rowTotal }

// schedule is how the loops of a nest are run.
type schedule struct {
	batch, grid, vector, serial loops // batch: outside of the nest, see Launch
	roles                       map[*definition]role
	// gather is the axis that indices that are data move along, where no loop runs over it.
	gather *ir.Axis
	packs  int // operands that have to be packed
	cost   int
}

// Costs of schedules. They only rank schedules of the same definitions, and tell whether a merge is worth it.
const (
	costPack   = 100 // an operand is copied
	costScalar = 200 // there is no vector axis
	costSerial = 10  // a serial loop that is not for a contraction
	costGrid   = 1   // for each grid loop: one flat loop is simpler
	costBatch  = 50  // there are loops outside of the nest
	costOuter  = 2   // for each of them
	costAlone  = 20  // a contraction outside of which there are loops, and whose rows have nothing in common
)

// maxLoops bounds the loops of one nest; the choice of a schedule tries all ways.
const maxLoops = 6

// scheduleOf finds the best schedule for definitions in one nest; one with loops outside of the nest where there is no
// other. It is nil where there is none; reason then says what stands against the most promising one.
func (l *lowering) scheduleOf(members []*definition) (best *schedule, reason string) {
	c := l.choiceOf(members)
	if best, reason = c.best(false); best != nil {
		return best, ""
	}
	if best, _ = c.best(true); best != nil {
		return best, ""
	}
	return nil, reason
}

// choice is the definitions that one nest is to compute, and what all its schedules have in common.
type choice struct {
	l        *lowering
	members  []*member
	all      loops
	inside   map[*ir.Tensor]*definition
	accesses []access

	contraction bool
	indices     loops // whose index is a value
}

// member is a definition, and its loops by their place among those of the choice.
type member struct {
	*definition
	kept, reduced set
	contraction   bool
}

func (l *lowering) choiceOf(members []*definition) *choice {
	c := &choice{l: l, inside: map[*ir.Tensor]*definition{}}
	for _, d := range members {
		c.inside[d.target] = d
		c.all = c.all.union(d.all())
		c.indices = c.indices.union(d.indices)
	}
	if len(c.all) > maxLoops {
		return c
	}
	for _, d := range members {
		m := &member{definition: d, kept: c.all.bits(d.kept), reduced: c.all.bits(d.reduced), contraction: d.isContraction()}
		c.members = append(c.members, m)
		c.contraction = c.contraction || m.contraction
	}
	c.accesses = l.accesses(members, c.inside)
	return c
}

// best tries all ways to run the loops: with a batch, those that have one, without it the others.
func (c *choice) best(batch bool) (best *schedule, reason string) {
	if len(c.all) > maxLoops {
		return nil, fmt.Sprintf("%d loops in one nest", len(c.all))
	}
	closest, refused := -1, refusal(nil)
	groups, ways := 3, 1
	if batch {
		groups++
	}
	for range c.all {
		ways *= groups
	}
	for n := range ways {
		var w way
		for i := range c.all {
			*[...]*set{&w.grid, &w.vector, &w.serial, &w.batch}[n%groups] |= 1 << i
			n /= groups
		}
		if batch && !c.hasBatch(w) {
			continue
		}
		s, far, why := c.try(w)
		if why != nil {
			if far > closest {
				closest, refused = far, why
			}
			continue
		}
		if best == nil || s.cost < best.cost {
			best = s
		}
	}
	if best == nil && refused != nil {
		reason = refused()
	}
	return best, reason
}

// refusal tells why a schedule doesn't fit; nil: it does. Few are ever asked.
type refusal func() string

func because(format string, args ...any) refusal {
	return func() string { return fmt.Sprintf(format, args...) }
}

// try makes a schedule of loops that are chosen. It gives the reason why that is impossible, and how far it came.
func (c *choice) try(w way) (s *schedule, far int, why refusal) {
	roles := make([]role, len(c.members))
	for i, m := range c.members {
		r, ok := w.roleOf(m)
		if !ok {
			return nil, 0, func() string {
				return fmt.Sprintf("%s runs over [%s] and reduces [%s], which doesn't fit the loops of the nest", m.target.Name, m.all(), m.definition.reduced)
			}
		}
		roles[i] = r
	}
	if why := c.fit(roles, w.serial != 0); why != nil {
		return nil, 1, why
	}
	s = &schedule{batch: c.all.of(w.batch), grid: c.all.of(w.grid), vector: c.all.of(w.vector), serial: c.all.of(w.serial), roles: map[*definition]role{}}
	for i, m := range c.members {
		s.roles[m.definition] = roles[i]
	}
	for _, m := range c.members {
		if why := s.passes(m.definition, c.inside); why != nil {
			return nil, 2, why
		}
	}
	accesses := slices.Clip(c.accesses)
	for _, i := range c.indices.without(s.vector) { // those that are the same for all lanes are read
		for k, m := range c.members {
			if roles[k] == serialMap {
				return nil, 2, because("%s is stored in a serial loop, and needs an index as a value", m.target.Name)
			}
		}
		accesses = append(accesses, c.l.indexOf(i))
	}
	s.order(accesses)
	for _, a := range accesses {
		lay, why := s.layout(a)
		if why != nil {
			return nil, 3, why
		}
		if lay.packed {
			s.packs++
		}
	}
	s.cost = costPack*s.packs + costGrid*len(s.grid)
	if len(s.batch) > 0 {
		s.cost += costBatch + costOuter*len(s.batch)
		if c.contraction && !s.shares(accesses) {
			s.cost += costAlone
		}
	}
	if len(s.vector) == 0 && len(s.grid)+len(s.serial) > 0 {
		s.cost += costScalar
	}
	if len(s.serial) > 0 && !c.contraction {
		s.cost += costSerial
	}
	return s, 4, nil
}

// shares says whether all rows read the same elements of an operand in their serial loops.
func (s *schedule) shares(accesses []access) bool {
	return slices.ContainsFunc(accesses, func(a access) bool {
		has := loopsOf(a.at)
		return !a.write && has.meets(s.vector) && has.meets(s.serial) && !has.meets(s.grid)
	})
}

// way is a group for each loop of a choice.
type way struct{ batch, grid, vector, serial set }

// roleOf is how m is computed with loops in these groups.
func (w way) roleOf(m *member) (role, bool) {
	point := w.grid | w.vector
	kept := m.kept &^ w.batch
	switch {
	case m.isMap() && kept == point:
		if w.vector == 0 {
			return rowMap, true
		}
		return laneMap, true
	case m.isMap() && kept == point|w.serial:
		return serialMap, w.serial != 0
	case m.isMap():
		return rowMap, kept == w.grid && w.grid != 0
	case m.reduced == w.serial:
		return serialSum, kept == point && point != 0
	case w.vector != 0 && m.reduced == point && kept == 0:
		return laneTotal, true
	case m.reduced == w.vector:
		return rowReduce, kept == w.grid && w.grid != 0
	case m.reduced == w.grid && kept == 0:
		return rowTotal, true
	case m.reduced == w.grid:
		return wideSum, kept == w.vector
	}
	return 0, false
}

// hasBatch says whether a way has a batch: loops that all definitions keep, one pack among them at most, and
// a vector axis beside them, without which a nest isn't worth it.
func (c *choice) hasBatch(w way) bool {
	packs := 0
	for _, l := range c.all.of(w.batch) {
		if l.axis.Pack {
			packs++
		}
	}
	return w.batch != 0 && packs <= 1 && w.vector != 0 &&
		!slices.ContainsFunc(c.members, func(m *member) bool { return w.batch&^m.kept != 0 })
}

// fit checks what definitions of several roles may stand together. A contraction has a nest of its own with the
// maps that follow it, so that it can be a micro-kernel.
func (c *choice) fit(roles []role, serial bool) refusal {
	series, maps := 0, 0
	for i, m := range c.members {
		switch roles[i] {
		case serialSum:
			series++
		case serialMap:
			maps++
		case laneMap, rowMap:
		default:
			if serial || c.contraction {
				return because("%s is a reduction beside a serial loop", m.target.Name)
			}
		}
		if m.contraction && roles[i] != serialSum {
			return because("%s is a contraction, which runs in series", m.target.Name)
		}
	}
	if series > 1 || series > 0 && maps > 0 {
		return because("two serial loops in one nest")
	}
	return nil
}

// passes checks what d reads of other definitions of the nest, and the indices in it.
func (s *schedule) passes(d *definition, inside map[*ir.Tensor]*definition) refusal {
	for _, n := range d.reads {
		p := inside[n.tensor]
		if p == nil {
			continue
		}
		if s.roles[p].isAccumulator() {
			return because("%s needs all of %s", d.target.Name, p.target.Name)
		}
		if !p.kept.areAt(n.at) {
			return because("%s reads %s at another point", d.target.Name, p.target.Name)
		}
	}
	for _, i := range d.indices {
		if s.vector.has(i) && len(s.vector) > 1 {
			return because("%s needs the index along %s as a value", d.target.Name, i)
		}
	}
	return nil
}

// indexOf is the access to the index along a loop.
func (l *lowering) indexOf(i loop) access {
	t := l.indices[i.axis]
	if t == nil {
		t = &ir.Tensor{Name: "index_" + i.axis.Name, Role: ir.Local, Elem: ir.Elem{Name: I64.String()}, Axes: []*ir.Axis{i.axis}}
		l.indices[i.axis] = t
	}
	return access{tensor: t, at: loops{i}.at(), isInt: true}
}

// access is a tensor that a nest reads or writes, and where.
type access struct {
	tensor *ir.Tensor
	at     []place
	args   []*node // indices
	isInt  bool
	write  bool
}

// axisOf is the axis of the tensor that a loop runs over; -1: none.
func (a access) axisOf(l loop) int { return slices.Index(a.at, place{loop: l}) }

// accesses are what members exchange with memory: targets first, then what they read, each once.
func (l *lowering) accesses(members []*definition, inside map[*ir.Tensor]*definition) []access {
	var r []access
	for _, d := range members {
		if l.leaves(d, inside) {
			r = append(r, access{tensor: d.target, at: d.kept.at(), write: true})
		}
	}
	seen := map[*node]bool{}
	for _, d := range members {
		for _, n := range d.reads {
			if inside[n.tensor] == nil && !seen[n] {
				seen[n] = true
				r = append(r, access{tensor: n.tensor, at: n.at, args: n.args, isInt: n.typ == Int})
			}
		}
	}
	return r
}

// leaves says whether the target of d is needed outside of a nest.
func (l *lowering) leaves(d *definition, inside map[*ir.Tensor]*definition) bool {
	if l.saved[d.target] || slices.Contains(l.f.Outputs, d.target) {
		return true
	}
	for _, other := range l.defs {
		if inside[other.target] == nil && slices.ContainsFunc(other.reads, func(n *node) bool { return n.tensor == d.target }) {
			return true
		}
	}
	return false
}

// order puts the loops of each group into the order in which the first access has them all.
func (s *schedule) order(accesses []access) {
	for _, group := range []*loops{&s.batch, &s.grid, &s.vector, &s.serial} {
		for _, a := range accesses {
			if has := loopsOf(a.at); has.hasAll(*group) {
				var ordered loops
				for _, l := range has {
					if group.has(l) {
						ordered = append(ordered, l)
					}
				}
				*group = ordered
				break
			}
		}
	}
}
