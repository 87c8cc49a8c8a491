package runtime

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// savedOptimizer is what is saved of an optimizer beside tensors, as a note of the file.
type savedOptimizer struct {
	Op     string              `json:"op"`
	Steps  int64               `json:"steps"`
	Groups []map[string]string `json:"groups"` // attributes
	Params []savedParam        `json:"params"`
}

type savedParam struct {
	Name  string `json:"name"`
	Group int    `json:"group"`
	Step  int    `json:"step"`
	Draws int    `json:"draws,omitempty"` // what random numbers know it by
}

// optimizerNote is the name of the note.
const optimizerNote = "opgen.optimizer"

// Save writes everything that later steps depend on but parameters and gradients: states, counts of steps, and the attributes
// of the groups. An optimizer that loads it goes on with the same bits. Schedules are functions, and are set again by the program.
// The file is of the format safetensors; a state is called by parameter and state, "layer1.weight.buf".
func (o *Optimizer) Save(w io.Writer) error {
	o.calls.settle()
	s := savedOptimizer{Op: o.rule.Op, Steps: o.steps, Groups: []map[string]string{}, Params: []savedParam{}}
	for _, v := range o.groups {
		attrs := map[string]string{}
		for _, name := range o.rule.Attrs {
			attrs[name] = attrText(v.Attr(name))
		}
		s.Groups = append(s.Groups, attrs)
	}
	var list []NamedTensor
	for i, slot := range o.slots {
		s.Params = append(s.Params, savedParam{o.name(i), slot.Group, slot.Step, slot.number})
		for k, st := range o.rule.States {
			list = append(list, NamedTensor{o.name(i) + "." + st.Name, slot.State[k]})
		}
	}
	note, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return WriteTensors(w, list, map[string]string{optimizerNote: string(note)})
}

// Load takes over what Save has written, into an optimizer with the same groups of parameters, by name. On an error nothing was
// changed.
func (o *Optimizer) Load(r io.Reader) error {
	list, notes, err := ReadTensors(r)
	if err != nil {
		return err
	}
	wrong := func(kind error, arg, want, got string) error {
		return &ArgError{Op: o.rule.Op, Arg: arg, Want: want, Got: got, Err: kind}
	}
	var s savedOptimizer
	text, ok := notes[optimizerNote]
	if !ok {
		return wrong(ErrFormat, "", "the state of an optimizer", "other tensors")
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return wrong(ErrFormat, "", "the state of an optimizer", err.Error())
	}
	switch {
	case s.Op != o.rule.Op:
		return wrong(ErrFormat, "", "the state of "+o.rule.Op, s.Op)
	case len(s.Groups) != len(o.groups):
		return wrong(ErrFormat, "", fmt.Sprintf("%d groups of parameters", len(o.groups)), strconv.Itoa(len(s.Groups)))
	case len(s.Params) != len(o.slots):
		return wrong(ErrFormat, "", fmt.Sprintf("%d parameters", len(o.slots)), strconv.Itoa(len(s.Params)))
	case s.Steps < 0:
		return wrong(ErrFormat, "", "a number of steps", fmt.Sprint(s.Steps))
	}
	steps, numbers, drawn := make([]int, len(o.slots)), make([]int, len(o.slots)), map[int]bool{}
	params, tensors := map[string]int{}, map[string]int{}
	for k, p := range s.Params {
		params[p.Name] = k
	}
	for k, n := range list {
		tensors[n.Name] = k
	}
	states := make([][]*Tensor, len(o.slots))
	used := 0
	for i, slot := range o.slots {
		k, ok := params[o.name(i)]
		if !ok {
			return wrong(ErrName, "params["+strconv.Itoa(i)+"]", "a saved parameter "+strconv.Quote(o.name(i)), "none of that name")
		}
		p := s.Params[k]
		if p.Group != slot.Group || p.Step < 0 || p.Step >= MaxPoints {
			return wrong(ErrFormat, o.name(i), fmt.Sprintf("a parameter of group %d", slot.Group), fmt.Sprintf("group %d, step %d", p.Group, p.Step))
		}
		steps[i], numbers[i] = p.Step, p.Draws
		if o.rule.Draws && (p.Draws < 0 || p.Draws >= len(o.slots) || drawn[p.Draws]) {
			return wrong(ErrFormat, o.name(i), "random numbers of its own", fmt.Sprintf("those of number %d", p.Draws))
		}
		drawn[p.Draws] = true
		for j, st := range o.rule.States {
			name := o.name(i) + "." + st.Name
			m, ok := tensors[name]
			if !ok {
				return wrong(ErrName, name, "a saved tensor", "none of that name")
			}
			t, into := list[m].Tensor, slot.State[j]
			if into.device != CPU {
				return deviceError(o.rule.Op, name, into)
			}
			if t.dtype != into.dtype {
				return wrong(ErrDType, name, into.describe(), t.describe())
			}
			if !sameShape(t, into) {
				return wrong(ErrShape, name, into.describe(), t.describe())
			}
			states[i] = append(states[i], t)
			used++
		}
	}
	if used != len(list) {
		return wrong(ErrName, "", fmt.Sprintf("%d tensors", used), strconv.Itoa(len(list)))
	}
	groups, err := o.loadGroups(s.Groups)
	if err != nil {
		return err
	}
	o.calls.settle()
	o.calls.replan()
	for i, slot := range o.slots {
		if slot.Step = steps[i]; o.rule.Draws {
			slot.number = numbers[i]
		}
		for j, t := range states[i] {
			into := slot.State[j]
			copyStrided(into.data, into.strides(), t.data, t.strides(), t.dims(), t.dtype.Size())
			into.Touch()
		}
	}
	for i, v := range groups {
		// The number of the group is right.
		_ = o.SetAttributes(i, v)
	}
	o.steps = s.Steps
	return nil
}

// loadGroups makes the attributes of groups of their texts.
func (o *Optimizer) loadGroups(saved []map[string]string) ([]Attributes, error) {
	groups := make([]Attributes, len(o.groups))
	for i, attrs := range saved {
		if len(attrs) != len(o.rule.Attrs) {
			return nil, &ArgError{Op: o.rule.Op, Want: fmt.Sprintf("%d attributes of group %d", len(o.rule.Attrs), i), Got: strconv.Itoa(len(attrs)), Err: ErrFormat}
		}
		if o.groups[i] == nil {
			continue
		}
		groups[i] = o.groups[i].Clone()
		for _, name := range o.rule.Attrs {
			text, ok := attrs[name]
			if !ok || !setAttrText(groups[i].Attr(name), text) {
				return nil, AttrError(o.rule.Op, name, fmt.Sprintf("a value for group %d", i), strconv.Quote(text))
			}
		}
		if err := groups[i].Check(); err != nil {
			return nil, err
		}
	}
	return groups, nil
}
