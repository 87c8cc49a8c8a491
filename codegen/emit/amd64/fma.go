package amd64

import "github.com/opgen/opgen/codegen/nest"

// Forms of a fused multiply-add, by the order of its operands dst, second, third, where the third may be in memory:
//
//	132: dst = dst·third + second
//	213: dst = second·dst + third
//	231: dst = second·third + dst
const (
	fma132 = "VFMADD132P*"
	fma213 = "VFMADD213P*"
	fma231 = "VFMADD231P*"
)

// fma is dst = a*b + c. The processor overwrites one of the three: one that nobody needs after this, if there is one.
func (g *gen) fma(v *nest.Value, p *point, dst *reg) {
	a, b, c := v.Args[0], v.Args[1], v.Args[2]
	if g.deferred(a, p) || g.plan.dies[b] == v && !g.deferred(b, p) && g.plan.dies[a] != v {
		a, b = b, a
	}
	switch {
	case g.deferred(c, p):
		g.fmaForm(fma213, g.src(c, p), g.reg(b, p), g.reg(a, p), dst)
	case g.plan.dies[c] == v:
		g.fmaForm(fma231, g.src(b, p), g.reg(a, p), g.reg(c, p), dst)
	case g.deferred(b, p):
		g.fmaForm(fma132, g.src(b, p), g.reg(c, p), g.reg(a, p), dst)
	default:
		g.fmaForm(fma213, g.vr(g.reg(c, p)), g.reg(b, p), g.reg(a, p), dst)
	}
}

// fmaForm copies first to dst and adds the instruction.
func (g *gen) fmaForm(form string, third arg, second, first, dst *reg) {
	g.move(first, dst)
	if second == first {
		second = dst
	}
	if third.kind == argReg && third.reg == first {
		third.reg = dst
	}
	g.fmaUpdate(form, third, second, dst)
}

// fmaUpdate is a fused multiply-add into dst.
func (g *gen) fmaUpdate(form string, third arg, second, dst *reg) {
	in := g.op3(g.name(form), third, second, dst)
	in.role, in.swap = updates, fused
}

// swapFused exchanges the second and third operand of a form.
func swapFused(op string) string {
	switch op[6:9] {
	case "132":
		return op[:6] + "213" + op[9:]
	case "213":
		return op[:6] + "132" + op[9:]
	}
	return op
}
