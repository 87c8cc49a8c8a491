package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
)

// nearTorch is how near PyTorch's float64 results must be.
var nearTorch = within(1e-9, 1e-11)

// TestTorch holds values and gradients to PyTorch's on the evaluator, the nests and every CPU path.
func TestTorch(t *testing.T) {
	for _, s := range expressible(t) {
		t.Run(s.name(), func(t *testing.T) {
			var single map[string][]float64
			everywhere(t, func(t *testing.T, b backend) {
				ok := func(string) tolerance { return nearTorch }
				if b.float == "f32" {
					if single == nil {
						single = s.roundings(t)
					}
					ok = func(name string) tolerance {
						bound := single[name]
						return func(got, want float64, k int) bool { return math.Abs(got-want) <= bound[k] }
					}
				}
				y, err := b.forward(s.call)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "y", y["y"], s.out, ok("y"))
				if s.cotangent == nil {
					return
				}
				g, err := b.gradient(s.call, s.cotangent)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range slices.Sorted(maps.Keys(s.grads)) {
					same(t, "@"+name, g[name], s.grads[name], ok("@"+name))
				}
			})
		})
	}
}

// roundings bounds the error in float32 of each element of the results. A stable way to compute is one whose error is no
// larger than what a few roundings of its inputs and its result make. So the bound is what it makes to move every input, the cotangent
// among them, by four roundings, a relative 2^-22, in the worst directions: to first order the sum of the changes that
// each makes alone, in float64. Four roundings of the result come on top. Rounding the inputs to float32 is one of the
// four. Where the formula takes exp of an input, a rounding of the power is an absolute shift of the input, so inputs
// near zero are moved as if they were 1. A way that cancels where the formula does not, as a variance from a mean of
// squares, exceeds the bound.
func (s *sample) roundings(t *testing.T) map[string][]float64 {
	t.Helper()
	const step = 0x1p-22
	at := func(c *call, cotangent *ir.Array) arrays {
		_, op, err := findOp(c.op)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ir.EvalOp(op, c.inputs, c.attrs, c.dtypes("f64"))
		if err != nil {
			t.Fatal(err)
		}
		if cotangent != nil {
			g, err := grad.EvalGrad(op, c.inputs, c.attrs, arrays{"y": cotangent}, c.dtypes("f64"))
			if err != nil {
				t.Fatal(err)
			}
			for name, a := range g {
				r["@"+name] = a
			}
		}
		return r
	}
	center := at(s.call, s.cotangent)
	bound := map[string][]float64{}
	for name, a := range center {
		bound[name] = make([]float64, len(a.Data))
		for k, x := range a.Data {
			bound[name][k] = step * math.Abs(x)
		}
	}
	move := func(a *ir.Array, least float64, eval func(moved *ir.Array) arrays) {
		for i, x := range a.Data {
			moved := &ir.Array{Shape: a.Shape, Data: slices.Clone(a.Data)}
			moved.Data[i] = x + step*max(math.Abs(x), least)
			for name, r := range eval(moved) {
				for k, v := range r.Data {
					bound[name][k] += math.Abs(v - center[name].Data[k])
				}
			}
		}
	}
	names, err := s.call.floats()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		least := 0.0
		if name == "x" && (s.call.op == "reduce.softmax" || s.call.op == "loss.cross_entropy") {
			least = 1
		}
		move(s.call.inputs[name], least, func(m *ir.Array) arrays { return at(s.call.with(name, m), s.cotangent) })
	}
	if s.cotangent != nil {
		move(s.cotangent, 0, func(m *ir.Array) arrays { return at(s.call, m) })
	}
	return bound
}

// TestTorchSecond holds second derivatives to PyTorch's: the gradients of Σ v·gradient, where v are given.
func TestTorchSecond(t *testing.T) {
	tested := 0
	for _, s := range expressible(t) {
		if s.second == nil {
			continue
		}
		tested++
		t.Run(s.name(), func(t *testing.T) {
			got, err := s.evalSecond()
			if err != nil {
				t.Fatal(err)
			}
			for _, simple := range []bool{false, true} {
				for _, name := range slices.Sorted(maps.Keys(s.second)) {
					same(t, fmt.Sprintf("second derivative by %s, simplified: %v", name, simple), got[simple][name], s.second[name], nearTorch)
				}
			}
		})
	}
	if tested == 0 {
		t.Error("no sample has second derivatives")
	}
}

