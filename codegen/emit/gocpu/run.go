package gocpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// runFunc writes the function that runs the programs of a signature on a runtime.Bound b, with the attributes v. Functions
// that do the same have the same key.
func (g *opGen) runFunc(s *signature) (key string, code []jen.Code, err error) {
	name := g.runName(s)
	verb := "computes" + s.part
	if s.back {
		verb = "computes the derivative of"
	}
	fails := g.fails(s)
	signature := func(name string) *jen.Statement {
		f := jen.Func().Id(name).Params(g.runParams()...)
		if fails {
			f = f.Error()
		}
		return f
	}
	if len(s.group.variants) == 1 {
		body, err := g.runBody(s, 0, s.programsOf(0))
		if err != nil {
			return "", nil, err
		}
		doc := jen.Comment(fmt.Sprintf("%s %s %s%s.", name, verb, g.decl.Name, g.choicesText(s.group.choices)))
		return render1(body), []jen.Code{doc.Line().Add(signature(name)).Block(body...)}, nil
	}
	// Variants that differ by conditions on extents, and by numbers of axes.
	var cases []jen.Code
	h := g.host(jen.Id("b"))
	call := func(name string) []jen.Code {
		c := jen.Id(name).Call(g.runArgs(jen.Id("b"), jen.Id("v"))...)
		if fails {
			return []jen.Code{jen.Return(c)}
		}
		return []jen.Code{c}
	}
	ranked := false
	for i, f := range s.group.variants {
		var run []jen.Code
		if r := f.Variant.Refused; r != nil {
			run = []jen.Code{jen.Return(g.requireError(r, f.Variant.Choices...))}
		} else {
			body, err := g.runBody(s, i, s.programsOf(i))
			if err != nil {
				return "", nil, err
			}
			text := render1(body)
			if fails {
				text = "fails " + text
			}
			if g.runCases[text] == "" {
				if g.runCases == nil {
					g.runCases = map[string]string{}
				}
				g.runCases[text] = fmt.Sprintf("%s%d", name, i)
				code = append(code, jen.Comment(fmt.Sprintf("%s%d is one of the cases of %s.", name, i, name)).Line().Add(signature(g.runCases[text])).Block(body...))
			}
			run = call(g.runCases[text])
		}
		var all expr
		for _, c := range f.Variant.Choices {
			if !emit.Late(c) {
				continue
			}
			ranked = ranked || c.Rank != "" && g.ranks(c.Rank) == 0
			e, err := g.choice(c, h, nil)
			if err != nil {
				return "", nil, err
			}
			if all.code == nil {
				all = e
			} else {
				all = binary("&&", precAnd, all, e)
			}
		}
		if i == len(s.group.variants)-1 && (!ranked || all.code == nil) {
			cases = append(cases, jen.Default().Block(run...))
		} else {
			cases = append(cases, jen.Case(all.code).Block(run...))
		}
	}
	body := []jen.Code{jen.Switch().Block(cases...)}
	if ranked {
		body = append(body, jen.Return(jen.Qual(runtimePath, "ShapeError").Call(jen.Lit(g.fullName()), jen.Lit("packs with numbers of axes that there are kernels for"))))
	}
	doc := jen.Comment(fmt.Sprintf("%s %s %s%s; what is known when tensors are bound decides how.", name, verb, g.decl.Name, g.choicesText(s.group.choices)))
	return render1(body), append(code, doc.Line().Add(signature(name)).Block(body...)), nil
}

func (g *opGen) runName(s *signature) string {
	if s.back {
		return g.low + s.group.suffix + "RunBackward"
	}
	return g.low + s.group.suffix + "Run"
}

// runParams are the parameters of run functions, runArgs the arguments.
func (g *opGen) runParams() []jen.Code {
	list := []jen.Code{jen.Id("b").Op("*").Qual(runtimePath, "Bound")}
	if g.hasValues() {
		list = append(list, jen.Id("v").Op("*").Id(g.valuesType()))
	}
	if g.decl.Update {
		list = append(list, jen.Id("step").Int())
	}
	return list
}

func (g *opGen) runArgs(b, v jen.Code) []jen.Code {
	list := []jen.Code{b}
	if g.hasValues() {
		list = append(list, v)
	}
	if g.decl.Update {
		list = append(list, jen.Id("step"))
	}
	return list
}

