package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// optimizer is what an update op becomes that has one parameter, one gradient of its shape, and states.
type optimizer struct {
	param, grad int   // parameters of the signature
	states      []int // likewise
}

// findOptimizer sees whether an update op can be an optimizer.
func (g *opGen) findOptimizer() {
	if !g.decl.Update || len(g.decl.Outputs) > 0 || g.many == nil {
		return
	}
	o := &optimizer{param: -1, grad: -1}
	for i, p := range g.decl.Inputs {
		switch {
		case p.Optional:
			return
		case p.Mode == ir.Inout && o.param < 0:
			o.param = i
		case p.Mode == ir.Input && o.grad < 0:
			o.grad = i
		case p.Mode == ir.State:
			o.states = append(o.states, i)
		default:
			return
		}
	}
	if o.param < 0 || o.grad < 0 {
		return
	}
	same := func(a, b *ir.Param) bool {
		return a.Elem == b.Elem && len(a.Axes) == len(b.Axes) && axesText(a.Axes) == axesText(b.Axes)
	}
	if same(g.decl.Inputs[o.param], g.decl.Inputs[o.grad]) && g.stateShapes(o) {
		g.opt = o
	}
}

// stateShapes reports whether each state has the shape of the parameter or no axes, and its dtype or a fixed one, and whether all attributes
// can be saved.
func (g *opGen) stateShapes(o *optimizer) bool {
	for _, i := range o.states {
		p, param := g.decl.Inputs[i], g.decl.Inputs[o.param]
		if len(p.Axes) > 0 && axesText(p.Axes) != axesText(param.Axes) {
			return false
		}
		if p.Elem.Name != param.Elem.Name && slices.ContainsFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == p.Elem.Name }) {
			return false // of a dtype that nothing tells
		}
	}
	return len(g.attributeNames()) == len(g.attrs)
}

// stateValues are the states of an optimizer, for runtime.Rule. One that nothing reads, so that no variant has it, is none.
func (g *opGen) stateValues() ([]jen.Code, error) {
	var states []jen.Code
	for _, i := range g.opt.states {
		p := g.decl.Inputs[i]
		f := []jen.Code{field("Name", jen.Lit(p.Name)), field("At", jen.Lit(i))}
		if len(p.Axes) == 0 {
			f = append(f, field("Scalar", jen.True()))
		}
		elem, err := g.elemCode(p.Elem)
		if err != nil {
			return nil, err
		}
		if elem != nil {
			f = append(f, field("Elem", elem))
		}
		start, err := g.stateStart(p)
		if err != nil {
			return nil, err
		}
		if start != nil {
			f = append(f, start)
		}
		states = append(states, jen.Line().Values(f...))
	}
	if states != nil {
		states = append(states, jen.Line())
	}
	return states, nil
}

// stateStart is what a state starts at, nil for 0.
func (g *opGen) stateStart(p *ir.Param) (jen.Code, error) {
	t := g.tensor(p.Name)
	if t == nil || t.Init == nil {
		return nil, nil
	}
	init := t.Init
	if init.Op == ir.OpCast {
		init = init.Args[0] // the state rounds
	}
	if init.Op == ir.OpConst {
		x, _ := init.Const.Float64()
		if x == 0 {
			return nil, nil
		}
		e, _ := width64.literal(x)
		return field("Init", e.code), nil
	}
	e, err := g.host(nil).float(init)
	if err != nil {
		return nil, g.wrap(err)
	}
	body := []jen.Code{jen.Return(e.code)}
	if g.hasValues() {
		body = append([]jen.Code{jen.Id("v").Op(":=").Id("a").Assert(jen.Op("*").Id(g.valuesType()))}, body...)
	}
	return field("Start", jen.Func().Params(jen.Id("a").Qual(runtimePath, "Attributes")).Float64().Block(body...)), nil
}

// optimizer writes the optimizer of an update op.
func (g *opGen) optimizer() ([]jen.Code, error) {
	if g.opt == nil {
		return nil, nil
	}
	self := jen.Id("o").Op("*").Id(g.name)
	params := append([]jen.Code{jen.Id("params").Index().Add(tensorType)}, g.valueParams()...)
	setParams := append([]jen.Code{jen.Id("group").Int()}, g.valueParams()...)
	attrArgs := g.attrArgs()
	if g.hasAttrs() {
		attrArgs = append(attrArgs, jen.Id("attrs"))
	}
	values := jen.Nil()
	if g.hasValues() {
		values = jen.Op("&").Id("vals")
	}
	add := g.newFunc()
	add.takeAttrs()
	add.add(jen.List(jen.Id("_"), jen.Err()).Op(assignOp(g.hasValues())).Id("o").Dot("Optimizer").Dot("AddGroup").Call(jen.Id("params"), values), jen.Return(jen.Err()))
	code := []jen.Code{
		jen.Comment(g.doc()).Line().Type().Id(g.name).Struct(jen.Op("*").Qual(runtimePath, "Optimizer")),
		jen.Comment("New"+g.name+" makes an optimizer of params, which are one group. Each must require gradients.").Line().
			Func().Id("New"+g.name).Params(params...).Params(jen.Op("*").Id(g.name), jen.Error()).Block(
			jen.Id("o").Op(":=").Op("&").Id(g.name).Values(jen.Qual(runtimePath, "NewOptimizer").Call(jen.Op("&").Id(g.ruleName()))),
			jen.If(jen.Err().Op(":=").Id("o").Dot("AddGroup").Call(append([]jen.Code{jen.Id("params")}, attrArgs...)...), jen.Err().Op("!=").Nil()).
				Block(jen.Return(jen.Nil(), jen.Err())),
			jen.Return(jen.Id("o"), jen.Nil()),
		),
		jen.Comment("AddGroup adds parameters with attributes of their own.").Line().
			Func().Params(self).Id("AddGroup").Params(params...).Error().Block(add.body...),
	}
	if g.hasValues() {
		set := g.newFunc()
		set.takeAttrs()
		set.add(jen.Return(jen.Id("o").Dot("SetAttributes").Call(jen.Id("group"), jen.Op("&").Id("vals"))))
		code = append(code, jen.Comment("Set changes the attributes of a group; groups count from 0.").Line().
			Func().Params(self).Id("Set").Params(setParams...).Error().Block(set.body...))
	}
	return code, nil
}

// assignOp assigns to variables, of which the last is declared already or not.
func assignOp(declared bool) string {
	if declared {
		return "="
	}
	return ":="
}
