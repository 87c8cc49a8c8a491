package lint

import (
	"math"
	"math/big"

	"github.com/opgen/opgen/dsl"
)

// call gives the argument of a call of a built-in function of one argument, and whether it is one.
func (l *linter) call(v view, name string) (view, bool) {
	v = l.see(v)
	c, ok := v.e.(*dsl.Call)
	if !ok || !isBuiltin(c, name) || c.Index != nil || len(c.Args) != 1 || !isValue(c.Args[0]) {
		return view{}, false
	}
	return view{c.Args[0].Value, v.f}, true
}

// reduced gives the argument of a reduction and its brackets.
func (l *linter) reduced(v view, name string) (arg view, over *dsl.Bracket, ok bool) {
	v = l.see(v)
	c, is := v.e.(*dsl.Call)
	if !is || !isBuiltin(c, name) || len(c.Args) != 1 || !isValue(c.Args[0]) {
		return view{}, nil, false
	}
	k := &copier{l: l, left: maxCopy}
	return view{c.Args[0].Value, v.f}, k.bracket(c.Index, v.f), true
}

func isBuiltin(c *dsl.Call, name string) bool {
	return c.Package == nil && c.Name.Name == name && c.AccOf == nil && !c.Cotangent && !c.Prime && len(c.Named) == 0
}

func isValue(i *dsl.Item) bool {
	return !i.Pack && !i.In && !i.Star && i.AxisPack == nil && i.Value != nil
}

// binary gives the operands of a binary operator.
func (l *linter) binary(v view, op string) (x, y view, ok bool) {
	v = l.see(v)
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != op {
		return view{}, view{}, false
	}
	return view{b.X, v.f}, view{b.Y, v.f}, true
}

// negated gives x of -x.
func (l *linter) negated(v view) (view, bool) {
	v = l.see(v)
	u, is := v.e.(*dsl.Unary)
	if !is || u.Op != "-" {
		return view{}, false
	}
	return view{u.X, v.f}, true
}

// number is the value of a constant; nil: it is none.
func (l *linter) number(v view) *big.Rat {
	v = l.see(v)
	switch e := v.e.(type) {
	case *dsl.Number:
		if len(e.Text) > 40 {
			return nil
		}
		if r, ok := new(big.Rat).SetString(e.Text); ok {
			return r
		}
	case *dsl.Call:
		if c := castOf(e); c != nil {
			return l.number(view{c, v.f})
		}
	case *dsl.Unary:
		if r := l.number(view{e.X, v.f}); r != nil && e.Op == "-" {
			return r.Neg(r)
		}
	case *dsl.Binary:
		a, b := l.number(view{e.X, v.f}), l.number(view{e.Y, v.f})
		if a != nil && b != nil && e.Op == "/" && b.Sign() != 0 {
			return a.Quo(a, b)
		}
	}
	return nil
}

// castOf is what a call casts to a dtype variable, as in T(1); nil: it is none.
func castOf(c *dsl.Call) dsl.Expr {
	if c.Package != nil || !isUpper(c.Name.Name) || c.AccOf != nil || c.Index != nil || len(c.Args) != 1 || !isValue(c.Args[0]) || len(c.Named) > 0 {
		return nil
	}
	return c.Args[0].Value
}

// is tells whether v is the constant a/b.
func (l *linter) is(v view, a, b int64) bool {
	n := l.number(v)
	return n != nil && n.Cmp(big.NewRat(a, b)) == 0
}

// squared gives x of x^2, x*x and abs(x)^2.
func (l *linter) squared(v view) (view, bool) {
	if x, y, ok := l.binary(v, "^"); ok && l.is(y, 2, 1) {
		if a, ok := l.call(x, "abs"); ok {
			return a, true
		}
		return x, true
	}
	if x, y, ok := l.binary(v, "*"); ok && l.same(x, y) && l.number(x) == nil {
		return x, true
	}
	return view{}, false
}

// root gives e of sqrt(e) and e^0.5.
func (l *linter) root(v view) (view, bool) {
	if e, ok := l.call(v, "sqrt"); ok {
		return e, true
	}
	if x, y, ok := l.binary(v, "^"); ok && l.is(y, 1, 2) {
		return x, true
	}
	return view{}, false
}

// term is one part of a sum.
type term struct {
	v     view
	minus bool
}

// terms takes a sum apart.
func (l *linter) terms(v view) []term {
	r, _ := l.termsUpTo(v, math.MaxInt)
	return r
}

