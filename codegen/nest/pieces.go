package nest

// Long rows are reduced in pieces. A reduction over Vector of a row of more than PieceElements points (lanes × steps) is
// that of pieces of Piece lanes, each reduced as Slot says, and their results are combined pairwise: neighbours, then
// neighbours of those. This is part of what a nest means, so all targets that promise the same bits give them.
//
// A kernel computes a piece, of a whole short row or of a long one. For a long one it is called for each pass and
// each piece: a pass is a vector loop with the uniform code before it, which the kernel computes again from the
// results of the passes before. What is done once a row stands behind the last pass.

// PieceElements bounds the points that one call of a kernel runs over.
const PieceElements = 1 << 15

// PieceLanes is what the extents of pieces are multiples of: the most virtual lanes.
const PieceLanes = 64

// Piece is how many of n lanes, each of k steps, make a piece.
func Piece(n, k int) int {
	k = max(k, 1)
	if n*k <= PieceElements {
		return n
	}
	return min(n, max(PieceLanes, PieceElements/k/PieceLanes*PieceLanes))
}

// Passes are how a nest runs over a long row.
type Passes struct {
	Loops []*For   // the vector loops, in order: pass 1, 2 …
	Slots []int    // those over Vector whose results are used, in the order of their passes
	Of    []int    // the pass of each
	Ends  bool     // there are stores or reductions once a row
	index [][2]int // by slot: where it stands in Slots, and whether it does
	acc   []int    // by slot over Grid: the pass that reduces it, 0 where that is done once a row
}

// Passes says how a nest runs over a long row; nil where the vector axis may be cut anywhere, or where there is none: then
// nothing needs a row as a whole.
func (n *Nest) Passes() *Passes {
	p := &Passes{index: make([][2]int, len(n.Slots)), acc: make([]int, len(n.Slots))}
	whole := false
	used := map[int]bool{}
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok && v.Op == Result {
			used[v.Slot] = true
		}
	})
	n.Walk(func(s Stmt, loops []*For) {
		inVector := false
		for _, l := range loops {
			inVector = inVector || l.Depth == Vector
		}
		if l, ok := s.(*For); ok {
			if l.Depth == Vector {
				p.Loops = append(p.Loops, l)
			}
			return
		}
		switch v := s.(*Value); v.Op {
		case Reduce:
			switch slot := &n.Slots[v.Slot]; {
			case slot.Over == Vector && used[v.Slot]:
				p.index[v.Slot] = [2]int{len(p.Slots), 1}
				p.Slots, p.Of = append(p.Slots, v.Slot), append(p.Of, len(p.Loops))
				whole = true
			case slot.Over == Grid && !inVector:
				p.Ends = true
			case slot.Over == Grid:
				p.acc[v.Slot] = len(p.Loops)
			}
		case Store:
			p.Ends = p.Ends || !inVector
		case Gather:
			whole = whole || n.Operands[v.Operand].Mode != In
		}
	})
	if len(p.Loops) == 0 || !whole && !p.Ends {
		return nil
	}
	return p
}

// Number is the pass of a loop, 0 for loops that are none.
func (p *Passes) Number(l *For) int {
	if p == nil {
		return 0
	}
	for i, pass := range p.Loops {
		if pass == l {
			return i + 1
		}
	}
	return 0
}

// Index is where a slot stands among those over Vector.
func (p *Passes) Index(slot int) (i int, ok bool) {
	return p.index[slot][0], p.index[slot][1] == 1
}

// Accumulates is the pass that reduces a slot over Grid: one more than there are, where that is done once a row.
func (p *Passes) Accumulates(slot int) int {
	if pass := p.acc[slot]; pass > 0 {
		return pass
	}
	return len(p.Loops) + 1
}

// Last says whether a pass is the last thing that a row does: no code for calls after it is needed.
func (p *Passes) Last(pass int) bool { return pass == len(p.Loops) && !p.Ends }

// PieceSteps is how many steps of a long serial axis make a piece, where a nest of more than PieceElements points stores nothing but what it
// reduces over that axis (CutSteps), or a function of a sum of products (Sums): the results of pieces are combined pairwise. It is a multiple
// of SerialBlock.
const PieceSteps = 1 << 14

// CutsSteps says whether a long serial axis is cut into pieces.
func (n *Nest) CutsSteps() bool {
	if _, ok := n.CutSteps(); ok {
		return true
	}
	return n.Sums() != nil
}

// CutSteps is the operand that holds what a nest reduces over its serial axis; ok is false where it does anything else.
func (n *Nest) CutSteps() (operand int, ok bool) {
	operand, ok = -1, len(n.Slots) == 1 && n.Slots[0].Over == Serial
	n.Walk(func(s Stmt, _ []*For) {
		v, isValue := s.(*Value)
		if !isValue || v.Op != Store {
			return
		}
		ok = ok && operand < 0 && v.Args[0].Op == Result && n.Operands[v.Operand].Mode == Out
		operand = v.Operand
	})
	return operand, ok && operand >= 0
}
