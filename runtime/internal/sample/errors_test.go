package sample

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// Wrong calls: each has its kind, op and argument, and leaves the outputs as they were.
func TestWrongCalls(t *testing.T) {
	f32 := func(shape ...int) *runtime.Tensor { return runtime.Must(runtime.New(runtime.F32, shape...)) }
	f64 := func(shape ...int) *runtime.Tensor { return runtime.Must(runtime.New(runtime.F64, shape...)) }
	i64 := func(shape ...int) *runtime.Tensor { return runtime.Must(runtime.New(runtime.I64, shape...)) }
	none := &SmoothL1Attrs{Reduction: ReductionNone}
	negative, nan := -1.0, math.NaN()
	memory := make([]float32, 12)
	for i := range memory {
		memory[i] = float32(math.NaN())
	}
	part := func(from, n int) *runtime.Tensor { return tensor(memory[from:from+n], n) }
	y := func(shape ...int) *runtime.Tensor { return f32(shape...) }
	axis := func(a int) *SoftmaxAttrs { return &SoftmaxAttrs{Axis: &a} }
	var out *runtime.Tensor // what must stay unchanged
	into := func(o *runtime.Tensor) *runtime.Tensor {
		out = o
		if err := o.Fill(math.NaN()); err != nil {
			t.Fatal(err)
		}
		return o
	}
	second := func(_ any, err error) error { return err }

	for _, c := range []struct {
		name    string
		call    func() error
		kind    error
		op, arg string
		message string
	}{
		// Presence.
		{"x nil", func() error { return SmoothL1Into(into(y(3)), nil, f32(3), none) }, runtime.ErrNil, "sample.smooth_l1", "x", "missing"},
		{"t nil", func() error { return SmoothL1Into(into(y(3)), f32(3), nil, none) }, runtime.ErrNil, "sample.smooth_l1", "t", "missing"},
		{"y nil", func() error { return SmoothL1Into(nil, f32(3), f32(3), none) }, runtime.ErrNil, "sample.smooth_l1", "y", "missing"},
		{"x nil, allocating", func() error { return second(SmoothL1(nil, f32(3), none)) }, runtime.ErrNil, "sample.smooth_l1", "x", "missing"},
		{"softmax nil", func() error { return second(Softmax(nil, nil)) }, runtime.ErrNil, "sample.softmax", "x", "missing"},
		{"gy nil", func() error { return SmoothL1BackwardInto(into(y(3)), nil, nil, f32(3), f32(3), none) }, runtime.ErrNil, "sample.smooth_l1", "gradient of y", "missing"},
		{"buf nil", func() error { return MomentumSGDInto(into(y(3)), f32(3), nil, 1, 1, nil) }, runtime.ErrNil, "sample.momentum_sgd", "buf", "missing"},

		// Dtypes.
		{"x integers", func() error { return SmoothL1Into(into(y(3)), i64(3), f32(3), none) }, runtime.ErrDType, "sample.smooth_l1", "x", "want f16, bf16, f32 or f64, got i64"},
		{"t of another dtype", func() error { return SmoothL1Into(into(y(3)), f32(3), f64(3), none) }, runtime.ErrDType, "sample.smooth_l1", "t", "want f32, as x, got f64"},
		{"y of another dtype", func() error { return SmoothL1Into(into(f64(3)), f32(3), f32(3), none) }, runtime.ErrDType, "sample.smooth_l1", "y", "want f32, as x, got f64"},
		{"softmax of integers", func() error { return second(Softmax(i64(3), nil)) }, runtime.ErrDType, "sample.softmax", "x", "bf16, f32 or f64"},
		{"gx of another dtype", func() error { return SmoothL1BackwardInto(into(f64(3)), nil, f32(3), f32(3), f32(3), none) }, runtime.ErrDType, "sample.smooth_l1", "gradient of x", "f32"},
		{"g of another dtype", func() error { return MomentumSGDInto(into(y(3)), f64(3), f32(3), 1, 1, nil) }, runtime.ErrDType, "sample.momentum_sgd", "g", "f32"},

		// Shapes.
		{"shapes don't go together", func() error { return SmoothL1Into(into(y(3)), f32(3), f32(4), none) }, runtime.ErrShape, "sample.smooth_l1", "t", "x f32[3] in ...B (3 against 4)"},
		{"inner axis differs", func() error { return SmoothL1Into(into(y(2, 3)), f32(2, 3), f32(2, 1, 2), none) }, runtime.ErrShape, "sample.smooth_l1", "t", "(3 against 2)"},
		{"0 against 3", func() error { return second(SmoothL1(f32(0), f32(3), none)) }, runtime.ErrShape, "sample.smooth_l1", "t", "(0 against 3)"},
		{"y too short", func() error { return SmoothL1Into(into(y(2)), f32(3), f32(3), none) }, runtime.ErrShape, "sample.smooth_l1", "y", "want shape [3], got f32[2]"},
		{"y would be expanded", func() error { return SmoothL1Into(into(y(3)), f32(2, 3), f32(3), none) }, runtime.ErrShape, "sample.smooth_l1", "y", "want shape [2 3], got f32[3]"},
		{"y has an axis too many", func() error { return SmoothL1Into(into(y(1, 3)), f32(3), f32(3), none) }, runtime.ErrShape, "sample.smooth_l1", "y", "want shape [3]"},
		{"reduced y has an axis", func() error { return SmoothL1Into(into(y(1)), f32(3), f32(3), nil) }, runtime.ErrShape, "sample.smooth_l1", "y", "want shape []"},
		{"gx in the joint shape", func() error { return SmoothL1BackwardInto(into(y(4, 3)), nil, f32(4, 3), f32(3), f32(4, 3), none) }, runtime.ErrShape, "sample.smooth_l1", "gradient of x", "want shape [3], as x, got f32[4 3]"},
		{"gy to be expanded", func() error { return SmoothL1BackwardInto(into(y(3)), nil, f32(1), f32(3), f32(3), none) }, runtime.ErrShape, "sample.smooth_l1", "gradient of y", "want shape [3]"},
		{"softmax y transposed", func() error { return SoftmaxInto(into(y(3, 2)), f32(2, 3), nil) }, runtime.ErrShape, "sample.softmax", "y", "want shape [2 3]"},
		{"p expanded by g", func() error { return MomentumSGDInto(into(y(3)), f32(2, 3), f32(3), 1, 1, nil) }, runtime.ErrShape, "sample.momentum_sgd", "p", "since it is written"},
		{"p with fewer axes than g", func() error { return MomentumSGDInto(into(y(3)), f32(1, 3), f32(3), 1, 1, nil) }, runtime.ErrShape, "sample.momentum_sgd", "p", "since it is written"},
		{"buf of another shape", func() error { return MomentumSGDInto(into(y(3)), f32(3), f32(1), 1, 1, nil) }, runtime.ErrShape, "sample.momentum_sgd", "buf", "since it is written"},
		{"slices", func() error { return SmoothL1Slice(make([]float32, 2), memory[:3], memory[3:6], nil) }, runtime.ErrShape, "sample.smooth_l1", "y", "want 3 elements, as x, got 2"},

		// Attributes.
		{"negative beta", func() error { return SmoothL1Into(into(y(3)), f32(3), f32(3), &SmoothL1Attrs{Beta: &negative}) }, runtime.ErrAttr, "sample.smooth_l1", "beta", "sample.smooth_l1: beta must not be negative (got -1)"},
		{"NaN beta", func() error { return second(SmoothL1(f32(3), f32(3), &SmoothL1Attrs{Beta: &nan})) }, runtime.ErrAttr, "sample.smooth_l1", "beta", "NaN"},
		{"no such reduction", func() error { return second(SmoothL1(f32(3), f32(3), &SmoothL1Attrs{Reduction: 9})) }, runtime.ErrAttr, "sample.smooth_l1", "reduction", "none, mean or sum"},
		{"axis too great", func() error { return SoftmaxInto(into(y(2, 3)), f32(2, 3), axis(2)) }, runtime.ErrAttr, "sample.softmax", "axis", "want -2 to 1, got 2"},
		{"axis too small", func() error { return second(Softmax(f32(2, 3), axis(-3))) }, runtime.ErrAttr, "sample.softmax", "axis", "got -3"},
		{"axis of a scalar", func() error { return second(Softmax(runtime.Scalar[float32](1), axis(1))) }, runtime.ErrAttr, "sample.softmax", "axis", "want -1 to 0"},
		{"negative rate", func() error { return MomentumSGDInto(into(y(3)), f32(3), f32(3), 1, -1, nil) }, runtime.ErrAttr, "sample.momentum_sgd", "lr", "must not be negative"},
		{"step 0", func() error { return MomentumSGDInto(into(y(3)), f32(3), f32(3), 0, 1, nil) }, runtime.ErrAttr, "sample.momentum_sgd", "step", "1 or more"},

		// Memory.
		{"y expanded", func() error { return SmoothL1Into(runtime.Must(into(y(1)).Expand(3)), f32(3), f32(3), none) }, runtime.ErrAlias, "sample.smooth_l1", "y", "don't share memory"},
		{"p expanded", func() error { return MomentumSGDInto(runtime.Must(into(y(1)).Expand(3)), f32(3), f32(3), 1, 1, nil) }, runtime.ErrAlias, "sample.momentum_sgd", "p", "don't share memory"},
		{"gx is gt", func() error { return SmoothL1BackwardInto(into(part(0, 3)), out, f32(3), f32(3), f32(3), none) }, runtime.ErrAlias, "sample.smooth_l1", "gradient of t", "apart from gradient of x"},
		{"gx overlaps gt", func() error { return SmoothL1BackwardInto(into(part(0, 3)), part(2, 3), f32(3), f32(3), f32(3), none) }, runtime.ErrAlias, "sample.smooth_l1", "gradient of t", "apart from gradient of x"},
		{"buf overlaps p", func() error { return MomentumSGDInto(into(part(0, 3)), f32(3), part(1, 3), 1, 1, nil) }, runtime.ErrAlias, "sample.momentum_sgd", "buf", "apart from p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out = nil
			before := slices.Clone(memory)
			err := c.call()
			var arg *runtime.ArgError
			if !errors.As(err, &arg) {
				t.Fatalf("got %v, want an *ArgError", err)
			}
			if !errors.Is(err, c.kind) || arg.Op != c.op || arg.Arg != c.arg || !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %q (kind %v, op %s, argument %s), want kind %v, op %s, argument %s, %q",
					err, arg.Err, arg.Op, arg.Arg, c.kind, c.op, c.arg, c.message)
			}
			if !slices.EqualFunc(before, memory, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Error("memory was changed")
			}
			if out != nil {
				for _, v := range values(out) {
					if v == v {
						t.Errorf("the output was changed: %v", out)
					}
				}
			}
		})
	}
}

