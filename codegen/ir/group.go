package ir

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/opgen/opgen/dsl/diag"
)

// Recurrence says why definitions that read each other can't run in order along an axis.
type Recurrence struct {
	Def     *Def   // where it shows
	Read    *Value // the read that shows it; nil: none in particular
	Message string
	Hint    string
	kind    int // the fault that says most is reported
}

func (e *Recurrence) Error() string { return fmt.Sprintf("%s: %s", e.Def.Target.Name, e.Message) }

// Span is the place of the fault.
func (e *Recurrence) Span() diag.Span {
	if e.Read != nil && e.Read.Span.Start.IsValid() {
		return e.Read.Span
	}
	return e.Def.Span
}

// Order puts definitions in an order in which each reads earlier ones only. Definitions that read each other become a
// group, which runs along one axis of them all, up or down, numbered from first on; those that need no group any more
// leave it. Facts are conditions that hold in each call.
func Order(defs []*Def, facts []*Value, first int) ([]*Def, error) {
	g := &grouping{defs: defs, of: map[*Tensor]int{}, facts: facts}
	for i, d := range defs {
		g.of[d.Target] = i
	}
	var r []*Def
	for _, c := range g.components() {
		if len(c) == 1 && !slices.Contains(g.reads(c[0]), c[0]) {
			d := defs[c[0]]
			if d.Group != 0 {
				n := *d
				n.Group, n.Along, n.Reverse = 0, nil, false
				d = &n
			}
			r = append(r, d)
			continue
		}
		members, err := g.recurrence(c, first)
		if err != nil {
			return nil, err
		}
		r = append(r, members...)
		first++
	}
	return r, nil
}

type grouping struct {
	defs  []*Def
	of    map[*Tensor]int
	facts []*Value
}

// reads are the definitions that one reads, by number.
func (g *grouping) reads(i int) []int {
	var r []int
	for t := range g.defs[i].Reads() {
		if k, ok := g.of[t]; ok {
			r = append(r, k)
		}
	}
	slices.Sort(r)
	return r
}

// components are the strongly connected sets of definitions (Tarjan 1972), what they read before them; where that leaves a
// choice, in the order of their first definitions.
func (g *grouping) components() [][]int {
	n := len(g.defs)
	reads := make([][]int, n)
	for i := range n {
		reads[i] = g.reads(i)
	}
	number, low, on := make([]int, n), make([]int, n), make([]bool, n)
	comp := make([]int, n)
	var stack []int
	var sets [][]int
	count := 0
	var visit func(i int)
	visit = func(i int) {
		count++
		number[i], low[i], on[i] = count, count, true
		stack = append(stack, i)
		for _, k := range reads[i] {
			if number[k] == 0 {
				visit(k)
				low[i] = min(low[i], low[k])
			} else if on[k] {
				low[i] = min(low[i], number[k])
			}
		}
		if low[i] != number[i] {
			return
		}
		var set []int
		for k := -1; k != i; {
			k = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[k] = false
			comp[k] = len(sets)
			set = append(set, k)
		}
		slices.Sort(set)
		sets = append(sets, set)
	}
	for i := range n {
		if number[i] == 0 {
			visit(i)
		}
	}
	waits := make([]map[int]bool, len(sets))
	for c, set := range sets {
		waits[c] = map[int]bool{}
		for _, i := range set {
			for _, k := range reads[i] {
				if comp[k] != c {
					waits[c][comp[k]] = true
				}
			}
		}
	}
	var r [][]int
	done := make([]bool, len(sets))
	for range sets {
		best := -1
		for c, set := range sets {
			ready := !done[c]
			for w := range waits[c] {
				ready = ready && done[w]
			}
			if ready && (best < 0 || set[0] < sets[best][0]) {
				best = c
			}
		}
		done[best] = true
		r = append(r, sets[best])
	}
	return r
}

// run is where a member of a group has the axis that the group runs along.
type run struct {
	slot  int  // of its target
	along *Var // its variable
	shift *linearForm
}

// recurrence makes a group of definitions that read each other.
func (g *grouping) recurrence(set []int, group int) ([]*Def, error) {
	var fault *Recurrence
	for _, a := range g.defs[set[0]].Target.Axes {
		for k := range g.defs[set[0]].Target.Axes {
			places := g.places(set, a, k)
			if places == nil {
				break
			}
			r, err := g.along(set, places, group)
			if err == nil {
				return r, nil
			}
			if fault == nil || err.kind > fault.kind {
				fault = err
			}
		}
	}
	if fault == nil {
		d := g.defs[set[0]]
		fault = &Recurrence{Def: d, Read: g.readOf(set), Message: g.names(set) + ", and no axis runs through them all",
			Hint: "a recurrence reads what was computed before, at t - k or at t + k of an axis t"}
	}
	return nil, fault
}

// names says which definitions need each other.
func (g *grouping) names(set []int) string {
	if len(set) == 1 {
		return "`" + g.defs[set[0]].Target.Name + "` needs itself"
	}
	s := ""
	for i, k := range set {
		switch {
		case i == 0:
		case i == len(set)-1:
			s += " and "
		default:
			s += ", "
		}
		s += "`" + g.defs[k].Target.Name + "`"
	}
	return s + " need each other"
}

