package runtime

import (
	"fmt"
	"slices"
)

// jointDim is one dimension of the joint shape in which the caller counts, or of a parameter beside it.
type jointDim struct {
	place   int   // which of the caller's positions it has; -1: none
	axis, k int   // axis or pack and the number in it
	factors []int // a product
	pack    bool
}

const unplaced = -1

func (d *jointDim) is(o *jointDim) bool {
	if d.place != unplaced || o.place != unplaced {
		return d.place == o.place
	}
	return d.axis == o.axis && d.k == o.k && slices.Equal(d.factors, o.factors)
}

// dimsOf are the dimensions of d at the joint shape, products as one.
func (b *Bound) dimsOf(d *Dim, each func(jointDim) bool) bool {
	if d.Factors != nil {
		return each(jointDim{place: unplaced, axis: -1, factors: d.Factors})
	}
	placed := b.sig.placed(d)
	for k := range b.width(d) {
		j := jointDim{place: unplaced, axis: d.Axis, k: k, pack: b.sig.Axes[d.Axis].Pack}
		if placed {
			j.place = k
		}
		if !each(j) {
			return false
		}
	}
	return true
}

// findPlaces checks positions, counts them from the left, and finds what lies at each position of the joint shape: that of the
// first input that has placed axes.
func (b *Bound) findPlaces() error {
	s, g := b.sig, b.g
	if s.Placed == nil {
		return nil
	}
	first := -1
	for i := range s.Params {
		if g.movers>>i&1 != 0 {
			first = i
			g.joint = b.slots(&s.Params[i])
			break
		}
	}
	seen := 0
	if g.place.All && first >= 0 { // they lie where they are written
		at := 0
		for k := range s.Params[first].Dims {
			b.dimsOf(&s.Params[first].Dims[k], func(d jointDim) bool {
				if d.place != unplaced {
					g.place.At[d.place] = at
				}
				at++
				return at < MaxRank
			})
		}
	}
	for k := range g.place.N {
		p := g.place.At[k]
		if p < -g.joint || p >= g.joint {
			return &ArgError{Op: s.Op, Arg: s.Placed.Attr, Want: fmt.Sprintf("%d to %d", -g.joint, g.joint-1), Got: fmt.Sprint(p), Err: ErrAttr}
		}
		if p < 0 {
			p += g.joint
		}
		if seen>>p&1 != 0 {
			return &ArgError{Op: s.Op, Arg: s.Placed.Attr, Want: "each axis once", Got: shapeString(g.place.At[:g.place.N]), Err: ErrAttr}
		}
		seen |= 1 << p
		g.place.At[k] = p
		g.order[p] = jointDim{place: k}
	}
	if first < 0 || g.joint > MaxRank {
		return nil // which is refused where the axes of the input are taken
	}
	next := 0
	for k := range s.Params[first].Dims {
		b.dimsOf(&s.Params[first].Dims[k], func(d jointDim) bool {
			if d.place == unplaced {
				for seen>>next&1 != 0 {
					next++
				}
				g.order[next] = d
				next++
			}
			return true
		})
	}
	return nil
}

// arrange says where each of the dimensions of a parameter, as they are written, lies beside those of the joint shape. Those that it
// shares with it lie as there: placed ones between the others as the caller has them, and the others in the order in which they are
// written. A pack that the joint shape lacks may stand for one there, aligned at the right; an axis that it lacks keeps its place.
func (b *Bound) arrange(dims []jointDim) (to [MaxRank]int) {
	g := b.g
	joint := g.order[:g.joint]
	const none = -1
	var has, shares [MaxRank]int // by dimension of the joint shape that of the parameter, and the reverse
	for q := range joint {
		has[q] = none
	}
	for p := range dims {
		to[p], shares[p] = p, none
		for q := range joint {
			if has[q] == none && joint[q].is(&dims[p]) {
				has[q], shares[p] = p, q
				break
			}
		}
	}
	stands := func(d *jointDim) bool { return d.pack && d.place == unplaced }
	q := len(joint)
	for p := len(dims) - 1; p >= 0; p-- {
		if !stands(&dims[p]) || shares[p] != none {
			continue
		}
		for q--; q >= 0 && !(has[q] == none && stands(&joint[q])); q-- {
		}
		if q < 0 {
			break
		}
		has[q], shares[p] = p, q
	}
	// The next dimension that shares its slot, and of these the next one that isn't placed.
	slot, free := -1, -1
	next := func(at *int, ok func(p int) bool) int {
		for *at++; shares[*at] == none || !ok(*at); *at++ {
		}
		return *at
	}
	for q, p := range has[:len(joint)] {
		if p == none {
			continue
		}
		if joint[q].place == unplaced {
			p = next(&free, func(p int) bool { return dims[p].place == unplaced })
		}
		to[p] = next(&slot, func(int) bool { return true })
	}
	return to
}
