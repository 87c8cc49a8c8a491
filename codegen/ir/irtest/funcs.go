// Package irtest holds functions built by hand and the numbers to try them with, for the tests of the packages that
// work on them.
package irtest

import (
	"github.com/opgen/opgen/codegen/ir"
)

// T is the dtype variable of all functions.
var T = ir.Elem{Name: "T"}

// Build makes a function step by step.
type Build struct{ F *ir.Func }

// New starts a function.
func New(name string) *Build {
	return &Build{F: &ir.Func{Package: "test", Name: name, ElemVars: []ir.ElemVar{
		{Name: "T", DTypes: []string{"f32", "f64"}}, {Name: "I", DTypes: []string{"i32", "i64"}}}}}
}

// Axis adds an axis.
func (b *Build) Axis(name string) *ir.Axis {
	a := &ir.Axis{Name: name}
	b.F.Axes = append(b.F.Axes, a)
	return a
}

// Pack adds a pack.
func (b *Build) Pack(name string) *ir.Axis {
	a := b.Axis(name)
	a.Pack = true
	return a
}

// In adds an input of floats.
func (b *Build) In(name string, axes ...*ir.Axis) *ir.Tensor {
	t := &ir.Tensor{Name: name, Role: ir.Input, Elem: T, Axes: axes}
	b.F.Inputs = append(b.F.Inputs, t)
	return t
}

// Ints adds an input of integers.
func (b *Build) Ints(name string, axes ...*ir.Axis) *ir.Tensor {
	t := b.In(name, axes...)
	t.Elem = ir.Elem{Name: "I"}
	return t
}

// Attr adds a real attribute.
func (b *Build) Attr(name string) *ir.Value {
	s := &ir.Scalar{Name: name, Type: ir.RealType}
	b.F.Scalars = append(b.F.Scalars, s)
	return ir.ScalarOf(s)
}

// Let adds a definition that isn't seen outside.
func (b *Build) Let(name string, m ir.Monoid, dest []*ir.Var, reduced []*ir.Var, body *ir.Value, where ...*ir.Value) *ir.Tensor {
	t := &ir.Tensor{Name: name, Role: ir.Local, Elem: T}
	for _, v := range dest {
		t.Axes = append(t.Axes, v.Axis)
	}
	d := &ir.Def{Target: t, Monoid: m, Dest: ir.Indices(dest), Body: ir.Cast(body, ir.ElemType(T)), Where: where}
	d.Vars = append(append(d.Vars, dest...), reduced...)
	b.F.Defs = append(b.F.Defs, d)
	return t
}

// Out adds a definition of an output.
func (b *Build) Out(name string, m ir.Monoid, dest []*ir.Var, reduced []*ir.Var, body *ir.Value, where ...*ir.Value) *ir.Tensor {
	t := b.Let(name, m, dest, reduced, body, where...)
	t.Role = ir.Output
	b.F.Outputs = append(b.F.Outputs, t)
	return t
}

// Over is a variable over an axis.
func Over(name string, a *ir.Axis) *ir.Var { return &ir.Var{Name: name, Axis: a} }

// At reads a tensor at variables.
func At(t *ir.Tensor, vars ...*ir.Var) *ir.Value { return ir.Read(t, ir.Indices(vars)...) }

// Vars is a list of variables.
func Vars(v ...*ir.Var) []*ir.Var { return v }

// Fn applies an op of one argument.
func Fn(op ir.Op, a *ir.Value) *ir.Value { return ir.Call(op, a) }

