package amd64

import (
	"math"

	"github.com/opgen/opgen/codegen/nest"
)

// intFact is how indices are compared.
type intFact struct {
	set     string // condition of uniform indices
	imm     int64  // predicate of lanes, AVX-512
	greater bool   // AVX2: by the instruction for greater, else by the one for equal
	swapped bool   // AVX2: of the exchanged operands
	negated bool   // AVX2: and the opposite of that
}

var intFacts = map[nest.Op]intFact{
	nest.IntEq: {set: "SETEQ", imm: intEqual},
	nest.IntNe: {set: "SETNE", imm: intNotEqual, negated: true},
	nest.IntLt: {set: "SETLT", imm: intLess, greater: true, swapped: true},
	nest.IntLe: {set: "SETLE", imm: intLessEqual, greater: true, negated: true},
}

// index selects an instruction on indices.
func (g *gen) index(v *nest.Value, p *point) {
	switch v.Op {
	case nest.IntScalar:
		r := g.newGPR()
		g.movq(g.argument(argI+8*v.Scalar), r)
		g.setIndex(v, p, r)
	case nest.LoadInt:
		r := g.newGPR()
		if from := g.address(v.Operand, p); g.operandSize(v.Operand) == 4 {
			g.plain("MOVLQSX", writes, from, gr(r))
		} else {
			g.movq(from, r)
		}
		g.setIndex(v, p, r)
	case nest.IntSelect:
		r := g.newGPR()
		g.movq(gr(g.reg(v.Args[2], p)), r)
		g.test(g.flag(v.Args[0], p))
		g.plain("CMOVQNE", updates, gr(g.reg(v.Args[1], p)), gr(r))
		g.setIndex(v, p, r)
	case nest.Iota:
		if p.at == 0 {
			g.set(v, p, g.current.index)
			return
		}
		r := g.newVec(false)
		g.op3(g.name("VPADD#"), g.vr(g.splat(uint64(p.at*g.lanes))), g.current.index, r).swap = equals
		g.set(v, p, r)
	default:
		if v.Lane {
			g.compareLanes(v, p)
		} else {
			g.compareUniform(v, p)
		}
	}
}

// setIndex makes r the register of a uniform index, and puts it in all lanes where that is needed.
func (g *gen) setIndex(v *nest.Value, p *point, r *reg) {
	g.set(v, p, r)
	if !g.plan.uses[v].splat {
		return
	}
	if g.size == 4 {
		r = g.clamp(r)
	}
	g.splats[v] = g.spread(r)
}

// clamp limits an index to 32 bits such that it compares with those of lanes as before: these are 0 … 2^31-2.
func (g *gen) clamp(r *reg) *reg {
	low, high, c := g.newGPR(), g.newGPR(), g.newGPR()
	g.movq(gr(r), c)
	g.movq(imm(-1), low)
	g.movq(imm(math.MaxInt32), high)
	g.cmp(c, gr(low))
	g.plain("CMOVQLT", updates, gr(low), gr(c))
	g.cmp(c, gr(high))
	g.plain("CMOVQGT", updates, gr(high), gr(c))
	return c
}

// spread puts the low bits of a general register into all lanes.
func (g *gen) spread(r *reg) *reg {
	all := g.newVec(true)
	if g.wide() {
		g.plain(g.name("VPBROADCAST#"), writes, gr(r), g.vr(all))
		return all
	}
	x := g.newVec(false)
	g.plain(g.pickSize("VMOVD", "VMOVQ"), writes, gr(r), part(x, wx))
	g.plain(g.name("VPBROADCAST#"), writes, part(x, wx), g.vr(all))
	return all
}

func (g *gen) pickSize(four, eight string) string {
	if g.size == 4 {
		return four
	}
	return eight
}

// lanesOf is an index as a vector.
func (g *gen) lanesOf(v *nest.Value, p *point) *reg {
	if v.Lane {
		return g.reg(v, p)
	}
	return g.splats[v]
}

// compareLanes compares indices of which one is that of the lane.
func (g *gen) compareLanes(v *nest.Value, p *point) {
	f := intFacts[v.Op]
	a, b := g.lanesOf(v.Args[0], p), g.lanesOf(v.Args[1], p)
	dst := g.newMask()
	g.set(v, p, dst)
	if g.wide() {
		g.add(&inst{op: g.name("VPCMP#"), args: []arg{imm(f.imm), g.vr(b), g.vr(a), g.kr(dst)}, fold: 1})
		return
	}
	op := "VPCMPEQ#"
	if f.greater {
		op = "VPCMPGT#"
	}
	if f.swapped {
		a, b = b, a
	}
	g.op3(g.name(op), g.vr(b), a, dst)
	if f.negated {
		not := g.newMask()
		g.op3(g.name("VXORP*"), g.vr(g.splat(g.ones())), dst, not).swap = equals
		g.set(v, p, not)
	}
}

// compareUniform compares uniform indices, in the forms in which the result is used.
func (g *gen) compareUniform(v *nest.Value, p *point) {
	r := g.newGPR()
	g.cmp(g.reg(v.Args[0], p), gr(g.reg(v.Args[1], p)))
	g.plain(intFacts[v.Op].set, writes, gr(r))
	g.plain("MOVBLZX", writes, gr(r), gr(r))
	g.flags[v] = r
	if !g.plan.uses[v].mask {
		return
	}
	all := g.newGPR()
	g.movq(gr(r), all)
	g.unary("NEGQ", all)
	if !g.wide() {
		g.set(v, p, g.spread(all))
		return
	}
	m := g.newMask()
	g.plain("KMOVW", writes, gr(all), g.kr(m))
	g.set(v, p, m)
}

// flag is a uniform condition as a number that is 0 where it doesn't hold.
func (g *gen) flag(v *nest.Value, p *point) *reg {
	if r := g.flags[v]; r != nil {
		return r
	}
	r := g.newGPR()
	if g.wide() {
		g.plain("KMOVW", writes, g.kr(g.reg(v, p)), gr(r))
	} else {
		g.plain(g.name("VMOVMSKP*"), writes, g.vr(g.reg(v, p)), gr(r))
	}
	return r
}

// gather is the element of the current row at a uniform index, in all lanes.
func (g *gen) gather(v *nest.Value, p *point) {
	step := g.field(argStep+8*v.Operand, log2(g.size))
	offset := g.newGPR()
	g.movq(gr(g.reg(v.Args[0], p)), offset)
	g.alu("SUBQ", gr(g.field(argLane, 0)), offset)
	g.plain("IMULQ", updates, gr(step), gr(offset))
	r := g.newVec(true)
	g.broadcast(arg{kind: argMem, reg: g.base(pointer{v.Operand, true}), index: offset, scale: 1}, r)
	g.set(v, p, r)
}
