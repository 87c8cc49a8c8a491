package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// binding is an index: of an axis, of a variable, or of both.
type binding struct {
	name  string // of the variable; "" where only the axis is named
	axis  string // "": it runs over a range that is no axis
	pack  bool
	v     *ir.Var
	value *ir.Value // what the index is; v itself but for argmax, where it is what was found

	spread bool       // a pack that is computed with: its index is parts, and v and value are unset
	parts  []*binding // one for each axis

	twice bool    // two variables of one level stand for the axis
	use   *symbol // of a left side: whether anything needs it
}

// level is the axes that one left side or one reduction binds.
type level struct {
	up   *level
	axes map[string]*binding
	open bool       // an axis that nothing binds is bound here: the axes of the definition follow from its right side
	list []*binding // in the order of binding
}

// scope is the index variables of one left side or reduction.
type scope struct {
	up   *scope
	vars map[string]*binding
}

// env is where an expression stands.
type env struct {
	in       *source
	levels   *level
	scopes   *scope
	closed   bool                // in a func or a called op: only params are visible
	op       *inlinedOp          // the op whose formula this is, inlined like a func
	params   map[string]*closure // parameters and lets of the func, inputs and attributes of the op
	axisArgs map[string]*axisArg // the axes that the caller names
	guard    *guard              // collects conditions of absence; nil: absence is an error
	path     []*ir.Value         // conditions that hold here, since otherwise this isn't evaluated
	host     bool                // computed when the op is called: conditions don't make variants
	comp     int                 // 1 + the component that is computed; 0: not by components
	calls    []diag.Span         // the calls that led into this func, outermost first
	text     []diag.Span         // the calls whose bodies the text stands in: an argument is still the caller's text
	inlined  []any               // the funcs and ops that they call
}

// closure is an argument: an expression and where it stands. Its axes are those where it is used.
type closure struct {
	expr   dsl.Expr
	env    *env
	absent bool         // an optional input that the caller leaves out
	typ    *ir.Type     // the type that an attribute takes it as; nil: as it is
	decl   *ir.AttrDecl // the attribute that it is
}

// axisArg is what an axis of a func stands for: axes of the caller, and of those the points that filters leave.
type axisArg struct {
	names []string
	where []filter
}

// filter is a condition that is handed to a func with its axes.
type filter struct {
	expr dsl.Expr
	env  *env
}

// guard collects the conditions under which an expression is there.
type guard struct {
	conds  []*ir.Value
	absent bool // it never is
}

// site is a place in the text, and how it was reached.
type site struct {
	span diag.Span
	env  *env
}

func (e *env) at(x dsl.Expr) site { return site{x.Pos(), e} }

// fault is what is wrong at a place.
type fault struct {
	span diag.Span
	code string
}

// errorf reports an error at a site, with the calls that led there.
// What was said there under other choices isn't said again with other numbers.
func (l *lowering) errorf(at site, code, format string, args ...any) *diag.Diagnostic {
	here := fault{at.span, code}
	if l.root.said == nil {
		l.root.said = map[fault]int{}
	}
	if first, said := l.root.said[here]; said && first != l.root.lowered {
		l.rep.errors++
		return &diag.Diagnostic{}
	}
	l.root.said[here] = l.root.lowered
	return noted(l.rep.errorf(at.span, code, format, args...), at)
}

// warnf reports a warning at a place.
func (l *lowering) warnf(at site, code, format string, args ...any) *diag.Diagnostic {
	return noted(l.rep.warnf(at.span, code, format, args...), at)
}

// noted adds the calls that led to a place.
func noted(d *diag.Diagnostic, at site) *diag.Diagnostic {
	if at.env != nil && len(d.Notes) == 0 {
		for _, c := range slices.Backward(at.env.calls) {
			d.WithNote(c, "called here")
		}
	}
	return d
}

// reported is a value with an error that has been reported where its text stands, maybe for another op.
func (l *lowering) reported() *ir.Value {
	l.rep.errors++
	return bad
}

// unsupported reports what the language allows and the compiler can't lower.
func (l *lowering) unsupported(at site, what string) *ir.Value {
	l.errorf(at, "unsupported", "%s can't be compiled yet", what)
	return bad
}

// bad stands for a value with an error that has been reported.
var bad = &ir.Value{}

func isBad(vs ...*ir.Value) bool {
	return slices.ContainsFunc(vs, func(v *ir.Value) bool { return v.Op == ir.OpInvalid })
}

