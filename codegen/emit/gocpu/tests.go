package gocpu

import (
	"math"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

const optestPath = runtimePath + "/optest"

// Tests is the test file of a spec: its examples, and gradients near them, on every backend. Updates are called through
// their optimizers and have no entry in the registry to call.
func Tests(u *emit.Unit) ([]emit.File, error) {
	f := jen.NewFilePathName(u.ImportPath+"_test", u.Package+"_test")
	f.HeaderComment("// " + emit.Header(u.Source))
	f.ImportName(optestPath, "optest")
	any := false
	for _, op := range u.Ops {
		if len(op.Decl.Examples) == 0 || op.Decl.Update {
			continue
		}
		any = true
		args := []jen.Code{jen.Id("t"), jen.Lit(u.ImportPath + "." + op.Decl.Name)}
		for _, e := range op.Decl.Examples {
			args = append(args, jen.Line().Add(testExample(op.Decl, e)))
		}
		f.Func().Id("Test" + u.GoName(op.Decl.Name) + "Examples").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
			jen.Qual(optestPath, "Run").Call(args...),
		)
	}
	if !any {
		return nil, nil
	}
	f.Anon(u.ImportPath)
	file, err := render(f, baseName(u.Source)+"_gen_test.go")
	return []emit.File{file}, err
}

func testExample(op *ir.OpDecl, e *ir.Example) jen.Code {
	attrs := jen.Dict{}
	for _, a := range e.Attrs {
		switch {
		case a.Word != "" && (a.Word == "true" || a.Word == "false"):
			attrs[jen.Lit(a.Name)] = jen.Lit(a.Word == "true")
		case a.Word != "":
			attrs[jen.Lit(a.Name)] = jen.Lit(a.Word)
		case a.List != nil:
			attrs[jen.Lit(a.Name)] = jen.Index().Int().ValuesFunc(func(g *jen.Group) {
				for _, x := range a.List {
					g.Lit(int(x))
				}
			})
		case a.Number == math.Trunc(a.Number) && math.Abs(a.Number) < 1<<53:
			attrs[jen.Lit(a.Name)] = jen.Lit(int(a.Number))
		default:
			attrs[jen.Lit(a.Name)] = testNumber(a.Number)
		}
	}
	fields := jen.Dict{
		jen.Id("Inputs"):  testValues(op.Inputs, op.ElemVars, e.Inputs),
		jen.Id("Outputs"): testValues(op.Outputs, op.ElemVars, e.Outputs),
	}
	if len(attrs) > 0 {
		fields[jen.Id("Attrs")] = jen.Map(jen.String()).Any().Values(attrs)
	}
	return jen.Qual(optestPath, "Example").Values(fields)
}

// testValues are the tensors of an example in the order of the signature; absent ones are empty values.
func testValues(params []*ir.Param, vars []ir.ElemVar, values []ir.ExampleValue) jen.Code {
	return jen.Index().Qual(optestPath, "Value").ValuesFunc(func(g *jen.Group) {
		for _, p := range params {
			i := slices.IndexFunc(values, func(v ir.ExampleValue) bool { return v.Name == p.Name })
			if i < 0 {
				g.Values()
				continue
			}
			d := jen.Dict{
				jen.Id("Shape"): jen.Index().Int().ValuesFunc(func(g *jen.Group) {
					for _, n := range values[i].Shape {
						g.Lit(n)
					}
				}),
				jen.Id("Data"): jen.Index().Float64().ValuesFunc(func(g *jen.Group) {
					for _, x := range values[i].Data {
						g.Add(testNumber(x))
					}
				}),
			}
			if ir.ClassOf(vars, p.Elem) == ir.ClassInt {
				d[jen.Id("Int")] = jen.True()
			}
			g.Values(d)
		}
	})
}

func testNumber(x float64) jen.Code {
	switch {
	case math.IsNaN(x):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(x, 0):
		return jen.Qual("math", "Inf").Call(jen.Lit(int(math.Copysign(1, x))))
	case x == math.Trunc(x) && math.Abs(x) < 1<<53 && !(x == 0 && math.Signbit(x)):
		return jen.Lit(int(x))
	}
	return jen.Lit(x)
}
