package sample

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// setGrad gives a leaf a gradient.
func setGrad(p *runtime.Tensor, g ...float64) {
	p.ZeroGrad()
	if err := p.BackwardWith(tensor(g, p.Shape()...)); err != nil {
		panic(err)
	}
}

func TestMomentumSGD(t *testing.T) {
	lr, momentum, decay := 0.1, 0.9, 0.01
	p := leaf([]float64{1, -2}, 2)
	q := leaf([]float64{5}, 1)
	idle := leaf([]float64{7}, 1)
	o, err := NewMomentumSGD([]*runtime.Tensor{p, idle}, lr, &MomentumSGDAttrs{Momentum: &momentum, WeightDecay: &decay})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.AddGroup([]*runtime.Tensor{q}, 1, nil); err != nil {
		t.Fatal(err)
	}
	want, buf := []float64{1, -2}, []float64{0, 0}
	for step := 1; step <= 3; step++ {
		g := []float64{0.5 * float64(step), -1}
		setGrad(p, g...)
		setGrad(q, 1)
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			d := g[i] + decay*want[i]
			if step > 1 {
				d = momentum*buf[i] + (1-momentum)*d
			}
			buf[i] = d
			want[i] -= lr * d
		}
		if !nearAll(values(p), want, 1e-14) || !nearAll(values(o.State("buf", p)), buf, 1e-14) {
			t.Fatalf("step %d: %v and %v, want %v and %v", step, values(p), values(o.State("buf", p)), want, buf)
		}
	}
	if got := values(q)[0]; math.Abs(got-2) > 1e-14 {
		t.Errorf("the second group: %v, want 2", got)
	}
	if values(idle)[0] != 7 || o.Slots()[1].Step != 0 {
		t.Error("a parameter without a gradient was updated")
	}
	o.ZeroGrad()
	if p.Grad() != nil || q.Grad() != nil {
		t.Error("ZeroGrad left gradients")
	}
	if !slices.Equal(o.Params(), []*runtime.Tensor{p, idle, q}) {
		t.Error("other parameters")
	}
	if err := o.Set(0, 0, nil); err != nil {
		t.Error(err)
	}
	setGrad(p, 1, 1)
	before := values(p)
	if err := o.Step(); err != nil || !slices.Equal(before, values(p)) {
		t.Errorf("a learning rate of 0 moved parameters: %v", err)
	}
}

func TestMomentumSGDErrors(t *testing.T) {
	p := leaf([]float64{1, 2, 3, 4}, 4)
	plain := tensor([]float64{1}, 1)
	part := runtime.Must(p.Detach().Slice(0, 1, 3, 1))
	if err := part.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		params []*runtime.Tensor
		lr     float64
		kind   error
	}{
		{"negative rate", []*runtime.Tensor{p}, -1, runtime.ErrAttr},
		{"NaN rate", []*runtime.Tensor{p}, math.NaN(), runtime.ErrAttr},
		{"twice", []*runtime.Tensor{p, p}, 1, runtime.ErrAlias},
		{"overlap", []*runtime.Tensor{p, part}, 1, runtime.ErrAlias},
		{"nil", []*runtime.Tensor{nil}, 1, runtime.ErrNil},
		{"no gradient", []*runtime.Tensor{plain}, 1, runtime.ErrGrad},
		{"integers", []*runtime.Tensor{tensor([]int64{1}, 1)}, 1, runtime.ErrDType},
		{"not a leaf", []*runtime.Tensor{runtime.Must(Softmax(p, nil))}, 1, runtime.ErrGrad},
	} {
		o, err := NewMomentumSGD(c.params, c.lr, nil)
		var arg *runtime.ArgError
		if o != nil || !errors.Is(err, c.kind) || !errors.As(err, &arg) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	o := runtime.Must(NewMomentumSGD([]*runtime.Tensor{p}, 1, nil))
	if err := o.AddGroup([]*runtime.Tensor{p}, 1, nil); !errors.Is(err, runtime.ErrAlias) {
		t.Errorf("in two groups: %v", err)
	}
	if err := o.Set(1, 1, nil); !errors.Is(err, runtime.ErrAttr) {
		t.Errorf("a group that isn't there: %v", err)
	}
	if err := o.Set(0, -1, nil); !errors.Is(err, runtime.ErrAttr) {
		t.Errorf("a negative rate later: %v", err)
	}
	if err := MomentumSGDInto(p, p.Detach(), tensor(make([]float64, 4), 4), 0, 1, nil); !errors.Is(err, runtime.ErrAttr) {
		t.Errorf("step 0: %v", err)
	}
}

// The update is in place: views and saved tensors notice.
func TestStepBumpsVersion(t *testing.T) {
	w := leaf([]float64{1, 2}, 2)
	o := runtime.Must(NewMomentumSGD([]*runtime.Tensor{w}, 0.5, nil))
	y := runtime.Must(SmoothL1(w, tensor([]float64{0, 0}, 2), nil))
	setGrad(w, 1, 1)
	if err := o.Step(); err != nil {
		t.Fatal(err)
	}
	if err := y.Backward(); !errors.Is(err, runtime.ErrVersion) {
		t.Errorf("after a step: %v", err)
	}
}

// Training a vector to a target by loss, Backward and Step.
func TestTraining(t *testing.T) {
	w := leaf([]float64{4, -3, 2}, 3)
	target := tensor([]float64{1, 1, 1}, 3)
	o := runtime.Must(NewMomentumSGD([]*runtime.Tensor{w}, 0.3, nil))
	for range 300 {
		y := runtime.Must(SmoothL1(w, target, &SmoothL1Attrs{Reduction: ReductionSum}))
		o.ZeroGrad()
		if err := y.Backward(); err != nil {
			t.Fatal(err)
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if got := values(w); !nearAll(got, []float64{1, 1, 1}, 1e-4) {
		t.Errorf("trained to %v", got)
	}
}

func TestUpdateByName(t *testing.T) {
	op := runtime.Must(runtime.Lookup("sample.momentum_sgd"))
	p, g, buf := tensor([]float64{1, 2}, 2), tensor([]float64{1, 1}, 2), tensor([]float64{0, 0}, 2)
	in := []*runtime.Tensor{p, g, buf}
	if _, err := op.Call(in, map[string]any{"step": 1, "lr": 0.5}); err != nil {
		t.Fatal(err)
	}
	if got := values(p); !slices.Equal(got, []float64{0.5, 1.5}) {
		t.Errorf("got %v", got)
	}
	for _, attrs := range []map[string]any{
		{"step": 1}, {"lr": 0.5}, {"step": 1.5, "lr": 0.5}, {"step": 1, "lr": "fast"}, {"step": 1, "lr": -1},
	} {
		if _, err := op.Call(in, attrs); !errors.Is(err, runtime.ErrAttr) {
			t.Errorf("%v: %v", attrs, err)
		}
	}
}