// evalSecond evaluates the derivative of the derivative, as it was derived and simplified.
func (s *sample) evalSecond() (map[bool]arrays, error) {
	c := s.call
	_, op, err := findOp(c.op)
	if err != nil {
		return nil, err
	}
	b, err := ir.Bind(op, ir.ShapesOf(c.inputs), c.attrs)
	if err != nil {
		return nil, err
	}
	first, err := grad.Reverse(b.Func)
	if err != nil {
		return nil, err
	}
	first = grad.Close(first)
	second, err := grad.Reverse(first)
	if err != nil {
		return nil, err
	}
	simple, err := pass.Run(second, "")
	if err != nil {
		return nil, err
	}
	r := map[bool]arrays{}
	for simplified, f := range map[bool]*ir.Func{false: second, true: simple} {
		in, err := b.Binding(c.inputs, c.dtypes("f64"))
		if err != nil {
			return nil, err
		}
		views := maps.Clone(b.Views)
		for _, t := range first.Inputs {
			if t.Role == ir.Cotangent {
				views[t] = b.Views[t.Of]
				in.Arrays[t] = views[t].In(s.cotangent)
			}
		}
		for _, t := range first.Outputs {
			views[t] = b.Views[t.Of]
		}
		values, err := ir.EvalAll(first, in)
		if err != nil {
			return nil, err
		}
		for _, t := range first.Outputs {
			in.Arrays[t] = values[t]
		}
		for _, t := range f.Inputs {
			if t.Role != ir.Cotangent || in.Arrays[t] != nil {
				continue
			}
			if v := s.v[t.Of.Of.Name]; v != nil {
				in.Arrays[t] = views[t.Of].In(v)
				continue
			}
			var shape []int
			for _, a := range t.Axes {
				shape = append(shape, b.Extents[a])
			}
			in.Arrays[t] = ir.NewArray(shape...)
		}
		out, err := ir.Eval(f, in)
		if err != nil {
			return nil, err
		}
		r[simplified] = arrays{}
		for t, a := range out {
			if v := views[t.Of]; v != nil {
				r[simplified][t.Of.Name] = v.Out(a)
			}
		}
	}
	return r, nil
}

// sgdRun is three steps of torch.optim.SGD.
type sgdRun struct {
	Settings map[string]float64
	Start    []float64
	Grads    [][]float64
	Steps    []struct{ P, Buf []float64 }
}

// TestTorchSGD holds three steps of momentum_sgd to those of PyTorch's optimizer. In float32 an element of p or buf is three
// steps of five roundings each from numbers whose magnitudes are at most 8.
func TestTorchSGD(t *testing.T) {
	data, err := os.ReadFile("testdata/torch/optim.SGD.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []sgdRun
	if err := json.Unmarshal(data, &runs); err != nil {
		t.Fatal(err)
	}
	for i, run := range runs {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			everywhere(t, func(t *testing.T, b backend) {
				ok := nearTorch
				if b.float == "f32" {
					ok = within(0, 15*8*0x1p-24)
				}
				p, buf := vec(run.Start...), vec(make([]float64, len(run.Start))...)
				for k, want := range run.Steps {
					c := &call{op: "optim.momentum_sgd", inputs: arrays{"p": p, "g": vec(run.Grads[k]...), "buf": buf}}
					c.attrs = append(c.attrs, number("step", float64(k+1)))
					for _, name := range slices.Sorted(maps.Keys(run.Settings)) {
						c.attrs = append(c.attrs, number(name, run.Settings[name]))
					}
					out, err := b.forward(c)
					if err != nil {
						t.Fatal(err)
					}
					p, buf = out["p'"], out["buf'"]
					same(t, fmt.Sprintf("p of step %d", k+1), p, vec(want.P...), ok)
					same(t, fmt.Sprintf("buf of step %d", k+1), buf, vec(want.Buf...), ok)
				}
			})
		})
	}
}
