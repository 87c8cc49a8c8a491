package runtime

import (
	"cmp"
	"slices"
	"unsafe"
)

// makeStates makes the states of new slots, at their start, and their outputs: in one block of memory, kind after kind. Those of neighbours in a block of leaves
// lie as these do, or side by side where they have no axes; each other one begins a line of the cache.
func (r *Rule) makeStates(slots []*Slot, stores []storage, v Attributes) slab {
	kinds := slices.Concat(r.States, r.Outputs)
	variable := r.signature().Params[r.Param].Elem.Var & (MaxVars - 1)
	tensors, states := make([]Tensor, len(slots)*len(kinds)), make([]*Tensor, len(slots)*len(kinds))
	at := make([]int, len(tensors)) // bytes
	order := inBlocks(slots)
	for i, slot := range slots {
		own := states[:len(kinds)]
		slot.State, slot.outputs, states = own[:len(r.States):len(r.States)], own[len(r.States):], states[len(kinds):]
		var vars [MaxVars]DType
		vars[variable] = slot.Param.dtype
		ext := r.extents(slot.Param)
		slot.laid = slot.Param.auto.block
		for k, s := range kinds {
			t := &tensors[k*len(slots)+i]
			*t = *slot.Param
			t.auto, t.store, t.contig, t.data = nil, &stores[i], true, nil
			if s.Scalar {
				t.rank, t.n = 0, 1
			} else {
				r.shapeState(t, s.At, ext)
			}
			t.dtype = elemDType(s.Elem, &vars)
			rowMajor(t.dims(), t.stride[:])
			own[k], slot.tensors[s.At] = t, t
		}
	}
	end := 0
	for k := range kinds {
		for j, i := range order {
			t := &tensors[k*len(slots)+i]
			p := slots[i].Param.auto
			joins := j > 0 && follows(slots[order[j-1]], slots[i])
			switch {
			case joins && kinds[k].Scalar:
				at[k*len(slots)+i] = end
			case joins && t.n == slots[i].Param.n:
				before := slots[order[j-1]].Param.auto
				at[k*len(slots)+i] = at[k*len(slots)+order[j-1]] + (p.block.from[p.at]-p.block.from[before.at])*t.dtype.Size()
			default:
				at[k*len(slots)+i] = ceilDiv(end, leafLine) * leafLine
			}
			end = at[k*len(slots)+i] + t.n*t.dtype.Size()
		}
	}
	base := lined(end)
	for k, s := range kinds {
		init := s.Init
		if s.Start != nil {
			init = s.Start(v)
		}
		for i := range slots {
			t := &tensors[k*len(slots)+i]
			if t.n == 0 {
				continue
			}
			t.data = unsafe.Add(base, at[k*len(slots)+i])
			if init != 0 {
				// The tensor is new and contiguous: nothing can be wrong with it.
				_ = t.Fill(init)
			}
		}
	}
	return slab{uintptr(base), uintptr(base) + uintptr(end)}
}

// inBlocks is the numbers of slots in an order in which neighbours in a block of leaves come one after the other.
func inBlocks(slots []*Slot) []int {
	order := make([]int, len(slots))
	for i := range order {
		order[i] = i
	}
	place := func(s *Slot) (uintptr, int) {
		if b := s.Param.auto.block; b != nil {
			return uintptr(b.base), s.Param.auto.at
		}
		return 0, 0
	}
	slices.SortStableFunc(order, func(i, j int) int {
		b, at := place(slots[i])
		c, to := place(slots[j])
		return cmp.Or(cmp.Compare(b, c), cmp.Compare(at, to))
	})
	return order
}
