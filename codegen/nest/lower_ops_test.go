package nest_test

import (
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// fn builds functions by hand.
type fn struct {
	*ir.Func
	T, I ir.Elem
}

func newFn(name string) *fn {
	return &fn{
		Func: &ir.Func{Name: name, ElemVars: []ir.ElemVar{{Name: "T", DTypes: []string{"f32", "f64"}}, {Name: "I", DTypes: []string{"i32", "i64"}}}},
		T:    ir.Elem{Name: "T"}, I: ir.Elem{Name: "I"},
	}
}

// axis adds an axis; names of several letters are packs.
func (f *fn) axis(name string) *ir.Axis {
	a := &ir.Axis{Name: name, Pack: len(name) > 1}
	f.Axes = append(f.Axes, a)
	return a
}

func (f *fn) in(name string, role ir.Role, elem ir.Elem, axes ...*ir.Axis) *ir.Tensor {
	t := &ir.Tensor{Name: name, Role: role, Elem: elem, Axes: axes}
	f.Inputs = append(f.Inputs, t)
	return t
}

func (f *fn) input(name string, axes ...*ir.Axis) *ir.Tensor {
	return f.in(name, ir.Input, f.T, axes...)
}

type body = func(v ...*ir.Value) *ir.Value

// def adds a definition whose body is given by variables over kept, then over reduced axes.
func (f *fn) def(name string, role ir.Role, m ir.Monoid, kept, reduced []*ir.Axis, b body) *ir.Tensor {
	t := &ir.Tensor{Name: name, Role: role, Elem: f.T, Axes: kept}
	if role == ir.Output {
		f.Outputs = append(f.Outputs, t)
	}
	d := &ir.Def{Target: t, Monoid: m}
	for i, a := range append(append([]*ir.Axis{}, kept...), reduced...) {
		d.Vars = append(d.Vars, &ir.Var{Name: string(rune('i' + i)), Axis: a})
	}
	d.Dest = ir.Indices(d.Vars[:len(kept)])
	d.Body = b(ir.Indices(d.Vars)...)
	if d.Body.Type.Kind == ir.Bool {
		t.Elem = ir.Elem{Name: "bool"}
	} else {
		d.Body = ir.Cast(d.Body, ir.TypedAs(f.T))
	}
	f.Defs = append(f.Defs, d)
	return t
}

func (f *fn) local(name string, kept []*ir.Axis, b body) *ir.Tensor {
	return f.def(name, ir.Local, ir.Assign, kept, nil, b)
}

func (f *fn) output(name string, kept []*ir.Axis, b body) *ir.Tensor {
	return f.def(name, ir.Output, ir.Assign, kept, nil, b)
}

func (f *fn) sum(name string, kept, reduced []*ir.Axis, b body) *ir.Tensor {
	return f.def(name, ir.Local, ir.Sum, kept, reduced, b)
}

func (f *fn) scalar(name string, typ ir.Type) *ir.Value {
	s := &ir.Scalar{Name: name, Type: typ}
	f.Scalars = append(f.Scalars, s)
	return ir.ScalarOf(s)
}

// backward derives the function.
func (f *fn) backward(t *testing.T) *ir.Func {
	t.Helper()
	g, err := grad.Reverse(f.Func)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func axes(a ...*ir.Axis) []*ir.Axis { return a }

// mean is the mean of a local over all its axes, as an output.
func (f *fn) mean(l *ir.Tensor) {
	s := f.sum("total", nil, l.Axes, func(v ...*ir.Value) *ir.Value { return ir.Read(l, v...) })
	n := ir.Int(1)
	for _, a := range l.Axes {
		n = ir.Mul(n, ir.Extent(a))
	}
	f.output("y", nil, func(...*ir.Value) *ir.Value { return ir.Div(ir.Read(s), n) })
}

// handOps are functions of all shapes that nests know.
var handOps = map[string]func() *fn{
	"relu": func() *fn {
		f := newFn("relu")
		b := f.axis("BB")
		x := f.input("x", b)
		f.output("y", axes(b), func(v ...*ir.Value) *ir.Value { return ir.Call(ir.OpMax, ir.Read(x, v...), ir.Int(0)) })
		return f
	},
	"smooth_l1_mean": func() *fn {
		f := newFn("smooth_l1_mean")
		b := f.axis("BB")
		x, t, beta := f.input("x", b), f.input("t", b), f.scalar("beta", ir.RealType)
		e := f.local("e", axes(b), func(v ...*ir.Value) *ir.Value { return ir.Call(ir.OpAbs, ir.Sub(ir.Read(x, v...), ir.Read(t, v...))) })
		f.mean(f.local("l", axes(b), func(v ...*ir.Value) *ir.Value {
			e := ir.Read(e, v...)
			square := ir.Div(ir.Div(ir.Mul(e, e), ir.Int(2)), beta)
			return ir.Select(ir.Call(ir.OpLt, e, beta), square, ir.Sub(e, ir.Div(beta, ir.Int(2))))
		}))
		return f
	},
	"mse_mean": func() *fn {
		f := newFn("mse_mean")
		b := f.axis("BB")
		x, t := f.input("x", b), f.input("t", b)
		f.mean(f.local("l", axes(b), func(v ...*ir.Value) *ir.Value {
			return ir.Call(ir.OpPow, ir.Sub(ir.Read(x, v...), ir.Read(t, v...)), ir.Int(2))
		}))
		return f
	},
	"softmax": func() *fn {
		f := newFn("softmax")
		b, d := f.axis("BB"), f.axis("D")
		x := f.input("x", b, d)
		m := f.def("m", ir.Local, ir.Max, axes(b), axes(d), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v...) })
		e := f.local("e", axes(b, d), func(v ...*ir.Value) *ir.Value {
			return ir.Call(ir.OpExp, ir.Sub(ir.Read(x, v...), ir.Call(ir.OpStop, ir.Read(m, v[0]))))
		})
		s := f.sum("s", axes(b), axes(d), func(v ...*ir.Value) *ir.Value { return ir.Read(e, v...) })
		f.output("y", axes(b, d), func(v ...*ir.Value) *ir.Value { return ir.Div(ir.Read(e, v...), ir.Read(s, v[0])) })
		return f
	},
	"linear": func() *fn {
		f := newFn("linear")
		b, i, o := f.axis("BB"), f.axis("I"), f.axis("O")
		x, w, c := f.input("x", b, i), f.input("w", o, i), f.input("b", o)
		s := f.sum("s", axes(b, o), axes(i), func(v ...*ir.Value) *ir.Value { return ir.Mul(ir.Read(x, v[0], v[2]), ir.Read(w, v[1], v[2])) })
		f.output("y", axes(b, o), func(v ...*ir.Value) *ir.Value { return ir.Add(ir.Read(s, v...), ir.Read(c, v[1])) })
		return f
	},
	"layer_norm": func() *fn {
		f := newFn("layer_norm")
		b, r := f.axis("BB"), f.axis("RR")
		x, w, c, eps := f.input("x", b, r), f.input("w", r), f.input("b", r), f.scalar("eps", ir.RealType)
		s := f.sum("s", axes(b), axes(r), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v...) })
		d := f.local("d", axes(b, r), func(v ...*ir.Value) *ir.Value {
			return ir.Sub(ir.Read(x, v...), ir.Div(ir.Read(s, v[0]), ir.Extent(r)))
		})
		q := f.sum("q", axes(b), axes(r), func(v ...*ir.Value) *ir.Value { return ir.Mul(ir.Read(d, v...), ir.Read(d, v...)) })
		f.output("y", axes(b, r), func(v ...*ir.Value) *ir.Value {
			root := ir.Call(ir.OpSqrt, ir.Add(ir.Div(ir.Read(q, v[0]), ir.Extent(r)), eps))
			return ir.Add(ir.Mul(ir.Div(ir.Read(d, v...), root), ir.Read(w, v[1])), ir.Read(c, v[1]))
		})
		return f
	},
	"cross_entropy_mean": func() *fn {
		f := newFn("cross_entropy_mean")
		n, c := f.axis("NN"), f.axis("C")
		x, t := f.input("x", n, c), f.in("t", ir.Input, f.I, n)
		weight, ignore := f.input("weight", c), f.scalar("ignore_index", ir.ExactType)
		m := f.def("m", ir.Local, ir.Max, axes(n), axes(c), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v...) })
		stop := func(v *ir.Value) *ir.Value { return ir.Call(ir.OpStop, v) }
		s := f.sum("s", axes(n), axes(c), func(v ...*ir.Value) *ir.Value {
			return ir.Call(ir.OpExp, ir.Sub(ir.Read(x, v...), stop(ir.Read(m, v[0]))))
		})
		logp := f.local("logp", axes(n, c), func(v ...*ir.Value) *ir.Value {
			return ir.Sub(ir.Read(x, v...), ir.Add(ir.Call(ir.OpLog, ir.Read(s, v[0])), stop(ir.Read(m, v[0]))))
		})
		keep := f.local("keep", axes(n), func(v ...*ir.Value) *ir.Value { return ir.Not(ir.Call(ir.OpEq, ir.Read(t, v...), ignore)) })
		w := f.local("w", axes(n), func(v ...*ir.Value) *ir.Value {
			return ir.Select(ir.Not(ir.Read(keep, v...)), ir.Int(0), ir.Read(weight, ir.Read(t, v...)))
		})
		l := f.local("l", axes(n), func(v ...*ir.Value) *ir.Value {
			return ir.Select(ir.Read(keep, v...), ir.Mul(ir.Neg(ir.Read(w, v...)), ir.Read(logp, v[0], ir.Read(t, v...))), ir.Int(0))
		})
		suml := f.sum("suml", nil, axes(n), func(v ...*ir.Value) *ir.Value { return ir.Read(l, v...) })
		sumw := f.sum("sumw", nil, axes(n), func(v ...*ir.Value) *ir.Value { return ir.Read(w, v...) })
		f.output("y", nil, func(...*ir.Value) *ir.Value { return ir.Div(ir.Read(suml), ir.Read(sumw)) })
		return f
	},
	"momentum": func() *fn {
		f := newFn("momentum")
		n := f.axis("NN")
		p, g := f.in("p", ir.Inout, f.T, n), f.input("g", n)
		buf := f.in("buf", ir.State, ir.Elem{Wrap: "acc", Name: "T"}, n)
		lr, m, wd := f.scalar("lr", ir.RealType), f.scalar("momentum", ir.RealType), f.scalar("weight_decay", ir.RealType)
		next := f.output("buf'", axes(n), func(v ...*ir.Value) *ir.Value {
			d := ir.Add(ir.Read(g, v...), ir.Mul(wd, ir.Read(p, v...)))
			return ir.Add(ir.Mul(m, ir.Read(buf, v...)), ir.Mul(ir.Sub(ir.Int(1), m), d))
		})
		f.output("p'", axes(n), func(v ...*ir.Value) *ir.Value { return ir.Sub(ir.Read(p, v...), ir.Mul(lr, ir.Read(next, v...))) })
		return f
	},
	"softmax_flat": func() *fn {
		f := newFn("softmax_flat")
		d := f.axis("D")
		x := f.input("x", d)
		m := f.def("m", ir.Local, ir.Max, nil, axes(d), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v...) })
		e := f.local("e", axes(d), func(v ...*ir.Value) *ir.Value {
			return ir.Call(ir.OpExp, ir.Sub(ir.Read(x, v...), ir.Call(ir.OpStop, ir.Read(m))))
		})
		s := f.sum("s", nil, axes(d), func(v ...*ir.Value) *ir.Value { return ir.Read(e, v...) })
		f.output("y", axes(d), func(v ...*ir.Value) *ir.Value { return ir.Div(ir.Read(e, v...), ir.Read(s)) })
		return f
	},
	"matmul": func() *fn {
		f := newFn("matmul")
		n, k, m := f.axis("N"), f.axis("K"), f.axis("M")
		x, z := f.input("x", n, k), f.input("z", k, m)
		f.def("y", ir.Output, ir.Sum, axes(n, m), axes(k), func(v ...*ir.Value) *ir.Value {
			return ir.Mul(ir.Read(x, v[0], v[2]), ir.Read(z, v[2], v[1]))
		})
		return f
	},
	"matmul_exp": func() *fn {
		f := newFn("matmul_exp")
		n, k, m := f.axis("N"), f.axis("K"), f.axis("M")
		x, z := f.input("x", n, k), f.input("z", k, m)
		s := f.sum("s", axes(n, m), axes(k), func(v ...*ir.Value) *ir.Value {
			return ir.Mul(ir.Call(ir.OpSigmoid, ir.Read(x, v[0], v[2])), ir.Read(z, v[2], v[1]))
		})
		f.output("y", axes(n, m), func(v ...*ir.Value) *ir.Value { return ir.Call(ir.OpMax, ir.Read(s, v...), ir.Int(0)) })
		return f
	},
	"transposed": func() *fn {
		f := newFn("transposed")
		i, j := f.axis("N"), f.axis("M")
		x, w := f.input("x", j, i), f.input("w", i)
		f.output("y", axes(i, j), func(v ...*ir.Value) *ir.Value { return ir.Add(ir.Read(x, v[1], v[0]), ir.Read(w, v[0])) })
		return f
	},
	"batched_causal": func() *fn { // z has the first and the last axis of x, and the index of a row counts
		f := newFn("batched_causal")
		b, l, s := f.axis("BB"), f.axis("LL"), f.axis("SS")
		x, z := f.input("x", b, l, s), f.input("z", b, s)
		f.output("y", axes(b, l, s), func(v ...*ir.Value) *ir.Value {
			return ir.Select(ir.Call(ir.OpLe, v[2], v[1]), ir.Mul(ir.Read(x, v...), ir.Read(z, v[0], v[2])), ir.Int(0))
		})
		return f
	},
	"row_sum": func() *fn {
		f := newFn("row_sum")
		i, j := f.axis("N"), f.axis("M")
		x := f.input("x", i, j)
		f.def("y", ir.Output, ir.Sum, axes(i), axes(j), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v...) })
		return f
	},
	"column_sum": func() *fn {
		f := newFn("column_sum")
		i, j := f.axis("N"), f.axis("M")
		x, w := f.input("x", i, j), f.input("w", i)
		f.def("y", ir.Output, ir.Sum, axes(j), axes(i), func(v ...*ir.Value) *ir.Value {
			return ir.Mul(ir.Read(x, v[1], v[0]), ir.Read(w, v[1]))
		})
		return f
	},
	"middle_sum": func() *fn {
		f := newFn("middle_sum")
		i, k, j := f.axis("N"), f.axis("K"), f.axis("M")
		x := f.input("x", i, k, j)
		s := f.sum("s", axes(i, j), axes(k), func(v ...*ir.Value) *ir.Value { return ir.Read(x, v[0], v[2], v[1]) })
		f.output("y", axes(i, j), func(v ...*ir.Value) *ir.Value { return ir.Div(ir.Read(s, v...), ir.Int(3)) })
		return f
	},
	"outer_total": func() *fn {
		f := newFn("outer_total")
		i, j := f.axis("N"), f.axis("M")
		x, v, w := f.input("x", i, j), f.input("v", i), f.input("w", j)
		f.def("y", ir.Output, ir.Sum, nil, axes(i, j), func(at ...*ir.Value) *ir.Value {
			return ir.Mul(ir.Mul(ir.Read(x, at...), ir.Read(v, at[0])), ir.Read(w, at[1]))
		})
		return f
	},
	"pick": func() *fn {
		f := newFn("pick")
		n, c := f.axis("NN"), f.axis("C")
		x, t := f.input("x", n, c), f.in("t", ir.Input, f.I, n)
		ignore := f.scalar("ignore_index", ir.ExactType)
		f.output("y", axes(n), func(v ...*ir.Value) *ir.Value {
			at := ir.Read(t, v...)
			return ir.Select(ir.Call(ir.OpEq, at, ignore), ir.Int(0), ir.Read(x, v[0], at))
		})
		return f
	},
	"gram_max": func() *fn {
		// Two variables over one axis.
		f := newFn("gram_max")
		n, k := f.axis("N"), f.axis("K")
		x := f.input("x", n, k)
		s := f.sum("s", axes(n, n), axes(k), func(v ...*ir.Value) *ir.Value {
			return ir.Mul(ir.Read(x, v[0], v[2]), ir.Read(x, v[1], v[2]))
		})
		f.def("y", ir.Output, ir.Max, axes(n), axes(n), func(v ...*ir.Value) *ir.Value { return ir.Read(s, v...) })
		return f
	},
	"linear_mse": func() *fn {
		f := newFn("linear_mse")
		b, i, o := f.axis("BB"), f.axis("I"), f.axis("O")
		x, w, t := f.input("x", b, i), f.input("w", o, i), f.input("t", b, o)
		s := f.sum("s", axes(b, o), axes(i), func(v ...*ir.Value) *ir.Value { return ir.Mul(ir.Read(x, v[0], v[2]), ir.Read(w, v[1], v[2])) })
		f.mean(f.local("l", axes(b, o), func(v ...*ir.Value) *ir.Value {
			d := ir.Sub(ir.Read(s, v...), ir.Read(t, v...))
			return ir.Mul(d, d)
		}))
		return f
	},
}
