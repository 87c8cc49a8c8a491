package gocpu

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// shown is an example of a spec as a call in Go.
type shown struct {
	op      *opGen
	example *ir.Example
	inputs  []ir.ExampleValue  // with states at what they start at
	dtypes  map[string]string  // what dtype variables stand for
	results []shownResult      // what is printed
	names   map[string]*shownT // tensors by their names in the spec
	steps   bool               // an optimizer makes the step
}

// shownT is a tensor of an example.
type shownT struct {
	name  string // the variable
	given bool   // it isn't left out
}

// shownResult is a tensor that an example prints.
type shownResult struct {
	name   string // in the spec, without '
	text   string // what is printed
	format string // that rounds, since the last bits differ between machines; "" for exact results
}

// shownFor are the examples of an op that are shown: the first that can be, and where that sets no attribute of the op, the first
// one that does.
func (g *opGen) shownFor() []*shown {
	var r []*shown
	for _, e := range g.decl.Examples {
		if len(r) > 0 && !g.setsAttrs(e) {
			continue
		}
		s := g.show(e)
		if s == nil {
			continue
		}
		r = append(r, s)
		if !g.hasAttrs() || g.setsAttrs(e) {
			break
		}
	}
	return r
}

// setsAttrs tells whether an example sets an attribute that has a default.
func (g *opGen) setsAttrs(e *ir.Example) bool {
	return slices.ContainsFunc(e.Attrs, func(v ir.ExampleAttr) bool {
		a := g.attr(v.Name)
		return a != nil && !a.positional
	})
}

// show prepares an example, nil where its results have no text that is the same everywhere.
func (g *opGen) show(e *ir.Example) *shown {
	s := &shown{op: g, example: e, dtypes: exampleDTypes(g.decl, "f32"), names: map[string]*shownT{}}
	inputs, f, err := withStates(g.decl, e)
	if err != nil {
		return nil
	}
	s.inputs = inputs
	s.steps = g.opt != nil && len(g.decl.Outputs) == 0 && !slices.ContainsFunc(e.Inputs, func(v ir.ExampleValue) bool {
		return slices.ContainsFunc(g.opt.states, func(i int) bool { return g.decl.Inputs[i].Name == v.Name })
	}) && !slices.ContainsFunc(e.Attrs, func(a ir.ExampleAttr) bool { return a.Name == "step" && a.Number != 1 })
	names := newNamer("fmt", "err", "opt", g.unit.Package)
	for _, p := range slices.Concat(g.decl.Inputs, g.decl.Outputs) {
		given := slices.ContainsFunc(inputs, func(v ir.ExampleValue) bool { return v.Name == p.Name })
		s.names[p.Name] = &shownT{names.name(p.Name), given}
	}
	if !s.print(f) {
		return nil
	}
	return s
}

// printed are the tensors that an example prints: results, and what it says to be renewed.
func (s *shown) printed() []*ir.Param {
	list := slices.Clone(s.op.decl.Outputs)
	for i, p := range s.op.decl.Inputs {
		renewed := slices.ContainsFunc(s.example.Outputs, func(v ir.ExampleValue) bool { return v.Name == p.Name+"'" })
		if renewed && !(s.steps && i != s.op.opt.param) {
			list = append(list, p)
		}
	}
	return list
}

