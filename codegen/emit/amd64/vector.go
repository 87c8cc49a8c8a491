package amd64

import "github.com/opgen/opgen/codegen/nest"

// block is how the vectors of a vector loop are grouped.
type block struct {
	loop    *nest.For
	plan    *loopPlan
	mode    *reg           // 1 where whole vectors are stored around the cache, else 0; nil: never
	stores  []store        // of a block, with mode
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
	maxBlockOps  = 32
	maxReduceOps = 64
	maxSingleOps = 8
	maxUnmasked  = 40
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
	case len(p.slots) > 0 && g.slotVectors()*p.ops <= maxReduceOps && g.slotVectors()*len(p.slots) <= g.vregs/2:
		b.vectors = g.slotVectors()
		b.inRegs = true
	default:
		b.vectors = maxVectors
		for b.vectors > 1 && (b.vectors*p.ops > maxBlockOps || b.vectors*len(p.stored) > g.vregs/2) {
			b.vectors /= 2
		}
	}
	return b
}

// vectorLoop selects the loop over elements: blocks, single vectors, the rest under a mask.
func (g *gen) vectorLoop(b *block) {
	known := g.enterPass(b.loop)
	g.elements(b)
	g.leavePass(b, known)
}

// elements selects the loop itself, and what it leaves.
func (g *gen) elements(b *block) {
	defer g.follow(b.plan.pointers)()
	b.rem = g.newGPR()
	g.movq(g.argument(argN), b.rem)
	if b.plan.iota {
		b.index = g.newVec(false)
		g.loadVec(g.pool.iota(g.size), b.index)
		g.op3(g.name("VPADD#"), g.vr(g.spread(g.field(argLane, 0))), b.index, b.index).swap = equals
	}
	elements := b.vectors * g.lanes
	switch {
	case b.inRegs:
		kept := g.newLabel("kept")
		g.alu("SUBQ", imm(int64(elements)), b.rem)
		points := g.points(1, b.vectors, nil)
		g.slotRegs(b, points)
		g.jump("JLT", kept)
		g.often(loopFreq, func() { g.blocks(b, points) })
		g.label(kept)
		g.keepSlots(b)
		g.startOffset(b)
		b.inRegs = false
		g.rest(b, elements)
	case g.canStream(b):
		g.streamLoop(b, elements)
	case g.maskedOnly(b):
		g.resetSlots(b)
		g.startOffset(b)
		g.rest(b, 0)
	default:
		single := g.newLabel("single")
		g.resetSlots(b)
		g.startOffset(b)
		g.alu("SUBQ", imm(int64(elements)), b.rem)
		g.jump("JLT", single)
		g.often(loopFreq, func() { g.blocks(b, g.points(1, b.vectors, nil)) })
		g.label(single)
		g.rest(b, elements)
	}
	g.finishSlots(b)
}

// maskedOnly says whether a body is so large that its mask costs nothing in comparison: it is selected once.
func (g *gen) maskedOnly(b *block) bool {
	return b.vectors == 1 && b.tile == nil && b.plan.ops > maxUnmasked
}

// rest selects what blocks leave: single vectors, then one under a mask. elements is the size of a block; 0: there were none.
func (g *gen) rest(b *block, elements int) {
	done := g.newLabel("done")
	if elements == 0 {
		g.test(b.rem)
	} else {
		elements = g.singles(b, elements)
		g.alu("ADDQ", imm(int64(elements)), b.rem)
	}
	g.jump("JEQ", done)
	top := g.newLabel("masked")
	g.label(top)
	g.once(b, g.points(1, 1, g.tailMask(g.fewer(b.rem, elements))))
	if elements != g.lanes {
		g.advance(b, g.lanes)
		g.jump("JGT", top)
	}
	g.label(done)
}

// singles selects the loop over single vectors, of bodies so small that it costs little and that store: on AVX2 masks of stores
// are slow. Others are selected only under a mask, which has all elements of a vector that is whole; on AVX-512 all are.
func (g *gen) singles(b *block, elements int) int {
	if b.vectors == 1 || g.wide() || b.tile != nil || len(b.plan.stored) == 0 || b.plan.ops > maxSingleOps {
		return elements
	}
	tail := g.newLabel("tail")
	g.alu("ADDQ", imm(int64(elements-g.lanes)), b.rem)
	g.jump("JLT", tail)
	g.often(singleFreq, func() { g.blocks(b, g.points(1, 1, nil)) })
	g.label(tail)
	return g.lanes
}

// fewer is the number of elements, or those of a vector if there are as many: what the mask of a tail is made of. most
// bounds the number; 0: it may be any. On AVX-512 masks are made of any number; on AVX2 that changes the register.
func (g *gen) fewer(n *reg, most int) *reg {
	if g.wide() || most == g.lanes {
		return n
	}
	m := g.newGPR()
	g.movq(gr(n), m)
	whole := g.newGPR()
	g.movq(imm(int64(g.lanes)), whole)
	g.cmp(m, gr(whole))
	g.plain("CMOVQGT", updates, gr(whole), gr(m))
	return m
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

// blocks selects a loop that takes the vectors of some points at a time.
func (g *gen) blocks(b *block, points []*point) {
	top := g.newLabel("block")
	g.label(top)
	g.once(b, points)
	g.storeBlock(b)
	g.advance(b, len(points)*g.lanes)
	g.jump("JGE", top)
}

// advance goes on by a number of elements. The flags say how many are left.
func (g *gen) advance(b *block, elements int) {
	for _, p := range b.plan.pointers {
		if g.oneByOne(p) {
			g.alu("ADDQ", imm(int64(elements*g.size)), g.inner[p])
		} else {
			g.alu("ADDQ", gr(g.blockStep(p, elements)), g.inner[p])
		}
	}
	if b.index != nil {
		in := g.op3(g.name("VPADD#"), g.vr(g.splat(uint64(elements))), b.index, b.index)
		in.swap = equals
	}
	g.stepOffset(b, elements)
	g.alu("SUBQ", imm(int64(elements)), b.rem)
}

// blockStep is the distance, in bytes, that an input moves along for a number of elements, or 0.
func (g *gen) blockStep(p pointer, elements int) *reg {
	return g.field(argStep+8*p.operand, log2(elements*g.size))
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
