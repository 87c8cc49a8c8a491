package check

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// plurals are the nouns that don't just take an s.
var plurals = map[string]string{"axis": "axes", "entry": "entries", "": ""}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if p, is := plurals[noun]; n != 1 && is {
		noun = p
	} else if n != 1 {
		noun += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", n, noun))
}

func joinWords(words []string) string { return strings.Join(words, ", ") }

func baseName(name string) string { return filepath.Base(filepath.ToSlash(name)) }

// textOf is a piece of the source of an op as it is written.
func (o *operation) textOf(s diag.Span) string { return o.in.textOf(s) }

// textOf is a piece of a file as it is written; "": it is of another file.
func (f *source) textOf(s diag.Span) string {
	src := f.file.Source
	if s.Start.File != f.file.Name {
		return ""
	}
	if s.Start.Offset < 0 || s.End.Offset > len(src) || s.Start.Offset > s.End.Offset {
		return ""
	}
	return strings.Join(strings.Fields(string(src[s.Start.Offset:s.End.Offset])), " ")
}

// formula is the body of an op as written, without examples: one statement a line.
func (o *operation) formula() string {
	if o.decl.Short != nil {
		return o.textOf(o.decl.Short.Pos())
	}
	var lines []string
	for _, s := range o.decl.Body {
		if _, is := s.(*dsl.Example); !is {
			lines = append(lines, o.block(s.Pos()))
		}
	}
	return strings.Join(lines, "\n")
}

// block is a statement as written, moved to the left margin.
func (o *operation) block(s diag.Span) string {
	src := o.in.file.Source
	if s.Start.Offset < 0 || s.End.Offset > len(src) || s.Start.Offset > s.End.Offset {
		return ""
	}
	lines := strings.Split(string(src[s.Start.Offset:s.End.Offset]), "\n")
	indent := s.Start.Col - 1
	for k, line := range lines[1:] {
		cut := len(line) - len(strings.TrimLeft(line, " \t"))
		lines[k+1] = strings.TrimRight(line[min(cut, indent):], " \t\r")
	}
	return strings.Join(lines, "\n")
}

// GoName is a name of a spec as an exported name of Go: smooth_l1 is SmoothL1, momentum_sgd MomentumSGD.
func GoName(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		switch {
		case part == "":
		case initialisms[part]:
			b.WriteString(strings.ToUpper(part))
		default:
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// initialisms are the parts of names that Go writes in capitals throughout.
var initialisms = map[string]bool{"sgd": true, "lstm": true, "gru": true, "rnn": true, "id": true, "nll": true, "bce": true, "kl": true, "rms": true, "mse": true}

// goForms are what the Go names of an op are made into; the last one only that of an update.
var goForms = []string{"%s", "%sInto", "%sSlice", "%sSaveInto", "%sBackwardInto", "%sAttrs", optimizerForm}

const optimizerForm = "New%s"

// checkPackageName reports a name that no package of Go that is imported can have.
func (p *unit) checkPackageName() {
	why := ""
	switch {
	case token.IsKeyword(p.name):
		why = "is a keyword of Go"
	case p.name == "main" || p.name == "init":
		why = "has a meaning of its own in Go, so that nothing could import it"
	case strings.HasSuffix(p.name, "_test"):
		why = "ends like the name of a test in Go"
	default:
		return
	}
	p.rep.errorf(p.files[0].file.Package.Span, "go-name", "%s %s, and can't name a package", quote(p.name), why)
}

// checkGoNames reports names that would meet in Go.
func (p *unit) checkGoNames() {
	p.checkPackageName()
	type owner struct {
		what string
		span diag.Span
	}
	taken := map[string]owner{}
	said := map[[2]string]bool{}
	claim := func(name, what string, span diag.Span) {
		old, clash := taken[name]
		if !clash {
			taken[name] = owner{what, span}
			return
		}
		if pair := [2]string{old.what, what}; old.what != what && !said[pair] {
			said[pair] = true
			p.rep.errorf(span, "go-name", "%s and %s would both be called %s in Go", what, old.what, name).WithNote(old.span, "declared here")
		}
	}
	for _, o := range p.opOrder {
		for _, form := range goForms {
			if form == optimizerForm && !o.decl.Update {
				continue
			}
			claim(fmt.Sprintf(form, GoName(o.decl.Name.Name)), "op "+quote(o.decl.Name.Name), o.decl.Name.Span)
		}
		claim(strings.ToLower(GoName(o.decl.Name.Name)), "op "+quote(o.decl.Name.Name), o.decl.Name.Span) // what isn't exported begins so
	}
	enum := func(name string, words []dsl.Ident, span diag.Span) {
		claim(GoName(name), "enum "+quote(name), span)
		for _, w := range words {
			claim(GoName(name)+GoName(w.Name), "word "+quote(w.Name)+" of enum "+quote(name), w.Span)
		}
	}
	for _, src := range p.files {
		for _, e := range src.file.Enums {
			enum(e.Name.Name, e.Words, e.Name.Span)
		}
		for _, o := range src.file.Ops {
			fields := map[string]dsl.Ident{}
			for _, a := range o.Attrs {
				if a.Kind == dsl.AttrEnum {
					enum(o.Name.Name+"_"+a.Name.Name, a.Words, a.Name.Span)
				}
				g := GoName(a.Name.Name)
				if old, clash := fields[g]; clash && old.Name != a.Name.Name {
					p.rep.errorf(a.Name.Span, "go-name", "attributes %s and %s would both be called %s in Go", quote(old.Name), quote(a.Name.Name), g).
						WithNote(old.Span, "declared here")
				}
				fields[g] = a.Name
			}
			tensors := map[string]dsl.Ident{}
			for _, in := range o.Inputs {
				g := GoName(in.Name.Name)
				if old, clash := tensors[g]; clash && old.Name != in.Name.Name {
					p.rep.errorf(in.Name.Span, "go-name", "inputs %s and %s would both be called %s in Go", quote(old.Name), quote(in.Name.Name), g).
						WithNote(old.Span, "declared here")
				}
				tensors[g] = in.Name
			}
		}
	}
}
