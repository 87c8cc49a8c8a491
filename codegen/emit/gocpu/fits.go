package gocpu

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// fitsOf are the bounds of exact values that a call of a variant tests when tensors are bound.
func (g *opGen) fitsOf(v *ir.Variant) []ir.Fit {
	list := ir.Fits(v.Forward)
	for _, c := range v.Choices {
		if c.Cond != nil {
			list = append(list, ir.FitsOf(v.Forward, c.Cond, v.Forward.Span)...)
		}
	}
	return list
}

// fits tests bounds of exact values: those that int64 don't hold are an error before anything is computed with them.
func (g *opGen) fits(f *ir.Func, list []ir.Fit, h *host, fail func(jen.Code) jen.Code) ([]jen.Code, error) {
	text := func(e expr, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%#v", jen.Add(e.code)), nil
	}
	w := &general.Bounds{
		Func: f,
		Scalar: func(name string) (string, error) {
			e, _, err := h.scalar(name)
			return text(e, err)
		},
		Extent: func(a *ir.Axis) (string, error) { return text(h.extent(a)) },
		Cond:   func(c *ir.Value) (string, error) { return text(h.cond(c)) },
		Fail: func(message string) string {
			return fmt.Sprintf("%#v", fail(jen.Qual(runtimePath, "FaultError").Call(jen.Lit(g.fullName()), jen.Lit(message))))
		},
	}
	var code []jen.Code
	for _, f := range list {
		t, err := w.Test(f)
		if err != nil {
			return nil, g.wrap(err)
		}
		code = append(code, jen.Op(t))
	}
	return code, nil
}

// ofTensors reports whether a bound depends on the tensors of a call.
func ofTensors(f ir.Fit) bool {
	vs := f.If
	if f.Range != nil {
		vs = append(slices.Clip(vs), f.Range.Lo, f.Range.Hi)
	} else {
		vs = append(slices.Clip(vs), f.Value)
	}
	return slices.ContainsFunc(vs, func(v *ir.Value) bool { return ofTensor(v) || len(ir.FreeVars(v)) > 0 || emit.IsEntry(v) })
}
