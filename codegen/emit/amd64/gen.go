package amd64

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/runtime"
)

// Offsets of the fields of runtime.Args.
const (
	argRows  = 0
	argN     = 8
	argK     = 16
	argPtr   = 32
	argRow   = 160
	argStep  = 288
	argKStep = 416
	argF     = 544
	argI     = 672

	argLane    = 800
	argPass    = 808
	argResults = 816

	argStream = argI + 8*(runtime.MaxScalars-1)
)

// gen selects the instructions of one nest.
type gen struct {
	code
	isa
	n      *nest.Nest
	plan   *plan
	passes *nest.Passes // nil: long rows are cut anywhere
	leave  string       // where calls for one pass end
	err    error

	args      [2]*reg // the address of the arguments: at entry, and after
	fields    map[field]*reg
	consts    map[uint64]*reg
	rows      map[int]*reg     // address of the current row of each operand
	inner     map[pointer]*reg // addresses in the loops that are open
	slots     []slotState
	multiples map[multiple]*reg // of the strides of rows

	streams bool                 // some stores go around the cache if the caller asks for it
	current *block               // the vector loop that is open
	uniform *scope               // values of uniform code
	varies  map[*nest.Value]bool // within a tile: what differs from row to row
	flags   map[*nest.Value]*reg // uniform conditions, 0 or 1 in a general register
	splats  map[*nest.Value]*reg // uniform indices in all lanes
}

// field is an integer argument, shifted left.
type field struct{ offset, shift int }

// pointer names an address within a row. A gather counts from the start of the row.
type pointer struct {
	operand int
	gather  bool
}

func newGen(n *nest.Nest, s isa) *gen {
	return &gen{
		code: code{freq: 1, pool: pool{}},
		isa:  s,
		n:    n, plan: newPlan(n), passes: n.Passes(),
		fields: map[field]*reg{}, consts: map[uint64]*reg{},
		rows: map[int]*reg{}, inner: map[pointer]*reg{},
		slots: make([]slotState, len(n.Slots)), multiples: map[multiple]*reg{},
		uniform: newScope(), flags: map[*nest.Value]*reg{}, splats: map[*nest.Value]*reg{},
	}
}

// argument is a field of the arguments in memory.
func (g *gen) argument(offset int) arg { return mem(g.args[number(!g.inEntry)], offset) }

func (g *gen) failf(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// kernel selects the whole function.
func (g *gen) kernel() {
	for i := range g.args {
		g.args[i] = g.newGPR()
		g.args[i].home, g.args[i].made = &arg{kind: argParam, name: "a"}, true
	}
	g.atEntry(func() { g.movq(*g.args[0].home, g.args[0]) })
	g.movq(*g.args[1].home, g.args[1])
	g.layoutSlots()
	g.gridSlots()
	g.body(g.n.Body, g.points(1, 1, nil))
	if g.leave != "" {
		g.label(g.leave)
	}
	g.storeGridSlots()
	g.endStream()
	g.plain("VZEROUPPER", reads)
	g.plain("RET", reads)
}

// finish puts the parts together and allocates registers.
func (g *gen) finish() ([]*inst, error) {
	return allocate(&g.code, &g.isa, slices.Concat(g.entry, g.insts))
}

// body selects statements for points: one in uniform code, else some vectors of a vector loop.
func (g *gen) body(stmts []nest.Stmt, points []*point) {
	for len(stmts) > 0 && g.err == nil {
		values := slices.IndexFunc(stmts, func(s nest.Stmt) bool { _, loop := s.(*nest.For); return loop })
		if values < 0 {
			values = len(stmts)
		}
		g.straight(stmts[:values], points)
		if stmts = stmts[values:]; len(stmts) == 0 {
			break
		}
		switch loop := stmts[0].(*nest.For); loop.Depth {
		case nest.Grid:
			if t := g.newTile(loop); t != nil {
				g.tiles(t)
			} else {
				g.gridLoop(loop, points)
			}
		case nest.Vector:
			g.vectorLoop(g.newBlock(loop))
		case nest.Serial:
			g.serialLoop(loop, points)
		}
		stmts = stmts[1:]
	}
}

// field is an integer argument, loaded once.
func (g *gen) field(offset, shift int) *reg {
	key := field{offset, shift}
	r := g.fields[key]
	if r == nil {
		r = g.newGPR()
		g.fields[key] = r
		g.atEntry(func() {
			g.movq(g.argument(offset), r)
			if shift > 0 {
				g.alu("SHLQ", imm(int64(shift)), r)
			}
		})
	}
	return r
}

func log2(x int) int { return bits.TrailingZeros(uint(x)) }

func (g *gen) operandSize(o int) int { return g.n.Operands[o].DType.Size() }

// row is the address of the current row of an operand.
func (g *gen) row(o int) *reg {
	r := g.rows[o]
	if r == nil {
		r = g.newGPR()
		g.rows[o] = r
		g.atEntry(func() { g.movq(g.argument(argPtr+8*o), r) })
	}
	return r
}

// base is the address of an operand in the innermost open loop along which it moves.
func (g *gen) base(p pointer) *reg {
	if r := g.inner[p]; r != nil {
		return r
	}
	return g.row(p.operand)
}

// follow makes addresses for a loop that start where they are now, and gives a function that ends the loop.
func (g *gen) follow(ps []pointer) func() {
	outer := maps.Clone(g.inner)
	for _, p := range ps {
		r := g.newGPR()
		g.movq(gr(g.base(p)), r)
		g.inner[p] = r
	}
	return func() { g.inner = outer }
}

// How often the bodies of loops run, for choices of the allocator.
const (
	loopFreq   = 16
	singleFreq = 2
)

// gridLoop selects the loop over rows.
func (g *gen) gridLoop(loop *nest.For, points []*point) {
	end, top := g.newLabel("end"), g.newLabel("row")
	count := g.newGPR()
	g.movq(g.argument(argRows), count)
	g.test(count)
	g.jump("JLE", end)
	g.label(top)
	g.often(loopFreq, func() {
		g.body(loop.Body, points)
		g.nextRow()
		g.unary("DECQ", count)
		g.jump("JNE", top)
	})
	g.label(end)
}

// nextRow moves the addresses of rows. Strides are read anew: kept, they would take a register each from the loops in a row.
func (g *gen) nextRow() {
	args := g.newGPR()
	first := true
	for _, o := range slices.Sorted(maps.Keys(g.rows)) {
		if !g.n.Operands[o].Grid {
			continue
		}
		if first {
			g.movq(*g.args[0].home, args)
			first = false
		}
		stride := g.newGPR()
		g.movq(mem(args, argRow+8*o), stride)
		g.alu("SHLQ", imm(int64(log2(g.operandSize(o)))), stride)
		g.alu("ADDQ", gr(stride), g.rows[o])
	}
}
