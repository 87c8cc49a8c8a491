package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// symbolKind says what a name stands for.
type symbolKind uint8

const (
	symInput symbolKind = iota
	symInout            // inout or state
	symOutput
	symAttr
	symLet
	symList // let ..s
	symParam
	symIndex // an index variable
)

var symbolKinds = [...]string{"an input", "an inout", "an output", "an attribute", "a let", "a list", "a parameter", "an index variable"}

// symbol is a declared value.
type symbol struct {
	name   string
	kind   symbolKind
	span   diag.Span
	used   bool
	hidden bool // declared in an arm of a match that has ended
}

// mark notes a use; nil needs none.
func (s *symbol) mark() {
	if s != nil {
		s.used = true
	}
}

// names checks the names of one op or func, whatever side of a choice they stand on.
type names struct {
	in  *source
	rep *reporter
	sig *signature // nil in a func

	table    map[string]*symbol
	order    []*symbol // lets and parameters, in order, for what is unused
	indices  []*symbol // index variables in scope, innermost last
	axis     *dsl.Ident
	grad     bool               // in a grad formula: @y may stand
	indexing int                // how many indices stand around
	kept     map[string]keeping // lets that are saved or recomputed on the way here

	missing map[string]bool // names that aren't declared: each is said once
	lost    bool            // one of them isn't like any name: what is unused may have been meant
}

// checkOpNames checks the names of an op.
func checkOpNames(o *operation) {
	n := &names{in: o.in, rep: o.in.unit.rep, sig: o.sig, table: maps.Clone(o.sig.decls), kept: map[string]keeping{}}
	for _, in := range o.decl.Inputs {
		if in.Init != nil {
			n.expr(in.Init)
		}
	}
	if o.decl.Short != nil {
		n.expr(o.decl.Short)
	}
	n.stmts(o.decl.Body)
	for _, t := range o.sig.inputs {
		// An input whose values nothing reads may still lend its axes, if the op says that it has no derivative.
		if s := n.table[t.param.Name]; !s.used && s.kind != symInout {
			n.unused(s)
		}
	}
	for _, a := range o.sig.attrs {
		n.unused(n.table[a.decl.Name])
	}
	for _, s := range n.order {
		n.unused(s)
	}
	n.unset(o)
}

// unset reports outputs that nothing sets, and an op without results.
func (n *names) unset(o *operation) {
	set, misspelt := map[string]bool{}, false
	dsl.Inspect(o.decl.Body, func(x any) bool {
		if a, is := x.(*dsl.Assign); is {
			set[a.Name.Name] = true
			misspelt = misspelt || n.table[a.Name.Name] == nil
		}
		return true
	})
	for _, t := range o.sig.outputs {
		if !set[t.param.Name] && !misspelt {
			n.rep.errorf(t.span, "output-unset", "output %s is not set", quote(t.param.Name))
		}
	}
	if len(set) == 0 && len(o.sig.outputs) == 0 && o.decl.Short == nil {
		n.rep.errorf(o.decl.Name.Span, "output-unset", "%s has no result", quote(o.decl.Name.Name)).
			WithHint("name one, -> (y: T[_]), and set it; or renew an inout")
	}
}

// checkFuncNames checks the names of a func, where it is declared.
func checkFuncNames(f *function) {
	n := &names{in: f.in, rep: f.in.unit.rep, table: map[string]*symbol{}, axis: f.decl.Axis}
	before := n.rep.errors
	for _, p := range f.decl.Params {
		n.declare(p, symParam)
	}
	for _, l := range f.decl.Lets {
		if l.Left != nil || l.Pack || len(l.Names) != 1 {
			n.rep.errorf(l.Span, "func-let", "a let of a func names a value, without indices")
		}
		n.expr(l.Value)
		for _, name := range l.Names {
			n.declare(name, symLet)
		}
	}
	if f.decl.Result != nil {
		n.expr(f.decl.Result)
	}
	f.broken = n.rep.errors > before
	for _, s := range n.order {
		n.unused(s)
	}
}

