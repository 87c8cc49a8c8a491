package nesttest

import "github.com/opgen/opgen/codegen/nest"

// Nests with serial loops, accumulators over the grid, or without some of the loops.

// buildLinear is y = relu(x w + b).
func buildLinear(k *kit) {
	x, w, b := k.in("x", "gs"), k.in("w", "vs"), k.in("b", "v")
	y := k.out("y", "gv")
	dot := k.slot(nest.SumOf, nest.Serial)
	k.each(func() {
		k.serial(func() { k.ReduceProduct(dot, k.Load(x), k.Load(w)) })
		k.Store(y, k.Op(nest.Max, k.Const(0), k.add(k.Result(dot), k.Load(b))))
	})
}

// buildRowDot has serial loops in uniform code, before a vector loop, and stores in one.
func buildRowDot(k *kit) {
	x, w, z := k.in("x", "gs"), k.in("w", "s"), k.in("z", "gv")
	y, d := k.out("y", "gv"), k.out("d", "gs", x)
	dot, top := k.slot(nest.SumOf, nest.Serial), k.slot(nest.MaxOf, nest.Serial)
	k.grid(func() {
		k.serial(func() {
			k.ReduceProduct(dot, k.Load(x), k.Load(w))
			k.Reduce(top, k.Load(x))
		})
		k.vector(func() { k.Store(y, k.fma(k.Load(z), k.Result(dot), k.Result(top))) })
		k.serial(func() { k.Store(d, k.sub(k.Load(x), k.Result(top))) })
	})
}

// buildColumnReductions reduces the columns of each matrix of a batch, a value at each point and one for all.
func buildColumnReductions(k *kit) {
	x, w := k.in("x", "gvs"), k.in("w", "gs")
	var outs, slots []int
	for _, m := range []nest.Monoid{nest.SumOf, nest.MaxOf, nest.MinOf, nest.ProdOf, nest.SumOf} {
		outs = append(outs, k.out(m.String(), "gv"))
		slots = append(slots, k.slot(m, nest.Serial))
	}
	each := k.out("each", "gvs", x)
	uniform := k.slot(nest.SumOf, nest.Serial)
	k.each(func() {
		k.serial(func() {
			v := k.Load(x)
			for _, s := range slots[:4] {
				k.Reduce(s, v)
			}
			k.Reduce(slots[4], k.mul(v, k.Load(w)))
			k.Reduce(uniform, k.Load(w))
			k.Store(each, k.mul(v, k.Const(3)))
		})
		for i, s := range slots {
			k.Store(outs[i], k.mul(k.Result(s), k.Result(uniform)))
		}
	})
}

func buildSmoothL1Mean(k *kit) {
	x, t := k.in("x", "gv"), k.in("t", "gv")
	total := k.acc("total", nest.SumOf, false)
	beta, scale := k.Scalar("beta"), k.Scalar("scale")
	k.each(func() {
		v := k.smoothL1(k.sub(k.Load(x), k.Load(t)), k.ScalarOf(beta))
		k.Reduce(total, k.mul(v, k.ScalarOf(scale)))
	})
}

// buildGridNarrow has a number of each kind over all elements, in two stages.
func buildGridNarrow(k *kit) {
	x := k.in("x", "gv")
	sum, top := k.acc("sum", nest.SumOf, false), k.acc("top", nest.MaxOf, false)
	least, prod := k.acc("least", nest.MinOf, false), k.acc("prod", nest.ProdOf, false)
	row := k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		k.vector(func() {
			v := k.Load(x)
			k.Reduce(row, v)
			k.Reduce(top, v)
			k.Reduce(least, v)
		})
		k.vector(func() {
			d := k.sub(k.Load(x), k.Result(row))
			k.Reduce(sum, k.mul(d, d))
			k.Reduce(prod, k.fn("exp", k.Op(nest.Neg, k.abs(d))))
		})
	})
}

// buildGridRows has a number of each kind over the rows, in uniform code.
func buildGridRows(k *kit) {
	x := k.in("x", "g")
	var accs []int
	for _, m := range []nest.Monoid{nest.SumOf, nest.MaxOf, nest.MinOf, nest.ProdOf} {
		accs = append(accs, k.acc(m.String(), m, false))
	}
	k.grid(func() {
		for _, a := range accs {
			k.Reduce(a, k.Load(x))
		}
	})
}

// buildGridWide has a number of each kind for each column.
func buildGridWide(k *kit) {
	x, y := k.in("x", "gv"), k.out("y", "gv")
	var accs []int
	for _, m := range []nest.Monoid{nest.SumOf, nest.MaxOf, nest.MinOf, nest.ProdOf} {
		accs = append(accs, k.acc(m.String(), m, true))
	}
	k.each(func() {
		v := k.Load(x)
		for _, a := range accs {
			k.Reduce(a, v)
		}
		k.Store(y, k.abs(v))
	})
}

// buildVectorOnly has no grid.
func buildVectorOnly(k *kit) {
	x, y, total := k.in("x", "v"), k.out("y", "v"), k.out("total", "")
	sum := k.slot(nest.SumOf, nest.Vector)
	k.vector(func() { k.Reduce(sum, k.Load(x)) })
	k.Store(total, k.Result(sum))
	k.vector(func() { k.Store(y, k.div(k.Load(x), k.Result(sum))) })
}

// buildRowsOnly has no vector axis.
func buildRowsOnly(k *kit) {
	x, w, y := k.in("x", "g"), k.in("w", ""), k.out("y", "g")
	a := k.Scalar("a")
	k.grid(func() { k.Store(y, k.fma(k.Load(x), k.fn("tanh", k.Load(w)), k.ScalarOf(a))) })
}

// buildOnce has no loops at all.
func buildOnce(k *kit) {
	x, y := k.in("x", ""), k.out("y", "")
	k.Store(y, k.add(k.Load(x), k.Const(1)))
}
