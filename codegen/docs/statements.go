package docs

import (
	"path"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl"
)

// formulas are the statements of an op as mathematics.
type formulas struct {
	results, where []equation
	choices        []choice
}

// choice is an arm of a match.
type choice struct {
	name   string
	labels []string // none: all others
	body   formulas
}

// statements sorts statements into results, what these read, and choices. Conditions of the call, derivatives and examples stand
// elsewhere on a page.
func (w *writer) statements(list []dsl.Stmt) formulas {
	var f formulas
	for _, s := range list {
		switch s := s.(type) {
		case *dsl.Assign:
			f.results = append(f.results, equation{left: w.left(w.tensor(s.Name.Name, s.Prime, false), s.Left), right: w.expr(s.Value)})
		case *dsl.Let:
			f.where = append(f.where, w.let(s))
		case *dsl.Dim:
			e := equation{left: w.name(s.Name.Name), right: w.expr(s.Value)}
			if s.Pack {
				e.note = `\text{for each axis}`
			}
			f.where = append(f.where, e)
		case *dsl.Match:
			for _, a := range s.Arms {
				c := choice{name: s.Name.Name, body: w.statements(a.Body)}
				for _, l := range a.Labels {
					c.labels = append(c.labels, l.Name)
				}
				f.choices = append(f.choices, c)
			}
		}
	}
	return f
}

func (w *writer) let(s *dsl.Let) equation {
	if len(s.Names) > 1 {
		var names []string
		for _, n := range s.Names {
			names = append(names, w.name(n.Name))
		}
		return equation{left: "(" + strings.Join(names, ", ") + ")", right: w.expr(s.Value)}
	}
	e := equation{left: w.left(w.name(s.Names[0].Name), s.Left), right: w.expr(s.Value)}
	if s.Pack {
		e.note = `\text{for each axis}`
	}
	return e
}

func (w *writer) left(sym string, b *dsl.Bracket) string { return indexed(sym, w.index(b)).tex }

// scope is where names of funcs and ops are looked up: the files of a package.
type scope struct {
	pkg   string
	files []*dsl.File
	build *codegen.Build
}

// imported is the scope of a package that a file of s imports.
func (s scope) imported(name string) (scope, bool) {
	for _, f := range s.files {
		for _, i := range f.Imports {
			if path.Base(i.Path) == name {
				return scope{name, s.build.Trees[i.Path], s.build}, true
			}
		}
	}
	return scope{}, false
}

// find looks up what is called, and tells where it stands.
func (s scope) find(full string) (*dsl.Func, *dsl.Op, scope) {
	name := full
	if pkg, rest, is := strings.Cut(full, "."); is {
		var ok bool
		if s, ok = s.imported(pkg); !ok {
			return nil, nil, s
		}
		name = rest
	}
	for _, f := range s.files {
		for _, fn := range f.Funcs {
			if fn.Name.Name == name {
				return fn, nil, s
			}
		}
		for _, op := range f.Ops {
			if op.Name.Name == name {
				return nil, op, s
			}
		}
	}
	return nil, nil, s
}

// function is a func with its definition.
type function struct {
	name string
	list []equation
	tree *dsl.Func
}

// opCall is an op that a formula calls.
type opCall struct{ pkg, name string }

// definitions are the funcs that calls need, each once, those that call before those that are called, and the ops.
func (s scope) definitions(called []string, uses map[string]bool) ([]function, []opCall) {
	var funcs []function
	var ops []opCall
	seen := map[any]bool{}
	var visit func(s scope, called []string)
	visit = func(s scope, called []string) {
		for _, full := range called {
			fn, op, at := s.find(full)
			switch {
			case op != nil && !seen[op]:
				seen[op] = true
				ops = append(ops, opCall{at.pkg, op.Name.Name})
			case fn != nil && !seen[fn]:
				seen[fn] = true
				w := newWriter(fn, uses)
				funcs = append(funcs, w.function(fn))
				visit(at, w.called)
			}
		}
	}
	visit(s, called)
	return funcs, ops
}

// function is a func as an equation, and its lets below.
func (w *writer) function(fn *dsl.Func) function {
	left := roman(fn.Name.Name)
	if fn.Axis != nil {
		left += "_{" + w.name(fn.Axis.Name) + "}"
	}
	var params []term
	for _, p := range fn.Params {
		params = append(params, atom(w.name(p.Name)))
	}
	list := []equation{{left: call(left, params...).tex, right: w.expr(fn.Result)}}
	for _, l := range fn.Lets {
		list = append(list, w.let(l))
	}
	return function{name: fn.Name.Name, list: list, tree: fn}
}

// byHand are the derivatives that a spec has.
func (w *writer) byHand(list []dsl.Stmt) []equation {
	var r []equation
	dsl.Inspect(list, func(n any) bool {
		if g, is := n.(*dsl.Grad); is {
			e := equation{left: w.left(barred(w.name(g.Name.Name)), g.Left), right: w.expr(g.Value)}
			if !slices.ContainsFunc(r, func(o equation) bool { return o.left == e.left && o.right.tex == e.right.tex }) {
				r = append(r, e)
			}
		}
		return true
	})
	return r
}
