package optest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// gradient compares Backward with central differences in float64, near the inputs of the example: these may lie on a kink.
// What is differentiated is a sum of all elements of all float outputs, with random weights.
func gradient(t *testing.T, o *runtime.Op, e Example, d dtypes) {
	r := rand.New(rand.NewPCG(5, 6))
	vs := slices.Clone(e.Inputs)
	in, err := d.tensors(o, vs)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range in {
		if x == nil || x.DType() != runtime.F64 {
			continue
		}
		vs[i].Data = slices.Clone(vs[i].Data)
		for k := range vs[i].Data {
			vs[i].Data[k] += 0.05 + 0.1*r.Float64()
		}
		if in[i], err = tensor(vs[i], runtime.F64); err != nil {
			t.Fatal(err)
		}
		if o.Signature.Params[i].Mode != runtime.In {
			continue // written: not differentiated
		}
		if err := in[i].RequireGrad(); err != nil {
			t.Fatal(err)
		}
	}
	out, err := o.Call(in, d.attrs(o, e))
	if err != nil {
		t.Fatal(err)
	}
	weights := make([][]float64, len(out)) // nil: not differentiated
	last := -1
	for i, y := range out {
		if y.DType() == runtime.F64 && y.RequiresGrad() {
			weights[i] = make([]float64, y.Len())
			for k := range weights[i] {
				weights[i][k] = r.NormFloat64()
			}
			last = i
		}
	}
	if last < 0 {
		return // nothing to differentiate
	}
	for i, w := range weights {
		if w == nil {
			continue
		}
		c, err := runtime.FromSlice(w, out[i].Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		var keep []runtime.BackwardOption
		if i != last {
			keep = append(keep, runtime.KeepGraph)
		}
		if err := out[i].BackwardWith(c, keep...); err != nil {
			t.Fatal(err)
		}
	}
	if e.Held {
		return
	}
	sum := func() float64 {
		s, err := weighted(o, vs, d.attrs(o, e), d, weights)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for i, x := range in {
		if !x.RequiresGrad() {
			continue
		}
		got := make([]float64, x.Len())
		if g := x.Grad(); g != nil {
			if got, err = g.Floats(); err != nil {
				t.Fatal(err)
			}
		}
		for k := range got {
			at := vs[i].Data[k]
			h := 1e-6 * (1 + math.Abs(at))
			vs[i].Data[k] = at + h
			up := sum()
			vs[i].Data[k] = at - h
			down := sum()
			vs[i].Data[k] = at
			want := (up - down) / (2 * h)
			if math.IsNaN(want) || math.IsInf(want, 0) {
				continue // the sum isn't finite near this point: there is no difference to compare with
			}
			noise := 0x1p-50 * max(math.Abs(up), math.Abs(down)) / h // what rounding the two sums may make of their difference
			if !(math.Abs(got[k]-want) <= 1e-7*(1+math.Abs(want))+noise) {
				t.Errorf("gradient of input %d, element %d: %v, differences give %v", i, k, got[k], want)
			}
		}
	}
}

// weighted is the weighted sum of the outputs of a call.
func weighted(o *runtime.Op, inputs []Value, attrs map[string]any, d dtypes, weights [][]float64) (float64, error) {
	in, err := d.tensors(o, inputs)
	if err != nil {
		return 0, err
	}
	out, err := o.Call(in, attrs)
	if err != nil {
		return 0, err
	}
	s := 0.0
	for i, w := range weights {
		if w == nil {
			continue
		}
		v, err := out[i].Floats()
		if err != nil {
			return 0, err
		}
		for k := range v {
			s += w[k] * v[k]
		}
	}
	return s, nil
}
