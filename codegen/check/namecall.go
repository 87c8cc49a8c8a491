package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// call checks a call: the name before the parenthesis, the number of arguments, the names in them.
func (n *names) call(e *dsl.Call) {
	name := e.Name.Name
	if e.Cotangent || e.Prime {
		n.rep.errorf(e.Span, "call-form", "`@` and `'` belong to values, not to functions")
	}
	built, isBuilt := builtins[name]
	switch {
	case name == "":
	case e.Package == nil && (e.AccOf != nil || isCastName(name)):
		n.cast(e)
	case e.Package == nil && isReducer(name) && !(isBuilt && e.Index == nil && len(e.Args) > 1):
		n.reduction(e)
		return
	case e.Package == nil && isBuilt:
		n.builtin(e, built)
	case !n.declared(e):
		n.anyCall(e)
		return
	}
	for _, i := range e.Args {
		if !isBuilt || e.Package != nil || !n.special(name, i) {
			n.plainItem(i, "the arguments")
		}
	}
	for _, a := range e.Named {
		if a.Value != nil && !n.isWordFor(e, a) && !n.isSeedFor(e, a) {
			n.expr(a.Value)
		}
	}
}

// special checks an argument that is no value: the seed of random numbers, the dtype of a limit.
func (n *names) special(fn string, i *dsl.Item) bool {
	id := bareName(i.Value)
	if id == nil {
		return false
	}
	switch fn {
	case "lowest", "highest", "epsilon":
		return isCastName(id.Name)
	case "uniform", "normal":
		if s := n.table[id.Name]; s != nil && s.kind == symAttr && n.sig != nil && n.sig.attr(id.Name) != nil && n.sig.attr(id.Name).decl.Kind == ir.AttrRNG {
			s.used = true
			return true
		}
	case "rank":
		return isUpper(id.Name)
	}
	return false
}

// isWordFor tells whether a named argument is a word of an enum of the op that is called.
func (n *names) isWordFor(e *dsl.Call, a dsl.NamedArg) bool {
	_, o := n.in.find(e.Package, e.Name.Name)
	id := bareName(a.Value)
	if o == nil || id == nil || n.isDeclared(id.Name) {
		return false
	}
	for _, x := range o.decl.Attrs {
		if x.Name.Name == a.Name.Name && (x.Kind == dsl.AttrEnum || o.in.unit.enums[x.Elem.Name.Name] != nil) {
			return true
		}
	}
	return false
}

func (n *names) cast(e *dsl.Call) {
	v := e.Name
	if e.AccOf != nil {
		v = *e.AccOf
	}
	if isUpper(v.Name) && (n.sig == nil || !n.sig.isTypeVar(v.Name)) {
		d := n.rep.errorf(v.Span, "type-unknown", "%s is no dtype variable here", quote(v.Name))
		if n.sig != nil {
			var vars []string
			for _, t := range n.sig.vars {
				vars = append(vars, t.Name)
			}
			suggest(d, v.Name, vars)
		}
	}
	n.noIndex(e)
	n.argCount(e, 1, 1)
}

func (n *names) noIndex(e *dsl.Call) {
	if e.Index != nil {
		n.rep.errorf(e.Index.Span, "call-index", "%s takes no axes", quote(e.Name.Name))
		n.indexItems(e.Index)
	}
	if len(e.Named) > 0 {
		n.noNamed(e)
	}
}

func (n *names) noNamed(e *dsl.Call) {
	n.rep.errorf(e.Named[0].Name.Span, "call-named", "%s has no attributes; only ops have", quote(e.Name.Name))
}

func (n *names) argCount(e *dsl.Call, least, most int) {
	if c := len(e.Args); c < least || most >= 0 && c > most {
		want := plural(least, "argument")
		switch {
		case most < 0:
			want = "at least " + want
		case most > least:
			want = plural(least, "") + " to " + plural(most, "argument")
		}
		d := n.rep.errorf(e.Span, "arg-count", "%s takes %s, not %d", quote(e.Name.Name), want, c)
		if isReducer(e.Name.Name) && e.Index == nil && c > 1 {
			d.WithHint("its indices or axes stand in brackets: %s[k](…)", e.Name.Name)
		}
	}
}

func (n *names) builtin(e *dsl.Call, b builtin) {
	name := e.Name.Name
	switch {
	case name == "uniform" || name == "normal":
		n.argCount(e, 1, 1)
		if e.Index == nil {
			n.rep.errorf(e.Name.Span, "random-axes", "%s names the axes that have a number each", quote(name)).WithHint("write %s[…](seed)", name)
			return
		}
		n.randomAxes(e)
		return
	case name == "lowest" || name == "highest" || name == "epsilon":
		n.argCount(e, 1, 1)
		n.noIndex(e)
		for _, i := range e.Args {
			if id := bareName(i.Value); id == nil || !isCastName(id.Name) {
				n.rep.errorf(i.Span, "type-wanted", "%s is of a dtype, as %s(T)", quote(name), name)
			}
		}
		return
	}
	n.noIndex(e)
	if b.arity == more {
		n.argCount(e, 2, -1)
	} else {
		n.argCount(e, b.arity, b.arity)
	}
}

// reduction checks a reducer and its binders.
func (n *names) reduction(e *dsl.Call) {
	r := reducers[e.Name.Name]
	n.argCount(e, r.least, r.most)
	if len(e.Named) > 0 {
		n.noNamed(e)
	}
	mark := len(n.indices)
	if e.Index != nil {
		n.binders(e.Index)
		if e.Index.Where != nil {
			n.expr(e.Index.Where)
		}
	}
	for _, i := range e.Args {
		n.plainItem(i, "the arguments")
	}
	n.leave(mark, true)
}

