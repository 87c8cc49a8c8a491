package runtime

import (
	"fmt"
	"slices"
	"strconv"
)

// Optimizer is the base of generated optimizers: parameters in groups that share attributes, and what is kept for each
// parameter. It is not safe for use by several goroutines at once; different optimizers are.
type Optimizer struct {
	rule      *Rule
	slots     []*Slot
	names     []string     // of the parameters; nil: their numbers
	groups    []Attributes // nil elements where the op has no attributes
	schedules []schedule
	steps     int64
	calls     calls
	undo      []scheduled // what schedules have changed for a step
}

// NewOptimizer makes an optimizer without parameters.
func NewOptimizer(r *Rule) *Optimizer {
	return &Optimizer{rule: r, calls: calls{rule: r, steps: true, totals: make([]*Tensor, len(r.Totals))}}
}

// AddGroup adds parameters that share attributes, and gives the number of their group. They must require gradients, be of a
// dtype of the op, and be there once, without overlap. Where the op has totals all parameters are of one dtype.
// Small ones may be moved side by side in memory, if nobody else has theirs; nothing may use them meanwhile.
func (o *Optimizer) AddGroup(params []*Tensor, v Attributes) (int, error) {
	sig := o.rule.signature()
	dtypes := sig.Vars[sig.Params[o.rule.Param].Elem.Var].DTypes
	for i, p := range params {
		wrong := func(kind error, want, got string) (int, error) {
			return 0, &ArgError{Op: o.rule.Op, Arg: fmt.Sprintf("params[%d]", i), Want: want, Got: got, Err: kind}
		}
		switch {
		case p == nil:
			return wrong(ErrNil, "a tensor", "nil")
		case !dtypes.Has(p.dtype):
			return wrong(ErrDType, dtypes.String(), p.dtype.String())
		case p.device != CPU:
			return 0, deviceError(o.rule.Op, fmt.Sprintf("params[%d]", i), p)
		case p.auto == nil:
			return wrong(ErrGrad, "a tensor with RequireGrad", p.describe())
		case p.recorded():
			return wrong(ErrGrad, "a leaf", "the result of "+p.auto.node.op)
		case !o.rule.fits(p):
			return wrong(ErrShape, o.rule.axesText(), p.describe())
		case hasZeroStride(p.dims(), p.strides()):
			return wrong(ErrAlias, "elements that don't share memory", p.describe())
		case len(o.rule.Totals) > 0 && p.dtype != o.dtype(params):
			return wrong(ErrDType, o.dtype(params).String()+" as the other parameters", p.dtype.String())
		}
	}
	all := append(o.Params(), params...)
	at, want, got := overlapping(all), "parameters apart from each other", "memory that overlaps another one"
	seen := map[*Tensor]bool{}
	for i, p := range all {
		if seen[p] {
			at, want, got = i, "each parameter once", "one that is there already"
		}
		seen[p] = true
	}
	if at >= len(o.slots) {
		return 0, &ArgError{Op: o.rule.Op, Arg: fmt.Sprintf("params[%d]", at-len(o.slots)), Want: want, Got: got, Err: ErrAlias}
	}
	if o.rule.side() {
		moveTogether(params)
	}
	o.addSlots(params, v)
	o.groups = append(o.groups, v)
	o.names = nil
	return len(o.groups) - 1, nil
}

// dtype is what the first parameter has.
func (o *Optimizer) dtype(params []*Tensor) DType {
	if len(o.slots) > 0 {
		return o.slots[0].Param.dtype
	}
	return params[0].dtype
}

// overlapping finds a tensor that has memory of an earlier one of the list; -1 where there is none.
func overlapping(list []*Tensor) int {
	order := make([]int, 0, len(list))
	for i, t := range list {
		if t.n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, _ := list[a].memory()
		q, _ := list[b].memory()
		switch {
		case p < q:
			return -1
		case p > q:
			return 1
		}
		return 0
	})
	at := -1
	for k := 1; k < len(order); k++ {
		if a, b := order[k-1], order[k]; overlap(list[a], list[b]) {
			at = max(at, a, b)
		}
	}
	return at
}

// addSlots makes what is kept for parameters, side by side in memory: a step goes through all of it.
func (o *Optimizer) addSlots(params []*Tensor, v Attributes) {
	r := o.rule
	sig := r.signature()
	variable := sig.Params[r.Param].Elem.Var
	slots := make([]Slot, len(params))
	tensors := make([]*Tensor, len(params)*len(sig.Params))
	stores := make([]storage, len(params)) // one for all states and outputs of a parameter, which are written together
	for i, p := range params {
		s := &slots[i]
		s.Param, s.Group, s.Values = p, len(o.groups), v
		s.tensors, tensors = tensors[:len(sig.Params):len(sig.Params)], tensors[len(sig.Params):]
		s.tensors[r.Param] = p
		s.at = len(o.slots)
		s.number = s.at
		stores[i].tensors.Store(int64(len(r.States) + len(r.Outputs)))
		o.slots = append(o.slots, s)
	}
	added := o.slots[len(o.slots)-len(params):]
	o.calls.slabs = append(o.calls.slabs, r.makeStates(added, stores, v))
	for _, s := range added {
		var vars [MaxVars]DType
		vars[variable&(MaxVars-1)] = s.Param.dtype
		for k, t := range r.Totals {
			if o.calls.totals[k] == nil {
				o.calls.totals[k] = newTotal(sig.Params[t.All].Elem, &vars)
			}
			s.tensors[t.Part], s.tensors[t.All] = newTotal(sig.Params[t.Part].Elem, &vars), o.calls.totals[k]
		}
	}
}

