package runtime

import (
	"sync"
	"unsafe"
)

// longSteps is a launch with a long serial axis, in pieces; or with pieces that are points of a batch, which are summed over.
type longSteps struct {
	kernel Kernel
	plan   *Plan
	batch  *Batch // nil: pieces of the serial axis
	args   Args   // of the whole launch
	own    Args   // of the caller's piece
	floats int    // that the kernel stores
	buffer *block // several times as many
}

var stepsPool = sync.Pool{New: func() any { return new(longSteps) }}

// sideBySide bounds the memory, in floats, for pieces that several threads take; with more, rows and lanes are enough for all of them.
const sideBySide = 1 << 18

// rowParts bounds the memory of a launch, in floats, for what takes as much as its results, or several times as much: with more of them they
// are computed in parts, some rows each. Rows don't depend on each other.
var rowParts = 1 << 22 // tests set less

// byRows runs a launch in parts of some rows.
func byRows(k Kernel, a *Args, p *Plan, rows int, launch func(Kernel, *Args, *Plan)) {
	for row := 0; row < a.Rows; row += rows {
		part := *a
		part.Rows, part.First = min(rows, a.Rows-row), a.First+row
		for i := range p.Operands {
			if a.Ptr[i] != nil {
				part.Ptr[i] = a.element(i, row, 0, &p.Operands[i])
			}
		}
		launch(k, &part, p)
	}
}

// cutsSteps reports whether the serial axis of a launch is cut into pieces, by the kernel or by one that adds up its products.
func cutsSteps(a *Args, p *Plan) bool {
	return (p.Steps || p.Sums != nil) && a.K > pieceSteps && a.Rows*a.N*a.K > chunkElements
}

// launchPieces runs a kernel over pieces and combines what it stores: neighbours, then neighbours of those.
func launchPieces(k Kernel, a *Args, p *Plan, pieces int, batch *Batch) {
	if rows := max(1, rowParts/max(1, levelsOf(pieces)*a.N)); p.Rows && rows < a.Rows && pieces*a.Rows*a.N > sideBySide {
		byRows(k, a, p, rows, func(k Kernel, part *Args, p *Plan) { launchPieces(k, part, p, pieces, batch) })
		return
	}
	l := stepsPool.Get().(*longSteps)
	l.kernel, l.plan, l.batch, l.args = k, p, batch, *a
	l.floats = a.Rows * a.N
	o := Operand{DType: p.Operands[p.StepsTo].DType, Monoid: p.StepsMonoid}
	if pieces*l.floats <= sideBySide {
		l.buffer = getScratch(pieces * l.floats * o.DType.Size())
		runTasks(l, nil, pieces)
		combinePairs(l.at(0), l.at(0), pieces, l.floats, &o)
	} else {
		l.inTurn(pieces, &o)
	}
	l.store(&o)
	putScratch(l.buffer)
	l.kernel, l.plan, l.batch, l.buffer = nil, nil, nil, nil
	l.args.forget()
	l.own.forget()
	stepsPool.Put(l)
}

// levelsOf is how many results of pieces are kept at once, where neighbours are combined.
func levelsOf(pieces int) int {
	levels := 2
	for n := pieces; n > 1; n /= 2 {
		levels++
	}
	return levels
}

// inTurn runs the pieces one after the other, and combines them as soon as they have a neighbour: few are kept.
func (l *longSteps) inTurn(pieces int, o *Operand) {
	l.buffer = getScratch(levelsOf(pieces) * l.floats * o.DType.Size())
	top := 0
	join := func() {
		top--
		combinePairs(l.at(top-1), l.at(top-1), 2, l.floats, o)
	}
	for i := range pieces {
		l.piece(&l.own, i, l.at(top))
		top++
		for n := i + 1; n&1 == 0; n /= 2 {
			join()
		}
	}
	for top > 1 {
		join()
	}
}

func (l *longSteps) task(a *Args, i int) { l.piece(a, i, l.at(i)) }

// at is the memory of a result.
func (l *longSteps) at(i int) unsafe.Pointer {
	return unsafe.Add(l.buffer.pointer(), i*l.floats*l.plan.Operands[l.plan.StepsTo].DType.Size())
}

// piece runs the kernel over a piece.
func (l *longSteps) piece(a *Args, i int, to unsafe.Pointer) {
	*a = l.args
	if b := l.batch; b != nil {
		b.move(a, b.n-b.sums, b.n, i)
		a.Ptr[l.plan.StepsTo], a.Row[l.plan.StepsTo] = to, a.N
		call(l.kernel, a)
		return
	}
	from := i * pieceSteps
	a.K = min(pieceSteps, l.args.K-from)
	for k := range l.plan.Operands {
		if d := from * a.KStep[k]; d != 0 && a.Ptr[k] != nil {
			a.Ptr[k] = unsafe.Add(a.Ptr[k], d*l.plan.Operands[k].DType.Size())
		}
	}
	a.Ptr[l.plan.StepsTo], a.Row[l.plan.StepsTo] = to, a.N
	Launch(l.kernel, a, l.plan)
}

// store copies the first result to where the launch stores.
func (l *longSteps) store(o *Operand) {
	k, size := l.plan.StepsTo, o.DType.Size()
	for row := range l.args.Rows {
		from := unsafe.Add(l.at(0), row*l.args.N*size)
		to := l.args.element(k, row, 0, o)
		Copy(unsafe.Slice((*byte)(to), l.args.N*size), unsafe.Slice((*byte)(from), l.args.N*size))
	}
}
