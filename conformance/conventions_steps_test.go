package conformance

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/runtime"
)

// stepped is an optimizer with parameters [1, 2] and [3, 4], of which the first has the gradient [2, 4], or both have theirs.
func stepped(t *testing.T, attrs *optim.MomentumSGDAttrs, both bool) (o *optim.MomentumSGD, p, q *runtime.Tensor) {
	t.Helper()
	p, q = floats32(t, []int{2}, 1, 2), floats32(t, []int{2}, 3, 4)
	params := []*runtime.Tensor{p, q}
	for i, x := range params {
		if err := x.RequireGrad(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && !both {
			break
		}
		y := runtime.Must(loss.MSE(x, floats32(t, []int{2}, 0, 0), &loss.MSEAttrs{Reduction: loss.ReductionSum}))
		if err := y.Backward(); err != nil {
			t.Fatal(err)
		}
	}
	if !both {
		if err := q.RequireGrad(); err != nil {
			t.Fatal(err)
		}
	}
	return runtime.Must(optim.NewMomentumSGD(params, 0.5, attrs)), p, q
}

func noGradientRow(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		o, p, q := stepped(t, &optim.MomentumSGDAttrs{WeightDecay: new(0.5), Momentum: new(0.5), Dampening: new(0.5)}, false)
		for range 2 {
			if err := o.Step(); err != nil {
				t.Fatal(err)
			}
		}
		// With half of the parameter more, the gradients are [2.5, 5] and [1.875, 3.75]: the buffer is the first one, then half of both.
		same(t, "p", arrayOf(p), vec(-0.25-0.5*(1.25+0.9375), -0.5-0.5*(2.5+1.875)), bits)
		same(t, "q", arrayOf(q), vec(3, 4), bits)
		same(t, "buf of q", arrayOf(o.State("buf", q)), vec(0, 0), bits)
		y := runtime.Must(loss.MSE(q, floats32(t, []int{2}, 0, 0), &loss.MSEAttrs{Reduction: loss.ReductionSum}))
		if err := y.Backward(); err != nil {
			t.Fatal(err)
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		// The first step of q, at the third of the optimizer: its buffer is the gradient.
		same(t, "buf of q after its first step", arrayOf(o.State("buf", q)), vec(7.5, 10), bits)
	}, "f32")
}

func failedStepRow(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		o, p, q := stepped(t, nil, true)
		if err := o.SetSchedule("lr", func(step int64) float64 { return 2 - 3*float64(step-1) }); err != nil {
			t.Fatal(err)
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		after := []*ir.Array{arrayOf(p), arrayOf(q), arrayOf(o.State("buf", p)), arrayOf(o.State("buf", q))}
		says(t, o.Step(), runtime.ErrAttr, "optim.momentum_sgd", "learning rate must not be negative")
		for i, x := range []*runtime.Tensor{p, q, o.State("buf", p), o.State("buf", q)} {
			same(t, "after the error", arrayOf(x), after[i], bits)
		}
		if o.Steps() != 1 {
			t.Errorf("%d steps are counted", o.Steps())
		}
	}, "f32")
}

func schedulesRow(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		o, p, _ := stepped(t, &optim.MomentumSGDAttrs{Momentum: new(0.0)}, false)
		var asked []int64
		if err := o.SetSchedule("lr", func(step int64) float64 { asked = append(asked, step); return 0.25 * float64(step) }); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := o.Step(); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[int64]bool{}
		for _, s := range asked {
			seen[s] = true
		}
		if len(seen) != 3 || !seen[1] || !seen[2] || !seen[3] || asked[0] != 1 {
			t.Errorf("the schedule was asked for steps %v", asked)
		}
		same(t, "p", arrayOf(p), vec(1-2*(0.25+0.5+0.75), 2-4*(0.25+0.5+0.75)), bits)
	}, "f32")
}

// Totals over one tensor on every backend, and over several on the evaluator: in their order, and without those that don't compute
// the total. Several tensors in generated code are in the tests of codegen/emit/general and of the runtime.
func totalsRow(t *testing.T) {
	hold(t, []expected{{name: "norm", call: shown("to_unit", arrays{"p": vec(3, 4)}), out: arrays{"p'": vec(float64(float32(0.6)), float64(float32(0.8)))}, near: 4}}, "f32")
	hold(t, []expected{
		{name: "norm", call: shown("to_unit", arrays{"p": vec(3, 4)}), out: arrays{"p'": vec(0.6, 0.8)}, near: 4},
		{name: "no overflow", call: shown("to_unit", arrays{"p": vec(3e200, 4e200)}), out: arrays{"p'": vec(0.6, 0.8)}, near: 4},
	}, "f64")
	_, decl, err := findOp("conventions.to_unit")
	if err != nil {
		t.Fatal(err)
	}
	out, err := ir.EvalCalls(decl, []map[string]*ir.Array{{"p": vec(3)}, {"p": vec()}, {"p": vec(4, 12)}}, make([][]ir.ExampleAttr, 3), map[string]string{"T": "f64"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []*ir.Array{vec(3. / 13), vec(), vec(4./13, 12./13)} {
		same(t, "several tensors", out[i]["p'"], want, within(0x1p-52, 0))
	}
}
