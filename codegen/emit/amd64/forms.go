package amd64

// Instructions on vector and mask registers.

func (g *gen) newVec(uniform bool) *reg { return &reg{class: vec, uniform: uniform} }

// newMask is a register for conditions of lanes: a vector on AVX2.
func (g *gen) newMask() *reg {
	if g.wide() {
		return &reg{class: kmask}
	}
	return g.newVec(false)
}

// vr is a whole vector register as an argument.
func (g *gen) vr(r *reg) arg { return arg{kind: argReg, reg: r, width: g.full} }

// part is the low part of a vector register.
func part(r *reg, w width) arg { return arg{kind: argReg, reg: r, width: w} }

// kr is a register for conditions as an argument.
func (g *gen) kr(r *reg) arg { return arg{kind: argReg, reg: r, width: g.full} }

// op3 adds dst = a op b, where b may be in memory.
func (g *gen) op3(op string, b arg, a, dst *reg) *inst { return g.op3At(g.full, op, b, a, dst) }

// op3At is op3 on parts of registers.
func (g *gen) op3At(w width, op string, b arg, a, dst *reg) *inst {
	return g.add(&inst{op: op, args: []arg{b, part(a, w), part(dst, w)}, fold: 0})
}

// op2 adds dst = op a, where a may be in memory.
func (g *gen) op2(op string, a arg, dst *reg) *inst {
	return g.add(&inst{op: op, args: []arg{a, g.vr(dst)}, fold: 0})
}

// move copies a vector.
func (g *gen) move(src, dst *reg) {
	in := g.op2("VMOVAP"+g.name("*"), g.vr(src), dst)
	in.copy = true
	dst.hint = src
}

// loadVec sets dst to a vector in memory.
func (g *gen) loadVec(from arg, dst *reg) { g.plain(g.name("VMOVUP*"), writes, from, g.vr(dst)) }

// storeVec puts a vector into memory.
func (g *gen) storeVec(src *reg, to arg) { g.plain(g.name("VMOVUP*"), reads, g.vr(src), to) }

// broadcast sets all lanes of dst to the element at from.
func (g *gen) broadcast(from arg, dst *reg) {
	g.plain(g.name("VBROADCASTS*"), writes, from, g.vr(dst))
}

// zero sets dst to 0.
func (g *gen) zero(dst *reg) {
	in := g.op3(g.pick("VXORP*", "VPXOR#"), g.vr(dst), dst, dst)
	in.idiom, in.fold = true, -1
}

// splat is a constant in all lanes, by its bits.
func (g *gen) splat(bits uint64) *reg {
	r := g.consts[bits]
	if r != nil {
		return r
	}
	r = g.newVec(true)
	g.consts[bits] = r
	home := g.pool.splat(bits, g.size)
	home.bcst = g.wide()
	r.home, r.made = &home, true
	g.atEntry(func() {
		switch {
		case bits == 0:
			g.zero(r)
		case g.wide():
			element := home
			element.bcst = false
			g.broadcast(element, r)
		default:
			g.loadVec(home, r)
		}
	})
	return r
}
