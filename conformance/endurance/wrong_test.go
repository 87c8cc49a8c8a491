package endurance

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/gen/window"
	"github.com/opgen/opgen/runtime"
	"github.com/opgen/opgen/runtime/npy"
)

type tensors = *runtime.Tensor

// outs are the outputs of wrong calls: full of NaN, and to be so afterwards.
type outs struct {
	t    *testing.T
	list []tensors
}

// of is an output.
func (o *outs) of(d runtime.DType, shape ...int) tensors {
	t := runtime.Must(runtime.New(d, shape...))
	if err := t.Fill(math.NaN()); err != nil {
		o.t.Fatal(err)
	}
	o.list = append(o.list, t)
	return t
}

// f32 is an output of float32.
func (o *outs) f32(shape ...int) tensors { return o.of(runtime.F32, shape...) }

// parts are outputs of n elements over one piece of memory, that begin at some places.
func (o *outs) parts(n int, from ...int) []tensors {
	all := o.f32(100)
	var list []tensors
	for _, f := range from {
		list = append(list, runtime.Must(all.Slice(0, f, f+n, 1)))
	}
	return list
}

func (o *outs) check() {
	for _, t := range o.list {
		fresh := runtime.Must(runtime.New(t.DType(), t.Shape()...))
		if err := fresh.Fill(math.NaN()); err != nil {
			o.t.Fatal(err)
		}
		if !runtime.Equal(t, fresh) {
			o.t.Errorf("an output was changed: %v", t)
		}
	}
}

func only(_ any, err error) error    { return err }
func last(_, _ any, err error) error { return err }
func in(shape ...int) tensors        { return tensor(1, shape...) }
func ints(v ...int64) tensors        { return runtime.Must(runtime.FromSlice(v, len(v))) }

func leaf(shape ...int) tensors {
	t := in(shape...)
	if err := t.RequireGrad(); err != nil {
		panic(err)
	}
	return t
}

func gone(shape ...int) tensors {
	t := in(shape...)
	t.Release()
	return t
}

// wide is a tensor of equal elements, which share memory.
func wide(shape ...int) tensors { return runtime.Must(runtime.Scalar(float32(1)).Expand(shape...)) }

// saved is the state of an optimizer.
func saved(params ...tensors) *bytes.Buffer {
	var b bytes.Buffer
	if err := runtime.Must(optim.NewMomentumSGD(params, 1, nil)).Save(&b); err != nil {
		panic(err)
	}
	return &b
}

func sgd(params ...tensors) *optim.MomentumSGD {
	return runtime.Must(optim.NewMomentumSGD(params, 1, nil))
}

func byName(name string, inputs []tensors, attrs map[string]any) error {
	op, err := runtime.Lookup(name)
	if err != nil {
		return err
	}
	_, err = op.Call(inputs, attrs)
	return err
}

// wrongCall is a call that must fail: of a kind, and in an argument of an op.
type wrongCall struct {
	name    string
	kind    error
	op, arg string
	call    func(o *outs) error
}

// Each wrong call has its kind of error, names op and argument, panics never and changes no output.
func TestWrongCalls(t *testing.T) {
	for _, list := range [][]wrongCall{wrongTensors, wrongAttributes, wrongMemory, wrongGradients, wrongOptimizers, wrongFiles} {
		for _, c := range list {
			t.Run(c.name, func(t *testing.T) {
				o := &outs{t: t}
				err := c.call(o)
				var arg *runtime.ArgError
				if !errors.As(err, &arg) || !errors.Is(err, c.kind) || arg.Op != c.op || c.arg != "" && !strings.Contains(arg.Arg, c.arg) {
					t.Fatalf("got %v (%+v), want %v of %s in %s", err, arg, c.kind, c.op, c.arg)
				}
				if arg.Text == "" && arg.Want == "" || c.arg != "" && arg.Got == "" && c.kind != runtime.ErrName || !strings.HasPrefix(err.Error(), c.op+": ") {
					t.Errorf("%q says too little: want %q, got %q", err, arg.Want, arg.Got)
				}
				o.check()
			})
		}
	}
}

var none = &loss.SmoothL1Attrs{Reduction: loss.ReductionNone}

