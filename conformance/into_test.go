package conformance

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// typed are the functions of an op that write to memory of the caller.
type typed struct {
	into func(y *runtime.Tensor, in []*runtime.Tensor, c *call) error
	// backward sets d, the gradients of the float inputs in their order; nil where the op saves more than its outputs.
	backward func(d []*runtime.Tensor, dy, y *runtime.Tensor, in []*runtime.Tensor, c *call) error
}

type tensors = []*runtime.Tensor

var typedOps = map[string]typed{
	"activation.relu": {
		func(y *runtime.Tensor, in tensors, _ *call) error { return activation.ReluInto(y, in[0]) },
		func(d tensors, dy, _ *runtime.Tensor, in tensors, _ *call) error {
			return activation.ReluBackwardInto(d[0], dy, in[0])
		},
	},
	"linalg.linear": {
		func(y *runtime.Tensor, in tensors, _ *call) error { return linalg.LinearInto(y, in[0], in[1], in[2]) },
		func(d tensors, dy, _ *runtime.Tensor, in tensors, _ *call) error {
			return linalg.LinearBackwardInto(d[0], d[1], d[2], dy, in[0], in[1], in[2])
		},
	},
	"loss.mse": {
		func(y *runtime.Tensor, in tensors, c *call) error { return loss.MSEInto(y, in[0], in[1], c.mse()) },
		func(d tensors, dy, _ *runtime.Tensor, in tensors, c *call) error {
			return loss.MSEBackwardInto(d[0], d[1], dy, in[0], in[1], c.mse())
		},
	},
	"loss.smooth_l1": {
		func(y *runtime.Tensor, in tensors, c *call) error {
			return loss.SmoothL1Into(y, in[0], in[1], c.smoothL1())
		},
		func(d tensors, dy, _ *runtime.Tensor, in tensors, c *call) error {
			return loss.SmoothL1BackwardInto(d[0], d[1], dy, in[0], in[1], c.smoothL1())
		},
	},
	"loss.cross_entropy": {into: func(y *runtime.Tensor, in tensors, c *call) error {
		return loss.CrossEntropyInto(y, in[0], in[1], in[2], &loss.CrossEntropyAttrs{Axis: c.int("axis"), IgnoreIndex: c.int("ignore_index"),
			LabelSmoothing: c.float("label_smoothing"), Reduction: c.reduction()})
	}},
	"norm.layer_norm": {into: func(y *runtime.Tensor, in tensors, c *call) error {
		a := norm.LayerNormAttrs{Eps: c.float("eps")}
		for _, x := range c.attr("axes").List {
			a.Axes = append(a.Axes, int(x))
		}
		return norm.LayerNormInto(y, in[0], in[1], in[2], &a)
	}},
	"reduce.softmax": {
		func(y *runtime.Tensor, in tensors, c *call) error {
			return reduce.SoftmaxInto(y, in[0], &reduce.SoftmaxAttrs{Axis: c.int("axis")})
		},
		func(d tensors, dy, y *runtime.Tensor, in tensors, c *call) error {
			return reduce.SoftmaxBackwardInto(d[0], dy, in[0], y, &reduce.SoftmaxAttrs{Axis: c.int("axis")})
		},
	},
}

func (c *call) attr(name string) *ir.ExampleAttr {
	for i := range c.attrs {
		if c.attrs[i].Name == name {
			return &c.attrs[i]
		}
	}
	return &ir.ExampleAttr{}
}

func (c *call) float(name string) *float64 {
	if a := c.attr(name); a.Name != "" {
		return &a.Number
	}
	return nil
}

func (c *call) int(name string) *int {
	if f := c.float(name); f != nil {
		return new(int(*f))
	}
	return nil
}

func (c *call) reduction() loss.Reduction {
	return map[string]loss.Reduction{"": 0, "none": loss.ReductionNone, "mean": loss.ReductionMean, "sum": loss.ReductionSum}[c.attr("reduction").Word]
}

