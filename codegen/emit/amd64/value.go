package amd64

import (
	"slices"

	"github.com/opgen/opgen/codegen/nest"
)

// reg is the register of a value. A load that was left to its user is done here.
func (g *gen) reg(v *nest.Value, p *point) *reg {
	values := g.scope(v, p).values
	if r := values[v]; r != nil {
		return r
	}
	r := g.newVec(!v.Lane)
	values[v] = r
	if v.Op == nest.Load && v.Lane {
		g.loadMasked(g.address(v.Operand, p), p, r)
	} else {
		g.failf("v%d = %s is used before it is computed", v.ID, v.Op)
	}
	return r
}

// src is a value as an argument that may be in memory.
func (g *gen) src(v *nest.Value, p *point) arg {
	if g.deferred(v, p) {
		return g.address(v.Operand, p)
	}
	return g.vr(g.reg(v, p))
}

// deferred says whether a value is a load that its user does.
func (g *gen) deferred(v *nest.Value, p *point) bool {
	return p.mask == nil && g.plan.inLoad[v] && (g.varies == nil || g.varies[v])
}

// set makes r the register of v.
func (g *gen) set(v *nest.Value, p *point, r *reg) { g.scope(v, p).values[v] = r }

// value selects one instruction of a nest.
func (g *gen) value(v *nest.Value, p *point) {
	switch v.Op {
	case nest.Const:
		g.set(v, p, g.splat(g.floatBits(v.Imm)))
	case nest.BitsConst:
		g.set(v, p, g.splat(v.Bits))
	case nest.MaskConst:
		g.maskConst(v, p)
	case nest.ScalarOf:
		g.set(v, p, g.scalar(v.Scalar))
	case nest.Load:
		g.load(v, p)
	case nest.Gather:
		g.gather(v, p)
	case nest.Store:
		g.store(v, p)
	case nest.Reduce:
		g.reduce(v, p)
	case nest.Result:
		g.result(v, p)
	case nest.IntScalar, nest.LoadInt, nest.IntSelect, nest.Iota, nest.IntEq, nest.IntNe, nest.IntLt, nest.IntLe:
		g.index(v, p)
	default:
		g.function(v, p)
	}
}

// scalar is a float of the call in all lanes.
func (g *gen) scalar(i int) *reg {
	r := g.newVec(true)
	g.atEntry(func() {
		from := g.argument(argF + 8*i)
		if g.size == 8 {
			g.broadcast(from, r)
			return
		}
		x := g.newVec(true)
		g.zero(x)
		y := g.newVec(true)
		g.plain("VCVTSD2SS", writes, from, part(x, wx), part(y, wx))
		g.broadcast(part(y, wx), r)
	})
	return r
}

func (g *gen) load(v *nest.Value, p *point) {
	if g.deferred(v, p) {
		return
	}
	r := g.newVec(!v.Lane)
	if v.Lane {
		g.loadMasked(g.address(v.Operand, p), p, r)
	} else {
		g.broadcast(g.address(v.Operand, p), r)
	}
	g.set(v, p, r)
}

// loadMasked loads the elements that there are; the others are 0.
func (g *gen) loadMasked(from arg, p *point, dst *reg) {
	switch {
	case p.mask == nil:
		g.loadVec(from, dst)
	case g.wide():
		g.plain(g.name("VMOVUP*"), writes, from, g.kr(p.mask), g.vr(dst)).zero = true
	default:
		g.plain(g.name("VMASKMOVP*"), writes, from, g.vr(p.mask), g.vr(dst))
	}
}

// storeMasked stores the elements that there are.
func (g *gen) storeMasked(src *reg, p *point, to arg) {
	switch {
	case p.mask == nil && g.current.mode != nil:
		g.current.stores = append(g.current.stores, store{src, to}) // see storeBlock
	case p.mask == nil:
		g.storeVec(src, to)
	case g.wide():
		g.plain(g.name("VMOVUP*"), reads, g.vr(src), g.kr(p.mask), to)
	default:
		g.plain(g.name("VMASKMOVP*"), reads, g.vr(src), g.vr(p.mask), to)
	}
}

