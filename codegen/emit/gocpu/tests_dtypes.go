package gocpu

import (
	"math"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// testPrecision is how near the results of an example come in a dtype, relative to 1 and to the result: as package optest has it.
var testPrecision = map[string]float64{"f16": 0x1p-10, "bf16": 0x1p-7, "f32": 2e-6, "f64": 1e-12}

// alsoDTypes are the dtypes in which an example holds: f32, f64, those that have its numbers and in which the evaluator comes to
// the same. It is nil where there are no others.
func alsoDTypes(op *ir.OpDecl, e *ir.Example) jen.Code {
	var also []string
	for _, d := range dtypeOrder {
		if d == "f32" || d == "f64" { // it holds in these, or is wrong
			also = append(also, d)
		} else if slices.ContainsFunc(op.ElemVars, func(v ir.ElemVar) bool { return slices.Contains(v.DTypes, d) }) &&
			holdsIn(op, e, exampleDTypes(op, d)) {
			also = append(also, d)
		}
	}
	if len(also) == 2 {
		return nil
	}
	return dtypeSet(also)
}

// exampleDTypes are what dtype variables stand for where those that can are d: as package optest chooses.
func exampleDTypes(op *ir.OpDecl, d string) map[string]string {
	r := map[string]string{}
	for _, v := range op.ElemVars {
		for _, d := range slices.Concat([]string{d, "f64", "f32", "i64", "i32"}, dtypeOrder) {
			if slices.Contains(v.DTypes, d) {
				r[v.Name] = d
				break
			}
		}
	}
	return r
}

// holdsIn tells whether an example holds in some dtypes.
func holdsIn(op *ir.OpDecl, e *ir.Example, dtypes map[string]string) bool {
	inputs := map[string]*ir.Array{}
	for _, p := range op.Inputs {
		i := slices.IndexFunc(e.Inputs, func(v ir.ExampleValue) bool { return v.Name == p.Name })
		if i < 0 {
			continue
		}
		v := e.Inputs[i]
		if slices.ContainsFunc(v.Data, func(x float64) bool { return !ir.Holds(p.Elem.Resolve(dtypes), x) }) {
			return false
		}
		inputs[p.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
	}
	for _, a := range e.Attrs {
		i := slices.IndexFunc(op.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name && d.Kind == ir.AttrElem })
		if i >= 0 && a.Word == "" && !ir.Holds(op.Attrs[i].Elem.Resolve(dtypes), a.Number) {
			return false
		}
	}
	attrs := e.Attrs
	if op.Update && !slices.ContainsFunc(attrs, func(a ir.ExampleAttr) bool { return a.Name == "step" }) {
		attrs = append(slices.Clone(attrs), ir.ExampleAttr{Name: "step", Number: 1})
	}
	out, err := ir.EvalOp(op, inputs, attrs, dtypes)
	if err != nil {
		return false
	}
	eps := 0.0 // the least precise dtype of the call
	for _, d := range dtypes {
		eps = max(eps, testPrecision[d])
	}
	for _, want := range e.Outputs {
		got := out[want.Name]
		if got == nil || len(got.Data) != len(want.Data) {
			return false
		}
		for i, w := range want.Data {
			if g := got.Data[i]; g != w && !(g != g && w != w) && !(math.Abs(g-w) <= eps/2*(1+math.Abs(w))) {
				return false
			}
		}
	}
	return true
}
