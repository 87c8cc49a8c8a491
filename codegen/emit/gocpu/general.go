package gocpu

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// portableFunc writes the portable function of a program without nests, and gives the call of it.
func (g *opGen) portableFunc(s *signature, variant int, p typedProgram) (jen.Code, error) {
	name := g.runName(s)
	if len(s.group.variants) > 1 {
		name += fmt.Sprint(variant)
	}
	suffix := ""
	for _, v := range g.decl.ElemVars {
		suffix += strings.ToUpper(p.dtypes[v.Name][:1]) + p.dtypes[v.Name][1:]
	}
	name += suffix
	if suffix == "" {
		name += "All"
	}
	what := g.decl.Name
	if s.back {
		what = "the derivative of " + what
	}
	k := g.kernel(name)
	k.Func, k.DTypes = p.Func, p.dtypes
	k.Doc = fmt.Sprintf("%s computes %s%s%s.", name, what, g.choicesText(s.group.variants[variant].Variant.Choices), dtypesText(g.decl.ElemVars, p.dtypes))
	k.Param = func(t *ir.Tensor) int {
		if t.Role == ir.Local && !slices.Contains(p.Func.Inputs, t) && !slices.Contains(p.Func.Outputs, t) {
			return -1 // what kernels of other dtypes save
		}
		return s.index(t)
	}
	k.Optional = func(t *ir.Tensor) bool {
		i := s.index(t)
		return i >= 0 && (s.params[i].mode == "Gradient" || s.params[i].saved && s.params[i].written())
	}
	s.takes(variant, p.dtypes)
	k.Takes = func(t *ir.Tensor, axes []*ir.Axis, e ir.Elem) {
		a := array{axes: g.axesOf(axes), elem: e}
		if t != nil {
			i := s.index(t)
			if i < 0 || !s.params[i].splat() {
				return
			}
			a = array{spread: 1 << i}
		}
		s.takes(variant, p.dtypes, a)
	}
	text, err := general.Function(k)
	if err != nil {
		return nil, g.errorf("%s: %v", strings.TrimSpace(what+g.choicesText(s.group.variants[variant].Variant.Choices)), err)
	}
	g.noteErrors(s.back, text+strings.Join(g.parts.In(text), ""))
	g.portable = append(g.portable, g.parts.Take()...)
	name = g.share(k, text, fmt.Sprintf("computes %s%s, in several variants.", what, dtypesText(g.decl.ElemVars, p.dtypes)))
	return jen.Return(jen.Id(g.integerCall(k, name)).Call(g.runArgs(jen.Id("b"), jen.Id("v"))...)), nil
}

// share adds a portable function, or finds one of the op that does the same, whose comment is then doc. It gives the name.
func (g *opGen) share(k *general.Kernel, text, doc string) string {
	_, body, _ := strings.Cut(text, "func "+k.Name)
	i, ok := g.written[body]
	if !ok {
		if g.written == nil {
			g.written = map[string]int{}
		}
		g.written[body] = len(g.portable)
		g.portable = append(g.portable, text)
		return k.Name
	}
	text = g.portable[i]
	head, rest, _ := strings.Cut(text, "func ")
	name := rest[:strings.IndexAny(rest, "[(")]
	g.portable[i] = fmt.Sprintf("// %s %s\n%s", name, doc, strings.TrimPrefix(text, head))
	return name
}

// scalarText is an attribute as the functions of an op write it.
type scalarText struct {
	text  string
	whole bool
}

// kernel is a portable function of the op, as far as it doesn't depend on a program.
func (g *opGen) kernel(name string) *general.Kernel {
	h := g.host(nil)
	params := "b *runtime.Bound"
	if g.hasValues() {
		params += ", v *" + g.valuesType()
	}
	if g.decl.Update {
		params += ", step int"
	}
	g.parts.Name = g.low
	return &general.Kernel{
		Parts: &g.parts,
		Name:  name, Op: g.fullName(), Params: params,
		Scalar: func(name string) (string, bool, error) {
			s, ok := g.scalars[name]
			if !ok {
				e, whole, err := h.scalar(name)
				if err != nil {
					return "", false, err
				}
				s = scalarText{fmt.Sprintf("%#v", jen.Add(e.code)), whole}
				g.scalars[name] = s
			}
			return s.text, s.whole, nil
		},
		Seed: func(name string) (string, error) {
			if a := g.attr(name); a != nil && a.decl.Kind == ir.AttrRNG {
				return "v." + a.name, nil
			}
			return "", fmt.Errorf("%s is no seed", name)
		},
		Axis: func(a *ir.Axis) int { return g.axis(a.Name) },
	}
}

// argNames are the arguments of run functions by the names that they have inside.
func (g *opGen) argNames() string {
	list := "b"
	if g.hasValues() {
		list += ", v"
	}
	if g.decl.Update {
		list += ", step"
	}
	return list
}

// dtypesText says in words what dtype variables stand for.
func dtypesText(vars []ir.ElemVar, dtypes map[string]string) string {
	text := ""
	for _, v := range vars {
		d := dtypes[v.Name]
		if d == ir.AnyInt {
			d = "any integer"
		}
		text += fmt.Sprintf(", %s %s", v.Name, d)
	}
	return text
}

// usesMath tells whether code, but for its comments, uses package math.
func usesMath(body string) bool {
	for l := range strings.Lines(body) {
		if l = strings.TrimSpace(l); !strings.HasPrefix(l, "//") && strings.Contains(l, "math.") {
			return true
		}
	}
	return false
}

// portableFile is the file of the portable functions of a unit, nil where it has none.
func (f *fileGen) portableFile() ([]emit.File, error) {
	if len(f.portable) == 0 {
		return nil, nil
	}
	body := strings.Join(f.portable, "\n")
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage %s\n\nimport (\n", emit.Header(f.unit.Source), f.unit.Package)
	if usesMath(body) {
		b.WriteString("\t\"math\"\n\n")
	}
	fmt.Fprintf(&b, "\t%q\n)\n\n%s", runtimePath, body)
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.unit.Source, err)
	}
	return []emit.File{{Name: baseName(f.unit.Source) + "_gen_general.go", Data: text}}, nil
}
