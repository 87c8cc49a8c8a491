package runtime

import "fmt"

// State describes a tensor that an optimizer keeps for each parameter.
type State struct {
	Name   string
	Scalar bool    // without axes; else shaped as the parameter
	Init   float64 // what its elements start at
}

// Slot is a parameter of an optimizer and what is kept for it.
type Slot struct {
	Param *Tensor
	Group int       // index of the group of attributes
	State []*Tensor // in the order in which the op declares them
	Step  int       // number of the update: 1 for the first
}

// Optimizer is the base of generated optimizers: which parameters, and what is kept for each.
type Optimizer struct {
	op     string
	states []State
	slots  []*Slot
	groups int
}

// NewOptimizer makes an optimizer without parameters, for an update op that keeps states.
func NewOptimizer(op string, states ...State) *Optimizer {
	return &Optimizer{op: op, states: states}
}

// AddGroup adds parameters that share attributes, and returns the number of their group. They must require gradients, be of a dtype in
// dtypes and contiguous, and be there once, without overlap.
func (o *Optimizer) AddGroup(params []*Tensor, dtypes DTypes) (int, error) {
	wrong := func(i int, kind error, want, got string) (int, error) {
		return 0, &ArgError{Op: o.op, Arg: fmt.Sprintf("params[%d]", i), Want: want, Got: got, Err: kind}
	}
	var slots []*Slot
	for i, p := range params {
		switch {
		case p == nil:
			return wrong(i, ErrNil, "a tensor", "nil")
		case !dtypes.Has(p.dtype):
			return wrong(i, ErrDType, dtypes.String(), p.dtype.String())
		case p.device != CPU:
			return wrong(i, ErrDevice, CPU.String(), p.device.String())
		case p.auto == nil:
			return wrong(i, ErrGrad, "a tensor with RequireGrad", p.describe())
		case p.recorded():
			return wrong(i, ErrGrad, "a leaf", "the result of "+p.auto.node.op)
		case hasZeroStride(p.dims(), p.strides()):
			return wrong(i, ErrAlias, "elements that don't share memory", p.describe())
		}
		for _, s := range append(o.slots, slots...) {
			if s.Param == p {
				return wrong(i, ErrAlias, "each parameter once", "one that is there already")
			}
			if overlap(s.Param, p) {
				return wrong(i, ErrAlias, "parameters apart from each other", "memory that overlaps another one")
			}
		}
		slots = append(slots, &Slot{Param: p, Group: o.groups})
	}
	for _, s := range slots {
		for _, st := range o.states {
			s.State = append(s.State, st.make(s.Param))
		}
	}
	o.slots = append(o.slots, slots...)
	o.groups++
	return o.groups - 1, nil
}

// make is the state for a parameter, at its start.
func (s State) make(p *Tensor) *Tensor {
	shape, n := p.dims(), p.n
	if s.Scalar {
		shape, n = nil, 1
	}
	t := newTensor(p.dtype, shape, n)
	if s.Init != 0 && n > 0 {
		// The tensor is new and contiguous: nothing can be wrong with it.
		_ = t.Fill(s.Init)
	}
	return t
}

// Each calls update for every parameter that has a gradient, after counting its step. Gradients are checked before the
// first update, so that on an error in one of them nothing was changed.
func (o *Optimizer) Each(update func(s *Slot, grad *Tensor) error) error {
	for i, s := range o.slots {
		g := s.Param.Grad()
		if g == nil {
			continue
		}
		if g.dtype != s.Param.dtype || !sameShape(g, s.Param) || g.device != s.Param.device {
			return &ArgError{Op: o.op, Arg: fmt.Sprintf("params[%d]", i), Want: "a gradient " + s.Param.describe(), Got: g.describe(), Err: ErrShape}
		}
	}
	for _, s := range o.slots {
		g := s.Param.Grad()
		if g == nil {
			continue
		}
		s.Step++
		if err := update(s, g); err != nil {
			s.Step--
			return err
		}
	}
	return nil
}

// ZeroGrad drops the gradients of all parameters.
func (o *Optimizer) ZeroGrad() {
	for _, s := range o.slots {
		s.Param.ZeroGrad()
	}
}

// Params is the parameters, in the order in which they were added.
func (o *Optimizer) Params() []*Tensor {
	ps := make([]*Tensor, len(o.slots))
	for i, s := range o.slots {
		ps[i] = s.Param
	}
	return ps
}

// Slots is the parameters with what is kept for them: to save and restore an optimizer.
func (o *Optimizer) Slots() []*Slot { return o.slots }

// State is a state of parameter i by name, or nil.
func (o *Optimizer) State(i int, name string) *Tensor {
	for k, s := range o.states {
		if s.Name == name && i >= 0 && i < len(o.slots) {
			return o.slots[i].State[k]
		}
	}
	return nil
}
