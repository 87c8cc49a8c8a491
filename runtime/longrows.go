package runtime

import (
	goruntime "runtime"
	"sync"
	"unsafe"
)

// longRows is a launch whose rows are so long that they are cut into pieces. A call is for one row, one piece and one pass; its
// results are combined before the next pass. How the calls are spread over threads changes no result.
type longRows struct {
	kernel      Kernel
	plan        *Plan
	args        Args // of the whole launch
	own         Args // of what is done once a row
	piece       int  // elements of a piece
	pieces      int
	groupRows   int // rows that share partial results of wide accumulators
	groups      int
	size        int                 // of a float of Results
	results     *block              // of the rows that run: for each piece all results
	partial     [MaxOperands]*block // of accumulators
	row, pass   int                 // of the pieces that run on several threads
	wholeGroups bool                // a task is a group of rows, else a piece
}

var longPool = sync.Pool{New: func() any { return new(longRows) }}

// launchLong runs a kernel over long rows.
func launchLong(k Kernel, a *Args, p *Plan) {
	l := longPool.Get().(*longRows)
	l.kernel, l.plan, l.args = k, p, *a
	if p.Stream && streams(a, p) {
		l.args.I[FlagsAt] |= Stream
	}
	l.piece = pieceOf(a.N, a.K)
	l.pieces = ceilDiv(a.N, l.piece)
	l.size = p.Float.Size()
	l.groupRows = 1
	if p.Wide {
		l.groupRows = wideRows
	}
	l.groups = ceilDiv(a.Rows, l.groupRows)
	l.takePartials()
	// With many rows each has a thread, which finds in its caches in one pass what the pass before has left there.
	threads := goruntime.GOMAXPROCS(0)
	l.wholeGroups = threads == 1 || l.groups >= 2*threads
	if l.wholeGroups {
		l.results = getScratch(l.groups * l.resultBytes())
		runTasks(l, &l.args, l.groups)
	} else {
		l.results = getScratch(l.resultBytes())
		l.spread()
	}
	putScratch(l.results)
	l.combine()
	l.kernel, l.plan, l.results = nil, nil, nil
	l.args.forget()
	l.own.forget()
	longPool.Put(l)
}

// resultBytes is the memory for the results of the pieces of a row.
func (l *longRows) resultBytes() int { return l.pieces * len(l.plan.Results) * l.size }

// spread runs the rows one after the other, and the pieces of each pass on several threads.
func (l *longRows) spread() {
	for l.row = range l.args.Rows {
		for l.pass = 1; l.pass <= l.plan.Passes; l.pass++ {
			runTasks(l, &l.args, l.pieces)
			l.endPass(l.results.pointer(), l.pass)
		}
		if l.plan.Ends {
			l.own = l.args
			l.call(&l.own, l.row, l.plan.Passes+1, 0, l.results.pointer())
		}
	}
}

func (l *longRows) task(a *Args, i int) {
	if !l.wholeGroups {
		l.call(a, l.row, l.pass, i, l.results.pointer())
		return
	}
	results := unsafe.Add(l.results.pointer(), i*l.resultBytes())
	for row := i * l.groupRows; row < min((i+1)*l.groupRows, l.args.Rows); row++ {
		for pass := 1; pass <= l.plan.Passes; pass++ {
			for piece := range l.pieces {
				l.call(a, row, pass, piece, results)
			}
			l.endPass(results, pass)
		}
		if l.plan.Ends {
			l.call(a, row, l.plan.Passes+1, 0, results)
		}
	}
}

// call runs the kernel for one piece.
func (l *longRows) call(a *Args, row, pass, piece int, results unsafe.Pointer) {
	p := l.plan
	lane := piece * l.piece
	a.Rows, a.First = 1, l.args.First+row
	a.N, a.Lane, a.Pass = min(l.piece, l.args.N-lane), lane, pass
	a.Results = unsafe.Add(results, piece*len(p.Results)*l.size)
	for k := range p.Operands {
		o := &p.Operands[k]
		switch part := l.partial[k]; {
		case l.args.Ptr[k] == nil:
		case o.Use == Acc:
			at := l.args.Rows*l.parts(o) + row/l.groupRows*l.pieces + piece // for passes that reduce something else
			if pass == o.Pass {
				at = row*l.parts(o) + piece
			}
			a.Ptr[k] = unsafe.Add(part.pointer(), at*o.DType.Size())
		case o.Use == WideAcc && part != nil:
			a.Ptr[k] = unsafe.Add(part.pointer(), (row/l.groupRows*l.args.N+lane)*o.DType.Size())
		case o.Use == WideAcc:
			a.Ptr[k] = unsafe.Add(l.args.Ptr[k], lane*o.DType.Size())
		default:
			a.Ptr[k] = l.args.element(k, row, lane, o)
		}
	}
	call(l.kernel, a)
}

// endPass combines the results of a pass, and gives them to all pieces.
func (l *longRows) endPass(results unsafe.Pointer, pass int) {
	n := len(l.plan.Results)
	for i, r := range l.plan.Results {
		if r.Pass != pass {
			continue
		}
		if l.plan.Float == F32 {
			pieceResults(unsafe.Slice((*float32)(results), l.pieces*n)[i:], n, r.Monoid)
		} else {
			pieceResults(unsafe.Slice((*float64)(results), l.pieces*n)[i:], n, r.Monoid)
		}
	}
}

// pieceResults combines elements 0, step, 2·step … of p pairwise, and sets them to the result.
func pieceResults[T float](p []T, step int, m Monoid) {
	for s := step; s < len(p); s *= 2 {
		for at := 0; at+s < len(p); at += 2 * s {
			combineRow(p[at:at+1], p[at+s:at+s+1], m)
		}
	}
	for at := step; at < len(p); at += step {
		p[at] = p[0]
	}
}

// parts is the number of partial results of an accumulator for a row.
func (l *longRows) parts(o *Operand) int {
	if o.Pass > l.plan.Passes {
		return 1
	}
	return l.pieces
}

// takePartials takes memory for the partial results of accumulators.
func (l *longRows) takePartials() {
	for i := range l.plan.Operands {
		o := &l.plan.Operands[i]
		n := 0
		switch {
		case l.args.Ptr[i] == nil:
		case o.Use == Acc:
			n = l.args.Rows*l.parts(o) + l.groups*l.pieces
		case o.Use == WideAcc && l.groups == 1:
			fillIdentity(l.args.Ptr[i], l.args.N, o)
		case o.Use == WideAcc:
			n = l.groups * l.args.N
		}
		if n > 0 {
			l.partial[i] = getScratch(n * o.DType.Size())
			fillIdentity(l.partial[i].pointer(), n, o)
		}
	}
}

// combine puts partial results together, in the order of rows and pieces.
func (l *longRows) combine() {
	for i, b := range l.partial {
		if b == nil {
			continue
		}
		o := &l.plan.Operands[i]
		parts, width := l.args.Rows*l.parts(o), 1
		if o.Use == WideAcc {
			parts, width = l.groups, l.args.N
		}
		combinePairs(l.args.Ptr[i], b.pointer(), parts, width, o)
		putScratch(b)
		l.partial[i] = nil
	}
}
