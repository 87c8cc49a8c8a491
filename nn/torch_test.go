package nn

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/pointwise"
	"github.com/opgen/opgen/gen/window"
	"github.com/opgen/opgen/runtime"
)

var (
	//go:embed testdata/layers.json
	layersJSON []byte
	//go:embed testdata/train.json
	trainJSON []byte
)

// array is a tensor in the vectors of PyTorch.
type array struct {
	DType string    `json:"dtype"`
	Shape []int     `json:"shape"`
	Data  []float64 `json:"data"`
}

func (a *array) tensor() *runtime.Tensor {
	if a.DType == "i64" {
		v := make([]int64, len(a.Data))
		for i, x := range a.Data {
			v[i] = int64(x)
		}
		return runtime.Must(runtime.FromSlice(v, a.Shape...))
	}
	return runtime.Must(runtime.FromSlice(slices.Clone(a.Data), a.Shape...))
}

// near compares with values of PyTorch. Both compute in f64, with sums in another order.
func near(t *testing.T, what string, got *runtime.Tensor, want *array) {
	t.Helper()
	if got == nil || !slices.Equal(got.Shape(), want.Shape) {
		t.Errorf("%s: got %v, want the shape %v", what, got, want.Shape)
		return
	}
	for i, g := range runtime.Must(runtime.Values[float64](got)) {
		if w := want.Data[i]; !(math.Abs(g-w) <= 1e-12*(1+math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

// set gives a module the parameters of PyTorch, by name.
func set(t *testing.T, m Module, values map[string]array) {
	t.Helper()
	if names := Names(m); len(names) != len(values) {
		t.Fatalf("parameters %v, want %d", names, len(values))
	}
	for _, p := range m.Parameters() {
		v, ok := values[p.Name]
		if !ok {
			t.Fatalf("no parameter %q", p.Name)
		}
		if err := p.Tensor.CopyFrom(v.tensor()); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
}

// TestTorchLayers computes each layer as PyTorch does: values, and gradients of the input and of all parameters.
func TestTorchLayers(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(1))
	norm2 := b.LayerNorm(3, 4)
	norm2.Eps = 1e-3
	modules := map[string]Module{
		"linear":                   b.Linear(3, 4, nil),
		"linear without bias":      b.Linear(3, 2, &Options{NoBias: true}),
		"embedding":                b.Embedding(6, 3, -1),
		"embedding with padding":   b.Embedding(6, 3, 2),
		"layer norm":               b.LayerNorm(4),
		"layer norm of two axes":   norm2,
		"conv":                     b.Conv2d(2, 3, 3, 2, nil),
		"conv with all attributes": b.Conv2d(4, 6, 3, 3, &ConvOptions{Attrs: window.ConvAttrs{Stride: []int{2, 1}, Pad: []int{1, 2}, Dilation: []int{1, 2}, Groups: new(2)}}),
		"network": Sequential{b.Linear(3, 5, nil), Func(pointwise.Tanh), b.LayerNorm(5), b.Linear(5, 2, nil),
			With(activation.Gelu, &activation.GeluAttrs{Approximate: activation.GeluApproximateTanh})},
		"images": Sequential{b.Conv2d(1, 2, 3, 3, nil), With(activation.LeakyRelu, &activation.LeakyReluAttrs{Slope: new(0.1)}),
			MaxPool2d(2, 2, nil), Flatten(), b.Linear(8, 3, nil)},
		"means": Sequential{b.Conv2d(1, 2, 2, 2, nil), AvgPool2d(2, 1, nil)},
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name                  string
		X, Y, Cotangent       array
		Parameters, Gradients map[string]array
		DX                    *array
	}
	if err := json.Unmarshal(layersJSON, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(modules) {
		t.Errorf("%d cases for %d modules", len(cases), len(modules))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m := modules[c.Name]
			set(t, m, c.Parameters)
			x := c.X.tensor()
			if c.DX != nil {
				if err := x.RequireGrad(); err != nil {
					t.Fatal(err)
				}
			}
			plain, err := m.Forward(x.Detach(), Eval)
			if err != nil {
				t.Fatal(err)
			}
			if plain.RequiresGrad() {
				t.Error("Eval records")
			}
			near(t, "y", plain, &c.Y)
			y, err := m.Forward(x, Train(1))
			if err != nil {
				t.Fatal(err)
			}
			near(t, "y", y, &c.Y)
			if err := y.BackwardWith(c.Cotangent.tensor()); err != nil {
				t.Fatal(err)
			}
			if c.DX != nil {
				near(t, "dx", x.Grad(), c.DX)
			}
			for _, p := range m.Parameters() {
				g := c.Gradients[p.Name]
				near(t, "d"+p.Name, p.Tensor.Grad(), &g)
			}
			if c.DX == nil {
				return
			}
			ZeroGrad(m)
			x.ZeroGrad()
			if y, err = m.Forward(x, Eval); err == nil {
				err = y.BackwardWith(c.Cotangent.tensor())
			}
			if err != nil {
				t.Fatal(err)
			}
			near(t, "dx of Eval", x.Grad(), c.DX)
			for _, p := range m.Parameters() {
				if p.Tensor.Grad() != nil {
					t.Errorf("%s got a gradient from Eval", p.Name)
				}
			}
		})
	}
}

// TestTorchTraining trains a network as PyTorch does, step by step: cross entropy, Adam with weight decay, and a schedule.
func TestTorchTraining(t *testing.T) {
	var c struct {
		X, T       array
		Start, End map[string]array
		Losses     []float64
	}
	if err := json.Unmarshal(trainJSON, &c); err != nil {
		t.Fatal(err)
	}
	b := New(runtime.F64, runtime.NewSeed(1))
	net := Sequential{b.Linear(4, 6, nil), Func(activation.Relu), b.Linear(6, 3, nil)}
	set(t, net, c.Start)
	opt, err := optim.NewAdam(Tensors(net), &optim.AdamAttrs{WeightDecay: new(0.01)})
	if err != nil {
		t.Fatal(err)
	}
	if err := opt.SetSchedule("lr", runtime.StepDecay(0.05, 0.5, 5)); err != nil {
		t.Fatal(err)
	}
	x, labels := c.X.tensor(), c.T.tensor()
	for i, want := range c.Losses {
		opt.ZeroGrad()
		y, err := net.Forward(x, Train(opt.Steps()+1))
		if err != nil {
			t.Fatal(err)
		}
		l, err := loss.CrossEntropy(y, labels, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Backward(); err != nil {
			t.Fatal(err)
		}
		if err := opt.Step(); err != nil {
			t.Fatal(err)
		}
		if got := runtime.Must(l.Item()); math.Abs(got-want) > 1e-10 {
			t.Errorf("step %d: loss %v, want %v", i+1, got, want)
		}
	}
	for _, p := range net.Parameters() {
		want := c.End[p.Name]
		for i, g := range runtime.Must(runtime.Values[float64](p.Tensor)) {
			if math.Abs(g-want.Data[i]) > 1e-10 {
				t.Errorf("%s: element %d is %v, want %v", p.Name, i, g, want.Data[i])
			}
		}
	}
}
