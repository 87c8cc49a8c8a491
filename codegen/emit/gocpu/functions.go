package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// apiFunc is a function that people call, while it is written.
type apiFunc struct {
	g       *opGen
	names   namer
	tensors map[string]string // inputs and outputs by name in the spec: y, x; cotangents and gradients as @y, @x
	zero    []jen.Code        // results before the error where there is one
	body    []jen.Code
}

// newFunc begins a function; zero are its results in case of an error, but for the error.
func (g *opGen) newFunc(zero ...jen.Code) *apiFunc {
	f := &apiFunc{g: g, zero: zero, tensors: map[string]string{}, names: newNamer(callVars...)}
	for _, a := range g.attrs {
		f.names.take(a.name)
	}
	for _, n := range slices.Concat(g.inputNames(), g.outputNames()) {
		f.tensor(n) // always in this order, so that a tensor has one name in all functions of an op
	}
	return f
}

// callVars are the variables of functions that people call, beside tensors and attributes.
var callVars = []string{"attrs", "vals", "bound", "variant", "place", "record", "err", "step", "back"}

// methodVars are those of functions that have attributes but no tensors.
var methodVars = []string{"params", "group", "a", "o", "r", "s", "v", "in"}

func (f *apiFunc) add(code ...jen.Code) { f.body = append(f.body, code...) }

// tensor names a tensor.
func (f *apiFunc) tensor(name string) *jen.Statement {
	if f.tensors[name] == "" {
		f.tensors[name] = f.names.name(name)
	}
	return jen.Id(f.tensors[name])
}

// fail returns an error.
func (f *apiFunc) fail(err jen.Code) jen.Code {
	return jen.Return(append(slices.Clone(f.zero), err)...)
}

// try calls something whose only result is an error.
func (f *apiFunc) try(call jen.Code, wrap func(jen.Code) jen.Code) {
	err := jen.Code(jen.Err())
	if wrap != nil {
		err = wrap(err)
	}
	f.add(jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(f.fail(err)))
}

// tensorParams are parameters of tensors.
func (f *apiFunc) tensorParams(typ jen.Code, names ...string) jen.Code {
	if len(names) == 0 {
		return jen.Null()
	}
	var list []jen.Code
	for _, n := range names {
		list = append(list, f.tensor(n))
	}
	return jen.List(list...).Add(typ)
}

// attrParams are the parameters behind the tensors.
func (g *opGen) attrParams() []jen.Code {
	if takesStep(g.decl) {
		return append([]jen.Code{jen.Id("step").Int()}, g.valueParams()...)
	}
	return g.valueParams()
}

// valueParams are those of attributes.
func (g *opGen) valueParams() []jen.Code {
	list := g.positionalParams()
	if g.hasAttrs() {
		list = append(list, jen.Id("attrs").Op("*").Id(g.name+"Attrs"))
	}
	return list
}

// attrArgs are what positionalParams declares, as arguments.
func (g *opGen) attrArgs() []jen.Code {
	var list []jen.Code
	for _, a := range g.attrs {
		if a.positional {
			list = append(list, jen.Id(a.name))
		}
	}
	return list
}

// takeAttrs fills in the values of attributes as vals, and checks the step of an update.
func (f *apiFunc) takeAttrs() {
	g := f.g
	if g.hasValues() {
		from := jen.Id(g.low + "ValuesOf")
		if g.hasAttrs() {
			from = jen.Id("attrs").Dot("values")
		}
		f.add(jen.List(jen.Id("vals"), jen.Err()).Op(":=").Add(from).Call(g.attrArgs()...),
			jen.If(jen.Err().Op("!=").Nil()).Block(f.fail(jen.Err())))
	}
}

// checkStep refuses a step that is no count. Where the op doesn't read it, callers don't give it.
func (f *apiFunc) checkStep() {
	switch {
	case takesStep(f.g.decl):
		f.add(jen.If(jen.Id("step").Op("<").Lit(1).Op("||").Id("step").Op(">").Qual(runtimePath, "MaxPoints")).Block(f.fail(f.g.attrError("step", "from 1 to 2^44", jen.Id("step")))))
	case f.g.decl.Update:
		f.add(jen.Const().Id("step").Op("=").Lit(1).Comment("the formula doesn't read it"))
	}
}

// takesStep tells whether an op reads the number of the update.
func takesStep(d *ir.OpDecl) bool {
	if !d.Update || slices.ContainsFunc(d.Attrs, func(a *ir.AttrDecl) bool { return a.Name == "step" }) {
		return false
	}
	found := false
	look := func(v *ir.Value) {
		ir.Walk(v, func(v *ir.Value) bool {
			found = found || v.Op == ir.OpScalar && v.Name == "step"
			return !found
		})
	}
	for _, v := range d.Variants {
		for _, c := range v.Choices {
			if c.Cond != nil {
				look(c.Cond)
			}
		}
		for _, r := range v.Forward.Requires {
			look(r.Cond)
		}
		for _, def := range v.Forward.Defs {
			for _, x := range def.Values() {
				look(x)
			}
		}
	}
	return found
}