// programsOf are the programs of a variant, one for each choice of dtypes.
func (s *signature) programsOf(variant int) []typedProgram {
	var r []typedProgram
	for _, p := range s.group.variants[variant].Pairs {
		prog := p.Forward
		if s.back {
			prog = p.Backward
		}
		if s.back && p.NoGrad {
			continue
		}
		r = append(r, typedProgram{p.Calls(), prog})
	}
	return r
}

type typedProgram struct {
	dtypes map[string]string
	*emit.Program
}

// fails reports whether running can end with an error: indices that are data, requirements on extents.
func (g *opGen) fails(s *signature) bool {
	for _, f := range s.group.variants {
		if len(s.group.variants) > 1 && (f.Variant.Refused != nil || slices.ContainsFunc(f.Variant.Choices, func(c ir.Choice) bool { return c.Rank != "" && g.ranks(c.Rank) == 0 })) {
			return true
		}
	}
	for _, p := range s.group.programs(s.back) {
		if p.Fails() {
			return true
		}
	}
	if s.back {
		return false
	}
	for _, f := range s.group.live() {
		if len(g.fitsOf(f.Variant)) > 0 {
			return true
		}
		for i := range f.Variant.Forward.Requires {
			r := &f.Variant.Forward.Requires[i]
			if whenOf(r.Cond, g.decl.Update) != byAttrs || !g.common(r) {
				return true
			}
		}
	}
	return false
}

// runBody is the body for one variant.
func (g *opGen) runBody(s *signature, variant int, programs []typedProgram) ([]jen.Code, error) {
	var code []jen.Code
	if !s.back {
		checks, err := g.variantRequires(s.group.variants[variant].Variant.Forward, g.host(jen.Id("b")), programs)
		if err != nil {
			return nil, err
		}
		code = append(code, checks...)
		v := s.group.variants[variant].Variant
		fits, err := g.fits(v.Forward, g.fitsOf(v), g.host(jen.Id("b")), func(e jen.Code) jen.Code { return jen.Return(e) })
		if err != nil {
			return nil, err
		}
		if fits != nil {
			g.noteKind(s.back, "ErrValue")
		}
		code = append(code, fits...)
	}
	if slices.ContainsFunc(programs, func(p typedProgram) bool { return p.Nests == nil }) {
		calls := make([][]jen.Code, len(programs))
		for i, p := range programs {
			if p.Nests == nil {
				c, err := g.portableFunc(s, variant, p)
				if err != nil {
					return nil, err
				}
				calls[i] = []jen.Code{c}
				continue
			}
			b, err := g.programBody(s, variant, p)
			if err != nil {
				return nil, err
			}
			calls[i] = append(b.code(func(launch int) jen.Code {
				return runLaunch(b.program.Nests.Launches[launch])
			}), jen.Return(jen.Nil()))
		}
		chosen, every := g.dispatch(programs, func(i int) []jen.Code { return calls[i] })
		code = append(code, chosen)
		if !every {
			code = append(code, jen.Return(jen.Nil()))
		}
		return code, nil
	}
	// One text for all dtypes where the programs differ by their kernels alone.
	var bodies []*programBody
	for _, p := range programs {
		b, err := g.programBody(s, variant, p)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, b)
	}
	repeat := g.repeats(s, variant, bodies)
	if repeat {
		code = append(code, g.repeatCalls(bodies)...)
	}
	same, first := true, ""
	for i, b := range bodies {
		switch text := b.text(); {
		case i == 0:
			first = text
		default:
			same = same && text == first
		}
	}
	if same {
		code = append(code, bodies[0].code(func(launch int) jen.Code {
			chosen, _ := g.dispatch(programs, func(i int) []jen.Code {
				return g.launchCall(bodies[i].program.Nests.Launches[launch], repeat)
			})
			return chosen
		})...)
	} else {
		chosen, _ := g.dispatch(programs, func(i int) []jen.Code {
			return bodies[i].code(func(launch int) jen.Code {
				return jen.Add(g.launchCall(bodies[i].program.Nests.Launches[launch], repeat)...)
			})
		})
		code = append(code, chosen)
	}
	if g.fails(s) {
		code = append(code, jen.Return(jen.Nil()))
	}
	return code, nil
}

