package gocpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// attr is an attribute as Go sees it.
type attr struct {
	decl       *ir.AttrDecl
	field      string // of the attribute structure, exported
	name       string // of the value: a field of the values, and a parameter where it is positional
	positional bool   // it has no default
	goType     string // of the value
	pointer    bool   // the field is a pointer: nil is the default
}

// attrs lists the attributes of an op.
func (g *opGen) makeAttrs() error {
	values := newNamer(slices.Concat(callVars, methodVars)...)
	for _, d := range g.decl.Attrs {
		a := &attr{decl: d, field: g.goName(d.Name), name: values.name(lowerFirst(g.goName(d.Name)))}
		a.positional = d.Default == nil && d.Word == "" && !d.Optional && d.Kind != ir.AttrKeep
		unsupported := func(what string) error {
			return g.errorf("attribute %s: %s is not supported in Go", d.Name, what)
		}
		switch d.Kind {
		case ir.AttrFloat:
			a.goType, a.pointer = "float64", true
		case ir.AttrInt, ir.AttrAxis:
			a.goType, a.pointer = "int", true
		case ir.AttrElem:
			if ir.ClassOf(g.decl.ElemVars, d.Elem) == ir.ClassBool {
				return unsupported("the type " + d.Elem.String())
			}
			a.goType, a.pointer = "float64", true
		case ir.AttrBool, ir.AttrKeep:
			a.goType, a.pointer = "bool", d.Word == "true"
		case ir.AttrEnum:
			a.goType = g.goName(d.Enum.Name)
		case ir.AttrAxes:
			a.goType = "runtime.Placement"
		case ir.AttrRNG:
			a.goType = "runtime.Seed"
		}
		if d.List != "" {
			a.goType, a.pointer = "[]"+a.goType, false
		}
		if d.Optional && !a.pointer && d.List == "" {
			return unsupported("an optional attribute that is no number")
		}
		g.attrs = append(g.attrs, a)
	}
	return nil
}

// hasAttrs reports whether there is an attribute structure.
func (g *opGen) hasAttrs() bool {
	return slices.ContainsFunc(g.attrs, func(a *attr) bool { return !a.positional })
}

func (g *opGen) hasValues() bool { return len(g.attrs) > 0 }

func (g *opGen) attr(name string) *attr {
	for _, a := range g.attrs {
		if a.decl.Name == name {
			return a
		}
	}
	return nil
}

// typeCode is the Go type of the value of an attribute.
func (a *attr) typeCode() jen.Code {
	if name, ok := strings.CutPrefix(a.goType, "runtime."); ok {
		return jen.Qual(runtimePath, name)
	}
	if name, ok := strings.CutPrefix(a.goType, "[]"); ok {
		return jen.Index().Id(name)
	}
	return jen.Id(a.goType)
}

// hasFlag is the field that tells whether an optional attribute is there.
func (a *attr) hasFlag() string { return "has" + strings.ToUpper(a.name[:1]) + a.name[1:] }

// defaultText is the default as the spec has it; "" where there is none.
func (a *attr) defaultText() string {
	switch {
	case a.decl.Word != "":
		return a.decl.Word
	case a.decl.Default != nil && a.decl.Default.Op == ir.OpConst:
		x, _ := a.decl.Default.Const.Float64()
		return strconv.FormatFloat(x, 'g', -1, 64)
	case a.decl.Default != nil:
		return a.decl.Default.String()
	case a.decl.Kind == ir.AttrKeep:
		return "false"
	}
	return ""
}

// attrsDecl declares the attribute structure and the values with their defaults.
func (g *opGen) attrsDecl() ([]jen.Code, error) {
	var code []jen.Code
	if g.hasAttrs() {
		var fields []jen.Code
		for _, a := range g.attrs {
			if a.positional {
				continue
			}
			comment := "default " + a.defaultText()
			if a.decl.Optional {
				comment = "may be absent"
			}
			if a.decl.List != "" {
				comment += "; " + a.listText()
			}
			field := jen.Id(a.field)
			switch {
			case a.decl.Kind == ir.AttrAxes:
				fields = append(fields, field.Index().Int().Comment(comment), jen.Id(a.field+"All").Bool().Comment("all axes, whatever "+a.field+" says"))
				continue
			case a.pointer:
				field = field.Op("*")
			}
			fields = append(fields, field.Add(a.typeCode()).Comment(comment))
		}
		doc := fmt.Sprintf("%sAttrs are the attributes of %s that have defaults. Nil and zero values mean those.", g.name, g.subject())
		code = append(code, jen.Comment(doc).Line().Type().Id(g.name+"Attrs").Struct(fields...))
	}
	if !g.hasValues() {
		return code, nil
	}
	var fields []jen.Code
	for _, a := range g.attrs {
		fields = append(fields, jen.Id(a.name).Add(a.typeCode()))
		if a.decl.Optional {
			fields = append(fields, jen.Id(a.hasFlag()).Bool())
		}
	}
	code = append(code, jen.Comment(g.valuesType()+" are the attributes of a call, with defaults filled in.").Line().
		Type().Id(g.valuesType()).Struct(fields...))
	f, err := g.valuesFunc()
	return append(code, f), err
}

