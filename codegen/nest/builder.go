package nest

import (
	"errors"
	"fmt"
	"math"
)

// Builder makes a Nest. Instructions are added where the builder stands: within the function given to For they
// are in that loop. An instruction that doesn't depend on a loop is put before it, and an equal one is not added
// twice. The first mistake is remembered and reported by Done.
type Builder struct {
	nest  *Nest
	open  []*block
	where map[*Value]*block
	slots map[int]*slotState
	next  int
	err   error
}

// block is the body of a loop, or of the nest.
type block struct {
	loop   *For // nil: the nest
	level  int
	body   []Stmt
	same   map[sameKey]*Value
	stores int
	closed bool
}

type slotState struct {
	at   *block // where the loop it reduces over stands
	loop *block
	lane bool
}

// sameKey tells instructions apart that may not be merged.
type sameKey struct {
	op                    Op
	a, b, c               *Value
	imm                   uint64
	operand, scalar, slot int
	stores                int
}

// NewBuilder starts a nest whose floats are F32 or F64.
func NewBuilder(name string, float DType) *Builder {
	b := &Builder{
		nest:  &Nest{Name: name, Float: float},
		where: map[*Value]*block{},
		slots: map[int]*slotState{},
	}
	b.open = []*block{{same: map[sameKey]*Value{}}}
	return b
}

// Float is the dtype of the floats of the nest.
func (b *Builder) Float() DType { return b.nest.Float }

// SetLanes fixes the number of virtual lanes of reductions, which Done else chooses.
func (b *Builder) SetLanes(n int) { b.nest.Lanes = n }

// Operand declares a tensor and gives its number.
func (b *Builder) Operand(o Operand) int {
	b.nest.Operands = append(b.nest.Operands, o)
	return len(b.nest.Operands) - 1
}

// Scalar declares a float that the host computes and gives its number.
func (b *Builder) Scalar(name string) int { return b.scalar(Scalar{Name: name}) }

// IntScalar declares an index that the host computes and gives its number.
func (b *Builder) IntScalar(name string) int { return b.scalar(Scalar{Name: name, Int: true}) }

func (b *Builder) scalar(s Scalar) int {
	b.nest.Scalars = append(b.nest.Scalars, s)
	return len(b.nest.Scalars) - 1
}

// Slot declares a reduction and gives its number.
func (b *Builder) Slot(s Slot) int {
	b.nest.Slots = append(b.nest.Slots, s)
	return len(b.nest.Slots) - 1
}

// For adds a loop whose body is what f adds.
func (b *Builder) For(d Depth, f func()) {
	loop := &For{Depth: d}
	blk := &block{loop: loop, level: len(b.open), same: map[sameKey]*Value{}}
	b.open = append(b.open, blk)
	f()
	b.open = b.open[:blk.level]
	blk.closed = true
	loop.Body = blk.body
	at := b.current()
	at.body = append(at.body, loop)
	at.stores += blk.stores
}

// Const is a float.
func (b *Builder) Const(x float64) *Value {
	if b.nest.Float == F32 {
		x = float64(float32(x))
	}
	return b.add(0, &Value{Op: Const, Imm: x})
}

// BitsConst is a pattern of bits; for F32 the low 32.
func (b *Builder) BitsConst(x uint64) *Value {
	if b.nest.Float == F32 && x > math.MaxUint32 {
		b.fail(fmt.Errorf("bits %#x don't fit in 32", x))
	}
	return b.add(0, &Value{Op: BitsConst, Bits: x})
}

// Mask is a condition that holds always or never.
func (b *Builder) Mask(on bool) *Value {
	v := &Value{Op: MaskConst}
	if on {
		v.Imm = 1
	}
	return b.add(0, v)
}

// ScalarOf is the value of a scalar: Float, or Int where it was declared so.
func (b *Builder) ScalarOf(scalar int) *Value {
	v := &Value{Op: ScalarOf, Scalar: scalar}
	if scalar >= 0 && scalar < len(b.nest.Scalars) && b.nest.Scalars[scalar].Int {
		v.Op = IntScalar
	}
	return b.add(0, v)
}

// Load is the element of a float operand at the current point.
func (b *Builder) Load(operand int) *Value { return b.load(Load, operand) }

// LoadInt is the element of an integer operand at the current point.
func (b *Builder) LoadInt(operand int) *Value { return b.load(LoadInt, operand) }