// dispatch chooses among dtypes: by one variable where that suffices. Every tells whether one of the programs is run in any case.
func (g *opGen) dispatch(programs []typedProgram, code func(i int) []jen.Code) (chosen jen.Code, every bool) {
	texts := make([]string, len(programs))
	all := make([][]jen.Code, len(programs))
	for i := range programs {
		all[i] = code(i)
		texts[i] = render1(all[i])
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] }) {
		return jen.Add(all[0]...), true
	}
	for k, v := range g.decl.ElemVars {
		byDType := map[string]string{}
		fits := true
		var cases, rest []jen.Code
		for i, p := range programs {
			d := p.dtypes[v.Name]
			if t, ok := byDType[d]; ok {
				fits = fits && t == texts[i]
				continue
			}
			byDType[d] = texts[i]
			if d == ir.AnyInt {
				rest = []jen.Code{jen.Default().Block(all[i]...)}
				continue
			}
			cases = append(cases, jen.Case(jen.Qual(runtimePath, runtimeName[d])).Block(all[i]...))
		}
		if fits {
			return jen.Switch(jen.Id("b").Dot("DType").Index(jen.Lit(k))).Block(append(cases, rest...)...), rest != nil
		}
	}
	var cases []jen.Code
	for i, p := range programs {
		var cond *jen.Statement
		for k, v := range g.decl.ElemVars {
			if p.dtypes[v.Name] == ir.AnyInt {
				continue // those with dtypes of their own stand before
			}
			c := jen.Id("b").Dot("DType").Index(jen.Lit(k)).Op("==").Qual(runtimePath, runtimeName[p.dtypes[v.Name]])
			if cond == nil {
				cond = c
			} else {
				cond = cond.Op("&&").Add(c)
			}
		}
		if cond == nil {
			cases, every = append(cases, jen.Default().Block(all[i]...)), true
		} else {
			cases = append(cases, jen.Case(cond).Block(all[i]...))
		}
	}
	return jen.Switch().Block(cases...), every
}

// render1 is code as a text, for comparing.
func render1(code []jen.Code) string {
	f := jen.NewFile("p")
	f.NoFormat = true // which takes most of the time
	f.Add(jen.Block(code...))
	var out strings.Builder
	if err := f.Render(&out); err != nil {
		return fmt.Sprintf("%#v", jen.Block(code...)) // which says what is wrong
	}
	return out.String()
}

// host writes numbers of a call: attributes of v and, with a bound, extents.
func (g *opGen) host(bound jen.Code) *host {
	return &host{
		scalar: func(name string) (expr, bool, error) {
			if a, k := g.entryOf(name); a != nil {
				return g.entry(a, k)
			}
			if a := g.attr(name); a != nil {
				return primary(jen.Id("v").Dot(a.name)), a.goType == "int", nil
			}
			if name == "step" && g.decl.Update {
				return ident("step"), true, nil
			}
			return expr{}, false, fmt.Errorf("%s is no attribute", name)
		},
		limit: func(v *ir.Value) (expr, error) {
			k := slices.IndexFunc(g.decl.ElemVars, func(e ir.ElemVar) bool { return e.Name == v.Type.Elem.Name })
			if bound == nil || k < 0 {
				return expr{}, fmt.Errorf("%s is not known here", v)
			}
			return primary(jen.Add(bound).Dot(limitMethods[v.Op]).Call(jen.Lit(k))), nil
		},
		round: func(e ir.Elem, x expr) expr {
			k := slices.IndexFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == e.Name })
			switch {
			case k >= 0 && bound != nil:
				return primary(jen.Add(bound).Dot("Rounded").Call(jen.Lit(k), x.code))
			case k < 0 && ir.ClassOf(nil, e) == ir.ClassFloat && e.Name != "f64":
				return call(jen.Id("float64"), call(jen.Id("float32"), x))
			}
			return x
		},
		extent: func(x *ir.Axis) (expr, error) {
			if k := g.axis(x.Of); x.Of != "" && bound != nil && k >= 0 {
				return primary(jen.Add(bound).Dot("PackExt").Call(jen.Lit(k), jen.Lit(x.At))), nil
			}
			k := g.axis(x.Name)
			if bound == nil || k < 0 {
				return expr{}, fmt.Errorf("the extent of %s is not known here", x.Name)
			}
			return primary(jen.Add(bound).Dot("Ext").Index(jen.Lit(k))), nil
		},
	}
}
