package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/nn"
	"github.com/opgen/opgen/runtime"
)

// batch is a part of the data as tensors.
type batch struct {
	x, t   *runtime.Tensor
	labels []int32
}

func newBatch(rows [][]float32) (batch, error) {
	var x []float32
	var b batch
	for _, r := range rows {
		for _, p := range r[:64] {
			x = append(x, p/16)
		}
		b.labels = append(b.labels, int32(r[64]))
	}
	var err error
	if b.x, err = runtime.FromSlice(x, len(rows), 64); err != nil {
		return b, err
	}
	b.t, err = runtime.FromSlice(b.labels, len(rows))
	return b, err
}

// digits trains the network on images of 8×8 pixels with mini-batches and cross entropy.
func digits() (panel, error) {
	rows, err := table("digits.csv.gz")
	if err != nil {
		return panel{}, err
	}
	train, test := split(rows, 0.2)
	fmt.Printf("\nTwo-layer network, digits: %d images, %d held out\n", len(train), len(test))
	r := rand.New(rand.NewPCG(3, 4))
	b := nn.New(runtime.F32, runtime.NewSeed(3))
	start := &nn.Options{Weight: nn.KaimingUniform(nn.GainRelu), Bias: nn.Constant(0)}
	net := nn.Sequential{b.Linear(64, 256, start), nn.Func(activation.Relu), b.Linear(256, 10, start)}
	if err := b.Err(); err != nil {
		return panel{}, err
	}
	opt, err := optim.NewMomentumSGD(nn.Tensors(net), 0.1, &optim.MomentumSGDAttrs{WeightDecay: new(1e-4)})
	if err != nil {
		return panel{}, err
	}
	held, err := newBatch(test)
	if err != nil {
		return panel{}, err
	}
	const epochs, size = 40, 32
	trained, right := curve{name: "training loss"}, curve{name: "held-out accuracy"}
	for epoch := 1; epoch <= epochs; epoch++ {
		r.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		total := 0.0
		for i := 0; i < len(train); i += size {
			part := train[i:min(i+size, len(train))]
			l, err := step(net, opt, part)
			if err != nil {
				return panel{}, err
			}
			total += l * float64(len(part))
		}
		acc, err := accuracy(net, held)
		if err != nil {
			return panel{}, err
		}
		trained.values, right.values = append(trained.values, total/float64(len(train))), append(right.values, acc)
		if epoch%8 == 0 || epoch == 1 {
			fmt.Printf("  epoch %2d  loss %.4f  held-out accuracy %.2f %%\n", epoch, total/float64(len(train)), 100*acc)
		}
	}
	final := right.values[epochs-1]
	if final < 0.96 {
		return panel{}, fmt.Errorf("the network got %.2f %% of the held-out digits right, less than 96 %%", 100*final)
	}
	return panel{title: "digits: two-layer network", y: "loss, accuracy", curves: []curve{trained, right}, level: &level{"96 %", 0.96}}, nil
}

// step trains on one mini-batch and returns its loss.
func step(net nn.Module, opt *optim.MomentumSGD, rows [][]float32) (float64, error) {
	b, err := newBatch(rows)
	if err != nil {
		return 0, err
	}
	opt.ZeroGrad()
	y, err := net.Forward(b.x, nn.Train(opt.Steps()+1))
	if err != nil {
		return 0, err
	}
	l, err := loss.CrossEntropy(y, b.t, nil, nil)
	if err != nil {
		return 0, err
	}
	if err := l.Backward(); err != nil {
		return 0, err
	}
	if err := opt.Step(); err != nil {
		return 0, err
	}
	return l.Item()
}

// accuracy is the share of images whose greatest score is that of their class.
func accuracy(net nn.Module, b batch) (float64, error) {
	y, err := net.Forward(b.x, nn.Eval)
	if err != nil {
		return 0, err
	}
	scores, err := runtime.Values[float32](y)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, label := range b.labels {
		best := 0
		for k, s := range scores[10*i : 10*i+10] {
			if s > scores[10*i+best] {
				best = k
			}
		}
		if int32(best) == label {
			right++
		}
	}
	return float64(right) / float64(len(b.labels)), nil
}