func (c *call) mse() *loss.MSEAttrs { return &loss.MSEAttrs{Reduction: c.reduction()} }

func (c *call) smoothL1() *loss.SmoothL1Attrs {
	return &loss.SmoothL1Attrs{Beta: c.float("beta"), Reduction: c.reduction()}
}

// calls makes calls of an op with lengths between 1 and 70.
func calls(r *rand.Rand, op string, count int) []*call {
	var list []*call
	for range count {
		list = append(list, makers[op](r, r.IntN(1<<20), 1+r.IntN(70)))
	}
	return list
}

// TestInto holds results in memory of the caller, with steps and gaps, to those that the functions make.
func TestInto(t *testing.T) {
	for _, op := range slices.Sorted(maps.Keys(typedOps)) {
		t.Run(op, func(t *testing.T) {
			compiled(t, func(t *testing.T, b backend) {
				r := rand.New(rand.NewPCG(5, 6))
				for _, c := range calls(r, op, 50*rounds()) {
					if into(t, r, b, c); t.Failed() {
						t.Fatal(c)
					}
				}
			}, "f32", "f64")
		})
	}
}

// into calls the functions of an op with outputs that lie anyhow.
func into(t *testing.T, r *rand.Rand, b backend, c *call) {
	t.Helper()
	g := c.cotangent(r)
	want, wantGrads := run(t, c.String(), b, c, g)
	_, in, err := c.tensors(b.float)
	if err != nil {
		t.Fatal(err)
	}
	place := func(shape []int) *laid {
		l, err := newMemory(r, ir.NewArray(shape...), true).lay(in[0].DType())
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	f := typedOps[c.op]
	y := place(want["y"].Shape)
	if err := f.into(y.tensor, in, c); err != nil {
		t.Fatal(err)
	}
	same(t, "y", arrayOf(y.tensor), want["y"], bits)
	if !y.intact(true) {
		t.Error("memory around the output was written")
	}
	if f.backward == nil {
		return
	}
	dy, err := tensor(g, b.float)
	if err != nil {
		t.Fatal(err)
	}
	op, err := runtime.Lookup(c.op)
	if err != nil {
		t.Fatal(err)
	}
	d := make([]*laid, len(in))
	var out tensors
	for i, name := range op.Inputs() {
		out = append(out, nil)
		if in[i] != nil && r.IntN(4) > 0 { // some are not wanted
			d[i] = place(wantGrads[name].Shape)
			out[i] = d[i].tensor
		}
	}
	if err := f.backward(out, dy, y.tensor, in, c); err != nil {
		t.Fatal(err)
	}
	for i, name := range op.Inputs() {
		if d[i] == nil {
			continue
		}
		same(t, "@"+name, arrayOf(d[i].tensor), wantGrads[name], bits)
		if !d[i].intact(true) {
			t.Errorf("memory around the gradient of %s was written", name)
		}
	}
}

// TestOverlap has outputs lie on inputs, exactly or shifted: the result is that of separate memory, or an error that
// says so.
func TestOverlap(t *testing.T) {
	for _, op := range slices.Sorted(maps.Keys(typedOps)) {
		t.Run(op, func(t *testing.T) {
			compiled(t, func(t *testing.T, b backend) {
				r := rand.New(rand.NewPCG(7, 8))
				for _, c := range calls(r, op, 50*rounds()) {
					want, _ := run(t, c.String(), b, c, nil)
					for _, name := range slices.Sorted(maps.Keys(c.inputs)) {
						for _, shift := range []int{0, 1, -1, 7} {
							overlap(t, b, c, name, shift, want["y"])
						}
					}
				}
			}, "f32", "f64")
		})
	}
}

// overlap calls an op with its output shift elements behind the start of an input.
func overlap(t *testing.T, b backend, c *call, name string, shift int, want *ir.Array) {
	t.Helper()
	op, in, err := c.tensors(b.float)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.Index(op.Inputs(), name)
	if !in[i].DType().Float() {
		return
	}
	low := max(0, -shift)
	input := c.inputs[name]
	base, err := runtime.New(in[i].DType(), max(low+len(input.Data), low+shift+len(want.Data)))
	if err != nil {
		t.Fatal(err)
	}
	part := func(at int, shape []int, n int) *runtime.Tensor {
		return runtime.Must(runtime.Must(base.Slice(0, at, at+n, 1)).Reshape(shape...))
	}
	x, y := part(low, input.Shape, len(input.Data)), part(low+shift, want.Shape, len(want.Data))
	for k, v := range input.Data {
		if err := runtime.Must(base.Slice(0, low+k, low+k+1, 1)).Fill(v); err != nil {
			t.Fatal(err)
		}
	}
	in[i] = x
	switch err := typedOps[c.op].into(y, in, c); {
	case errors.Is(err, runtime.ErrAlias):
	case err != nil:
		t.Fatal(err)
	default:
		same(t, fmt.Sprintf("%s, output %d behind %s", c, shift, name), arrayOf(y), want, bits)
	}
}

// TestSlices holds the functions on slices to those on tensors.
func TestSlices(t *testing.T) {
	compiled(t, func(t *testing.T, b backend) {
		if b.float == "f32" {
			slicesOf[float32](t, b)
		} else {
			slicesOf[float64](t, b)
		}
	}, "f32", "f64")
}

func slicesOf[T float32 | float64](t *testing.T, b backend) {
	r := rand.New(rand.NewPCG(9, 10))
	of := func(a *ir.Array) []T {
		s := make([]T, len(a.Data))
		for i, x := range a.Data {
			s[i] = T(x)
		}
		return s
	}
	back := func(s []T, shape []int) *ir.Array {
		a := &ir.Array{Shape: shape}
		for _, x := range s {
			a.Data = append(a.Data, float64(x))
		}
		return a
	}
	for n := range 201 {
		x := normal(r, n)
		c := &call{op: "activation.relu", inputs: arrays{"x": x}}
		want, _ := run(t, c.String(), b, c, nil)
		dst := make([]T, n)
		if err := activation.ReluSlice(dst, of(x)); err != nil {
			t.Fatal(err)
		}
		same(t, c.String(), back(dst, []int{n}), want["y"], bits)
		for _, how := range reductions {
			c := &call{op: "loss.mse", inputs: arrays{"x": x, "t": normal(r, n)}, attrs: []ir.ExampleAttr{word("reduction", how)}}
			want, _ := run(t, c.String(), b, c, nil)
			dst := make([]T, len(want["y"].Data))
			if err := loss.MSESlice(dst, of(c.inputs["x"]), of(c.inputs["t"]), c.mse()); err != nil {
				t.Fatal(err)
			}
			same(t, c.String(), back(dst, want["y"].Shape), want["y"], bits)
			c.op = "loss.smooth_l1"
			want, _ = run(t, c.String(), b, c, nil)
			if err := loss.SmoothL1Slice(dst, of(c.inputs["x"]), of(c.inputs["t"]), c.smoothL1()); err != nil {
				t.Fatal(err)
			}
			same(t, c.String(), back(dst, want["y"].Shape), want["y"], bits)
		}
		m := makeMomentumSGD(r, 4*r.IntN(8), n)
		want, _ = run(t, m.String(), b, m, nil)
		p, buf := of(m.inputs["p"]), of(m.inputs["buf"])
		if err := optim.MomentumSGDSlice(p, of(m.inputs["g"]), buf, int(m.attr("step").Number), m.attr("lr").Number, &optim.MomentumSGDAttrs{
			Momentum: m.float("momentum"), Dampening: m.float("dampening"), WeightDecay: m.float("weight_decay")}); err != nil {
			t.Fatal(err)
		}
		same(t, m.String(), back(p, []int{n}), want["p'"], bits)
		same(t, m.String(), back(buf, []int{n}), want["buf'"], bits)
	}
}