// wrongTensors: presence, dtypes, shapes, ranks, indices.
var wrongTensors = []wrongCall{
	{"no x", runtime.ErrNil, "activation.relu", "x", func(o *outs) error { return activation.ReluInto(o.f32(3), nil) }},
	{"no y", runtime.ErrNil, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(nil, in(3)) }},
	{"no t", runtime.ErrNil, "loss.smooth_l1", "t", func(o *outs) error { return only(loss.SmoothL1(in(3), nil, nil)) }},
	{"no cotangent", runtime.ErrNil, "loss.smooth_l1", "gradient of y", func(o *outs) error { return loss.SmoothL1BackwardInto(o.f32(3), nil, nil, in(3), in(3), none) }},
	{"a gradient of what is absent", runtime.ErrNil, "linalg.linear", "gradient of b", func(o *outs) error {
		return linalg.LinearBackwardInto(o.f32(2, 3), nil, o.f32(4), in(2, 4), in(2, 3), in(4, 3), nil)
	}},
	{"integers", runtime.ErrDType, "activation.relu", "x", func(o *outs) error { return only(activation.Relu(runtime.Must(runtime.New(runtime.Bool, 2)))) }},
	{"two dtypes", runtime.ErrDType, "loss.smooth_l1", "t", func(o *outs) error {
		return loss.SmoothL1Into(o.f32(3), in(3), runtime.Must(runtime.New(runtime.F64, 3)), none)
	}},
	{"y of another dtype", runtime.ErrDType, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(o.of(runtime.F64, 3), in(3)) }},
	{"half of another kind", runtime.ErrDType, "activation.relu", "y", func(o *outs) error {
		return activation.ReluInto(o.of(runtime.BF16, 3), runtime.Must(runtime.New(runtime.F16, 3)))
	}},
	{"indices that are floats", runtime.ErrDType, "index.gather", "idx", func(o *outs) error { return index.GatherInto(o.f32(3), in(3), in(3), 0) }},
	{"classes that are floats", runtime.ErrDType, "loss.cross_entropy", "t", func(o *outs) error { return only(loss.CrossEntropy(in(2, 3), in(2), nil, nil)) }},
	{"shapes that don't fit", runtime.ErrShape, "loss.smooth_l1", "t", func(o *outs) error { return loss.SmoothL1Into(o.f32(3), in(3), in(4), none) }},
	{"y too short", runtime.ErrShape, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(o.f32(2), in(3)) }},
	{"y with an axis more", runtime.ErrShape, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(o.f32(1, 3), in(3)) }},
	{"a vector for a number", runtime.ErrShape, "loss.smooth_l1", "y", func(o *outs) error { return loss.SmoothL1Into(o.f32(1), in(3), in(3), nil) }},
	{"features", runtime.ErrShape, "linalg.linear", "w", func(o *outs) error { return linalg.LinearInto(o.f32(2, 4), in(2, 3), in(4, 5), nil) }},
	{"rank of a weight", runtime.ErrShape, "linalg.linear", "w", func(o *outs) error { return linalg.LinearInto(o.f32(2, 4), in(2, 3), in(3), nil) }},
	{"rank of a matrix", runtime.ErrShape, "linalg.matmul", "", func(o *outs) error { return linalg.MatmulInto(o.f32(2, 2), in(2), in(2, 2)) }},
	{"inner extents", runtime.ErrShape, "linalg.matmul", "z", func(o *outs) error { return linalg.MatmulInto(o.f32(2, 2), in(2, 3), in(4, 2)) }},
	{"too many axes", runtime.ErrShape, "linalg.linear", "", func(o *outs) error {
		return only(linalg.Linear(runtime.Scalar(float32(1)), in(4, 3), nil))
	}},
	{"a weight of other classes", runtime.ErrShape, "loss.cross_entropy", "weight", func(o *outs) error { return only(loss.CrossEntropy(in(2, 3), ints(0, 1), in(4), nil)) }},
	{"slices", runtime.ErrShape, "loss.smooth_l1", "t", func(o *outs) error {
		return loss.SmoothL1Slice(make([]float32, 3), make([]float32, 3), make([]float32, 2), nil)
	}},
	{"a cotangent to expand", runtime.ErrShape, "activation.relu", "gradient of y", func(o *outs) error { return activation.ReluBackwardInto(o.f32(3), in(1), in(3)) }},
	{"a gradient at the joint shape", runtime.ErrShape, "loss.smooth_l1", "gradient of t", func(o *outs) error {
		return loss.SmoothL1BackwardInto(nil, o.f32(2, 3), in(2, 3), in(2, 3), in(3), none)
	}},
	{"a window larger than the image", runtime.ErrShape, "window.max_pool", "", func(o *outs) error {
		return last(window.MaxPool(in(1, 1, 2, 2), []int{5, 5}, &window.MaxPoolAttrs{Stride: []int{1}}))
	}},
	{"groups that don't divide", runtime.ErrShape, "norm.group_norm", "", func(o *outs) error { return norm.GroupNormInto(o.f32(2, 5, 3), in(2, 5, 3), nil, nil, 2, nil) }},
	{"an index too great", runtime.ErrIndex, "index.gather", "idx", func(o *outs) error { return index.GatherInto(o.f32(2), in(3), ints(0, 3), 0) }},
	{"a negative index", runtime.ErrIndex, "index.embedding", "idx", func(o *outs) error { return index.EmbeddingInto(o.f32(2, 4), in(3, 4), ints(0, -1), nil) }},
	{"a class too great", runtime.ErrIndex, "loss.cross_entropy", "t", func(o *outs) error { return loss.CrossEntropyInto(o.f32(), in(2, 3), ints(0, 3), nil, nil) }},
	{"more inputs than there are", runtime.ErrShape, "loss.mse", "", func(o *outs) error { return byName("loss.mse", []tensors{in(3), in(3), in(3)}, nil) }},
	{"fewer inputs", runtime.ErrNil, "loss.mse", "t", func(o *outs) error { return byName("loss.mse", []tensors{in(3)}, nil) }},
	{"no such op", runtime.ErrName, "Lookup", "loss.mes", func(o *outs) error { return byName("loss.mes", nil, nil) }},
}