// termsUpTo takes a sum apart, unless it has more terms than most: a long sum is asked at each of its partial sums.
func (l *linter) termsUpTo(v view, most int) (r []term, ok bool) {
	if most < 1 {
		return nil, false
	}
	seen := l.see(v)
	switch e := seen.e.(type) {
	case *dsl.Binary:
		if e.Op != "+" && e.Op != "-" {
			break
		}
		r, ok = l.termsUpTo(view{e.X, seen.f}, most-1)
		if !ok {
			return nil, false
		}
		right, ok := l.termsUpTo(view{e.Y, seen.f}, most-len(r))
		for _, t := range right {
			t.minus = t.minus != (e.Op == "-")
			r = append(r, t)
		}
		return r, ok
	case *dsl.Unary:
		if e.Op != "-" {
			break
		}
		r, ok = l.termsUpTo(view{e.X, seen.f}, most)
		for i := range r {
			r[i].minus = !r[i].minus
		}
		return r, ok
	}
	return []term{{v: v}}, true
}

// factors takes a product apart; quotients are left whole.
func (l *linter) factors(v view) []view {
	seen := l.see(v)
	switch e := seen.e.(type) {
	case *dsl.Binary:
		if e.Op == "*" {
			return append(l.factors(view{e.X, seen.f}), l.factors(view{e.Y, seen.f})...)
		}
	case *dsl.Unary:
		if e.Op == "-" {
			return l.factors(view{e.X, seen.f})
		}
	}
	return []view{v}
}

// scaled takes a product apart into a number and other factors, of which there is one.
func (l *linter) scaled(v view) (by *big.Rat, of view, ok bool) {
	by = big.NewRat(1, 1)
	found := 0
	for _, f := range l.factors(v) {
		if n := l.number(f); n != nil {
			by.Mul(by, n)
		} else {
			of = f
			found++
		}
	}
	return by, of, found == 1
}

// without gives the factors of a product other than the one at i.
func without(list []view, i int) []view { return append(append([]view{}, list[:i]...), list[i+1:]...) }

// product is a product of factors and of what comes behind them.
func (l *linter) product(list []view, last dsl.Expr) dsl.Expr {
	var r dsl.Expr
	for _, f := range list {
		if e := l.written(f); r == nil {
			r = e
		} else {
			r = join(r, "*", e)
		}
	}
	if r == nil {
		return last
	}
	return join(r, "*", last)
}

// apply is name(args).
func apply(name string, args ...dsl.Expr) dsl.Expr { return reduce(name, nil, args...) }

// reduce is name[over](args).
func reduce(name string, over *dsl.Bracket, args ...dsl.Expr) dsl.Expr {
	c := &dsl.Call{Name: dsl.Ident{Name: name}, Index: over}
	for _, a := range args {
		c.Args = append(c.Args, &dsl.Item{Value: a})
	}
	return c
}

func join(x dsl.Expr, op string, y dsl.Expr) dsl.Expr { return &dsl.Binary{Op: op, X: x, Y: y} }

func numeral(text string) dsl.Expr { return &dsl.Number{Text: text} }

// minus is -e, without a sign before a sign.
func minus(e dsl.Expr) dsl.Expr {
	if u, is := e.(*dsl.Unary); is && u.Op == "-" {
		return u.X
	}
	if b, is := e.(*dsl.Binary); is && b.Op == "-" {
		return join(b.Y, "-", b.X)
	}
	return &dsl.Unary{Op: "-", X: e}
}

// sum is a sum of terms.
func (l *linter) sum(list []term) dsl.Expr {
	var r dsl.Expr
	for _, t := range list {
		r = added(r, t.minus, l.written(t.v))
	}
	return r
}

// added is a sum, nil where there is none yet, with one more term.
func added(r dsl.Expr, minus bool, x dsl.Expr) dsl.Expr {
	switch {
	case r == nil && minus:
		return &dsl.Unary{Op: "-", X: x}
	case r == nil:
		return x
	case minus:
		return join(r, "-", x)
	}
	return join(r, "+", x)
}

// isPrimary tells whether an expression stands beside any operator without parentheses.
func isPrimary(e dsl.Expr) bool {
	switch e := e.(type) {
	case *dsl.Ref, *dsl.Call, *dsl.Paren:
		return true
	case *dsl.Number:
		return e.Text != ""
	}
	return false
}