// subject is how comments call the op.
func (g *opGen) subject() string { return "[" + g.mainName() + "]" }

func (g *opGen) valuesType() string { return g.low + "Values" }

// positionalParams are the parameters of attributes without a default.
func (g *opGen) positionalParams() []jen.Code {
	var list []jen.Code
	for _, a := range g.attrs {
		if a.positional {
			list = append(list, jen.Id(a.name).Add(a.typeCode()))
		}
	}
	return list
}

// valuesFunc fills in defaults and checks what depends on attributes alone.
func (g *opGen) valuesFunc() (jen.Code, error) {
	var body []jen.Code
	var start []jen.Code
	for _, a := range g.attrs {
		e, err := g.defaultValue(a)
		if err != nil {
			return nil, err
		}
		if e != nil {
			start = append(start, field(a.name, e))
		}
	}
	body = append(body, jen.Id("v").Op(":=").Id(g.valuesType()).Values(start...))
	var set []jen.Code
	for _, a := range g.attrs {
		if !a.positional {
			set = append(set, g.takeAttr(a)...)
		}
	}
	if len(set) > 0 {
		body = append(body, jen.If(jen.Id("a").Op("!=").Nil()).Block(set...))
	}
	for _, a := range g.attrs {
		if a.decl.Kind == ir.AttrEnum {
			body = append(body, g.enumCheck(a))
		}
	}
	for _, a := range g.attrs {
		if check := g.listCheck(a); check != nil {
			body = append(body, check)
		}
	}
	checks, err := g.attrRequires(func(e jen.Code) jen.Code { return jen.Return(jen.Id("v"), e) })
	if err != nil {
		return nil, err
	}
	body = append(append(body, checks...), jen.Return(jen.Id("v"), jen.Nil()))
	f := jen.Func()
	if g.hasAttrs() {
		f = f.Params(jen.Id("a").Op("*").Id(g.name + "Attrs")).Id("values")
	} else {
		f = f.Id(g.low + "ValuesOf")
	}
	return f.Params(g.positionalParams()...).Params(jen.Id(g.valuesType()), jen.Error()).Block(body...), nil
}

// defaultValue is what the value of an attribute starts as, nil for its zero value.
func (g *opGen) defaultValue(a *attr) (jen.Code, error) {
	d := a.decl
	switch {
	case a.positional:
		return jen.Id(a.name), nil
	case d.List != "":
		return nil, nil // see entry
	case d.Kind == ir.AttrEnum:
		return jen.Id(g.enumWord(d.Enum, d.Word)), nil
	case d.Kind == ir.AttrAxes && d.Word == "all":
		return jen.Qual(runtimePath, "Placement").Values(field("All", jen.True())), nil
	case d.Kind == ir.AttrBool || d.Kind == ir.AttrKeep:
		if d.Word == "true" {
			return jen.True(), nil
		}
		return nil, nil
	case d.Default == nil || d.Default.Op == ir.OpConst && d.Default.Const.Sign() == 0 && d.Kind != ir.AttrAxes:
		return nil, nil
	}
	h := defaultHost(d)
	switch a.goType {
	case "int", "runtime.Placement":
		e, err := h.integer(d.Default)
		if err != nil {
			return nil, g.wrap(err)
		}
		if d.Kind == ir.AttrAxes {
			return jen.Qual(runtimePath, "PlaceAxis").Call(e.code), nil
		}
		return e.code, nil
	}
	e, err := h.float(d.Default)
	return e.code, g.wrap(err)
}

// defaultHost writes defaults.
func defaultHost(d *ir.AttrDecl) *host {
	return &host{
		scalar: func(name string) (expr, bool, error) {
			return expr{}, false, fmt.Errorf("attribute %s: its default reads %s", d.Name, name)
		},
		extent: func(x *ir.Axis) (expr, error) {
			return expr{}, fmt.Errorf("attribute %s: its default reads the extent of %s", d.Name, x.Name)
		},
	}
}

