package ir

// StackAxis is the axis of stacked tensors: no name that a spec can have.
const StackAxis = "*"

// Stack is a function for several calls that differ in their tensors alone: each of these, and what is computed of them, has one more axis in front.
//
//	t[e(v)] ⊕= body(v) for v in D where P    becomes    t[c, e(v)] ⊕= body(c, v) for c in *, v in D where P
//
// Requirements are left out: they are those of each call.
func Stack(f *Func) *Func {
	axis := &Axis{Name: StackAxis}
	tensors := map[*Tensor]*Tensor{}
	var stacked func(t *Tensor) *Tensor
	stacked = func(t *Tensor) *Tensor {
		if t == nil {
			return nil
		}
		if s := tensors[t]; s != nil {
			return s
		}
		s := *t
		tensors[t] = &s
		s.Axes = append([]*Axis{axis}, t.Axes...)
		s.Of = stacked(t.Of)
		return &s
	}
	all := func(list []*Tensor) []*Tensor {
		var r []*Tensor
		for _, t := range list {
			r = append(r, stacked(t))
		}
		return r
	}
	r := &Func{Package: f.Package, Name: f.Name, Inputs: all(f.Inputs), Outputs: all(f.Outputs), Scalars: f.Scalars, Axes: append([]*Axis{axis}, f.Axes...),
		ElemVars: f.ElemVars, Span: f.Span}
	for _, d := range f.Defs {
		c := &Var{Name: StackAxis, Axis: axis}
		n := *MapDef(d, func(v *Value) *Value {
			if v.Op != OpRead {
				return v
			}
			s := *v
			s.Tensor, s.Args = stacked(v.Tensor), append([]*Value{Index(c)}, v.Args...)
			return &s
		})
		n.Target = stacked(d.Target)
		n.Vars, n.Dest = append([]*Var{c}, n.Vars...), append([]*Value{Index(c)}, n.Dest...)
		r.Defs = append(r.Defs, &n)
	}
	return r
}
