// Package docs writes a Markdown page for each op: its formula and its derivative as mathematics, how it is called, and what is
// known of its code. All of it is read from what the pipeline made, so that pages are as true as the code.
package docs

import (
	"fmt"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// Links say where pages point to.
type Links struct {
	Conventions string                                     // docs/conventions.md, seen from a page
	Language    string                                     // docs/language.md
	Spec        func(pkg *codegen.Build, op string) string // the spec of an op; "": no link
}

// page is one page on its way.
type page struct {
	strings.Builder
	b     *codegen.Build
	op    *ir.OpDecl
	tree  *dsl.Op
	fns   []*codegen.Function
	links Links
	uses  map[string]bool
	lets  map[string]bool
	trees []any // that of the op, and those of the funcs that it needs
}

// Pages are the pages of a package whose build has run to its end, named FAMILY/OP.md.
func Pages(b *codegen.Build, links Links) ([]emit.File, error) {
	var r []emit.File
	for _, op := range b.Package.Ops {
		p := &page{b: b, op: op, tree: treeOf(b, op), links: links, uses: map[string]bool{}, lets: map[string]bool{}}
		for _, f := range b.Functions {
			if f.Op == op {
				p.fns = append(p.fns, f)
			}
		}
		if err := p.write(); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", op.Package, op.Name, err)
		}
		r = append(r, emit.File{Name: b.Package.Name + "/" + op.Name + ".md", Data: []byte(p.String())})
	}
	return r, nil
}

func treeOf(b *codegen.Build, op *ir.OpDecl) *dsl.Op {
	for _, f := range b.Files {
		for _, o := range f.Ops {
			if o.Name.Name == op.Name {
				return o
			}
		}
	}
	return &dsl.Op{}
}

// mark is the first line of a page, by which opgen knows what it wrote.
func mark(source string) string { return "<!-- " + emit.Header(source) + " -->\n" }

func (p *page) write() error {
	p.WriteString(mark(p.op.File))
	fmt.Fprintf(p, "# %s.%s\n\n", p.b.Package.Name, p.op.Name)
	p.WriteString(prose(p.op.Doc) + "\n\n")
	if spec := p.link(); spec != "" {
		p.WriteString(spec + "\n\n")
	}
	p.signature()
	p.formula()
	p.derivative()
	p.examples()
	if err := p.goCalls(); err != nil {
		return err
	}
	p.code()
	return nil
}

func (p *page) link() string {
	if p.links.Spec == nil {
		return ""
	}
	if to := p.links.Spec(p.b, p.op.File); to != "" {
		return fmt.Sprintf("Spec: [%s](%s)", p.b.Package.Name+"/"+p.op.File, to)
	}
	return ""
}

// marks are the characters that mean something in Markdown and nothing in a comment.
var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", `\<`, "[", `\[`, "]", `\]`, "`", "\\`", "$", `\$`, "_", `\_`, "|", `\|`, "#", `\#`)

