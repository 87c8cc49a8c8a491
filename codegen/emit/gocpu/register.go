package gocpu

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// attrTypes are the kinds of attributes as specs call them, and how the registry reads them.
var attrTypes = map[ir.AttrKind]struct{ name, reader string }{
	ir.AttrFloat: {"float", "Float"}, ir.AttrElem: {"float", "Float"}, ir.AttrInt: {"int", "Int"}, ir.AttrBool: {"bool", "Bool"},
	ir.AttrEnum: {"enum", "Enum"}, ir.AttrAxis: {"axis", "Int"}, ir.AttrAxes: {"axes", "Ints"}, ir.AttrKeep: {"keep", "Bool"},
	ir.AttrRNG: {"rng", "Seed"},
}

// typeName is the type as specs call it, reader the method of the registry that reads it.
func (a *attr) typeName() string {
	if a.decl.List != "" {
		return attrTypes[a.decl.Kind].name + "[" + a.decl.List + "]"
	}
	return attrTypes[a.decl.Kind].name
}

func (a *attr) reader() string {
	if a.decl.List != "" {
		return attrTypes[a.decl.Kind].reader + "s"
	}
	return attrTypes[a.decl.Kind].reader
}

// registration puts the op into the registry.
func (g *opGen) registration() ([]jen.Code, error) {
	var infos []jen.Code
	for _, a := range g.attrs {
		f := []jen.Code{field("Name", jen.Lit(a.decl.Name)), field("Type", jen.Lit(a.typeName()))}
		if a.decl.Kind == ir.AttrEnum {
			f = append(f, field("Words", jen.Index().String().Values(literals(a.decl.Enum.Words)...)))
		}
		if d := a.defaultText(); d != "" {
			f = append(f, field("Default", jen.Lit(d)))
		}
		infos = append(infos, jen.Line().Values(f...))
	}
	for _, i := range g.chosenVars() {
		infos = append(infos, jen.Line().Values(field("Name", jen.Lit(g.decl.ElemVars[i].Name)), field("Type", jen.Lit("dtype"))))
	}
	if takesStep(g.decl) {
		infos = append(infos, jen.Line().Values(field("Name", jen.Lit("step")), field("Type", jen.Lit("int"))))
	}
	fields := []jen.Code{
		jen.Line().Add(field("Path", jen.Lit(g.unit.ImportPath))), field("Name", jen.Lit(g.decl.Name)),
		field("Source", jen.Lit(g.unit.Source)), field("Signature", jen.Op("&").Id(g.live().forward.name)),
		jen.Line().Add(field("Doc", jen.Lit(g.summary()))),
	}
	if len(infos) > 0 {
		fields = append(fields, jen.Line().Add(field("Attrs", jen.Index().Qual(runtimePath, "AttrInfo").Values(append(infos, jen.Line())...))))
	}
	if k := g.kernelDTypes(); len(k) > 0 {
		fields = append(fields, jen.Line().Add(field("Kernels", jen.Index().String().Values(literals(k)...))))
		if g.unit.Assembly {
			fields = append(fields, field("Assembly", jen.True()))
		}
	}
	fields = append(fields, jen.Line().Add(field("Invoke", jen.Id(g.low+"Invoke"))), jen.Line())
	register := jen.Func().Id("init").Params().Block(
		jen.Qual(runtimePath, "Register").Call(jen.Op("&").Qual(runtimePath, "Op").Values(fields...)))
	return []jen.Code{g.invoke(), register}, nil
}

