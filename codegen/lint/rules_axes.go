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

// unshifted gives what is left of u where the greatest is subtracted, and whether it was. Of what is scaled after that, as (x - max(x))/c, nothing
// is left out.
func (l *linter) unshifted(u view) (rest []term, shifted bool) {
	list := l.terms(u)
	if len(list) == 1 && l.scaledShift(u) {
		return list, true
	}
	for _, t := range list {
		if t.minus && l.isTop(t.v) || !t.minus && l.isLeast(t.v, list) {
			shifted = true
			continue
		}
		rest = append(rest, t)
	}
	return rest, shifted
}

// scaledShift tells whether a factor of a product, or what is divided, has its greatest subtracted.
func (l *linter) scaledShift(u view) bool {
	seen := l.see(u)
	b, is := seen.e.(*dsl.Binary)
	if !is || b.Op != "*" && b.Op != "/" {
		return false
	}
	sides := []view{{b.X, seen.f}}
	if b.Op == "*" {
		sides = append(sides, view{b.Y, seen.f})
	}
	return slices.ContainsFunc(sides, func(v view) bool { _, shifted := l.unshifted(v); return shifted })
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
	greatest := l.inner("max", s.over, s.of)
	return join(apply("exp", join(l.written(s.u), "-", greatest)), "/", reduce("sum", s.over, apply("exp", join(l.written(s.of), "-", greatest))))
}

// inner is name[over](e), which can stand within another reduction over the same.
func (l *linter) inner(name string, over *dsl.Bracket, e view) dsl.Expr {
	from := ""
	if over != nil {
		from = variable(over)
	}
	if from == "" {
		return reduce(name, over, l.written(e))
	}
	fresh := l.freshName()
	also := *over
	item := *over.Items[0]
	item.Value, also.Items = ref(fresh), []*dsl.Item{&item}
	return reduce(name, &also, l.renamed(e, from, fresh))
}

// weighted finds an unshifted exp(u) among the factors of what is summed over axes, and gives the others.
func (l *linter) weighted(v view, name string) (u view, rest []view, over *dsl.Bracket, ok bool) {
	s, over, ok := l.reduced(v, name)
	if !ok || hasStar(over) || over != nil && !axesAlone(over) && variable(over) == "" {
		return view{}, nil, nil, false
	}
	list := l.factors(s)
	for i, f := range list {
		u, is := l.call(f, "exp")
		if !is {
			continue
		}
		if _, shifted := l.unshifted(u); shifted {
			return view{}, nil, nil, false
		}
		rest = without(list, i)
		return u, rest, over, l.positive(s) && !slices.ContainsFunc(rest, func(f view) bool { _, also := l.call(f, "exp"); return also })
	}
	return view{}, nil, nil, false
}

// positive tells whether a product has no minus in it, which taking it apart drops.
func (l *linter) positive(v view) bool {
	seen := l.see(v)
	switch e := seen.e.(type) {
	case *dsl.Binary:
		return e.Op != "*" || l.positive(view{e.X, seen.f}) && l.positive(view{e.Y, seen.f})
	case *dsl.Unary:
		return e.Op != "-"
	}
	return true
}

// softmaxMean is sum(w*exp(u))/sum(exp(u)) without a shift.
func softmaxMean(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "/" {
		return nil
	}
	u, rest, over, ok1 := l.weighted(view{b.X, v.f}, "sum")
	of, none, also, ok2 := l.weighted(view{b.Y, v.f}, "sum")
	if !ok1 || !ok2 || len(rest) == 0 || len(none) > 0 || over == nil || bracketText(over) != bracketText(also) || !l.same(u, of) {
		return nil
	}
	shifted := apply("exp", join(l.written(u), "-", l.inner("max", over, u)))
	return join(reduce("sum", over, l.product(rest, shifted)), "/", reduce("sum", over, shifted))
}

// hasStar tells whether brackets go over all tensors of a call.
func hasStar(b *dsl.Bracket) bool {
	return b != nil && slices.ContainsFunc(b.Items, func(i *dsl.Item) bool { return i.Star })
}

// axesAlone tells whether brackets name axes and no index variables, so that they can stand within themselves.
func axesAlone(b *dsl.Bracket) bool { return b != nil && plainLeft(b) }

