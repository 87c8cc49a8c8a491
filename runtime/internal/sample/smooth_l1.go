package sample

import (
	"unsafe"

	"github.com/opgen/opgen/runtime"
)

// SmoothL1Attrs are the attributes of SmoothL1. Nil and zero values mean the defaults.
type SmoothL1Attrs struct {
	Beta      *float64  // default 1
	Reduction Reduction // default mean
}

// smoothL1Values are attributes with their defaults filled in.
type smoothL1Values struct {
	beta      float64
	reduction Reduction
}

func (a *SmoothL1Attrs) values() (smoothL1Values, error) {
	v := smoothL1Values{beta: 1, reduction: ReductionMean}
	if a != nil {
		if a.Beta != nil {
			v.beta = *a.Beta
		}
		if a.Reduction != 0 {
			v.reduction = a.Reduction
		}
	}
	if !(v.beta >= 0) {
		return v, runtime.RequireError("sample.smooth_l1", "beta", "beta must not be negative", runtime.ErrAttr, v.beta)
	}
	if v.reduction > ReductionSum {
		return v, runtime.AttrError("sample.smooth_l1", "reduction", "none, mean or sum", uint8(v.reduction))
	}
	return v, nil
}

var (
	smoothL1Vars = []runtime.Var{{Name: "T", DTypes: runtime.Floats}}
	smoothL1Axes = []runtime.Axis{{Name: "B", Pack: true}}
	smoothL1DimB = []runtime.Dim{{Axis: 0}}
)

var smoothL1None = runtime.Signature{
	Op: "sample.smooth_l1", Vars: smoothL1Vars, Axes: smoothL1Axes, Outer: true,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		1: {Name: "t", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		2: {Name: "y", Mode: runtime.Out, Dims: smoothL1DimB, InPlace: 1<<0 | 1<<1},
	},
}

var smoothL1Reduced = runtime.Signature{
	Op: "sample.smooth_l1", Vars: smoothL1Vars, Axes: smoothL1Axes, Outer: true,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		1: {Name: "t", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		2: {Name: "y", Mode: runtime.Out},
	},
}

var smoothL1NoneBackward = runtime.Signature{
	Op: "sample.smooth_l1", Vars: smoothL1Vars, Axes: smoothL1Axes, Outer: true,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		1: {Name: "t", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		2: {Name: "gradient of y", Mode: runtime.Back, Dims: smoothL1DimB},
		3: {Name: "gradient of x", Mode: runtime.Gradient, Of: 0, Dims: smoothL1DimB, InPlace: 1<<0 | 1<<1 | 1<<2},
		4: {Name: "gradient of t", Mode: runtime.Gradient, Of: 1, Dims: smoothL1DimB, InPlace: 1<<0 | 1<<1 | 1<<2},
	},
}

var smoothL1ReducedBackward = runtime.Signature{
	Op: "sample.smooth_l1", Vars: smoothL1Vars, Axes: smoothL1Axes, Outer: true,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		1: {Name: "t", Mode: runtime.In, Dims: smoothL1DimB, Splat: true},
		2: {Name: "gradient of y", Mode: runtime.Back},
		3: {Name: "gradient of x", Mode: runtime.Gradient, Of: 0, Dims: smoothL1DimB, InPlace: 1<<0 | 1<<1},
		4: {Name: "gradient of t", Mode: runtime.Gradient, Of: 1, Dims: smoothL1DimB, InPlace: 1<<0 | 1<<1},
	},
}

func (v *smoothL1Values) signature() *runtime.Signature {
	if v.reduction == ReductionNone {
		return &smoothL1None
	}
	return &smoothL1Reduced
}

func (v *smoothL1Values) backward() *runtime.Signature {
	if v.reduction == ReductionNone {
		return &smoothL1NoneBackward
	}
	return &smoothL1ReducedBackward
}

