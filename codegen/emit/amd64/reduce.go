package amd64

import (
	"math"

	"github.com/opgen/opgen/codegen/nest"
)

// slotState is where a slot over Vector or Grid has its accumulators.
type slotState struct {
	home   arg  // in lanes: in the frame, between blocks
	acc    *reg // over Grid, in uniform code
	result *reg // over Vector
}

// identity is the start of a slot in all lanes.
func (g *gen) identity(slot int) *reg { return g.splat(g.floatBits(g.n.Slots[slot].Monoid.Identity())) }

func (g *gen) floatBits(x float64) uint64 {
	if g.size == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// slotVectors is the number of registers that the accumulators of a slot in lanes fill.
func (g *gen) slotVectors() int { return g.n.Lanes / g.lanes }

// vectorAt is a vector of the accumulators in the frame.
func (g *gen) vectorAt(slot, i int) arg {
	a := g.slots[slot].home
	a.disp += i * g.full.bytes()
	return a
}

// layoutSlots gives accumulators in lanes their places in the frame. Loops that start theirs anew in each row share one.
func (g *gen) layoutSlots() {
	if len(g.plan.inLanes) > 0 && g.n.Lanes*g.size < wz.bytes() {
		g.err = errTooFewLanes
		return
	}
	bytes := g.n.Lanes * g.size
	for i, s := range g.n.Slots {
		if g.plan.inLanes[i] && s.Over == nest.Grid {
			g.slots[i].home = g.newFrame(bytes)
		}
	}
	most := 0
	for _, p := range g.plan.loops {
		n := 0
		for _, s := range p.slots {
			if g.plan.inLanes[s] && g.n.Slots[s].Over == nest.Vector {
				g.slots[s].home = arg{kind: argFrame, disp: g.frame + n*bytes}
				n++
			}
		}
		most = max(most, n)
	}
	g.newFrame(most * bytes)
}

// gridSlots starts the slots that live through all rows.
func (g *gen) gridSlots() {
	for i, s := range g.n.Slots {
		switch {
		case s.Over != nest.Grid || s.Wide:
		case g.plan.inLanes[i]:
			g.resetHome(i)
		default:
			g.slots[i].acc = g.newVec(true)
			g.move(g.identity(i), g.slots[i].acc)
		}
	}
}

func (g *gen) resetHome(slot int) {
	start := g.newVec(true)
	g.move(g.identity(slot), start)
	for v := range g.slotVectors() {
		g.storeVec(start, g.vectorAt(slot, v))
	}
}

// storeGridSlots writes the results of slots over Grid.
func (g *gen) storeGridSlots() {
	for i, s := range g.n.Slots {
		if s.Over != nest.Grid || s.Wide || g.err != nil {
			continue
		}
		r := g.slots[i].acc
		if r == nil {
			r = g.tree(i)
		}
		g.storeElement(r, mem(g.row(s.Acc), 0))
	}
}

// overVector lists the slots of a loop that start anew in each row.
func (g *gen) overVector(b *block) []int {
	var list []int
	for _, s := range b.plan.slots {
		if g.n.Slots[s].Over == nest.Vector {
			list = append(list, s)
		}
	}
	return list
}

// finishSlots computes the results of the slots of a loop over Vector, where they are used.
func (g *gen) finishSlots(b *block) {
	for _, s := range g.overVector(b) {
		if g.plan.results[s] {
			g.slots[s].result = g.tree(s)
		}
	}
}

// resetSlots starts the slots over Vector, in the frame.
func (g *gen) resetSlots(b *block) {
	for _, s := range g.overVector(b) {
		g.resetHome(s)
	}
}

// slotRegs gives the vectors of a block their accumulators in registers. It leaves the flags as they are.
func (g *gen) slotRegs(b *block, points []*point) {
	b.accs = map[int][]*reg{}
	for _, s := range b.plan.slots {
		for _, p := range points {
			r := g.newVec(false)
			if g.n.Slots[s].Over == nest.Vector {
				g.move(g.identity(s), r)
			} else {
				g.loadVec(g.vectorAt(s, p.at), r)
			}
			p.accs[s] = r
			b.accs[s] = append(b.accs[s], r)
		}
	}
}

// keepSlots puts the accumulators of blocks into the frame.
func (g *gen) keepSlots(b *block) {
	for _, s := range b.plan.slots {
		for i, r := range b.accs[s] {
			g.storeVec(r, g.vectorAt(s, i))
		}
	}
}

// startOffset begins at the first accumulator in the frame.
func (g *gen) startOffset(b *block) {
	if len(b.plan.slots) > 0 {
		b.offset = g.newGPR()
		g.movq(imm(0), b.offset)
	}
}

// stepOffset goes on to the accumulators of the elements that follow.
func (g *gen) stepOffset(b *block, elements int) {
	if b.offset != nil {
		g.alu("ADDQ", imm(int64(elements*g.size)), b.offset)
		g.alu("ANDQ", imm(int64(g.n.Lanes*g.size-1)), b.offset)
	}
}

// reduce combines a value into a slot.
func (g *gen) reduce(v *nest.Value, p *point) {
	s := &g.n.Slots[v.Slot]
	switch {
	case s.Over == nest.Serial:
		g.serialReduce(v, p)
	case s.Wide:
		at := g.address(s.Acc, p)
		old := g.newVec(false)
		g.loadMasked(at, p, old)
		sum := g.newVec(false)
		g.combine(g.full, s.Monoid, old, g.src(v.Args[0], p), sum)
		g.storeMasked(sum, p, at)
	case !g.plan.perLane[v]:
		acc, x := g.slots[v.Slot].acc, g.reg(v.Args[0], p)
		g.onceARow(func() { g.combine(g.full, s.Monoid, acc, g.vr(x), acc) })
	case p.accs[v.Slot] != nil:
		acc := p.accs[v.Slot]
		g.combine(g.full, s.Monoid, acc, g.src(v.Args[0], p), acc)
	default:
		home := g.vectorAt(v.Slot, p.at%g.slotVectors())
		home.index, home.scale = g.current.offset, 1
		acc := g.newVec(false)
		g.loadVec(home, acc)
		sum := g.newVec(false)
		g.combine(g.full, s.Monoid, acc, g.src(v.Args[0], p), sum)
		if p.mask != nil {
			g.merge(p.mask, sum, acc)
			sum = acc
		}
		g.storeVec(sum, home)
	}
}

// combine sets dst to a and b combined; dst may be a.
func (g *gen) combine(w width, m nest.Monoid, a *reg, b arg, dst *reg) {
	op := combiners[m]
	f := facts[op]
	if f.form == extreme {
		g.extreme(w, op, a, b, dst, false)
		return
	}
	g.op3At(w, g.pick(f.avx2, f.avx512), b, a, dst).swap = equals
}

// tree combines the virtual lanes of a slot by halves. The result is in all lanes.
func (g *gen) tree(slot int) *reg {
	m := g.n.Slots[slot].Monoid
	r := g.treeOfVectors(slot, 0, 1)
	if g.wide() {
		r = g.fold(m, r, wy, g.name("VEXTRACTF64X4"), imm(1), wz)
		r = g.fold(m, r, wx, "VEXTRACTF64X2", imm(1), wy)
	} else {
		r = g.fold(m, r, wx, "VEXTRACTF128", imm(1), wy)
	}
	if g.size == 4 {
		r = g.fold(m, r, wx, "VPERMILPD", imm(1), wx)
	}
	r = g.fold(m, r, wx, "VPERMILP"+g.name("*"), imm(1), wx)
	all := g.newVec(true)
	g.broadcast(part(r, wx), all)
	return all
}

// treeOfVectors combines vectors i, i+count, i+2·count …
func (g *gen) treeOfVectors(slot, i, count int) *reg {
	r := g.newVec(false)
	if count == g.slotVectors() {
		g.loadVec(g.vectorAt(slot, i), r)
		return r
	}
	a, b := g.treeOfVectors(slot, i, 2*count), g.treeOfVectors(slot, i+count, 2*count)
	g.combine(g.full, g.n.Slots[slot].Monoid, a, g.vr(b), r)
	return r
}

// fold combines the lower half of r with the upper, which op moves down from a part of width from.
func (g *gen) fold(m nest.Monoid, r *reg, to width, op string, selector arg, from width) *reg {
	upper, sum := g.newVec(false), g.newVec(false)
	g.plain(op, writes, selector, part(r, from), part(upper, to))
	g.combine(to, m, r, part(upper, to), sum)
	return sum
}