// declared checks the call of a func or op; it is false where there is none.
func (n *names) declared(e *dsl.Call) bool {
	f, o := n.in.find(e.Package, e.Name.Name)
	switch {
	case f != nil:
		n.argCount(e, len(f.decl.Params), len(f.decl.Params))
		if len(e.Named) > 0 {
			n.noNamed(e)
		}
		switch {
		case f.decl.Axis == nil:
			if e.Index != nil {
				n.rep.errorf(e.Index.Span, "call-index", "%s takes no axes", quote(e.Name.Name)).WithNote(f.decl.Name.Span, "declared here")
			}
		case e.Index == nil:
			n.rep.errorf(e.Name.Span, "call-axes", "%s needs to know over which axes", quote(e.Name.Name)).
				WithHint("write %s[…](…)", e.Name.Name).WithNote(f.decl.Axis.Span, "declared here")
		default:
			mark := len(n.indices)
			n.binders(e.Index)
			if e.Index.Where != nil {
				n.expr(e.Index.Where)
			}
			n.leave(mark, false)
		}
	case o != nil:
		n.opCall(e, o)
	default:
		n.unknownFunc(e)
		return false
	}
	return true
}

// anyCall checks what is written in the call of a function that isn't known: it may take anything.
func (n *names) anyCall(e *dsl.Call) {
	mark := len(n.indices)
	if e.Index != nil {
		for _, i := range e.Index.Items {
			n.meant(i.Value)
			n.exprOrNil(i.From)
			n.exprOrNil(i.To)
		}
		n.exprOrNil(e.Index.Where)
	}
	for _, i := range e.Args {
		id := bareName(i.Value)
		switch {
		case id == nil:
			n.plainItem(i, "the arguments")
		case n.table[id.Name] != nil && !n.table[id.Name].hidden:
			n.table[id.Name].used = true
		case !isUpper(id.Name):
			n.expr(i.Value)
		}
	}
	for _, a := range e.Named {
		if id := bareName(a.Value); id != nil && n.table[id.Name] != nil {
			n.table[id.Name].used = true
		}
	}
	n.indices = n.indices[:mark]
}

// opCall checks the arguments of an op.
func (n *names) opCall(e *dsl.Call, o *operation) {
	least := 0
	for k, in := range o.decl.Inputs {
		if !in.Optional {
			least = k + 1
		}
	}
	n.argCount(e, least, len(o.decl.Inputs))
	if e.Index != nil {
		n.rep.errorf(e.Index.Span, "call-index", "%s takes no axes", quote(e.Name.Name)).WithNote(o.decl.Name.Span, "declared here")
	}
	given := map[string]bool{}
	for _, a := range e.Named {
		if given[a.Name.Name] {
			n.rep.errorf(a.Name.Span, "name-twice", "%s is given twice", quote(a.Name.Name))
		}
		given[a.Name.Name] = true
	}
	var names []string
	for _, a := range o.decl.Attrs {
		names = append(names, a.Name.Name)
		if a.Default == nil && !a.Optional && !given[a.Name.Name] {
			n.rep.errorf(e.Span, "arg-missing", "%s needs its attribute %s", quote(e.Name.Name), quote(a.Name.Name)).WithNote(a.Name.Span, "declared here, without a default")
		}
	}
	for _, a := range e.Named {
		if !slices.Contains(names, a.Name.Name) {
			suggest(n.rep.errorf(a.Name.Span, "name-unknown", "%s has no attribute %s", quote(e.Name.Name), quote(a.Name.Name)), a.Name.Name, names)
		}
	}
}

// unknownFunc reports a call of something that isn't declared.
func (n *names) unknownFunc(e *dsl.Call) {
	if e.Package != nil {
		m := n.in.imports[e.Package.Name]
		if sym := n.table[e.Package.Name]; m == nil && sym != nil {
			sym.used = true
			n.rep.errorf(e.Package.Span, "import-missing", "%s is %s, and values have no functions of their own", quote(e.Package.Name), symbolKinds[sym.kind]).
				WithHint("write %s(%s)", e.Name.Name, e.Package.Name)
			return
		}
		if m == nil {
			var near []string
			for name := range n.in.imports {
				near = append(near, name)
			}
			slices.Sort(near)
			d := n.rep.errorf(e.Package.Span, "import-missing", "package %s is not imported", quote(e.Package.Name))
			suggest(d, e.Package.Name, near)
			if _, built := builtins[e.Name.Name]; d.Hint == "" && (built || isReducer(e.Name.Name)) {
				d.Hint = e.Name.Name + " is built in: write it without a package"
			}
			if d.Hint == "" {
				d.Hint = "write `import \"" + e.Package.Name + "\"` below the package clause"
			}
		} else if m.unit != nil {
			suggest(n.rep.errorf(e.Name.Span, "name-unknown", "package %s has no func or op %s", quote(e.Package.Name), quote(e.Name.Name)),
				e.Name.Name, m.unit.callable())
		}
		return
	}
	d := n.rep.errorf(e.Name.Span, "name-unknown", "there is no function %s", quote(e.Name.Name))
	if sym := n.table[e.Name.Name]; sym != nil {
		sym.used = true
		d.Hint = quote(e.Name.Name) + " is " + symbolKinds[sym.kind] + ": a product needs its `*`, an index its []"
		return
	}
	if suggest(d, e.Name.Name, n.in.unit.callable()); d.Hint == "" && !wordsOf(foreignFunctions, d, e.Name.Name) {
		suggest(d, e.Name.Name, functionWords())
	}
}

// callable are the funcs and ops of a package.
func (p *unit) callable() []string {
	var names []string
	for _, f := range p.funcOrder {
		names = append(names, f.decl.Name.Name)
	}
	for _, o := range p.opOrder {
		names = append(names, o.decl.Name.Name)
	}
	return names
}