// takeAttr copies a field that is set to the values.
func (g *opGen) takeAttr(a *attr) []jen.Code {
	from := func() *jen.Statement { return jen.Id("a").Dot(a.field) }
	to := func() *jen.Statement { return jen.Id("v").Dot(a.name) }
	switch {
	case a.decl.Kind == ir.AttrAxes:
		return []jen.Code{
			jen.If(from().Op("!=").Nil()).Block(to().Op("=").Qual(runtimePath, "PlaceAxes").Call(from())),
			jen.If(jen.Id("a").Dot(a.field + "All")).Block(to().Op("=").Qual(runtimePath, "Placement").Values(field("All", jen.True()))),
		}
	case a.decl.Kind == ir.AttrEnum:
		return []jen.Code{jen.If(from().Op("!=").Lit(0)).Block(to().Op("=").Add(from()))}
	case a.decl.List != "" && a.decl.Optional:
		return []jen.Code{jen.List(to(), jen.Id("v").Dot(a.hasFlag())).Op("=").List(from(), jen.Len(from()).Op(">").Lit(0))}
	case !a.pointer:
		return []jen.Code{to().Op("=").Add(from())}
	case a.decl.Optional:
		return []jen.Code{jen.If(from().Op("!=").Nil()).Block(
			jen.List(to(), jen.Id("v").Dot(a.hasFlag())).Op("=").List(jen.Op("*").Add(from()), jen.True()))}
	}
	return []jen.Code{jen.If(from().Op("!=").Nil()).Block(to().Op("=").Op("*").Add(from()))}
}

// enumCheck refuses a number that is no word.
func (g *opGen) enumCheck(a *attr) jen.Code {
	words := a.decl.Enum.Words
	v := func() *jen.Statement { return jen.Id("v").Dot(a.name) }
	bad := v().Op(">").Id(g.enumWord(a.decl.Enum, words[len(words)-1]))
	if a.positional {
		bad = v().Op("==").Lit(0).Op("||").Add(bad)
	}
	return jen.If(bad).Block(jen.Return(jen.Id("v"), g.attrError(a.decl.Name, oneOf(words), jen.Uint8().Call(v()))))
}

func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// attrError is the error of an attribute.
func (g *opGen) attrError(attr, want string, got jen.Code) jen.Code {
	return jen.Qual(runtimePath, "AttrError").Call(jen.Lit(g.fullName()), jen.Lit(attr), jen.Lit(want), got)
}

func (g *opGen) enumWord(e *ir.EnumDecl, word string) string {
	return g.goName(e.Name) + g.goName(word)
}

// enumDecl declares an enumeration. Its zero value is the default of the op.
func (f *fileGen) enumDecl(e *ir.EnumDecl) jen.Code {
	name := f.unit.GoName(e.Name)
	doc := name + " is an enumeration of the spec. Its zero value is the default of the op."
	if e.Doc != "" {
		doc = e.Doc
	}
	cases := []jen.Code{jen.Case(jen.Lit(0)).Block(jen.Return(jen.Lit("default")))}
	var words []jen.Code
	for i, w := range e.Words {
		id := jen.Id(name + f.unit.GoName(w))
		if i == 0 {
			id = id.Id(name).Op("=").Iota().Op("+").Lit(1)
		}
		words = append(words, id)
		cases = append(cases, jen.Case(jen.Id(name+f.unit.GoName(w))).Block(jen.Return(jen.Lit(w))))
	}
	return jen.Comment(doc).Line().Type().Id(name).Uint8().Line().Line().
		Comment("The words of "+name+".").Line().Const().Defs(words...).Line().Line().
		Comment("String is the word in .op files, \"default\" for the zero value.").Line().
		Func().Params(jen.Id("e").Id(name)).Id("String").Params().String().Block(
		jen.Switch(jen.Id("e")).Block(cases...),
		jen.Return(jen.Lit(name+"(").Op("+").Qual("strconv", "Itoa").Call(jen.Int().Call(jen.Id("e"))).Op("+").Lit(")")),
	)
}

// lowerFirst is an exported name as an unexported one: SGD is sgd, SmoothL1 is smoothL1, LSTMCell is lstmCell.
func lowerFirst(s string) string {
	isUpper := func(i int) bool { return i < len(s) && s[i] >= 'A' && s[i] <= 'Z' }
	n := 0
	for isUpper(n) {
		n++
	}
	if n > 1 && n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		n--
	}
	return strings.ToLower(s[:n]) + s[n:]
}
