package ir

import "hash/maphash"

// Numbering gives equal values equal numbers. Two values are equal when they are built alike from the same
// variables, tensors and axes. The zero Numbering is ready for use.
type Numbering struct {
	ids   map[*Value]int
	last  map[uint64]int // the last number given to values of a hash
	next  []int          // the one given to such before it; -1: none
	first []*Value       // the values that the numbers were given to
}

// Reset forgets all values, for others.
func (n *Numbering) Reset() {
	if len(n.ids) > maxKept {
		*n = Numbering{}
		return
	}
	clear(n.ids)
	clear(n.last)
	clear(n.first)
	n.next, n.first = n.next[:0], n.first[:0]
}

// ID is the number of v.
func (n *Numbering) ID(v *Value) int {
	if id, ok := n.ids[v]; ok {
		return id
	}
	if n.ids == nil {
		n.ids, n.last = map[*Value]int{}, map[uint64]int{}
	}
	h := leafHash(v)
	for _, a := range v.Args {
		h = mix(h, uint64(n.ID(a)))
	}
	last, ok := n.last[h]
	if !ok {
		last = -1
	}
	id := last
	for id >= 0 && !n.same(v, n.first[id]) {
		id = n.next[id]
	}
	if id < 0 {
		id = len(n.first)
		n.last[h] = id
		n.next, n.first = append(n.next, last), append(n.first, v)
	}
	n.ids[v] = id
	return id
}

// same tells whether values with numbered arguments are equal.
func (n *Numbering) same(a, b *Value) bool {
	if !alike(a, b) {
		return false
	}
	for i, x := range a.Args {
		if y := b.Args[i]; x != y && n.ids[x] != n.ids[y] {
			return false
		}
	}
	return true
}

var hashSeed = maphash.MakeSeed()

// leafHash is a hash of a value but for its arguments.
func leafHash(v *Value) uint64 {
	h := uint64(v.Op)<<8 | uint64(v.Type.Kind)
	name := v.Name
	switch v.Op {
	case OpConst:
		if h = mix(h, v.Const.Num().Uint64()); !v.Const.IsInt() {
			h = mix(h, v.Const.Denom().Uint64())
		}
		return h
	case OpUniform, OpNormal:
		h = mix(h, uint64(v.Stream))
	case OpExtent:
		name = v.Axis.Name
	case OpIndex:
		name = v.Var.Name
	case OpRead, OpPresent:
		name = v.Tensor.Name
	}
	if name == "" {
		return h
	}
	return mix(h, maphash.String(hashSeed, name))
}

// mix puts one more number into a hash.
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// First is the first value seen that equals v.
func (n *Numbering) First(v *Value) *Value { return n.first[n.ID(v)] }

// Equal tells whether two values are built alike.
func (n *Numbering) Equal(a, b *Value) bool { return a == b || alike(a, b) && n.ID(a) == n.ID(b) }

// Share is v with equal parts made one value.
func (n *Numbering) Share(v *Value) *Value { return Map(v, n.First) }

// Equal tells whether two values are built alike from the same variables, tensors and axes.
func Equal(a, b *Value) bool {
	steps := equalSteps
	if same, known := equal(a, b, &steps); known {
		return same
	}
	return new(Numbering).Equal(a, b)
}

// equalSteps bounds the comparison of values part by part, which takes time beyond measure where parts are shared.
const equalSteps = 100

// equal compares part by part. known is false where that took too many steps.
func equal(a, b *Value, steps *int) (same, known bool) {
	if a == b {
		return true, true
	}
	if !alike(a, b) {
		return false, true
	}
	for i, x := range a.Args {
		if *steps--; *steps < 0 {
			return false, false
		}
		if same, known := equal(x, b.Args[i], steps); !same || !known {
			return same, known
		}
	}
	return true, true
}

// alike tells whether two values may be equal, without regard to their arguments.
func alike(a, b *Value) bool {
	if a.Op != b.Op || a.Type != b.Type || len(a.Args) != len(b.Args) {
		return false
	}
	switch a.Op {
	case OpConst:
		return a.Const.Num().Cmp(b.Const.Num()) == 0 && (a.Const.IsInt() && b.Const.IsInt() || a.Const.Denom().Cmp(b.Const.Denom()) == 0)
	case OpScalar:
		return a.Name == b.Name
	case OpUniform, OpNormal:
		return a.Name == b.Name && a.Stream == b.Stream
	case OpExtent:
		return a.Axis == b.Axis
	case OpIndex:
		return a.Var == b.Var
	case OpRead, OpPresent:
		return a.Tensor == b.Tensor
	}
	return true
}

// EqualDefs tells whether two definitions into targets of the same axes compute the same, up to the names of variables.
func EqualDefs(a, b *Def) bool {
	if a.Monoid != b.Monoid || a.Group != 0 || b.Group != 0 || len(a.Vars) != len(b.Vars) || len(a.Dest) != len(b.Dest) ||
		len(a.Where) != len(b.Where) || a.Target.Elem != b.Target.Elem || a.Target.Exact != b.Target.Exact || a.Across != b.Across {
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