// Gather is the element of operand in the current row with index idx along the vector axis.
func (b *Builder) Gather(operand int, idx *Value) *Value { return b.load(Gather, operand, idx) }

// load adds a read of memory in the deepest loop that it depends on. An input never changes before the loads of
// it are over, so loads of inputs move; others stay where they are.
func (b *Builder) load(op Op, operand int, args ...*Value) *Value {
	v := &Value{Op: op, Operand: operand, Args: args}
	if operand < 0 || operand >= len(b.nest.Operands) {
		b.fail(fmt.Errorf("%s of operand %d: there is none", op, operand))
		return b.place(b.current(), v)
	}
	o := &b.nest.Operands[operand]
	v.Lane = op != Gather && o.Vector && b.loopAt(Vector) != nil
	if o.Mode != In {
		return b.add(b.current().level, v)
	}
	level := 0
	for _, blk := range b.open[1:] {
		if o.Moves(blk.loop.Depth) && (op != Gather || blk.loop.Depth != Vector) {
			level = blk.level
		}
	}
	for _, a := range args {
		if blk := b.where[a]; blk != nil {
			level = max(level, blk.level)
		}
	}
	return b.add(level, v)
}

// Iota is the index along the vector axis.
func (b *Builder) Iota() *Value {
	blk := b.loopAt(Vector)
	if blk == nil {
		b.fail(errors.New("iota outside of a vector loop"))
		blk = b.current()
	}
	return b.add(blk.level, &Value{Op: Iota, Lane: true})
}

// Store puts v into the element of operand at the current point.
func (b *Builder) Store(operand int, v *Value) {
	blk := b.current()
	b.place(blk, &Value{Op: Store, Operand: operand, Args: []*Value{v}})
	blk.stores++
}

// Reduce combines v into a slot.
func (b *Builder) Reduce(slot int, v *Value) { b.reduce(slot, v) }

// ReduceProduct adds x*y to a slot, a sum over Serial, with one rounding for both.
func (b *Builder) ReduceProduct(slot int, x, y *Value) { b.reduce(slot, x, y) }

func (b *Builder) reduce(slot int, args ...*Value) {
	b.place(b.current(), &Value{Op: Reduce, Slot: slot, Args: args})
	if slot < 0 || slot >= len(b.nest.Slots) {
		b.fail(fmt.Errorf("reduce into slot %d: there is none", slot))
		return
	}
	loop := b.loopAt(b.nest.Slots[slot].Over)
	if loop == nil {
		b.fail(fmt.Errorf("reduce into slot %d outside of a %s loop", slot, b.nest.Slots[slot].Over))
		return
	}
	st := &slotState{at: b.open[loop.level-1], loop: loop}
	for _, a := range args {
		st.lane = st.lane || a.Lane
	}
	b.slots[slot] = st
}

// Result is what a slot came to, in the point at which its loop stands.
func (b *Builder) Result(slot int) *Value {
	v := &Value{Op: Result, Slot: slot}
	st := b.slots[slot]
	switch {
	case st == nil:
		b.fail(fmt.Errorf("result of slot %d before a reduce into it", slot))
		return b.place(b.current(), v)
	case !st.loop.closed:
		b.fail(fmt.Errorf("result of slot %d within its loop", slot))
		return b.place(b.current(), v)
	case st.at.closed:
		b.fail(fmt.Errorf("result of slot %d outside of the point it belongs to", slot))
		return b.place(b.current(), v)
	}
	v.Lane = st.lane && b.nest.Slots[slot].Over == Serial
	return b.add(st.at.level, v)
}

// Shl shifts bits left by n.
func (b *Builder) Shl(v *Value, n uint) *Value { return b.pure(&Value{Op: BitShl, Shift: n}, v) }

// Shr shifts bits right by n, filling with zeros.
func (b *Builder) Shr(v *Value, n uint) *Value { return b.pure(&Value{Op: BitShr, Shift: n}, v) }

// Op adds an instruction that is a function of its arguments alone.
func (b *Builder) Op(op Op, args ...*Value) *Value {
	v := &Value{Op: op}
	if op.Info().Source || op.Info().Name == "" {
		b.fail(fmt.Errorf("%s is not a function of values", op))
	}
	return b.pure(v, args...)
}

