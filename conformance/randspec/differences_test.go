package randspec_test

import (
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
		out, err := ir.EvalOp(c.op, moved(smooth, name, v, h), c.attrs, dtypes)
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
		if jumps(b, dtypes, smooth, moved(smooth, name, v, h), moved(smooth, name, v, -h)) {
			c.n.kinks++
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
