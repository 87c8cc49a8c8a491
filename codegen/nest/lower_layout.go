package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// layout is how a tensor lies under the loops of a nest.
type layout struct {
	tensor               *ir.Tensor
	batch                []int // by batch loop: its position in the axes of the tensor; -1: it doesn't move
	grid, vector, serial []int // positions in the axes of the tensor; nil: it doesn't move
	order                []int // of the axes in memory
	packed               bool  // order isn't that of the tensor
}

// layout finds how an access lies. Each group of loops is in a tensor as a whole, next to each other and in order, or
// not at all; the vector axis lies last. Batch loops lie anywhere. What is only read can be packed into another order of axes.
func (s *schedule) layout(a access) (lay layout, why refusal) {
	lay.tensor = a.tensor
	name := a.tensor.Name
	for i, p := range a.at {
		if p.isIndex() {
			if why := s.gathers(a, i); why != nil {
				return lay, why
			}
			lay.vector = []int{i}
			continue
		}
		if slices.Contains(a.at[:i], p) {
			return lay, because("%s is read along a diagonal", name)
		}
	}
	for _, l := range s.batch {
		lay.batch = append(lay.batch, a.axisOf(l))
	}
	for _, g := range []struct {
		loops loops
		to    *[]int
	}{{s.grid, &lay.grid}, {s.vector, &lay.vector}, {s.serial, &lay.serial}} {
		var positions []int
		for _, l := range g.loops {
			if i := a.axisOf(l); i >= 0 {
				positions = append(positions, i)
			}
		}
		switch {
		case len(positions) == 0:
			continue
		case len(positions) < len(g.loops):
			return lay, because("%s has some of the axes [%s], but not all", name, g.loops)
		case *g.to != nil:
			return lay, because("%s has an index that is data beside %s", name, g.loops)
		}
		*g.to = positions
	}
	if a.isInt && lay.vector != nil {
		return lay, because("the integers of %s differ along the vector axis", name)
	}
	if s.inPlaceOrder(lay) {
		lay.order = make([]int, len(a.at))
		for i := range lay.order {
			lay.order[i] = i
		}
		return lay, nil
	}
	if a.write {
		return lay, because("%s would be written along %s, which isn't its last axis", name, s.vector)
	}
	lay.packed = true
	for _, i := range lay.batch {
		if i >= 0 {
			lay.order = append(lay.order, i)
		}
	}
	lay.order = slices.Concat(lay.order, lay.grid, lay.serial, lay.vector)
	return lay, nil
}

// gathers checks an index that is data: it is the same for the whole row, and it moves along the vector axis.
func (s *schedule) gathers(a access, i int) refusal {
	name, axis := a.tensor.Name, a.tensor.Axes[i]
	inner := s.vector.union(s.serial)
	switch index := a.args[a.at[i].index]; {
	case a.isInt:
		return because("%s holds integers and is read at an index that is data", name)
	case slices.ContainsFunc(a.at[i+1:], place.isIndex) || slices.ContainsFunc(a.at[:i], place.isIndex):
		return because("%s is read at two indices that are data", name)
	case index.loops.meets(inner):
		return because("%s is read at an index that differs along the vector axis", name)
	case loopsOf(a.at).meets(inner):
		return because("%s is read at an index that is data and along the vector axis", name)
	case len(s.vector) > 1 || len(s.vector) == 1 && s.vector[0].axis != axis:
		return because("%s is read at an index along %s, but the vector axis is %s", name, axis.Name, s.vector)
	case len(s.vector) == 0 && s.gather != nil && s.gather != axis:
		return because("indices along %s and %s", axis.Name, s.gather.Name)
	}
	if len(s.vector) == 0 {
		s.gather = axis
	}
	return nil
}

// inPlaceOrder says whether the groups lie in a tensor as they are.
func (s *schedule) inPlaceOrder(lay layout) bool {
	for _, positions := range [][]int{lay.grid, lay.vector, lay.serial} {
		for i := 1; i < len(positions); i++ {
			if positions[i] != positions[i-1]+1 {
				return false
			}
		}
	}
	return lay.vector == nil || lay.vector[len(lay.vector)-1] == len(lay.tensor.Axes)-1
}

// bind is the layout as a binding.
func (lay layout) bind() Bind {
	b := Bind{Tensor: lay.tensor, Pack: lay.packed}
	if lay.packed {
		b.Order = lay.order
	}
	stride := func(positions []int) Stride {
		if positions == nil {
			return Stride{}
		}
		s := Stride{Moves: true}
		last := slices.Index(lay.order, positions[len(positions)-1])
		for _, i := range lay.order[last+1:] {
			s.Axes = append(s.Axes, lay.tensor.Axes[i])
		}
		return s
	}
	for _, i := range lay.batch {
		if i < 0 {
			b.Batch = append(b.Batch, Stride{})
		} else {
			b.Batch = append(b.Batch, stride([]int{i}))
		}
	}
	b.Grid, b.Vector, b.Serial = stride(lay.grid), stride(lay.vector), stride(lay.serial)
	return b
}