func TestRegistry(t *testing.T) {
	op, err := runtime.Lookup("sample.smooth_l1")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(op.Inputs(), []string{"x", "t"}) {
		t.Errorf("inputs %v", op.Inputs())
	}
	if full, err := runtime.Lookup(importPath + ".smooth_l1"); err != nil || full != op {
		t.Errorf("by import path: %v", err)
	}
	x, u := tensor([]float64{0, 2}, 2), tensor([]float64{0, 0}, 2)
	for _, c := range []struct {
		attrs map[string]any
		want  []float64
	}{
		{nil, []float64{0.75}},
		{map[string]any{"reduction": "sum"}, []float64{1.5}},
		{map[string]any{"reduction": ReductionNone, "beta": 4}, []float64{0, 0.5}},
		{map[string]any{"reduction": "none", "beta": 4.0}, []float64{0, 0.5}},
	} {
		y, err := op.Call([]*runtime.Tensor{x, u}, c.attrs)
		if err != nil || !nearAll(values(y[0]), c.want, 1e-15) {
			t.Errorf("%v: %v, %v", c.attrs, y, err)
		}
	}
	for _, in := range [][]*runtime.Tensor{nil, make([]*runtime.Tensor, 7)} {
		if _, err := op.Invoke(in, nil); !errors.Is(err, runtime.ErrShape) {
			t.Errorf("Invoke with %d inputs: %v", len(in), err)
		}
	}
	soft := runtime.Must(runtime.Lookup("sample.softmax"))
	if y, err := soft.Call([]*runtime.Tensor{x}, map[string]any{"axis": 0.0}); err != nil || len(y) != 1 {
		t.Errorf("softmax: %v", err)
	}
	for _, c := range []struct {
		inputs  []*runtime.Tensor
		attrs   map[string]any
		kind    error
		message string
	}{
		{[]*runtime.Tensor{x}, nil, runtime.ErrNil, "t"},
		{[]*runtime.Tensor{x, u, u}, nil, runtime.ErrShape, "2 inputs: x, t"},
		{[]*runtime.Tensor{x, u}, map[string]any{"bta": 1}, runtime.ErrAttr, "attributes beta, reduction"},
		{[]*runtime.Tensor{x, u}, map[string]any{"beta": "1"}, runtime.ErrAttr, "a number"},
		{[]*runtime.Tensor{x, u}, map[string]any{"reduction": "max"}, runtime.ErrAttr, "none or mean or sum"},
		{[]*runtime.Tensor{x, u}, map[string]any{"beta": -1}, runtime.ErrAttr, "negative"},
	} {
		_, err := op.Call(c.inputs, c.attrs)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v: %v", c.attrs, err)
		}
	}
	if _, err := runtime.Lookup("sample.smoth_l1"); !errors.Is(err, runtime.ErrName) || !strings.Contains(err.Error(), "sample.smooth_l1") {
		t.Errorf("a misspelt name: %v", err)
	}
}
