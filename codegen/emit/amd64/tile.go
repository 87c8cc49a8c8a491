package amd64

import "github.com/opgen/opgen/codegen/nest"

// A contraction reads its lane operand once for each row. Where rows don't depend on each other, several are done at once, so
// that what is loaded serves all of them, and the loop over vectors becomes the outer one, so that the columns that it
// reads stay in the cache for all rows. Neither changes a result.

// tile is a grid loop that runs within its vector loop.
type tile struct {
	grid   *nest.For
	before []nest.Stmt // uniform code of a row
	vector *nest.For
	rows   int // at once
	varies map[*nest.Value]bool
}

// Rows of a tile: with several vectors, and with one, where only more rows keep the processor busy. rowIndex reaches no more.
const (
	maxTileRows   = 4
	maxNarrowRows = 8
	minTileRows   = 2
)

// maxSums bounds the accumulators of serial slots that are in use at once, half of the registers.
func (g *gen) maxSums() int { return g.vregs / 2 }

// newTile says how a grid loop runs within its vector loop, or gives nil if it doesn't.
func (g *gen) newTile(grid *nest.For) *tile {
	last := len(grid.Body) - 1
	if last < 0 {
		return nil
	}
	t := &tile{grid: grid, before: grid.Body[:last]}
	loop, ok := grid.Body[last].(*nest.For)
	if !ok || loop.Depth != nest.Vector {
		return nil
	}
	t.vector = loop
	p := g.plan.loops[loop]
	for t.rows = maxTileRows; t.rows >= minTileRows && t.rows*p.sums*2 > g.maxSums(); {
		t.rows /= 2
	}
	if p.sums == 0 || len(p.slots) > 0 || t.rows < minTileRows {
		return nil
	}
	for _, s := range t.before {
		if v, ok := s.(*nest.Value); !ok || v.Op.Info().Effect || v.Type == nest.Int {
			return nil
		}
	}
	if !g.rowsApart(t) {
		return nil
	}
	return t
}

// rowsApart says whether the rows of a tile can run side by side, and whether that saves loads; it notes what varies
// from row to row.
func (g *gen) rowsApart(t *tile) bool {
	t.varies = map[*nest.Value]bool{}
	apart, saves := true, false
	visit := func(v *nest.Value) {
		switch v.Op {
		case nest.LoadInt, nest.Gather, nest.IntSelect:
			apart = false
		case nest.Load:
			o := &g.n.Operands[v.Operand]
			t.varies[v] = o.Grid
			saves = saves || o.Vector && o.Serial && !o.Grid
		case nest.Reduce:
			apart = apart && !g.n.Slots[v.Slot].Wide
			t.varies[v] = true
		case nest.Store, nest.Result:
			t.varies[v] = true
		}
		for _, a := range v.Args {
			t.varies[v] = t.varies[v] || t.varies[a]
		}
	}
	var walk func(stmts []nest.Stmt)
	walk = func(stmts []nest.Stmt) {
		for _, s := range stmts {
			switch s := s.(type) {
			case *nest.Value:
				visit(s)
			case *nest.For:
				walk(s.Body)
			}
		}
	}
	walk(t.grid.Body)
	return apart && saves
}

// tiles selects a grid loop within its vector loop.
func (g *gen) tiles(t *tile) {
	b := g.newBlock(t.vector)
	b.tile = t
	for b.vectors > 1 && b.vectors*t.rows*b.plan.sums > g.maxSums() {
		b.vectors /= 2
	}
	g.varies = t.varies
	g.vectorLoop(b)
	g.varies = nil
}

// rowTiles selects the loop over rows for some vectors: tiles, then single rows.
func (g *gen) rowTiles(t *tile, vectors int, mask *reg) {
	defer g.follow(g.plan.loops[t.grid].pointers)()
	rows := t.rows
	if sums := g.plan.loops[t.vector].sums; vectors == 1 && maxNarrowRows*sums <= g.maxSums() {
		rows = maxNarrowRows
	}
	left := g.newGPR()
	g.movq(g.argument(argRows), left)
	single, done := g.newLabel("single"), g.newLabel("done")
	g.alu("SUBQ", imm(int64(rows)), left)
	g.jump("JLT", single)
	g.often(loopFreq, func() { g.rowsOf(t, rows, vectors, mask, left) })
	g.label(single)
	g.alu("ADDQ", imm(int64(rows-1)), left)
	g.jump("JLT", done)
	g.often(singleFreq, func() { g.rowsOf(t, 1, vectors, mask, left) })
	g.label(done)
}

// rowsOf selects a loop that takes a number of rows at a time.
func (g *gen) rowsOf(t *tile, rows, vectors int, mask, left *reg) {
	top := g.newLabel("rows")
	g.label(top)
	points := g.points(rows, vectors, mask)
	g.body(t.before, points)
	g.body(t.vector.Body, points)
	for _, p := range g.plan.loops[t.grid].pointers {
		size := g.operandSize(p.operand)
		g.alu("ADDQ", gr(g.field(argRow+8*p.operand, log2(size*rows))), g.inner[p])
	}
	g.alu("SUBQ", imm(int64(rows)), left)
	g.jump("JGE", top)
}

// rowIndex is the distance to a row of a tile, as index and scale of an address.
func (g *gen) rowIndex(operand, row int) (*reg, int) {
	stride := g.field(argRow+8*operand, log2(g.operandSize(operand)))
	scale := row & -row
	return g.multiple(stride, row/scale), scale
}

// multiple is 1, 3, 5 or 7 times a stride, computed once.
func (g *gen) multiple(stride *reg, n int) *reg {
	if n == 1 {
		return stride
	}
	key := multiple{stride, n}
	r := g.multiples[key]
	if r == nil {
		base, scale := stride, n-1
		if n == 7 {
			base, scale = g.multiple(stride, 3), 4
		}
		r = g.newGPR()
		g.multiples[key] = r
		g.atEntry(func() { g.plain("LEAQ", writes, arg{kind: argMem, reg: base, index: stride, scale: scale}, gr(r)) })
	}
	return r
}

type multiple struct {
	stride *reg
	n      int
}
