package grad

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// maxGuards is how many conditions the guard of a partial sum has, at most.
const maxGuards = 16

// A total adds up what flows to one value. It is as Plus, from the first to the last, but a long sum of guarded parts gets one guard more, when
// all are there: each partial sum with its guard would ask for all conditions before it, again.
type total struct {
	quotient
	guards *guards // num is a sum of guarded parts, without a guard yet; nil: it is as it is
}

// guards are conditions of which one has to hold.
type guards struct {
	num   ir.Numbering
	said  map[int]bool
	conds []*ir.Value
}

// add takes one more condition; it is false where that and one said before leave nothing out.
func (g *guards) add(cond *ir.Value) bool {
	conds := []*ir.Value{cond}
	if cond.Op == ir.OpOr {
		conds = cond.Args
	}
	for _, c := range conds {
		if g.said[g.num.ID(ir.Not(c))] {
			return false
		}
		if id := g.num.ID(c); !g.said[id] {
			g.said[id] = true
			g.conds = append(g.conds, c)
		}
	}
	return true
}

// add takes one more cotangent.
func (t *total) add(o quotient) {
	if t.num == nil {
		t.quotient = o
		return
	}
	if !slices.EqualFunc(t.den, o.den, ir.Equal) {
		if len(t.den) > 0 {
			t.quotient = quotient{num: t.value()}
		}
		o = quotient{num: o.value()}
	}
	if b := o.num; t.guards == nil || !t.takes(b) {
		t.begin(b)
	}
}

// takes adds a part to a sum of guarded ones; it is false where that makes another sum of it.
func (t *total) takes(b *ir.Value) bool {
	if IsZero(b) {
		return true
	}
	p := Presence(b)
	if p.Op == ir.OpTrue || p.Op == ir.OpOr && len(p.Args) == len(t.guards.conds) {
		return false
	}
	t.num = sum(t.num, b)
	if !t.guards.add(p) {
		t.guards = nil
	}
	return true
}

// begin adds a part to what isn't a sum of guarded ones, or no longer.
func (t *total) begin(b *ir.Value) {
	a := t.closed()
	t.num, t.guards = Plus(a, b), nil
	if t.num.Op != ir.OpSelect || t.num.Args[0].Op != ir.OpOr || len(t.num.Args[0].Args) < maxGuards || !IsZero(t.num.Args[2]) {
		return
	}
	if s := t.num.Args[1]; s.Op == ir.OpAdd && s.Args[0] == a && s.Args[1] == b { // not the sums of the arms of two selects
		g := &guards{said: map[int]bool{}}
		if g.add(t.num.Args[0]) {
			t.num, t.guards = s, g
		}
	}
}

// closed is the numerator, with its guard.
func (t *total) closed() *ir.Value {
	if t.guards == nil {
		return t.num
	}
	return ir.Select(ir.Or(t.guards.conds...), t.num, zeroLike(t.num))
}

// close puts the guard where it belongs and gives the cotangent.
func (t *total) close() *quotient {
	t.num, t.guards = t.closed(), nil
	return &t.quotient
}

// value is the cotangent as a value.
func (t *total) value() *ir.Value { return t.close().value() }
