package torch

import (
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Results must be this near to PyTorch's, as float64.
const (
	relative = 1e-9
	absolute = 1e-11
)

// compare compares values, gradients and second derivatives on the evaluator.
func (g *call) compare(b *ir.Bound) error {
	in, err := b.Binding(g.inputs, nil)
	if err != nil {
		return err
	}
	values, err := ir.EvalAll(b.Func, in)
	if err != nil {
		return err
	}
	cotangents := map[*ir.Tensor]*ir.Array{}
	k := 0
	for i, t := range b.Func.Outputs {
		if t.Of != nil || i >= len(g.Out) {
			break
		}
		if err := near(value, t.Name, b.Views[t].Out(values[t]), g.Out[i]); err != nil {
			return err
		}
		if k < len(g.Cotangent) && g.Out[i].float() {
			c := g.Cotangent[k].Array()
			c.Shape = b.Views[t].Shape
			cotangents[t] = b.Views[t].In(c)
			k++
		}
	}
	if g.Cotangent == nil || len(g.Grads) == 0 {
		return nil
	}
	d, err := g.derived.of(b.Func)
	if err != nil {
		return fmt.Errorf("derivative: %w", err)
	}
	first, err := d.eval(b, in, values, cotangents, nil)
	if err != nil {
		return fmt.Errorf("gradient: %w", err)
	}
	if err := g.nearGradients(gradient, first, g.Grads); err != nil || g.Grads2 == nil {
		return err
	}
	// Cotangents are given for the gradients that depend on an input, in order: any such choice may be meant.
	want := g.differentiated()
	err = &mismatch{second, fmt.Errorf("%d cotangents fit no gradients", len(g.V))}
	for pick := range g.picks(want) {
		v := map[string]*ir.Array{}
		for i, s := range want {
			if name := g.from[s]; pick[i] >= 0 && name != "" {
				v[name] = g.V[pick[i]].Array()
				if w := g.views[name]; w != nil {
					v[name] = w.in(v[name])
				}
			}
		}
		got, err2 := d.eval(b, in, values, cotangents, v)
		if err2 != nil {
			return fmt.Errorf("second derivative: %w", err2)
		}
		if err = g.nearGradients(second, got, g.Grads2); err == nil {
			return nil
		}
	}
	return err
}

// picks are the ways to give the cotangents of gradients to gradients, in order: the place of each in V, or -1.
func (g *call) picks(want []*Tensor) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		pick := make([]int, len(want))
		var walk func(i, next int) bool
		walk = func(i, next int) bool {
			if i == len(want) {
				return next < len(g.V) || yield(pick)
			}
			if next < len(g.V) && g.Grads[i] != nil && slices.Equal(g.V[next].Shape, g.Grads[i].Shape) {
				pick[i] = next
				if !walk(i+1, next+1) {
					return false
				}
			}
			pick[i] = -1
			return walk(i+1, next)
		}
		walk(0, 0)
	}
}

// differentiated are the tensors that PyTorch differentiates by.
func (g *call) differentiated() []*Tensor {
	var r []*Tensor
	for _, s := range g.all {
		if s.Grad {
			r = append(r, s)
		}
	}
	return r
}

// nearGradients compares gradients by inputs with those by PyTorch's tensors.
func (g *call) nearGradients(at stage, got map[string]*ir.Array, want []*Tensor) error {
	by := g.differentiated()
	if len(by) != len(want) {
		return fmt.Errorf("%d gradients of %d tensors", len(want), len(by))
	}
	for i, w := range want {
		if w == nil {
			continue
		}
		name, is := g.from[by[i]]
		if !is {
			return &inexpressible{"a gradient by an argument that is an attribute here"}
		}
		a := got[name]
		switch v := g.views[name]; {
		case a == nil:
			a = ir.NewArray(w.Shape...) // nothing leads there
		case v != nil:
			a = v.out(a, w.Shape)
		default:
			a = &ir.Array{Shape: w.Shape, Data: a.Data} // the call may have given it another
		}
		if len(a.Data) != len(w.Data) {
			return &mismatch{at, fmt.Errorf("%s%s has %d elements, want %d", at, name, len(a.Data), len(w.Data))}
		}
		if err := near(at, name, a, w); err != nil {
			return err
		}
	}
	return nil
}

func (s stage) String() string {
	return [...]string{"", "gradient by ", "second derivative by "}[s]
}

// near compares arrays: shapes are equal, NaN and infinities are where they should be.
func near(at stage, name string, got *ir.Array, want *Tensor) error {
	if !slices.Equal(got.Shape, want.Shape) {
		return &mismatch{at, fmt.Errorf("%s%s: shape %v, want %v", at, name, got.Shape, want.Shape)}
	}
	for k, e := range want.Data {
		x, y := float64(e), got.Data[k]
		switch {
		case math.IsNaN(x) && math.IsNaN(y), math.IsInf(x, 0) && y == x, !math.IsInf(y, 0) && math.Abs(y-x) <= relative*math.Abs(x)+absolute:
			continue
		}
		return &mismatch{at, fmt.Errorf("%s%s: element %d of %v is %v, want %v", at, name, k, want.Shape, y, x)}
	}
	return nil
}
