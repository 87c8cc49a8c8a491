package gocpu

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// tensor makes an input of an example.
func (s *shown) tensor(p *ir.Param) jen.Code {
	v := s.inputs[slices.IndexFunc(s.inputs, func(v ir.ExampleValue) bool { return v.Name == p.Name })]
	d := p.Elem.Resolve(s.dtypes)
	name := goTypes[d]
	element := func(x float64) jen.Code {
		switch {
		case d == "bool":
			return jen.Lit(x != 0)
		case name == "float32" && (math.IsNaN(x) || math.IsInf(x, 0)):
			return jen.Float32().Call(testNumber(x))
		}
		return testNumber(x)
	}
	var shape, data []jen.Code
	for _, n := range v.Shape {
		shape = append(shape, jen.Lit(n))
	}
	for _, x := range v.Data {
		data = append(data, element(x))
	}
	must := func(function jen.Code, args ...jen.Code) jen.Code {
		return jen.Qual(runtimePath, "Must").Call(jen.Add(function).Call(append(args, shape...)...))
	}
	switch {
	case strings.HasPrefix(name, "runtime."): // no literals of these
		return must(jen.Qual(runtimePath, "FromFloats"), jen.Qual(runtimePath, runtimeName[d]), jen.Index().Float64().Values(data...))
	case len(v.Shape) == 0:
		return jen.Qual(runtimePath, "Scalar").Types(jen.Id(name)).Call(data...)
	case len(data) == 0:
		return must(jen.Qual(runtimePath, "Zeros").Types(jen.Id(name)))
	}
	return must(jen.Qual(runtimePath, "FromSlice"), jen.Index().Id(name).Values(data...))
}

// number is a whole number that the example sets.
func (s *shown) number(name string, otherwise jen.Code) jen.Code {
	for _, v := range s.example.Attrs {
		if v.Name == name {
			return jen.Lit(int(v.Number))
		}
	}
	return otherwise
}

// attrs are the arguments for attributes.
func (s *shown) attrs() []jen.Code {
	var args, fields []jen.Code
	for _, a := range s.op.attrs {
		i := slices.IndexFunc(s.example.Attrs, func(v ir.ExampleAttr) bool { return v.Name == a.decl.Name })
		switch {
		case a.positional && i < 0: // random numbers
			args = append(args, jen.Qual(runtimePath, "NewSeed").Call(jen.Lit(1)))
		case a.positional:
			args = append(args, s.attrValue(a, s.example.Attrs[i]))
		case i < 0:
		case a.decl.Kind == ir.AttrAxes && s.example.Attrs[i].Word != "":
			fields = append(fields, field(a.field+"All", jen.True()))
		case a.pointer:
			fields = append(fields, field(a.field, jen.New(s.attrValue(a, s.example.Attrs[i]))))
		default:
			fields = append(fields, field(a.field, s.attrValue(a, s.example.Attrs[i])))
		}
	}
	if !s.op.hasAttrs() {
		return args
	}
	if fields == nil {
		return append(args, jen.Nil())
	}
	return append(args, jen.Op("&").Qual(s.op.unit.ImportPath, s.op.name+"Attrs").Values(fields...))
}

// attrValue is the value of an attribute.
func (s *shown) attrValue(a *attr, v ir.ExampleAttr) jen.Code {
	number := func(x float64) jen.Code {
		if strings.HasSuffix(a.goType, "float64") && !math.IsInf(x, 0) && !math.IsNaN(x) {
			return jen.Lit(x) // 2.0, of which new makes a float
		}
		return testNumber(x)
	}
	list := v.List
	if a.decl.Kind == ir.AttrAxes && list == nil {
		list = []float64{v.Number}
	}
	var entries []jen.Code
	for _, x := range list {
		entries = append(entries, testNumber(x))
	}
	switch {
	case a.decl.Kind == ir.AttrAxes && a.positional && v.Word != "":
		return jen.Qual(runtimePath, "Placement").Values(field("All", jen.True()))
	case a.decl.Kind == ir.AttrAxes && a.positional:
		return jen.Qual(runtimePath, "PlaceAxes").Call(jen.Index().Int().Values(entries...))
	case a.decl.Kind == ir.AttrAxes:
		return jen.Index().Int().Values(entries...)
	case a.decl.Kind == ir.AttrEnum:
		return jen.Qual(s.op.unit.ImportPath, s.op.enumWord(a.decl.Enum, v.Word))
	case v.Word != "":
		return jen.Lit(v.Word == "true")
	case a.decl.List != "":
		if list == nil {
			entries = append(entries, testNumber(v.Number))
		}
		return jen.Index().Id(strings.TrimPrefix(a.goType, "[]")).Values(entries...)
	case a.decl.Kind == ir.AttrRNG:
		return jen.Qual(runtimePath, "NewSeed").Call(jen.Lit(int(v.Number)))
	}
	return number(v.Number)
}

// plain are the values of an example as the spec has them: "[0, 2]", and whether they were shortened.
func plain(v ir.ExampleValue) (text string, about bool) {
	at := 0
	var write func(axis int) string
	write = func(axis int) string {
		if axis == len(v.Shape) {
			x := v.Data[at]
			at++
			long, short := strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(x, 'g', 5, 64)
			if len(long) > 8 && len(short) < len(long) {
				about = true
				return short
			}
			return long
		}
		var list []string
		for range v.Shape[axis] {
			list = append(list, write(axis+1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return write(0), about
}

// longestExample is the most that comments say of the values of an example.
const longestExample = 110

// docText is the example for the comment of the op.
func (s *shown) docText() string {
	call := strings.TrimSpace(jen.Add(s.docCall()).GoString())
	return s.docValues() + "\n\n\t" + call
}

// docValues says what the call is given, and what it gives.
func (s *shown) docValues() string {
	given := func(list []ir.ExampleValue, verb string) []string {
		var r []string
		for _, v := range list {
			text, about := plain(v)
			name, renewed := strings.CutSuffix(v.Name, "'")
			switch {
			case s.names[name] == nil:
				continue
			case verb != "" && about && renewed:
				text = "becomes about " + text
			case verb != "" && renewed:
				text = "becomes " + text
			case verb != "" && about:
				text = "is about " + text
			case verb != "":
				text = "is " + text
			default:
				text = "= " + text
			}
			r = append(r, s.names[name].name+" "+text)
		}
		return r
	}
	in, out := given(s.example.Inputs, ""), given(s.example.Outputs, "is")
	text := "With " + andOf(in) + ", " + andOf(out) + ":"
	if s.op.opt != nil || len(in) == 0 || len(text) > longestExample {
		return "For example:"
	}
	return text
}

// andOf joins with commas and "and".
func andOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
