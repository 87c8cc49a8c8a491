package grad

import "github.com/opgen/opgen/codegen/ir"

// finish puts the backward function together.
func (r *reverser) finish() (*ir.Func, error) {
	f := r.f
	b := &ir.Func{Package: f.Package, Name: f.Name + "_backward", Scalars: f.Scalars, Axes: f.Axes, Dims: f.Dims,
		ElemVars: f.ElemVars, Span: f.Span, Given: append(append([]*ir.Def{}, f.Given...), f.Defs...)}
	b.Inputs = append(b.Inputs, f.Inputs...)
	isOutput := map[*ir.Tensor]bool{}
	for _, t := range f.Outputs {
		b.Inputs = append(b.Inputs, t)
		isOutput[t] = true
	}
	for _, t := range f.Outputs {
		if c := r.cot[t]; c != nil {
			b.Inputs = append(b.Inputs, c)
		}
	}
	for _, d := range f.Defs {
		if !isOutput[d.Target] {
			b.Defs = append(b.Defs, d)
		}
	}
	for _, q := range f.Requires {
		if len(ir.Reads(q.Cond)) == 0 {
			b.Requires = append(b.Requires, q) // known facts of attributes; what reads data was checked going forward
		}
	}
	for _, t := range f.Inputs {
		if !r.wants(t) {
			continue
		}
		g := &ir.Tensor{Name: r.names.fresh("@" + t.Name), Role: ir.Gradient, Elem: t.Elem, Axes: t.Axes, Of: t, Optional: t.Optional}
		if u := r.user[t]; u != nil {
			if err := r.userGrad(u, &g); err != nil {
				return nil, err
			}
		} else {
			r.gather(t, g)
		}
		b.Outputs = append(b.Outputs, g)
	}
	b.Defs = append(b.Defs, r.defs...)
	b.Defs = ir.Live(b)
	if group := lastGroup(b.Given); group > 0 {
		defs, err := ir.Order(b.Defs, known(f), group+1)
		if err != nil {
			return nil, err
		}
		b.Defs = defs
	}
	b.Defs = Nonempty(b)
	b.Defs = ir.Askable(b) // of conditions on the way to a read, which have become those of what flows back
	return b, ir.Verify(b)
}

// lastGroup is the greatest number of a group.
func lastGroup(defs []*ir.Def) int {
	n := 0
	for _, d := range defs {
		n = max(n, d.Group)
	}
	return n
}

// known are the conditions of a call that read no data.
func known(f *ir.Func) []*ir.Value {
	var r []*ir.Value
	for _, q := range f.Requires {
		if len(ir.Reads(q.Cond)) == 0 {
			r = append(r, q.Cond)
		}
	}
	return r
}

// userGrad takes the author's formula for a gradient. A result that lacks axes is repeated along them.
func (r *reverser) userGrad(u *ir.UserGrad, g **ir.Tensor) error {
	r.defs = append(r.defs, absorbingProducts(u.Defs)...)
	if u.Result.Role == ir.Gradient && u.Result.Of == u.Of {
		*g = u.Result
		return nil
	}
	keys := keysOf(*g)
	var at []*ir.Value
	for _, a := range u.Result.Axes {
		for i, x := range (*g).Axes {
			if x == a {
				at = append(at, ir.Index(keys[i]))
				break
			}
		}
	}
	if len(at) != len(u.Result.Axes) {
		return &ir.Fault{Func: r.f.Name, Def: "grad " + u.Of.Name, Span: u.Span, Message: "has axes that the input hasn't"}
	}
	r.define(&ir.Def{Target: *g, Vars: keys, Dest: ir.Indices(keys), Monoid: ir.Assign, Body: ir.Read(u.Result, at...), Span: u.Span})
	return nil
}

// Close is a backward function that computes the outputs of the forward function itself, so that it depends on inputs
// and cotangents alone and can be derived again.
func Close(b *ir.Func) *ir.Func {
	c := *b
	c.Defs, c.Inputs, c.Given = nil, nil, nil
	defined := map[*ir.Tensor]bool{}
	for _, list := range [][]*ir.Def{b.Given, b.Defs} {
		for _, d := range list {
			if !defined[d.Target] {
				defined[d.Target] = true
				c.Defs = append(c.Defs, d)
			}
		}
	}
	for _, t := range b.Inputs {
		if !defined[t] {
			c.Inputs = append(c.Inputs, t)
		}
	}
	c.Defs = ir.Live(&c)
	return &c
}
