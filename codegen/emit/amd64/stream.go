package amd64

import (
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/runtime"
)

// Outputs much larger than the cache are stored around it, which saves reading them first, where the caller asks for
// that (runtime.Stream) and nothing reads them in the kernel. Such stores need whole aligned vectors, so some elements go
// before, under a mask. If several outputs can't be aligned at once, the stores are ordinary.

// canStream says whether the stores of a loop can go around the cache.
func (g *gen) canStream(b *block) bool {
	p := b.plan
	if len(g.n.Scalars) == nest.MaxScalars || p.serial || p.iota || len(p.slots) > 0 || len(p.stored) == 0 {
		return false
	}
	for _, o := range p.stored {
		if g.plan.loaded[o] {
			return false
		}
	}
	for _, ptr := range p.pointers {
		if g.n.Operands[ptr.operand].Mode == nest.Acc {
			return false
		}
	}
	return true
}

// streamBlocks selects the blocks of a loop with such stores. There is at least one block to do; it goes on at done.
func (g *gen) streamBlocks(b *block, done string) {
	if !g.canStream(b) {
		return
	}
	g.streams = true
	usual, aligned := g.newLabel("usual"), g.newLabel("aligned")
	g.testStream()
	g.jump("JEQ", usual)
	bytes := g.newGPR() // to the next aligned vector
	g.movq(gr(g.output(b, 0)), bytes)
	g.unary("NEGQ", bytes)
	g.alu("ANDQ", imm(int64(g.full.bytes()-1)), bytes)
	for i := range b.plan.stored[1:] {
		t := g.newGPR()
		g.movq(gr(g.output(b, i+1)), t)
		g.alu("ADDQ", gr(bytes), t)
		g.alu("ANDQ", imm(int64(g.full.bytes()-1)), t)
		g.jump("JNE", usual)
	}
	g.test(bytes)
	g.jump("JEQ", aligned)
	g.before(b, bytes)
	g.jump("JLT", done)
	g.label(aligned)
	b.stream = true
	g.often(loopFreq, func() { g.blocks(b, b.vectors) })
	b.stream = false
	g.jump("JMP", done)
	g.label(usual)
}

// output is the address of an output of a loop.
func (g *gen) output(b *block, i int) *reg { return g.base(pointer{operand: b.plan.stored[i]}) }

// before does the elements in a number of bytes, fewer than a vector. The flags say whether there are blocks left.
func (g *gen) before(b *block, bytes *reg) {
	count := g.newGPR()
	g.movq(gr(bytes), count)
	g.alu("SHRQ", imm(int64(log2(g.size))), count)
	n := g.newGPR()
	g.movq(gr(count), n)
	g.once(b, g.points(1, 1, g.tailMask(n)))
	for _, p := range b.plan.pointers {
		if g.oneByOne(p) {
			g.alu("ADDQ", gr(bytes), g.inner[p])
			continue
		}
		t := g.newGPR()
		g.movq(gr(g.field(argStep+8*p.operand, 0)), t)
		g.plain("IMULQ", updates, gr(bytes), gr(t))
		g.alu("ADDQ", gr(t), g.inner[p])
	}
	g.alu("SUBQ", gr(count), b.rem)
}

// testStream sets the flags by whether the caller wants stores around the cache.
func (g *gen) testStream() {
	t := g.newGPR()
	g.movq(mem(g.args, argStream), t)
	g.alu("ANDQ", imm(runtime.Stream), t)
}

// endStream makes the stores around the cache visible before those that follow.
func (g *gen) endStream() {
	if !g.streams {
		return
	}
	end := g.newLabel("end")
	g.testStream()
	g.jump("JEQ", end)
	g.plain("SFENCE", reads)
	g.label(end)
}
