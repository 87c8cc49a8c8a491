package amd64

import "github.com/opgen/opgen/codegen/nest"

// block is how the vectors of a vector loop are grouped.
type block struct {
	loop    *nest.For
	plan    *loopPlan
	stream  bool           // whole vectors are stored around the cache
	vectors int            // in a block
	inRegs  bool           // the accumulators are in registers within blocks
	rem     *reg           // elements left, less what the next step takes
	offset  *reg           // bytes from the start of the accumulators in the frame
	index   *reg           // the indices of the first vector
	accs    map[int][]*reg // of slots, with inRegs
	tile    *tile          // the rows that the loop is around, if it is the outer one
}

// Bounds on what is selected for a block: instructions, for the size of kernels, and the elements of the page behind a
// constant operand.
const (
	maxVectors   = 4
	maxBlockOps  = 48
	maxReduceOps = 128
	maxSingleOps = 16
	pageElements = 64
)

// newBlock decides how a loop runs.
func (g *gen) newBlock(loop *nest.For) *block {
	b := &block{loop: loop, plan: g.plan.loops[loop]}
	p := b.plan
	switch {
	case p.serial:
		b.vectors = pageElements / g.lanes
		for b.vectors > 1 && b.vectors*max(1, p.sums) > g.maxSums() {
			b.vectors /= 2
		}
	case len(p.slots) > 0:
		b.vectors = g.n.Lanes / g.lanes
		b.inRegs = true
		for b.vectors > 1 && b.vectors*p.ops > maxReduceOps {
			b.vectors, b.inRegs = b.vectors/2, false
		}
	default:
		b.vectors = maxVectors
		for b.vectors > 1 && b.vectors*p.ops > maxBlockOps {
			b.vectors /= 2
		}
	}
	return b
}

// vectorLoop selects the loop over elements: blocks, single vectors, the rest under a mask.
func (g *gen) vectorLoop(b *block) {
	defer g.follow(b.plan.pointers)()
	b.rem = g.newGPR()
	g.movq(mem(g.args, argN), b.rem)
	if b.plan.iota {
		b.index = g.newVec(false)
		g.loadVec(g.pool.iota(g.size), b.index)
	}
	single := g.newLabel("single")
	elements := b.vectors * g.lanes
	if b.inRegs {
		g.alu("SUBQ", imm(int64(elements)), b.rem)
		g.resetSlots(b, single)
		g.often(loopFreq, func() { g.blocks(b, b.vectors) })
		g.keepSlots(b)
		g.label(single)
		g.startOffset(b)
	} else {
		g.resetSlots(b, "")
		g.startOffset(b)
		g.alu("SUBQ", imm(int64(elements)), b.rem)
		g.jump("JLT", single)
		g.streamBlocks(b, single)
		g.often(loopFreq, func() { g.blocks(b, b.vectors) })
		g.label(single)
	}
	b.inRegs = false
	g.rest(b, elements)
	g.finishSlots(b)
}

// rest selects what blocks leave: single vectors, then one under a mask. On AVX-512, where masks cost little, large bodies are
// selected only under a mask, which has all elements of a vector that is whole.
func (g *gen) rest(b *block, elements int) {
	done := g.newLabel("done")
	if b.vectors > 1 && !(g.wide() && (b.tile != nil || b.plan.ops > maxSingleOps)) {
		tail := g.newLabel("tail")
		g.alu("ADDQ", imm(int64(elements-g.lanes)), b.rem)
		g.jump("JLT", tail)
		g.often(singleFreq, func() { g.blocks(b, 1) })
		g.label(tail)
		elements = g.lanes
	}
	g.alu("ADDQ", imm(int64(elements)), b.rem)
	g.jump("JEQ", done)
	top := g.newLabel("masked")
	g.label(top)
	g.once(b, g.points(1, 1, g.tailMask(b.rem)))
	if elements > g.lanes {
		g.advance(b, g.lanes)
		g.jump("JGT", top)
	}
	g.label(done)
}

// once selects the body of a vector loop for some vectors.
func (g *gen) once(b *block, points []*point) {
	g.current = b
	if b.tile != nil {
		g.rowTiles(b.tile, len(points), points[0].mask)
	} else {
		g.body(b.loop.Body, points)
	}
}

// blocks selects a loop that takes a number of vectors at a time.
func (g *gen) blocks(b *block, vectors int) {
	elements := vectors * g.lanes
	points := g.points(1, vectors, nil)
	g.slotRegs(b, points)
	top := g.newLabel("block")
	g.label(top)
	g.once(b, points)
	g.advance(b, elements)
	g.jump("JGE", top)
}

// advance goes on by a number of elements. The flags say how many are left.
func (g *gen) advance(b *block, elements int) {
	for _, p := range b.plan.pointers {
		if g.oneByOne(p) {
			g.alu("ADDQ", imm(int64(elements*g.size)), g.inner[p])
		} else {
			g.alu("ADDQ", gr(g.field(argStep+8*p.operand, log2(elements*g.size))), g.inner[p])
		}
	}
	if b.index != nil {
		in := g.op3(g.name("VPADD#"), g.vr(g.splat(uint64(elements))), b.index, b.index)
		in.swap = equals
	}
	g.stepOffset(b, elements)
	g.alu("SUBQ", imm(int64(elements)), b.rem)
}

// oneByOne says whether the step of an operand along the vector axis is 1: that of an input may be 0.
func (g *gen) oneByOne(p pointer) bool { return g.n.Operands[p.operand].Mode != nest.In }

// tailMask is the mask of the last n elements, fewer than a vector.
func (g *gen) tailMask(n *reg) *reg {
	if g.wide() {
		m, all := g.newMask(), g.spread(n)
		g.plain(g.name("VPCMP#"), writes, imm(intGreater), g.pool.iota(g.size), g.vr(all), g.kr(m))
		return m
	}
	t := g.newGPR()
	g.plain("LEAQ", writes, g.pool.tail(), gr(t))
	g.unary("NEGQ", n)
	m := g.newVec(false)
	g.loadVec(arg{kind: argMem, reg: t, index: n, scale: g.size, disp: splatBytes}, m)
	return m
}

// address is the element of an operand at the current point.
func (g *gen) address(operand int, p *point) arg {
	a := mem(g.base(pointer{operand: operand}), 0)
	o := &g.n.Operands[operand]
	if o.Vector {
		a.disp = p.at * g.full.bytes()
	}
	if o.Grid && p.row > 0 {
		a.index, a.scale = g.rowIndex(operand, p.row)
	}
	return a
}
