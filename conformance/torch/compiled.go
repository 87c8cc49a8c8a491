package torch

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// compiled compares values and gradients of the compiled op on each CPU path of this machine.
func (g *call) compiled(decl *ir.OpDecl, b *ir.Bound, s *Summary) error {
	op, err := runtime.Lookup(g.op)
	if err != nil {
		return err
	}
	was := runtime.Path()
	defer runtime.SetPath(was)
	for p := runtime.Generic; p <= runtime.AllowedPath(); p++ {
		if _, err := runtime.SetPath(p); err != nil {
			return err
		}
		if err := g.compiledOn(op, decl, b); err != nil {
			return fmt.Errorf("compiled, %s: %w", p, err)
		}
		s.Ran[p]++
	}
	return nil
}

// compiledOn compares on the path that is set.
func (g *call) compiledOn(op *runtime.Op, decl *ir.OpDecl, b *ir.Bound) error {
	in, err := g.tensors(op, decl)
	if err != nil {
		return err
	}
	names := op.Inputs()
	if g.Cotangent != nil {
		for s, name := range g.from {
			if i := slices.Index(names, name); s.Grad && i >= 0 && in[i] != nil && in[i].DType().Float() {
				if err := in[i].RequireGrad(); err != nil {
					return err
				}
			}
		}
	}
	out, err := op.Call(in, g.attributes(decl))
	if err != nil {
		return err
	}
	var last func(...runtime.BackwardOption) error
	k := 0
	for i, y := range out {
		if i >= len(g.Out) {
			break
		}
		a, err := arrayOf(y)
		if err != nil {
			return err
		}
		if err := near(value, decl.Outputs[i].Name, a, g.Out[i]); err != nil {
			return err
		}
		if k >= len(g.Cotangent) || !g.Out[i].float() {
			continue
		}
		c, err := runtime.FromFloats(y.DType(), g.Cotangent[k].Array().Data, y.Shape()...)
		if err != nil {
			return err
		}
		k++
		if !y.RequiresGrad() {
			continue // nothing leads from it
		}
		if last != nil {
			if err := last(runtime.KeepGraph); err != nil {
				return err
			}
		}
		last = func(o ...runtime.BackwardOption) error { return y.BackwardWith(c, o...) }
	}
	if last == nil {
		return nil
	}
	if err := last(); err != nil {
		return fmt.Errorf("gradient: %w", err)
	}
	got := map[string]*ir.Array{}
	for i, x := range in {
		if x == nil || !x.RequiresGrad() || x.Grad() == nil {
			continue
		}
		if got[names[i]], err = arrayOf(x.Grad()); err != nil {
			return err
		}
	}
	return g.nearGradients(gradient, got, g.Grads)
}

// tensors are the inputs of the op, in order: floating-point numbers as f64, indices as i64, conditions as bool.
func (g *call) tensors(op *runtime.Op, decl *ir.OpDecl) ([]*runtime.Tensor, error) {
	names := op.Inputs()
	in := make([]*runtime.Tensor, len(names))
	vars := map[string]string{}
	for _, v := range op.Signature.Vars {
		vars[v.Name] = runtime.I64.String()
		if v.DTypes.Has(runtime.F64) {
			vars[v.Name] = runtime.F64.String()
		}
	}
	for i, name := range names {
		a := g.inputs[name]
		k := slices.IndexFunc(decl.Inputs, func(p *ir.Param) bool { return p.Name == name })
		if a == nil || k < 0 {
			continue
		}
		d, err := runtime.ParseDType(decl.Inputs[k].Elem.Resolve(vars))
		if err != nil {
			return nil, err
		}
		if in[i], err = runtime.FromFloats(d, a.Data, a.Shape...); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// attributes are those of the call as the registry takes them. A seed may be any: no random number is in what is compared.
func (g *call) attributes(decl *ir.OpDecl) map[string]any {
	r := map[string]any{}
	for _, d := range decl.Attrs {
		if d.Kind == ir.AttrRNG {
			r[d.Name] = runtime.Seed{}
		}
	}
	for _, a := range g.attrs {
		k := slices.IndexFunc(decl.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name })
		floats := k >= 0 && (decl.Attrs[k].Kind == ir.AttrFloat || decl.Attrs[k].Kind == ir.AttrElem)
		switch {
		case a.List != nil && floats:
			r[a.Name] = a.List
		case a.List != nil:
			ints := make([]int, len(a.List))
			for i, x := range a.List {
				ints[i] = int(x)
			}
			r[a.Name] = ints
		case a.Word == "true" || a.Word == "false":
			r[a.Name] = a.Word == "true"
		case a.Word != "":
			r[a.Name] = a.Word
		case floats || a.Number != float64(int(a.Number)):
			r[a.Name] = a.Number
		default:
			r[a.Name] = int(a.Number)
		}
	}
	return r
}

// arrayOf is the content of a tensor.
func arrayOf(t *runtime.Tensor) (*ir.Array, error) {
	data, err := t.Floats()
	return &ir.Array{Shape: t.Shape(), Data: data}, err
}