// prose is a comment as Markdown: indented lines stay as they are, in a block of code.
func prose(doc string) string {
	var out []string
	code := false
	for _, line := range strings.Split(doc, "\n") {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		switch {
		case indented && !code:
			code = true
			out = append(out, "```", outdent(line))
		case indented:
			out = append(out, outdent(line))
		default:
			if code {
				code = false
				for len(out) > 0 && out[len(out)-1] == "" {
					out = out[:len(out)-1]
				}
				out = append(out, "```", "")
			}
			if line != "" || len(out) == 0 || out[len(out)-1] != "" {
				out = append(out, marks.Replace(line))
			}
		}
	}
	if code {
		out = append(out, "```")
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// outdent is an indented line without its indent.
func outdent(line string) string {
	if rest, is := strings.CutPrefix(line, "\t"); is {
		return strings.TrimRight(rest, " ")
	}
	return strings.TrimRight(strings.TrimPrefix(line, "    "), " ")
}

// inlineMath is a formula in a line of text.
func inlineMath(t term) string { return "$`" + t.tex + "`$" }

// block is a block of mathematics.
func (p *page) block(list []equation) { p.WriteString(blockOf(list)) }

func blockOf(list []equation) string { return "```math\n" + aligned(list) + "\n```\n\n" }

func (p *page) formula() {
	w := newWriter(p.tree, p.uses)
	var f formulas
	if p.tree.Short != nil {
		name := "y"
		if len(p.op.Outputs) > 0 {
			name = p.op.Outputs[0].Name
		}
		f.results = []equation{{left: w.name(name), right: w.expr(p.tree.Short)}}
	} else {
		f = w.statements(p.tree.Body)
	}
	p.noteLets()
	p.WriteString("## Formula\n\n")
	p.formulas(f, "")
	here := scope{p.b.Package.Name, p.b.Files, p.b}
	funcs, ops := here.definitions(w.called, p.uses)
	p.trees = []any{p.tree}
	for _, fn := range funcs {
		p.trees = append(p.trees, fn.tree)
		fmt.Fprintf(p, "with `%s`:\n\n", fn.name)
		p.block(fn.list)
	}
	for _, o := range ops {
		fmt.Fprintf(p, "%s is the op [%s.%s](../%s/%s.md).\n\n", inlineMath(atom(roman(o.name))), o.pkg, o.name, o.pkg, o.name)
	}
	p.notation(map[string]bool{})
}

// noteLets collects the names that formulas give to values.
func (p *page) noteLets() {
	note := func(n any) bool {
		if l, is := n.(*dsl.Let); is {
			for _, name := range l.Names {
				p.lets[name.Name] = true
			}
		}
		return true
	}
	dsl.Inspect(p.tree, note)
}

func (p *page) formulas(f formulas, under string) {
	if len(f.results) > 0 {
		p.block(f.results)
	}
	switch {
	case len(f.where) > 0 && len(f.results) > 0:
		p.WriteString("where\n\n")
		p.block(f.where)
	case len(f.where) > 0:
		p.block(f.where)
	}
	for _, c := range f.choices {
		label := "otherwise"
		if len(c.labels) > 0 {
			label = "`" + c.name + "` is " + strings.Join(c.labels, " or ")
		}
		if under != "" {
			label = under + ", " + label
		}
		fmt.Fprintf(p, "Where %s:\n\n", label)
		p.formulas(c.body, label)
	}
}

// notes explain signs that formulas use.
var notes = []struct{ use, text string }{
	{"pack", "Bold letters stand for any number of axes or indices; what is computed of them is computed axis by axis."},
	{"alt", "$`a \\mathbin{??} v`$ is $`v`$ where something that $`a`$ reads was left out or is no element of its axis."},
	{"uniform", "$`\\mathrm{uniform}`$ are random numbers from 0 to below 1, one for each point of the axes: a function of the seed."},
	{"normal", "$`\\mathrm{normal}`$ are random numbers of the standard normal distribution, one for each point of the axes: a function of the seed."},
	{"cast", "A dtype before parentheses converts to it: from floats to integers towards zero, to the nearest number that fits."},
	{"cases", "Of several cases the first that holds counts."},
	{"star", "A reduction over $`*`$ goes over all elements of all tensors of the call."},
	{"at", "$`\\mathrm{arg\\,max}(v, a)`$ and $`\\mathrm{arg\\,min}(v, a)`$ are the $`a`$ where $`v`$ is greatest or least."},
	{"part", "Numbers in parentheses count parts of a gradient, which is their sum."},
	{"whole", "A gradient with $`\\ast`$ is the whole one of a value that is also read on the way."},
	{"absorb", "$`a \\star d`$ is the product, and 0 where $`a`$ is 0, whatever $`d`$ is."},
	{"sincn", "$`\\mathrm{sa}^{(n)}`$ is the n-th derivative of $`\\sin(x)/x`$."},
}

// notation explains the signs that were used and aren't explained yet.
func (p *page) notation(said map[string]bool) {
	var list []string
	for _, n := range notes {
		if p.uses[n.use] && !said[n.use] {
			said[n.use] = true
			list = append(list, n.text)
		}
	}
	if len(list) > 0 {
		p.WriteString(strings.Join(list, " ") + "\n\n")
	}
}

func (p *page) examples() {
	var list []string
	for _, s := range p.tree.Body {
		if e, is := s.(*dsl.Example); is {
			list = append(list, p.source(e))
		}
	}
	if len(list) == 0 {
		return
	}
	p.WriteString("## Examples\n\n```\n" + strings.Join(list, "\n") + "\n```\n\n")
}

// source is a statement as written, at the left margin.
func (p *page) source(s dsl.Stmt) string {
	span := s.Pos()
	for _, f := range p.b.Files {
		if f.Name != span.Start.File || span.End.Offset > len(f.Source) {
			continue
		}
		lines := strings.Split(string(f.Source[span.Start.Offset:span.End.Offset]), "\n")
		for i := range lines[1:] {
			cut := min(span.Start.Col-1, len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " \t")))
			lines[i+1] = strings.TrimRight(lines[i+1][cut:], " \r")
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

func (p *page) goCalls() error {
	api, err := apiOf(p.b, p.op)
	if err != nil || len(api.funcs) == 0 {
		return err
	}
	p.WriteString("## Go\n\n```go\n" + strings.Join(api.funcs, "\n\n") + "\n```\n\n")
	if api.attrs != "" {
		p.WriteString("```go\n" + api.attrs + "\n```\n\n")
	}
	if api.field != "" {
		fmt.Fprintf(p, "`nil` stands for all defaults; `&%s.%s{%s}` sets one.\n\n", p.b.Package.Name, attrsType(api.attrs), api.field)
	}
	if len(api.shown) > 0 {
		p.WriteString("Calls:\n\n```go\n" + strings.Join(api.shown, "\n```\n\n```go\n") + "\n```\n\n")
	}
	return nil
}

func attrsType(decl string) string {
	return strings.Fields(decl)[1]
}

// code says for which dtypes there is what code, how exact it is, and which conventions matter.
func (p *page) code() {
	name := p.b.Package.Name + "." + p.op.Name
	var list []codegen.Written
	for _, w := range p.b.Written() {
		if w.Op == name {
			list = append(list, w)
		}
	}
	p.WriteString("## Code\n\n| dtypes | portable Go | AVX2 | AVX-512 | CUDA C | gradient |\n|---|---|---|---|---|---|\n")
	for _, g := range codegen.Groups(p.op, list) {
		dtypes := g.DTypes
		if dtypes == "" {
			dtypes = "those of the signature"
		}
		fmt.Fprintf(p, "| %s |", dtypes)
		for _, k := range codegen.Backends {
			fmt.Fprintf(p, " %s |", g.Backends[k.Name])
		}
		fmt.Fprintf(p, " %s |\n", g.Gradient)
	}
	p.WriteString("\n*kernels* are loops for these dtypes (f16 and bf16 share those of f32); *definitions* is Go that computes element by element.")
	if strings.Contains(p.String(), "| "+codegen.Kernels+" (") {
		p.WriteString(" Numbers tell how many of the functions that the op has for its static choices have kernels.")
	}
	p.WriteString("\n\n")
	f := featuresOf(p.op, p.trees, p.fns)
	p.WriteString("## Accuracy\n\n" + f.accuracy() + "\n\n")
	if rows := f.rows(); len(rows) > 0 {
		for i, r := range rows {
			rows[i] = "`" + r + "`"
		}
		fmt.Fprintf(p, "Rows of the [conventions](%s) that matter here: %s.\n", p.links.Conventions, strings.Join(rows, ", "))
	}
}
