package gocpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// Files writes all Go files of a unit: the functions that people call, the portable kernels, the functions that
// choose among kernels, and the tests.
func Files(u *emit.Unit) ([]emit.File, error) {
	f := &fileGen{unit: u}
	api, err := f.api()
	if err != nil {
		return nil, err
	}
	portable, err := f.portableFile()
	if err != nil {
		return nil, err
	}
	files := append([]emit.File{api}, portable...)
	tests, err := f.tests()
	if err != nil {
		return nil, err
	}
	files = append(files, tests...)
	if len(u.Kernels) == 0 {
		return files, nil
	}
	kernels, err := Kernels(u.Package, u.Source, u.Kernels)
	if err != nil {
		return nil, err
	}
	choosers, err := choosers(u)
	if err != nil {
		return nil, err
	}
	return append(append(files, kernels), choosers...), nil
}

// api writes the file with the functions, the attributes, the signatures and the plans of a unit.
func (f *fileGen) api() (emit.File, error) {
	u := f.unit
	out := newFile(u.Package, u.Source)
	if u.Doc != "" {
		out.PackageComment(comment(u.Doc))
	}
	out.Const().Id("_").Op("=").Qual(runtimePath, "GeneratedCodeV1")
	for _, e := range u.Enums {
		out.Line().Add(f.enumDecl(e))
	}
	var failed []error // of all ops, so that they show at once
	for _, op := range u.Ops {
		code, err := f.op(op)
		if err != nil {
			failed = append(failed, err)
		}
		for _, c := range code {
			out.Line().Add(c)
		}
	}
	if failed != nil {
		return emit.File{}, errors.Join(failed...)
	}
	for _, n := range u.Kernels {
		out.Line().Add(launcher(n, u.ImportPath))
	}
	return render(out, baseName(u.Source)+"_gen.go")
}

// choosers writes the function of each kernel: it takes the fastest path of the machine. Files of assembly are for
// amd64 alone.
func choosers(u *emit.Unit) ([]emit.File, error) {
	args := jen.Id("a").Op("*").Qual(runtimePath, "Args")
	write := func(name, constraint string, body func(kernel string) []jen.Code) (emit.File, error) {
		f := newFile(u.Package, u.Source)
		if constraint != "" {
			f.HeaderComment("//go:build " + constraint)
		}
		for _, n := range u.Kernels {
			f.Line().Func().Id(n.Name).Params(args).Block(body(n.Name)...)
		}
		return render(f, baseName(u.Source)+"_gen_"+name+".go")
	}
	portable := func(k string) []jen.Code { return []jen.Code{jen.Id(k + "_go").Call(jen.Id("a"))} }
	if !u.Assembly {
		f, err := write("noasm", "", portable)
		return []emit.File{f}, err
	}
	other, err := write("noasm", "!amd64", portable)
	if err != nil {
		return nil, err
	}
	asm, err := write("amd64", "", func(k string) []jen.Code {
		return []jen.Code{jen.Switch(jen.Qual(runtimePath, "PathOf").Call(jen.Id("a"))).Block(
			jen.Case(jen.Qual(runtimePath, "AVX512")).Block(jen.Id(k+"_avx512").Call(jen.Id("a"))),
			jen.Case(jen.Qual(runtimePath, "AVX2")).Block(jen.Id(k+"_avx2").Call(jen.Id("a"))),
			jen.Default().Block(jen.Id(k+"_go").Call(jen.Id("a"))),
		)}
	})
	return []emit.File{other, asm}, err
}

// fileGen writes the API of a unit.
type fileGen struct {
	unit     *emit.Unit
	portable []string   // functions written from definitions
	shown    []jen.Code // examples
}

// opGen writes one op.
type opGen struct {
	*fileGen
	op          *emit.Op
	decl        *ir.OpDecl
	name        string // exported: SmoothL1
	low         string // unexported: smoothL1
	attrs       []*attr
	axes        []*ir.Axis
	groups      []*group
	opt         *optimizer                 // of an update op that has one
	noOptimizer string                     // why an update has none
	many        *together                  // of an update that can be called with several tensors
	dimmed      [len(dimStages)]bool       // whether extents are computed then
	kinds       [2][]string                // of errors in runs: forward, backward
	tested      map[*ir.Func][]*ir.Require // what is tested before extents are computed
	scalars     map[string]scalarText      // attributes as portable functions write them
	chosen      map[string]bool            // functions that choose among instances for integers
	chosenFuncs []jen.Code                 // those functions

	runCases map[string]string // functions for cases that extents decide, by what they do
	parts    general.Parts     // loops of portable functions that run in parts
	written  map[string]int    // portable functions, by what they do: where they stand in portable
}

func (g *opGen) goName(s string) string { return g.unit.GoName(s) }

// fullName is the name of the op in messages: loss.smooth_l1.
func (g *opGen) fullName() string { return g.unit.Package + "." + g.decl.Name }

func (g *opGen) errorf(format string, args ...any) error {
	return &emit.Unsupported{Op: g.decl, Reason: fmt.Sprintf(format, args...)}
}

func (g *opGen) wrap(err error) error {
	if err == nil {
		return nil
	}
	if u := (*emit.Unsupported)(nil); errors.As(err, &u) {
		return err
	}
	return &emit.Unsupported{Op: g.decl, Reason: err.Error()}
}

