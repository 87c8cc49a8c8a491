package nest

import (
	"fmt"
	"go/token"
	"math"
)

// Verify checks that n follows the rules of this package, on which all emitters rely. The error names the value
// or the part of the nest that doesn't.
func (n *Nest) Verify() error {
	v := &verifier{n: n, seen: map[*Value]*site{}, slots: make([]slotSites, len(n.Slots)), operands: make([]operandSites, len(n.Operands))}
	v.header()
	if v.err == nil {
		v.body(n.Body, &site{})
	}
	if v.err == nil {
		v.afterBody()
	}
	if v.err != nil {
		return fmt.Errorf("nest %s: %w", n.Name, v.err)
	}
	return nil
}

// site is a body of statements that is being or was visited.
type site struct {
	loop   *For // nil: the nest
	parent *site
	closed bool
}

// at is the innermost loop of depth d around s, with s itself.
func (s *site) at(d Depth) *site {
	for ; s != nil && s.loop != nil; s = s.parent {
		if s.loop.Depth == d {
			return s
		}
	}
	return nil
}

// inner is the depth of the innermost loop; ok is false outside of all loops.
func (s *site) inner() (d Depth, ok bool) {
	if s.loop == nil {
		return 0, false
	}
	return s.loop.Depth, true
}

type slotSites struct {
	reduce *site
	lane   bool
}

// operandSites are the places that use an operand, in order of appearance.
type operandSites struct {
	uses  []use
	store *site
	order int // of the store
}

type use struct {
	v     *Value
	at    *site
	order int
}

type verifier struct {
	n        *Nest
	seen     map[*Value]*site
	slots    []slotSites
	operands []operandSites
	count    int
	err      error
}

