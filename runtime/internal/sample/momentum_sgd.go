package sample

import "github.com/opgen/opgen/runtime"

// MomentumSGDAttrs are the attributes of MomentumSGD that have defaults. Nil means the default.
type MomentumSGDAttrs struct {
	Momentum    *float64 // default 0.9
	WeightDecay *float64 // default 0
}

type momentumSGDValues struct{ lr, momentum, weightDecay float64 }

func (a *MomentumSGDAttrs) values(lr float64) (momentumSGDValues, error) {
	v := momentumSGDValues{lr: lr, momentum: 0.9}
	if a != nil {
		if a.Momentum != nil {
			v.momentum = *a.Momentum
		}
		if a.WeightDecay != nil {
			v.weightDecay = *a.WeightDecay
		}
	}
	return v, v.Check()
}

var momentumSGDDims = []runtime.Dim{{Axis: 0}}

var momentumSGDForward = runtime.Signature{
	Op: "sample.momentum_sgd", Outer: true,
	Vars: []runtime.Var{{Name: "T", DTypes: runtime.Floats}},
	Axes: []runtime.Axis{{Name: "N", Pack: true}},
	Params: []runtime.Param{
		0: {Name: "p", Mode: runtime.Inout, Dims: momentumSGDDims},
		1: {Name: "g", Mode: runtime.In, Dims: momentumSGDDims, Splat: true},
		2: {Name: "buf", Mode: runtime.Inout, Dims: momentumSGDDims},
	},
}

// MomentumSGDInto is one update of a parameter p with gradient g, in place; buf is kept between updates, and step counts
// them from 1.
//
//	d = g + weight_decay p;  buf' = d at step 1, else momentum buf + (1 - momentum) d;  p' = p - lr buf'
//
// p, g, buf: T[...N]. T: f16, bf16, f32 or f64.
func MomentumSGDInto(p, g, buf *runtime.Tensor, step int, lr float64, attrs *MomentumSGDAttrs) error {
	v, err := attrs.values(lr)
	if err != nil {
		return err
	}
	return momentumSGDInto(p, g, buf, step, &v)
}

func momentumSGDInto(p, g, buf *runtime.Tensor, step int, v *momentumSGDValues) error {
	if step < 1 {
		return runtime.AttrError("sample.momentum_sgd", "step", "1 or more", step)
	}
	var b runtime.Bound
	if err := momentumSGDForward.Bind(&b, nil, p, g, buf); err != nil {
		return err
	}
	momentumSGDRun(&b, v, step)
	b.Finish()
	return nil
}

func momentumSGDRun(b *runtime.Bound, v *momentumSGDValues, step int) {
	var a runtime.Args
	a.Rows, a.N, a.K = 1, b.Ext[0], 1
	a.Ptr[0], a.Step[0] = b.Ptr[0], 1
	a.Ptr[1], a.Step[1] = b.Ptr[1], b.Move(1)
	a.Ptr[2], a.Step[2] = b.Ptr[2], 1
	a.F[0], a.F[1], a.F[2], a.F[3] = v.lr, v.momentum, 1-v.momentum, v.weightDecay
	if step == 1 {
		a.F[1], a.F[2] = 0, 1
		a.I[0] = 1
	}
	switch b.DType[0] {
	case runtime.F32:
		if p := &momentumSGDPlan1F32; runtime.Serial(&a, p) {
			momentumSGDKernel1F32(&a)
		} else {
			runtime.Launch(momentumSGDKernel1F32, &a, p)
		}
	case runtime.F64:
		if p := &momentumSGDPlan1F64; runtime.Serial(&a, p) {
			momentumSGDKernel1F64(&a)
		} else {
			runtime.Launch(momentumSGDKernel1F64, &a, p)
		}
	}
}

// Attr, Check and Clone are what an optimizer does with attributes.
func (v *momentumSGDValues) Attr(name string) any {
	switch name {
	case "lr":
		return &v.lr
	case "momentum":
		return &v.momentum
	case "weight_decay":
		return &v.weightDecay
	}
	return nil
}

func (v *momentumSGDValues) Check() error {
	if !(v.lr >= 0) {
		return runtime.RequireError("sample.momentum_sgd", "lr", "learning rate must not be negative", runtime.ErrAttr, v.lr)
	}
	return nil
}

func (v *momentumSGDValues) Clone() runtime.Attributes {
	c := *v
	return &c
}

