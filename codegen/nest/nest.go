// Package nest is the loop form of opgen: nests, the programs that launch them, their interpreter, and the
// lowering from definitions (package ir) to them.
//
// A nest is one kernel: at most a grid axis (rows), a vector axis and a serial axis, and straight-line code at
// each depth. The same nest is read by every emitter; targets differ in how they run the axes, not in what a
// nest says:
//
//	for r in grid {                  rows; CPU: a loop and chunks for workers; CUDA: blocks
//	    uniform code
//	    for n in vector {            lanes; Go: a loop; SIMD: blocks of Lanes; CUDA: threads
//	        lane code
//	        for k in serial { … }    always in order
//	        lane code
//	    }
//	    uniform code                 sees the results of the reductions above
//	    for n in vector { … }        the next stage
//	}
package nest

// DType is the type of the elements of an operand. Floats of a nest are all of one width: Nest.Float.
type DType uint8

const (
	F32 DType = iota
	F64
	I32
	I64
)

// Type is the type of a value in a nest.
type Type uint8

const (
	Float Type = iota // of the nest's Float dtype
	Int               // an index: 64 bits where uniform; per lane only as the operand of IntEq, IntNe, IntLt, IntLe
	Mask              // a condition
	Bits              // the bits of a Float as an integer of the same width; for math functions
)

// Depth names a loop.
type Depth uint8

const (
	Grid   Depth = iota // rows
	Vector              // lanes
	Serial              // in order
)

// Value is one instruction in SSA form. It is computed where it stands in the tree of statements.
type Value struct {
	ID   int // unique in its nest, in order of appearance
	Op   Op
	Type Type
	Lane bool // differs from lane to lane; false: the same in all lanes
	Args []*Value

	Imm     float64 // Const
	Bits    uint64  // BitsConst
	Shift   uint    // BitShl, BitShr
	Operand int     // Load, LoadInt, Gather, Store
	Scalar  int     // Scalar, IntScalar
	Slot    int     // Reduce, Result
}

// Stmt is a For or a *Value (an instruction, for its value or its effect).
type Stmt interface{ stmt() }

// For is a loop. In a nest, Grid holds Vector and Vector holds Serial loops; either of the outer ones may be
// missing in the text, and is then run once.
type For struct {
	Depth Depth
	Body  []Stmt
}

func (*For) stmt()   {}
func (*Value) stmt() {}

// Mode is how a nest uses an operand.
type Mode uint8

const (
	In    Mode = iota
	Out        // stored by one Store at each point; may be loaded again in a later stage of the same row
	InOut      // loaded, then stored by one Store at the same point
	Acc        // a partial result of the chunk: see Slot
)

// Operand is a tensor as a kernel sees it: a base address and, for each axis of the nest, whether it moves along
// it. A run-time stride may still be 0 there (a broadcast or a constant). Along the vector axis the stride is 0 or 1.
type Operand struct {
	Name                 string
	DType                DType
	Mode                 Mode
	Grid, Vector, Serial bool
	// InPlace lists operands (by number) whose memory an Out operand may share exactly: no load of
	// them follows its store at another point or in a later stage.
	InPlace []int
}

// Scalar is a number that the host computes once a call.
type Scalar struct {
	Name string
	Int  bool // an index; else of the nest's Float dtype
}

// Monoid is how a slot combines values.
type Monoid uint8

const (
	SumOf  Monoid = iota // starts at 0
	MaxOf                // starts at -inf; combines by Max
	MinOf                // starts at +inf; combines by Min
	ProdOf               // starts at 1
)

// Slot is a reduction. It has one Reduce, and Over is the loop that it reduces:
//
//	Vector: Reduce stands directly in a vector loop; Result is uniform and stands after that loop, in the body that
//	        holds it.
//	Serial: Reduce stands directly in a serial loop; Result is a lane value where what was reduced is one, else
//	        uniform, and stands after that loop, in the body that holds it.
//	Grid:   the result leaves the kernel through the Acc operand Acc. With Wide it has one element a lane position
//	        (a column of the grid): the operand moves along Vector, and each Reduce, in a vector loop, combines into
//	        its element, in row order, starting with what is there. Without Wide it is one number, over what was
//	        there: a Reduce in a vector loop combines in lanes over all rows of the chunk, one in uniform code into
//	        one number once a row.
//
// The order of combination is fixed, so that all targets that promise the same bits give them:
//
//	in lanes:  element n combines into lane n mod Lanes, lane = op(lane, x), n ascending; every lane starts at the
//	           identity. At the end, for h = Lanes/2, Lanes/4 … 1: lane[i] = op(lane[i], lane[i+h]) for i < h.
//	           The lanes of a slot over Grid live from the first row of the chunk to the last: each row starts at lane 0.
//	           A long row is reduced in pieces: see Piece.
//	over Serial: k ascending; a sum adds into a block that is added to an outer sum and restarts at 0 after every
//	           SerialBlock steps; the result is outer + block.
//
// A sum over Serial can have two arguments in its Reduce: block = fma(x, y, block), rounded once. A product that is
// reduced otherwise is rounded first.
type Slot struct {
	Monoid Monoid
	Over   Depth
	Wide   bool
	Acc    int // operand number, Over == Grid
}

// SerialBlock is the number of steps after which a sum over Serial restarts.
const SerialBlock = 512

// Bounds on the operands and scalars of a nest.
const (
	MaxOperands = 16
	MaxScalars  = 16
)

// Nest is one kernel.
type Nest struct {
	Name     string // unique in a package of generated code, a Go and C identifier
	Float    DType  // F32 or F64
	Operands []Operand
	Scalars  []Scalar
	Slots    []Slot
	Body     []Stmt // uniform code that runs once, then the loops
	SumsBy   *Nest  // the kernel that stands for Sums().Nest, once kernels are shared; not a part of what the nest means
	Lanes    int    // virtual lanes of reductions over Vector and Grid, a power of two up to 64; see Slot
}
