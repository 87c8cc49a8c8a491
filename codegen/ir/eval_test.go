package ir_test

import (
	"math"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"github.com/opgen/opgen/dsl/diag"
)

// eval calls a function on arrays in the order of its inputs and gives its first output.
func eval(f *ir.Func, scalars map[string]float64, dtypes map[string]string, inputs ...*ir.Array) ([]float64, error) {
	in := ir.Binding{Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: scalars, DTypes: dtypes}
	for i, a := range inputs {
		if a != nil {
			in.Arrays[f.Inputs[i]] = a
		}
	}
	if err := ir.Verify(f); err != nil {
		return nil, err
	}
	out, err := ir.Eval(f, in)
	if err != nil {
		return nil, err
	}
	return out[f.Outputs[0]].Data, nil
}

func array(shape []int, data ...float64) *ir.Array { return &ir.Array{Shape: shape, Data: data} }

func row(data ...float64) *ir.Array { return array([]int{len(data)}, data...) }

func check(t *testing.T, what string, got []float64, err error, want ...float64) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for i, w := range want {
		if got[i] != w && !(got[i] != got[i] && w != w) {
			t.Errorf("%s: got %v, want %v", what, got, want)
			return
		}
	}
}

func fails(t *testing.T, what string, err error, message string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), message) {
		t.Errorf("%s: got error %v, want one with %q", what, err, message)
	}
}

// reduction is y[b] ⊕= x[b, d].
func reduction(m ir.Monoid) *ir.Func {
	b := irtest.New("reduction")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := irtest.Over("b", B), irtest.Over("d", D)
	b.Out("y", m, irtest.Vars(i), irtest.Vars(d), irtest.At(x, i, d))
	return b.F
}

func TestMonoids(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := array([]int{3, 3}, 1, 3, 2, nan, 5, -inf, -inf, -inf, -1)
	for _, c := range []struct {
		m    ir.Monoid
		want []float64
	}{
		{ir.Sum, []float64{6, nan, -inf}}, {ir.Prod, []float64{6, nan, -inf}}, {ir.Max, []float64{3, nan, -1}}, {ir.Min, []float64{1, nan, -inf}},
	} {
		got, err := eval(reduction(c.m), nil, nil, x)
		check(t, c.m.String(), got, err, c.want...)
	}
	none := array([]int{2, 0})
	got, err := eval(reduction(ir.Sum), nil, nil, none)
	check(t, "sum of nothing", got, err, 0, 0)
	got, err = eval(reduction(ir.Prod), nil, nil, none)
	check(t, "product of nothing", got, err, 1, 1)
	_, err = eval(reduction(ir.Max), nil, nil, none)
	fails(t, "maximum of nothing", err, "has no value")
	_, err = eval(reduction(ir.Max), nil, nil, array([]int{0, 0}))
	check(t, "maxima of no rows", nil, err)
	// Sums are compensated.
	got, err = eval(reduction(ir.Sum), nil, nil, array([]int{1, 3}, 1e16, 1, -1e16))
	check(t, "sum", got, err, 1)
}

func unary(elem string, f func(x *ir.Value) *ir.Value) *ir.Func {
	b := irtest.New("unary")
	b.F.ElemVars = []ir.ElemVar{{Name: "T", DTypes: []string{"f16", "bf16", "f32", "f64"}}}
	if elem[0] == 'i' || elem[0] == 'u' {
		b.F.ElemVars[0].DTypes = []string{elem}
	}
	B := b.Pack("B")
	x := b.In("x", B)
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, f(irtest.At(x, v)))
	return b.F
}