func (v *verifier) failf(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

// header checks the declarations.
func (v *verifier) header() {
	n := v.n
	if !token.IsIdentifier(n.Name) {
		v.failf("the name is no identifier")
	}
	if !n.Float.IsFloat() {
		v.failf("the float dtype is %s", n.Float)
	}
	if n.Lanes < 1 || n.Lanes > 64 || n.Lanes&(n.Lanes-1) != 0 {
		v.failf("%d lanes: not a power of two up to 64", n.Lanes)
	}
	if len(n.Operands) > MaxOperands {
		v.failf("%d operands: more than %d", len(n.Operands), MaxOperands)
	}
	if len(n.Scalars) > MaxScalars {
		v.failf("%d scalars: more than %d", len(n.Scalars), MaxScalars)
	}
	accs := map[int]int{}
	for i, s := range n.Slots {
		v.slot(i, s, accs)
	}
	for i := range n.Operands {
		v.operand(i, accs)
	}
}

func (v *verifier) slot(i int, s Slot, accs map[int]int) {
	if s.Monoid > ProdOf || s.Over > Serial {
		v.failf("slot %d: unknown monoid or loop", i)
	}
	if s.Over != Grid {
		if s.Wide {
			v.failf("slot %d: wide, but over %s", i, s.Over)
		}
		return
	}
	if s.Acc < 0 || s.Acc >= len(v.n.Operands) || v.n.Operands[s.Acc].Mode != Acc {
		v.failf("slot %d: operand %d is no accumulator", i, s.Acc)
		return
	}
	if accs[s.Acc]++; accs[s.Acc] > 1 {
		v.failf("slot %d: operand %d has another slot", i, s.Acc)
	}
	if v.n.Operands[s.Acc].Vector != s.Wide {
		v.failf("slot %d: operand %d moves along vector: %t, wide: %t", i, s.Acc, v.n.Operands[s.Acc].Vector, s.Wide)
	}
}

func (v *verifier) operand(i int, accs map[int]int) {
	o := &v.n.Operands[i]
	switch {
	case o.Mode > Acc || o.DType > I64:
		v.failf("operand %d: unknown mode or dtype", i)
	case o.DType.IsFloat() && o.DType != v.n.Float:
		v.failf("operand %d: %s in a nest of %s", i, o.DType, v.n.Float)
	case !o.DType.IsFloat() && o.Mode != In:
		v.failf("operand %d: %s but not an input", i, o.DType)
	case !o.DType.IsFloat() && o.Vector:
		v.failf("operand %d: integers that move along vector", i)
	case o.Mode == Acc && (o.Grid || o.Serial):
		v.failf("operand %d: an accumulator that moves along grid or serial", i)
	case o.Mode == Acc && accs[i] == 0:
		v.failf("operand %d: an accumulator without a slot", i)
	case o.Mode != Out && len(o.InPlace) > 0:
		v.failf("operand %d: in place, but not an output", i)
	}
	for _, p := range o.InPlace {
		if p < 0 || p >= len(v.n.Operands) {
			v.failf("operand %d: in place of operand %d, which there is not", i, p)
			continue
		}
		q := &v.n.Operands[p]
		if q.Mode != In || q.DType != o.DType || q.Grid != o.Grid || q.Vector != o.Vector || q.Serial != o.Serial {
			v.failf("operand %d: in place of operand %d, which is no input of the same shape", i, p)
		}
	}
}

// body checks the statements of one loop, or of the nest.
func (v *verifier) body(stmts []Stmt, at *site) {
	for i, s := range stmts {
		switch s := s.(type) {
		case *Value:
			v.value(s, at)
		case *For:
			if outer, ok := at.inner(); ok && s.Depth <= outer || s.Depth > Serial {
				v.failf("a %s loop in a %s loop", s.Depth, outer)
			}
			if s.Depth == Grid {
				for _, other := range stmts[:i] {
					if _, ok := other.(*For); ok {
						v.failf("a loop before the grid loop")
					}
				}
				if i != len(stmts)-1 {
					v.failf("statements after the grid loop")
				}
			}
			inner := &site{loop: s, parent: at}
			v.body(s.Body, inner)
			inner.closed = true
		default:
			v.failf("a statement that is neither a value nor a loop")
		}
	}
}

// value checks one instruction.
func (v *verifier) value(x *Value, at *site) {
	info := x.Op.Info()
	fail := func(format string, args ...any) {
		v.failf("v%d = %s: %s", x.ID, x.Op, fmt.Sprintf(format, args...))
	}
	if info.Name == "" {
		fail("no such instruction")
		return
	}
	if _, twice := v.seen[x]; twice {
		fail("stands in two places")
	}
	if x.ID != v.count {
		fail("is value number %d", v.count)
	}
	v.count++
	if len(x.Args) > len(info.Args) || len(x.Args) < len(info.Args)-info.Optional {
		fail("%d arguments", len(x.Args))
		return
	}
	lane := false
	for i, a := range x.Args {
		from, ok := v.seen[a]
		switch want := info.Args[i]; {
		case !ok || from.closed:
			fail("argument %d is not defined here", i)
			return
		case a.Op.Info().Effect:
			fail("argument %d has no value", i)
		case info.Poly && i > 0:
			if a.Type != x.Args[1].Type || a.Type != Float && a.Type != Bits {
				fail("argument %d is %s", i, a.Type)
			}
		case a.Type != want:
			fail("argument %d is %s, not %s", i, a.Type, want)
		}
		lane = lane || a.Lane
	}
	v.imm(x, fail)
	switch x.Op {
	case Load, LoadInt, Gather, Store:
		if x.Operand < 0 || x.Operand >= len(v.n.Operands) {
			fail("no operand %d", x.Operand)
			return
		}
		v.access(x, at, fail)
		lane = (x.Op == Load || x.Op == LoadInt) && v.n.Operands[x.Operand].Vector
	case Reduce, Result:
		if x.Slot < 0 || x.Slot >= len(v.n.Slots) {
			fail("no slot %d", x.Slot)
			return
		}
		if x.Op == Reduce {
			v.reduce(x, at, fail)
		} else {
			lane = v.result(x, at, fail)
		}
	case Iota:
		lane = true
		if at.at(Vector) == nil {
			fail("not in a vector loop")
		}
	case IntSelect:
		if lane {
			fail("of lanes; indices are selected in uniform code")
		}
	}
	typ := info.Result
	if info.Poly {
		typ = x.Args[1].Type
	}
	if info.Effect {
		lane = false
	} else if x.Type != typ {
		fail("is marked %s, not %s", x.Type, typ)
	}
	if x.Lane != lane {
		fail("marked as a lane value: %t", x.Lane)
	}
	v.seen[x] = at
}

// imm checks the fields of an instruction that has some.
func (v *verifier) imm(x *Value, fail func(string, ...any)) {
	f32 := v.n.Float == F32
	switch x.Op {
	case Const:
		if f32 && float64(float32(x.Imm)) != x.Imm && x.Imm == x.Imm {
			fail("%v is no float32", x.Imm)
		}
	case BitsConst:
		if f32 && x.Bits > math.MaxUint32 {
			fail("%#x has more than 32 bits", x.Bits)
		}
	case MaskConst:
		if x.Imm != 0 && x.Imm != 1 {
			fail("%v is neither 0 nor 1", x.Imm)
		}
	case BitShl, BitShr:
		if x.Shift >= uint(8*v.n.Float.Size()) {
			fail("by %d", x.Shift)
		}
	case ScalarOf, IntScalar:
		if x.Scalar < 0 || x.Scalar >= len(v.n.Scalars) {
			fail("no scalar %d", x.Scalar)
		} else if v.n.Scalars[x.Scalar].Int != (x.Op == IntScalar) {
			fail("scalar %d is of the other kind", x.Scalar)
		}
	}
}