func (n *names) unused(s *symbol) {
	if s == nil || s.used || n.lost {
		return
	}
	s.used = true
	what := map[symbolKind]string{symInput: "input", symAttr: "attribute", symParam: "parameter", symIndex: "index variable"}[s.kind]
	if what != "" {
		what += " "
	}
	d := n.rep.errorf(s.span, "name-unused", "%s%s is not used", what, quote(s.name))
	if axis := strings.ToUpper(s.name); s.kind == symIndex && n.sig != nil && n.sig.axes[axis] != nil {
		d.WithHint("write the axis, [%s], or read by index", axis)
	}
}

// declare notes a let or parameter.
func (n *names) declare(id dsl.Ident, kind symbolKind) *symbol {
	s := &symbol{name: id.Name, kind: kind, span: id.Span}
	if id.Name == "" {
		return s
	}
	if old := n.table[id.Name]; old != nil {
		n.rep.errorf(id.Span, "name-twice", "%s is declared twice", quote(id.Name)).WithNote(old.span, "declared here first, as %s", symbolKinds[old.kind])
		return s
	}
	for _, v := range n.indices {
		if v.name == id.Name {
			n.shadow(id, v)
			return s
		}
	}
	n.table[id.Name] = s
	n.order = append(n.order, s)
	return s
}

func (n *names) shadow(id dsl.Ident, old *symbol) *diag.Diagnostic {
	return n.rep.errorf(id.Span, "name-shadow", "%s already names %s here", quote(id.Name), symbolKinds[old.kind]).
		WithNote(old.span, "declared here").WithHint("choose another name: nothing is shadowed")
}

// meant declares the names in what should have been an index variable, so that their uses draw no errors of their own.
func (n *names) meant(x dsl.Expr) {
	dsl.Inspect(x, func(node any) bool {
		r, is := node.(*dsl.Ref)
		if is && r.Index == nil && !isUpper(r.Name.Name) && n.table[r.Name.Name] == nil && constants[r.Name.Name] == nil {
			n.indices = append(n.indices, &symbol{name: r.Name.Name, kind: symIndex, span: r.Name.Span, used: true})
		}
		return true
	})
}

// index declares an index variable for the rest of the scope.
func (n *names) index(id dsl.Ident) {
	for _, v := range n.indices {
		if v.name == id.Name {
			n.shadow(id, v)
			return
		}
	}
	if old := n.table[id.Name]; old != nil && !old.hidden {
		old.used = true // it may have been meant
		if d := n.shadow(id, old); old.kind == symAttr && (strings.HasPrefix(id.Name, "ax") || strings.HasPrefix(id.Name, "dim")) {
			d.Hint = "an attribute places an axis by its type, as in axis: axis(D), and the axis is reduced by its name, [D]"
		}
		return
	}
	n.indices = append(n.indices, &symbol{name: id.Name, kind: symIndex, span: id.Span})
}

// leave ends the scope of index variables. Those of reductions must have been used; those on a left side give the
// axes their order at least.
func (n *names) leave(mark int, reduction bool) {
	for _, v := range n.indices[mark:] {
		if reduction {
			n.unused(v)
		}
	}
	n.indices = n.indices[:mark]
}

func (n *names) stmts(list []dsl.Stmt) {
	// Lets may read each other, also later ones, where they run along an axis.
	for _, s := range list {
		if l, is := s.(*dsl.Let); is {
			kind := symLet
			if l.Pack {
				kind = symList
			}
			for _, id := range l.Names {
				n.declare(id, kind)
			}
		}
	}
	for _, s := range list {
		n.stmt(s)
	}
}

func (n *names) stmt(s dsl.Stmt) {
	switch s := s.(type) {
	case *dsl.Let:
		n.definition(s.Left, s.Value)
	case *dsl.Assign:
		n.target(s)
		n.definition(s.Left, s.Value)
	case *dsl.Dim:
		n.expr(s.Value)
	case *dsl.Require:
		n.expr(s.Cond)
	case *dsl.Match:
		n.match(s)
	case *dsl.Grad:
		n.gradOf(s.Name)
		n.grad = true
		n.definition(s.Left, s.Value)
		n.grad = false
	case *dsl.GradNone:
		for _, id := range s.Names {
			if sym := n.gradOf(id); sym != nil {
				sym.used = true
			}
		}
	case *dsl.Keep:
		n.keep(s)
	case *dsl.Example:
		// Examples are checked against the signature; see example.go.
	}
}

