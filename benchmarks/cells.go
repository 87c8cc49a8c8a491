package main

import (
	"slices"

	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// Attributes, the same for all contestants. PyTorch's are in torch_bench.py.
const (
	beta        = 1.0
	lr          = 1e-3
	momentum    = 0.9
	weightDecay = 1e-4
	eps         = 1e-5
)

// extent is the number of elements of an array.
type extent int

const (
	full extent = iota // all
	wide               // one row
	tall               // one for each row
	one                // one number
)

// op is an op that is measured. C and PyTorch know it by its name; the order is that of the enum in c/cell.h.
type op struct {
	name            string
	rows            bool     // has rows
	inputs, outputs []extent // as the formula has them
	inPlace         []int    // outputs that start as these inputs, and take their place
	reads, writes   int      // arrays of n elements that must be read and written: the memory limit
	tolerance       float64  // of the check, relative to the largest value: see check
	attrs           [3]float32
	derive          func(*load)             // fills inputs that are not free
	reference       func(*load) [][]float64 // outputs in float64
	ours            func(*load) func() error
	scratch         func(l *load, threads int) [][]float32 // what C needs beyond inputs and outputs
}

// index is the number of the op in C.
func (o *op) index() int { return slices.IndexFunc(ops, func(x op) bool { return x.name == o.name }) }

var ops = []op{
	{
		name: "smooth_l1_none", inputs: []extent{full, full}, outputs: []extent{full}, reads: 2, writes: 1,
		tolerance: 1e-5, attrs: [3]float32{beta},
		reference: smoothL1,
		ours: func(l *load) func() error {
			a := &loss.SmoothL1Attrs{Reduction: loss.ReductionNone}
			return func() error { return loss.SmoothL1Into(l.out[0], l.in[0], l.in[1], a) }
		},
	},
	{
		name: "smooth_l1_mean", inputs: []extent{full, full}, outputs: []extent{one}, reads: 2,
		tolerance: 1e-3, attrs: [3]float32{beta}, // C and PyTorch sum ten million numbers in few lanes
		reference: smoothL1Mean,
		ours: func(l *load) func() error {
			return func() error { return loss.SmoothL1Into(l.out[0], l.in[0], l.in[1], nil) }
		},
	},
	{
		name: "smooth_l1_none_backward", inputs: []extent{full, full, full}, outputs: []extent{full, full}, reads: 3, writes: 2,
		tolerance: 1e-5, attrs: [3]float32{beta},
		reference: smoothL1Backward,
		ours: func(l *load) func() error {
			a := &loss.SmoothL1Attrs{Reduction: loss.ReductionNone}
			return func() error {
				return loss.SmoothL1BackwardInto(l.out[0], l.out[1], l.in[2], l.in[0], l.in[1], a)
			}
		},
	},
	{
		name: "smooth_l1_mean_backward", inputs: []extent{full, full, one}, outputs: []extent{full, full}, reads: 2, writes: 2,
		tolerance: 1e-5, attrs: [3]float32{beta},
		reference: smoothL1MeanBackward,
		ours: func(l *load) func() error {
			return func() error {
				return loss.SmoothL1BackwardInto(l.out[0], l.out[1], l.in[2], l.in[0], l.in[1], nil)
			}
		},
	},
	{
		name: "momentum_sgd", inputs: []extent{full, full, full}, outputs: []extent{full, full}, inPlace: []int{0, 2}, reads: 3, writes: 2,
		tolerance: 1e-5, attrs: [3]float32{lr, momentum, weightDecay},
		reference: momentumSGD,
		ours: func(l *load) func() error {
			a := &optim.MomentumSGDAttrs{Momentum: new(momentum), WeightDecay: new(weightDecay)}
			return func() error { return optim.MomentumSGDInto(l.out[0], l.in[1], l.out[1], 2, lr, a) }
		},
	},
	{
		name: "softmax", rows: true, inputs: []extent{full}, outputs: []extent{full}, reads: 1, writes: 1,
		tolerance: 1e-5,
		reference: softmax,
		ours: func(l *load) func() error {
			return func() error { return reduce.SoftmaxInto(l.out[0], l.in[0], nil) }
		},
	},
	{
		name: "softmax_backward", rows: true, inputs: []extent{full, full, full}, outputs: []extent{full}, reads: 2, writes: 1,
		tolerance: 1e-5,
		derive:    func(l *load) { round(l.values(1), softmax(l)[0]) },
		reference: softmaxBackward,
		ours: func(l *load) func() error {
			return func() error { return reduce.SoftmaxBackwardInto(l.out[0], l.in[2], l.in[0], l.in[1], nil) }
		},
	},
	{
		name: "layer_norm", rows: true, inputs: []extent{full, wide, wide}, outputs: []extent{full}, reads: 1, writes: 1,
		tolerance: 1e-5, attrs: [3]float32{eps},
		reference: layerNorm,
		scratch: func(l *load, threads int) [][]float32 {
			return [][]float32{make([]float32, l.rows), make([]float32, l.rows)}
		},
		ours: func(l *load) func() error {
			return func() error { return norm.LayerNormInto(l.out[0], l.in[0], l.in[1], l.in[2], nil) }
		},
	},
	{
		name: "layer_norm_backward", rows: true, inputs: []extent{full, wide, wide, full}, outputs: []extent{full, wide, wide}, reads: 2, writes: 1,
		tolerance: 1e-4, attrs: [3]float32{eps}, // sums over all rows
		reference: layerNormBackward,
		scratch: func(l *load, threads int) [][]float32 {
			mean, rstd := statistics(l)
			return [][]float32{mean, rstd, make([]float32, 2*l.width*threads)}
		},
		ours: func(l *load) func() error {
			return layerNormGradients(l)
		},
	},
}

// layerNormGradients is the backward pass, after a forward pass that keeps what it reads.
func layerNormGradients(l *load) func() error {
	mean, square := l.tensor(tall), l.tensor(tall)
	y, err := runtime.New(runtime.F32, l.rows, l.width)
	if err == nil {
		err = norm.LayerNormSaveInto(y, mean, square, l.in[0], l.in[1], l.in[2], nil)
	}
	return func() error {
		if err != nil {
			return err
		}
		return norm.LayerNormBackwardInto(l.out[0], l.out[1], l.out[2], l.in[3], l.in[0], l.in[1], l.in[2], mean, square, nil)
	}
}
