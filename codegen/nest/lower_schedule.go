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
	if best, reason = l.bestSchedule(members, false); best != nil {
		return best, ""
	}
	if best, _ = l.bestSchedule(members, true); best != nil {
		return best, ""
	}
	return nil, reason
}

// bestSchedule tries all ways to run the loops of definitions: with a batch, those that have one, without it the others.
func (l *lowering) bestSchedule(members []*definition, batch bool) (best *schedule, reason string) {
	var all loops
	for _, d := range members {
		all = all.union(d.all())
	}
	if len(all) > maxLoops {
		return nil, fmt.Sprintf("%d loops in one nest", len(all))
	}
	closest := -1
	groups, ways := 3, 1
	if batch {
		groups++
	}
	for range all {
		ways *= groups
	}
	for way := range ways {
		s := &schedule{roles: map[*definition]role{}}
		for w, i := way, 0; i < len(all); w, i = w/groups, i+1 {
			group := [...]*loops{&s.grid, &s.vector, &s.serial, &s.batch}[w%groups]
			*group = append(*group, all[i])
		}
		if batch && !s.hasBatch(members) {
			continue
		}
		far, why := l.fill(s, members)
		if why != "" {
			if far > closest {
				closest, reason = far, why
			}
			continue
		}
		if best == nil || s.cost < best.cost {
			best = s
		}
	}
	return best, reason
}

// fill completes a schedule whose loops are chosen. It gives the reason why that is impossible, and how far it came.
func (l *lowering) fill(s *schedule, members []*definition) (far int, reason string) {
	inside := map[*ir.Tensor]*definition{}
	contraction := false
	for _, d := range members {
		inside[d.target] = d
		r, ok := s.roleOf(d)
		if !ok {
			return 0, fmt.Sprintf("%s runs over [%s] and reduces [%s], which doesn't fit the loops of the nest", d.target.Name, d.all(), d.reduced)
		}
		s.roles[d] = r
		contraction = contraction || d.isContraction()
	}
	if why := s.fits(members, contraction); why != "" {
		return 1, why
	}
	for _, d := range members {
		if why := s.passes(d, inside); why != "" {
			return 2, why
		}
	}
	indices := s.indices(l, members)
	for _, d := range members {
		if len(indices) > 0 && s.roles[d] == serialMap {
			return 2, fmt.Sprintf("%s is stored in a serial loop, and needs an index as a value", d.target.Name)
		}
	}
	accesses := append(l.accesses(members, inside), indices...)
	s.order(accesses)
	for _, a := range accesses {
		lay, why := s.layout(a)
		if why != "" {
			return 3, why
		}
		if lay.packed {
			s.packs++
		}
	}
	s.cost = costPack*s.packs + costGrid*len(s.grid)
	if len(s.batch) > 0 {
		s.cost += costBatch + costOuter*len(s.batch)
		if contraction && !s.shares(accesses) {
			s.cost += costAlone
		}
	}
	if len(s.vector) == 0 && len(s.grid)+len(s.serial) > 0 {
		s.cost += costScalar
	}
	if len(s.serial) > 0 && !contraction {
		s.cost += costSerial
	}
	return 4, ""
}

// shares says whether all rows read the same elements of an operand in their serial loops.
func (s *schedule) shares(accesses []access) bool {
	return slices.ContainsFunc(accesses, func(a access) bool {
		has := loopsOf(a.at)
		return !a.write && has.meets(s.vector) && has.meets(s.serial) && !has.meets(s.grid)
	})
}

// roleOf is how d is computed with the loops of s.
func (s *schedule) roleOf(d *definition) (role, bool) {
	point := s.grid.union(s.vector)
	kept := d.kept.without(s.batch)
	switch {
	case d.isMap() && kept.sameAs(point):
		if len(s.vector) == 0 {
			return rowMap, true
		}
		return laneMap, true
	case d.isMap() && kept.sameAs(point.union(s.serial)):
		return serialMap, len(s.serial) > 0
	case d.isMap():
		return rowMap, kept.sameAs(s.grid) && len(s.grid) > 0
	case d.reduced.sameAs(s.serial):
		return serialSum, kept.sameAs(point) && len(point) > 0
	case len(s.vector) > 0 && d.reduced.sameAs(point) && len(kept) == 0:
		return laneTotal, true
	case d.reduced.sameAs(s.vector):
		return rowReduce, kept.sameAs(s.grid) && len(s.grid) > 0
	case d.reduced.sameAs(s.grid) && len(kept) == 0:
		return rowTotal, true
	case d.reduced.sameAs(s.grid):
		return wideSum, kept.sameAs(s.vector)
	}
	return 0, false
}

// hasBatch says whether a schedule has a batch: loops that all definitions keep, one pack among them at most, and
// a vector axis beside them, without which a nest isn't worth it.
func (s *schedule) hasBatch(members []*definition) bool {
	packs := 0
	for _, l := range s.batch {
		if l.axis.Pack {
			packs++
		}
	}
	return len(s.batch) > 0 && packs <= 1 && len(s.vector) > 0 &&
		!slices.ContainsFunc(members, func(d *definition) bool { return !d.kept.hasAll(s.batch) })
}

// fits checks what definitions of several roles may stand together. A contraction has a nest of its own with the
// maps that follow it, so that it can be a micro-kernel.
func (s *schedule) fits(members []*definition, contraction bool) string {
	series, maps := 0, 0
	for _, d := range members {
		switch s.roles[d] {
		case serialSum:
			series++
		case serialMap:
			maps++
		case laneMap, rowMap:
		default:
			if len(s.serial) > 0 || contraction {
				return fmt.Sprintf("%s is a reduction beside a serial loop", d.target.Name)
			}
		}
		if d.isContraction() && s.roles[d] != serialSum {
			return fmt.Sprintf("%s is a contraction, which runs in series", d.target.Name)
		}
	}
	if series > 1 || series > 0 && maps > 0 {
		return "two serial loops in one nest"
	}
	return ""
}

// passes checks what d reads of other definitions of the nest, and the indices in it.
func (s *schedule) passes(d *definition, inside map[*ir.Tensor]*definition) string {
	for _, n := range d.reads {
		p := inside[n.tensor]
		if p == nil {
			continue
		}
		if s.roles[p].isAccumulator() {
			return fmt.Sprintf("%s needs all of %s", d.target.Name, p.target.Name)
		}
		if !slices.Equal(n.at, p.kept.at()) {
			return fmt.Sprintf("%s reads %s at another point", d.target.Name, p.target.Name)
		}
	}
	for _, i := range d.indices {
		if s.vector.has(i) && len(s.vector) > 1 {
			return fmt.Sprintf("%s needs the index along %s as a value", d.target.Name, i)
		}
	}
	return ""
}

// indices are the accesses to indices that members compute with: those that are the same for all lanes are read.
func (s *schedule) indices(l *lowering, members []*definition) []access {
	var all loops
	for _, d := range members {
		all = all.union(d.indices)
	}
	var r []access
	for _, i := range all.without(s.vector) {
		r = append(r, l.indexOf(i))
	}
	return r
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