// definition checks a right side in the scope of its left side.
func (n *names) definition(left *dsl.Bracket, value dsl.Expr) {
	mark := len(n.indices)
	if left != nil {
		before := n.rep.errors
		n.binders(left)
		if n.rep.errors == before+1 && n.rep.list.All[len(n.rep.list.All)-1].Code == "binder" {
			n.rep.list.All[len(n.rep.list.All)-1].Hint = "a left side names all points at once: y[n] = if n == 0 then … else …"
		}
		if left.Where != nil {
			n.rep.errorf(left.Where.Pos(), "left-where", "a left side has no filter").WithHint("write an if on the right, or filter a reduction")
		}
	}
	n.expr(value)
	n.leave(mark, false)
}

// target checks the name on the left of an assignment.
func (n *names) target(s *dsl.Assign) {
	sym := n.table[s.Name.Name]
	switch {
	case sym == nil:
		e := n.rep.errorf(s.Name.Span, "name-unknown", "%s is no output", quote(s.Name.Name))
		e.Hint = "a value inside the body is declared with let"
		var outs []string
		for name, o := range n.table {
			if o.kind == symOutput && !s.Prime || o.kind == symInout && s.Prime {
				outs = append(outs, name)
			}
		}
		slices.Sort(outs)
		suggest(e, s.Name.Name, outs)
	case sym.kind == symOutput && !s.Prime, sym.kind == symInout && s.Prime:
	case sym.kind == symInout:
		n.rep.errorf(s.Name.Span, "assign-target", "%s is the old value; the new one is %s", quote(s.Name.Name), quote(s.Name.Name+"'")).
			WithHint("write %s'", s.Name.Name)
	case s.Prime:
		d := n.rep.errorf(s.Name.Span, "assign-target", "%s is %s: only an inout or state has a new value", quote(s.Name.Name), symbolKinds[sym.kind]).
			WithNote(sym.span, "declared here")
		if sym.kind == symInput {
			d.WithHint("declare it so: inout %s", s.Name.Name)
		}
	default:
		n.rep.errorf(s.Name.Span, "assign-target", "%s is %s and can't be set", quote(s.Name.Name), symbolKinds[sym.kind]).
			WithNote(sym.span, "declared here")
	}
}

func (n *names) gradOf(id dsl.Ident) *symbol {
	sym := n.table[id.Name]
	switch {
	case sym == nil:
		n.unknown(id)
	case sym.kind == symInout:
		n.rep.errorf(id.Span, "grad-of", "%s is renewed in place, so it isn't differentiated", quote(id.Name)).WithNote(sym.span, "declared here")
	case sym.kind != symInput:
		n.rep.errorf(id.Span, "grad-of", "only inputs have gradients; %s is %s", quote(id.Name), symbolKinds[sym.kind]).
			WithNote(sym.span, "declared here")
	default:
		return sym
	}
	return nil
}

// match checks the arms of a match. What an arm declares is known in it alone.
func (n *names) match(s *dsl.Match) {
	words := n.wordsOf(s.Name)
	seen := map[string]diag.Span{}
	rest := diag.Span{}
	unknown := false // a label that isn't a word: perhaps the one that has no arm
	before, after := n.kept, maps.Clone(n.kept)
	for _, arm := range s.Arms {
		if len(arm.Labels) == 0 {
			if rest.Start.IsValid() {
				n.rep.errorf(arm.Span, "match-arms", "there are two arms `_`").WithNote(rest, "first here")
			}
			rest = arm.Span
		}
		for _, l := range arm.Labels {
			if old, twice := seen[l.Name]; twice {
				n.rep.errorf(l.Span, "match-arms", "%s has two arms", quote(l.Name)).WithNote(old, "first here")
			}
			seen[l.Name] = l.Span
			if words != nil && !slices.Contains(words, l.Name) {
				unknown = true
				suggest(n.rep.errorf(l.Span, "enum-word", "%s is no value of %s", quote(l.Name), quote(s.Name.Name)), l.Name, words)
			}
		}
		mark := len(n.order)
		n.kept = maps.Clone(before)
		n.stmts(arm.Body)
		maps.Copy(after, n.kept)
		for _, sym := range n.order[mark:] {
			sym.hidden = true
		}
	}
	n.kept = after
	for _, w := range words {
		if _, has := seen[w]; !has && !unknown && !rest.Start.IsValid() {
			n.rep.errorf(s.Name.Span, "match-arms", "no arm for %s", quote(w)).WithHint("add `%s: …`, or `_: …` for all others", w)
		}
	}
}

