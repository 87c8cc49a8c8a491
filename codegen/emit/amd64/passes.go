package amd64

import "github.com/opgen/opgen/codegen/nest"

// A kernel that reduces rows can be called for one pass over a piece of a long row (see nest.Passes). Then the loops of the passes
// before are left out, since their results are there, and the kernel ends behind the loop of its pass.

// enterPass goes on behind a loop where its results are known: at the label that leavePass sets. It is "" where no call needs it.
func (g *gen) enterPass(loop *nest.For) (known string) {
	pass := g.passes.Number(loop)
	if pass == 0 || g.passes.Last(pass) {
		return ""
	}
	known = g.newLabel("known")
	t := g.newGPR()
	g.movq(g.argument(argPass), t)
	g.plain("CMPQ", reads, gr(t), imm(int64(pass)))
	g.jump("JGT", known)
	return known
}

// leavePass ends a call that is for the pass of a loop alone, and gives the results of the row to others.
func (g *gen) leavePass(b *block, known string) {
	pass := g.passes.Number(b.loop)
	if pass == 0 {
		return
	}
	slots := b.rowSlots(g)
	if known == "" && len(slots) == 0 {
		return
	}
	over := g.newLabel("over")
	t := g.newGPR()
	g.movq(g.argument(argPass), t)
	g.test(t)
	g.jump("JEQ", over)
	g.eachResult(slots, func(r *reg, at arg) { g.storeElement(r, at) })
	if known != "" {
		if g.leave == "" {
			g.leave = g.newLabel("leave")
		}
		g.jump("JMP", g.leave)
		g.label(known)
		g.eachResult(slots, func(r *reg, at arg) { g.broadcast(at, r) })
	}
	g.label(over)
}

// rowSlots lists the slots of a loop whose results later passes or the end of the row use.
func (b *block) rowSlots(g *gen) []int {
	var list []int
	for _, s := range g.overVector(b) {
		if _, ok := g.passes.Index(s); ok {
			list = append(list, s)
		}
	}
	return list
}

// eachResult calls f for the result of each slot, and its place in the memory of results.
func (g *gen) eachResult(slots []int, f func(r *reg, at arg)) {
	if len(slots) == 0 {
		return
	}
	results := g.newGPR()
	g.movq(g.argument(argResults), results)
	for _, s := range slots {
		i, _ := g.passes.Index(s)
		f(g.slots[s].result, mem(results, i*g.size))
	}
}

// onceARow selects what is done once a row, which calls for a pass leave out.
func (g *gen) onceARow(f func()) {
	if g.passes == nil {
		f()
		return
	}
	passed := g.newLabel("passed")
	t := g.newGPR()
	g.movq(g.argument(argPass), t)
	g.unary("DECQ", t)
	g.plain("CMPQ", reads, gr(t), imm(int64(len(g.passes.Loops))))
	g.jump("JCS", passed)
	f()
	g.label(passed)
}
