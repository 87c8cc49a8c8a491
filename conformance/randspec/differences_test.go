package randspec_test

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// differences compares gradients with central differences along random directions.
func (c *randomCall) differences(b *ir.Bound, back *ir.Func, dtypes map[string]string, cot arrays) error {
	smooth := arrays{}
	for name, a := range c.inputs { // away from ties of whole numbers
		smooth[name] = a
	}
	for _, p := range c.op.Inputs {
		if a := c.inputs[p.Name]; a != nil && ir.ClassOf(c.op.ElemVars, p.Elem) == ir.ClassFloat {
			m := ir.NewArray(a.Shape...)
			for i := range m.Data {
				m.Data[i] = a.Data[i] + 0.2*c.r.NormFloat64()
			}
			smooth[p.Name] = m
		}
	}
	at := func(f *ir.Func) (arrays, error) { return grad.EvalBackward(b, f, smooth, cot, dtypes) }
	g, err := at(back)
	if err != nil {
		c.n.count("gradient elsewhere: " + briefly(err))
		return nil // a computed index out of range, say
	}
	loss := func(name string, v []float64, h float64) float64 {
		in := maps.Clone(smooth)
		m := ir.NewArray(smooth[name].Shape...)
		for i, x := range smooth[name].Data {
			m.Data[i] = x + h*v[i]
		}
		in[name] = m
		out, err := ir.EvalOp(c.op, in, c.attrs, dtypes)
		if err != nil {
			return math.NaN()
		}
		s := 0.0
		for y, w := range cot {
			for i, x := range w.Data {
				if x != 0 {
					s += x * out[y].Data[i]
				}
			}
		}
		return s
	}
	moves := c.moves(back, 0x1p-53, at)
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if smooth[name] == nil || len(smooth[name].Data) == 0 {
			continue
		}
		v := make([]float64, len(smooth[name].Data))
		got := 0.0
		for i := range v {
			v[i] = c.r.NormFloat64()
			got += v[i] * g[name].Data[i]
		}
		start := loss(name, v, 0)
		sides := func(h float64) (fwd, bwd float64) {
			return (loss(name, v, h) - start) / h, (start - loss(name, v, -h)) / h
		}
		const h = 1e-4
		f1, b1 := sides(h)
		f2, b2 := sides(h / 2)
		c1, c2 := (f1+b1)/2, (f2+b2)/2
		want := (4*c2 - c1) / 3
		scale := 1 + math.Abs(want)
		bend1, bend2 := math.Abs(f1-b1), math.Abs(f2-b2)
		switch {
		case want != want || math.IsInf(want, 0) || math.Abs(c1-c2) > 1e-3*scale, // a jump, or a pole
			bend1 > 1e-6*scale && bend2 > 0.7*bend1, // a kink at the point
			math.Abs(start) > 1e7*scale:
			c.n.kinks++
			continue
		}
		c.n.compared++
		// What the steps disagree about, and what rounding of the loss makes.
		tolerance := 1e-5*scale + 2*math.Abs(c1-c2) + 1e-15*math.Abs(start)/h*100
		if math.Abs(got-want) <= tolerance {
			continue
		}
		if got != got && infinite(b, back, smooth, cot, dtypes) {
			c.n.kinks++ // a root at 0, say, whose infinite derivative meets a zero
			continue
		}
		// What the derivative itself loses, as sin(x)/x does near 0.
		lost := 0.0
		for i, x := range moves(name) {
			lost += x * math.Abs(v[i])
		}
		if lost == lost && math.Abs(got-want) <= tolerance+lost {
			c.n.rough++
			continue
		}
		return found("derivative", "along a direction of %s it is %v, differences give %v (%v, %v)\n%v\n%v", name, got, want, c1, c2, b.Func, back)
	}
	return nil
}

// infinite tells whether something infinite arises in a derivative.
func infinite(b *ir.Bound, back *ir.Func, inputs, cot arrays, dtypes map[string]string) bool {
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return false
	}
	forward, err := ir.EvalAll(inParts(b.Func), in)
	if err != nil {
		return false
	}
	for _, t := range b.Func.Outputs {
		in.Arrays[t] = forward[t]
	}
	for _, t := range back.Inputs {
		if t.Role == ir.Cotangent {
			in.Arrays[t] = b.Views[t.Of].In(cot[t.Of.Name])
		}
	}
	all, err := ir.EvalAll(inParts(back), in)
	if err != nil {
		return false
	}
	for _, arrays := range []map[*ir.Tensor]*ir.Array{forward, all} {
		for _, a := range arrays {
			if slices.ContainsFunc(a.Data, func(x float64) bool { return math.IsInf(x, 0) }) {
				return true
			}
		}
	}
	return false
}

// inParts is a function with a definition for each float that its definitions compute on their way.
func inParts(f *ir.Func) *ir.Func {
	g := *f
	g.Defs, g.Outputs = nil, slices.Clone(f.Outputs)
	for _, d := range f.Defs {
		axes := make([]*ir.Axis, len(d.Vars))
		boxed := d.Group == 0
		for i, v := range d.Vars {
			axes[i] = v.Axis
			boxed = boxed && v.Axis != nil
		}
		if boxed && len(d.Where) == 0 {
			ir.Walk(d.Body, func(v *ir.Value) bool {
				if v.Op == ir.OpSelect { // its arms may have no value where they aren't taken
					return false
				}
				if v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassFloat {
					t := &ir.Tensor{Name: fmt.Sprintf("part %d", len(g.Defs)), Role: ir.Output, Elem: v.Type.Elem, Axes: axes}
					g.Outputs = append(g.Outputs, t)
					g.Defs = append(g.Defs, &ir.Def{Target: t, Vars: d.Vars, Dest: ir.Indices(d.Vars), Body: v})
				}
				return true
			})
		}
		g.Defs = append(g.Defs, d)
	}
	return &g
}
