package check

import (
	"math"
	"slices"
)

// emptyPack is a pack of the caller that has no axes in the variant that is lowered. No dimension of a result tells of it: it is
// found by the pack of the called op that it is part of.
type emptyPack struct {
	name string // of the caller
	of   string // the pack of the called op
	part int    // how many axes of that pack stand before it
}

// empties are the packs without axes of the arguments.
func (c *opCall) empties(s *lowering) []emptyPack {
	var list []emptyPack
	for _, d := range s.sig.inputs {
		arg := c.args[d.param.Name]
		if arg == nil {
			continue
		}
		al := c.align.Inputs[d.param.Name]
		for k, p := range arg.v.slots {
			if !p.spread || len(p.parts) > 0 {
				continue
			}
			at := len(unitsOf(arg.v.slots[:k])) + al.Missing
			e := emptyPack{name: p.axis}
			nearest := math.MaxInt
			for i, a := range d.param.Axes {
				if !a.Pack {
					continue
				}
				before, far := 0, math.MaxInt-1 // a pack without axes only where there is no other one
				for _, pos := range al.Axes[i] {
					if pos < at {
						before++
						far = min(far, at-1-pos)
					} else {
						far = min(far, pos-at)
					}
				}
				if far < nearest {
					nearest, e.of, e.part = far, a.Name, before
				}
			}
			if e.of != "" && !slices.ContainsFunc(list, func(o emptyPack) bool { return o.name == e.name }) {
				list = append(list, e)
			}
		}
	}
	return list
}

// placeEmpty notes before which dimension of a result packs without axes lie.
func (r *result) placeEmpty(packs []emptyPack) {
	for _, p := range packs {
		n := 0 // axes in front
		for _, s := range r.v.slots {
			width := len(extents([]slot{s}))
			if !s.spread || s.axis != p.of {
				n += width
				continue
			}
			before := r.dimOf(n + p.part)
			if p.part > 0 && p.part == width {
				before = r.dimOf(n+p.part-1) + 1
			}
			r.empty = append(r.empty, emptyAt{p.name, before})
			break
		}
	}
}

// emptyAt is a pack without axes before a dimension.
type emptyAt struct {
	name string
	dim  int
}

// dimOf is the dimension that an axis of the tensor is, or is part of; behind the last one is none.
func (r *result) dimOf(axis int) int {
	for k, d := range r.dims {
		if slices.Contains(d.at, axis) {
			return k
		}
	}
	return len(r.dims)
}
