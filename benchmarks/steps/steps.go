// Package steps has optimizers with parameters of several sizes, to be measured.
package steps

import (
	"errors"

	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/runtime"
)

// Shape is parameters of an optimizer: how many of which number of elements.
type Shape struct {
	Name   string
	Params [][2]int // how many, of how many elements
}

// Shapes have 100,000 elements, or those of the layers of a small transformer.
var Shapes = []Shape{
	{"1 × 100,000", [][2]int{{1, 100_000}}},
	{"200 × 500", [][2]int{{200, 500}}},
	{"1,000 × 100", [][2]int{{1000, 100}}},
	{"10,000 × 10", [][2]int{{10_000, 10}}},
	{"1 × 790,272", [][2]int{{1, 790_272}}},
	{"4 layers of width 128", [][2]int{{4 * 4, 128 * 128}, {4 * 4, 128}, {4, 128 * 512}, {4, 512}, {4, 512 * 128}, {4, 128}, {4 * 4, 128}}},
}

// Elements is the number of elements of all parameters.
func (s *Shape) Elements() int {
	n := 0
	for _, p := range s.Params {
		n += p[0] * p[1]
	}
	return n
}

// Tensors makes the parameters, one of each kind in turn.
func (s *Shape) Tensors() ([]*runtime.Tensor, error) {
	var list []*runtime.Tensor
	for i := 0; ; i++ {
		before := len(list)
		for _, p := range s.Params {
			if i >= p[0] {
				continue
			}
			t, err := runtime.New(runtime.F32, p[1])
			if err != nil {
				return nil, err
			}
			if err := errors.Join(t.Fill(1), t.RequireGrad()); err != nil {
				return nil, err
			}
			list = append(list, t)
		}
		if len(list) == before {
			return list, nil
		}
	}
}

// Backward gives each parameter a gradient, as the Backward of a loss does.
func Backward(params []*runtime.Tensor) error {
	for _, t := range params {
		g, err := runtime.New(t.DType(), t.Shape()...)
		if err != nil {
			return err
		}
		if err := errors.Join(g.Fill(0.5), t.BackwardWith(g)); err != nil {
			return err
		}
	}
	return nil
}

// Optimizers are those that are measured.
var Optimizers = []struct {
	Name string
	New  func([]*runtime.Tensor) (*runtime.Optimizer, error)
}{
	{"sgd", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewSGD(p, 1e-9, nil)
		return o.Optimizer, err
	}},
	{"momentum sgd", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewMomentumSGD(p, 1e-9, nil)
		return o.Optimizer, err
	}},
	{"adam", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewAdam(p, &optim.AdamAttrs{Lr: new(1e-9)})
		return o.Optimizer, err
	}},
	{"nadam", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewNadam(p, &optim.NadamAttrs{Lr: new(1e-9)})
		return o.Optimizer, err
	}},
	{"lars", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewLars(p, 1e-9, nil)
		return o.Optimizer, err
	}},
	{"lamb", func(p []*runtime.Tensor) (*runtime.Optimizer, error) {
		o, err := optim.NewLamb(p, &optim.LambAttrs{Lr: new(1e-9)})
		return o.Optimizer, err
	}},
}