// Results are rounded to the compute type after each op, and to the dtype when stored.
func TestRounding(t *testing.T) {
	third := unary("f32", func(x *ir.Value) *ir.Value { return ir.Div(x, ir.Int(3)) })
	got, err := eval(third, nil, map[string]string{"T": "f32"}, row(1))
	check(t, "1/3 in f32", got, err, 0.3333333432674408)
	got, err = eval(third, nil, map[string]string{"T": "f64"}, row(1))
	check(t, "1/3 in f64", got, err, 1.0/3)
	copyOf := unary("f32", func(x *ir.Value) *ir.Value { return ir.Mul(x, ir.Int(1)) })
	// Values of IEEE 754 binary16: the greatest is 65504, half an ulp above it overflows; the least is 2^-24.
	got, err = eval(copyOf, nil, map[string]string{"T": "f16"}, row(0.1, 65519, 65520, 6e-8, 2e-8, 2049))
	check(t, "f16", got, err, 0.0999755859375, 65504, math.Inf(1), 0x1p-24, 0, 2048)
	got, err = eval(copyOf, nil, map[string]string{"T": "bf16"}, row(0.1, 257, 259, 3.4e38))
	check(t, "bf16", got, err, 0.10009765625, 256, 260, math.Inf(1))
	// f16 computes as f32: 1e-5 isn't lost beside 1000 before the subtraction.
	wide := unary("f32", func(x *ir.Value) *ir.Value { return ir.Sub(ir.Add(x, ir.Int(1000)), ir.Int(1000)) })
	got, err = eval(wide, nil, map[string]string{"T": "f16"}, row(0.125))
	check(t, "f16 in f32", got, err, 0.125)
	// An exact number is rounded once, not by way of f64.
	near := unary("f32", func(x *ir.Value) *ir.Value {
		return ir.Add(x, ir.Add(ir.Frac(16777217, 1), ir.Div(ir.Int(1), ir.Int(1<<40))))
	})
	got, err = eval(near, nil, map[string]string{"T": "f32"}, row(0))
	check(t, "rounded once", got, err, 16777218)
}

func TestIntegers(t *testing.T) {
	double := unary("i8", func(x *ir.Value) *ir.Value {
		v, err := ir.Build([]ir.ElemVar{{Name: "T", DTypes: []string{"i8"}}}, ir.OpMul, x, ir.Int(2))
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
	got, err := eval(double, nil, map[string]string{"T": "i8"}, row(100, -100, 3))
	check(t, "i8 wraps", got, err, -56, 56, 6)
	toInt := unary("f64", func(x *ir.Value) *ir.Value {
		return ir.Cast(ir.Cast(x, ir.TypedAs(ir.Elem{Name: "i32"})), ir.TypedAs(irtest.T))
	})
	got, err = eval(toInt, nil, nil, row(1e10, -1e10, math.NaN(), -2.9))
	check(t, "saturates", got, err, math.MaxInt32, math.MinInt32, 0, -2)
	_, err = eval(unary("i8", func(x *ir.Value) *ir.Value {
		return ir.Add(ir.Cast(ir.Int(300), ir.TypedAs(irtest.T)), x)
	}), nil, map[string]string{"T": "i8"}, row(1))
	fails(t, "300 as i8", err, "can't hold")
}

// What isn't needed isn't evaluated.
func TestLazy(t *testing.T) {
	b := irtest.New("lazy")
	N := b.Axis("N")
	x := b.In("x", N)
	i := irtest.Over("i", N)
	next := ir.Add(ir.Index(i), ir.Int(1))
	inside := ir.Call(ir.OpLt, next, ir.Extent(N))
	b.Out("y", ir.Assign, irtest.Vars(i), nil, ir.Select(ir.And(inside, ir.Call(ir.OpLt, ir.Int(0), ir.Read(x, next))), ir.Read(x, next), ir.Int(0)))
	got, err := eval(b.F, nil, nil, row(5, -6, 7))
	check(t, "shift", got, err, 0, 7, 0)

	b = irtest.New("eager")
	N = b.Axis("N")
	x = b.In("x", N)
	i = irtest.Over("i", N)
	read := ir.Read(x, ir.Add(ir.Index(i), ir.Int(1)))
	read.Span = diag.Span{Start: diag.Pos{File: "a.op", Line: 3, Col: 7}}
	b.Out("y", ir.Assign, irtest.Vars(i), nil, read)
	_, err = eval(b.F, nil, nil, row(5, 6))
	fails(t, "out of range", err, "a.op:3:7: eager: y: index 2 of axis N of x (extent 2) is out of range")

	b = irtest.New("half")
	N = b.Axis("N")
	x = b.In("x", N)
	i = irtest.Over("i", N)
	b.Out("y", ir.Assign, irtest.Vars(i), nil, ir.Read(x, ir.Div(ir.Index(i), ir.Int(2))))
	_, err = eval(b.F, nil, nil, row(5, 6))
	fails(t, "half an index", err, "isn't whole")
}

// A recurrence runs in order: y[t] = x[t] + a*y[t-1], or from the end.
func TestGroups(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		b := irtest.New("scan")
		L := b.Axis("L")
		x := b.In("x", L)
		v := irtest.Over("t", L)
		step := ir.Int(-1)
		if reverse {
			step = ir.Int(1)
		}
		y := b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Int(0))
		d := b.F.Defs[0]
		before := ir.Add(ir.Index(v), step)
		has := ir.And(ir.Call(ir.OpLe, ir.Int(0), before), ir.Call(ir.OpLt, before, ir.Extent(L)))
		d.Body = ir.Add(irtest.At(x, v), ir.Select(has, ir.Mul(ir.Int(2), ir.Read(y, before)), ir.Int(0)))
		d.Group, d.Along, d.Reverse = 1, v, reverse
		got, err := eval(b.F, nil, nil, row(1, 1, 1))
		if reverse {
			check(t, "down", got, err, 7, 3, 1)
			d.Reverse = false
			_, err = eval(b.F, nil, nil, row(1, 1, 1))
			fails(t, "wrong order", err, "before it is computed")
		} else {
			check(t, "up", got, err, 1, 3, 7)
		}
	}
}

