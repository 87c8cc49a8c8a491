package gocpu

import (
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
	if !g.decl.Update || len(g.decl.Outputs) > 0 {
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

// stateShapes reports whether each state has the shape of the parameter or no axes, and starts at a constant.
func (g *opGen) stateShapes(o *optimizer) bool {
	for _, i := range o.states {
		p := g.decl.Inputs[i]
		if len(p.Axes) > 0 && axesText(p.Axes) != axesText(g.decl.Inputs[o.param].Axes) {
			return false
		}
		if t := g.tensor(p.Name); t == nil || t.Init != nil && t.Init.Op != ir.OpConst {
			return false
		}
	}
	return true
}

// optimizer writes the optimizer of an update op.
func (g *opGen) optimizer() ([]jen.Code, error) {
	if g.opt == nil {
		return nil, nil
	}
	self := jen.Id("o").Op("*").Id(g.name)
	params := append([]jen.Code{jen.Id("params").Index().Add(tensorType)}, g.attrParams()[1:]...)
	setParams := append([]jen.Code{jen.Id("group").Int()}, g.attrParams()[1:]...)
	attrArgs := g.attrArgs()
	if g.hasAttrs() {
		attrArgs = append(attrArgs, jen.Id("attrs"))
	}
	states := []jen.Code{jen.Lit(g.fullName())}
	for _, i := range g.opt.states {
		p := g.decl.Inputs[i]
		f := []jen.Code{field("Name", jen.Lit(p.Name))}
		if len(p.Axes) == 0 {
			f = append(f, field("Scalar", jen.True()))
		}
		if init := g.tensor(p.Name).Init; init != nil && init.Const.Sign() != 0 {
			x, _ := init.Const.Float64()
			e, _ := width64.literal(x)
			f = append(f, field("Init", e.code))
		}
		states = append(states, jen.Qual(runtimePath, "State").Values(f...))
	}
	add := g.newFunc()
	add.takeAttrs()
	dtypes := dtypeSet(g.varDTypes(g.decl.Inputs[g.opt.param].Elem.Name))
	add.add(jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("o").Dot("Optimizer").Dot("AddGroup").Call(jen.Id("params"), dtypes),
		jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	fields := []jen.Code{jen.Op("*").Qual(runtimePath, "Optimizer")}
	if g.hasValues() {
		fields = append(fields, jen.Id("groups").Index().Id(g.valuesType()))
		add.add(jen.Id("o").Dot("groups").Op("=").Append(jen.Id("o").Dot("groups"), jen.Id("vals")))
	}
	add.add(jen.Return(jen.Nil()))
	args := make([]jen.Code, len(g.decl.Inputs))
	args[g.opt.param] = jen.Id("s").Dot("Param")
	args[g.opt.grad] = jen.Id("grad")
	for k, i := range g.opt.states {
		args[i] = jen.Id("s").Dot("State").Index(jen.Lit(k))
	}
	args = append(args, jen.Id("s").Dot("Step"))
	if g.hasValues() {
		args = append(args, jen.Op("&").Id("o").Dot("groups").Index(jen.Id("s").Dot("Group")))
	}
	code := []jen.Code{
		jen.Comment(g.doc()).Line().Type().Id(g.name).Struct(fields...),
		jen.Comment("New"+g.name+" makes an optimizer of params, which are one group. Each must require gradients.").Line().
			Func().Id("New"+g.name).Params(params...).Params(jen.Op("*").Id(g.name), jen.Error()).Block(
			jen.Id("o").Op(":=").Op("&").Id(g.name).Values(field("Optimizer", jen.Qual(runtimePath, "NewOptimizer").Call(states...))),
			jen.If(jen.Err().Op(":=").Id("o").Dot("AddGroup").Call(append([]jen.Code{jen.Id("params")}, attrArgs...)...), jen.Err().Op("!=").Nil()).
				Block(jen.Return(jen.Nil(), jen.Err())),
			jen.Return(jen.Id("o"), jen.Nil()),
		),
		jen.Comment("AddGroup adds parameters with attributes of their own.").Line().
			Func().Params(self).Id("AddGroup").Params(params...).Error().Block(add.body...),
		jen.Comment("Step updates all parameters that have a gradient.").Line().
			Func().Params(self).Id("Step").Params().Error().Block(jen.Return(jen.Id("o").Dot("Each").Call(
			jen.Func().Params(jen.Id("s").Op("*").Qual(runtimePath, "Slot"), jen.Id("grad").Add(tensorType)).Error().Block(
				jen.Return(jen.Id(g.low + "Into").Call(args...)))))),
	}
	if g.hasValues() {
		set := g.newFunc()
		set.add(jen.If(jen.Id("group").Op("<").Lit(0).Op("||").Id("group").Op(">=").Len(jen.Id("o").Dot("groups"))).Block(
			jen.Return(g.attrError("group", "a group that was added", jen.Id("group")))))
		set.takeAttrs()
		set.add(jen.Id("o").Dot("groups").Index(jen.Id("group")).Op("=").Id("vals"), jen.Return(jen.Nil()))
		code = append(code, jen.Comment("Set changes the attributes of a group; groups count from 0.").Line().
			Func().Params(self).Id("Set").Params(setParams...).Error().Block(set.body...))
	}
	return code, nil
}
