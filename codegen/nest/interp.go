package nest

import (
	"errors"
	"fmt"
)

// Args is what the interpreter runs a nest on.
type Args struct {
	Rows, N, K int      // extents of the loops; a loop that is not in the text runs once
	Piece      int      // the lanes of a piece, see the function of this name; 0: rows are one piece, as in a call of a kernel
	PieceSteps int      // the steps of a piece of the serial axis; 0: it is one piece
	Operands   []Buffer // one for each operand
	F          []float64
	I          []int // F[i] or I[i] is scalar i, by its kind
}

// Buffer is the memory behind an operand: element (r, n, k) is at Base + r*Row + n*Step + k*KStep of the slice of
// the operand's dtype.
type Buffer struct {
	F32                    []float32
	F64                    []float64
	I32                    []int32
	I64                    []int64
	Base, Row, Step, KStep int
}

// Run computes a nest one point at a time, exactly as this package defines it. It is slow, and what all emitters
// are measured by. An access outside of a buffer is an error.
func (n *Nest) Run(a *Args) error {
	if err := n.checkArgs(a); err != nil {
		return fmt.Errorf("nest %s: %w", n.Name, err)
	}
	m := &machine{
		nest: n, args: a, alu: alu{f32: n.Float == F32},
		cells:  make([]cell, n.Count()),
		slots:  make([]accumulator, len(n.Slots)),
		inLoop: map[*For][]int{},
	}
	n.Walk(func(s Stmt, loops []*For) {
		if v, ok := s.(*Value); ok && v.Op == Reduce {
			inner := loops[len(loops)-1]
			m.inLoop[inner] = append(m.inLoop[inner], v.Slot)
			m.slots[v.Slot].lanes = make([]float64, n.accumulators(v.Slot, inner))
		}
	})
	for i := range m.slots {
		m.slots[i].reset(m.identity(i))
	}
	if err := m.body(n.Body); err != nil {
		return fmt.Errorf("nest %s: %w", n.Name, err)
	}
	for i, s := range n.Slots {
		if s.Over == Grid && !s.Wide {
			m.finish(i)
			if err := m.store(s.Acc, m.slots[i].result, a.Operands[s.Acc].Base); err != nil {
				return fmt.Errorf("nest %s: slot %d: %w", n.Name, i, err)
			}
		}
	}
	return nil
}

// accumulators is in how many numbers a slot that is reduced in loop combines.
func (n *Nest) accumulators(slot int, loop *For) int {
	if loop.Depth == Vector && !n.Slots[slot].Wide {
		return n.Lanes
	}
	return 1
}

func (n *Nest) checkArgs(a *Args) error {
	if a.Rows < 0 || a.N < 0 || a.K < 0 {
		return errors.New("a negative extent")
	}
	if len(a.Operands) != len(n.Operands) {
		return fmt.Errorf("%d operands, not %d", len(a.Operands), len(n.Operands))
	}
	for i, s := range n.Scalars {
		if s.Int && i >= len(a.I) || !s.Int && i >= len(a.F) {
			return fmt.Errorf("scalar %d is missing", i)
		}
	}
	return nil
}

// cell holds a value: f a Float, u an Int, Bits or Mask.
type cell struct {
	f float64
	u uint64
}

// accumulator is the state of a slot.
type accumulator struct {
	lanes  []float64
	outer  float64 // sums over Serial
	steps  int
	pieces []float64 // the results of the pieces before
	result float64
}

func (s *accumulator) reset(identity float64) {
	for i := range s.lanes {
		s.lanes[i] = identity
	}
	s.outer, s.steps = 0, 0
}

// endPiece begins the next piece.
func (m *machine) endPiece(slot int) {
	m.finish(slot)
	s := &m.slots[slot]
	s.pieces = append(s.pieces, s.result)
	s.reset(m.identity(slot))
}