// prepare finds out about an op all that its functions are written from.
func (f *fileGen) prepare(op *emit.Op) (*opGen, error) {
	g := &opGen{fileGen: f, op: op, decl: op.Decl, name: f.unit.GoName(op.Decl.Name), tested: map[*ir.Func][]*ir.Require{}, scalars: map[string]scalarText{}}
	g.low = g.lowName(op.Decl.Name)
	if err := g.makeAttrs(); err != nil {
		return nil, err
	}
	g.makeGroups()
	g.makeAxes()
	for _, gr := range g.groups {
		if err := g.makeSignatures(gr); err != nil {
			return nil, err
		}
	}
	if err := g.checkLimits(); err != nil {
		return nil, err
	}
	if err := g.checkSupported(); err != nil {
		return nil, err
	}
	if err := g.nameSignatures(); err != nil {
		return nil, err
	}
	if err := g.makeDims(); err != nil {
		return nil, err
	}
	if err := g.findTogether(); err != nil {
		return nil, err
	}
	g.findOptimizer()
	return g, nil
}

// op writes an op.
func (f *fileGen) op(op *emit.Op) ([]jen.Code, error) {
	g, err := f.prepare(op)
	if err != nil {
		return nil, err
	}
	f.shown = append(f.shown, g.examples()...)
	code, err := g.attrsDecl()
	if err != nil {
		return nil, err
	}
	runs, err := g.runs() // first: comments say how these fail
	if err != nil {
		return nil, err
	}
	written := func() ([]jen.Code, error) { return runs, nil }
	for _, part := range []func() ([]jen.Code, error){g.functions, g.optimizer, written, g.rule, g.signatures, g.registration} {
		more, err := part()
		if err != nil {
			return nil, err
		}
		code = append(code, more...)
	}
	return append(code, g.chosenFuncs...), nil
}

// checkSupported refuses what generated code has no form for.
func (g *opGen) checkSupported() error {
	for _, v := range g.decl.ElemVars {
		plain := func(p *ir.Param) bool { return p.Elem == ir.Elem{Name: v.Name} && !p.Optional }
		if !slices.ContainsFunc(g.decl.Inputs, plain) && !slices.ContainsFunc(g.decl.Outputs, plain) {
			return g.errorf("no input that is always there tells the dtype %s, and no result", v.Name)
		}
		if len(g.chosenVars()) > 0 && g.decl.Update {
			return g.errorf("no input that is always there tells the dtype %s of an update", v.Name)
		}
	}
	if g.live() == nil {
		return g.errorf("every variant is refused by a requirement")
	}
	return nil
}

// live is the first group that a call can take.
func (g *opGen) live() *group {
	for _, gr := range g.groups {
		if gr.refused == nil {
			return gr
		}
	}
	return nil
}

// runs writes the functions that launch kernels, and those that choose among variants.
func (g *opGen) runs() ([]jen.Code, error) {
	variant, err := g.variantFunc()
	if err != nil {
		return nil, err
	}
	var code []jen.Code
	if variant != nil {
		code = append(code, variant)
	}
	for _, back := range []bool{false, true} {
		found := false
		seen := map[string]string{}
		for _, gr := range g.groups {
			s := gr.signature(back)
			if s == nil {
				continue
			}
			found = true
			key, f, err := g.runFunc(s)
			if err != nil {
				return nil, err
			}
			g.noteChecks(s)
			if s.run = seen[key]; s.run == "" {
				s.run = g.runName(s)
				seen[key] = s.run
				code = append(code, f...)
			}
		}
		if found && len(g.groups) > 1 {
			code = append(code, g.chooseSignature(back), g.chooseRun(back))
		}
	}
	return code, nil
}

// chooseSignature lists the signatures by variant.
func (g *opGen) chooseSignature(back bool) jen.Code {
	name := g.low + "Forwards"
	if back {
		name = g.low + "Backwards"
	}
	return jen.Var().Id(name).Op("=").Index(jen.Op("...")).Op("*").Qual(runtimePath, "Signature").ValuesFunc(func(v *jen.Group) {
		for _, gr := range g.groups {
			if s := gr.signature(back); s != nil {
				v.Line().Lit(gr.index).Op(":").Op("&").Id(s.name)
			}
		}
		v.Line()
	})
}

// chooseRun runs the programs of a variant.
func (g *opGen) chooseRun(back bool) jen.Code {
	name, verb := g.low+"Run", "the op"
	if back {
		name, verb = g.low+"RunBackward", "its derivative"
	}
	fails := g.anyFails(back)
	var cases []jen.Code
	for _, gr := range g.groups {
		s := gr.signature(back)
		if s == nil {
			continue
		}
		call := jen.Id(s.run).Call(g.runArgs(jen.Id("b"), jen.Id("v"))...)
		if fails && g.fails(s) {
			call = jen.Return(call)
		}
		cases = append(cases, jen.Case(jen.Lit(gr.index)).Block(call))
	}
	f := jen.Comment(name + " runs " + verb + " in a variant.").Line().
		Func().Id(name).Params(append(g.runParams(), jen.Id("variant").Int())...)
	if !fails {
		return f.Block(jen.Switch(jen.Id("variant")).Block(cases...))
	}
	return f.Error().Block(jen.Switch(jen.Id("variant")).Block(cases...), jen.Return(jen.Nil()))
}

// anyFails reports whether running can end with an error in some variant.
func (g *opGen) anyFails(back bool) bool {
	for _, gr := range g.groups {
		if s := gr.signature(back); s != nil && g.fails(s) {
			return true
		}
	}
	return false
}

func (gr *group) signature(back bool) *signature {
	if back {
		return gr.backward
	}
	return gr.forward
}

// signatures declares the signatures.
func (g *opGen) signatures() ([]jen.Code, error) {
	code := []jen.Code{g.signatureParts()}
	for _, gr := range g.groups {
		for _, s := range []*signature{gr.forward, gr.backward} {
			if s != nil && s.value != nil {
				code = append(code, jen.Var().Id(s.name).Op("=").Add(s.value))
			}
		}
	}
	return code, nil
}
