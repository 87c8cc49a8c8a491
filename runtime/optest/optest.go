// Package optest tests generated ops through the registry: the examples of their specs, and their gradients against
// differences, in every dtype and on every CPU path of this machine. Generated test files call it.
package optest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// Value is a tensor of an example, row-major. A nil Data stands for an absent input.
type Value struct {
	Shape []int
	Data  []float64
	Int   bool // of an integer dtype
}

// Example is a call and what it gives.
type Example struct {
	Inputs  []Value
	Attrs   map[string]any
	Outputs []Value
}

// Run tests an op, by its full name, with its examples.
func Run(t *testing.T, op string, examples ...Example) {
	t.Helper()
	o, err := runtime.Lookup(op)
	if err != nil {
		t.Fatal(err)
	}
	was := runtime.Path()
	defer func() {
		if _, err := runtime.SetPath(was); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range Paths() {
		if _, err := runtime.SetPath(path); err != nil {
			t.Fatal(err)
		}
		for i, e := range examples {
			for _, dtype := range []runtime.DType{runtime.F32, runtime.F64} {
				t.Run(fmt.Sprintf("example %d/%v/%v", i+1, path, dtype), func(t *testing.T) { example(t, o, e, dtype) })
			}
			t.Run(fmt.Sprintf("gradient %d/%v", i+1, path), func(t *testing.T) { gradient(t, o, e) })
		}
	}
}

// Paths are the CPU paths of this machine, up to the one that is chosen (OPGEN_CPU limits it).
func Paths() []runtime.CPUPath {
	var r []runtime.CPUPath
	for p := runtime.Generic; p <= runtime.BestPath(); p++ {
		r = append(r, p)
	}
	return r
}

func tensor(v Value, dtype runtime.DType) (*runtime.Tensor, error) {
	switch {
	case v.Data == nil:
		return nil, nil
	case v.Int:
		d := make([]int64, len(v.Data))
		for i, x := range v.Data {
			d[i] = int64(x)
		}
		return runtime.FromSlice(d, v.Shape...)
	case dtype == runtime.F32:
		d := make([]float32, len(v.Data))
		for i, x := range v.Data {
			d[i] = float32(x)
		}
		return runtime.FromSlice(d, v.Shape...)
	}
	return runtime.FromSlice(append([]float64(nil), v.Data...), v.Shape...)
}

func tensors(vs []Value, dtype runtime.DType) ([]*runtime.Tensor, error) {
	r := make([]*runtime.Tensor, len(vs))
	for i, v := range vs {
		x, err := tensor(v, dtype)
		if err != nil {
			return nil, err
		}
		r[i] = x
	}
	return r, nil
}

// floats are the elements of a tensor.
func floats(t *runtime.Tensor) ([]float64, error) {
	switch t.DType() {
	case runtime.F32:
		v, err := runtime.Values[float32](t)
		r := make([]float64, len(v))
		for i, x := range v {
			r[i] = float64(x)
		}
		return r, err
	case runtime.F64:
		return runtime.Values[float64](t)
	case runtime.I32:
		v, err := runtime.Values[int32](t)
		r := make([]float64, len(v))
		for i, x := range v {
			r[i] = float64(x)
		}
		return r, err
	}
	v, err := runtime.Values[int64](t)
	r := make([]float64, len(v))
	for i, x := range v {
		r[i] = float64(x)
	}
	return r, err
}

// example runs an example; its numbers are decimals, so they hold to the precision of the dtype.
func example(t *testing.T, o *runtime.Op, e Example, dtype runtime.DType) {
	in, err := tensors(e.Inputs, dtype)
	if err != nil {
		t.Fatal(err)
	}
	out, err := o.Call(in, e.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	tol := 1e-12
	if dtype == runtime.F32 {
		tol = 2e-6
	}
	for i, want := range e.Outputs {
		if want.Data == nil {
			continue
		}
		got, err := floats(out[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want.Data) {
			t.Fatalf("output %d has %d elements, want %d", i, len(got), len(want.Data))
		}
		for k := range got {
			if !(math.Abs(got[k]-want.Data[k]) <= tol*(1+math.Abs(want.Data[k]))) && !(math.IsNaN(got[k]) && math.IsNaN(want.Data[k])) && got[k] != want.Data[k] {
				t.Errorf("output %d, element %d: %v, want %v", i, k, got[k], want.Data[k])
			}
		}
	}
}

// gradient compares Backward with central differences in float64, near the inputs of the example: these may lie on a kink.
func gradient(t *testing.T, o *runtime.Op, e Example) {
	r := rand.New(rand.NewPCG(5, 6))
	vs := make([]Value, len(e.Inputs))
	for i, v := range e.Inputs {
		vs[i] = v
		if v.Int || v.Data == nil {
			continue
		}
		vs[i].Data = make([]float64, len(v.Data))
		for k, x := range v.Data {
			vs[i].Data[k] = x + 0.05 + 0.1*r.Float64()
		}
	}
	in, err := tensors(vs, runtime.F64)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range in {
		if x != nil && !vs[i].Int {
			if err := x.RequireGrad(); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := o.Call(in, e.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 || !out[0].DType().Float() || !out[0].RequiresGrad() {
		return // nothing to differentiate
	}
	cot := make([]float64, out[0].Len())
	for i := range cot {
		cot[i] = r.NormFloat64()
	}
	c, err := runtime.FromSlice(cot, out[0].Shape()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := out[0].BackwardWith(c); err != nil {
		t.Fatal(err)
	}
	weighted := func() float64 {
		plain, err := tensors(vs, runtime.F64)
		if err != nil {
			t.Fatal(err)
		}
		y, err := o.Call(plain, e.Attrs)
		if err != nil {
			t.Fatal(err)
		}
		v, err := floats(y[0])
		if err != nil {
			t.Fatal(err)
		}
		s := 0.0
		for i := range v {
			s += cot[i] * v[i]
		}
		return s
	}
	for i, x := range in {
		if x == nil || vs[i].Int {
			continue
		}
		got := make([]float64, x.Len())
		if g := x.Grad(); g != nil {
			if got, err = floats(g); err != nil {
				t.Fatal(err)
			}
		}
		for k := range got {
			at := vs[i].Data[k]
			h := 1e-6 * (1 + math.Abs(at))
			vs[i].Data[k] = at + h
			up := weighted()
			vs[i].Data[k] = at - h
			down := weighted()
			vs[i].Data[k] = at
			want := (up - down) / (2 * h)
			if !(math.Abs(got[k]-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("gradient of input %d, element %d: %v, differences give %v", i, k, got[k], want)
			}
		}
	}
}