// endRow combines the pieces of a row, or of a serial axis.
func (m *machine) endRow(slot int) {
	m.endPiece(slot)
	s, monoid := &m.slots[slot], m.nest.Slots[slot].Monoid
	for step := 1; step < len(s.pieces); step *= 2 {
		for at := 0; at+step < len(s.pieces); at += 2 * step {
			s.pieces[at] = m.alu.combine(monoid, s.pieces[at], s.pieces[at+step])
		}
	}
	s.result, s.pieces = s.pieces[0], s.pieces[:0]
}

type machine struct {
	nest    *Nest
	args    *Args
	alu     alu
	cells   []cell
	slots   []accumulator
	inLoop  map[*For][]int // slots that are reduced directly in a loop
	r, n, k int
}

func (m *machine) identity(slot int) float64 { return m.nest.Slots[slot].Monoid.Identity() }

func (m *machine) body(stmts []Stmt) error {
	for _, s := range stmts {
		var err error
		switch s := s.(type) {
		case *For:
			err = m.loop(s)
		case *Value:
			if err = m.value(s); err != nil {
				err = fmt.Errorf("v%d = %s at row %d, element %d, step %d: %w", s.ID, s.Op, m.r, m.n, m.k, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) loop(l *For) error {
	index, extent := &m.r, m.args.Rows
	switch l.Depth {
	case Vector:
		index, extent = &m.n, m.args.N
	case Serial:
		index, extent = &m.k, m.args.K
	}
	for _, s := range m.inLoop[l] {
		if m.nest.Slots[s].Over != Grid {
			m.slots[s].reset(m.identity(s))
		}
	}
	piece := extent
	switch {
	case l.Depth == Vector && m.args.Piece > 0:
		piece = m.args.Piece
	case l.Depth == Serial && m.args.PieceSteps > 0:
		piece = m.args.PieceSteps
	}
	for *index = 0; *index < extent; *index++ {
		if *index > 0 && *index%piece == 0 {
			for _, s := range m.inLoop[l] {
				if m.nest.Slots[s].Over == l.Depth {
					m.endPiece(s)
				}
			}
		}
		if err := m.body(l.Body); err != nil {
			return err
		}
	}
	*index = 0
	for _, s := range m.inLoop[l] {
		if m.nest.Slots[s].Over != Grid {
			m.endRow(s)
		}
	}
	return nil
}

// finish combines the accumulators of a slot.
func (m *machine) finish(slot int) {
	s, monoid := &m.slots[slot], m.nest.Slots[slot].Monoid
	for h := len(s.lanes) / 2; h >= 1; h /= 2 {
		for i := range h {
			s.lanes[i] = m.alu.combine(monoid, s.lanes[i], s.lanes[i+h])
		}
	}
	s.result = s.lanes[0]
	if m.blocked(slot) {
		s.result = m.alu.add(s.outer, s.lanes[0])
	}
}

// blocked says whether a slot is a sum in blocks.
func (m *machine) blocked(slot int) bool {
	s := &m.nest.Slots[slot]
	return s.Over == Serial && s.Monoid == SumOf
}

func (m *machine) reduce(v *Value) error {
	slot, s := &m.nest.Slots[v.Slot], &m.slots[v.Slot]
	x := m.cells[v.Args[0].ID].f
	if slot.Wide {
		at := m.args.Operands[slot.Acc].Base + m.n*m.args.Operands[slot.Acc].Step
		old, err := m.load(slot.Acc, at)
		if err != nil {
			return err
		}
		return m.store(slot.Acc, m.alu.combine(slot.Monoid, old.f, x), at)
	}
	lane := &s.lanes[0]
	if len(s.lanes) > 1 {
		lane = &s.lanes[m.n%len(s.lanes)]
	}
	if len(v.Args) == 2 {
		*lane = m.alu.fma(x, m.cells[v.Args[1].ID].f, *lane)
	} else {
		*lane = m.alu.combine(slot.Monoid, *lane, x)
	}
	if s.steps++; m.blocked(v.Slot) && s.steps == SerialBlock {
		s.outer = m.alu.add(s.outer, *lane)
		*lane, s.steps = 0, 0
	}
	return nil
}

// index is where the current point of an operand is in its buffer.
func (m *machine) index(operand int) int {
	o, b := &m.nest.Operands[operand], &m.args.Operands[operand]
	at := b.Base
	if o.Grid {
		at += m.r * b.Row
	}
	if o.Vector {
		at += m.n * b.Step
	}
	if o.Serial {
		at += m.k * b.KStep
	}
	return at
}

func (m *machine) load(operand, at int) (cell, error) {
	b := &m.args.Operands[operand]
	switch m.nest.Operands[operand].DType {
	case F32:
		if at >= 0 && at < len(b.F32) {
			return cell{f: float64(b.F32[at])}, nil
		}
	case F64:
		if at >= 0 && at < len(b.F64) {
			return cell{f: b.F64[at]}, nil
		}
	case I32:
		if at >= 0 && at < len(b.I32) {
			return cell{u: uint64(b.I32[at])}, nil
		}
	case I64:
		if at >= 0 && at < len(b.I64) {
			return cell{u: uint64(b.I64[at])}, nil
		}
	}
	return cell{}, m.outside(operand, at)
}

func (m *machine) store(operand int, x float64, at int) error {
	b := &m.args.Operands[operand]
	switch {
	case m.nest.Operands[operand].DType == F32 && at >= 0 && at < len(b.F32):
		b.F32[at] = float32(x)
	case m.nest.Operands[operand].DType == F64 && at >= 0 && at < len(b.F64):
		b.F64[at] = x
	default:
		return m.outside(operand, at)
	}
	return nil
}

func (m *machine) outside(operand, at int) error {
	b := &m.args.Operands[operand]
	return fmt.Errorf("element %d of operand %d (%s), which has %d", at, operand, m.nest.Operands[operand].Name,
		max(len(b.F32), len(b.F64), len(b.I32), len(b.I64)))
}

// value computes one instruction at the current point.
func (m *machine) value(v *Value) error {
	var out cell
	var err error
	switch v.Op {
	case Load, LoadInt:
		out, err = m.load(v.Operand, m.index(v.Operand))
	case Gather:
		out, err = m.gather(v)
	case Store:
		if b := &m.args.Operands[v.Operand]; b.Step == 0 && m.nest.Operands[v.Operand].Vector && m.args.N > 1 {
			return errors.New("a store with step 0")
		}
		return m.store(v.Operand, m.cells[v.Args[0].ID].f, m.index(v.Operand))
	case Reduce:
		return m.reduce(v)
	case Result:
		out.f = m.slots[v.Slot].result
	case Const, MaskConst:
		out = cell{f: v.Imm, u: bit(v.Imm != 0)}
	case BitsConst:
		out.u = v.Bits
	case ScalarOf:
		out.f = m.alu.round(m.args.F[v.Scalar])
	case IntScalar:
		out.u = uint64(m.args.I[v.Scalar])
	case Iota:
		out.u = uint64(m.n)
	default:
		var args [3]cell
		for i, a := range v.Args {
			args[i] = m.cells[a.ID]
		}
		out, err = m.alu.apply(v, args)
	}
	m.cells[v.ID] = out
	return err
}

// gather reads at an index that is data. One that a guard replaces is 0, and there is an element 0 even where the extent is 0.
func (m *machine) gather(v *Value) (cell, error) {
	idx := int(m.cells[v.Args[0].ID].u)
	if idx < 0 || idx >= max(m.args.N, 1) {
		return cell{}, fmt.Errorf("index %d, extent %d", idx, m.args.N)
	}
	n := m.n
	m.n = idx
	at := m.index(v.Operand)
	m.n = n
	return m.load(v.Operand, at)
}
