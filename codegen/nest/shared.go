package nest

import "slices"

// SharedWork is the number of instructions of a step of the serial loop of a nest whose rows read the same elements in it, as those of
// the product of matrices do, and don't depend on each other; 0 for other nests. Such a nest stores points of the grid and the
// vector axis, and accumulates nothing, so it may be cut along both and its rows may run side by side: no result depends on it.
func (n *Nest) SharedWork() int {
	grid := n.onlyGrid()
	if grid == nil {
		return 0
	}
	work, saves, apart := 0, false, true
	n.Walk(func(s Stmt, loops []*For) {
		v, ok := s.(*Value)
		if !ok {
			return
		}
		inner := Depth(0)
		if len(loops) > 0 {
			inner = loops[len(loops)-1].Depth
		}
		if inner == Serial {
			work++
		}
		switch v.Op {
		case LoadInt, Gather, IntSelect:
			apart = false
		case Load:
			o := &n.Operands[v.Operand]
			apart = apart && o.Mode != Out
			saves = saves || o.sharedAlongRows()
		case Reduce:
			apart = apart && n.Slots[v.Slot].Over == Serial
		case Store:
			apart = apart && len(loops) > 0 && inner == Vector
		}
	})
	if !apart || !saves {
		return 0
	}
	return work
}

// sharedAlongRows says whether all rows read the same elements of an operand in their serial loops.
func (o *Operand) sharedAlongRows() bool {
	return o.Mode == In && o.Vector && o.Serial && !o.Grid
}

// onlyGrid is the grid loop of a nest that is nothing else, where its body is uniform values without effect and one vector loop.
func (n *Nest) onlyGrid() *For {
	var grid *For
	for _, s := range n.Body {
		switch s := s.(type) {
		case *For:
			if grid != nil || s.Depth != Grid {
				return nil
			}
			grid = s
		case *Value:
			if s.Op.Info().Effect {
				return nil
			}
		}
	}
	if grid == nil || len(grid.Body) == 0 {
		return nil
	}
	last := len(grid.Body) - 1
	for _, s := range grid.Body[:last] {
		if v, ok := s.(*Value); !ok || v.Op.Info().Effect || v.Type == Int {
			return nil
		}
	}
	if loop, ok := grid.Body[last].(*For); !ok || loop.Depth != Vector {
		return nil
	}
	return grid
}

// AsItLies is a binding of an operand that all rows of a launch share, and that would be copied, to the tensor as it is: the elements along
// the vector axis are then not next to each other. ok is false where its axes are not in groups that one stride leads through.
func (l *Launch) AsItLies(operand int) (b Bind, ok bool) {
	b = l.Operands[operand]
	b.Batch = slices.Clone(b.Batch)
	if !b.Pack || l.Nest.SharedWork() == 0 || !l.Nest.Operands[operand].sharedAlongRows() || !b.Vector.Moves || !b.Serial.Moves {
		return b, false
	}
	order := b.Order
	for k := range b.Batch {
		s := &b.Batch[k]
		if !s.Moves {
			continue
		}
		s.Axes, order = b.Tensor.Axes[order[0]+1:], order[1:]
	}
	steps := len(l.Serial)
	if len(order) != steps+len(l.Vector) {
		return b, false
	}
	stride := func(positions []int) (s Stride) {
		for i := 1; i < len(positions); i++ {
			if positions[i] != positions[i-1]+1 {
				return Stride{}
			}
		}
		return Stride{Moves: true, Axes: b.Tensor.Axes[positions[len(positions)-1]+1:]}
	}
	b.Serial, b.Vector = stride(order[:steps]), stride(order[steps:])
	b.Pack, b.Order = false, nil
	return b, b.Serial.Moves && b.Vector.Moves
}
