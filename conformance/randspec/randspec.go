// Package randspec makes random specs for tests: well-typed ops over the whole language, with calls of them.
//
// A spec follows from its seed and its size alone. Sizes grow the number of statements and the depth of formulas, so that the
// smallest spec that shows a fault is easy to read; Shrink makes it smaller still.
package randspec

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Spec is one random op, with calls.
type Spec struct {
	Seed    uint64
	Op      string   // its name
	Imports []string // of Library
	Decls   string   // enums, funcs and ops, of which Op is the last one
	Update  bool
	Smooth  bool // nothing stops derivatives: differences may be compared with
	Cases   []Case
}

// Case is a call. Variables of dtypes may be any that their classes allow.
type Case struct {
	Inputs map[string]*ir.Array
	Attrs  []ir.ExampleAttr
}

// File is the spec as a file of a package.
func (s *Spec) File(pkg string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	for _, i := range s.Imports {
		fmt.Fprintf(&b, "import %q\n", i)
	}
	b.WriteString(s.Decls)
	return b.String()
}

// gen is the state of one spec.
type gen struct {
	r     *rand.Rand
	id    string
	size  int
	elem  string // of floats: T or a dtype
	ints  []string
	vars  []string // declarations of dtype variables
	axes  []*axis
	ins   []*tensor
	attrs []*attr
	outs  []*tensor
	dims  []string
	lay   [][]slot // the axes that results may have where the caller places axes; nil: any
	decls []string // of funcs and ops before
	enums []string
	stmts []stmt
	known []*tensor // what can be read
	funcs []helper

	fresh   map[string]int
	choices int     // static and uniform choices so far
	budget  int     // of nodes in the formula that is made
	across  []*axis // of tensors that stand bare in the index that is made
	smooth  bool
	update  bool
	frees   []func(*rand.Rand, *call) // what calls set besides inputs
}

// stmt is a statement: what it defines, and its text.
type stmt struct {
	names []string
	text  string
}

// axis is an axis of the signature.
type axis struct {
	name     string
	pack     bool
	computed bool                // by dim
	extent   func(c *call) []int // of a computed one
	least    int                 // extent of calls
	most     int
}

func (a *axis) text() string {
	if a.pack {
		return "..." + a.name
	}
	return a.name
}

// slot is an axis of a tensor.
type slot struct {
	axis     *axis
	optional bool
	product  []slot
}

func (s slot) text() string {
	if s.product == nil {
		t := s.axis.text()
		if s.optional {
			t += "?"
		}
		return t
	}
	var f []string
	for _, p := range s.product {
		f = append(f, p.text())
	}
	return "(" + strings.Join(f, ", ") + ")"
}

func flat(slots []slot) []*axis {
	var r []*axis
	for _, s := range slots {
		if s.product != nil {
			r = append(r, flat(s.product)...)
		} else {
			r = append(r, s.axis)
		}
	}
	return r
}

func brackets(slots []slot) string {
	var t []string
	for _, s := range slots {
		t = append(t, s.text())
	}
	return "[" + strings.Join(t, ", ") + "]"
}

// kind is a class of values.
type kind int

const (
	float kind = iota
	whole
	truth
)

// tensor is something that formulas read.
type tensor struct {
	name     string
	kind     kind
	elem     string
	slots    []slot
	axes     []*axis // flat
	loose    bool    // a let whose axes have no order
	inferred bool    // an output whose axes aren't written
	optional bool
	mode     string // "", inout, state
	of       *axis  // elements are indices of this axis
	size     float64
	only     func(*rand.Rand) float64 // elements of an input; nil: any
}

// attr is an attribute.
type attr struct {
	name, text string
	kind       string // float, int, T, bool, enum, rng
	words      []string
	size       float64
	optional   bool
	hidden     bool // not for formulas: it has its use
	value      func(*rand.Rand) ir.ExampleAttr
}

func (g *gen) chance(percent int) bool { return g.r.IntN(100) < percent }

func pick[T any](g *gen, list []T) T { return list[g.r.IntN(len(list))] }

// name is a new name: a prefix and a number.
func (g *gen) name(prefix string) string {
	g.fresh[prefix]++
	return fmt.Sprint(prefix, g.fresh[prefix])
}