// Step updates all parameters that have a gradient, in one call of the op. One without a gradient is left as it is, its state too, and the
// step isn't counted for it. Schedules are asked first. On an error nothing was changed.
func (o *Optimizer) Step() error { return o.StepWith() }

// StepWith is Step of an update with inputs beside the gradients: for each of them, in the order of the signature, a tensor for each parameter,
// or one for all.
func (o *Optimizer) StepWith(extra ...[]*Tensor) error {
	if err := o.takeExtra(extra); err != nil {
		return err
	}
	defer o.dropExtra()
	if err := o.applySchedules(); err != nil {
		return err
	}
	if c := &o.calls; len(c.slots) != len(o.slots) || c.stale() {
		c.slots = o.slots
		c.cut()
	}
	if err := o.calls.run(); err != nil {
		o.undoSchedules()
		return err
	}
	o.steps++
	return nil
}

// takeExtra checks the inputs of a step beside gradients.
func (o *Optimizer) takeExtra(extra [][]*Tensor) error {
	r := o.rule
	if len(extra) != len(r.Extra) {
		return &ArgError{Op: r.Op, Arg: "inputs", Want: fmt.Sprintf("%d lists of tensors beside the gradients", len(r.Extra)), Got: strconv.Itoa(len(extra)), Err: ErrNil}
	}
	if len(extra) == 0 {
		return nil
	}
	params := r.signature().Params
	lists := make([][]*Tensor, len(params))
	for i, l := range extra {
		if len(l) != len(o.slots) && len(l) != 1 {
			return &ArgError{Op: r.Op, Arg: params[r.Extra[i]].Name, Want: fmt.Sprintf("%d tensors, or one", len(o.slots)), Got: strconv.Itoa(len(l)), Err: ErrShape}
		}
		for k := range o.slots {
			lists[r.Extra[i]] = append(lists[r.Extra[i]], l[min(k, len(l)-1)])
		}
	}
	for _, s := range o.slots {
		lists[r.Param] = append(lists[r.Param], s.Param)
		for k, st := range r.States {
			lists[st.At] = append(lists[st.At], s.State[k])
		}
	}
	if err := r.apart(lists); err != nil {
		return err
	}
	o.calls.extra = extra
	return nil
}

// dropExtra forgets the tensors of a step.
func (o *Optimizer) dropExtra() {
	if o.calls.extra == nil {
		return
	}
	o.calls.extra = nil
	for _, s := range o.slots {
		for _, i := range o.rule.Extra {
			s.tensors[i] = nil
		}
		s.Bound = Bound{}
	}
}

// Steps is how often Step was called, without those calls that ended with an error.
func (o *Optimizer) Steps() int64 { return o.steps }

// ZeroGrad drops the gradients of all parameters.
func (o *Optimizer) ZeroGrad() {
	c := &o.calls
	if len(c.batches) == 0 || len(c.slots) != len(o.slots) {
		for _, s := range o.slots {
			s.Param.ZeroGrad()
		}
		return
	}
	for _, list := range [][]int{c.order, c.large} {
		for _, i := range list {
			c.slots[i].Param.ZeroGrad()
		}
	}
	for _, b := range c.batches {
		b.zeroGrad()
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

// Slots is the parameters with what is kept for them.
func (o *Optimizer) Slots() []*Slot {
	o.calls.shown = true
	o.calls.settle()
	return o.slots
}

// Groups is the number of groups.
func (o *Optimizer) Groups() int { return len(o.groups) }

// State is a state of a parameter by its name in the spec, or nil. It is the tensor that the optimizer works with.
func (o *Optimizer) State(name string, param *Tensor) *Tensor {
	o.calls.shown = true
	for k, s := range o.rule.States {
		if s.Name != name {
			continue
		}
		for _, slot := range o.slots {
			if slot.Param == param {
				return slot.State[k]
			}
		}
	}
	return nil
}

// Output is what the last step that updated a parameter gave beside it, by the name of the output in the spec; zeros before the first one. It
// is nil where there is none of that name. The tensor is the optimizer's, which writes it in each step.
func (o *Optimizer) Output(name string, param *Tensor) *Tensor {
	o.calls.shown = true
	for k, s := range o.rule.Outputs {
		if s.Name != name {
			continue
		}
		for _, slot := range o.slots {
			if slot.Param == param {
				return slot.outputs[k]
			}
		}
	}
	return nil
}

// SetNames names the parameters, in the order in which they were added, for saved states. Without names they are numbered from 0; adding
// a group forgets them.
func (o *Optimizer) SetNames(names ...string) error {
	if len(names) != len(o.slots) {
		return &ArgError{Op: o.rule.Op, Arg: "names", Want: fmt.Sprintf("%d names", len(o.slots)), Got: strconv.Itoa(len(names)), Err: ErrName}
	}
	seen := map[string]bool{}
	for i, n := range names {
		if n == "" || seen[n] {
			return &ArgError{Op: o.rule.Op, Arg: fmt.Sprintf("names[%d]", i), Want: "a name that no other parameter has", Got: strconv.Quote(n), Err: ErrName}
		}
		seen[n] = true
	}
	o.names = slices.Clone(names)
	return nil
}

// name is what a parameter is called in saved states.
func (o *Optimizer) name(i int) string {
	if o.names != nil {
		return o.names[i]
	}
	return strconv.Itoa(i)
}