// chooseVariant finds the variant, where there are several.
func (f *apiFunc) chooseVariant(vals jen.Code) {
	g := f.g
	if len(g.groups) == 1 {
		return
	}
	var args []jen.Code
	if g.hasValues() {
		args = append(args, vals)
	}
	if g.usesStep() {
		args = append(args, jen.Id("step"))
	}
	for _, p := range g.presence() {
		args = append(args, f.tensor(p))
	}
	call := jen.Id(g.low + "Variant").Call(args...)
	if !g.refuses() {
		f.add(jen.Id("variant").Op(":=").Add(call))
		return
	}
	f.add(jen.List(jen.Id("variant"), jen.Err()).Op(":=").Add(call), jen.If(jen.Err().Op("!=").Nil()).Block(f.fail(jen.Err())))
}

// declareBound declares the bound.
func (f *apiFunc) declareBound() { f.add(jen.Var().Id("bound").Qual(runtimePath, "Bound")) }

// place is the placement argument; it declares the placement first where there is one.
func (f *apiFunc) place() jen.Code {
	at := f.g.placed()
	var p *jen.Statement
	switch {
	case at == nil && f.g.keep() == nil:
		return jen.Nil()
	case at == nil:
		p = jen.Qual(runtimePath, "Placement").Values()
	case at.decl.Kind == ir.AttrAxis:
		p = jen.Qual(runtimePath, "PlaceAxis").Call(jen.Id("vals").Dot(at.name))
	default:
		p = jen.Id("vals").Dot(at.name)
	}
	f.add(jen.Id("place").Op(":=").Add(p))
	if k := f.g.keep(); k != nil {
		f.add(jen.Id("place").Dot("Keep").Op("=").Id("vals").Dot(k.name))
	}
	return jen.Op("&").Id("place")
}

// signature is the signature of the variant.
func (f *apiFunc) signature(back bool) *jen.Statement {
	if len(f.g.groups) == 1 {
		return jen.Id(f.g.groups[0].signature(back).name)
	}
	if back {
		return jen.Id(f.g.low + "Backwards").Index(jen.Id("variant"))
	}
	return jen.Id(f.g.low + "Forwards").Index(jen.Id("variant"))
}

// run runs the programs.
func (f *apiFunc) run(back bool, vals jen.Code) {
	g := f.g
	name := g.low + "Run"
	if back {
		name += "Backward"
	}
	args := g.runArgs(jen.Op("&").Id("bound"), vals)
	if len(g.groups) > 1 {
		args = append(args, jen.Id("variant"))
	}
	call := jen.Id(name).Call(args...)
	if !g.anyFails(back) {
		f.add(call)
		return
	}
	f.try(call, func(err jen.Code) jen.Code { return jen.Id("bound").Dot("Fail").Call(err) })
}

func names(params []*param) []string {
	var list []string
	for _, p := range params {
		list = append(list, p.name)
	}
	return list
}

// inputNames and outputNames are those of the op.
func (g *opGen) inputNames() []string { return names(g.live().forward.params[:len(g.decl.Inputs)]) }

func (g *opGen) outputNames() []string {
	var list []string
	for _, p := range g.live().forward.params[len(g.decl.Inputs):] {
		if !p.saved {
			list = append(list, p.name)
		}
	}
	return list
}

var tensorType = jen.Op("*").Qual(runtimePath, "Tensor")

// intoName is the function that writes to the memory of the caller.
func (g *opGen) intoName() string { return g.name + "Into" }

// mainName is the function, or the type, that stands for the op.
func (g *opGen) mainName() string {
	switch {
	case !g.decl.Update || len(g.decl.Outputs) > 0:
		return g.name
	case g.opt != nil:
		return g.name
	}
	return g.intoName()
}

// functions writes what people call.
func (g *opGen) functions() ([]jen.Code, error) {
	var code []jen.Code
	if !g.decl.Update || len(g.decl.Outputs) > 0 {
		f, err := g.forward()
		if err != nil {
			return nil, err
		}
		code = append(code, f)
	}
	code = append(append(code, g.into()...), g.lists()...)
	if f := g.slice(); f != nil {
		code = append(code, f)
	}
	return append(code, g.backwardInto()...), nil
}

// bindArgs are the tensors that are bound. What only a derivative reads has no tensor.
func (f *apiFunc) bindArgs() []jen.Code {
	var args []jen.Code
	for _, n := range slices.Concat(f.g.inputNames(), f.g.outputNames()) {
		args = append(args, f.tensor(n))
	}
	return args
}

// into writes the function that computes into tensors of the caller.
func (g *opGen) into() []jen.Code {
	f := g.newFunc()
	params := []jen.Code{f.tensorParams(tensorType, slices.Concat(g.outputNames(), g.inputNames())...)}
	f.takeAttrs()
	f.checkStep()
	f.compute(jen.Op("&").Id("vals"))
	return []jen.Code{jen.Comment(g.intoDoc()).Line().Func().Id(g.intoName()).Params(append(params, g.attrParams()...)...).Error().Block(f.body...)}
}

// compute binds all tensors, runs and ends the function.
func (f *apiFunc) compute(vals jen.Code) {
	f.chooseVariant(vals)
	f.declareBound()
	place := f.place()
	f.bind(false, false, vals, place, f.bindArgs())
	f.run(false, vals)
	f.add(jen.Id("bound").Dot("Finish").Call(), jen.Return(jen.Nil()))
}
