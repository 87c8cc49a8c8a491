package ir

import (
	"fmt"
	"strings"
)

// Numbering gives equal values equal numbers. Two values are equal when they are built alike from the same
// variables, tensors and axes. The zero Numbering is ready for use.
type Numbering struct {
	byPtr map[*Value]int
	byKey map[string]int
	first []*Value
	refs  map[any]int
}

// ID is the number of v.
func (n *Numbering) ID(v *Value) int {
	if n.byPtr == nil {
		n.byPtr, n.byKey, n.refs = map[*Value]int{}, map[string]int{}, map[any]int{}
	}
	if id, ok := n.byPtr[v]; ok {
		return id
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d:%s", v.Op, v.Type.Kind, v.Type.Elem)
	switch v.Op {
	case OpConst:
		fmt.Fprintf(&b, " %s", v.Const.RatString())
	case OpScalar:
		fmt.Fprintf(&b, " %s", v.Name)
	case OpUniform, OpNormal:
		fmt.Fprintf(&b, " %s.%d", v.Name, v.Stream)
	case OpExtent:
		fmt.Fprintf(&b, " a%d", n.ref(v.Axis))
	case OpIndex:
		fmt.Fprintf(&b, " v%d", n.ref(v.Var))
	case OpRead, OpPresent:
		fmt.Fprintf(&b, " t%d", n.ref(v.Tensor))
	}
	for _, a := range v.Args {
		fmt.Fprintf(&b, " %d", n.ID(a))
	}
	key := b.String()
	id, ok := n.byKey[key]
	if !ok {
		id = len(n.first)
		n.byKey[key] = id
		n.first = append(n.first, v)
	}
	n.byPtr[v] = id
	return id
}

// ref numbers what values point to.
func (n *Numbering) ref(p any) int {
	id, ok := n.refs[p]
	if !ok {
		id = len(n.refs)
		n.refs[p] = id
	}
	return id
}

// First is the first value seen that equals v.
func (n *Numbering) First(v *Value) *Value { return n.first[n.ID(v)] }

// Equal tells whether two values are built alike.
func (n *Numbering) Equal(a, b *Value) bool { return a == b || n.ID(a) == n.ID(b) }

// Share is v with equal parts made one value.
func (n *Numbering) Share(v *Value) *Value { return Map(v, n.First) }

// Equal tells whether two values are built alike from the same variables, tensors and axes.
func Equal(a, b *Value) bool { return a == b || new(Numbering).Equal(a, b) }

// EqualDefs tells whether two definitions into targets of the same axes compute the same, up to the names of variables.
func EqualDefs(a, b *Def) bool {
	if a.Monoid != b.Monoid || a.Group != 0 || b.Group != 0 || len(a.Vars) != len(b.Vars) || len(a.Dest) != len(b.Dest) ||
		len(a.Where) != len(b.Where) || a.Target.Elem != b.Target.Elem {
		return false
	}
	for i, x := range a.Target.Axes {
		if x != b.Target.Axes[i] {
			return false
		}
	}
	m := map[*Var]*Value{}
	var n Numbering
	for i, v := range b.Vars {
		w := a.Vars[i]
		if v.Axis != w.Axis {
			return false
		}
		if v.Axis == nil && !(n.Equal(Subst(v.Lo, m), w.Lo) && n.Equal(Subst(v.Hi, m), w.Hi)) {
			return false
		}
		m[v] = Index(w)
	}
	same := n.Equal(Subst(b.Body, m), a.Body)
	for i := range a.Dest {
		same = same && n.Equal(Subst(b.Dest[i], m), a.Dest[i])
	}
	for i := range a.Where {
		same = same && n.Equal(Subst(b.Where[i], m), a.Where[i])
	}
	return same
}
