package codegen

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// ExampleResult is an example of a spec on one backend.
type ExampleResult struct {
	Op      string
	Span    diag.Span // of the example
	Backend string
	Err     error // nil: it holds
}

// Examples runs the examples of all ops on the evaluator and on the interpreter of nests, in float64. The pipeline must have run up
// to lower.
func (b *Build) Examples() []ExampleResult {
	var r []ExampleResult
	for _, op := range b.Package.Ops {
		for _, e := range op.Examples {
			name := b.Package.Name + "." + op.Name
			r = append(r, ExampleResult{name, e.Span, "evaluator", b.example(op, e, false)})
			if err := b.example(op, e, true); err != errPortable {
				r = append(r, ExampleResult{name, e.Span, "nests", err})
			}
		}
	}
	return r
}

// errPortable is for functions that are no nests.
var errPortable = errors.New("written from its definitions")

// example runs one example: evaluated, or through the nests of its variant.
func (b *Build) example(op *ir.OpDecl, e *ir.Example, nests bool) error {
	inputs := map[string]*ir.Array{}
	for _, v := range e.Inputs {
		inputs[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
	}
	bound, err := ir.Bind(op, ir.ShapesOf(inputs), e.Attrs)
	if err != nil {
		return err
	}
	dtypes := map[string]string{}
	for _, v := range op.ElemVars {
		dtypes[v.Name] = exampleDType(v)
	}
	in, err := bound.Binding(inputs, dtypes)
	if err != nil {
		return err
	}
	var out map[*ir.Tensor]*ir.Array
	if nests {
		out, err = b.runNests(bound.Func, in, dtypes)
	} else {
		out, err = ir.Eval(bound.Func, in)
	}
	if err != nil {
		return err
	}
	for _, want := range e.Outputs {
		got := result(bound, in, out, want.Name)
		if got == nil {
			return fmt.Errorf("there is no output %s", want.Name)
		}
		if err := near(got, want); err != nil {
			return err
		}
	}
	return nil
}

// result is an output of a call, or what a tensor that an update renews is then: in a branch that doesn't renew it, what it was.
func result(b *ir.Bound, in ir.Binding, out map[*ir.Tensor]*ir.Array, name string) *ir.Array {
	for _, t := range b.Func.Outputs {
		if t.Name == name {
			return b.Views[t].Out(out[t])
		}
	}
	for _, t := range b.Func.Inputs {
		if a := in.Arrays[t]; a != nil && t.Role != ir.Input && t.Name+"'" == name {
			return b.Views[t].Out(a)
		}
	}
	return nil
}

// runNests runs the program of a variant. The function may have been simplified since the variant was made; its tensors
// are the same.
func (b *Build) runNests(f *ir.Func, in ir.Binding, dtypes map[string]string) (map[*ir.Tensor]*ir.Array, error) {
	for _, fn := range b.Functions {
		if fn.Variant.Forward != f {
			continue
		}
		for _, p := range fn.Pairs {
			same := p.Takes(dtypes)
			if same && p.Forward == nil {
				return nil, errPortable
			}
			if same {
				return p.Forward.Run(in)
			}
		}
	}
	return nil, fmt.Errorf("no nests were made for this variant")
}

// near compares with what an example says: decimals, so to nine digits.
func near(got *ir.Array, want ir.ExampleValue) error {
	if !slices.Equal(got.Shape, want.Shape) && len(got.Shape)+len(want.Shape) > 0 {
		return fmt.Errorf("%s has shape %v, not %v", want.Name, got.Shape, want.Shape)
	}
	for i, w := range want.Data {
		g := got.Data[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= 1e-9*(1+math.Abs(w)) {
			continue
		}
		return fmt.Errorf("element %d of %s is %.12g, the example says %.12g", i, want.Name, g, w)
	}
	return nil
}
