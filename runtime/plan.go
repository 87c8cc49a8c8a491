package runtime

// Monoid is how partial results of an accumulator are combined.
type Monoid uint8

// Monoids.
const (
	SumOf  Monoid = iota // starts at 0
	MaxOf                // starts at -inf; NaN wins
	MinOf                // starts at +inf; NaN wins
	ProdOf               // starts at 1
)

// Use is what a kernel does with an operand.
type Use uint8

// Uses.
const (
	Reads   Use = iota
	Writes      // stores, or loads and stores
	Acc         // one number over all rows and lanes, stored over what was there
	WideAcc     // one number a lane, combined with what is there
)

// Operand is what [Launch] must know of an operand of a kernel.
type Operand struct {
	DType  DType
	Use    Use
	Monoid Monoid // Acc, WideAcc
	Pass   int    // Acc of a kernel with passes: the one that reduces it, or one more than there are: once a row
}

// Plan is what [Launch] must know of a kernel: static data beside it, one for each kernel and dtype.
//
// Kernels are run in chunks, whose size depends on the extents and the plan alone, never on the number of threads: so
// results have the same bits for any number of them.
type Plan struct {
	Name     string    // unique in the program: import path and name of the nest
	Operands []Operand // in the order of Args.Ptr
	// Rows: rows may be cut. Not where a row reads what another one writes.
	Rows bool
	// Lanes: the vector axis may be cut, at multiples of 64. Not where the kernel reduces over it within a row, or stores or
	// reduces in uniform code: then it has passes.
	Lanes bool
	// Passes is how often the kernel runs over the elements of a row. A long row is cut into pieces: the kernel is called for each
	// pass and piece, finds the results of the passes before in Args.Results, and leaves those of the piece there. Ends: then
	// once more, for what is done once a row.
	Passes  int
	Ends    bool
	Float   DType       // of Results
	Results []RowResult // of reductions over the row
	// Steps: the kernel stores what it reduces over the serial axis and nothing else, in operand StepsTo. A long serial axis is cut into
	// pieces, whose results are combined pairwise.
	Steps       bool
	StepsMonoid Monoid
	StepsTo     int
	// Sums: the kernel stores a function of sums of products over the serial axis, as a linear layer with a bias. A long axis is cut into
	// pieces as that of Sums.Kernel, which stores the sums alone.
	Sums *Sums
	// Shared is the work of a step of the serial loop, in instructions about, where rows read the same elements in it and don't depend on
	// each other: kernels take several rows at once, and calls have as many. Such a kernel accumulates nothing, and may be cut along both
	// axes. 0: it is none.
	Shared int
	// Stream: each output is written once and not read again, and Args.I[FlagsAt] is no scalar: [Stream] is set there when
	// outputs are large.
	Stream bool
	// Wide is set if any operand is a WideAcc.
	Wide bool
}

// Sums is a kernel that adds up the products of another one.
type Sums struct {
	Kernel   Kernel
	Plan     *Plan
	From     []int // by operand of Kernel, but the last one, which takes the sums: the operand of the other kernel
	One, Sum int   // factors of the other kernel: the first one is the same for all lanes, the second one for all rows
}

// RowResult is the result of a reduction over a row: results of pieces are combined pairwise, as those of accumulators.
type RowResult struct {
	Pass   int // that computes it, from 1 on
	Monoid Monoid
}

const (
	// chunkElements is the work of one call of a kernel: rows × lanes × steps. With them preemption waits well under a
	// millisecond, and a call costs nothing beside the work.
	chunkElements = 32768
	// sharedElements is the same where rows share what they read, for steps of sharedWork: multiply-adds, that are some tens of
	// microseconds.
	sharedElements = 1 << 19
	sharedWork     = 3
	// longerShared is how many times as long a call may be that would otherwise not have a tile of rows.
	longerShared = 4
	// tileRows is a multiple of the rows that kernels take at once.
	tileRows = 8
	// pieceSteps is how many steps of a long serial axis make a piece. Results depend on it: package nest has the same number.
	pieceSteps = 1 << 14
	// laneCut is what chunks along the vector axis are multiples of.
	laneCut = Block
	// wideRows is the least number of rows that share partial results of wide accumulators: they would
	// otherwise need as much memory as the inputs.
	wideRows = 64
	// streamBytes is the size of outputs from which on non-temporal stores pay.
	streamBytes = 16 << 20
)

