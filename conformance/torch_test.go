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
			single := singleBounds(s.call, s.cotangent)
			everywhere(t, func(t *testing.T, b backend) {
				ok := func(name string) tolerance {
					if b.float == "f64" {
						return nearTorch
					}
					bound := single[name]
					return func(got, want float64, k int) bool {
						return math.Abs(got-want) <= bound[min(k, len(bound)-1)] || nearTorch(got, want, k)
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
