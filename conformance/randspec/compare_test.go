package randspec_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/opgen/opgen/codegen/ir"
)

// differ says where two arrays differ by more than a relative tolerance and a slack for each element; "" if nowhere.
func differ(want, got *ir.Array, slack []float64, tolerance float64) string {
	if want == nil || got == nil {
		if want == got {
			return ""
		}
		return fmt.Sprintf("is there: %v, want %v", got != nil, want != nil)
	}
	if !slices.Equal(want.Shape, got.Shape) {
		return fmt.Sprintf("has shape %v, want %v", got.Shape, want.Shape)
	}
	scale := 0.0
	for _, x := range want.Data {
		if a := math.Abs(x); a > scale && !math.IsInf(a, 0) {
			scale = a
		}
	}
	for i, w := range want.Data {
		g := got.Data[i]
		s := 0.0
		if slack != nil {
			s = slack[i]
		}
		if g == w || g != g && w != w || math.Abs(g-w) <= tolerance*(1+math.Abs(w))+s || math.IsInf(s, 0) || s != s {
			continue
		}
		return fmt.Sprintf("element %d is %v, want %v (of %v, slack %v)", i, g, w, want.Shape, s)
	}
	return ""
}

// moves is the sensitivity of results, computed when it is asked for. eval runs a function with its results by name.
func (c *randomCall) moves(f *ir.Func, unit float64, eval func(f *ir.Func) (arrays, error)) func(name string) []float64 {
	all := sync.OnceValue(func() map[string][]float64 { return c.sensitivity(f, unit, eval) })
	return func(name string) []float64 { return all()[name] }
}

// byName evaluates a function on the call's inputs.
func byName(b *ir.Bound, f *ir.Func, in ir.Binding) (arrays, error) {
	out, err := ir.Eval(f, in)
	if err != nil {
		return nil, err
	}
	r := arrays{}
	for k, t := range f.Outputs {
		r[t.Name] = b.Views[b.Func.Outputs[k]].Out(out[t])
	}
	return r, nil
}

// differ is differ with a slack that is computed where it is needed.
func (c *randomCall) differ(name string, want, got *ir.Array, tolerance float64, moves func(string) []float64) string {
	if differ(want, got, nil, tolerance) == "" {
		return ""
	}
	text := differ(want, got, moves(name), tolerance)
	if text == "" {
		c.n.rough++
	}
	return text
}

// noisy is a function whose float values are off by a factor near 1 each, drawn anew for each of them.
func (c *randomCall) noisy(f *ir.Func, step float64) *ir.Func {
	n := *f
	n.Defs = slices.Clone(f.Defs)
	for i, d := range n.Defs {
		n.Defs[i] = ir.MapDef(d, func(v *ir.Value) *ir.Value {
			if v.Type.Kind != ir.Typed || f.Class(v.Type.Elem) != ir.ClassFloat || v.Op == ir.OpSelect || v.Op == ir.OpCast || v.Op == ir.OpStop {
				return v
			}
			noise := new(big.Rat).SetFloat64(1 + step*(2*c.r.Float64()-1))
			return ir.Mul(v, ir.Cast(&ir.Value{Op: ir.OpConst, Type: ir.ExactType, Const: noise}, v.Type))
		})
	}
	return &n
}

// sensitivity is how much each element of results moves when each value on the way is off by some roundings: what is close to a
// jump, or badly conditioned, can't be compared closely.
func (c *randomCall) sensitivity(f *ir.Func, unit float64, eval func(*ir.Func) (arrays, error)) map[string][]float64 {
	base, err := eval(f)
	if err != nil {
		return nil
	}
	r := map[string][]float64{}
	for name, a := range base {
		r[name] = make([]float64, len(a.Data))
	}
	for range 6 {
		out, err := eval(c.noisy(f, 8*unit))
		for name, a := range base {
			for i, x := range a.Data {
				if err != nil || out[name] == nil || len(out[name].Data) != len(a.Data) {
					r[name][i] = math.Inf(1)
					continue
				}
				y := out[name].Data[i]
				switch d := math.Abs(x - y); {
				case x == y || x != x && y != y:
				case d != d:
					r[name][i] = math.Inf(1)
				default:
					r[name][i] = max(r[name][i], 4*d)
				}
			}
		}
	}
	return r
}