// SmoothL1 is the mean of |d|²/(2β) where |d| < β, else |d| - β/2.
func SmoothL1() *ir.Func {
	b := New("smooth_l1")
	B := b.Pack("B")
	x, t := b.In("x", B), b.In("t", B)
	beta := b.Attr("beta")
	v := Over("b", B)
	e := b.Let("e", ir.Assign, Vars(v), nil, Fn(ir.OpAbs, ir.Sub(At(x, v), At(t, v))))
	w := Over("b", B)
	ew := At(e, w)
	l := ir.Select(ir.Call(ir.OpLt, ew, beta), ir.Div(ir.Div(ir.Mul(ew, ew), ir.Int(2)), beta), ir.Sub(ew, ir.Div(beta, ir.Int(2))))
	s := b.Let("s", ir.Sum, nil, Vars(w), l)
	b.Out("y", ir.Assign, nil, nil, ir.Div(At(s), ir.Extent(B)))
	return b.F
}

// Softmax is exp(x - max x) / sum of the same.
func Softmax() *ir.Func {
	b := New("softmax")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := Over("b", B), Over("d", D)
	m := b.Let("m", ir.Max, Vars(i), Vars(d), At(x, i, d))
	e := b.Let("e", ir.Assign, Vars(i, d), nil, Fn(ir.OpExp, ir.Sub(At(x, i, d), At(m, i))))
	s := b.Let("s", ir.Sum, Vars(i), Vars(d), At(e, i, d))
	b.Out("y", ir.Assign, Vars(i, d), nil, ir.Div(At(e, i, d), At(s, i)))
	return b.F
}

// LayerNorm is (x - mean) / sqrt(variance + eps) * w + c.
func LayerNorm() *ir.Func {
	b := New("layer_norm")
	B, R := b.Pack("B"), b.Pack("R")
	x, w, c := b.In("x", B, R), b.In("w", R), b.In("c", R)
	eps := b.Attr("eps")
	i, r := Over("b", B), Over("r", R)
	m := b.Let("m", ir.Sum, Vars(i), Vars(r), At(x, i, r))
	d := b.Let("d", ir.Assign, Vars(i, r), nil, ir.Sub(At(x, i, r), ir.Div(At(m, i), ir.Extent(R))))
	v := b.Let("v", ir.Sum, Vars(i), Vars(r), ir.Call(ir.OpPow, At(d, i, r), ir.Int(2)))
	q := Fn(ir.OpSqrt, ir.Add(ir.Div(At(v, i), ir.Extent(R)), eps))
	b.Out("y", ir.Assign, Vars(i, r), nil, ir.Add(ir.Mul(ir.Div(At(d, i, r), q), At(w, r)), At(c, r)))
	return b.F
}

// Linear is x·wᵀ + c.
func Linear() *ir.Func {
	b := New("linear")
	B, I, O := b.Pack("B"), b.Axis("I"), b.Axis("O")
	x, w, c := b.In("x", B, I), b.In("w", O, I), b.In("c", O)
	n, i, o := Over("b", B), Over("i", I), Over("o", O)
	s := b.Let("s", ir.Sum, Vars(n, o), Vars(i), ir.Mul(At(x, n, i), At(w, o, i)))
	b.Out("y", ir.Assign, Vars(n, o), nil, ir.Add(At(s, n, o), At(c, o)))
	return b.F
}

// LogSumExp is log of the sum of exp, shifted by the maximum.
func LogSumExp() *ir.Func {
	b := New("logsumexp")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := Over("b", B), Over("d", D)
	m := b.Let("m", ir.Max, Vars(i), Vars(d), At(x, i, d))
	shift := ir.Select(Fn(ir.OpIsInf, At(m, i)), ir.Int(0), At(m, i))
	h := b.Let("h", ir.Assign, Vars(i), nil, shift)
	s := b.Let("s", ir.Sum, Vars(i), Vars(d), Fn(ir.OpExp, ir.Sub(At(x, i, d), At(h, i))))
	b.Out("y", ir.Assign, Vars(i), nil, ir.Add(Fn(ir.OpLog, At(s, i)), At(h, i)))
	return b.F
}

