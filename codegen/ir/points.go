package ir

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NeedsPoints are the requirements that the maxima and minima of f have points: the greatest of nothing is no number.
// One holds for each that an output may read. It says that the axes that are reduced aren't empty, or else one of those is
// along which the reading goes, so that there is no element that needs it. A branch that attributes and extents decide needs
// nothing where it isn't taken; one that data decide counts as taken. A reduction over points that depend on data or on
// other indices is tested where it is computed.
func NeedsPoints(f *Func) []Require {
	n := &needs{defs: map[*Tensor]*Def{}, known: map[string]bool{}}
	for _, d := range f.Defs {
		n.defs[d.Target] = d
	}
	for _, t := range f.Outputs {
		n.visit(t, nil)
	}
	return n.list
}

var extremes = map[Monoid]string{Max: "max", Min: "min"}

type needs struct {
	defs  map[*Tensor]*Def
	known map[string]bool // requirements, and what was visited, by their text
	list  []Require
}

// visit follows what an element of t reads. Axes are those along which the reading goes so far.
func (n *needs) visit(t *Tensor, along []*Axis) {
	d := n.defs[t]
	if d == nil || slices.ContainsFunc(d.Where, OfCall) {
		return
	}
	key := fmt.Sprintf("%p", t)
	for _, a := range along {
		key += fmt.Sprintf(" %p", a)
	}
	if n.known[key] {
		return
	}
	n.known[key] = true
	reduced := d.Reduced()
	var over []*Axis
	plain := d.Group == 0 && len(d.Where) == 0
	for _, v := range d.Vars {
		switch {
		case v.Axis == nil || v.Axis.Size != nil:
			plain = false
		case slices.Contains(reduced, v):
			over = append(over, v.Axis)
		case !slices.Contains(along, v.Axis):
			along = append(slices.Clip(along), v.Axis)
		}
	}
	if plain && (d.Monoid == Max || d.Monoid == Min) {
		n.require(d, over, along)
	}
	for _, a := range over {
		if !slices.Contains(along, a) {
			along = append(slices.Clip(along), a)
		}
	}
	asked := append([]*Value{d.Body}, d.Where...)
	for _, v := range d.Vars {
		if v.Axis == nil {
			asked = append(asked, v.Lo, v.Hi)
		}
	}
	for _, v := range asked {
		for r := range mayRead(v) {
			n.visit(r, along)
		}
	}
}

// OfCall tells whether a condition is the same for the whole call: attributes and extents decide it.
func OfCall(c *Value) bool {
	same := true
	Walk(c, func(v *Value) bool {
		same = same && v.Op != OpRead && v.Op != OpIndex && (v.Op != OpExtent || v.Axis.Size == nil)
		return same
	})
	return same
}

// mayRead are the tensors that the value of v reads, but for what a condition of the call decides.
func mayRead(v *Value) map[*Tensor]bool {
	r := map[*Tensor]bool{}
	Walk(v, func(v *Value) bool {
		switch v.Op {
		case OpRead:
			r[v.Tensor] = true
		case OpSelect:
			if slices.ContainsFunc(Conjuncts(v.Args[0]), OfCall) {
				maps.Copy(r, mayRead(v.Args[0]))
				return false
			}
		case OpAnd, OpOr:
			return !slices.ContainsFunc(v.Args, OfCall)
		}
		return true
	})
	return r
}

// require adds the requirement of one maximum or minimum.
func (n *needs) require(d *Def, over, along []*Axis) {
	var conds []*Value
	var names []string
	for _, a := range over {
		if slices.Contains(along, a) {
			continue // without points along it nothing is read
		}
		conds = append(conds, Call(OpLt, Int(0), Extent(a)))
		names = append(names, a.Name)
	}
	if conds == nil || slices.ContainsFunc(along, func(a *Axis) bool { return a.Size != nil }) {
		return // or it is tested where it is computed
	}
	cond := And(conds...)
	for _, a := range along {
		cond = Or(cond, Call(OpEq, Extent(a), Int(0)))
	}
	q := Require{Cond: cond, Span: d.Span, Message: "elements along " + strings.Join(names, ", ") + ", since " + extremes[d.Monoid] + " of nothing is no number"}
	if key := q.Cond.String(); !n.known[key] {
		n.known[key] = true
		n.list = append(n.list, q)
	}
}