func TestScatter(t *testing.T) {
	b := irtest.New("scatter")
	N, V := b.Axis("N"), b.Axis("V")
	x, at, like := b.In("x", N), b.Ints("at", N), b.In("like", V)
	n := irtest.Over("n", N)
	out := &ir.Tensor{Name: "y", Role: ir.Output, Elem: irtest.T, Axes: like.Axes}
	b.F.Outputs = append(b.F.Outputs, out)
	b.F.Defs = append(b.F.Defs, &ir.Def{Target: out, Vars: irtest.Vars(n), Dest: []*ir.Value{irtest.At(at, n)}, Monoid: ir.Sum, Body: irtest.At(x, n)})
	got, err := eval(b.F, nil, nil, row(1, 2, 4), row(2, 0, 2), row(0, 0, 0))
	check(t, "scatter", got, err, 2, 0, 5)
	_, err = eval(b.F, nil, nil, row(1, 2, 4), row(3, 0, 2), row(0, 0, 0))
	fails(t, "scatter", err, "index 3 of axis V")
	b.F.Defs[0].Monoid = ir.Assign
	_, err = eval(b.F, nil, nil, row(1, 2, 4), row(2, 0, 2), row(0, 0, 0))
	fails(t, "assign", err, "set twice")
}

func TestRequiresAndAbsence(t *testing.T) {
	b := irtest.New("checked")
	B := b.Pack("B")
	x, w := b.In("x", B), b.In("w", B)
	w.Optional = true
	lr := b.Attr("lr")
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Mul(ir.Mul(irtest.At(x, v), irtest.At(w, v)), lr))
	b.F.Requires = []ir.Require{{Cond: ir.Call(ir.OpLe, ir.Int(0), lr), Message: "lr must not be negative"}}
	_, err := eval(b.F, map[string]float64{"lr": -1}, nil, row(1), row(2))
	fails(t, "requirement", err, "lr must not be negative")
	_, err = eval(b.F, map[string]float64{"lr": 1}, nil, row(1), nil)
	fails(t, "absent", err, "w is read, but was not given")
	_, err = eval(b.F, nil, nil, row(1), row(2))
	fails(t, "attribute", err, "attribute lr has no value")
	w.Default = ir.Int(3).Const
	got, err := eval(b.F, map[string]float64{"lr": 2}, nil, row(1), nil)
	check(t, "default", got, err, 6)
	_, err = eval(b.F, map[string]float64{"lr": 2}, nil, row(1), row(1, 2))
	fails(t, "extents", err, "axis B of w has extent 2, not 1")
}

func TestVerifyFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name, message string
		spoil         func(f *ir.Func)
	}{
		{"scope", "out of scope", func(f *ir.Func) { f.Defs[0].Vars = f.Defs[0].Vars[:1] }},
		{"order", "before its definition", func(f *ir.Func) { f.Defs[0], f.Defs[1] = f.Defs[1], f.Defs[0] }},
		{"twice", "defined twice", func(f *ir.Func) { f.Defs = append(f.Defs, f.Defs[0]) }},
		{"missing", "has no definition", func(f *ir.Func) { f.Defs = f.Defs[:2] }},
		{"rank", "indices for", func(f *ir.Func) { f.Defs[0].Dest = nil }},
		{"type", "the body is", func(f *ir.Func) { f.Defs[0].Body = ir.Int(1) }},
		{"input", "the target is an input", func(f *ir.Func) { f.Defs[0].Target = f.Inputs[0]; f.Defs[0].Dest = ir.Indices(f.Defs[0].Vars) }},
		{"mixed", "arguments that don't fit", func(f *ir.Func) {
			f.Defs[0].Body = &ir.Value{Op: ir.OpAdd, Type: f.Defs[0].Body.Type, Args: []*ir.Value{f.Defs[0].Body, ir.Int(1)}}
		}},
		{"attribute", "attribute nix is unknown", func(f *ir.Func) {
			f.Defs[0].Body = ir.Mul(f.Defs[0].Body, &ir.Value{Op: ir.OpScalar, Type: ir.RealType, Name: "nix"})
		}},
	} {
		f := irtest.Softmax()
		if err := ir.Verify(f); err != nil {
			t.Fatal(err)
		}
		c.spoil(f)
		fails(t, c.name, ir.Verify(f), c.message)
	}
}

func TestPrint(t *testing.T) {
	b := irtest.New("text")
	B, I, O := b.Pack("B"), b.Axis("I"), b.Axis("O")
	x, w := b.In("x", B, I), b.In("w", O, I)
	n, o := irtest.Over("b", B), irtest.Over("o", O)
	i := &ir.Var{Name: "i", Lo: ir.Int(1), Hi: ir.Sub(ir.Extent(I), ir.Int(1))}
	p := ir.Sub(irtest.At(x, n, i), ir.Sub(irtest.At(w, o, i), ir.Neg(ir.Int(-2))))
	b.Out("y", ir.Sum, irtest.Vars(n, o), irtest.Vars(i), ir.Mul(p, ir.Call(ir.OpPow, irtest.At(x, n, i), ir.Int(2))),
		ir.Or(ir.Call(ir.OpLt, ir.Index(i), ir.Int(3)), ir.Not(ir.Call(ir.OpEq, ir.Index(i), ir.Index(o)))))
	want := "y[b, o] += (x[b, i] - (w[o, i] - 2)) * x[b, i] ^ 2   for b in ...B, o in O, i in 1..|I| - 1   where (i < 3 || !(i == o))"
	if got := b.F.Defs[0].String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A local that reads the greatest of nothing has no value either, which is a fault only where it is needed.
func TestLocalOfNothing(t *testing.T) {
	b := irtest.New("centered")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := irtest.Over("b", B), irtest.Over("d", D)
	most := b.Let("most", ir.Max, irtest.Vars(i), irtest.Vars(d), irtest.At(x, i, d))
	half := b.Let("half", ir.Assign, irtest.Vars(i), nil, ir.Div(irtest.At(most, i), ir.Int(2)))
	b.Out("y", ir.Assign, irtest.Vars(i, d), nil, ir.Sub(irtest.At(x, i, d), irtest.At(half, i)))
	got, err := eval(b.F, nil, nil, array([]int{1, 2}, 4, 2))
	check(t, "of something", got, err, 2, 0)
	got, err = eval(b.F, nil, nil, array([]int{2, 0}))
	check(t, "of nothing", got, err)
	b.Out("z", ir.Sum, nil, irtest.Vars(i), irtest.At(half, i))
	_, err = eval(b.F, nil, nil, array([]int{2, 0}))
	fails(t, "sum of what has no value", err, "element 0 of half has no value")
}