// CrossEntropy is -w·log softmax(x)[t], weighted mean, without the points whose target is ignored.
func CrossEntropy() *ir.Func {
	b := New("cross_entropy")
	N, C := b.Pack("N"), b.Axis("C")
	x, t, wt := b.In("x", N, C), b.Ints("t", N), b.In("weight", C)
	ignore := &ir.Scalar{Name: "ignore_index", Type: ir.ExactType}
	b.F.Scalars = append(b.F.Scalars, ignore)
	n, c := Over("n", N), Over("c", C)
	m := b.Let("m", ir.Max, Vars(n), Vars(c), At(x, n, c))
	s := b.Let("s", ir.Sum, Vars(n), Vars(c), Fn(ir.OpExp, ir.Sub(At(x, n, c), At(m, n))))
	logp := b.Let("logp", ir.Assign, Vars(n, c), nil, ir.Sub(At(x, n, c), ir.Add(Fn(ir.OpLog, At(s, n)), At(m, n))))
	keep := ir.Call(ir.OpNe, At(t, n), ir.ScalarOf(ignore))
	w := b.Let("w", ir.Assign, Vars(n), nil, ir.Select(ir.Not(keep), ir.Int(0), ir.Read(wt, At(t, n))))
	l := b.Let("l", ir.Assign, Vars(n), nil,
		ir.Select(keep, ir.Mul(ir.Neg(At(w, n)), ir.Read(logp, ir.Index(n), At(t, n))), ir.Int(0)))
	sl := b.Let("sl", ir.Sum, nil, Vars(n), At(l, n))
	sw := b.Let("sw", ir.Sum, nil, Vars(n), At(w, n))
	b.Out("y", ir.Assign, nil, nil, ir.Div(At(sl), At(sw)))
	return b.F
}

// Embedding is w[t[n], d].
func Embedding() *ir.Func {
	b := New("embedding")
	N, V, D := b.Axis("N"), b.Axis("V"), b.Axis("D")
	w, t := b.In("w", V, D), b.Ints("t", N)
	n, d := Over("n", N), Over("d", D)
	b.Out("y", ir.Assign, Vars(n, d), nil, ir.Read(w, At(t, n), ir.Index(d)))
	return b.F
}

// Product is the product along an axis.
func Product() *ir.Func {
	b := New("product")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := Over("b", B), Over("d", D)
	b.Out("y", ir.Prod, Vars(i), Vars(d), At(x, i, d))
	return b.F
}

// Maximum is the maximum of squares along an axis.
func Maximum() *ir.Func {
	b := New("maximum")
	B, D := b.Pack("B"), b.Axis("D")
	x := b.In("x", B, D)
	i, d := Over("b", B), Over("d", D)
	b.Out("y", ir.Max, Vars(i), Vars(d), ir.Mul(At(x, i, d), At(x, i, d)))
	return b.F
}

// SafeRoot is sqrt(x) where x > 0, else x: the branch that isn't taken has an infinite derivative at 0.
func SafeRoot() *ir.Func {
	b := New("safe_root")
	B := b.Pack("B")
	x := b.In("x", B)
	v := Over("b", B)
	r := b.Let("r", ir.Assign, Vars(v), nil, Fn(ir.OpSqrt, At(x, v)))
	b.Out("y", ir.Assign, Vars(v), nil, ir.Select(ir.Call(ir.OpLt, ir.Int(0), At(x, v)), At(r, v), At(x, v)))
	return b.F
}

// MaskedRoot is the sum of sqrt(x), times z where z > 0: where no z is, nothing flows to the roots.
func MaskedRoot() *ir.Func {
	b := New("masked_root")
	B, D := b.Axis("B"), b.Axis("D")
	x, z := b.In("x", B), b.In("z", D)
	v, d := Over("b", B), Over("d", D)
	r := b.Let("r", ir.Assign, Vars(v), nil, Fn(ir.OpSqrt, At(x, v)))
	b.Out("y", ir.Sum, Vars(d), Vars(v), ir.Mul(At(r, v), At(z, d)), ir.Call(ir.OpLt, ir.Int(0), At(z, d)))
	return b.F
}