// wordsOf gives the words of an enum or bool attribute that a match names.
func (n *names) wordsOf(id dsl.Ident) []string {
	sym := n.table[id.Name]
	if sym == nil {
		n.unknown(id)
		return nil
	}
	sym.used = true
	if n.sig != nil {
		if a := n.sig.attr(id.Name); a != nil {
			switch a.decl.Kind {
			case ir.AttrEnum:
				return a.decl.Enum.Words
			case ir.AttrBool:
				return []string{"true", "false"}
			}
		}
	}
	n.rep.errorf(id.Span, "match-on", "a match is by an attribute with words (an enum or bool); %s is %s", quote(id.Name), symbolKinds[sym.kind]).
		WithNote(sym.span, "declared here")
	return nil
}

// binders declares the variables of a left side or of a reduction, each visible to those on its right.
func (n *names) binders(b *dsl.Bracket) {
	for _, i := range b.Items {
		n.binder(i)
	}
}

func (n *names) binder(i *dsl.Item) {
	switch {
	case i.Star:
		return
	case i.AxisPack != nil:
		n.axisName(*i.AxisPack, true)
		return
	}
	if i.In {
		n.exprOrNil(i.From)
		n.exprOrNil(i.To)
	}
	switch v := i.Value.(type) {
	case *dsl.Ref:
		if v.Index == nil && v.Package == nil && !v.Prime && !v.Cotangent {
			if !isUpper(v.Name.Name) {
				n.index(v.Name)
				return
			}
			if !i.Pack && !i.In {
				n.axisName(v.Name, false)
				return
			}
		}
	case *dsl.Tuple:
		if !i.In && !i.Pack {
			for _, j := range v.Items {
				n.binder(j)
			}
			return
		}
	case *dsl.Paren:
		if !i.In && !i.Pack {
			n.binder(&dsl.Item{Value: v.X, Span: v.Span})
			return
		}
	}
	d := n.rep.errorf(i.Span, "binder", "expected an axis or an index variable").WithHint("as in [K], [...B], [k], [..b] or [k in 0..n]")
	if b, is := i.Value.(*dsl.Binary); is && comparison[b.Op] != ir.OpInvalid {
		d.WithHint("a filter stands behind where: [k where %s]", n.in.textOf(b.Span))
	}
	n.meant(i.Value)
}

// axisName checks a name that must be an axis.
func (n *names) axisName(id dsl.Ident, pack bool) {
	if n.sig == nil {
		if n.axis != nil && n.axis.Name == id.Name {
			if pack {
				n.rep.errorf(id.Span, "axis-kind", "%s stands for the axes that the caller names", quote(id.Name)).WithHint("write [%s]", id.Name)
			}
			return
		}
		d := n.rep.errorf(id.Span, "axis-unknown", "a func knows no axes but those that it is given")
		if n.axis == nil {
			d.Hint = "declare it: func name[" + id.Name + "](…)"
		} else {
			suggest(d, id.Name, []string{n.axis.Name})
		}
		return
	}
	d := n.sig.axes[id.Name]
	switch {
	case d == nil:
		e := n.rep.errorf(id.Span, "axis-unknown", "%s is no axis of this op", quote(id.Name))
		suggest(e, id.Name, n.sig.axisOrder)
	case d.pack && !pack:
		n.rep.errorf(id.Span, "axis-kind", "%s is a pack", quote(id.Name)).WithNote(d.span, "declared here").WithHint("write ...%s", id.Name)
	case pack && !d.pack:
		n.rep.errorf(id.Span, "axis-kind", "%s is one axis", quote(id.Name)).WithNote(d.span, "declared here").WithHint("write %s", id.Name)
	}
}