// kernelDTypes are the choices of dtypes for which all functions of the op have kernels: what the code has for each dtype variable, in
// their order.
func (g *opGen) kernelDTypes() []string {
	var all, missing []string
	for _, f := range g.op.Functions {
		for _, p := range f.Pairs {
			var words []string
			for _, v := range g.decl.ElemVars {
				d := p.DTypes[v.Name]
				if p.Wide && d == "i64" {
					d = ir.AnyInt
				}
				words = append(words, d)
			}
			key := strings.Join(words, " ")
			if p.Forward == nil {
				missing = append(missing, key)
			} else if !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	return slices.DeleteFunc(all, func(k string) bool { return slices.Contains(missing, k) })
}

func literals(words []string) []jen.Code {
	var list []jen.Code
	for _, w := range words {
		list = append(list, jen.Lit(w))
	}
	return list
}

// invoke writes the call by name: inputs as a list, attributes as a map.
func (g *opGen) invoke() jen.Code {
	reader := jen.Id("r").Op(":=").Qual(runtimePath, "NewAttrReader").Call(jen.Lit(g.fullName()), jen.Id("attrs"))
	body := []jen.Code{reader}
	var fields, after []jen.Code
	var positional []jen.Code
	read := func(a *attr) *jen.Statement {
		args := []jen.Code{jen.Lit(a.decl.Name)}
		if a.decl.Kind == ir.AttrEnum {
			args = append(args, literals(a.decl.Enum.Words)...)
		}
		return jen.Id("r").Dot(a.reader()).Call(args...)
	}
	required := func(name, variable string, from jen.Code) {
		body = append(body, jen.Id(variable).Op(":=").Add(from))
		after = append(after, jen.If(jen.Id(variable).Op("==").Nil()).Block(
			jen.Return(jen.Nil(), g.attrError(name, "a value", jen.Lit("none")))))
	}
	names := newNamer("r", "in", "attrs", "a", "err", "step")
	if takesStep(g.decl) {
		required("step", "step", jen.Id("r").Dot("Int").Call(jen.Lit("step")))
	}
	var dtypes []jen.Code
	for _, i := range g.chosenVars() {
		name := names.name(g.chosenName(i))
		body = append(body, jen.Id(name).Op(":=").Id("r").Dot("DType").Call(jen.Lit(g.decl.ElemVars[i].Name)))
		dtypes = append(dtypes, jen.Id(name))
	}
	for _, a := range g.attrs {
		switch {
		case a.positional && a.decl.Kind == ir.AttrEnum:
			name := names.name(a.name) // read before Err asks what was not
			body = append(body, jen.Id(name).Op(":=").Add(read(a)))
			positional = append(positional, jen.Id(a.goType).Call(jen.Id(name)))
		case a.positional && a.decl.Kind == ir.AttrAxes:
			name := names.name(a.name)
			required(a.decl.Name, name, read(a))
			positional = append(positional, jen.Qual(runtimePath, "PlaceAxes").Call(jen.Id(name)))
		case a.positional && a.decl.List != "":
			name := names.name(a.name)
			required(a.decl.Name, name, read(a))
			positional = append(positional, jen.Id(name))
		case a.positional:
			name := names.name(a.name)
			required(a.decl.Name, name, read(a))
			positional = append(positional, jen.Op("*").Id(name))
		case a.decl.Kind == ir.AttrAxes:
			name, all := names.name(a.name), names.name(a.name+"All")
			body = append(body, jen.List(jen.Id(name), jen.Id(all)).Op(":=").Id("r").Dot("Axes").Call(jen.Lit(a.decl.Name)))
			fields = append(fields, field(a.field, jen.Id(name)), field(a.field+"All", jen.Id(all)))
		case a.decl.Kind == ir.AttrEnum:
			fields = append(fields, field(a.field, jen.Id(a.goType).Call(read(a))))
		case a.decl.List != "":
			fields = append(fields, field(a.field, read(a)))
		case !a.pointer: // a bool that is false by default
			name := names.name(a.name)
			body = append(body, jen.Id(name).Op(":=").Add(read(a)))
			fields = append(fields, field(a.field, jen.Id(name).Op("!=").Nil().Op("&&").Op("*").Id(name)))
		default:
			fields = append(fields, field(a.field, read(a)))
		}
	}
	if g.hasAttrs() {
		body = append(body, jen.Id("a").Op(":=").Id(g.name+"Attrs").Values(fields...))
	}
	body = append(body, jen.If(jen.Err().Op(":=").Id("r").Dot("Err").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
	body = append(body, after...)
	var args []jen.Code
	for i := range g.decl.Inputs {
		args = append(args, jen.Id("in").Index(jen.Lit(i)))
	}
	args = append(args, dtypes...)
	if takesStep(g.decl) {
		args = append(args, jen.Op("*").Id("step"))
	}
	args = append(args, positional...)
	if g.hasAttrs() {
		args = append(args, jen.Op("&").Id("a"))
	}
	body = append(body, g.invokeCall(args)...)
	return jen.Func().Id(g.low+"Invoke").Params(jen.Id("in").Index().Add(tensorType), jen.Id("attrs").Map(jen.String()).Any()).
		Params(jen.Index().Add(tensorType), jen.Error()).Block(body...)
}

// invokeCall calls the function of the op.
func (g *opGen) invokeCall(args []jen.Code) []jen.Code {
	outs := len(g.outputNames())
	if g.decl.Update && outs == 0 {
		return []jen.Code{jen.Return(jen.Nil(), jen.Id(g.intoName()).Call(args...))}
	}
	if outs == 0 {
		return []jen.Code{jen.Return(jen.Nil(), jen.Id(g.name).Call(args...))}
	}
	names := newNamer("r", "in", "attrs", "a", "err", "step")
	var list []jen.Code
	for range outs {
		list = append(list, jen.Id(names.name("y")))
	}
	return []jen.Code{
		jen.List(append(slices.Clone(list), jen.Err())...).Op(":=").Id(g.name).Call(args...),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Index().Add(tensorType).Values(list...), jen.Nil()),
	}
}
