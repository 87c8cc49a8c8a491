// Package check turns the syntax of a package of specs into math IR.
//
// The work has three parts. Names are settled first, for all of the text: what is declared, what is meant, what is
// unused. Then each op is lowered once for every combination of the static and uniform choices that its body tests;
// types, axes and absence are settled there, since they may differ between the choices. Last come the examples.
// Every fault is reported, each once, at its place.
package check

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// Config says where the packages that a package imports come from.
type Config struct {
	// Import gives the files of the package at the path of an import. Nil refuses all imports.
	Import func(path string) ([]*dsl.File, error)
}

// Package checks the files of one folder, which imports nothing. See Config.Package.
func Package(files []*dsl.File) (*ir.Package, *diag.List) { return new(Config).Package(files) }

// Package checks the files of one folder. The list is in the order of the text. Ops with errors are left out of the
// package, so that tools can go on with the others.
func (c *Config) Package(files []*dsl.File) (*ir.Package, *diag.List) {
	list := &diag.List{}
	u := &universe{cfg: c, rep: &reporter{list: list}, loaded: map[string]*unit{}}
	p := u.load(files, true)
	out := &ir.Package{Name: p.name}
	out.Enums = append(out.Enums, p.enumOrder...)
	for _, f := range p.funcOrder {
		checkFuncNames(f)
	}
	p.checkFuncCycles()
	for _, o := range p.opOrder {
		if d := o.check(); d != nil {
			out.Ops = append(out.Ops, d)
		}
	}
	p.checkImportsUsed()
	p.checkGoNames()
	list.Sort()
	return out, list
}

// reporter collects diagnostics. An op is lowered many times, so each is kept once.
type reporter struct {
	list   *diag.List
	seen   map[string]bool
	errors int // errors reported, again or not
}

// errorf reports an error. The result takes a hint and notes.
func (r *reporter) errorf(at diag.Span, code, format string, args ...any) *diag.Diagnostic {
	r.errors++
	return r.once(new(diag.List).Errorf(at, code, format, args...))
}

// warnf reports a warning.
func (r *reporter) warnf(at diag.Span, code, format string, args ...any) *diag.Diagnostic {
	return r.once(new(diag.List).Warnf(at, code, format, args...))
}

// once reports what wasn't reported yet.
func (r *reporter) once(d *diag.Diagnostic) *diag.Diagnostic {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	key := d.String()
	if r.seen[key] {
		return d
	}
	r.seen[key] = true
	r.list.Add(*d)
	return &r.list.All[len(r.list.All)-1]
}

// suggest sets the hint to the name that was probably meant.
func suggest(d *diag.Diagnostic, name string, candidates []string) {
	if s := diag.Suggest(name, candidates); s != "" {
		d.Hint = "did you mean `" + s + "`?"
	}
}