// Window is the sum of three neighbours, weighted.
func Window() *ir.Func {
	b := New("window")
	N, K, P := b.Axis("N"), b.Axis("K"), b.Axis("P")
	x, w := b.In("x", N), b.In("w", K)
	b.F.Axes = b.F.Axes[:2]
	b.F.Dims = []ir.Dim{{Axis: P, Value: ir.Add(ir.Sub(ir.Extent(N), ir.Extent(K)), ir.Int(1))}}
	p, k := Over("p", P), Over("k", K)
	b.Out("y", ir.Sum, Vars(p), Vars(k), ir.Mul(ir.Read(x, ir.Add(ir.Index(p), ir.Index(k))), At(w, k)))
	return b.F
}

// Gelu is x/2·(1 + erf(x/√2)).
func Gelu() *ir.Func {
	b := New("gelu")
	B := b.Pack("B")
	x := b.In("x", B)
	v := Over("b", B)
	u := Fn(ir.OpErf, ir.Div(At(x, v), ir.Call(ir.OpSqrt, ir.Int(2))))
	b.Out("y", ir.Assign, Vars(v), nil, ir.Mul(ir.Div(At(x, v), ir.Int(2)), ir.Add(ir.Int(1), u)))
	return b.F
}

// Mixed uses every smooth function of the table, on positive numbers.
func Mixed() *ir.Func {
	b := New("mixed")
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := Over("b", B)
	a, c := At(x, v), At(z, v)
	sum := ir.Call(ir.OpPow, a, c)
	for _, op := range []ir.Op{ir.OpSqrt, ir.OpRsqrt, ir.OpExp, ir.OpExpm1, ir.OpLog, ir.OpLog1p, ir.OpTanh, ir.OpSigmoid,
		ir.OpSoftplus, ir.OpSin, ir.OpCos, ir.OpErf, ir.OpAbs} {
		sum = ir.Add(sum, ir.Mul(Fn(op, a), c))
	}
	sum = ir.Add(sum, ir.Call(ir.OpFma, a, c, a))
	sum = ir.Sub(sum, ir.Call(ir.OpMax, a, c))
	sum = ir.Add(sum, ir.Mul(a, ir.Call(ir.OpMin, a, c)))
	sum = ir.Add(sum, ir.Call(ir.OpMod, a, c))
	sum = ir.Add(sum, ir.Call(ir.OpRem, a, c))
	sum = ir.Add(sum, ir.Call(ir.OpPow, a, ir.Int(3)))
	b.Out("y", ir.Assign, Vars(v), nil, sum)
	return b.F
}

// Functions uses the smooth functions that Mixed doesn't, on numbers in (0, 2).
func Functions() *ir.Func {
	b := New("functions")
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := Over("b", B)
	a, c := At(x, v), At(z, v)
	sum := Fn(ir.OpAcosh, ir.Add(a, ir.Int(1)))
	for _, op := range []ir.Op{ir.OpExp2, ir.OpLog2, ir.OpLog10, ir.OpAtan, ir.OpSinh, ir.OpCosh, ir.OpAsinh, ir.OpErfc, ir.OpLgamma} {
		sum = ir.Add(sum, ir.Mul(Fn(op, a), c))
	}
	for _, op := range []ir.Op{ir.OpTan, ir.OpAsin, ir.OpAcos, ir.OpAtanh, ir.OpErfinv} {
		sum = ir.Add(sum, ir.Mul(Fn(op, ir.Div(a, ir.Int(3))), c))
	}
	for _, op := range []ir.Op{ir.OpAtan2, ir.OpHypot, ir.OpXlogy, ir.OpLogaddexp, ir.OpCopysign} {
		sum = ir.Add(sum, ir.Mul(ir.Call(op, a, c), c))
	}
	for n := range int64(3) {
		sum = ir.Sub(sum, ir.Call(ir.OpPolygamma, ir.Int(n), a))
	}
	b.Out("y", ir.Assign, Vars(v), nil, sum)
	return b.F
}