// SmoothL1 is quadratic near zero and linear beyond beta.
//
//	e = |x - t|;  y = reduction of  e²/2/beta where e < beta, else e - beta/2
//
// x, t: T[...B], expanded to their joint shape; y: T[...B] for reduction none, else T[]. T: f16, bf16, f32 or f64.
func SmoothL1(x, t *runtime.Tensor, attrs *SmoothL1Attrs) (*runtime.Tensor, error) {
	v, err := attrs.values()
	if err != nil {
		return nil, err
	}
	var b runtime.Bound
	if err := v.signature().BindNew(&b, nil, x, t); err != nil {
		return nil, err
	}
	y := b.Tensor(2)
	smoothL1Run(&b, &v)
	b.Finish()
	if runtime.NeedsGrad(x, t) {
		runtime.Record("sample.smooth_l1", []*runtime.Tensor{y}, []*runtime.Tensor{x, t},
			[]runtime.Saved{{Name: "x", Tensor: x}, {Name: "t", Tensor: t}},
			func(p *runtime.Backprop) error {
				return smoothL1BackwardInto(p.Grad(0), p.Grad(1), p.Cotangent(0), p.Saved(0), p.Saved(1), &v)
			})
	}
	return y, nil
}

// SmoothL1Into is [SmoothL1] with the result in y. It allocates nothing and records nothing.
func SmoothL1Into(y, x, t *runtime.Tensor, attrs *SmoothL1Attrs) error {
	v, err := attrs.values()
	if err != nil {
		return err
	}
	var b runtime.Bound
	if err := v.signature().Bind(&b, nil, x, t, y); err != nil {
		return err
	}
	smoothL1Run(&b, &v)
	b.Finish()
	return nil
}

// SmoothL1Slice is [SmoothL1] without a reduction on plain slices of equal length.
func SmoothL1Slice[T runtime.Float16 | runtime.BFloat16 | float32 | float64](dst, x, t []T, attrs *SmoothL1Attrs) error {
	v, err := attrs.values()
	if err != nil {
		return err
	}
	v.reduction = ReductionNone
	var b runtime.Bound
	if err := runtime.BindSlices(&smoothL1None, &b, x, t, dst); err != nil {
		return err
	}
	smoothL1Run(&b, &v)
	b.Finish()
	return nil
}

// SmoothL1BackwardInto sets gx and gt, where they are not nil, to the gradients of x and t for the cotangent gy of y.
func SmoothL1BackwardInto(gx, gt, gy, x, t *runtime.Tensor, attrs *SmoothL1Attrs) error {
	v, err := attrs.values()
	if err != nil {
		return err
	}
	return smoothL1BackwardInto(gx, gt, gy, x, t, &v)
}

func smoothL1BackwardInto(gx, gt, gy, x, t *runtime.Tensor, v *smoothL1Values) error {
	var b runtime.Bound
	if err := v.backward().Bind(&b, nil, x, t, gy, gx, gt); err != nil {
		return err
	}
	smoothL1RunBackward(&b, v)
	b.Finish()
	return nil
}

// smoothL1Run runs the launches of the forward function.
func smoothL1Run(b *runtime.Bound, v *smoothL1Values) {
	switch v.reduction {
	case ReductionNone:
		smoothL1Run1(b, v)
	case ReductionMean, ReductionSum:
		sum := b.Scratch(b.DType[0], 1)
		smoothL1Run2(b, v, sum)
		smoothL1Run3(b, v, sum)
	}
}

func smoothL1Run1(b *runtime.Bound, v *smoothL1Values) {
	var a runtime.Args
	a.Rows, a.N, a.K = 1, b.Ext[0], 1
	a.Ptr[0], a.Step[0] = b.Ptr[0], b.Move(0)
	a.Ptr[1], a.Step[1] = b.Ptr[1], b.Move(1)
	a.Ptr[2], a.Step[2] = b.Ptr[2], 1
	a.F[0], a.F[1], a.F[2] = v.beta, 0.5/v.beta, v.beta/2
	switch b.DType[0] {
	case runtime.F32:
		if p := &smoothL1Plan1F32; runtime.Serial(&a, p) {
			smoothL1Kernel1F32(&a)
		} else {
			runtime.Launch(smoothL1Kernel1F32, &a, p)
		}
	case runtime.F64:
		if p := &smoothL1Plan1F64; runtime.Serial(&a, p) {
			smoothL1Kernel1F64(&a)
		} else {
			runtime.Launch(smoothL1Kernel1F64, &a, p)
		}
	}
}