// wrongAttributes: numbers, enums, axes, lists.
var wrongAttributes = []wrongCall{
	{"beta", runtime.ErrAttr, "loss.smooth_l1", "beta", func(o *outs) error {
		return loss.SmoothL1Into(o.f32(3), in(3), in(3), &loss.SmoothL1Attrs{Beta: new(-1.0), Reduction: loss.ReductionNone})
	}},
	{"NaN", runtime.ErrAttr, "loss.smooth_l1", "beta", func(o *outs) error {
		return loss.SmoothL1Into(o.f32(), in(3), in(3), &loss.SmoothL1Attrs{Beta: new(math.NaN())})
	}},
	{"enum", runtime.ErrAttr, "loss.mse", "reduction", func(o *outs) error { return loss.MSEInto(o.f32(), in(3), in(3), &loss.MSEAttrs{Reduction: 77}) }},
	{"enum by name", runtime.ErrAttr, "loss.mse", "reduction", func(o *outs) error {
		return byName("loss.mse", []tensors{in(3), in(3)}, map[string]any{"reduction": "max"})
	}},
	{"no such attribute", runtime.ErrAttr, "loss.mse", "", func(o *outs) error {
		return byName("loss.mse", []tensors{in(3), in(3)}, map[string]any{"reduce": "sum"})
	}},
	{"a text for a number", runtime.ErrAttr, "loss.smooth_l1", "beta", func(o *outs) error {
		return byName("loss.smooth_l1", []tensors{in(3), in(3)}, map[string]any{"beta": "1"})
	}},
	{"a fraction for an axis", runtime.ErrAttr, "reduce.softmax", "axis", func(o *outs) error {
		return byName("reduce.softmax", []tensors{in(3)}, map[string]any{"axis": 0.5})
	}},
	{"axis too great", runtime.ErrAttr, "reduce.softmax", "axis", func(o *outs) error {
		return reduce.SoftmaxInto(o.f32(2, 3), in(2, 3), &reduce.SoftmaxAttrs{Axis: new(2)})
	}},
	{"axis too small", runtime.ErrAttr, "reduce.softmax", "axis", func(o *outs) error {
		return reduce.SoftmaxInto(o.f32(2, 3), in(2, 3), &reduce.SoftmaxAttrs{Axis: new(-3)})
	}},
	{"axis of a number", runtime.ErrAttr, "reduce.softmax", "axis", func(o *outs) error {
		return reduce.SoftmaxInto(o.f32(), runtime.Scalar(float32(1)), &reduce.SoftmaxAttrs{Axis: new(1)})
	}},
	{"an axis twice", runtime.ErrAttr, "reduce.sum", "axes", func(o *outs) error { return reduce.SumInto(o.f32(), in(2, 3), &reduce.SumAttrs{Axes: []int{1, -1}}) }},
	{"an axis of many", runtime.ErrAttr, "reduce.sum", "axes", func(o *outs) error { return reduce.SumInto(o.f32(3), in(2, 3), &reduce.SumAttrs{Axes: []int{0, 2}}) }},
	{"more axes than there can be", runtime.ErrAttr, "reduce.sum", "axes", func(o *outs) error {
		return reduce.SumInto(o.f32(), in(2), &reduce.SumAttrs{Axes: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}})
	}},
	{"a list too long", runtime.ErrShape, "window.max_pool", "", func(o *outs) error {
		return window.MaxPoolInto(o.f32(1, 1, 2, 2), o.of(runtime.I64, 1, 1, 2, 2), in(1, 1, 4, 4), []int{2, 2, 2, 2, 2}, nil)
	}},
	{"an empty list", runtime.ErrAttr, "window.max_pool", "kernel", func(o *outs) error { return last(window.MaxPool(in(1, 1, 4, 4), nil, nil)) }},
	{"padding", runtime.ErrAttr, "window.max_pool", "pad", func(o *outs) error {
		return last(window.MaxPool(in(1, 1, 4, 4), []int{2, 2}, &window.MaxPoolAttrs{Pad: []int{2}}))
	}},
	{"nothing for a number that must be given", runtime.ErrAttr, "optim.clip_grad_norm", "max_norm", func(o *outs) error {
		return byName("optim.clip_grad_norm", []tensors{in(3)}, map[string]any{"max_norm": (*float64)(nil)})
	}},
	{"a learning rate", runtime.ErrAttr, "optim.momentum_sgd", "lr", func(o *outs) error { return optim.MomentumSGDInto(o.f32(3), in(3), o.f32(3), 1, -0.1, nil) }},
	{"step 0", runtime.ErrAttr, "optim.momentum_sgd", "step", func(o *outs) error { return optim.MomentumSGDInto(o.f32(3), in(3), o.f32(3), 0, 0.1, nil) }},
}

