package nesttest

import (
	"fmt"

	"github.com/opgen/opgen/codegen/nest"
)

// Nests without reductions.

// buildMap is y = 2x + 1.
func buildMap(k *kit) {
	x, y := k.in("x", "gv"), k.out("y", "gv")
	k.each(func() { k.Store(y, k.fma(k.Load(x), k.Const(2), k.Const(1))) })
}

// buildInPlace has two outputs that can share the memory of its inputs.
func buildInPlace(k *kit) {
	x, w := k.in("x", "gv"), k.in("w", "gv")
	y, z := k.out("y", "gv", x, w), k.out("z", "gv", w)
	k.each(func() {
		a, b := k.Load(x), k.Load(w)
		k.Store(y, k.mul(a, b))
		k.Store(z, k.sub(a, b))
	})
}

// buildScalars has scalars, a value for each row and a value for each column.
func buildScalars(k *kit) {
	x, row, column, y := k.in("x", "gv"), k.in("row", "g"), k.in("column", "v"), k.out("y", "gv")
	a, b := k.Scalar("a"), k.Scalar("b")
	k.each(func() {
		scale := k.add(k.mul(k.ScalarOf(a), k.Load(row)), k.ScalarOf(b))
		k.Store(y, k.fma(k.Load(x), scale, k.div(k.Load(column), k.add(k.abs(scale), k.Const(1)))))
	})
}

// smoothL1 is d²/(2 beta) within beta, and |d| - beta/2 beyond.
func (k *kit) smoothL1(d, beta *nest.Value) *nest.Value {
	size := k.abs(d)
	square := k.div(k.mul(k.mul(k.Const(0.5), d), d), beta)
	return k.sel(k.lt(size, beta), square, k.sub(size, k.mul(k.Const(0.5), beta)))
}

func buildSmoothL1(k *kit) {
	x, t, y := k.in("x", "gv"), k.in("t", "gv"), k.out("y", "gv")
	beta := k.Scalar("beta")
	k.each(func() { k.Store(y, k.smoothL1(k.sub(k.Load(x), k.Load(t)), k.ScalarOf(beta))) })
}

func buildSmoothL1Backward(k *kit) {
	x, t, g := k.in("x", "gv"), k.in("t", "gv"), k.in("g", "gv")
	dx, dt := k.out("dx", "gv", x, t, g), k.out("dt", "gv")
	beta := k.Scalar("beta")
	k.each(func() {
		d, b := k.sub(k.Load(x), k.Load(t)), k.ScalarOf(beta)
		slope := k.sel(k.lt(k.abs(d), b), nest.UniformDiv(k.Builder, d, b),
			k.sel(k.lt(k.Const(0), d), k.Const(1), k.sel(k.lt(d, k.Const(0)), k.Const(-1), k.Const(0))))
		v := k.mul(slope, k.Load(g))
		k.Store(dt, k.Op(nest.Neg, v))
		k.Store(dx, v)
	})
}

// buildMomentum is v = mu v + g; p = p - lr v, in place.
func buildMomentum(k *kit) {
	p, v := k.operand("p", nest.InOut, "gv"), k.operand("v", nest.InOut, "gv")
	g := k.in("g", "gv")
	mu, lr, nesterov := k.Scalar("mu"), k.Scalar("lr"), k.IntScalar("nesterov")
	k.each(func() {
		grad := k.Load(g)
		now := k.fma(k.ScalarOf(mu), k.Load(v), grad)
		ahead := k.fma(k.ScalarOf(mu), now, grad)
		zero := k.Op(nest.IntSelect, k.Mask(true), k.ScalarOf(nesterov), k.ScalarOf(nesterov))
		step := k.sel(k.Op(nest.IntEq, zero, k.ScalarOf(nesterov)), ahead, now)
		k.Store(v, now)
		k.Store(p, k.sub(k.Load(p), k.mul(k.ScalarOf(lr), step)))
	})
}

// buildArith has every instruction on floats, each with an output of its own.
func buildArith(k *kit) {
	unary := []nest.Op{nest.Neg, nest.Abs, nest.Sqrt, nest.Floor, nest.Ceil, nest.Trunc, nest.Round}
	binary := []nest.Op{nest.Add, nest.Sub, nest.Mul, nest.Div, nest.Max, nest.Min}
	x, y := k.in("x", "gv"), k.in("y", "gv")
	var outs []int
	for i := range len(unary) + len(binary) {
		outs = append(outs, k.out(fmt.Sprintf("o%d", i), "gv"))
	}
	k.each(func() {
		a, b := k.Load(x), k.Load(y)
		for i, op := range unary {
			k.Store(outs[i], k.Op(op, k.add(a, b)))
		}
		for i, op := range binary {
			k.Store(outs[len(unary)+i], k.Op(op, a, b))
		}
	})
}

