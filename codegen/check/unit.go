package check

import (
	"path"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// universe holds the packages of one run.
type universe struct {
	cfg     *Config
	rep     *reporter
	loaded  map[string]*unit // by path of import; nil while it is being loaded
	loading []string
}

// unit is one package of specs.
type unit struct {
	all  *universe
	rep  *reporter
	name string

	enums map[string]*ir.EnumDecl
	funcs map[string]*function
	ops   map[string]*operation
	at    map[string]diag.Span // where enums, funcs and ops are declared, by kind and name

	enumOrder []*ir.EnumDecl
	funcOrder []*function
	opOrder   []*operation
	files     []*source
}

// source is one file of a package, with what it imports.
type source struct {
	file    *dsl.File
	unit    *unit
	imports map[string]*imported
}

type imported struct {
	unit *unit // nil where it couldn't be read
	path string
	span diag.Span
	used bool
}

// function is a func of a package.
type function struct {
	decl   *dsl.Func
	in     *source
	broken bool // its names have errors, which are said where it is declared
}

// operation is an op of a package.
type operation struct {
	decl  *dsl.Op
	in    *source
	sig   *signature
	state callState // whether others can call it

	said    map[fault]int          // faults of the body, and the lowering in which each was found first
	lowered int                    // how many lowerings there were
	parts   int                    // parts of expressions that have been lowered
	written map[*ir.Value]int      // the parts of values that are written out
	streams map[string]int         // of the random numbers, by where they are written
	indices map[diag.Span]*symbol  // index variables of left sides, over all choices
	kept    map[diag.Span]*keepUse // names that are saved or recomputed, over all choices
	unbound map[string]diag.Span   // where an axis of a value was first said to have no place

	ownExtents map[string]string // the extents of axes that aren't declared, by name
}

// load collects the declarations of a package. The faults of a package that is only imported are its own affair.
func (u *universe) load(files []*dsl.File, report bool) *unit {
	p := &unit{all: u, rep: u.rep, enums: map[string]*ir.EnumDecl{}, funcs: map[string]*function{},
		ops: map[string]*operation{}, at: map[string]diag.Span{}}
	if !report {
		p.rep = &reporter{list: &diag.List{}}
	}
	for _, f := range files {
		src := &source{file: f, unit: p, imports: map[string]*imported{}}
		p.files = append(p.files, src)
		switch {
		case p.name == "":
			p.name = f.Package.Name
		case f.Package.Name != "" && f.Package.Name != p.name:
			p.rep.errorf(f.Package.Span, "package-name", "this file is of package %s, others in its folder are of package %s",
				quote(f.Package.Name), quote(p.name)).WithNote(files[0].Package.Span, "the package is named here")
		}
		for i := range f.Imports {
			p.load1(src, &f.Imports[i])
		}
		for _, e := range f.Enums {
			p.addEnum(e)
		}
		for _, d := range f.Funcs {
			p.addFunc(src, d)
		}
		for _, d := range f.Ops {
			p.addOp(src, d)
		}
	}
	return p
}

// load1 reads one import.
func (p *unit) load1(src *source, i *dsl.Import) {
	name := path.Base(i.Path)
	if old, twice := src.imports[name]; twice {
		p.rep.errorf(i.Span, "import-twice", "a package %s is already imported", quote(name)).WithNote(old.span, "imported here")
		return
	}
	m := &imported{path: i.Path, span: i.Span}
	src.imports[name] = m
	u := p.all
	if slices.Contains(u.loading, i.Path) {
		u.rep.errorf(i.Span, "import-cycle", "packages import each other: %s", strings.Join(append(u.loading, i.Path), " -> "))
		return
	}
	if done, ok := u.loaded[i.Path]; ok {
		m.unit = done
		return
	}
	if u.cfg.Import == nil {
		p.rep.errorf(i.Span, "import-unreadable", "package %s can't be read: imports are not available here", quote(i.Path))
		return
	}
	files, err := u.cfg.Import(i.Path)
	if err != nil {
		p.rep.errorf(i.Span, "import-unreadable", "package %s can't be read: %v", quote(i.Path), err)
		return
	}
	u.loading = append(u.loading, i.Path)
	m.unit = u.load(files, false)
	u.loading = u.loading[:len(u.loading)-1]
	u.loaded[i.Path] = m.unit
}

// declare notes a name and reports one that is taken.
func (p *unit) declare(kind string, n dsl.Ident) bool {
	key := kind + " " + n.Name
	if old, twice := p.at[key]; twice {
		p.rep.errorf(n.Span, "name-twice", "%s %s is declared twice", kind, quote(n.Name)).WithNote(old, "declared here first")
		return false
	}
	p.at[key] = n.Span
	return true
}

func (p *unit) addEnum(e *dsl.Enum) {
	if !p.declare("enum", e.Name) {
		return
	}
	switch n := e.Name.Name; {
	case n == "float" || n == "int" || n == "bool" || n == "rng" || dtypes[n] || classes[n] != nil:
		p.rep.errorf(e.Name.Span, "name-reserved", "%s is the name of a type and can't name an enum", quote(n))
	}
	d := &ir.EnumDecl{Name: e.Name.Name, Words: p.enumWords(e.Words), Doc: e.Doc}
	p.enums[d.Name] = d
	p.enumOrder = append(p.enumOrder, d)
}

// enumWords gives the words of an enumeration, each once.
func (p *unit) enumWords(list []dsl.Ident) []string {
	var words []string
	for i, w := range list {
		if j := slices.Index(words, w.Name); j >= 0 {
			p.rep.errorf(w.Span, "name-twice", "%s stands twice in the enum", quote(w.Name)).WithNote(list[min(i, j)].Span, "first here")
			continue
		}
		words = append(words, w.Name)
	}
	return words
}

func (p *unit) addFunc(src *source, d *dsl.Func) {
	if !p.declare("func", d.Name) {
		return
	}
	n := d.Name.Name
	if _, is := builtins[n]; is || isReducer(n) {
		p.rep.errorf(d.Name.Span, "name-reserved", "%s is built in, so a func of this name could never be called", quote(n))
	}
	if isCastName(n) {
		p.rep.errorf(d.Name.Span, "name-reserved", "%s is a dtype: %s(x) is a cast", quote(n), n)
	}
	f := &function{decl: d, in: src}
	p.funcs[n] = f
	p.funcOrder = append(p.funcOrder, f)
}

func (p *unit) addOp(src *source, d *dsl.Op) {
	if !p.declare("op", d.Name) {
		return
	}
	o := &operation{decl: d, in: src}
	p.ops[d.Name.Name] = o
	p.opOrder = append(p.opOrder, o)
}

func isReducer(name string) bool { _, is := reducers[name]; return is }

// isCastName tells whether name(x) is a cast: a dtype or, by its capital, a dtype variable.
func isCastName(name string) bool { return dtypes[name] || isUpper(name) }

// checkImportsUsed reports imports that nothing uses.
func (p *unit) checkImportsUsed() {
	for _, src := range p.files {
		for _, i := range src.file.Imports {
			if m := src.imports[path.Base(i.Path)]; m != nil && m.unit != nil && !m.used {
				m.used = true
				p.rep.errorf(i.Span, "name-unused", "package %s is imported and not used", quote(i.Path))
			}
		}
	}
}

// findFunc gives the func or op that a call names: of the package that is named, or of the file's own.
func (src *source) find(pkg *dsl.Ident, name string) (*function, *operation) {
	p := src.unit
	if pkg != nil {
		m := src.imports[pkg.Name]
		if m == nil && pkg.Name == p.name {
			return p.funcs[name], p.ops[name]
		}
		if m == nil || m.unit == nil {
			return nil, nil
		}
		m.used = true
		p = m.unit
	}
	return p.funcs[name], p.ops[name]
}

// checkFuncCycles reports funcs that call themselves, directly or not.
func (p *unit) checkFuncCycles() {
	state := map[*function]int{} // 1: being visited, 2: done
	var visit func(f *function) bool
	visit = func(f *function) bool {
		switch state[f] {
		case 1:
			return false
		case 2:
			return true
		}
		state[f] = 1
		ok := true
		dsl.Inspect(f.decl, func(n any) bool {
			c, is := n.(*dsl.Call)
			if !is {
				return true
			}
			if g, _ := f.in.find(c.Package, c.Name.Name); g != nil && builtins[c.Name.Name].arity == 0 && !visit(g) {
				ok = false
				p.rep.errorf(c.Name.Span, "func-cycle", "funcs are inlined, so %s can't call itself", quote(g.decl.Name.Name)).
					WithNote(g.decl.Name.Span, "declared here")
			}
			return true
		})
		state[f] = 2
		return ok
	}
	for _, f := range p.funcOrder {
		visit(f)
	}
}
