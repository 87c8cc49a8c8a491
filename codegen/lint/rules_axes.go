package lint

import (
	"slices"

	"github.com/opgen/opgen/dsl"
)

// share is exp(u)/sum[over](exp(of)), a softmax: of is u, with the index variable of the sum in the place of another where there are any.
type share struct {
	u, of view
	over  *dsl.Bracket
}

// expShare takes a softmax apart.
func (l *linter) expShare(v view) (s share, ok bool) {
	x, y, ok := l.binary(v, "/")
	if !ok {
		return s, false
	}
	e, over, ok := l.reduced(y, "sum")
	if !ok || hasStar(over) {
		return s, false
	}
	u, ok1 := l.call(x, "exp")
	of, ok2 := l.call(e, "exp")
	if !ok1 || !ok2 {
		return s, false
	}
	s = share{u, of, over}
	if over == nil || axesAlone(over) {
		return s, l.same(u, of)
	}
	from := variable(over)
	if from == "" || v.f != l.home || u.f != l.home || of.f != l.home {
		return s, false
	}
	names := map[string]bool{}
	l.namesIn(u.e, names)
	for to := range names {
		if l.keyRenamed(of, from, to) == l.key(u) {
			return s, true
		}
	}
	return s, false
}

// variable is the one index variable that brackets hold; "": they hold something else.
func variable(b *dsl.Bracket) string {
	if len(b.Items) != 1 || b.Where != nil || b.Items[0].Pack {
		return ""
	}
	r, is := b.Items[0].Value.(*dsl.Ref)
	if !is || isUpper(r.Name.Name) || !isBare(r) {
		return ""
	}
	return r.Name.Name
}

// unshifted gives what is left of u where the greatest is subtracted, and whether it was.
func (l *linter) unshifted(u view) (rest []term, shifted bool) {
	list := l.terms(u)
	for _, t := range list {
		if t.minus && l.isTop(t.v) || !t.minus && l.isLeast(t.v, list) {
			shifted = true
			continue
		}
		rest = append(rest, t)
	}
	return rest, shifted
}

// isTop tells whether an expression is a greatest value, or a logsumexp.
func (l *linter) isTop(v view) bool {
	if e, ok := l.call(v, "stop"); ok {
		return l.isTop(e)
	}
	for _, name := range []string{"max", "logsumexp"} {
		if _, _, ok := l.reduced(v, name); ok {
			return true
		}
	}
	return false
}

// isLeast tells whether an expression is the least of what is subtracted in a list: min(x) in min(x) - x.
func (l *linter) isLeast(v view, list []term) bool {
	if e, ok := l.call(v, "stop"); ok {
		return l.isLeast(e, list)
	}
	x, _, ok := l.reduced(v, "min")
	return ok && slices.ContainsFunc(list, func(t term) bool { return t.minus && l.same(t.v, x) })
}

// logSoftmax is log(exp(u)/sum(exp(u))) = u - logsumexp(u). A shift by the greatest cancels.
func logSoftmax(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownCall(v, "log")
	if !ok {
		return nil
	}
	s, ok := l.expShare(e)
	if !ok {
		return nil
	}
	list, _ := l.unshifted(s.u)
	of, _ := l.unshifted(s.of)
	if len(list) == 0 || len(of) == 0 {
		return nil
	}
	return join(l.sum(list), "-", reduce("logsumexp", s.over, l.sum(of)))
}

// softmax is exp(u)/sum(exp(u)) without a shift.
func softmax(l *linter, v view, _ place) dsl.Expr {
	if _, is := v.e.(*dsl.Binary); !is {
		return nil
	}
	s, ok := l.expShare(v)
	if !ok || s.over == nil {
		return nil
	}
	if _, shifted := l.unshifted(s.u); shifted {
		return nil
	}
	greatest := reduce("max", s.over, l.written(s.of))
	if from := variable(s.over); from != "" {
		fresh := l.freshName()
		over := *s.over
		item := *over.Items[0]
		item.Value, over.Items = ref(fresh), []*dsl.Item{&item}
		greatest = reduce("max", &over, l.renamed(s.of, from, fresh))
	}
	return join(apply("exp", join(l.written(s.u), "-", greatest)), "/", reduce("sum", s.over, apply("exp", join(l.written(s.of), "-", greatest))))
}

// hasStar tells whether brackets go over all tensors of a call.
func hasStar(b *dsl.Bracket) bool {
	return b != nil && slices.ContainsFunc(b.Items, func(i *dsl.Item) bool { return i.Star })
}

// axesAlone tells whether brackets name axes and no index variables, so that they can stand within themselves.
func axesAlone(b *dsl.Bracket) bool { return b != nil && plainLeft(b) }

// logSumExp is log(sum(exp(u))) and log(exp(a) + exp(b)), and log(exp(u)).
func logSumExp(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownCall(v, "log")
	if !ok {
		return nil
	}
	if u, ok := l.call(e, "exp"); ok {
		return l.written(u)
	}
	if s, over, ok := l.reduced(e, "sum"); ok {
		u, ok := l.call(s, "exp")
		if !ok || hasStar(over) {
			return nil
		}
		if _, shifted := l.unshifted(u); shifted {
			return nil
		}
		return reduce("logsumexp", over, l.written(u))
	}
	if x, y, ok := l.binary(e, "+"); ok {
		a, ok1 := l.call(x, "exp")
		b, ok2 := l.call(y, "exp")
		if ok1 && ok2 {
			return apply("logaddexp", l.written(a), l.written(b))
		}
	}
	return nil
}

// variance is mean(x^2) - mean(x)^2.
func variance(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "-" {
		return nil
	}
	m, over, ok := l.reduced(view{b.X, v.f}, "mean")
	if !ok {
		return nil
	}
	x, ok := l.squared(m)
	if !ok {
		return nil
	}
	n, ok := l.squared(view{b.Y, v.f})
	if !ok {
		return nil
	}
	y, also, ok := l.reduced(n, "mean")
	if !ok || !l.same(x, y) || bracketText(over) != bracketText(also) || over != nil && !axesAlone(over) {
		return nil
	}
	w := l.written(x)
	d := join(w, "-", reduce("mean", over, w))
	return reduce("mean", over, join(d, "^", numeral("2")))
}

func bracketText(b *dsl.Bracket) string {
	return dsl.FormatExpr(&dsl.Ref{Name: dsl.Ident{Name: "x"}, Index: b})
}

// norm is sqrt(sum(x^2)).
func norm(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownRoot(v)
	if !ok {
		return nil
	}
	s, over, ok := l.reduced(e, "sum")
	if !ok {
		return nil
	}
	x, ok := l.squared(s)
	if !ok {
		return nil
	}
	return reduce("norm", over, l.written(x))
}

// ownRoot is the argument of a root that is written here.
func (l *linter) ownRoot(v view) (view, bool) {
	switch e := v.e.(type) {
	case *dsl.Call:
		if !isBuiltin(e, "sqrt") {
			return view{}, false
		}
	case *dsl.Binary:
	default:
		return view{}, false
	}
	return l.root(v)
}

// hypot is sqrt(x^2 + y^2), and abs(x) of sqrt(x^2).
func hypot(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownRoot(v)
	if !ok {
		return nil
	}
	if x, ok := l.squared(e); ok {
		return apply("abs", l.written(x))
	}
	x, y, ok := l.binary(e, "+")
	if !ok {
		return nil
	}
	a, ok1 := l.squared(x)
	b, ok2 := l.squared(y)
	if !ok1 || !ok2 || l.number(a) != nil || l.number(b) != nil {
		return nil
	}
	return apply("hypot", l.written(a), l.written(b))
}
