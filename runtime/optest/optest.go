// Package optest tests generated ops through the registry: the examples of their specs, and their gradients against
// differences, in every dtype and on every CPU path of this machine. Generated test files call it.
package optest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// Value is a tensor of an example, row-major. A nil Data stands for an absent tensor.
type Value struct {
	Shape []int
	Data  []float64
}

// Example is a call and what it gives.
type Example struct {
	Inputs  []Value
	Attrs   map[string]any
	Outputs []Value
	// After is what the inputs hold after the call, of ops that write these: values without data are not compared.
	After []Value
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
			for _, d := range choices(o) {
				t.Run(fmt.Sprintf("example %d/%v/%v", i+1, path, d), func(t *testing.T) { example(t, o, e, d) })
				if d.float == runtime.F64 {
					t.Run(fmt.Sprintf("gradient %d/%v/%v", i+1, path, d), func(t *testing.T) { gradient(t, o, e, d) })
				}
			}
		}
	}
}

// Paths are the CPU paths of this machine, up to the one that OPGEN_CPU allows.
func Paths() []runtime.CPUPath {
	var r []runtime.CPUPath
	for p := runtime.Generic; p <= runtime.AllowedPath(); p++ {
		r = append(r, p)
	}
	return r
}

// dtypes is a choice of dtypes: one for floats, one for integers.
type dtypes struct{ float, int runtime.DType }

func (d dtypes) String() string {
	if d.int == runtime.NoDType {
		return d.float.String()
	}
	return d.float.String() + " " + d.int.String()
}

// choices are the dtypes to call an op with. Without a variable for integers there is no choice of these.
func choices(o *runtime.Op) []dtypes {
	ints := slices.ContainsFunc(o.Signature.Vars, func(v runtime.Var) bool { return v.DTypes.Has(runtime.I32) && v.DTypes.Has(runtime.I64) })
	var r []dtypes
	for _, f := range []runtime.DType{runtime.F32, runtime.F64} {
		if !ints {
			r = append(r, dtypes{f, runtime.NoDType})
			continue
		}
		r = append(r, dtypes{f, runtime.I32}, dtypes{f, runtime.I64})
	}
	return r
}

// of is the dtype of a parameter: of those that it may have, the one chosen.
func (d dtypes) of(s *runtime.Signature, p *runtime.Param) runtime.DType {
	if p.Elem.Fixed != runtime.NoDType {
		return p.Elem.Fixed
	}
	can := s.Vars[p.Elem.Var].DTypes
	for _, x := range []runtime.DType{d.float, d.int, runtime.F64, runtime.F32, runtime.I64} {
		if x != runtime.NoDType && can.Has(x) {
			return x
		}
	}
	return runtime.I32
}

// tensors are the inputs of an op.
func (d dtypes) tensors(o *runtime.Op, vs []Value) ([]*runtime.Tensor, error) {
	r := make([]*runtime.Tensor, len(vs))
	for i, v := range vs {
		if v.Data == nil {
			continue
		}
		x, err := tensor(v, d.of(o.Signature, &o.Signature.Params[i]))
		if err != nil {
			return nil, err
		}
		r[i] = x
	}
	return r, nil
}

func tensor(v Value, dtype runtime.DType) (*runtime.Tensor, error) {
	switch dtype {
	case runtime.F32:
		return runtime.FromSlice(convert[float32](v.Data), v.Shape...)
	case runtime.F64:
		return runtime.FromSlice(convert[float64](v.Data), v.Shape...)
	case runtime.I32:
		return runtime.FromSlice(convert[int32](v.Data), v.Shape...)
	}
	return runtime.FromSlice(convert[int64](v.Data), v.Shape...)
}

// floats are the elements of a tensor.
func floats(t *runtime.Tensor) ([]float64, error) {
	switch t.DType() {
	case runtime.F32:
		v, err := runtime.Values[float32](t)
		return convert[float64](v), err
	case runtime.F64:
		return runtime.Values[float64](t)
	case runtime.I32:
		v, err := runtime.Values[int32](t)
		return convert[float64](v), err
	}
	v, err := runtime.Values[int64](t)
	return convert[float64](v), err
}

func convert[T, F runtime.Element](from []F) []T {
	r := make([]T, len(from))
	for i, x := range from {
		r[i] = T(x)
	}
	return r
}
