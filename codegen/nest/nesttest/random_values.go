package nesttest

import (
	"math"

	"github.com/opgen/opgen/codegen/nest"
)

// loads adds the elements that can be loaded at a place: of inputs, and of outputs of earlier stages.
func (g *generator) loads(p *pool, lane, serial bool) {
	for _, in := range g.ins {
		if (lane || !in.vector) && (serial || !in.serial) && g.r.Intn(5) > 0 {
			p.floats = append(p.floats, g.Load(in.operand))
		}
	}
	for _, o := range g.outs {
		if o.stored > 0 && o.stored < g.now && !o.inout && (lane || !o.vector) && (serial || !o.serial) && g.r.Intn(2) == 0 {
			p.floats = append(p.floats, g.Load(o.operand))
		}
	}
	for _, at := range g.ints {
		row, index := g.LoadInt(at), g.ScalarOf(g.indices[0])
		if lane {
			p.masks = append(p.masks, g.intCompare(g.Iota(), row), g.intCompare(index, g.Iota()))
			continue
		}
		c := g.intCompare(row, index)
		p.masks = append(p.masks, c)
		for _, in := range g.ins {
			if in.vector && (serial || !in.serial) {
				p.floats = append(p.floats, g.Gather(in.operand, g.Op(nest.IntSelect, c, row, index)))
			}
		}
	}
}

func (g *generator) intCompare(a, b *nest.Value) *nest.Value {
	ops := []nest.Op{nest.IntLt, nest.IntLe, nest.IntEq, nest.IntNe}
	return g.Op(ops[g.r.Intn(len(ops))], a, b)
}

// store stores into some of the outputs that belong to this place.
func (g *generator) store(p *pool, lane, serial bool) {
	for i := range g.outs {
		o := &g.outs[i]
		if o.stored == 0 && o.vector == lane && o.serial == serial && g.r.Intn(2) == 0 {
			g.storeOne(o, p)
		}
	}
}

func (g *generator) storeOne(o *output, p *pool) {
	v := g.pick(p)
	if o.inout {
		v = g.fma(v, g.Const(0.5), g.Load(o.operand))
	}
	g.Store(o.operand, v)
	o.stored = g.now
}

// pick is a float: of late, or any.
func (g *generator) pick(p *pool) *nest.Value {
	all := p.floats
	if len(all) == 0 || g.r.Intn(6) == 0 {
		all = g.uniform.floats
	}
	if len(all) > 4 && g.r.Intn(2) == 0 {
		all = all[len(all)-4:]
	}
	return all[g.r.Intn(len(all))]
}

func (g *generator) mask(p *pool) *nest.Value {
	if len(p.masks) > 0 && g.r.Intn(3) > 0 {
		return p.masks[g.r.Intn(len(p.masks))]
	}
	ops := []nest.Op{nest.Lt, nest.Le, nest.Eq, nest.Ne}
	return g.Op(ops[g.r.Intn(len(ops))], g.pick(p), g.pick(p))
}

// compute adds n random instructions, or compositions of some, to a pool.
func (g *generator) compute(p *pool, n int) {
	for range n {
		switch g.r.Intn(12) {
		case 0:
			ops := []nest.Op{nest.And, nest.Or}
			p.masks = append(p.masks, g.Op(ops[g.r.Intn(2)], g.mask(p), g.mask(p)))
		case 1:
			p.masks = append(p.masks, g.Op(nest.Not, g.mask(p)), g.mask(p))
		case 2:
			p.floats = append(p.floats, g.sel(g.mask(p), g.pick(p), g.pick(p)))
		case 3:
			p.floats = append(p.floats, g.bits(p))
		case 4:
			p.floats = append(p.floats, g.function(p))
		case 5:
			p.floats = append(p.floats, g.Const(math.Round(g.r.NormFloat64()*8)/4))
		case 6, 7:
			p.floats = append(p.floats, g.fma(g.pick(p), g.pick(p), g.pick(p)))
		case 8:
			ops := []nest.Op{nest.Neg, nest.Abs, nest.Floor, nest.Ceil, nest.Trunc, nest.Round}
			p.floats = append(p.floats, g.Op(ops[g.r.Intn(len(ops))], g.pick(p)))
		case 9:
			if g.r.Intn(2) == 0 {
				p.floats = append(p.floats, g.Op(nest.Sqrt, g.abs(g.pick(p))))
			} else {
				p.floats = append(p.floats, g.div(g.pick(p), g.add(g.abs(g.pick(p)), g.Const(0.5))))
			}
		default:
			ops := []nest.Op{nest.Add, nest.Sub, nest.Mul, nest.Max, nest.Min, nest.Add, nest.Sub, nest.Mul, nest.Div}
			p.floats = append(p.floats, g.Op(ops[g.r.Intn(len(ops))], g.pick(p), g.pick(p)))
		}
	}
}

// function is one of the composed functions, of an argument that is often moderate.
func (g *generator) function(p *pool) *nest.Value {
	all := nest.MathFuncs()
	x := g.pick(p)
	if g.r.Intn(3) > 0 {
		x = g.Op(nest.Min, g.Const(8), g.Op(nest.Max, g.Const(-8), x))
	}
	i := g.r.Intn(len(all) + 1)
	if i == len(all) {
		return nest.UniformDiv(g.Builder, x, g.pick(&g.uniform))
	}
	if all[i].Args == 2 {
		return g.fn(all[i].Name, x, g.pick(p))
	}
	return g.fn(all[i].Name, x)
}

// bits is something done to the bits of floats. Those of a NaN are not determined, so it is replaced first where more
// than the sign is changed.
func (g *generator) bits(p *pool) *nest.Value {
	sign := uint64(1) << 31
	if g.Float() == nest.F64 {
		sign = 1 << 63
	}
	v := g.pick(p)
	asBits := func(v *nest.Value) *nest.Value { return g.Op(nest.AsBits, v) }
	number := func(v *nest.Value) *nest.Value { return g.sel(g.Op(nest.Eq, v, v), v, g.Const(1.5)) }
	var b *nest.Value
	switch g.r.Intn(5) {
	case 0:
		b = g.Op(nest.BitXor, asBits(v), g.BitsConst(sign))
	case 1:
		b = g.Op(nest.BitOr, asBits(v), g.BitsConst(sign))
	case 2:
		b = g.Op(nest.BitAnd, asBits(v), g.BitsConst(sign-1))
	case 3:
		b = g.Op(nest.BitAdd, asBits(number(v)), g.Shr(asBits(number(g.pick(p))), 30))
	default:
		b = g.Op(nest.BitSub, g.Shl(g.Shr(asBits(number(v)), 9), 9), g.BitsConst(uint64(g.r.Intn(100))))
	}
	return g.Op(nest.AsFloat, b)
}