// wrongMemory: overlap, expanded outputs, released tensors, views.
var wrongMemory = []wrongCall{
	{"an expanded output", runtime.ErrAlias, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(wide(3), in(3)) }},
	{"an output with rows that are one", runtime.ErrAlias, "activation.relu", "y", func(o *outs) error {
		return activation.ReluInto(runtime.Must(o.f32(1, 3).Expand(2, 3)), in(2, 3))
	}},
	{"gradients that are one", runtime.ErrAlias, "loss.smooth_l1", "gradient of t", func(o *outs) error {
		p := o.parts(3, 0, 0)
		return loss.SmoothL1BackwardInto(p[0], p[1], in(3), in(3), in(3), none)
	}},
	{"gradients that overlap", runtime.ErrAlias, "loss.smooth_l1", "gradient of t", func(o *outs) error {
		p := o.parts(3, 0, 2)
		return loss.SmoothL1BackwardInto(p[0], p[1], in(3), in(3), in(3), none)
	}},
	{"gradients that overlap backwards", runtime.ErrAlias, "loss.smooth_l1", "gradient of t", func(o *outs) error {
		p := o.parts(3, 4, 2)
		return loss.SmoothL1BackwardInto(p[0], runtime.Must(p[1].Flip()), in(3), in(3), in(3), none)
	}},
	{"a buffer over its parameter", runtime.ErrAlias, "optim.momentum_sgd", "buf", func(o *outs) error {
		p := o.parts(5, 0, 4)
		return optim.MomentumSGDInto(p[0], in(5), p[1], 2, 0.1, nil)
	}},
	{"a parameter to be expanded", runtime.ErrAlias, "optim.momentum_sgd", "p", func(o *outs) error { return optim.MomentumSGDInto(wide(5), in(5), o.f32(5), 2, 0.1, nil) }},
	{"slices that overlap", runtime.ErrAlias, "optim.momentum_sgd", "buf", func(o *outs) error {
		s := make([]float32, 6)
		return optim.MomentumSGDSlice(s[:4], make([]float32, 4), s[2:], 2, 0.1, nil)
	}},
	{"expanded elements, filled", runtime.ErrAlias, "Fill", "t", func(o *outs) error { return wide(3).Fill(1) }},
	{"expanded elements, set", runtime.ErrAlias, "Set", "t", func(o *outs) error { return wide(3).Set(1, 0) }},
	{"an input that was released", runtime.ErrClosed, "activation.relu", "x", func(o *outs) error { return activation.ReluInto(o.f32(3), gone(3)) }},
	{"an output that was released", runtime.ErrClosed, "activation.relu", "y", func(o *outs) error { return activation.ReluInto(gone(3), in(3)) }},
	{"a gradient that was released", runtime.ErrClosed, "activation.relu", "gradient of x", func(o *outs) error { return activation.ReluBackwardInto(gone(3), in(3), in(3)) }},
	{"a view of what was released", runtime.ErrClosed, "Slice", "t", func(o *outs) error { return only(gone(3).Slice(0, 0, 1, 1)) }},
	{"elements of what was released", runtime.ErrClosed, "Data", "t", func(o *outs) error { return only(runtime.Data[float32](gone(3))) }},
	{"by name, released", runtime.ErrClosed, "loss.mse", "t", func(o *outs) error { return byName("loss.mse", []tensors{in(3), gone(3)}, nil) }},
	{"a state that was released, loaded", runtime.ErrClosed, "optim.adam", "0.m", func(o *outs) error {
		p := leaf(3)
		opt := runtime.Must(optim.NewAdam([]tensors{p}, nil))
		var file bytes.Buffer
		if err := opt.Save(&file); err != nil {
			return err
		}
		opt.State("m", p).Release()
		return opt.Load(&file)
	}},
	{"a missing tensor in a list of another dtype", runtime.ErrNil, "optim.clip_grad_norm", "g[0]", func(o *outs) error {
		return optim.ClipGradNormAll([]tensors{nil, o.of(runtime.F64, 3)}, 1)
	}},
	{"an index behind the end", runtime.ErrIndex, "At", "index", func(o *outs) error { return only(in(3).At(3)) }},
	{"indices for another rank", runtime.ErrIndex, "At", "index", func(o *outs) error { return only(in(3).At(0, 0)) }},
	{"a slice behind the end", runtime.ErrIndex, "Slice", "range", func(o *outs) error { return only(in(3).Slice(0, 0, 4, 1)) }},
	{"elements of another dtype", runtime.ErrDType, "Values", "t", func(o *outs) error { return only(runtime.Values[int8](in(3))) }},
	{"a reshape", runtime.ErrShape, "Reshape", "shape", func(o *outs) error { return only(in(3).Reshape(2)) }},
	{"more elements than memory has", runtime.ErrShape, "New", "shape", func(o *outs) error { return only(runtime.New(runtime.F32, 1<<20, 1<<20, 1<<20)) }},
	{"a product that overflows", runtime.ErrShape, "Expand", "shape", func(o *outs) error { return only(runtime.Scalar(1.0).Expand(math.MaxInt, math.MaxInt)) }},
	{"a result too large", runtime.ErrShape, "loss.mse", "", func(o *outs) error {
		return only(loss.MSE(wide(1<<15, 1, 1<<15), wide(1, 1<<15, 1), &loss.MSEAttrs{Reduction: loss.ReductionNone}))
	}},
}

