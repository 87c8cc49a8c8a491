package lint

import (
	"maps"
	"math/big"

	"github.com/opgen/opgen/dsl"
)

// gradient is sqrt(e) and e^p with 0 < p < 1, where e is never negative and 0 at points inside of where the op is defined: at these the
// value is 0 and the derivative infinite, or NaN where that of e is 0.
func gradient(l *linter, v view, at place) dsl.Expr {
	if l.update || l.byHand || at.stopped {
		return nil
	}
	e, ok := l.ownRoot(v)
	if b, is := v.e.(*dsl.Binary); !ok && is && b.Op == "^" {
		p := l.number(view{b.Y, v.f})
		e, ok = view{b.X, v.f}, p != nil && p.Sign() > 0 && p.Cmp(big.NewRat(1, 1)) < 0
	}
	if !ok || !l.touchesZero(e) || l.guarded(at, e) {
		return nil
	}
	c := &copier{l: l, left: maxCopy}
	w := l.written(e)
	return &dsl.If{Cond: join(w, "==", numeral("0")), Then: numeral("0"), Else: c.expr(v)}
}

// touchesZero tells whether an expression is never negative, and 0 at some points that nothing keeps a call from. The derivative of an absolute
// value is 0 at such a point, whatever it is multiplied with.
func (l *linter) touchesZero(v view) bool {
	if x, ok := l.squared(v); ok {
		return l.crossesZero(x)
	}
	for _, name := range []string{"sum", "mean"} {
		if e, _, ok := l.reduced(v, name); ok {
			return l.touchesZero(e)
		}
	}
	if x, y, ok := l.binary(v, "+"); ok {
		return l.touchesZero(x) && l.touchesZero(y)
	}
	if x, y, ok := l.binary(v, "/"); ok {
		n := l.number(y)
		return n != nil && n.Sign() > 0 && l.touchesZero(x)
	}
	if x, y, ok := l.binary(v, "*"); ok {
		if n := l.number(x); n != nil && n.Sign() > 0 {
			return l.touchesZero(y)
		}
		n := l.number(y)
		return n != nil && n.Sign() > 0 && l.touchesZero(x)
	}
	return false
}

// crossesZero tells whether an expression takes both signs near points where it is 0: an element of an input, or a difference, mean or
// multiple of such.
func (l *linter) crossesZero(v view) bool {
	if l.isInput(v) {
		return true
	}
	if x, ok := l.negated(v); ok {
		return l.crossesZero(x)
	}
	if x, y, ok := l.binary(v, "-"); ok {
		return !l.same(x, y) && (l.crossesZero(x) || l.crossesZero(y))
	}
	for _, name := range []string{"sum", "mean"} {
		if e, _, ok := l.reduced(v, name); ok {
			return l.crossesZero(e)
		}
	}
	return false
}

// isInput tells whether an expression is an element of an input of the op.
func (l *linter) isInput(v view) bool {
	v = l.see(v)
	r, is := v.e.(*dsl.Ref)
	return is && v.f == l.home && l.home.inputs[r.Name.Name] && !r.Cotangent && r.Package == nil
}

// guarded tells whether a condition around, or one of the call, mentions something that e is made of.
func (l *linter) guarded(at place, e view) bool {
	tested := maps.Clone(l.limits)
	for _, g := range at.guards {
		l.namesIn(g, tested)
	}
	names := map[string]bool{}
	l.namesIn(l.written(e), names)
	for n := range names {
		if tested[n] {
			return true
		}
	}
	return false
}

// xlogy is x*log(y) where both can be 0: y is a factor of x, or both are inputs.
func xlogy(l *linter, v view, at place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "*" {
		return nil
	}
	for _, s := range []struct{ x, log dsl.Expr }{{b.X, b.Y}, {b.Y, b.X}} {
		x := view{s.x, v.f}
		y, ok := l.call(view{s.log, v.f}, "log")
		if !ok || l.guarded(at, y) || l.guarded(at, x) {
			continue
		}
		both := false
		for _, f := range l.factors(x) {
			both = both || l.same(f, y) && l.number(f) == nil || l.isInput(f) && l.isInput(y)
		}
		if !both {
			continue
		}
		if n, ok := l.negated(x); ok {
			return minus(apply("xlogy", l.written(n), l.written(y)))
		}
		return apply("xlogy", l.written(x), l.written(y))
	}
	return nil
}