// storeElement stores one element.
func (g *gen) storeElement(src *reg, to arg) { g.plain(g.name("VMOVS*"), reads, part(src, wx), to) }

func (g *gen) store(v *nest.Value, p *point) {
	r := g.reg(v.Args[0], p)
	if !g.plan.perLane[v] {
		g.onceARow(func() { g.storeElement(r, g.address(v.Operand, p)) })
		return
	}
	g.storeMasked(r, p, g.address(v.Operand, p))
}

func (g *gen) result(v *nest.Value, p *point) {
	if g.n.Slots[v.Slot].Over == nest.Serial {
		g.set(v, p, g.scope(v, p).sums[v.Slot].result())
		return
	}
	g.set(v, p, g.slots[v.Slot].result)
}

// merge replaces the lanes of dst that mask names by those of src.
func (g *gen) merge(mask, src, dst *reg) {
	if g.wide() {
		g.plain(g.name("VMOVAP*"), updates, g.vr(src), g.kr(mask), g.vr(dst))
		return
	}
	g.plain(g.name("VBLENDVP*"), writes, g.vr(mask), g.vr(src), g.vr(dst), g.vr(dst))
}

// function selects an instruction that is a function of its arguments.
func (g *gen) function(v *nest.Value, p *point) {
	f, ok := facts[v.Op]
	if !ok {
		g.failf("v%d = %s has no row in the instruction table", v.ID, v.Op)
		return
	}
	op := g.pick(f.avx2, f.avx512)
	dst := g.newVec(!v.Lane)
	switch f.form {
	case dyadic, monadic, rounding:
		if g.merges(v, p) {
			return
		}
		g.compute(v, p, dst)
	case shift:
		g.plain(op, writes, imm(int64(v.Shift)), g.vr(g.reg(v.Args[0], p)), g.vr(dst))
	case sign:
		g.op3(op, g.vr(g.splat(g.signBit(f.imm != 0))), g.reg(v.Args[0], p), dst).swap = equals
	case extreme:
		a := v.Args[0]
		g.extreme(g.full, v.Op, g.reg(a, p), g.vr(g.reg(v.Args[1], p)), dst, a.Op == nest.Const && a.Imm == a.Imm)
	case fusedMul:
		g.fma(v, p, dst)
	case compare:
		dst = g.newMask()
		in := g.add(&inst{op: op, args: []arg{imm(f.imm), g.src(v.Args[1], p), g.vr(g.reg(v.Args[0], p)), g.kr(dst)}, fold: 1})
		if v.Op.Info().Commutative {
			in.swap = equals
		}
	case logical, inverse:
		dst = g.newMask()
		g.condition(op, v, p, dst)
	case choice:
		g.choose(op, v, p, dst)
	case rename:
		dst = g.reg(v.Args[0], p)
	}
	g.set(v, p, dst)
}

// compute adds the instruction of a dyadic, monadic or rounding form.
func (g *gen) compute(v *nest.Value, p *point, dst *reg) *inst {
	f := facts[v.Op]
	op := g.pick(f.avx2, f.avx512)
	switch f.form {
	case dyadic:
		return g.dyadic(op, v, p, dst)
	case rounding:
		return g.add(&inst{op: op, args: []arg{imm(f.imm), g.src(v.Args[0], p), g.vr(dst)}, fold: 1})
	default:
		return g.op2(op, g.src(v.Args[0], p), dst)
	}
}

// merges says whether a value is left to the Select that uses it.
func (g *gen) merges(v *nest.Value, p *point) bool {
	return g.wide() && g.plan.merged[v] && (g.varies == nil || g.varies[v])
}

// dyadic is dst = a op b; where a is in memory and may be second, it is.
func (g *gen) dyadic(op string, v *nest.Value, p *point, dst *reg) *inst {
	a, b := v.Args[0], v.Args[1]
	commutes := v.Op.Info().Commutative
	if commutes && g.deferred(a, p) && !g.deferred(b, p) {
		a, b = b, a
	}
	in := g.op3(op, g.src(b, p), g.reg(a, p), dst)
	if commutes {
		in.swap = equals
	}
	return in
}

