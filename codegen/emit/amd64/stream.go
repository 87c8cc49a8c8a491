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

// store is a store of a whole vector at the end of a block.
type store struct {
	from *reg
	to   arg
}

// streamLoop selects a loop whose stores may go around the cache:
//
//	       mode = 0; if the caller asks for it, there is a block, and outputs can be aligned: mode = 1
//	       with a vector that isn't aligned: its elements up to the next one, as at the end
//	again: blocks, while there are whole ones; their stores as mode says
//	       single vectors
//	       fewer elements under a mask; if there are more, again
func (g *gen) streamLoop(b *block, elements int) {
	g.streams = true
	again, rest, done, masked := g.newLabel("again"), g.newLabel("single"), g.newLabel("done"), g.newLabel("masked")
	b.mode = g.newGPR()
	g.movq(imm(0), b.mode)
	n := g.newGPR() // elements that are done under a mask
	g.align(b, elements, n, again, masked)
	g.label(again)
	g.alu("SUBQ", imm(int64(elements)), b.rem)
	g.jump("JLT", rest)
	g.often(loopFreq, func() { g.blocks(b, g.points(1, b.vectors, nil)) })
	g.label(rest)
	mode := b.mode
	b.mode = nil // what is left is stored as usual
	left := g.singles(b, elements)
	b.mode = mode
	g.alu("ADDQ", imm(int64(left)), b.rem)
	g.jump("JEQ", done)
	g.movq(imm(int64(g.lanes)), n)
	g.cmp(n, gr(b.rem))
	g.plain("CMOVQGT", updates, gr(b.rem), gr(n))
	g.label(masked)
	count := n
	if !g.wide() {
		count = g.newGPR()
		g.movq(gr(n), count)
	}
	g.once(b, g.points(1, 1, g.tailMask(count)))
	for _, p := range b.plan.pointers {
		t := n
		if !g.oneByOne(p) {
			t = g.newGPR()
			step := g.blockStep(p, elements)
			g.movq(gr(n), t)
			g.test(step)
			g.plain("CMOVQEQ", updates, gr(step), gr(t)) // 0
		}
		r := g.inner[p]
		g.plain("LEAQ", writes, arg{kind: argMem, reg: r, index: t, scale: g.size}, gr(r))
	}
	g.alu("SUBQ", gr(n), b.rem)
	g.jump("JNE", again)
	g.label(done)
}

// align finds whether the stores of blocks go around the cache, and begins with n elements at masked where that aligns
// them; else it goes on at again.
func (g *gen) align(b *block, elements int, n *reg, again, masked string) {
	g.testStream()
	g.jump("JEQ", again)
	g.plain("CMPQ", reads, gr(b.rem), imm(int64(elements+g.lanes)))
	g.jump("JLT", again)
	g.movq(gr(g.output(b, 0)), n)
	g.unary("NEGQ", n)
	g.alu("ANDQ", imm(int64(g.full.bytes()-1)), n)
	for i := range b.plan.stored[1:] {
		t := g.newGPR()
		g.movq(gr(g.output(b, i+1)), t)
		g.alu("ADDQ", gr(n), t)
		g.alu("ANDQ", imm(int64(g.full.bytes()-1)), t)
		g.jump("JNE", again)
	}
	g.movq(imm(1), b.mode)
	g.alu("SHRQ", imm(int64(log2(g.size))), n)
	g.test(n)
	g.jump("JNE", masked)
}

// output is the address of an output of a loop.
func (g *gen) output(b *block, i int) *reg { return g.base(pointer{operand: b.plan.stored[i]}) }

// storeBlock selects the stores of a block, of both kinds.
func (g *gen) storeBlock(b *block) {
	if b.mode == nil {
		return
	}
	around, stored := g.newLabel("around"), g.newLabel("stored")
	g.test(b.mode)
	g.jump("JNE", around)
	for _, s := range b.stores {
		g.storeVec(s.from, s.to)
	}
	g.jump("JMP", stored)
	g.label(around)
	for _, s := range b.stores {
		g.plain(g.name("VMOVNTP*"), reads, g.vr(s.from), s.to)
	}
	g.label(stored)
	b.stores = nil
}

// testStream sets the flags by whether the caller wants stores around the cache.
func (g *gen) testStream() {
	t := g.newGPR()
	g.movq(g.argument(argStream), t)
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