// wrongGradients: leaves, graphs, versions.
var wrongGradients = []wrongCall{
	{"a leaf of integers", runtime.ErrDType, "RequireGrad", "t", func(o *outs) error { return ints(1).RequireGrad() }},
	{"backward of what isn't recorded", runtime.ErrGrad, "Backward", "t", func(o *outs) error { return runtime.Scalar(1.0).Backward() }},
	{"backward of a vector", runtime.ErrShape, "Backward", "t", func(o *outs) error { return runtime.Must(activation.Relu(leaf(3))).Backward() }},
	{"a cotangent of another shape", runtime.ErrShape, "BackwardWith", "cotangent", func(o *outs) error {
		return runtime.Must(activation.Relu(leaf(3))).BackwardWith(in(4))
	}},
	{"a cotangent of another dtype", runtime.ErrDType, "BackwardWith", "cotangent", func(o *outs) error {
		return runtime.Must(activation.Relu(leaf(3))).BackwardWith(runtime.Must(runtime.New(runtime.F64, 3)))
	}},
	{"no cotangent given", runtime.ErrNil, "BackwardWith", "cotangent", func(o *outs) error { return runtime.Must(activation.Relu(leaf(3))).BackwardWith(nil) }},
	{"a cotangent that was released", runtime.ErrClosed, "BackwardWith", "cotangent", func(o *outs) error {
		return runtime.Must(activation.Relu(leaf(3))).BackwardWith(gone(3))
	}},
	{"backward of what was released", runtime.ErrClosed, "Backward", "t", func(o *outs) error {
		l := runtime.Must(loss.MSE(leaf(3), in(3), nil))
		l.Release()
		return l.Backward()
	}},
	{"backward twice", runtime.ErrGrad, "loss.mse", "", func(o *outs) error {
		l := runtime.Must(loss.MSE(leaf(3), in(3), nil))
		if err := l.Backward(); err != nil {
			return err
		}
		return l.Backward()
	}},
	{"a graph that another backward freed", runtime.ErrGrad, "activation.relu", "", func(o *outs) error {
		h := runtime.Must(activation.Relu(leaf(3)))
		a, b := runtime.Must(loss.MSE(h, in(3), nil)), runtime.Must(loss.MSE(h, in(3), nil))
		if err := a.Backward(); err != nil {
			return err
		}
		return b.Backward()
	}},
	{"an input that was changed", runtime.ErrVersion, "loss.mse", "t", func(o *outs) error {
		t := in(3)
		l := runtime.Must(loss.MSE(leaf(3), t, nil))
		if err := t.Fill(3); err != nil {
			return err
		}
		return l.Backward()
	}},
	{"an input that was changed through a view", runtime.ErrVersion, "loss.mse", "x", func(o *outs) error {
		x := leaf(3)
		l := runtime.Must(loss.MSE(x, in(3), nil))
		if err := runtime.Must(x.Detach().Flip()).Set(0, 1); err != nil {
			return err
		}
		return l.Backward()
	}},
	{"an output that was changed", runtime.ErrVersion, "reduce.softmax", "y", func(o *outs) error {
		y := runtime.Must(reduce.Softmax(leaf(3), nil))
		l := runtime.Must(loss.MSE(y, in(3), nil))
		if err := runtime.Write(y.Detach(), make([]float32, 3)); err != nil {
			return err
		}
		if err := l.Backward(); !errors.Is(err, runtime.ErrVersion) {
			return err
		}
		return y.BackwardWith(in(3))
	}},
	{"a result of a recorded op as an output", runtime.ErrGrad, "activation.relu", "y", func(o *outs) error {
		return activation.ReluInto(runtime.Must(activation.Relu(leaf(3))), in(3))
	}},
}

