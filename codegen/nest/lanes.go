package nest

// Virtual lanes make a reduction give the same bits whatever the width of the machine. The accumulators of all
// reductions that are live at once should fit half of the registers of AVX2, and one of them should fill a
// register of AVX-512.
const (
	laneBytes    = 8 * 32
	minLaneBytes = 64
)

// Size is the size of an element in bytes.
func (d DType) Size() int {
	if d == F32 || d == I32 {
		return 4
	}
	return 8
}

// lanes chooses the number of virtual lanes: the largest power of two that keeps the accumulators within bounds.
func (n *Nest) lanes() int {
	always := 0              // slots over the grid stay live
	inLoop := map[*For]int{} // slots over one vector loop
	n.Walk(func(s Stmt, loops []*For) {
		v, ok := s.(*Value)
		if !ok || v.Op != Reduce || v.Slot >= len(n.Slots) || len(loops) == 0 {
			return
		}
		inner := loops[len(loops)-1]
		switch slot := n.Slots[v.Slot]; {
		case inner.Depth != Vector || slot.Wide:
		case slot.Over == Grid:
			always++
		case slot.Over == Vector:
			inLoop[inner]++
		}
	})
	most := 0
	for _, c := range inLoop {
		most = max(most, c)
	}
	bytes := laneBytes
	for bytes > minLaneBytes && bytes*max(1, always+most) > laneBytes {
		bytes /= 2
	}
	return bytes / n.Float.Size()
}
