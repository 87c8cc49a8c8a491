package gocpu

import (
	"math"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

const optestPath = runtimePath + "/optest"

// tests is the test file of a spec: its examples as calls in Go, and all of them, with gradients near them, on every CPU path and in every
// dtype. Updates with results beside what they write in place have the calls alone: the registry doesn't call these.
func (f *fileGen) tests() ([]emit.File, error) {
	u := f.unit
	out := jen.NewFilePathName(u.ImportPath+"_test", u.Package+"_test")
	out.HeaderComment("// " + emit.Header(u.Source))
	out.ImportName(optestPath, "optest")
	out.ImportName(runtimePath, "runtime")
	out.ImportName(u.ImportPath, u.Package)
	for _, e := range f.shown {
		out.Add(e).Line()
	}
	any := false
	for _, op := range u.Ops {
		if len(op.Decl.Examples) == 0 || op.Decl.Update && len(op.Decl.Outputs) > 0 {
			continue
		}
		any = true
		args := []jen.Code{jen.Id("t"), jen.Lit(u.ImportPath + "." + op.Decl.Name)}
		for _, e := range op.Decl.Examples {
			code, err := testExample(op.Decl, e)
			if err != nil {
				return nil, err
			}
			args = append(args, jen.Line().Add(code))
		}
		out.Func().Id("Test" + u.GoName(op.Decl.Name) + "Examples").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
			jen.Qual(optestPath, "Run").Call(args...),
		)
	}
	switch {
	case !any && f.shown == nil:
		return nil, nil
	case f.shown == nil:
		out.Anon(u.ImportPath)
	}
	file, err := render(out, baseName(u.Source)+"_gen_test.go")
	return []emit.File{file}, err
}

func testExample(op *ir.OpDecl, e *ir.Example) (jen.Code, error) {
	attrs := jen.Dict{}
	if takesStep(op) && !slices.ContainsFunc(e.Attrs, func(a ir.ExampleAttr) bool { return a.Name == "step" }) {
		attrs[jen.Lit("step")] = jen.Lit(1)
	}
	for _, a := range e.Attrs {
		switch {
		case a.Name == "step" && op.Update && !takesStep(op):
		case a.Word != "" && (a.Word == "true" || a.Word == "false"):
			attrs[jen.Lit(a.Name)] = jen.Lit(a.Word == "true")
		case a.Word != "":
			attrs[jen.Lit(a.Name)] = jen.Lit(a.Word)
		case a.List != nil:
			attrs[jen.Lit(a.Name)] = testList(op, a)
		case a.Number == math.Trunc(a.Number) && math.Abs(a.Number) < 1<<53:
			attrs[jen.Lit(a.Name)] = jen.Lit(int(a.Number))
		default:
			attrs[jen.Lit(a.Name)] = testNumber(a.Number)
		}
	}
	inputs, f, err := withStates(op, e)
	if err != nil {
		return nil, err
	}
	fields := jen.Dict{jen.Id("Inputs"): testValues(op.Inputs, "", inputs)}
	if len(op.Outputs) > 0 {
		fields[jen.Id("Outputs")] = testValues(op.Outputs, "", e.Outputs)
	}
	if slices.ContainsFunc(op.Inputs, func(p *ir.Param) bool { return p.Mode != ir.Input }) {
		fields[jen.Id("After")] = testValues(op.Inputs, "'", e.Outputs)
	}
	if also := alsoDTypes(op, e); also != nil {
		fields[jen.Id("Also")] = also
	}
	if deviates(f) {
		fields[jen.Id("Held")] = jen.True()
	}
	if len(attrs) > 0 {
		fields[jen.Id("Attrs")] = jen.Map(jen.String()).Any().Values(attrs)
	}
	return jen.Qual(optestPath, "Example").Values(fields), nil
}

// testList is a list attribute: of floats where it is declared so, else of whole numbers.
func testList(op *ir.OpDecl, a ir.ExampleAttr) jen.Code {
	if slices.ContainsFunc(op.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name && d.Kind == ir.AttrFloat }) {
		return jen.Index().Float64().ValuesFunc(func(g *jen.Group) {
			for _, x := range a.List {
				g.Add(testNumber(x))
			}
		})
	}
	return jen.Index().Int().ValuesFunc(func(g *jen.Group) {
		for _, x := range a.List {
			g.Lit(int(x))
		}
	})
}

// deviates tells whether the gradient of an example is another than the derivative on purpose: something is held still in it, or a
// formula is unverified.
func deviates(f *ir.Func) bool {
	stops := func(v *ir.Value) bool {
		found := false
		ir.Walk(v, func(v *ir.Value) bool {
			found = found || v.Op == ir.OpStop
			return !found
		})
		return found
	}
	return slices.ContainsFunc(f.UserGrads, func(g ir.UserGrad) bool { return g.Unverified || g.None }) ||
		slices.ContainsFunc(f.Defs, func(d *ir.Def) bool { return stops(d.Body) })
}

// withStates are the inputs of an example, where states that it leaves out are what they start at, and the function that it calls.
func withStates(op *ir.OpDecl, e *ir.Example) ([]ir.ExampleValue, *ir.Func, error) {
	given := map[string]*ir.Array{}
	for _, v := range e.Inputs {
		given[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
	}
	bound, err := ir.Bind(op, ir.ShapesOf(given), e.Attrs)
	if err != nil {
		return nil, nil, err
	}
	in, err := bound.Binding(given, nil)
	if err != nil {
		return nil, nil, err
	}
	all := slices.Clone(e.Inputs)
	for _, t := range bound.Func.Inputs {
		if t.Role == ir.State && given[t.Name] == nil {
			start := bound.Views[t].Out(in.Arrays[t])
			all = append(all, ir.ExampleValue{Name: t.Name, Shape: start.Shape, Data: start.Data})
		}
	}
	return all, bound.Func, nil
}

// testValues are tensors of an example in the order of the signature, by their names with a suffix; absent ones are empty
// values.
func testValues(params []*ir.Param, suffix string, values []ir.ExampleValue) jen.Code {
	return jen.Index().Qual(optestPath, "Value").ValuesFunc(func(g *jen.Group) {
		for _, p := range params {
			i := slices.IndexFunc(values, func(v ir.ExampleValue) bool { return v.Name == p.Name+suffix })
			if i < 0 {
				g.Values()
				continue
			}
			g.Values(jen.Dict{
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
			})
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