func (g *gen) emit(text string, names ...string) { g.stmts = append(g.stmts, stmt{names, text}) }

// New makes a spec.
func New(seed uint64, size int) *Spec {
	for try := uint64(0); ; try++ {
		g := &gen{r: rand.New(rand.NewPCG(seed, try)), id: fmt.Sprint(seed), size: size, fresh: map[string]int{}, smooth: true}
		g.body()
		if s := g.spec(seed); s != nil {
			return s
		}
	}
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// words are the identifiers of a text, with how often they stand there.
func words(text string) map[string]int {
	r := map[string]int{}
	for _, w := range identifier.FindAllString(text, -1) {
		r[w]++
	}
	return r
}

// live drops lets that nothing reads.
func (g *gen) live() {
	out := map[string]bool{}
	for _, t := range g.outs {
		out[t.name] = true
	}
	for i := len(g.stmts) - 1; i >= 0; i-- {
		s := g.stmts[i]
		if s.names == nil {
			continue
		}
		used := 0
		for _, n := range s.names {
			if out[n] {
				used++
			}
			for k, o := range g.stmts {
				if k != i && words(o.text)[n] > 0 {
					used++
					break
				}
			}
		}
		if used == 0 {
			g.stmts = slices.Delete(g.stmts, i, i+1)
		}
	}
}

// spec puts the text together.
func (g *gen) spec(seed uint64) *Spec {
	g.live()
	g.useResults()
	g.useAll()
	g.dropAttrs()
	g.keeps(seed)
	if words(g.signature())["I"] == 0 { // formulas have it alone
		g.forget("I", "i64")
	}
	var b strings.Builder
	for _, e := range g.enums {
		b.WriteString(e + "\n")
	}
	for _, d := range g.decls {
		b.WriteString(d + "\n")
	}
	op := "f" + g.id
	kw := "op"
	if g.update {
		kw = "update"
	}
	fmt.Fprintf(&b, "\n%s %s", kw, op)
	var vars []string
	for _, v := range g.vars {
		if words(g.signature())[strings.Split(v, ":")[0]] > 0 {
			vars = append(vars, v)
		}
	}
	if len(vars) > 0 {
		fmt.Fprintf(&b, "[%s]", strings.Join(vars, ", "))
	}
	b.WriteString(g.signature() + " {\n" + g.text() + "}\n")
	s := &Spec{Seed: seed, Op: op, Decls: b.String(), Update: g.update, Smooth: g.smooth}
	for _, lib := range slices.Sorted(maps.Keys(Library)) {
		if strings.Contains(s.Decls, lib+".") {
			s.Imports = append(s.Imports, lib)
		}
	}
	for range 3 {
		s.Cases = append(s.Cases, g.call())
	}
	return s
}

// forget writes a dtype for a variable.
func (g *gen) forget(name, dtype string) {
	for i := range g.stmts {
		g.stmts[i].text = identifier.ReplaceAllStringFunc(g.stmts[i].text, func(w string) string {
			if w == name {
				return dtype
			}
			return w
		})
	}
}

func (g *gen) text() string {
	var b strings.Builder
	for _, s := range g.stmts {
		for line := range strings.Lines(s.text) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

// signature is the text of inputs, attributes and outputs.
func (g *gen) signature() string {
	var ins, attrs, outs []string
	for _, t := range g.ins {
		mode, mark := t.mode, ""
		if mode != "" {
			mode += " "
		}
		if t.optional {
			mark = "?"
		}
		ins = append(ins, mode+t.name+mark+": "+t.elem+brackets(t.slots))
	}
	for _, a := range g.attrs {
		attrs = append(attrs, a.text)
	}
	for _, t := range g.outs {
		axes := brackets(t.slots)
		if t.inferred {
			axes = "[_]"
		}
		outs = append(outs, t.name+": "+t.elem+axes)
	}
	r := "(" + strings.Join(ins, ", ")
	if len(attrs) > 0 {
		r += "; " + strings.Join(attrs, ", ")
	}
	r += ")"
	if len(outs) > 0 {
		r += " -> (" + strings.Join(outs, ", ") + ")"
	}
	return r
}