var momentumSGDRule = runtime.Rule{
	Op: "sample.momentum_sgd", Signatures: []*runtime.Signature{&momentumSGDForward}, Param: 0, Grad: 1, Phases: 1,
	States: []runtime.State{{Name: "buf", At: 2}}, Attrs: []string{"lr", "momentum", "weight_decay"},
	Run: func(s *runtime.Slot, _ int) error {
		momentumSGDRun(&s.Bound, s.Values.(*momentumSGDValues), s.Step)
		return nil
	},
}

// MomentumSGD updates parameters with a decaying mean of their gradients.
type MomentumSGD struct{ *runtime.Optimizer }

// NewMomentumSGD makes an optimizer of params with the learning rate lr.
func NewMomentumSGD(params []*runtime.Tensor, lr float64, attrs *MomentumSGDAttrs) (*MomentumSGD, error) {
	o := &MomentumSGD{runtime.NewOptimizer(&momentumSGDRule)}
	if err := o.AddGroup(params, lr, attrs); err != nil {
		return nil, err
	}
	return o, nil
}

// AddGroup adds parameters with attributes of their own.
func (o *MomentumSGD) AddGroup(params []*runtime.Tensor, lr float64, attrs *MomentumSGDAttrs) error {
	v, err := attrs.values(lr)
	if err != nil {
		return err
	}
	_, err = o.Optimizer.AddGroup(params, &v)
	return err
}

// Set changes the attributes of a group; groups count from 0.
func (o *MomentumSGD) Set(group int, lr float64, attrs *MomentumSGDAttrs) error {
	v, err := attrs.values(lr)
	if err != nil {
		return err
	}
	return o.SetAttributes(group, &v)
}

var (
	momentumSGDPlan1F32 = runtime.Plan{Name: importPath + ".momentumSGDKernel1F32", Lanes: true, Operands: []runtime.Operand{
		{DType: runtime.F32, Use: runtime.Writes}, {DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Writes}}}
	momentumSGDPlan1F64 = runtime.Plan{Name: importPath + ".momentumSGDKernel1F64", Lanes: true, Operands: []runtime.Operand{
		{DType: runtime.F64, Use: runtime.Writes}, {DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Writes}}}
)

func momentumSGDKernel1F32(a *runtime.Args) { momentumSGDUpdate[float32](a) }
func momentumSGDKernel1F64(a *runtime.Args) { momentumSGDUpdate[float64](a) }

// momentumSGDUpdate: operands p, g, buf; scalars lr, momentum, 1 - momentum, weight decay; integer 0: this is the first step.
func momentumSGDUpdate[T float32 | float64](a *runtime.Args) {
	lr, momentum, rest, decay := T(a.F[0]), T(a.F[1]), T(a.F[2]), T(a.F[3])
	for n := 0; n < a.N; n += runtime.Block {
		m := min(runtime.Block, a.N-n)
		p := runtime.Slice[T](a.Ptr[0], n, m)
		g := runtime.Slice[T](a.Ptr[1], n*a.Step[1], m)
		buf := runtime.Slice[T](a.Ptr[2], n, m)
		for i := range p {
			d := g[i] + T(decay*p[i])
			if a.I[0] == 0 {
				d = T(momentum*buf[i]) + T(rest*d)
			}
			buf[i] = d
			p[i] -= T(lr * d)
		}
	}
}

func init() {
	runtime.Register(&runtime.Op{
		Path: importPath, Name: "momentum_sgd", Source: "optim.op", Signature: &momentumSGDForward,
		Doc: "MomentumSGD updates parameters with a decaying mean of their gradients.",
		Attrs: []runtime.AttrInfo{
			{Name: "step", Type: "int"},
			{Name: "lr", Type: "float"},
			{Name: "momentum", Type: "float", Default: "0.9"},
			{Name: "weight_decay", Type: "float", Default: "0"},
		},
		Invoke: func(in []*runtime.Tensor, attrs map[string]any) ([]*runtime.Tensor, error) {
			r := runtime.NewAttrReader("sample.momentum_sgd", attrs)
			step, lr := r.NeedInt("step"), r.NeedFloat("lr")
			a := MomentumSGDAttrs{Momentum: r.Float("momentum"), WeightDecay: r.Float("weight_decay")}
			if err := r.Err(); err != nil {
				return nil, err
			}
			return nil, MomentumSGDInto(in[0], in[1], in[2], step, lr, &a)
		},
	})
}