// FlagsAt is where [Stream] stands in Args.I.
const FlagsAt = MaxScalars - 1

// Serial reports whether a launch is one chunk that needs no preparation: then the kernel is called directly, with an
// argument block on the stack.
func Serial(a *Args, p *Plan) bool {
	return a.Rows > 0 && !p.Wide && a.Rows*a.N*max(a.K, 1) <= chunkElements && (p.Shared == 0 || a.dense(p))
}

// cut is how a launch is cut: into tasks, each of them calls. Tasks go to workers; the calls of a task run in
// order and share the partial results of wide accumulators.
type cut struct {
	rows, lanes         int // of a call
	taskRows            int // rows of a task: a multiple of rows
	rowTasks, laneTasks int
	callsPerTask        int // the most
}

func (c *cut) tasks() int { return c.rowTasks * c.laneTasks }

// cutFor decides how a launch is cut.
func cutFor(a *Args, p *Plan) (c cut) {
	steps := max(a.K, 1)
	c.rows, c.lanes = a.Rows, a.N
	if p.Shared > 0 && steps > 1 && Path() != Generic {
		if tile := p.sharedBudget() / tileRows; a.N*steps > tile {
			c.lanes = min(a.N, max(laneCut, tile/steps/laneCut*laneCut))
		}
		c.rows = min(a.Rows, p.tileRows(c.lanes*steps))
		c.fill(a, p)
		return c
	}
	if p.Lanes && a.N*steps > chunkElements {
		c.lanes = max(laneCut, chunkElements/steps/laneCut*laneCut)
		c.lanes = min(c.lanes, a.N)
	}
	if p.Lanes && p.Wide && a.Rows > 1 {
		// Narrow columns, so that a task has many rows.
		c.lanes = min(c.lanes, max(laneCut, chunkElements/wideRows/steps/laneCut*laneCut))
	}
	if p.Rows {
		c.rows = min(a.Rows, max(1, chunkElements/max(1, c.lanes*steps)))
	}
	c.fill(a, p)
	return c
}

// fill makes tasks of the calls.
func (c *cut) fill(a *Args, p *Plan) {
	c.taskRows = c.rows
	if p.Wide && c.taskRows < wideRows {
		c.taskRows = min(a.Rows, (wideRows+c.rows-1)/c.rows*c.rows)
	}
	c.rowTasks = ceilDiv(a.Rows, c.taskRows)
	c.laneTasks = max(1, ceilDiv(a.N, max(1, c.lanes)))
	c.callsPerTask = ceilDiv(c.taskRows, c.rows)
}

// sharedBudget is the work of one call, rows × lanes × steps, where rows share what they read.
func (p *Plan) sharedBudget() int {
	return max(chunkElements, min(sharedElements, sharedElements*sharedWork/p.Shared))
}

// tileRows is how many rows a call has where they share what they read, each with so many elements: tiles, or fewer where a tile takes too
// long.
func (p *Plan) tileRows(elements int) int {
	elements = max(elements, 1)
	if Path() == Generic {
		return max(1, chunkElements/elements)
	}
	budget := p.sharedBudget()
	if rows := budget / elements / tileRows * tileRows; rows > 0 {
		return rows
	}
	return max(1, min(tileRows, longerShared*budget/elements))
}

// pieceOf is how many of n elements of a row, each of k steps, make a piece. Results depend on it: package nest has the same rule.
func pieceOf(n, k int) int {
	k = max(k, 1)
	if n*k <= chunkElements {
		return n
	}
	return min(n, max(laneCut, chunkElements/k/laneCut*laneCut))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
