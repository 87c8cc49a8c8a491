package amd64

import "github.com/opgen/opgen/codegen/nest"

// serialSum is the state of a slot over Serial, for one vector.
type serialSum struct {
	block *reg // since the last restart
	outer *reg // sums: of the blocks before
}

func (s *serialSum) result() *reg {
	if s.outer != nil {
		return s.outer
	}
	return s.block
}

// serialLoop selects a loop that runs in order, for all vectors of a block at once. Sums restart every SerialBlock steps:
// a loop over blocks holds the loop over steps.
func (g *gen) serialLoop(loop *nest.For, points []*point) {
	p := g.plan.loops[loop]
	sums := g.startSerial(loop, points)
	defer g.follow(p.pointers)()
	left := g.newGPR()
	g.movq(g.argument(argK), left)
	end, restart, top := g.newLabel("end"), g.newLabel("restart"), g.newLabel("step")
	g.test(left)
	g.jump("JLE", end)
	steps := left
	if len(sums) > 0 {
		steps = g.newGPR()
		g.label(restart)
		limit := g.newGPR()
		g.movq(imm(nest.SerialBlock), limit)
		g.movq(gr(left), steps)
		g.cmp(steps, gr(limit))
		g.plain("CMOVQGT", updates, gr(limit), gr(steps))
		g.alu("SUBQ", gr(steps), left)
		for _, s := range sums {
			g.zero(s.block)
		}
	}
	g.label(top)
	g.often(loopFreq, func() {
		g.body(loop.Body, points)
		for _, ptr := range p.pointers {
			size := g.operandSize(ptr.operand)
			g.alu("ADDQ", gr(g.field(argKStep+8*ptr.operand, log2(size))), g.inner[ptr])
		}
		g.unary("DECQ", steps)
		g.jump("JNE", top)
	})
	if len(sums) > 0 {
		for _, s := range sums {
			g.combine(g.full, nest.SumOf, s.outer, g.vr(s.block), s.outer)
		}
		g.test(left)
		g.jump("JGT", restart)
	}
	g.label(end)
}

// startSerial starts the slots that are reduced in a serial loop and lists the sums.
func (g *gen) startSerial(loop *nest.For, points []*point) []*serialSum {
	var sums []*serialSum
	for _, st := range loop.Body {
		v, ok := st.(*nest.Value)
		if !ok || v.Op != nest.Reduce || g.n.Slots[v.Slot].Over != nest.Serial {
			continue
		}
		started := map[*scope]bool{}
		for _, p := range points {
			scope := g.scope(v, p)
			if started[scope] {
				continue
			}
			started[scope] = true
			s := &serialSum{block: g.newVec(!g.plan.perLane[v])}
			scope.sums[v.Slot] = s
			if g.n.Slots[v.Slot].Monoid != nest.SumOf {
				g.move(g.identity(v.Slot), s.block)
				continue
			}
			s.outer = g.newVec(!g.plan.perLane[v])
			g.zero(s.outer)
			sums = append(sums, s)
		}
	}
	return sums
}

// serialReduce combines a value, or the product of two, into a slot over Serial.
func (g *gen) serialReduce(v *nest.Value, p *point) {
	s := g.scope(v, p).sums[v.Slot]
	if len(v.Args) == 1 {
		g.combine(g.full, g.n.Slots[v.Slot].Monoid, s.block, g.src(v.Args[0], p), s.block)
		return
	}
	x, y := v.Args[0], v.Args[1]
	if g.deferred(x, p) {
		x, y = y, x
	}
	g.fmaUpdate(fma231, g.src(y, p), g.reg(x, p), s.block)
}