// with returns the environment of a part of the expression.
func (e *env) with(change func(*env)) *env {
	n := *e
	change(&n)
	return &n
}

// under is the environment of what is evaluated only where c holds.
func (e *env) under(c *ir.Value) *env {
	return e.with(func(n *env) { n.path = append(slices.Clip(e.path), c) })
}

// inside opens a level of axes and a scope of variables.
func (e *env) inside(open bool) *env {
	return e.with(func(n *env) {
		n.levels = &level{up: e.levels, axes: map[string]*binding{}, open: open}
		n.scopes = &scope{up: e.scopes, vars: map[string]*binding{}}
	})
}

// bind adds an index to the innermost level and scope.
func (e *env) bind(b *binding) {
	if b.axis != "" {
		if old := e.levels.axes[b.axis]; old != nil {
			old.twice = true
		} else {
			e.levels.axes[b.axis] = b
		}
	}
	e.levels.list = append(e.levels.list, b)
	if b.name != "" {
		e.scopes.vars[b.name] = b
	}
}

// variable finds an index variable.
func (e *env) variable(name string) *binding {
	for s := e.scopes; s != nil; s = s.up {
		if b := s.vars[name]; b != nil {
			b.use.mark()
			return b
		}
	}
	return nil
}

// bound finds the innermost index of an axis; an open level makes one.
func (l *lowering) bound(e *env, axis string) *binding {
	for s := e.levels; s != nil; s = s.up {
		if b := s.axes[axis]; b != nil {
			b.use.mark()
			return b
		}
		if s.open {
			b := l.over(axis)
			s.axes[axis] = b
			s.list = append(s.list, b)
			return b
		}
	}
	return nil
}

// isBound tells whether an index of the axis is in scope, without making one.
func (e *env) isBound(axis string) bool {
	for s := e.levels; s != nil; s = s.up {
		if s.axes[axis] != nil {
			return true
		}
	}
	return false
}

// over makes an index that runs over an axis.
func (l *lowering) over(axis string) *binding {
	if parts, spread := l.parts(axis); spread {
		b := &binding{axis: axis, pack: true, spread: true}
		for k, a := range parts {
			v := &ir.Var{Name: strings.ToLower(axis) + strconv.Itoa(k), Axis: a}
			b.parts = append(b.parts, &binding{axis: axis, v: v, value: ir.Index(v)})
		}
		return b
	}
	v := &ir.Var{Name: strings.ToLower(axis), Axis: l.axis(axis)}
	return &binding{axis: axis, pack: v.Axis.Pack, v: v, value: ir.Index(v)}
}

// axisIndex gives the index of an axis here; nil is an error that has been reported.
func (l *lowering) axisIndex(at site, axis, of string) *binding {
	b := l.bound(at.env, axis)
	switch {
	case b == nil:
		if first, said := l.root.unbound[axis+" "+of]; said && first != at.span {
			l.reported() // once is enough
			return nil
		}
		if l.root.unbound == nil {
			l.root.unbound = map[string]diag.Span{}
		}
		l.root.unbound[axis+" "+of] = at.span
		d := l.errorf(at, "axis-unbound", "axis %s of %s has no place here", quote(l.axisText(axis)), quote(of))
		if l.gradOf != "" && l.callee == nil {
			d.WithHint("a sum over it is missing: %s has no such axis; write sum[%s](…)", quote(l.gradOf), l.axisText(axis))
		} else {
			d.WithHint("reduce it, or name it on the left")
		}
		return nil
	case b.twice:
		l.errorf(at, "axis-ambiguous", "two variables stand for axis %s of %s here", quote(l.axisText(axis)), quote(of)).
			WithHint("write the indices: %s[…]", of)
		return nil
	}
	return b
}

// axisText is an axis as it is written.
func (l *lowering) axisText(name string) string {
	if d := l.sig.axes[name]; d != nil && d.pack {
		return "..." + name
	}
	return name
}

// axis gives the axis of the function.
func (l *lowering) axis(name string) *ir.Axis {
	if a := l.axes[name]; a != nil {
		return a
	}
	if other := l.sig.ranks.alias[name]; other != "" {
		return l.axis(other)
	}
	if l.callee != nil {
		l.axes[name] = l.freshAxis(name)
		return l.axes[name]
	}
	d := l.sig.axes[name]
	a := &ir.Axis{Name: name, Pack: d != nil && d.pack}
	l.axes[name] = a
	return a
}
