package gocpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// optimizer is what an update op becomes that has one parameter, its gradient, states, and inputs that are given to each step.
type optimizer struct {
	param, grad int   // parameters of the signature
	states      []int // likewise
	extra       []int // inputs beside the gradient
}

// findOptimizer sees whether an update op can be an optimizer, or why it can't.
func (g *opGen) findOptimizer() {
	if !g.decl.Update {
		return
	}
	o := &optimizer{param: -1, grad: -1}
	if g.noOptimizer = g.asOptimizer(o); g.noOptimizer == "" {
		g.opt = o
	}
}

// asOptimizer finds the roles of inputs. It says why there are none.
func (g *opGen) asOptimizer(o *optimizer) (why string) {
	switch {
	case g.many == nil:
		return "it has attributes that are lists or place axes, or extents that are computed"
	}
	for i, p := range g.decl.Inputs {
		switch {
		case p.Optional:
			return p.Name + " may be absent"
		case p.Mode == ir.Inout && o.param >= 0:
			return "it renews " + g.decl.Inputs[o.param].Name + " and " + p.Name
		case p.Mode == ir.Inout:
			o.param = i
		case p.Mode == ir.State:
			o.states = append(o.states, i)
		}
	}
	if o.param < 0 {
		return "it renews nothing but states"
	}
	param := g.decl.Inputs[o.param]
	for i, p := range g.decl.Inputs {
		switch {
		case p.Mode != ir.Input:
		case o.grad < 0 && p.Elem == param.Elem && axesText(p.Axes) == axesText(param.Axes):
			o.grad = i
		default:
			o.extra = append(o.extra, i)
		}
	}
	if o.grad < 0 {
		return "it has no input of the type of " + param.Name + " that could be its gradient"
	}
	if c := ir.ClassOf(g.decl.ElemVars, param.Elem); c == ir.ClassInt || c == ir.ClassBool {
		return param.Name + " has no gradient: it holds no floats"
	}
	if len(g.attributeNames()) < len(g.attrs) {
		return "it has an attribute that can't be saved"
	}
	return g.stateShapes(o)
}

// stateShapes says which state or output can't be made from the parameter: it must have its axes, or some of them, and its dtype or a fixed one.
func (g *opGen) stateShapes(o *optimizer) (why string) {
	param := g.decl.Inputs[o.param]
	list := slices.Clone(g.decl.Outputs)
	for _, i := range o.states {
		list = append(list, g.decl.Inputs[i])
	}
	for _, p := range list {
		what := "state"
		if p.Mode != ir.State {
			what = "output"
		}
		if axesText(p.Axes) != axesText(param.Axes) {
			for _, a := range p.Axes {
				if !ownAxis(param.Axes, a) {
					return fmt.Sprintf("nothing tells the axis %s of the %s %s, which isn't one of %s", axisText(a), what, p.Name, param.Name)
				}
			}
		}
		if p.Elem.Name != param.Elem.Name && slices.ContainsFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == p.Elem.Name }) {
			return "nothing tells the dtype of the " + what + " " + p.Name
		}
	}
	return ""
}

// ownAxis reports whether a tensor with the axes tells the extents of an axis or pack. Several packs don't tell theirs.
func ownAxis(axes []ir.AxisRef, a ir.AxisRef) bool {
	packs := 0
	for _, b := range axes {
		if b.Pack {
			packs++
		}
	}
	return a.Product == nil && packs < 2 && slices.ContainsFunc(axes, func(b ir.AxisRef) bool {
		return b.Product == nil && !b.Optional && b.Pack == a.Pack && b.Name == a.Name
	})
}

// optimizerName is the type of the optimizer. The op itself is a function where it has outputs.
func (g *opGen) optimizerName() string {
	if len(g.decl.Outputs) > 0 {
		return g.name + "Optimizer"
	}
	return g.name
}

// optimizerDoc is its comment.
func (g *opGen) optimizerDoc() string {
	if len(g.decl.Outputs) == 0 {
		return g.doc()
	}
	return comment(fmt.Sprintf("%s is the optimizer of [%s]. What the update gives beside what it renews, %s, is told by Output after each Step.",
		g.optimizerName(), g.name, strings.Join(g.goNames(g.outputNames()), ", ")))
}