// code is the body of the function.
func (s *shown) code() []jen.Code {
	var body []jen.Code
	try := func(call jen.Code, comment string) {
		body = append(body, jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Panic(jen.Err())))
		if comment != "" {
			body = append(body, jen.Comment(comment))
		}
	}
	must := func(call jen.Code) *jen.Statement { return jen.Qual(runtimePath, "Must").Call(call) }
	for i, p := range s.op.decl.Inputs {
		if s.names[p.Name].given && !(s.steps && slices.Contains(s.op.opt.states, i)) {
			body = append(body, s.variable(p.Name).Op(":=").Add(s.tensor(p)))
		}
	}
	decl := s.op.decl
	switch outs := s.op.outputNames(); {
	case s.steps:
		p := s.variable(decl.Inputs[s.op.opt.param].Name)
		try(p.Clone().Dot("RequireGrad").Call(), "")
		body = append(body, jen.Id("opt").Op(":=").Add(must(s.newCall(jen.Index().Add(tensorType).Values(p)))))
		body = append(body, jen.Comment("Backward of a loss sets the gradient; here it is given."))
		try(p.Clone().Dot("BackwardWith").Call(s.variable(decl.Inputs[s.op.opt.grad].Name)), "")
		try(jen.Id("opt").Dot("Step").Call(), "")
	case len(outs) == 0:
		try(s.call(s.op.intoName()), "")
	case len(outs) == 1:
		body = append(body, s.variable(outs[0]).Op(":=").Add(must(s.call(s.op.name))))
	default:
		body = append(body, s.resultList().Op(":=").Add(s.call(s.op.name)), jen.If(jen.Err().Op("!=").Nil()).Block(jen.Panic(jen.Err())))
	}
	text := "Output:"
	for _, r := range s.results {
		line := jen.Qual("fmt", "Println").Call(s.variable(r.name))
		if r.format != "" {
			line = jen.Qual("fmt", "Printf").Call(jen.Lit(r.format+"\n"), s.variable(r.name))
		}
		body = append(body, line)
		text += "\n" + r.text
	}
	// Indented, since gofmt rewrites comments at the left margin as documentation.
	return append(body, jen.Op("\t"+strings.ReplaceAll(comment(text), "\n", "\n\t")))
}

func (s *shown) variable(name string) *jen.Statement { return jen.Id(s.names[name].name) }

// resultList is "y, at, err".
func (s *shown) resultList() *jen.Statement {
	var list []jen.Code
	for _, n := range s.op.outputNames() {
		list = append(list, s.variable(n))
	}
	return jen.List(append(list, jen.Err())...)
}

// call calls a function of the op with the inputs.
func (s *shown) call(function string) *jen.Statement {
	var args []jen.Code
	for _, p := range s.op.decl.Inputs {
		if s.names[p.Name].given {
			args = append(args, s.variable(p.Name))
		} else {
			args = append(args, jen.Nil())
		}
	}
	if len(s.op.outputNames()) > 0 {
		for _, i := range s.op.chosenVars() {
			args = append(args, jen.Qual(runtimePath, runtimeName[s.dtypes[s.op.decl.ElemVars[i].Name]]))
		}
	}
	if takesStep(s.op.decl) {
		args = append(args, s.number("step", jen.Lit(1)))
	}
	return jen.Qual(s.op.unit.ImportPath, function).Call(append(args, s.attrs()...)...)
}

// newCall makes the optimizer of some parameters.
func (s *shown) newCall(params jen.Code) *jen.Statement {
	return jen.Qual(s.op.unit.ImportPath, "New"+s.op.name).Call(append([]jen.Code{params}, s.attrs()...)...)
}

// docCall is the call for the comment of the op.
func (s *shown) docCall() jen.Code {
	switch {
	case s.op.opt != nil && len(s.op.decl.Outputs) == 0:
		return jen.List(jen.Id("opt"), jen.Err()).Op(":=").Add(s.newCall(jen.Id("params")))
	case len(s.op.outputNames()) == 0:
		return jen.Err().Op(":=").Add(s.call(s.op.intoName()))
	}
	return s.resultList().Op(":=").Add(s.call(s.op.name))
}

// examples writes the functions of an op that pkg.go.dev shows.
func (g *opGen) examples() []jen.Code {
	var r []jen.Code
	for i, s := range g.shownFor() {
		name := "Example" + g.mainName()
		if i > 0 {
			name += "_attributes"
		}
		r = append(r, jen.Func().Id(name).Params().Block(s.code()...))
	}
	return r
}
