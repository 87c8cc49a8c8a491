// Package optest tests generated ops through the registry: the examples of their specs, and their gradients against
// differences, in every dtype that gives the same and on every CPU path of this machine. Generated test files call it.
package optest

import (
	"fmt"
	"maps"
	"math/bits"
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
	// Also are dtypes in which the call gives the same, rounded; it does in F32 and F64.
	Also runtime.DTypes
	// Held: something is held still in the formulas, by stop, or a gradient is another on purpose. Differences say nothing then.
	Held bool
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
			for _, d := range append(choices(o), also(e)...) {
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
	ints := slices.ContainsFunc(o.Signature.Vars, func(v runtime.Var) bool {
		return v.DTypes.Has(runtime.I32) && v.DTypes.Has(runtime.I64) && !v.DTypes.Has(runtime.F64)
	})
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

// also are the choices of further dtypes, which variables have that may have them.
func also(e Example) []dtypes {
	var r []dtypes
	for x := runtime.NoDType + 1; runtime.Any>>x != 0; x++ {
		if e.Also.Has(x) && x != runtime.F32 && x != runtime.F64 {
			r = append(r, dtypes{x, runtime.NoDType})
		}
	}
	return r
}

// of is the dtype of a parameter: of those that it may have, the one chosen.
func (d dtypes) of(s *runtime.Signature, p *runtime.Param) runtime.DType {
	if p.Elem.Fixed != runtime.NoDType {
		return p.Elem.Fixed
	}
	return p.Elem.Of(d.variable(s.Vars[p.Elem.Var].DTypes))
}

// variable is the dtype of a variable: of those that it may have, the one chosen.
func (d dtypes) variable(can runtime.DTypes) runtime.DType {
	for _, x := range []runtime.DType{d.float, d.int, runtime.F64, runtime.F32, runtime.I64, runtime.I32} {
		if x != runtime.NoDType && can.Has(x) {
			return x
		}
	}
	return runtime.DType(bits.TrailingZeros32(uint32(can)))
}

// attrs are the attributes of a call, with the dtypes that no input decides, and a seed where the example names none: what it says then
// holds for any.
func (d dtypes) attrs(o *runtime.Op, e Example) map[string]any {
	r := maps.Clone(e.Attrs)
	for _, a := range o.Attrs {
		if _, given := r[a.Name]; a.Type == "rng" && !given {
			if r == nil {
				r = map[string]any{}
			}
			r[a.Name] = runtime.Seed{}
		}
		for _, v := range o.Signature.Vars {
			if a.Type != "dtype" || a.Name != v.Name {
				continue
			}
			if r == nil {
				r = map[string]any{}
			}
			r[a.Name] = d.variable(v.DTypes)
		}
	}
	return r
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
	return runtime.FromFloats(dtype, v.Data, v.Shape...)
}