// logSumExp is log(sum(exp(u))), log(mean(exp(u))), log(sum(w*exp(u))) and log(exp(a) + exp(b)), and log(exp(u)).
func logSumExp(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownCall(v, "log")
	if !ok {
		return nil
	}
	if u, ok := l.call(e, "exp"); ok {
		return l.written(u)
	}
	if s, over, ok := l.reduced(e, "sum"); ok && !hasStar(over) {
		if u, ok := l.call(s, "exp"); ok {
			if _, shifted := l.unshifted(u); shifted {
				return nil
			}
			return reduce("logsumexp", over, l.written(u))
		}
	}
	for _, name := range []string{"sum", "mean"} {
		if u, rest, over, ok := l.weighted(e, name); ok {
			shifted := apply("exp", join(l.written(u), "-", l.inner("max", over, u)))
			return join(apply("log", reduce(name, over, l.product(rest, shifted))), "+", reduce("max", over, l.written(u)))
		}
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

// variance is mean(x^2) - mean(x)^2, also with sums over an axis divided by its extent, sum(x^2) - sum(x)^2/n, and the covariance
// mean(x*z) - mean(x)*mean(z). The two may have other terms between them.
func variance(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "+" && b.Op != "-" {
		return nil
	}
	left, ok := l.termsUpTo(view{b.X, v.f}, maxTerms)
	if !ok {
		return nil
	}
	list, ok := l.termsUpTo(v, maxTerms)
	if !ok {
		return nil
	}
	for i, squares := range list {
		for j, square := range list {
			if squares.minus == square.minus || (i < len(left)) == (j < len(left)) {
				continue // where both are on one side, the finding is there
			}
			if r := l.spread(squares.v, square.v); r != nil {
				return l.withTerm(list, i, j, r)
			}
		}
	}
	return nil
}

// maxTerms is how many terms of a sum are looked at for two that belong together.
const maxTerms = 6

// withTerm is a sum with another expression in the place of the term at i, without that at j.
func (l *linter) withTerm(list []term, i, j int, e dsl.Expr) dsl.Expr {
	var r dsl.Expr
	for k, t := range list {
		if k == j {
			continue
		}
		x := e
		if k != i {
			x = l.written(t.v)
		}
		r = added(r, t.minus, x)
	}
	return r
}

// spread is what squares - square is, written as a mean, or sum, of products of differences; nil: it is none.
func (l *linter) spread(squares, square view) dsl.Expr {
	name := "mean"
	m, over, ok := l.mean(squares)
	if !ok {
		name = "sum"
		m, over, ok = l.reduced(squares, "sum")
	}
	if !ok || over != nil && !axesAlone(over) && variable(over) == "" {
		return nil
	}
	off := func(x view) dsl.Expr { return join(l.written(x), "-", l.inner("mean", over, x)) }
	if x, ok := l.squared(m); ok {
		y, also, ok := l.squareOfMean(square, name)
		if !ok || !l.same(x, y) || bracketText(over) != bracketText(also) {
			return nil
		}
		return reduce(name, over, join(off(x), "^", numeral("2")))
	}
	x, z, ok := l.binary(m, "*")
	if !ok || name != "mean" {
		return nil
	}
	p, q, ok := l.binary(square, "*")
	if !ok {
		return nil
	}
	y, also, ok1 := l.mean(p)
	w, third, ok2 := l.mean(q)
	if !ok1 || !ok2 || bracketText(over) != bracketText(also) || bracketText(over) != bracketText(third) {
		return nil
	}
	if !(l.same(x, y) && l.same(z, w)) && !(l.same(x, w) && l.same(z, y)) {
		return nil
	}
	return reduce("mean", over, join(off(x), "*", off(z)))
}

// mean gives the argument of a mean, also of sum[D](x)/D.
func (l *linter) mean(v view) (arg view, over *dsl.Bracket, ok bool) {
	if arg, over, ok = l.reduced(v, "mean"); ok {
		return arg, over, ok
	}
	x, y, ok := l.binary(v, "/")
	if !ok {
		return view{}, nil, false
	}
	arg, over, ok = l.reduced(x, "sum")
	return arg, over, ok && l.isExtent(y, over)
}

// squareOfMean gives x of mean(x)^2, and for a sum of squares of sum(x)^2/n and n*mean(x)^2.
func (l *linter) squareOfMean(v view, name string) (arg view, over *dsl.Bracket, ok bool) {
	if name == "mean" {
		m, ok := l.squared(v)
		if !ok {
			return view{}, nil, false
		}
		return l.mean(m)
	}
	if s, n, ok := l.binary(v, "/"); ok {
		if t, ok := l.squared(s); ok {
			arg, over, ok = l.reduced(t, "sum")
			return arg, over, ok && l.isExtent(n, over)
		}
	}
	if x, y, ok := l.binary(v, "*"); ok {
		for _, p := range [][2]view{{x, y}, {y, x}} {
			if m, ok := l.squared(p[1]); ok {
				if arg, over, ok = l.mean(m); ok && l.isExtent(p[0], over) {
					return arg, over, true
				}
			}
		}
	}
	return view{}, nil, false
}

// isExtent tells whether an expression is the extent of the one axis in brackets.
func (l *linter) isExtent(v view, over *dsl.Bracket) bool {
	r, is := l.see(v).e.(*dsl.Ref)
	if !is || !isBare(r) || over == nil || len(over.Items) != 1 || over.Where != nil {
		return false
	}
	axis, is := over.Items[0].Value.(*dsl.Ref)
	return is && isUpper(r.Name.Name) && axis.Name.Name == r.Name.Name && over.Items[0].AxisPack == nil
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