// stateValues are the states of an optimizer, for runtime.Rule. One that nothing reads, so that no variant has it, is none.
func (g *opGen) stateValues() ([]jen.Code, error) {
	var list []*ir.Param
	for _, i := range g.opt.states {
		list = append(list, g.decl.Inputs[i])
	}
	return g.keptValues(list, g.opt.states)
}

// outputValues are the outputs, likewise.
func (g *opGen) outputValues() ([]jen.Code, error) {
	var at []int
	for i := range g.decl.Outputs {
		at = append(at, len(g.decl.Inputs)+i)
	}
	return g.keptValues(g.decl.Outputs, at)
}

// keptValues are tensors that an optimizer makes for each parameter, with their numbers in the signature.
func (g *opGen) keptValues(list []*ir.Param, at []int) ([]jen.Code, error) {
	var states []jen.Code
	for k, p := range list {
		f := []jen.Code{field("Name", jen.Lit(p.Name)), field("At", jen.Lit(at[k]))}
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
	if init.Type.Kind == ir.Bool {
		init = ir.Select(init, ir.Int(1), ir.Int(0))
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
	reads := false
	ir.Walk(init, func(v *ir.Value) bool {
		reads = reads || v.Op == ir.OpScalar
		return !reads
	})
	if reads {
		body = append([]jen.Code{jen.Id("v").Op(":=").Id("a").Assert(jen.Op("*").Id(g.valuesType()))}, body...)
	}
	return field("Start", jen.Func().Params(jen.Id("a").Qual(runtimePath, "Attributes")).Float64().Block(body...)), nil
}

// optimizer writes the optimizer of an update op.
func (g *opGen) optimizer() ([]jen.Code, error) {
	if g.opt == nil {
		return nil, nil
	}
	name := g.optimizerName()
	self := jen.Id("o").Op("*").Id(name)
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
		jen.Comment(g.optimizerDoc()).Line().Type().Id(name).Struct(jen.Op("*").Qual(runtimePath, "Optimizer")),
		jen.Comment("New"+g.name+" makes an optimizer of params, which are one group. Each must require gradients.").Line().
			Func().Id("New"+g.name).Params(params...).Params(jen.Op("*").Id(name), jen.Error()).Block(
			jen.Id("o").Op(":=").Op("&").Id(name).Values(jen.Qual(runtimePath, "NewOptimizer").Call(jen.Op("&").Id(g.ruleName()))),
			jen.If(jen.Err().Op(":=").Id("o").Dot("AddGroup").Call(append([]jen.Code{jen.Id("params")}, attrArgs...)...), jen.Err().Op("!=").Nil()).
				Block(jen.Return(jen.Nil(), jen.Err())),
			jen.Return(jen.Id("o"), jen.Nil()),
		),
		jen.Comment("AddGroup adds parameters with attributes of their own.").Line().
			Func().Params(self).Id("AddGroup").Params(params...).Error().Block(add.body...),
	}
	code = append(code, g.stepWith()...)
	if g.hasValues() {
		set := g.newFunc()
		set.takeAttrs()
		set.add(jen.Return(jen.Id("o").Dot("SetAttributes").Call(jen.Id("group"), jen.Op("&").Id("vals"))))
		code = append(code, jen.Comment("Set changes the attributes of a group; groups count from 0.").Line().
			Func().Params(self).Id("Set").Params(setParams...).Error().Block(set.body...))
	}
	return code, nil
}

// stepWith writes the Step of an optimizer with inputs beside the gradients.
func (g *opGen) stepWith() []jen.Code {
	if len(g.opt.extra) == 0 {
		return nil
	}
	f := g.newFunc()
	var names []string
	var args []jen.Code
	for _, i := range g.opt.extra {
		names = append(names, g.decl.Inputs[i].Name)
		args = append(args, f.tensor(g.decl.Inputs[i].Name))
	}
	doc := fmt.Sprintf("Step updates all parameters that have a gradient. It takes a tensor for each parameter, in their order, or one for all: %s. On an error nothing was changed.",
		strings.Join(g.goNames(names), ", "))
	return []jen.Code{jen.Comment(comment(doc)).Line().Func().Params(jen.Id("o").Op("*").Id(g.optimizerName())).Id("Step").
		Params(f.tensorParams(jen.Index().Add(tensorType), names...)).Error().Block(jen.Return(jen.Id("o").Dot("StepWith").Call(args...)))}
}

// assignOp assigns to variables, of which the last is declared already or not.
func assignOp(declared bool) string {
	if declared {
		return "="
	}
	return ":="
}