// extreme is a maximum or minimum in which NaN wins. The processor gives its second source, b, where one is NaN and where
// both are equal; what is left is a NaN in a.
func (g *gen) extreme(w width, op nest.Op, a *reg, b arg, dst *reg, aIsNumber bool) {
	f := facts[op]
	if aIsNumber {
		g.op3At(w, g.name(f.avx2), b, a, dst)
		return
	}
	if g.wide() {
		r := dst
		if dst == a {
			r = g.newVec(false)
		}
		g.op3At(w, g.name(f.avx2), b, a, r)
		// The table keeps what is in the destination, but takes a where that is a quiet or signalling NaN.
		const nanIsSource = 0x11
		table := g.splat(nanIsSource)
		g.plain(g.name("VFIXUPIMMP*"), updates, imm(0), part(table, w), part(a, w), part(r, w))
		if r != dst {
			g.move(r, dst)
		}
		return
	}
	nan, r := g.newVec(false), g.newVec(false)
	g.plain(g.name("VCMPP*"), writes, imm(unordered), part(a, w), part(a, w), part(nan, w))
	g.op3At(w, g.name(f.avx2), b, a, r)
	g.plain(g.name("VBLENDVP*"), writes, part(nan, w), part(a, w), part(r, w), part(dst, w))
}

// condition is a function of masks.
func (g *gen) condition(op string, v *nest.Value, p *point, dst *reg) {
	a := g.reg(v.Args[0], p)
	switch {
	case v.Op == nest.Not && g.wide():
		g.plain(op, writes, g.kr(a), g.kr(dst))
	case v.Op == nest.Not:
		g.op3(op, g.vr(g.splat(g.ones())), a, dst).swap = equals
	case g.wide():
		g.plain(op, writes, g.kr(g.reg(v.Args[1], p)), g.kr(a), g.kr(dst))
	default:
		g.op3(op, g.vr(g.reg(v.Args[1], p)), a, dst).swap = equals
	}
}

// choose is a where the mask holds, else b.
func (g *gen) choose(op string, v *nest.Value, p *point, dst *reg) {
	mask := g.reg(v.Args[0], p)
	if g.merges(v.Args[1], p) {
		g.mergeInto(v, p, mask, dst)
		return
	}
	a, b := g.src(v.Args[1], p), g.vr(g.reg(v.Args[2], p))
	if g.wide() {
		g.add(&inst{op: op, args: []arg{a, b, g.kr(mask), g.vr(dst)}, fold: 0})
		return
	}
	g.add(&inst{op: op, args: []arg{g.vr(mask), a, b, g.vr(dst)}, fold: 1})
}

// mergeInto computes the one side of a Select where the mask holds; elsewhere the destination keeps the other side, or
// becomes zero.
func (g *gen) mergeInto(v *nest.Value, p *point, mask, dst *reg) {
	other := v.Args[2]
	zero := other.Op == nest.Const && g.floatBits(other.Imm) == 0
	if !zero {
		g.move(g.reg(other, p), dst)
	}
	in := g.compute(v.Args[1], p, dst)
	in.args = slices.Insert(in.args, len(in.args)-1, g.kr(mask))
	if in.zero = zero; !zero {
		in.role = updates
	}
}

// maskConst is a condition that is known.
func (g *gen) maskConst(v *nest.Value, p *point) {
	bits := uint64(0)
	if v.Imm != 0 {
		bits = g.ones()
	}
	u := g.plan.uses[v]
	if u.flag {
		r := g.newGPR()
		g.movq(imm(int64(v.Imm)), r)
		g.flags[v] = r
	}
	if !u.mask {
		return
	}
	if !g.wide() {
		g.set(v, p, g.splat(bits))
		return
	}
	r := g.newMask()
	op := "KXORW"
	if bits != 0 {
		op = "KXNORW"
	}
	g.plain(op, writes, g.kr(r), g.kr(r), g.kr(r)).idiom = true
	g.set(v, p, r)
}
