package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Text is the function as String gives it, with a declaration of every local: what Parse reads back as the same function.
func (f *Func) Text() string {
	declared := map[*Tensor]bool{}
	locals := map[string]*Tensor{}
	note := func(defs []*Def) {
		for _, d := range defs {
			if d.Target.Role == Local && !declared[d.Target] {
				declared[d.Target] = true
				locals[d.Target.Name] = d.Target
			}
		}
	}
	note(f.Defs)
	for _, g := range f.UserGrads {
		note(g.Defs)
		if g.Result != nil {
			locals[g.Result.Name] = g.Result
		}
	}
	head, rest, _ := strings.Cut(f.String(), "\n")
	var b strings.Builder
	b.WriteString(head + "\n")
	seen := map[string]bool{}
	for line := range strings.Lines(rest) {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " "), "[")
		if t := locals[name]; t != nil && !seen[name] {
			seen[name] = true
			fmt.Fprintf(&b, "  let %v\n", t)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Parse reads a function as String or Text prints it. Locals that aren't declared have the axes of the variables on their left sides and
// the type of their formula. What isn't printed, as defaults and places, is not there.
func Parse(text string) (f *Func, err error) {
	p := &textParser{f: &Func{}, axes: map[string]*Axis{}, tensors: map[string]*Tensor{}, declared: map[string]bool{}, inputs: map[string]bool{}, scalars: map[string]*Scalar{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *TextError:
			f, err = nil, e
		default:
			panic(e)
		}
	}()
	lines := slices.Collect(strings.Lines(text))
	p.declareAll(lines)
	for i, line := range lines {
		p.line = i + 1
		p.statement(strings.TrimRight(line, "\n"))
	}
	p.finish()
	return p.f, nil
}

// TextError is an error in the text of a function.
type TextError struct {
	Line    int
	Message string
}

// Error is the message with its line.
func (e *TextError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// textParser reads the text of a function.
type textParser struct {
	f        *Func
	line     int
	axes     map[string]*Axis
	tensors  map[string]*Tensor
	declared map[string]bool // tensors whose axes and types are written
	inputs   map[string]bool // declared locals that nothing defines
	scalars  map[string]*Scalar
	grad     *UserGrad // the one whose definitions follow

	toks []string
	at   int
	vars map[string]*Var
}

func (p *textParser) fail(format string, args ...any) {
	panic(&TextError{p.line, fmt.Sprintf(format, args...)})
}

// declareAll reads what formulas may name before it is written: dtype variables, attributes, and tensors with their types.
func (p *textParser) declareAll(lines []string) {
	for i, line := range lines {
		p.line = i + 1
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "dtype":
			name, list, _ := strings.Cut(rest, ": ")
			p.f.ElemVars = append(p.f.ElemVars, ElemVar{Name: name, DTypes: strings.Split(list, "|")})
		case "attr":
			name, typ, _ := strings.Cut(rest, ": ")
			s := &Scalar{Name: name, Type: p.typeNamed(typ)}
			p.scalars[name] = s
			p.f.Scalars = append(p.f.Scalars, s)
		default:
			if r := slices.Index(roles[:], word); r >= 0 && strings.Contains(rest, ": ") {
				if t := p.tensor(Role(r), rest); Role(r) == Local {
					p.inputs[t.Name] = true
				}
			}
		}
	}
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "[")
		delete(p.inputs, name)
	}
}

// tensor reads name: type[axes] ?? default.
func (p *textParser) tensor(role Role, text string) *Tensor {
	p.scan(text)
	name := p.next()
	t := p.tensors[name]
	if t == nil {
		t = &Tensor{Name: name}
		p.tensors[name] = t
	}
	t.Role, t.Optional = role, p.accept("?")
	p.expect(":")
	t.Elem = p.elem()
	t.Axes = nil
	p.expect("[")
	for !p.accept("]") {
		t.Axes = append(t.Axes, p.axis())
		p.accept(",")
	}
	if p.accept("??") {
		neg := p.accept("-")
		t.Default = p.rational(p.next())
		if neg {
			t.Default.Neg(t.Default)
		}
	}
	p.declared[name] = true
	return t
}

// axis is an axis, or a pack.
func (p *textParser) axis() *Axis {
	pack := p.accept("...")
	return p.axisNamed(p.next(), pack)
}

func (p *textParser) axisNamed(name string, pack bool) *Axis {
	key := name
	if pack {
		key = "..." + name
	}
	a := p.axes[key]
	if a == nil {
		a = &Axis{Name: name, Pack: pack}
		p.axes[key] = a
	}
	return a
}

func (p *textParser) typeNamed(text string) Type {
	p.scan(text)
	return p.typ()
}

