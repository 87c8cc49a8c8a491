package ir

// Numbering gives equal values equal numbers. Two values are equal when they are built alike from the same
// variables, tensors and axes. The zero Numbering is ready for use.
type Numbering struct {
	byPtr map[*Value]int
	byKey map[numberKey]int
	first []*Value // nil for the tails of long lists
}

// numberKey is a value whose arguments are numbers. Of more than three arguments the last is the number of the list of
// all but the first two.
type numberKey struct {
	op     Op // OpInvalid: a list
	typ    Type
	name   string // of an attribute; a constant that isn't small
	number int64  // a small constant, a stream
	of     any    // the axis, variable or tensor
	count  int    // of arguments
	args   [3]int
}

// ID is the number of v.
func (n *Numbering) ID(v *Value) int {
	if n.byPtr == nil {
		n.byPtr, n.byKey = map[*Value]int{}, map[numberKey]int{}
	}
	if id, ok := n.byPtr[v]; ok {
		return id
	}
	k := numberKey{op: v.Op, typ: v.Type, count: len(v.Args)}
	switch v.Op {
	case OpConst:
		if c := v.Const; c.IsInt() && c.Num().IsInt64() {
			k.number = c.Num().Int64()
		} else {
			k.name = c.RatString()
		}
	case OpScalar:
		k.name = v.Name
	case OpUniform, OpNormal:
		k.name, k.number = v.Name, int64(v.Stream)
	case OpExtent:
		k.of = v.Axis
	case OpIndex:
		k.of = v.Var
	case OpRead, OpPresent:
		k.of = v.Tensor
	}
	for i, a := range v.Args {
		if i == 2 && len(v.Args) > 3 {
			k.args[2] = n.list(v.Args[2:])
			break
		}
		k.args[i] = n.ID(a)
	}
	id := n.number(k, v)
	n.byPtr[v] = id
	return id
}

// list is the number of a list of values.
func (n *Numbering) list(vs []*Value) int {
	k := numberKey{count: len(vs)}
	k.args[0] = n.ID(vs[0])
	if len(vs) > 1 {
		k.args[1] = n.list(vs[1:])
	}
	return n.number(k, nil)
}

func (n *Numbering) number(k numberKey, v *Value) int {
	id, ok := n.byKey[k]
	if !ok {
		id = len(n.first)
		n.byKey[k] = id
		n.first = append(n.first, v)
	}
	return id
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
		return a.Const.Cmp(b.Const) == 0
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
		len(a.Where) != len(b.Where) || a.Target.Elem != b.Target.Elem || a.Across != b.Across {
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
