package endurance

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/pointwise"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// viewOf draws a view with some shape of a buffer of 12 × 12 elements: cut, stepped, transposed, flipped.
func viewOf(r *rapid.T, buffer *runtime.Tensor, shape ...int) *runtime.Tensor {
	v := buffer
	if rapid.Bool().Draw(r, "transposed") {
		v = runtime.Must(v.Transpose(0, 1))
	}
	for axis, e := range shape {
		step := rapid.SampledFrom([]int{1, 1, 2}).Draw(r, "step")
		lo := rapid.IntRange(0, v.Shape()[axis]-e*step).Draw(r, "from")
		v = runtime.Must(v.Slice(axis, lo, lo+e*step, step))
		if rapid.IntRange(0, 3).Draw(r, "flipped") == 0 {
			v = runtime.Must(v.Flip(axis))
		}
	}
	return v
}

// Outputs may lie over inputs, whichever way both lie in memory: the result is that of inputs elsewhere, and nothing
// else is written.
func TestOverlap(t *testing.T) {
	none := &loss.SmoothL1Attrs{Reduction: loss.ReductionNone}
	ops := map[string]struct {
		dtypes runtime.DTypes
		square bool
		call   func(y, a, b *runtime.Tensor) error
	}{
		"relu":      {runtime.Nums, false, func(y, a, _ *runtime.Tensor) error { return activation.ReluInto(y, a) }},
		"add":       {runtime.Nums, false, func(y, a, b *runtime.Tensor) error { return pointwise.AddInto(y, a, b, nil) }},
		"smooth_l1": {runtime.Floats, false, func(y, a, b *runtime.Tensor) error { return loss.SmoothL1Into(y, a, b, none) }},
		"softmax":   {runtime.Floats, false, func(y, a, _ *runtime.Tensor) error { return reduce.SoftmaxInto(y, a, nil) }},
		"columns": {runtime.Floats, false, func(y, a, _ *runtime.Tensor) error {
			return reduce.SoftmaxInto(y, a, &reduce.SoftmaxAttrs{Axis: new(0)})
		}},
		"matmul":  {runtime.Floats, true, func(y, a, b *runtime.Tensor) error { return linalg.MatmulInto(y, a, b) }},
		"permute": {runtime.Any, true, func(y, a, _ *runtime.Tensor) error { return index.PermuteInto(y, a, runtime.PlaceAxes([]int{1, 0})) }},
		"gradient": {runtime.Floats, false, func(y, a, b *runtime.Tensor) error {
			return activation.ReluBackwardInto(y, a, b)
		}},
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom([]string{"relu", "add", "smooth_l1", "softmax", "columns", "matmul", "permute", "gradient"}).Draw(r, "op")
		op := ops[name]
		var dtypes []runtime.DType
		for d := runtime.F16; d <= runtime.Bool; d++ {
			if op.dtypes.Has(d) {
				dtypes = append(dtypes, d)
			}
		}
		dtype := rapid.SampledFrom(dtypes).Draw(r, "dtype")
		rows, columns := rapid.IntRange(0, 4).Draw(r, "rows"), rapid.IntRange(0, 4).Draw(r, "columns")
		if op.square {
			columns = rows
		}
		buffer := runtime.Must(runtime.New(dtype, 12, 12))
		for i := range 12 {
			for k := range 12 {
				if err := buffer.Set(float64((i*12+k)%7), i, k); err != nil {
					r.Fatal(err)
				}
			}
		}
		y, a, b := viewOf(r, buffer, rows, columns), viewOf(r, buffer, rows, columns), viewOf(r, buffer, rows, columns)
		if rapid.IntRange(0, 3).Draw(r, "in place") == 0 {
			a = y
		}
		want := runtime.Must(runtime.New(dtype, rows, columns))
		err := op.call(want, a.Clone(), b.Clone())
		if errors.Is(err, runtime.ErrDType) {
			return // an op of fewer dtypes
		}
		if err != nil {
			r.Fatal(err)
		}
		before, old := buffer.Clone(), y.Clone()
		if err := op.call(y, a, b); err != nil {
			r.Fatal(err)
		}
		if !runtime.Equal(y, want) {
			r.Fatalf("%s of %v: got %v, want %v", name, dtype, y, want)
		}
		if err := y.CopyFrom(old); err != nil {
			r.Fatal(err)
		}
		if !runtime.Equal(buffer, before) {
			r.Fatalf("%s of %v wrote beside its output: %v, was %v", name, dtype, buffer, before)
		}
	})
}
