package ir

import "math"

// EvalCalls calls an update on several tensors together: for each, its inputs by name and its attributes, step among
// them. It gives the outputs of each by name.
func EvalCalls(decl *OpDecl, inputs []map[string]*Array, attrs [][]ExampleAttr, dtypes map[string]string) ([]map[string]*Array, error) {
	calls := make([]*evalCall, len(inputs))
	phases := 0
	for i, in := range inputs {
		b, err := Bind(decl, ShapesOf(in), attrs[i])
		if err != nil {
			return nil, err
		}
		c := &evalCall{bound: b, phases: []*Func{b.Func}}
		if c.in, err = b.Binding(in, dtypes); err != nil {
			return nil, err
		}
		for _, v := range decl.Variants {
			if v.Forward == b.Func && v.Phases != nil {
				c.phases = v.Phases
			}
		}
		phases = max(phases, len(c.phases))
		calls[i] = c
	}
	totals := map[string]float64{}
	for p := range phases {
		for _, t := range decl.Totals {
			if t.Phase == p {
				totals[t.Name] = identity(t.Monoid)
			}
		}
		for _, c := range calls {
			if err := c.run(decl, p, totals, dtypes); err != nil {
				return nil, err
			}
		}
	}
	r := make([]map[string]*Array, len(calls))
	for i, c := range calls {
		r[i] = map[string]*Array{}
		for t, a := range c.out {
			r[i][t.Name] = c.bound.Views[t].Out(a)
		}
	}
	return r, nil
}

// evalCall is one of several calls that are made together.
type evalCall struct {
	bound  *Bound
	phases []*Func
	in     Binding
	out    map[*Tensor]*Array
}

// run runs a phase of a call and adds its partial results to the totals.
func (c *evalCall) run(decl *OpDecl, phase int, totals map[string]float64, dtypes map[string]string) error {
	f := c.phases[phase]
	if f == nil {
		return nil
	}
	in := c.in
	in.Arrays = map[*Tensor]*Array{}
	for t, a := range c.in.Arrays {
		in.Arrays[t] = a
	}
	for _, t := range f.Inputs {
		if x, ok := totals[t.Name]; ok && in.Arrays[t] == nil {
			in.Arrays[t] = &Array{Data: []float64{x}}
		}
	}
	out, err := Eval(f, in)
	if err != nil {
		return err
	}
	if phase == len(c.phases)-1 {
		c.out = out
	}
	for t, a := range out {
		for _, total := range decl.Totals {
			if total.Part == t.Name && total.Phase == phase {
				totals[total.Name] = roundTo(total.Elem.Resolve(dtypes), together(total.Monoid, totals[total.Name], a.Data[0]))
			}
		}
	}
	return nil
}

// identity is what a reduction of nothing gives.
func identity(m Monoid) float64 {
	switch m {
	case Prod:
		return 1
	case Max:
		return math.Inf(-1)
	case Min:
		return math.Inf(1)
	}
	return 0
}

// together is two partial results of a reduction as one.
func together(m Monoid, a, b float64) float64 {
	switch m {
	case Prod:
		return a * b
	case Max:
		return maxNaN(a, b)
	case Min:
		return minNaN(a, b)
	}
	return a + b
}
