package nn_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/pointwise"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/nn"
	"github.com/opgen/opgen/runtime"
)

// check ends the program on an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The functions below are the program text of docs/training.md.

func Example_gradients() {
	x := runtime.Must(runtime.FromSlice([]float32{1, 2, 3, 4}, 2, 2)) // over the slice, without a copy
	w := runtime.Must(runtime.FromSlice([]float32{1, -1}, 1, 2))
	check(w.RequireGrad()) // before it is used

	y := runtime.Must(linalg.Linear(x, w, nil))
	l := runtime.Must(loss.MSE(y, runtime.Must(runtime.New(runtime.F32, 2, 1)), nil))
	check(l.Backward())
	fmt.Println(runtime.Must(l.Item()), runtime.Must(runtime.Values[float32](w.Grad())))
	w.ZeroGrad()
	// Output: 1 [-4 -6]
}

func Example_hook() {
	w := runtime.Must(runtime.FromSlice([]float32{3, 4}, 2))
	check(w.RequireGrad())
	remove, err := w.Hook(func(g *runtime.Tensor) (*runtime.Tensor, error) {
		return nil, optim.ClipGradNormInto(g, 1)
	})
	check(err)
	defer remove()
	check(w.Clone().BackwardWith(w))
	fmt.Printf("%.1f\n", runtime.Must(runtime.Values[float32](w.Grad())))
	// Output: [0.6 0.8]
}

// residual is a layer of one's own: x + f(x).
type residual struct {
	Hidden, Out *nn.Linear
}

func newResidual(b *nn.Builder, size int) *residual {
	return &residual{b.Linear(size, 4*size, nil), b.Linear(4*size, size, &nn.Options{Weight: nn.Constant(0)})}
}

func (r *residual) Forward(x *runtime.Tensor, mode nn.Mode) (*runtime.Tensor, error) {
	h, err := nn.Sequential{r.Hidden, nn.Func(activation.Relu), r.Out}.Forward(x, mode)
	if err != nil {
		return nil, err
	}
	return pointwise.Add(x, h, nil)
}

func (r *residual) Parameters() []nn.Parameter {
	return nn.Children{{Name: "hidden", Module: r.Hidden}, {Name: "out", Module: r.Out}}.Parameters()
}

func network(key uint64) nn.Sequential {
	b := nn.New(runtime.F32, runtime.NewSeed(key))
	net := nn.Sequential{
		b.Linear(2, 16, nil),
		newResidual(b, 16),
		b.LayerNorm(16),
		b.Dropout(0.1),
		b.Linear(16, 2, nil),
	}
	check(b.Err())
	return net
}

func Example() {
	net := network(1)
	fmt.Println(nn.Count(net), nn.Names(net)[:4])
	// Output: 2242 [0.weight 0.bias 1.hidden.weight 1.hidden.bias]
}

func newOptimizer(net nn.Module) *optim.Adam {
	opt, err := optim.NewAdam(nn.Tensors(net), &optim.AdamAttrs{WeightDecay: new(1e-4)})
	check(err)
	check(opt.SetNames(nn.Names(net)...))
	check(opt.SetSchedule("lr", runtime.Cosine(0.01, 0, 5, 60)))
	return opt
}

func train(net nn.Module, opt *optim.Adam, x, labels *runtime.Tensor, steps int) (last float64) {
	for range steps {
		opt.ZeroGrad()
		y, err := net.Forward(x, nn.Train(opt.Steps()+1))
		check(err)
		l, err := loss.CrossEntropy(y, labels, nil, nil)
		check(err)
		check(l.Backward())
		check(optim.ClipGradNormAll(runtime.Grads(nn.Tensors(net)...), 1))
		check(opt.Step())
		last = runtime.Must(l.Item())
	}
	return last
}

func Example_training() {
	x := runtime.Must(runtime.FromSlice([]float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2))
	labels := runtime.Must(runtime.FromSlice([]int32{0, 1, 1, 0}, 4)) // exclusive or
	net := network(1)
	opt := newOptimizer(net)
	fmt.Println(train(net, opt, x, labels, 60) < 0.1)

	y := runtime.Must(net.Forward(x, nn.Eval))
	best := runtime.Must(reduce.Argmax(y, &reduce.ArgmaxAttrs{Axes: []int{-1}}))
	fmt.Println(runtime.Must(runtime.Values[int64](best)))
	// Output:
	// true
	// [0 1 1 0]
}

func Example_saving() {
	x := runtime.Must(runtime.FromSlice([]float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2))
	labels := runtime.Must(runtime.FromSlice([]int32{0, 1, 1, 0}, 4))
	net := network(1)
	opt := newOptimizer(net)
	train(net, opt, x, labels, 30)

	var parameters, state bytes.Buffer // or files
	check(nn.Save(&parameters, net))
	check(opt.Save(&state))
	straight := train(net, opt, x, labels, 30)

	again := network(1) // of the same seed: Dropout goes on with its numbers
	opt = newOptimizer(again)
	check(nn.Load(&parameters, again))
	check(opt.Load(&state))
	fmt.Println(train(again, opt, x, labels, 30) == straight)
	// Output: true
}