// statement reads one line.
func (p *textParser) statement(line string) {
	body := strings.TrimSpace(line)
	word, rest, _ := strings.Cut(body, " ")
	if body == "" || word == "dtype" || word == "attr" {
		return
	}
	if !strings.HasPrefix(line, "    ") && word != roles[Local] {
		p.grad = nil
	}
	if r := slices.Index(roles[:], word); r >= 0 && strings.Contains(rest, ": ") {
		p.scan(rest)
		t := p.tensors[p.next()]
		switch Role(r) {
		case Output, Gradient:
			// An output is an input of the backward function, written before its definitions.
			if p.isDefined(t) {
				p.f.Outputs = append(p.f.Outputs, t)
			} else {
				p.f.Inputs = append(p.f.Inputs, t)
			}
		case Local:
			p.kept(t)
		default:
			p.f.Inputs = append(p.f.Inputs, t)
		}
		return
	}
	switch word {
	case "func":
		if i := strings.IndexByte(rest, '.'); i >= 0 {
			p.f.Package, rest = rest[:i], rest[i+1:]
		}
		p.f.Name = rest
	case "dim":
		p.scan(rest)
		a := p.axis()
		p.expect("=")
		p.vars = nil
		p.f.Dims = append(p.f.Dims, Dim{Axis: a, Value: p.value(0)})
		p.end()
	case "size":
		p.scan(rest)
		a := p.axis()
		p.expect("=")
		a.Size = p.target(p.next())
		a.Size.IsSize = true
		p.end()
	case "require":
		i := strings.LastIndex(rest, " else \"")
		if i < 0 {
			p.fail("a requirement has no message")
		}
		message, err := strconv.Unquote(rest[i+len(" else "):])
		if err != nil {
			p.fail("%v", err)
		}
		p.scan(rest[:i])
		p.vars = nil
		p.f.Requires = append(p.f.Requires, Require{Cond: p.value(0), Message: message})
		p.end()
	case "grad":
		p.scan(rest)
		g := UserGrad{None: p.accept("none")}
		g.Of = p.known(p.next())
		if !g.None {
			p.expect("=")
			g.Result = p.target(p.next())
			g.Result.Role, g.Result.Of = Gradient, g.Of
		}
		p.f.UserGrads = append(p.f.UserGrads, g)
		p.grad = &p.f.UserGrads[len(p.f.UserGrads)-1]
	default:
		d := p.def(body)
		if p.grad != nil && !p.grad.None {
			p.grad.Defs = append(p.grad.Defs, d)
		} else {
			p.f.Defs = append(p.f.Defs, d)
		}
	}
}

// kept takes a local that is declared among the inputs for one of them: a backward function may read what was kept.
func (p *textParser) kept(t *Tensor) {
	if p.inputs[t.Name] {
		p.f.Inputs = append(p.f.Inputs, t)
	}
}

func (p *textParser) isDefined(t *Tensor) bool {
	return slices.ContainsFunc(p.f.Defs, func(d *Def) bool { return d.Target == t })
}

// known is a tensor that was named before.
func (p *textParser) known(name string) *Tensor {
	t := p.tensors[name]
	if of, is := strings.CutPrefix(name, "@"); is && t == nil && p.grad != nil {
		if y := p.tensors[of]; y != nil && y.Role == Output { // what a gradient by hand reads
			t = &Tensor{Name: name, Role: Cotangent, Elem: y.Elem, Axes: y.Axes, Of: y}
			p.tensors[name] = t
		}
	}
	if t == nil {
		p.fail("there is no tensor %s", name)
	}
	return t
}

// target is a tensor that a definition sets.
func (p *textParser) target(name string) *Tensor {
	t := p.tensors[name]
	if t == nil {
		t = &Tensor{Name: name, Role: Local}
		p.tensors[name] = t
	}
	return t
}

// finish ties cotangents and gradients to their tensors, and lists the axes that calls give.
func (p *textParser) finish() {
	for _, t := range append(slices.Clone(p.f.Inputs), p.f.Outputs...) {
		if name, is := strings.CutPrefix(t.Name, "@"); is && (t.Role == Cotangent || t.Role == Gradient) {
			t.Of = p.tensors[name]
		}
		if name, is := strings.CutSuffix(t.Name, "'"); is && t.Role == Output {
			t.Of = p.tensors[name]
		}
	}
	dims := map[*Axis]bool{}
	for _, d := range p.f.Dims {
		dims[d.Axis] = true
	}
	for _, t := range p.f.Inputs {
		for _, a := range t.Axes {
			if !dims[a] && !slices.Contains(p.f.Axes, a) {
				p.f.Axes = append(p.f.Axes, a)
			}
		}
	}
	for _, d := range p.f.Defs {
		if t := d.Target; len(t.Axes) != len(d.Dest) {
			p.fail("%s has %s, and is set at %s", t.Name, axesText(len(t.Axes)), numberOf(len(d.Dest), "index", "indices"))
		}
	}
}