func smoothL1Run2(b *runtime.Bound, v *smoothL1Values, sum unsafe.Pointer) {
	var a runtime.Args
	a.Rows, a.N, a.K = 1, b.Ext[0], 1
	a.Ptr[0], a.Step[0] = b.Ptr[0], b.Move(0)
	a.Ptr[1], a.Step[1] = b.Ptr[1], b.Move(1)
	a.Ptr[2] = sum
	a.F[0], a.F[1], a.F[2] = v.beta, 0.5/v.beta, v.beta/2
	switch b.DType[0] {
	case runtime.F32:
		if p := &smoothL1Plan2F32; runtime.Serial(&a, p) {
			smoothL1Kernel2F32(&a)
		} else {
			runtime.Launch(smoothL1Kernel2F32, &a, p)
		}
	case runtime.F64:
		if p := &smoothL1Plan2F64; runtime.Serial(&a, p) {
			smoothL1Kernel2F64(&a)
		} else {
			runtime.Launch(smoothL1Kernel2F64, &a, p)
		}
	}
}

func smoothL1Run3(b *runtime.Bound, v *smoothL1Values, sum unsafe.Pointer) {
	var a runtime.Args
	a.Rows, a.N, a.K = 1, 1, 1
	a.Ptr[0] = sum
	a.Ptr[1] = b.Ptr[2]
	a.F[0] = 1
	if v.reduction == ReductionMean {
		a.F[0] = float64(b.Ext[0])
	}
	switch b.DType[0] {
	case runtime.F32:
		smoothL1Kernel3F32(&a)
	case runtime.F64:
		smoothL1Kernel3F64(&a)
	}
}

// smoothL1RunBackward runs the launches of the backward function.
func smoothL1RunBackward(b *runtime.Bound, v *smoothL1Values) {
	gx, gt := b.Ptr[3], b.Ptr[4]
	if b.Tensor(3) == nil && b.Tensor(4) == nil {
		return
	}
	var a runtime.Args
	a.Rows, a.N, a.K = 1, b.Ext[0], 1
	a.Ptr[0], a.Step[0] = b.Ptr[0], b.Move(0)
	a.Ptr[1], a.Step[1] = b.Ptr[1], b.Move(1)
	a.Ptr[2] = b.Ptr[2]
	if v.reduction == ReductionNone {
		a.Step[2] = 1
	} else {
		a.I[0] = 1 // the cotangent is one number
	}
	a.Ptr[3], a.Step[3] = gx, 1
	a.Ptr[4], a.Step[4] = gt, 1
	a.F[0], a.F[1], a.F[2] = v.beta, 1/v.beta, 1
	if v.reduction == ReductionMean {
		a.F[2] = 1 / float64(b.Ext[0])
	}
	switch b.DType[0] {
	case runtime.F32:
		if p := &smoothL1Plan4F32; runtime.Serial(&a, p) {
			smoothL1Kernel4F32(&a)
		} else {
			runtime.Launch(smoothL1Kernel4F32, &a, p)
		}
	case runtime.F64:
		if p := &smoothL1Plan4F64; runtime.Serial(&a, p) {
			smoothL1Kernel4F64(&a)
		} else {
			runtime.Launch(smoothL1Kernel4F64, &a, p)
		}
	}
}

func init() {
	runtime.Register(&runtime.Op{
		Path: importPath, Name: "smooth_l1", Source: "loss.op", Signature: &smoothL1Reduced,
		Doc: "SmoothL1 is quadratic near zero and linear beyond beta.",
		Attrs: []runtime.AttrInfo{
			{Name: "beta", Type: "float", Default: "1"},
			{Name: "reduction", Type: "enum", Words: []string{"none", "mean", "sum"}, Default: "mean"},
		},
		Invoke: func(in []*runtime.Tensor, attrs map[string]any) ([]*runtime.Tensor, error) {
			r := runtime.NewAttrReader("sample.smooth_l1", attrs)
			a := SmoothL1Attrs{Beta: r.Float("beta"), Reduction: Reduction(r.Enum("reduction", "none", "mean", "sum"))}
			if err := r.Err(); err != nil {
				return nil, err
			}
			y, err := SmoothL1(in[0], in[1], &a)
			if err != nil {
				return nil, err
			}
			return []*runtime.Tensor{y}, nil
		},
	})
}
