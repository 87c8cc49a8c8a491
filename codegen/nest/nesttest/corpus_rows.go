package nesttest

import "github.com/opgen/opgen/codegen/nest"

// Nests whose rows have stages.

func buildSoftmax(k *kit) {
	x, y := k.in("x", "gv"), 0
	y = k.out("y", "gv", x)
	top, sum := k.slot(nest.MaxOf, nest.Vector), k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		e := func() *nest.Value { return k.fn("exp", k.sub(k.Load(x), k.Result(top))) }
		k.vector(func() { k.Reduce(top, k.Load(x)) })
		k.vector(func() { k.Reduce(sum, e()) })
		k.vector(func() { k.Store(y, nest.UniformDiv(k.Builder, e(), k.Result(sum))) })
	})
}

// buildSoftmaxReload keeps the exponentials in the output row.
func buildSoftmaxReload(k *kit) {
	x, e, y := k.in("x", "gv"), k.out("e", "gv"), k.out("y", "gv")
	top, sum := k.slot(nest.MaxOf, nest.Vector), k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		k.vector(func() { k.Reduce(top, k.Load(x)) })
		k.vector(func() {
			v := k.fn("exp", k.sub(k.Load(x), k.Result(top)))
			k.Store(e, v)
			k.Reduce(sum, v)
		})
		k.vector(func() { k.Store(y, k.div(k.Load(e), k.Result(sum))) })
	})
}

func buildSoftmaxBackward(k *kit) {
	y, g := k.in("y", "gv"), k.in("g", "gv")
	dx := k.out("dx", "gv", g)
	dot := k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		k.vector(func() { k.Reduce(dot, k.mul(k.Load(y), k.Load(g))) })
		k.vector(func() { k.Store(dx, k.mul(k.Load(y), k.sub(k.Load(g), k.Result(dot)))) })
	})
}

func buildLayerNorm(k *kit) {
	x, w, b := k.in("x", "gv"), k.in("w", "v"), k.in("b", "v")
	y, mean, rstd := k.out("y", "gv", x), k.out("mean", "g"), k.out("rstd", "g")
	invN, eps := k.Scalar("inv_n"), k.Scalar("eps")
	sum, squares := k.slot(nest.SumOf, nest.Vector), k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		k.vector(func() { k.Reduce(sum, k.Load(x)) })
		mu := k.mul(k.Result(sum), k.ScalarOf(invN))
		k.vector(func() {
			d := k.sub(k.Load(x), mu)
			k.Reduce(squares, k.mul(d, d))
		})
		r := k.fn("rsqrt", k.fma(k.Result(squares), k.ScalarOf(invN), k.abs(k.ScalarOf(eps))))
		k.Store(mean, mu)
		k.Store(rstd, r)
		k.vector(func() {
			k.Store(y, k.fma(k.mul(k.sub(k.Load(x), mu), r), k.Load(w), k.Load(b)))
		})
	})
}

// buildLayerNormBackward gives the gradients of x, and of w and b over the rows.
func buildLayerNormBackward(k *kit) {
	x, w, g := k.in("x", "gv"), k.in("w", "v"), k.in("g", "gv")
	mean, rstd := k.in("mean", "g"), k.in("rstd", "g")
	dx := k.out("dx", "gv", x, g)
	dw, db := k.acc("dw", nest.SumOf, true), k.acc("db", nest.SumOf, true)
	invN := k.Scalar("inv_n")
	s1, s2 := k.slot(nest.SumOf, nest.Vector), k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		hat := func() *nest.Value { return k.mul(k.sub(k.Load(x), k.Load(mean)), k.Load(rstd)) }
		k.vector(func() {
			gw := k.mul(k.Load(g), k.Load(w))
			k.Reduce(s1, gw)
			k.Reduce(s2, k.mul(gw, hat()))
			k.Reduce(dw, k.mul(k.Load(g), hat()))
			k.Reduce(db, k.Load(g))
		})
		m1, m2 := k.mul(k.Result(s1), k.ScalarOf(invN)), k.mul(k.Result(s2), k.ScalarOf(invN))
		k.vector(func() {
			gw := k.mul(k.Load(g), k.Load(w))
			k.Store(dx, k.mul(k.Load(rstd), k.sub(k.sub(gw, m1), k.mul(hat(), m2))))
		})
	})
}

