package sample

import (
	"math"

	"github.com/opgen/opgen/runtime"
)

// SoftmaxAttrs are the attributes of Softmax. Nil means the default.
type SoftmaxAttrs struct {
	Axis *int // default -1
}

type softmaxValues struct{ axis int }

func (a *SoftmaxAttrs) values() (softmaxValues, error) {
	v := softmaxValues{axis: -1}
	if a != nil && a.Axis != nil {
		v.axis = *a.Axis
	}
	return v, nil
}

var (
	softmaxVars   = []runtime.Var{{Name: "T", DTypes: runtime.Floats}}
	softmaxAxes   = []runtime.Axis{{Name: "B", Pack: true}, {Name: "D"}}
	softmaxPlaced = runtime.Placed{Attr: "axis", Axes: []int{1}}
	softmaxDims   = []runtime.Dim{{Axis: 0}, {Axis: 1}}
)

var softmaxForward = runtime.Signature{
	Op: "sample.softmax", Vars: softmaxVars, Axes: softmaxAxes, Placed: &softmaxPlaced,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: softmaxDims},
		1: {Name: "y", Mode: runtime.Out, Dims: softmaxDims, InPlace: 1 << 0},
	},
}

var softmaxBackward = runtime.Signature{
	Op: "sample.softmax", Vars: softmaxVars, Axes: softmaxAxes, Placed: &softmaxPlaced,
	Params: []runtime.Param{
		0: {Name: "x", Mode: runtime.In, Dims: softmaxDims},
		1: {Name: "y", Mode: runtime.Back, Dims: softmaxDims},
		2: {Name: "gradient of y", Mode: runtime.Back, Dims: softmaxDims},
		3: {Name: "gradient of x", Mode: runtime.Gradient, Of: 0, Dims: softmaxDims},
	},
}

// Softmax is exp(x) along an axis, divided by its sum.
//
//	e = exp(x - max[D](x));  y = e / sum[D](e)
//
// x: T[...B, D], D at axis; y: T[...B, D]. T: f16, bf16, f32 or f64.
func Softmax(x *runtime.Tensor, attrs *SoftmaxAttrs) (*runtime.Tensor, error) {
	v, err := attrs.values()
	if err != nil {
		return nil, err
	}
	var b runtime.Bound
	at := runtime.PlaceAxis(v.axis)
	if err := softmaxForward.BindNew(&b, &at, x); err != nil {
		return nil, err
	}
	y := b.Tensor(1)
	softmaxRun(&b)
	b.Finish()
	if runtime.NeedsGrad(x) {
		runtime.Record("sample.softmax", []*runtime.Tensor{y}, []*runtime.Tensor{x},
			[]runtime.Saved{{Name: "y", Tensor: y}, {Name: "x", Tensor: x, Shape: true}},
			func(p *runtime.Backprop) error {
				return softmaxBackwardInto(p.Grad(0), p.Cotangent(0), p.Saved(1), p.Saved(0), &v)
			})
	}
	return y, nil
}

// SoftmaxInto is [Softmax] with the result in y. It allocates nothing and records nothing.
func SoftmaxInto(y, x *runtime.Tensor, attrs *SoftmaxAttrs) error {
	v, err := attrs.values()
	if err != nil {
		return err
	}
	var b runtime.Bound
	at := runtime.PlaceAxis(v.axis)
	if err := softmaxForward.Bind(&b, &at, x, y); err != nil {
		return err
	}
	softmaxRun(&b)
	b.Finish()
	return nil
}

// SoftmaxBackwardInto sets gx to the gradient of x for the cotangent gy of y.
func SoftmaxBackwardInto(gx, gy, x, y *runtime.Tensor, attrs *SoftmaxAttrs) error {
	v, err := attrs.values()
	if err != nil {
		return err
	}
	return softmaxBackwardInto(gx, gy, x, y, &v)
}

func softmaxBackwardInto(gx, gy, x, y *runtime.Tensor, v *softmaxValues) error {
	var b runtime.Bound
	at := runtime.PlaceAxis(v.axis)
	if err := softmaxBackward.Bind(&b, &at, x, y, gy, gx); err != nil {
		return err
	}
	if gx != nil {
		softmaxRunBackward(&b)
	}
	b.Finish()
	return nil
}

func softmaxRun(b *runtime.Bound) {
	var a runtime.Args
	a.Rows, a.N, a.K = b.Ext[0], b.Ext[1], 1
	a.Ptr[0], a.Row[0], a.Step[0] = b.Ptr[0], b.Ext[1], 1
	a.Ptr[1], a.Row[1], a.Step[1] = b.Ptr[1], b.Ext[1], 1
	switch b.DType[0] {
	case runtime.F32:
		if p := &softmaxPlan1F32; runtime.Serial(&a, p) {
			softmaxKernel1F32(&a)
		} else {
			runtime.Launch(softmaxKernel1F32, &a, p)
		}
	case runtime.F64:
		if p := &softmaxPlan1F64; runtime.Serial(&a, p) {
			softmaxKernel1F64(&a)
		} else {
			runtime.Launch(softmaxKernel1F64, &a, p)
		}
	}
}

