package nest

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// loop is an axis that definitions run over. Where one definition runs over an axis twice, nth tells the two apart:
// those of the destination first.
type loop struct {
	axis *ir.Axis
	nth  int
}

func (l loop) String() string {
	name := l.axis.Name
	if l.axis.Pack {
		name = "..." + name
	}
	if l.nth > 0 {
		name += fmt.Sprintf("#%d", l.nth)
	}
	return name
}

// loops is a list without repetitions. Its order counts only where that is said.
type loops []loop

func (s loops) has(l loop) bool { return slices.Contains(s, l) }

// hasAll says whether s holds all of t.
func (s loops) hasAll(t loops) bool {
	for _, l := range t {
		if !s.has(l) {
			return false
		}
	}
	return true
}

func (s loops) sameAs(t loops) bool { return len(s) == len(t) && s.hasAll(t) }

func (s loops) meets(t loops) bool { return slices.ContainsFunc(t, s.has) }

// union is s and what else is in t.
func (s loops) union(t loops) loops {
	r := slices.Clip(s)
	for _, l := range t {
		if !r.has(l) {
			r = append(r, l)
		}
	}
	return r
}

// without is s without the loops of t.
func (s loops) without(t loops) loops {
	if len(t) == 0 {
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), t.has)
}

func (s loops) String() string {
	names := make([]string, len(s))
	for i, l := range s {
		names[i] = l.String()
	}
	return strings.Join(names, ", ")
}

// axes are the axes that the loops run over.
func (s loops) axes() []*ir.Axis {
	r := make([]*ir.Axis, len(s))
	for i, l := range s {
		r[i] = l.axis
	}
	return r
}

// place is where one axis of a tensor is read: at a loop, or at an index that is a value.
type place struct {
	loop  loop // axis nil: at an index
	index int  // which argument of the node is the index
}

func (p place) isIndex() bool { return p.loop.axis == nil }

// at gives places for loops in order.
func (s loops) at() []place {
	r := make([]place, len(s))
	for i, l := range s {
		r[i] = place{loop: l}
	}
	return r
}

// areAt says whether places are at these loops, in order.
func (s loops) areAt(at []place) bool {
	return slices.EqualFunc(s, at, func(l loop, p place) bool { return p == place{loop: l} })
}

// set is some loops of a list of few, by their place in it.
type set uint

// bits are the places of t in s.
func (s loops) bits(t loops) set {
	var r set
	for _, l := range t {
		r |= 1 << slices.Index(s, l)
	}
	return r
}

// of are the loops of a set, in order.
func (s loops) of(t set) loops {
	r := make(loops, 0, bits.OnesCount(uint(t)))
	for i, l := range s {
		if t>>i&1 != 0 {
			r = append(r, l)
		}
	}
	return r
}

// loopsOf are the loops among places.
func loopsOf(at []place) loops {
	var r loops
	for _, p := range at {
		if !p.isIndex() && !r.has(p.loop) {
			r = append(r, p.loop)
		}
	}
	return r
}