// buildCrossEntropy has the loss of each row and the sum over the rows that count.
func buildCrossEntropy(k *kit) {
	x, t := k.in("x", "gv"), k.ints("t", "g", nest.I64)
	loss, total := k.out("loss", "g"), k.acc("total", nest.SumOf, false)
	count := k.acc("count", nest.SumOf, false)
	ignore := k.IntScalar("ignore")
	top, sum := k.slot(nest.MaxOf, nest.Vector), k.slot(nest.SumOf, nest.Vector)
	k.grid(func() {
		target := k.LoadInt(t)
		k.vector(func() { k.Reduce(top, k.Load(x)) })
		k.vector(func() { k.Reduce(sum, k.fn("exp", k.sub(k.Load(x), k.Result(top)))) })
		lse := k.add(k.Result(top), k.fn("log", k.Result(sum)))
		counts := k.Op(nest.IntNe, target, k.ScalarOf(ignore))
		v := k.sel(counts, k.sub(lse, k.Gather(x, target)), k.Const(0))
		k.Store(loss, v)
		k.Reduce(total, v)
		k.Reduce(count, k.sel(counts, k.Const(1), k.Const(0)))
	})
}

func buildCrossEntropyBackward(k *kit) {
	x, t := k.in("x", "gv"), k.ints("t", "g", nest.I32)
	g, lse := k.in("g", "g"), k.in("lse", "g")
	dx := k.out("dx", "gv", x)
	k.grid(func() {
		target := k.LoadInt(t)
		k.vector(func() {
			p := k.fn("exp", k.sub(k.Load(x), k.Load(lse)))
			hit := k.sel(k.Op(nest.IntEq, k.Iota(), target), k.Const(1), k.Const(0))
			k.Store(dx, k.mul(k.sub(p, hit), k.Load(g)))
		})
	})
}

// buildIndices has the comparisons of indices, of lanes and uniform, and choices between them.
func buildIndices(k *kit) {
	x, t, u := k.in("x", "gv"), k.ints("t", "g", nest.I32), k.ints("u", "g", nest.I64)
	o := []int{k.out("o0", "gv"), k.out("o1", "gv"), k.out("o2", "gv"), k.out("o3", "gv"), k.out("o4", "g")}
	at := k.IntScalar("at")
	k.grid(func() {
		a, b := k.LoadInt(t), k.LoadInt(u)
		least := k.Op(nest.IntSelect, k.Op(nest.IntLt, a, b), a, b)
		k.vector(func() {
			n, v := k.Iota(), k.Load(x)
			k.Store(o[0], k.sel(k.Op(nest.IntLt, n, a), v, k.Const(0)))
			k.Store(o[1], k.sel(k.Op(nest.IntLe, least, n), v, k.Const(0)))
			k.Store(o[2], k.sel(k.Op(nest.IntNe, n, k.ScalarOf(at)), v, k.Const(-1)))
			k.Store(o[3], k.sel(k.Op(nest.IntLe, n, k.ScalarOf(at)), v, k.Gather(x, least)))
		})
		k.Store(o[4], k.sel(k.Op(nest.IntLe, a, b), k.Gather(x, a), k.Gather(x, k.ScalarOf(at))))
	})
}

// buildRowReductions has four reductions at once, of all kinds.
func buildRowReductions(k *kit) {
	x := k.in("x", "gv")
	monoids := []nest.Monoid{nest.SumOf, nest.MaxOf, nest.MinOf, nest.ProdOf}
	var outs, slots []int
	for _, m := range monoids {
		outs = append(outs, k.out(m.String(), "g"))
		slots = append(slots, k.slot(m, nest.Vector))
	}
	k.grid(func() {
		k.vector(func() {
			for _, s := range slots {
				k.Reduce(s, k.Load(x))
			}
		})
		for i, s := range slots {
			k.Store(outs[i], k.Result(s))
		}
	})
}
