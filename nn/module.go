// Package nn has layers of neural networks: parameters together with the op that uses them. Nothing is global: a layer is its exported
// fields, how a call runs is an argument of it ([Mode]), and random numbers are functions of seeds.
package nn

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/opgen/opgen/runtime"
)

// Module is a part of a network. Several goroutines may call Forward at once.
type Module interface {
	// Forward computes the output for an input.
	Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error)
	// Parameters are the parameters, always in the same order; also what is saved with them and gets no gradient, such as running
	// statistics.
	Parameters() []Parameter
}

// Parameter is a parameter with its name in the module.
type Parameter = runtime.NamedTensor

// Mode says what a call of Forward is for.
type Mode int64

const (
	// Eval is for a network in use: nothing is dropped, and parameters take no part in gradients. So nothing is recorded, unless x
	// requires a gradient.
	Eval Mode = 0
	// Tune is Eval with gradients of the parameters.
	Tune Mode = -1
)

// Train is for training. call, from 0 on, is the number of the call: layers that drop elements drop others in each call, and the
// same again in a call with the same number. The number of the step of the optimizer is a good one. Layers that draw numbers refuse one below 0.
func Train(call int64) Mode {
	if call < 0 {
		return Mode(max(call, math.MinInt64+1) - 1)
	}
	return Mode(min(call, math.MaxInt64-1) + 1)
}

// Training reports whether m came from Train, and the number of the call.
func (m Mode) Training() (call int64, ok bool) {
	switch {
	case m > Eval:
		return int64(m) - 1, true
	case m < Tune:
		return int64(m) + 1, true
	}
	return 0, false
}

// read is a parameter as a call in this mode reads it; done gives it back.
func (m Mode) read(p *runtime.Tensor) *runtime.Tensor {
	if m == Eval {
		return p.Detach()
	}
	return p
}

func (m Mode) done(list ...*runtime.Tensor) {
	if m == Eval {
		for _, p := range list {
			p.Release()
		}
	}
}

// Sequential is modules one after the other. Its parameters are called "0.weight", "0.bias", "2.weight".
type Sequential []Module

// Forward gives x to the first module, what it gives to the next, and so on.
func (s Sequential) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	for i, m := range s {
		if m == nil {
			return nil, &runtime.ArgError{Op: "nn.Sequential", Arg: strconv.Itoa(i), Want: "a module", Got: "nil", Err: runtime.ErrNil}
		}
		y, err := m.Forward(x, mode)
		if err != nil {
			return nil, fmt.Errorf("module %d: %w", i, err)
		}
		x = y
	}
	return x, nil
}

// Parameters are those of all modules.
func (s Sequential) Parameters() []Parameter {
	var list Children
	for i, m := range s {
		list = append(list, Child{strconv.Itoa(i), m})
	}
	return list.Parameters()
}

// Child is a module with its name in another one.
type Child struct {
	Name   string
	Module Module
}

// Children are the modules of a module of one's own, in a fixed order: they make its Parameters method.
//
//	func (n *Net) Parameters() []nn.Parameter {
//		return nn.Children{{"hidden", n.Hidden}, {"scores", n.Scores}}.Parameters()
//	}
type Children []Child

// Parameters are those of all modules, as "hidden.weight".
func (c Children) Parameters() []Parameter {
	var list []Parameter
	for _, m := range c {
		if m.Module == nil {
			continue
		}
		for _, p := range m.Module.Parameters() {
			list = append(list, Parameter{Name: m.Name + "." + p.Name, Tensor: p.Tensor})
		}
	}
	return list
}

// own is the parameters of a layer that are there.
func own(list ...Parameter) []Parameter {
	var r []Parameter
	for _, p := range list {
		if p.Tensor != nil {
			r = append(r, p)
		}
	}
	return r
}

// distinct is the parameters of a module, each tensor once, under its first name.
func distinct(m Module) []Parameter {
	var list []Parameter
	seen := map[*runtime.Tensor]bool{}
	for _, p := range m.Parameters() {
		if p.Tensor != nil && !seen[p.Tensor] {
			seen[p.Tensor] = true
			list = append(list, p)
		}
	}
	return list
}

// trained are the parameters that require gradients.
func trained(m Module) []Parameter {
	return slices.DeleteFunc(distinct(m), func(p Parameter) bool { return !p.Tensor.RequiresGrad() })
}

// Tensors are the parameters of a module that require gradients, each once, for an optimizer.
func Tensors(m Module) []*runtime.Tensor {
	var list []*runtime.Tensor
	for _, p := range trained(m) {
		list = append(list, p.Tensor)
	}
	return list
}

// Names are those of Tensors, for the SetNames method of an optimizer.
func Names(m Module) []string {
	var list []string
	for _, p := range trained(m) {
		list = append(list, p.Name)
	}
	return list
}

// Count is the number of elements of all parameters that require gradients.
func Count(m Module) int {
	n := 0
	for _, t := range Tensors(m) {
		n += t.Len()
	}
	return n
}

// ZeroGrad drops the gradients of all parameters.
func ZeroGrad(m Module) {
	for _, t := range Tensors(m) {
		t.ZeroGrad()
	}
}

// maxCall is the greatest number of a call that random numbers tell apart.
const maxCall = math.MaxUint32