// wrongOptimizers: parameters, groups, attributes, states.
var wrongOptimizers = []wrongCall{
	{"a parameter that isn't there", runtime.ErrNil, "optim.momentum_sgd", "params[1]", func(o *outs) error {
		return only(optim.NewMomentumSGD([]tensors{leaf(3), nil}, 1, nil))
	}},
	{"a parameter without a gradient", runtime.ErrGrad, "optim.momentum_sgd", "params[0]", func(o *outs) error { return only(optim.NewMomentumSGD([]tensors{in(3)}, 1, nil)) }},
	{"a parameter that is a result", runtime.ErrGrad, "optim.momentum_sgd", "params[0]", func(o *outs) error {
		return only(optim.NewMomentumSGD([]tensors{runtime.Must(activation.Relu(leaf(3)))}, 1, nil))
	}},
	{"a parameter of integers", runtime.ErrDType, "optim.momentum_sgd", "params[0]", func(o *outs) error { return only(optim.NewMomentumSGD([]tensors{ints(1)}, 1, nil)) }},
	{"a parameter twice", runtime.ErrAlias, "optim.momentum_sgd", "params[1]", func(o *outs) error {
		p := leaf(3)
		return only(optim.NewMomentumSGD([]tensors{p, p}, 1, nil))
	}},
	{"a parameter of another group", runtime.ErrAlias, "optim.momentum_sgd", "params[0]", func(o *outs) error {
		p := leaf(3)
		return sgd(p).AddGroup([]tensors{p}, 1, nil)
	}},
	{"parameters that overlap", runtime.ErrAlias, "optim.momentum_sgd", "params[1]", func(o *outs) error {
		p := o.parts(4, 0, 3)
		for i := range p {
			if err := p[i].RequireGrad(); err != nil {
				return err
			}
		}
		return only(optim.NewMomentumSGD(p, 1, nil))
	}},
	{"a parameter that was released", runtime.ErrClosed, "optim.momentum_sgd", "params[0]", func(o *outs) error {
		p := leaf(3)
		p.Release()
		return only(optim.NewMomentumSGD([]tensors{p}, 1, nil))
	}},
	{"a parameter released between steps", runtime.ErrClosed, "optim.momentum_sgd", "", func(o *outs) error {
		p := leaf(3)
		s := sgd(p)
		for range 2 {
			if err := runtime.Must(loss.MSE(p, in(3), nil)).Backward(); err != nil {
				return err
			}
			if err := s.Step(); err != nil {
				return err
			}
		}
		p.Release()
		return s.Step()
	}},
	{"a gradient released before a step", runtime.ErrClosed, "optim.momentum_sgd", "gradient", func(o *outs) error {
		p := leaf(3)
		if err := runtime.Must(loss.MSE(p, in(3), nil)).Backward(); err != nil {
			return err
		}
		p.Grad().Release()
		return sgd(p).Step()
	}},
	{"a rate of an optimizer", runtime.ErrAttr, "optim.momentum_sgd", "lr", func(o *outs) error { return only(optim.NewMomentumSGD([]tensors{leaf(3)}, -1, nil)) }},
	{"a group that isn't there", runtime.ErrAttr, "optim.momentum_sgd", "group", func(o *outs) error { return sgd(leaf(3)).Set(1, 1, nil) }},
	{"another rate of an optimizer", runtime.ErrAttr, "optim.momentum_sgd", "lr", func(o *outs) error { return sgd(leaf(3)).Set(0, -1, nil) }},
	{"names of parameters", runtime.ErrName, "optim.momentum_sgd", "names", func(o *outs) error { return sgd(leaf(3)).SetNames("a", "b") }},
	{"a state of other shapes", runtime.ErrShape, "optim.momentum_sgd", "", func(o *outs) error { return sgd(leaf(4)).Load(saved(leaf(3))) }},
	{"a state of more parameters", runtime.ErrFormat, "optim.momentum_sgd", "", func(o *outs) error { return sgd(leaf(3)).Load(saved(leaf(3), leaf(2))) }},
	{"a state of another optimizer", runtime.ErrFormat, "optim.momentum_sgd", "", func(o *outs) error {
		var b bytes.Buffer
		if err := runtime.Must(optim.NewAdam([]tensors{leaf(3)}, nil)).Save(&b); err != nil {
			return err
		}
		return sgd(leaf(3)).Load(&b)
	}},
}