// pure adds a function of args in the deepest loop that holds one of them.
func (b *Builder) pure(v *Value, args ...*Value) *Value {
	v.Args = args
	level := 0
	for _, a := range args {
		if blk := b.where[a]; blk != nil {
			level = max(level, blk.level)
		}
		v.Lane = v.Lane || a.Lane
	}
	return b.add(min(level, b.current().level), v)
}

// add puts v at the end of the open block at level, or finds an equal instruction there.
func (b *Builder) add(level int, v *Value) *Value {
	blk := b.open[level]
	key := sameKey{op: v.Op, imm: math.Float64bits(v.Imm) ^ v.Bits ^ uint64(v.Shift), operand: v.Operand, scalar: v.Scalar, slot: v.Slot}
	if v.Op.Info().Memory && v.Operand < len(b.nest.Operands) && b.nest.Operands[v.Operand].Mode != In {
		key.stores = blk.stores
	}
	for i, p := range []**Value{&key.a, &key.b, &key.c} {
		if i < len(v.Args) {
			*p = v.Args[i]
		}
	}
	if old := blk.same[key]; old != nil {
		return old
	}
	blk.same[key] = v
	return b.place(blk, v)
}

// place adds v to a block as it is, after checking its arguments.
func (b *Builder) place(blk *block, v *Value) *Value {
	info := v.Op.Info()
	v.Type = info.Result
	if len(v.Args) > len(info.Args) || len(v.Args) < len(info.Args)-info.Optional {
		b.fail(fmt.Errorf("%s takes %d arguments, not %d", v.Op, len(info.Args), len(v.Args)))
	}
	if info.Poly && len(v.Args) > 1 {
		v.Type = v.Args[1].Type
	}
	for i, a := range v.Args {
		if from := b.where[a]; from == nil || from.closed {
			b.fail(fmt.Errorf("argument %d of %s is not a value here", i, v.Op))
		}
	}
	v.ID = b.next
	b.next++
	b.where[v] = blk
	blk.body = append(blk.body, v)
	return v
}

func (b *Builder) current() *block { return b.open[len(b.open)-1] }

// loopAt is the body of the innermost open loop of depth d.
func (b *Builder) loopAt(d Depth) *block {
	for i := len(b.open) - 1; i > 0; i-- {
		if b.open[i].loop.Depth == d {
			return b.open[i]
		}
	}
	return nil
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("nest %s: %w", b.nest.Name, err)
	}
}

// Done drops values that nothing uses, numbers the others in order of appearance and verifies the nest.
func (b *Builder) Done() (*Nest, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.nest.Body = b.open[0].body
	b.nest.prune()
	b.nest.number()
	if b.nest.Lanes == 0 {
		b.nest.Lanes = b.nest.lanes()
	}
	if err := b.nest.Verify(); err != nil {
		return nil, err
	}
	return b.nest, nil
}

// Walk calls f for each statement in order, with the loops around it, outermost first. For a loop, f is called
// before its body.
func (n *Nest) Walk(f func(s Stmt, loops []*For)) { walk(n.Body, nil, f) }

func walk(body []Stmt, loops []*For, f func(Stmt, []*For)) {
	for _, s := range body {
		f(s, loops)
		if loop, ok := s.(*For); ok {
			walk(loop.Body, append(loops[:len(loops):len(loops)], loop), f)
		}
	}
}

// prune drops the values that no effect depends on, and loops in which nothing is left.
func (n *Nest) prune() {
	used := map[*Value]bool{}
	var use func(v *Value)
	use = func(v *Value) {
		if !used[v] {
			used[v] = true
			for _, a := range v.Args {
				use(a)
			}
		}
	}
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok && v.Op.Info().Effect {
			use(v)
		}
	})
	var keep func(body []Stmt) []Stmt
	keep = func(body []Stmt) []Stmt {
		var kept []Stmt
		for _, s := range body {
			switch s := s.(type) {
			case *Value:
				if used[s] {
					kept = append(kept, s)
				}
			case *For:
				if s.Body = keep(s.Body); len(s.Body) > 0 {
					kept = append(kept, s)
				}
			}
		}
		return kept
	}
	n.Body = keep(n.Body)
}

// number gives each value its place as its ID.
func (n *Nest) number() {
	id := 0
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok {
			v.ID = id
			id++
		}
	})
}

// Count is the number of values.
func (n *Nest) Count() int {
	count := 0
	n.Walk(func(s Stmt, _ []*For) {
		if _, ok := s.(*Value); ok {
			count++
		}
	})
	return count
}
