package prove

import (
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

var (
	t32  = ir.Elem{Name: "T"}
	axB  = &ir.Axis{Name: "B", Pack: true}
	axD  = &ir.Axis{Name: "D"}
	b    = &ir.Var{Name: "b", Axis: axB}
	d    = &ir.Var{Name: "d", Axis: axD}
	x    = &ir.Tensor{Name: "x", Role: ir.Input, Elem: t32, Axes: []*ir.Axis{axB, axD}}
	y    = &ir.Tensor{Name: "y", Role: ir.Input, Elem: t32, Axes: []*ir.Axis{axB, axD}}
	beta = &ir.Scalar{Name: "beta", Type: ir.RealType}
)

func isTyped(v *ir.Value) bool { return v.Type.Kind == ir.Typed }

func local(name string, axes ...*ir.Axis) *ir.Tensor {
	return &ir.Tensor{Name: name, Role: ir.Local, Elem: t32, Axes: axes}
}

func assign(t *ir.Tensor, body *ir.Value, vars ...*ir.Var) *ir.Def {
	return &ir.Def{Target: t, Vars: vars, Dest: ir.Indices(vars), Body: body}
}

func reduce(m ir.Monoid, t *ir.Tensor, body *ir.Value, vars []*ir.Var, over ...*ir.Var) *ir.Def {
	return &ir.Def{Target: t, Vars: append(append([]*ir.Var(nil), vars...), over...), Dest: ir.Indices(vars), Monoid: m, Body: body}
}

func at(t *ir.Tensor) *ir.Value {
	v := []*ir.Value{}
	for _, a := range t.Axes {
		if a == axB {
			v = append(v, ir.Index(b))
		} else {
			v = append(v, ir.Index(d))
		}
	}
	return ir.Read(t, v...)
}

// TestIdentities compares pairs of pointwise formulas.
func TestIdentities(t *testing.T) {
	X, Y, k := at(x), at(y), ir.ScalarOf(beta)
	two, three := ir.Int(2), ir.Int(3)
	call := ir.Call
	for _, c := range []struct {
		name string
		a, b *ir.Value
		want bool
	}{
		{"square", ir.Mul(ir.Add(X, Y), ir.Add(X, Y)), ir.Add(ir.Add(ir.Mul(X, X), ir.Mul(two, ir.Mul(X, Y))), ir.Mul(Y, Y)), true},
		{"square, wrong", ir.Mul(ir.Add(X, Y), ir.Add(X, Y)), ir.Add(ir.Mul(X, X), ir.Mul(Y, Y)), false},
		{"common denominator", ir.Add(ir.Div(ir.Int(1), X), ir.Div(ir.Int(1), ir.Add(X, Y))), ir.Div(ir.Add(ir.Mul(two, X), Y), ir.Mul(X, ir.Add(X, Y))), true},
		{"common denominator, wrong", ir.Div(ir.Int(1), ir.Add(X, Y)), ir.Add(ir.Div(ir.Int(1), X), ir.Div(ir.Int(1), Y)), false},
		{"scaled denominator", ir.Div(X, ir.Add(ir.Mul(two, X), ir.Mul(two, Y))), ir.Div(ir.Div(X, ir.Add(X, Y)), two), true},
		{"exp of a sum", call(ir.OpExp, ir.Sub(X, Y)), ir.Div(call(ir.OpExp, X), call(ir.OpExp, Y)), true},
		{"sigmoid", call(ir.OpSigmoid, X), ir.Div(call(ir.OpExp, X), ir.Add(ir.Int(1), call(ir.OpExp, X))), true},
		{"tanh", call(ir.OpTanh, X), ir.Sub(ir.Mul(two, call(ir.OpSigmoid, ir.Mul(two, X))), ir.Int(1)), true},
		{"1 - tanh²", ir.Sub(ir.Int(1), ir.Mul(call(ir.OpTanh, X), call(ir.OpTanh, X))), ir.Mul(ir.Int(4), ir.Mul(call(ir.OpSigmoid, ir.Mul(two, X)), ir.Sub(ir.Int(1), call(ir.OpSigmoid, ir.Mul(two, X))))), true},
		{"abs", call(ir.OpAbs, ir.Sub(X, Y)), ir.Mul(ir.Sub(X, Y), call(ir.OpSign, ir.Sub(X, Y))), true},
		{"abs is even", call(ir.OpAbs, ir.Sub(X, Y)), call(ir.OpAbs, ir.Sub(Y, X)), true},
		{"sqrt", ir.Mul(call(ir.OpSqrt, ir.Add(X, k)), call(ir.OpSqrt, ir.Add(X, k))), ir.Add(X, k), true},
		{"rsqrt", call(ir.OpRsqrt, ir.Add(X, k)), ir.Div(call(ir.OpSqrt, ir.Add(X, k)), ir.Add(X, k)), true},
		{"max + min", ir.Add(call(ir.OpMax, X, Y), call(ir.OpMin, X, Y)), ir.Add(X, Y), true},
		{"max as select", call(ir.OpMax, X, Y), ir.Select(call(ir.OpLt, Y, X), X, Y), true},
		{"select by the opposite", ir.Select(call(ir.OpLt, X, Y), X, Y), ir.Select(call(ir.OpLe, Y, X), Y, X), true},
		{"select, arms swapped", ir.Select(call(ir.OpLt, X, Y), X, Y), ir.Select(call(ir.OpLt, X, Y), Y, X), false},
		{"condition scaled", ir.Select(call(ir.OpLt, ir.Mul(three, X), ir.Mul(three, Y)), X, Y), ir.Select(call(ir.OpLt, X, Y), X, Y), true},
		{"condition scaled by a negative", ir.Select(call(ir.OpLt, ir.Neg(X), ir.Neg(Y)), X, Y), ir.Select(call(ir.OpLt, X, Y), X, Y), false},
		{"log of exp", call(ir.OpLog, call(ir.OpExp, X)), X, true},
		{"log of a product of any sign", call(ir.OpLog, ir.Mul(X, Y)), ir.Add(call(ir.OpLog, X), call(ir.OpLog, Y)), false},
		{"square root of a square", call(ir.OpSqrt, ir.Mul(X, X)), X, false},
		{"cube", call(ir.OpPow, X, three), ir.Mul(X, ir.Mul(X, X)), true},
	} {
		p, q := local("p", axB, axD), local("q", axB, axD)
		got, err := Equal(nil, []*ir.Def{assign(p, c.a, b, d), assign(q, c.b, b, d)}, p, q, isTyped)
		if err != nil || got != c.want {
			t.Errorf("%s: equal = %v (%v), want %v", c.name, got, err, c.want)
		}
	}
}

// TestSums checks rules about sums: the gradient through softmax's shift is zero, sums factor, and bound names don't matter.
func TestSums(t *testing.T) {
	d2 := &ir.Var{Name: "e", Axis: axD}
	m, s, e, p := local("m", axB), local("s", axB), local("e", axB, axD), local("p", axB, axD)
	defs := []*ir.Def{
		reduce(ir.Max, m, at(x), []*ir.Var{b}, d),
		assign(e, ir.Call(ir.OpExp, ir.Sub(at(x), at(m))), b, d),
		reduce(ir.Sum, s, at(e), []*ir.Var{b}, d),
		assign(p, ir.Div(at(e), at(s)), b, d),
	}
	total, unit := local("total", axB), local("unit", axB)
	defs = append(defs, reduce(ir.Sum, total, at(p), []*ir.Var{b}, d), assign(unit, ir.Int(1), b))
	if ok, err := Equal(nil, defs, total, unit, nil); !ok {
		t.Errorf("softmax does not sum to 1: %v", err)
	}
	// @m = Σ_d p·(g - Σ p·g), with g = y.
	dot, gm := local("dot", axB), local("gm", axB)
	defs = append(defs,
		reduce(ir.Sum, dot, ir.Mul(at(p), at(y)), []*ir.Var{b}, d),
		reduce(ir.Sum, gm, ir.Mul(at(p), ir.Sub(at(y), at(dot))), []*ir.Var{b}, d))
	if !Zero(nil, defs, gm) {
		t.Error("the gradient through the shift of softmax is not seen to be zero")
	}
	if Zero(nil, defs, dot) {
		t.Error("Σ p·g is taken for zero")
	}
	// Σ_d Σ_e x[d]·y[e] = (Σ x)(Σ y).
	q, sx, sy, prod := local("q", axB), local("sx", axB), local("sy", axB), local("prod", axB)
	read := func(t *ir.Tensor, v *ir.Var) *ir.Value { return ir.Read(t, ir.Index(b), ir.Index(v)) }
	defs = []*ir.Def{
		reduce(ir.Sum, q, ir.Mul(read(x, d), read(y, d2)), []*ir.Var{b}, d, d2),
		reduce(ir.Sum, sx, read(x, d2), []*ir.Var{b}, d2),
		reduce(ir.Sum, sy, read(y, d), []*ir.Var{b}, d),
		assign(prod, ir.Mul(at(sx), at(sy)), b),
	}
	if ok, err := Equal(nil, defs, q, prod, nil); !ok {
		t.Errorf("a double sum does not factor: %v", err)
	}
	// Σ_d 1 is the extent.
	n, ext := local("n"), local("ext")
	defs = []*ir.Def{
		{Target: n, Vars: []*ir.Var{d}, Monoid: ir.Sum, Body: ir.Int(1)},
		{Target: ext, Body: ir.Extent(axD)},
	}
	if ok, err := Equal(nil, defs, n, ext, nil); !ok {
		t.Errorf("a sum of ones is not the extent: %v", err)
	}
}

// TestCause checks that the likely cause of a wrong derivative is named: the usual mistakes about smooth L1.
func TestCause(t *testing.T) {
	gy := local("gy")
	k := ir.ScalarOf(beta)
	diff := ir.Sub(at(x), at(y))
	inside := ir.Call(ir.OpLt, ir.Call(ir.OpAbs, diff), k)
	count := ir.Mul(ir.Extent(axB), ir.Extent(axD))
	right := ir.Div(ir.Mul(ir.Read(gy), ir.Select(inside, ir.Div(diff, k), ir.Call(ir.OpSign, diff))), count)
	for _, c := range []struct {
		name  string
		wrong *ir.Value
		want  string
	}{
		{"mean forgets to divide", ir.Mul(right, count), "a division is missing: by the number of elements along B·the number of elements along D"},
		{"sign", ir.Neg(right), "the sign is wrong"},
		{"beta squared", ir.Div(ir.Mul(ir.Read(gy), ir.Select(inside, ir.Div(ir.Div(diff, k), k), ir.Call(ir.OpSign, diff))), count),
			"one branch is wrong: the formulas agree but where the condition"},
		{"beyond 700", ir.Select(ir.Call(ir.OpLt, ir.Int(700), at(x)), ir.Mul(right, ir.Int(2)), right),
			"one branch is wrong: the formulas agree but where the condition x > 700 holds"},
		{"half", ir.Div(right, ir.Int(2)), "a factor is missing: 2"},
		{"an attribute", ir.Mul(right, k), "a division is missing: by beta"},
		{"nothing", ir.Sub(right, right), "the formula is zero"},
	} {
		p, q := local("p", axB, axD), local("q", axB, axD)
		defs := []*ir.Def{assign(p, c.wrong, b, d), assign(q, right, b, d)}
		if ok, err := Equal(nil, defs, p, q, isTyped); ok || err != nil {
			t.Errorf("%s: equal = %v (%v)", c.name, ok, err)
		}
		if got := Cause(nil, defs, p, q, isTyped); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// TestCauseOfTerms checks that a sum that is missing, or too much, is named: the usual mistake about softmax.
func TestCauseOfTerms(t *testing.T) {
	s := local("s", axB)
	mean := &ir.Def{Target: s, Vars: []*ir.Var{b, d}, Dest: []*ir.Value{ir.Index(b)}, Monoid: ir.Sum, Body: ir.Mul(at(x), at(y))}
	part := ir.Mul(at(x), at(y))
	whole := ir.Sub(part, ir.Mul(at(y), ir.Read(s, ir.Index(b))))
	for _, c := range []struct {
		name       string
		got, right *ir.Value
		want       string
	}{
		{"a sum is missing", part, whole, "a term is missing: -"},
		{"a sum is too much", whole, part, "a term is too much: -"},
		{"not of a product", ir.Sub(part, at(x)), part, "a term is too much: -x"},
		{"something else", ir.Mul(part, at(x)), whole, ""},
	} {
		p, q := local("p", axB, axD), local("q", axB, axD)
		defs := []*ir.Def{mean, assign(p, c.got, b, d), assign(q, c.right, b, d)}
		got := Cause(nil, defs, p, q, isTyped)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
		t.Log(got)
	}
}

// TestNotZero checks that casts, wrapping and signs of integers aren't taken for what numbers do: a derivative would be dropped.
func TestNotZero(t *testing.T) {
	i64, i8, u8 := ir.TypedAs(ir.Elem{Name: "i64"}), ir.TypedAs(ir.Elem{Name: "i8"}), ir.TypedAs(ir.Elem{Name: "u8"})
	n := &ir.Tensor{Name: "n", Role: ir.Input, Elem: i64.Elem, Axes: []*ir.Axis{axB, axD}}
	k := &ir.Tensor{Name: "k", Role: ir.Input, Elem: u8.Elem, Axes: []*ir.Axis{axB, axD}}
	N, K, X := at(n), at(k), at(x)
	float := func(v *ir.Value) *ir.Value { return cast(v) }
	less := func(v *ir.Value) *ir.Value { return ir.Select(v, ir.Int(1), ir.Int(0)) }
	for _, c := range []struct {
		name string
		v    *ir.Value
		zero bool
	}{
		{"itself", ir.Sub(float(N), float(N)), true},
		{"a cast that wraps", ir.Sub(float(N), float(ir.Cast(N, i8))), false},
		{"a cast that truncates", ir.Sub(X, float(ir.Cast(X, i64))), false},
		{"a difference below zero", ir.Sub(less(ir.Call(ir.OpLt, ir.Sub(K, ir.Mul(K, K)), ir.Cast(ir.Int(0), u8))), less(ir.Call(ir.OpLt, K, ir.Mul(K, K)))), false},
		{"ring of integers", float(ir.Sub(ir.Mul(N, ir.Add(N, N)), ir.Mul(ir.Add(N, N), N))), true},
		{"the square of a sign", ir.Sub(float(ir.Mul(ir.Call(ir.OpSign, N), ir.Call(ir.OpSign, N))), float(ir.Cast(ir.Int(1), i64))), false},
	} {
		p := local("p", axB, axD)
		if got := Zero(nil, []*ir.Def{assign(p, cast(c.v), b, d)}, p); got != c.zero {
			t.Errorf("%s: zero = %v", c.name, got)
		}
	}
}