// wrongFiles: what isn't what it should be.
var wrongFiles = []wrongCall{
	{"a state that is cut off", runtime.ErrFormat, "ReadTensors", "at byte", func(o *outs) error {
		b := saved(leaf(3))
		b.Truncate(b.Len() - 1)
		return sgd(leaf(3)).Load(b)
	}},
	{"tensors that are none", runtime.ErrFormat, "ReadTensors", "at byte 0", func(o *outs) error { return last(runtime.ReadTensors(strings.NewReader("tensors"))) }},
	{"an array that is none", runtime.ErrFormat, "npy.Read", "at byte 0", func(o *outs) error { return only(npy.Read(strings.NewReader("tensors"))) }},
	{"an archive that is none", runtime.ErrFormat, "npy.ReadZip", "", func(o *outs) error { return only(npy.ReadZip(strings.NewReader("tensors"), 7)) }},
	{"an array of bf16", runtime.ErrDType, "npy.Write", "t", func(o *outs) error { return npy.Write(&bytes.Buffer{}, runtime.Scalar(runtime.ToBFloat16(1))) }},
	{"an array of nothing", runtime.ErrNil, "npy.Write", "t", func(o *outs) error { return npy.Write(&bytes.Buffer{}, nil) }},
	{"two tensors of one name", runtime.ErrName, "WriteTensors", "name", func(o *outs) error {
		return runtime.WriteTensors(&bytes.Buffer{}, []runtime.NamedTensor{{Name: "x", Tensor: in(1)}, {Name: "x", Tensor: in(1)}}, nil)
	}},
}
