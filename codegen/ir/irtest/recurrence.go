package irtest

import "github.com/opgen/opgen/codegen/ir"

// Order puts the definitions in order, with groups where they read each other.
func (b *Build) Order() *ir.Func {
	defs, err := ir.Order(b.F.Defs, nil, 1)
	if err != nil {
		panic(err)
	}
	b.F.Defs = defs
	return b.F
}

// Filter is y[b, t] = tanh(x[b, t] + Σ w[k]·y[b, t-1-k]), with 0 for what lies before the start.
func Filter() *ir.Func {
	b := New("filter")
	B, L, K := b.Axis("B"), b.Axis("L"), b.Axis("K")
	x, w := b.In("x", B, L), b.In("w", K)
	i, t, k := Over("b", B), Over("t", L), Over("k", K)
	y := &ir.Tensor{Name: "y", Role: ir.Output, Elem: T, Axes: []*ir.Axis{B, L}}
	at := ir.Sub(ir.Sub(ir.Index(t), ir.Int(1)), ir.Index(k))
	s := b.Let("s", ir.Sum, Vars(i, t), Vars(k), ir.Mul(At(w, k), ir.Read(y, ir.Index(i), at)), ir.Call(ir.OpLe, ir.Int(0), at))
	v := Vars(Over("b", B), Over("t", L))
	b.F.Defs = append(b.F.Defs, &ir.Def{Target: y, Vars: v, Dest: ir.Indices(v), Body: Fn(ir.OpTanh, ir.Add(At(x, v...), At(s, v...)))})
	b.F.Outputs = append(b.F.Outputs, y)
	return b.Order()
}

// Backwards is m[t] = sin(m[t+1])·x[t] with m[L] = z, and y its first element.
func Backwards() *ir.Func {
	b := New("backwards")
	L := b.Axis("L")
	x, z := b.In("x", L), b.In("z")
	t := Over("t", L)
	m := &ir.Tensor{Name: "m", Role: ir.Local, Elem: T, Axes: []*ir.Axis{L}}
	next := ir.Add(ir.Index(t), ir.Int(1))
	above := ir.Select(ir.Call(ir.OpLt, next, ir.Extent(L)), ir.Read(m, next), At(z))
	b.F.Defs = append(b.F.Defs, &ir.Def{Target: m, Vars: Vars(t), Dest: ir.Indices(Vars(t)), Body: ir.Mul(Fn(ir.OpSin, above), At(x, t))})
	b.Out("y", ir.Assign, nil, nil, ir.Read(m, ir.Int(0)))
	return b.Order()
}

// Cumprod is the running product along an axis.
func Cumprod() *ir.Func {
	b := New("cumprod")
	B, L := b.Axis("B"), b.Axis("L")
	x := b.In("x", B, L)
	i, t := Over("b", B), Over("t", L)
	s := &ir.Var{Name: "s", Lo: ir.Int(0), Hi: ir.Add(ir.Index(t), ir.Int(1))}
	b.Out("y", ir.Prod, Vars(i, t), Vars(s), ir.Read(x, ir.Index(i), ir.Index(s)))
	return b.F
}
