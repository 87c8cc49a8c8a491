package pass

import (
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// Derivative is the backward function of f: derived, and simplified. The derivative of an op is what its simplified definitions give. Where
// the chain rule multiplies zero with something infinite, or takes infinite numbers from each other, they may give a number; wherever
// the rule gives one, they give the same.
func Derivative(f *ir.Func) (*ir.Func, error) {
	back, err := grad.Reverse(f)
	if err != nil {
		return nil, err
	}
	return Run(back, "")
}

// EvalGrad calls the derivative of an op on arrays as a user would; see grad.EvalBackward.
func EvalGrad(decl *ir.OpDecl, inputs map[string]*ir.Array, attrs []ir.ExampleAttr, cotangents map[string]*ir.Array, dtypes map[string]string) (map[string]*ir.Array, error) {
	b, err := ir.BindAs(decl, ir.ShapesOf(inputs), attrs, dtypes)
	if err != nil {
		return nil, err
	}
	back, err := Derivative(b.Func)
	if err != nil {
		return nil, err
	}
	return grad.EvalBackward(b, back, inputs, cotangents, dtypes)
}
