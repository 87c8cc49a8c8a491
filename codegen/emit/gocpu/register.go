package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// attrTypes are the kinds of attributes as specs call them, and how the registry reads them.
var attrTypes = map[ir.AttrKind]struct{ name, reader string }{
	ir.AttrFloat: {"float", "Float"}, ir.AttrElem: {"float", "Float"}, ir.AttrInt: {"int", "Int"}, ir.AttrBool: {"bool", "Bool"},
	ir.AttrEnum: {"enum", "Enum"}, ir.AttrAxis: {"axis", "Int"}, ir.AttrAxes: {"axes", "Ints"}, ir.AttrKeep: {"keep", "Bool"},
}

// registration puts the op into the registry.
func (g *opGen) registration() ([]jen.Code, error) {
	var infos []jen.Code
	for _, a := range g.attrs {
		f := []jen.Code{field("Name", jen.Lit(a.decl.Name)), field("Type", jen.Lit(attrTypes[a.decl.Kind].name))}
		if a.decl.Kind == ir.AttrEnum {
			f = append(f, field("Words", jen.Index().String().Values(literals(a.decl.Enum.Words)...)))
		}
		if d := a.defaultText(); d != "" {
			f = append(f, field("Default", jen.Lit(d)))
		}
		infos = append(infos, jen.Line().Values(f...))
	}
	if g.decl.Update {
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
	fields = append(fields, jen.Line().Add(field("Invoke", jen.Id(g.low+"Invoke"))), jen.Line())
	register := jen.Func().Id("init").Params().Block(
		jen.Qual(runtimePath, "Register").Call(jen.Op("&").Qual(runtimePath, "Op").Values(fields...)))
	return []jen.Code{g.invoke(), register}, nil
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
		return jen.Id("r").Dot(attrTypes[a.decl.Kind].reader).Call(args...)
	}
	required := func(name, variable string, from jen.Code) {
		body = append(body, jen.Id(variable).Op(":=").Add(from))
		after = append(after, jen.If(jen.Id(variable).Op("==").Nil()).Block(
			jen.Return(jen.Nil(), g.attrError(name, "a value", jen.Lit("none")))))
	}
	names := newNamer("r", "in", "attrs", "a", "err", "step")
	if g.decl.Update {
		required("step", "step", jen.Id("r").Dot("Int").Call(jen.Lit("step")))
	}
	for _, a := range g.attrs {
		switch {
		case a.positional && a.decl.Kind == ir.AttrEnum:
			positional = append(positional, jen.Id(a.goType).Call(read(a)))
		case a.positional && a.decl.Kind == ir.AttrAxes:
			name := names.name(a.name)
			required(a.decl.Name, name, read(a))
			positional = append(positional, jen.Qual(runtimePath, "PlaceAxes").Call(jen.Id(name)))
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
	if g.decl.Update {
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
	if g.decl.Update {
		var made []jen.Code
		for range outs {
			made = append(made, jen.Nil())
		}
		return []jen.Code{jen.Return(jen.Nil(), jen.Id(g.intoName()).Call(append(made, args...)...))}
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
