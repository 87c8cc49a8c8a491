package grad

import "github.com/opgen/opgen/codegen/ir"

// EvalBackward calls a backward function of a call's variant, as it was derived or rewritten: cotangents of outputs by name give
// gradients of inputs by name. An output that cotangents doesn't name has cotangent zero. Gradients of inputs that were expanded are
// summed back to their shapes, and rounded once.
func EvalBackward(b *ir.Bound, back *ir.Func, inputs, cotangents map[string]*ir.Array, dtypes map[string]string) (map[string]*ir.Array, error) {
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return nil, err
	}
	out, err := ir.Eval(b.Func, in)
	if err != nil {
		return nil, err
	}
	for t, a := range out {
		in.Arrays[t] = a
	}
	for _, t := range back.Inputs {
		if t.Role != ir.Cotangent {
			continue
		}
		v := b.Views[t.Of]
		if g := cotangents[t.Of.Name]; g != nil {
			in.Arrays[t] = v.In(g)
		} else {
			in.Arrays[t] = ir.NewArray(v.Extents()...)
		}
	}
	grads, err := ir.EvalComputed(back, in)
	if err != nil {
		return nil, err
	}
	r := map[string]*ir.Array{}
	for t, g := range grads {
		v := b.Views[t.Of]
		if v == nil {
			continue
		}
		g = v.Out(g)
		for i, x := range g.Data {
			g.Data[i] = ir.Rounded(t.Elem.Resolve(dtypes), x)
		}
		r[t.Of.Name] = g
	}
	return r, nil
}

// EvalTangent is how the outputs of a call change along a change of its inputs: tangents of inputs by name give those of
// outputs by name. An input that tangents doesn't name doesn't change.
func EvalTangent(decl *ir.OpDecl, inputs map[string]*ir.Array, attrs []ir.ExampleAttr, tangents map[string]*ir.Array, dtypes map[string]string) (map[string]*ir.Array, error) {
	b, err := ir.BindAs(decl, ir.ShapesOf(inputs), attrs, dtypes)
	if err != nil {
		return nil, err
	}
	f, err := Forward(b.Func)
	if err != nil {
		return nil, err
	}
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return nil, err
	}
	for _, t := range f.Inputs {
		v := b.Views[t.Of]
		if t.Role != ir.Tangent || v == nil {
			continue
		}
		if x := tangents[t.Of.Name]; x != nil {
			in.Arrays[t] = v.In(x)
		} else {
			in.Arrays[t] = ir.NewArray(v.Extents()...)
		}
	}
	out, err := ir.Eval(f, in)
	if err != nil {
		return nil, err
	}
	r := map[string]*ir.Array{}
	for t, x := range out {
		r[t.Of.Name] = b.Views[t.Of].Out(x)
	}
	return r, nil
}