func softmaxRunBackward(b *runtime.Bound) {
	var a runtime.Args
	a.Rows, a.N, a.K = b.Ext[0], b.Ext[1], 1
	a.Ptr[0], a.Row[0], a.Step[0] = b.Ptr[1], b.Ext[1], 1
	a.Ptr[1], a.Row[1], a.Step[1] = b.Ptr[2], b.Ext[1], 1
	a.Ptr[2], a.Row[2], a.Step[2] = b.Ptr[3], b.Ext[1], 1
	switch b.DType[0] {
	case runtime.F32:
		if p := &softmaxPlan2F32; runtime.Serial(&a, p) {
			softmaxKernel2F32(&a)
		} else {
			runtime.Launch(softmaxKernel2F32, &a, p)
		}
	case runtime.F64:
		if p := &softmaxPlan2F64; runtime.Serial(&a, p) {
			softmaxKernel2F64(&a)
		} else {
			runtime.Launch(softmaxKernel2F64, &a, p)
		}
	}
}

var (
	softmaxPlan1F32 = runtime.Plan{Name: importPath + ".softmaxKernel1F32", Rows: true, Operands: []runtime.Operand{
		{DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Writes}}}
	softmaxPlan1F64 = runtime.Plan{Name: importPath + ".softmaxKernel1F64", Rows: true, Operands: []runtime.Operand{
		{DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Writes}}}
	softmaxPlan2F32 = runtime.Plan{Name: importPath + ".softmaxKernel2F32", Rows: true, Operands: []runtime.Operand{
		{DType: runtime.F32}, {DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Writes}}}
	softmaxPlan2F64 = runtime.Plan{Name: importPath + ".softmaxKernel2F64", Rows: true, Operands: []runtime.Operand{
		{DType: runtime.F64}, {DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Writes}}}
)

func softmaxKernel1F32(a *runtime.Args) { softmaxRows[float32](a) }
func softmaxKernel1F64(a *runtime.Args) { softmaxRows[float64](a) }
func softmaxKernel2F32(a *runtime.Args) { softmaxRowsBackward[float32](a) }
func softmaxKernel2F64(a *runtime.Args) { softmaxRowsBackward[float64](a) }

// softmaxRows: operands x, y.
func softmaxRows[T float32 | float64](a *runtime.Args) {
	for r := range a.Rows {
		x := runtime.Slice[T](a.Ptr[0], r*a.Row[0], a.N)
		y := runtime.Slice[T](a.Ptr[1], r*a.Row[1], a.N)
		top := T(math.Inf(-1))
		for _, v := range x {
			top = max(top, v)
		}
		var lanes [runtime.Block]T
		for i, v := range x {
			e := T(math.Exp(float64(v - top)))
			y[i] = e
			lanes[i%runtime.Block] += e
		}
		sum := runtime.LaneSum(lanes[:])
		for i := range y {
			y[i] /= sum
		}
	}
}

// softmaxRowsBackward: operands y, gy, gx.
func softmaxRowsBackward[T float32 | float64](a *runtime.Args) {
	for r := range a.Rows {
		y := runtime.Slice[T](a.Ptr[0], r*a.Row[0], a.N)
		gy := runtime.Slice[T](a.Ptr[1], r*a.Row[1], a.N)
		gx := runtime.Slice[T](a.Ptr[2], r*a.Row[2], a.N)
		var lanes [runtime.Block]T
		for i := range y {
			lanes[i%runtime.Block] += y[i] * gy[i]
		}
		dot := runtime.LaneSum(lanes[:])
		for i := range y {
			gx[i] = y[i] * (gy[i] - dot)
		}
	}
}

func init() {
	runtime.Register(&runtime.Op{
		Path: importPath, Name: "softmax", Source: "reduce.op", Signature: &softmaxForward,
		Doc:   "Softmax is exp(x) along an axis, divided by its sum.",
		Attrs: []runtime.AttrInfo{{Name: "axis", Type: "axis", Default: "-1"}},
		Invoke: func(in []*runtime.Tensor, attrs map[string]any) ([]*runtime.Tensor, error) {
			r := runtime.NewAttrReader("sample.softmax", attrs)
			a := SoftmaxAttrs{Axis: r.Int("axis")}
			if err := r.Err(); err != nil {
				return nil, err
			}
			y, err := Softmax(in[0], &a)
			if err != nil {
				return nil, err
			}
			return []*runtime.Tensor{y}, nil
		},
	})
}
