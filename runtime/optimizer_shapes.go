package runtime

import "slices"

// extents are those of the axes and packs of a parameter, by number of the axis. A product of axes, and one of several packs, tells none.
func (r *Rule) extents(p *Tensor) (ext [MaxAxes][]int) {
	sig := r.signature()
	dims, packs := sig.Params[r.Param].Dims, r.packs()
	at := 0
	for _, d := range dims {
		n := 1
		if d.Factors == nil && sig.Axes[d.Axis].Pack {
			n = int(p.rank) - (len(dims) - 1)
			if packs > 1 {
				return ext
			}
		}
		if d.Factors == nil {
			ext[d.Axis] = p.dims()[at : at+n]
		}
		at += n
	}
	return ext
}

// packs is how many packs a parameter has.
func (r *Rule) packs() int {
	sig := r.signature()
	n := 0
	for _, d := range sig.Params[r.Param].Dims {
		if d.Factors == nil && sig.Axes[d.Axis].Pack {
			n++
		}
	}
	return n
}

// fits reports whether a tensor has as many axes as a parameter, and one extent for each of them.
func (r *Rule) fits(p *Tensor) bool {
	dims, packs := r.signature().Params[r.Param].Dims, r.packs()
	if int(p.rank) < len(dims)-packs || packs == 0 && int(p.rank) > len(dims) {
		return false
	}
	seen := [MaxAxes]int{}
	for i, d := range dims {
		if packs > 0 || d.Factors != nil {
			continue
		}
		if n := p.shape[i]; seen[d.Axis] != 0 && seen[d.Axis] != n+1 {
			return false
		}
		seen[d.Axis] = p.shape[i] + 1
	}
	return true
}

// axesText is the axes of a parameter, for messages.
func (r *Rule) axesText() string {
	sig := r.signature()
	text := ""
	for _, d := range sig.Params[r.Param].Dims {
		if text != "" {
			text += ", "
		}
		if d.Factors != nil {
			text += "(" + sig.Axes[d.Factors[0]].Name
			for _, f := range d.Factors[1:] {
				text += ", " + sig.Axes[f].Name
			}
			text += ")"
			continue
		}
		if sig.Axes[d.Axis].Pack {
			text += "..."
		}
		text += sig.Axes[d.Axis].Name
	}
	return "the axes [" + text + "]"
}

// shapeState gives a state, which is shaped as its parameter, the axes of its own.
func (r *Rule) shapeState(t *Tensor, at int, ext [MaxAxes][]int) {
	params := r.signature().Params
	own := params[at].Dims
	if slices.EqualFunc(own, params[r.Param].Dims, func(a, b Dim) bool { return a.Axis == b.Axis && slices.Equal(a.Factors, b.Factors) }) {
		return
	}
	t.rank, t.n = 0, 1
	for _, d := range own {
		for _, e := range ext[d.Axis] {
			t.shape[t.rank&(MaxRank-1)] = e
			t.rank++
			t.n *= e
		}
	}
}