// buildMasks has comparisons and masks, of lanes and uniform, mixed.
func buildMasks(k *kit) {
	x, y, row := k.in("x", "gv"), k.in("y", "gv"), k.in("row", "g")
	o := []int{k.out("o0", "gv"), k.out("o1", "gv"), k.out("o2", "gv"), k.out("o3", "gv"), k.out("o4", "gv"), k.out("o5", "g")}
	k.grid(func() {
		r := k.Load(row)
		u := k.Op(nest.Le, r, k.Const(0.25))
		k.vector(func() {
			a, b := k.Load(x), k.Load(y)
			one, two := k.Const(1), k.Const(2)
			lt, le, eq, ne := k.lt(a, b), k.Op(nest.Le, a, r), k.Op(nest.Eq, a, k.Op(nest.Round, a)), k.Op(nest.Ne, b, b)
			k.Store(o[0], k.sel(k.Op(nest.And, lt, le), one, two))
			k.Store(o[1], k.sel(k.Op(nest.Or, eq, k.Op(nest.Not, lt)), a, b))
			k.Store(o[2], k.sel(k.Op(nest.And, u, lt), a, one))
			k.Store(o[3], k.sel(k.Op(nest.Or, k.Mask(false), k.Op(nest.Not, ne)), two, r))
			k.Store(o[4], k.sel(u, a, k.sel(k.Mask(true), b, a)))
		})
		k.Store(o[5], k.sel(k.Op(nest.Or, u, k.lt(r, k.Const(-1))), k.Const(3), k.sel(k.Op(nest.Not, u), r, k.Const(1))))
	})
}

// buildBits has every instruction on bits. Arguments that may be NaN are replaced before their bits are used: those
// of a NaN are not determined.
func buildBits(k *kit) {
	x, y := k.in("x", "gv"), k.in("y", "gv")
	o := []int{k.out("o0", "gv"), k.out("o1", "gv"), k.out("o2", "gv"), k.out("o3", "gv"), k.out("o4", "gv"), k.out("o5", "gv")}
	mant, one := uint(23), uint64(0x3f800000)
	if k.Float() == nest.F64 {
		mant, one = 52, 0x3ff0000000000000
	}
	bits := func(v *nest.Value) *nest.Value {
		return k.Op(nest.AsBits, k.sel(k.Op(nest.Eq, v, v), v, k.Const(0.75)))
	}
	float := func(v *nest.Value) *nest.Value { return k.Op(nest.AsFloat, v) }
	k.each(func() {
		a, b := bits(k.Load(x)), bits(k.Load(y))
		fraction := k.BitsConst(1<<mant - 1)
		k.Store(o[0], float(k.Op(nest.BitOr, k.Op(nest.BitAnd, a, fraction), k.BitsConst(one))))
		k.Store(o[1], float(k.Op(nest.BitXor, a, k.Op(nest.BitAnd, b, fraction))))
		k.Store(o[2], float(k.Op(nest.BitAdd, k.Op(nest.BitAnd, a, fraction), k.Shl(k.Shr(b, mant), mant-1))))
		k.Store(o[3], float(k.Op(nest.BitSub, a, k.Shr(b, 1))))
		k.Store(o[4], float(k.sel(k.lt(k.Load(x), k.Load(y)), a, b)))
		k.Store(o[5], float(k.Shl(a, 3)))
	})
}

// buildFunctions has an output for each composed function from number first to number last.
func buildFunctions(first, last int) func(*kit) {
	return func(k *kit) {
		x, y := k.in("x", "gv"), k.in("y", "gv")
		all := nest.MathFuncs()
		all = all[first:min(last, len(all))]
		var outs []int
		for _, f := range all {
			outs = append(outs, k.out(f.Name, "gv"))
		}
		k.each(func() {
			for i, f := range all {
				args := []*nest.Value{k.Load(x), k.Load(y)}
				k.Store(outs[i], k.fn(f.Name, args[:f.Args]...))
			}
		})
	}
}

// buildUniformFunctions has the functions in uniform code.
func buildUniformFunctions(k *kit) {
	x, w, y := k.in("x", "g"), k.in("w", "gv"), k.out("y", "gv")
	k.grid(func() {
		v := k.Load(x)
		sum := k.Const(0)
		for _, f := range nest.MathFuncs() {
			if f.Args == 1 {
				sum = k.add(sum, k.fn(f.Name, v))
			}
		}
		k.vector(func() { k.Store(y, k.mul(k.Load(w), sum)) })
	})
}

// buildSpill keeps more values live than there are registers.
func buildSpill(k *kit) {
	x, w, y := k.in("x", "gv"), k.in("w", "gv"), k.out("y", "gv")
	k.each(func() {
		a, b := k.Load(x), k.Load(w)
		var live []*nest.Value
		for i := range 48 {
			v := k.fma(a, k.Const(float64(i)*0.125), b)
			if i%5 == 0 {
				v = k.sel(k.lt(v, a), v, k.mul(a, b))
			}
			live = append(live, v)
		}
		sum := k.Const(0)
		for i := range live {
			sum = k.fma(live[i], live[(i*7+3)%len(live)], sum)
		}
		k.Store(y, sum)
	})
}
