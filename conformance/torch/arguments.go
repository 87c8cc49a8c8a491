package torch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// form says how a call of PyTorch becomes one of ours.
type form struct {
	op string
	// args are PyTorch's arguments, positional ones first in their order. Each is its name, for us too unless `name=ours`
	// says otherwise. Behind it, `-` marks one that changes nothing, `#` a number that is a tensor here, `!` one that say reads.
	args string
	// say completes the call; nil: nothing is left to do.
	say func(a *arguments)
	// deviates is why PyTorch's results may be others, where they are.
	deviates deviation
}

// arguments are the arguments of one call.
type arguments struct {
	g     *call
	given map[string]any // by PyTorch's names: *Tensor, float64, bool, string, nil or []any
	taken map[string]bool
}

// read reads the arguments of a line, and the tensors among them in order.
func (g *call) read(f form) (*arguments, error) {
	a := &arguments{g: g, given: map[string]any{}, taken: map[string]bool{}}
	names := strings.Fields(f.args)
	for i, raw := range g.Args {
		if i >= len(names) {
			return nil, &inexpressible{fmt.Sprintf("%d arguments", len(g.Args))}
		}
		name, _, _ := splitArg(names[i])
		v, err := g.value(raw)
		if err != nil {
			return nil, err
		}
		a.given[name] = v
	}
	for _, p := range g.Kwargs {
		v, err := g.value(p.Value)
		if err != nil {
			return nil, err
		}
		a.given[p.Name] = v
	}
	return a, nil
}

// value reads one argument.
func (g *call) value(raw json.RawMessage) (any, error) {
	switch {
	case bytes.HasPrefix(raw, []byte(`{"dtype"`)):
		s := &Tensor{}
		if err := json.Unmarshal(raw, s); err != nil {
			return nil, err
		}
		g.all = append(g.all, s)
		return s, nil
	case bytes.HasPrefix(raw, []byte("[")):
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		r := []any{}
		for _, x := range list {
			v, err := g.value(x)
			if err != nil {
				return nil, err
			}
			r = append(r, v)
		}
		return r, nil
	}
	var f Number
	if raw[0] != 't' && raw[0] != 'f' && json.Unmarshal(raw, &f) == nil && string(raw) != "null" {
		return float64(f), nil
	}
	var v any
	err := json.Unmarshal(raw, &v)
	return v, err
}

// splitArg takes a name of a form apart.
func splitArg(word string) (name, ours, mark string) {
	word, ours, renamed := strings.Cut(word, "=")
	last := &word
	if renamed {
		last = &ours
	}
	if k := strings.TrimRight(*last, "-#!"); k != *last {
		mark = (*last)[len(k):]
		*last = k
	}
	if !renamed {
		ours = word
	}
	return word, ours, mark
}

// say makes the call.
func (g *call) say(f form, a *arguments) {
	g.op, g.inputs, g.deviates = f.op, map[string]*ir.Array{}, f.deviates
	known := map[string]bool{}
	for _, word := range strings.Fields(f.args) {
		name, ours, mark := splitArg(word)
		known[name] = true
		v, given := a.given[name]
		if !given || v == nil || mark == "-" || mark == "!" {
			continue
		}
		if x, is := v.(float64); is && mark == "#" {
			g.inputs[ours] = &ir.Array{Shape: []int{}, Data: []float64{x}}
			continue
		}
		a.set(ours, v)
	}
	for name := range a.given {
		if !known[name] {
			a.refuse("there is no argument " + name)
		}
	}
	switch d := a.text("dtype", "float64"); d {
	case "float64", "torch.float64":
	default:
		a.refuse("a result of another dtype than the arguments: " + d)
	}
	if f.say != nil {
		f.say(a)
	}
}

// refuse ends with the reason why the sample can't be said.
func (a *arguments) refuse(reason string) { panic(&inexpressible{reason}) }

// set gives an input or attribute.
func (a *arguments) set(name string, v any) {
	g := a.g
	switch v := v.(type) {
	case *Tensor:
		g.inputs[name] = v.Array()
		g.from[v] = name
		return
	case float64:
		g.attrs = append(g.attrs, ir.ExampleAttr{Name: name, Number: v})
	case bool:
		g.attrs = append(g.attrs, ir.ExampleAttr{Name: name, Word: fmt.Sprint(v)})
	case string:
		g.attrs = append(g.attrs, ir.ExampleAttr{Name: name, Word: v})
	case []any:
		x := ir.ExampleAttr{Name: name, List: []float64{}}
		for _, e := range v {
			f, is := e.(float64)
			if !is {
				a.refuse(fmt.Sprintf("%s is %v", name, v))
			}
			x.List = append(x.List, f)
		}
		g.attrs = append(g.attrs, x)
	}
}

// tensor is an argument that is a tensor, or nil.
func (a *arguments) tensor(name string) *Tensor {
	s, _ := a.given[name].(*Tensor)
	return s
}

// rank is the number of axes of an argument.
func (a *arguments) rank(name string) int {
	if s := a.tensor(name); s != nil {
		return len(s.Shape)
	}
	return 0
}

// is tells whether an argument is true.
func (a *arguments) is(name string) bool {
	b, _ := a.given[name].(bool)
	return b
}

// number is an argument that is a number, or else.
func (a *arguments) number(name string, other float64) float64 {
	if x, is := a.given[name].(float64); is {
		return x
	}
	return other
}

// text is an argument that is a word, or else.
func (a *arguments) text(name, other string) string {
	if x, is := a.given[name].(string); is {
		return x
	}
	return other
}

// numbers is an argument that is a number or a list of them; ok: it is given.
func (a *arguments) numbers(name string) (list []float64, ok bool) {
	switch v := a.given[name].(type) {
	case float64:
		return []float64{v}, true
	case []any:
		for _, e := range v {
			x, is := e.(float64)
			if !is {
				a.refuse(fmt.Sprintf("%s is %v", name, v))
			}
			list = append(list, x)
		}
		return list, true
	}
	return nil, false
}

// list gives a list attribute with n entries; one number fills.
func (a *arguments) list(name, ours string, n int) {
	v, ok := a.numbers(name)
	if !ok || len(v) == 0 {
		return
	}
	a.setList(ours, fill(v, n))
}

func fill(v []float64, n int) []float64 {
	if len(v) == 1 && n != 1 {
		return slices.Repeat(v, n)
	}
	return v
}

func (a *arguments) setList(name string, v []float64) {
	if v == nil {
		v = []float64{}
	}
	a.g.attrs = append(a.g.attrs, ir.ExampleAttr{Name: name, List: v})
}

// reshape gives an input another shape.
func (a *arguments) reshape(input string, shape ...int) { a.g.inputs[input].Shape = shape }

// atLeast1 gives inputs without axes one.
func (a *arguments) atLeast1(inputs ...string) {
	for _, n := range inputs {
		if x := a.g.inputs[n]; x != nil && len(x.Shape) == 0 {
			x.Shape = []int{1}
		}
	}
}
