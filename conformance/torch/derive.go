package torch

import (
	"maps"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// derivatives are the derived functions, made once for a function.
type derivatives struct{ made map[*ir.Func]*derivative }

type derivative struct {
	first, closed, second *ir.Func
	err                   error
}

func (d *derivatives) of(f *ir.Func) (*derivative, error) {
	if d.made == nil {
		d.made = map[*ir.Func]*derivative{}
	}
	if x := d.made[f]; x != nil {
		return x, x.err
	}
	x := &derivative{}
	d.made[f] = x
	if x.first, x.err = grad.Reverse(f); x.err == nil {
		x.closed = grad.Close(x.first)
	}
	return x, x.err
}

// eval evaluates the gradients by name, or with v those of Σ v·gradient.
func (d *derivative) eval(b *ir.Bound, in ir.Binding, values, cotangents map[*ir.Tensor]*ir.Array, v map[string]*ir.Array) (map[string]*ir.Array, error) {
	f := d.first
	if v != nil {
		if d.second == nil && d.err == nil {
			d.second, d.err = grad.Reverse(d.closed)
		}
		if d.err != nil {
			return nil, d.err
		}
		f = d.second
	}
	in.Arrays = maps.Clone(in.Arrays)
	views := maps.Clone(b.Views)
	for _, t := range b.Func.Outputs {
		in.Arrays[t] = values[t]
	}
	give := func(list []*ir.Tensor) {
		for _, t := range list {
			if t.Role != ir.Cotangent || in.Arrays[t] != nil {
				continue
			}
			if c := cotangents[t.Of]; c != nil {
				in.Arrays[t] = c
			} else if x := v[nameOf(t)]; x != nil && t.Of.Role == ir.Gradient {
				c := *x
				c.Shape = views[t.Of.Of].Shape
				in.Arrays[t] = views[t.Of.Of].In(&c)
			} else {
				shape := make([]int, len(t.Axes))
				for i, a := range t.Axes {
					shape[i] = b.Extents[a]
				}
				in.Arrays[t] = ir.NewArray(shape...)
			}
		}
	}
	give(d.closed.Inputs)
	if v != nil {
		grads, err := ir.EvalAll(d.closed, in)
		if err != nil {
			return nil, err
		}
		for _, t := range d.closed.Outputs {
			in.Arrays[t] = grads[t]
			views[t] = views[t.Of]
		}
		give(f.Inputs)
	}
	out, err := ir.Eval(f, in)
	if err != nil {
		return nil, err
	}
	r := map[string]*ir.Array{}
	for t, a := range out {
		if view := b.Views[t.Of]; view != nil && t.Of.Role == ir.Input {
			r[t.Of.Name] = view.Out(a)
		}
	}
	return r, nil
}

// nameOf is the input whose gradient a cotangent is of.
func nameOf(t *ir.Tensor) string {
	if t.Of == nil || t.Of.Of == nil {
		return ""
	}
	return t.Of.Of.Name
}
