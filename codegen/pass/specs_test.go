package pass

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"github.com/opgen/opgen/internal/specs"
)

// variants gives every variant of every op of the specs.
func variants(t *testing.T, each func(name string, f *ir.Func)) {
	for _, op := range specs.Ops(t) {
		for _, v := range op.Variants {
			if v.Forward != nil && (specs.Heavy() || !large(v)) {
				each(op.Package+"."+op.Name, v.Forward)
			}
		}
	}
}

// large tells whether a variant computes with packs of several axes: these take long, and are as those of one axis.
func large(v *ir.Variant) bool {
	for _, c := range v.Choices {
		if c.Rank != "" && c.N > 1 {
			return true
		}
	}
	return false
}

// sample makes inputs of a function up: positive numbers of order one, indices 0 and 1, defaults for attributes.
func sample(f *ir.Func, seed uint64) ir.Binding {
	rng := rand.New(rand.NewPCG(seed, 9))
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{"step": 2}}
	for i, a := range f.Axes {
		in.Extents[a] = 2 + i%3
	}
	for _, s := range f.Scalars {
		in.Scalars[s.Name] = 1
		if s.Type.Kind != ir.Exact {
			in.Scalars[s.Name] = 0.45
		}
	}
	for _, s := range f.Scalars {
		if s.Default != nil {
			if x, err := ir.EvalScalar(f, s.Default, in); err == nil {
				in.Scalars[s.Name] = x
			}
		}
	}
	for _, d := range f.Dims {
		if x, err := ir.EvalScalar(f, d.Value, in); err == nil {
			in.Extents[d.Axis] = int(x)
		}
	}
	for _, t := range f.Inputs {
		shape := make([]int, len(t.Axes))
		for i, a := range t.Axes {
			shape[i] = in.Extents[a]
		}
		a := ir.NewArray(shape...)
		for i := range a.Data {
			a.Data[i] = 0.15 + 1.6*rng.Float64()
			if !f.IsFloat(t) {
				a.Data[i] = float64(rng.IntN(2))
			}
		}
		in.Arrays[t] = a
	}
	return in
}

// Gradients of all ops of the specs, after all passes, against differences.
func TestSpecsAgainstDifferences(t *testing.T) {
	tried, skipped := 0, 0
	variants(t, func(name string, f *ir.Func) {
		if err := ir.Verify(f); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		simple, err := Run(f, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		back, err := grad.Reverse(f)
		if err != nil {
			t.Logf("%s: %v", name, err)
			return
		}
		if back, err = Run(back, ""); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if name == "quant.fake_quantize" {
			return // passes gradients straight through its rounding
		}
		in := sample(f, 1)
		out, err := ir.Eval(f, in)
		if err != nil {
			t.Logf("%s: %v", name, err)
			skipped++
			return
		}
		for o, a := range out {
			for _, x := range a.Data {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Logf("%s: %s is %v", name, o.Name, x)
					skipped++
					return
				}
			}
		}
		irtest.CheckSame(t, f, simple, in, 0)
		in = irtest.WithOutputs(t, f, in)
		irtest.Cotangents(back, in, 3)
		tried++
		t.Run(name, func(t *testing.T) { irtest.CheckGrad(t, f, back, in, 1e-6) })
	})
	t.Logf("%d variants compared, %d could not be evaluated at the sample", tried, skipped)
	if tried < 100 {
		t.Errorf("only %d variants were compared", tried)
	}
}