// readOf is a read of a member by a member that has a place in the text.
func (g *grouping) readOf(set []int) *Value {
	var found *Value
	for _, i := range set {
		g.eachRead(set, i, func(v *Value, _ int) {
			if found == nil && v.Span.Start.IsValid() {
				found = v
			}
		})
	}
	return found
}

// eachRead calls f for the reads of members in a definition.
func (g *grouping) eachRead(set []int, i int, f func(v *Value, of int)) {
	seen := map[*Value]bool{}
	for _, root := range g.defs[i].Values() {
		Walk(root, func(v *Value) bool {
			if seen[v] {
				return false
			}
			seen[v] = true
			if v.Op == OpRead {
				if k, ok := g.of[v.Tensor]; ok && slices.Contains(set, k) {
					f(v, k)
				}
			}
			return true
		})
	}
}

// places finds the k-th slot of each member over the axis whose index is a variable over the axis, shifted; nil: one has none.
func (g *grouping) places(set []int, axis *Axis, k int) map[int]run {
	r := map[int]run{}
	for _, i := range set {
		d := g.defs[i]
		var list []run
		for s, a := range d.Target.Axes {
			e := linearOf(d.Dest[s])
			if a != axis || e == nil {
				continue
			}
			for _, v := range d.Vars {
				if c := e.terms[v]; c != nil && v.Axis == axis && c.IsInt() && c.Num().IsInt64() && c.Num().Int64() == 1 {
					list = append(list, run{slot: s, along: v, shift: e.minus(linearOf(Index(v)))})
					break
				}
			}
		}
		if len(list) == 0 || k > 0 && k >= len(list) {
			return nil
		}
		r[i] = list[k]
	}
	return r
}

// Kinds of faults of an axis: the greatest says best what is wrong.
const (
	readNow    = iota // everything is read at its own point
	readAny           // it isn't known which way
	readTwoWay        // both ways
)

// along orders the members for a run along the places, up or down.
func (g *grouping) along(set []int, at map[int]run, group int) ([]*Def, *Recurrence) {
	var before, after *Value // reads of what lies below and above
	var afterIn *Def
	now := map[int][]int{} // members that are read, maybe, at the same index
	var fault *Recurrence
	for _, i := range set {
		d := g.defs[i]
		facts := factsOf(append(slices.Clone(d.Where), g.facts...))
		g.eachRead(set, i, func(v *Value, of int) {
			// The member that is read computes its element e at e - shift; this one runs at along.
			var most, least *big.Rat // of when it was computed less now, and of the opposite
			if e := linearOf(v.Args[at[of].slot]); e != nil {
				u, shift := g.defs[of], at[of].shift
				past := factsOf(append(slices.Clone(u.Where), g.facts...))
				ahead := e.minus(linearOf(Index(at[i].along)))
				most = plus(ahead.most(d.Vars, facts), shift.times(minusOne).most(u.Vars, past))
				least = plus(ahead.times(minusOne).most(d.Vars, facts), shift.most(u.Vars, past))
			}
			switch {
			case most != nil && most.Sign() < 0:
				before = v
			case least != nil && least.Sign() < 0:
				after, afterIn = v, d
			case most != nil && least != nil && most.Sign() == 0 && least.Sign() == 0:
				now[i] = append(now[i], of)
			case most != nil && most.Sign() == 0:
				before = v
				now[i] = append(now[i], of)
			case least != nil && least.Sign() == 0:
				after, afterIn = v, d
				now[i] = append(now[i], of)
			default:
				fault = &Recurrence{Def: d, Read: v, kind: readAny, Message: "it isn't known whether what is read here was computed before", Hint: "a recurrence reads at t - k, or everywhere at t + k, with k of known sign: `require` tells that of an attribute"}
			}
		})
	}
	switch {
	case fault != nil:
		return nil, fault
	case before != nil && after != nil:
		return nil, &Recurrence{Def: afterIn, Read: after, kind: readTwoWay, Message: fmt.Sprintf("`%s` is read above its index here, and `%s` below: a recurrence runs one way", after.Tensor.Name, before.Tensor.Name),
			Hint: "read all at t - k, or all at t + k"}
	}
	var r []*Def
	state := map[int]int{} // 1: being visited, 2: done
	var visit func(i int) *Recurrence
	visit = func(i int) *Recurrence {
		switch state[i] {
		case 1:
			return &Recurrence{Def: g.defs[i], Read: g.readOf(set), kind: readNow, Message: "`" + g.defs[i].Target.Name + "` needs itself at the same point", Hint: "a recurrence reads what was computed before, at t - k or at t + k of an axis t"}
		case 2:
			return nil
		}
		state[i] = 1
		slices.Sort(now[i])
		for _, k := range now[i] {
			if err := visit(k); err != nil {
				return err
			}
		}
		state[i] = 2
		n := *g.defs[i]
		n.Group, n.Along, n.Reverse = group, at[i].along, after != nil
		r = append(r, &n)
		return nil
	}
	for _, i := range set {
		if err := visit(i); err != nil {
			return nil, err
		}
	}
	return r, nil
}

var minusOne = big.NewRat(-1, 1)

// plus adds two bounds; nil is none.
func plus(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return nil
	}
	return new(big.Rat).Add(a, b)
}
