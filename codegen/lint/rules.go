package lint

import (
	"github.com/opgen/opgen/dsl"
)

// rule is one kind of formula that arithmetic of floats treats badly.
type rule struct {
	Code string
	why  string
	find func(l *linter, v view, at place) dsl.Expr // what to write instead; nil: nothing is wrong
}

// rules are tried in this order: what is more special comes first.
var rules []rule

func init() {
	rules = []rule{
		{Code: "lint-log-softmax", why: "the quotient underflows, and its logarithm is -inf", find: logSoftmax},
		{Code: "lint-softmax", why: "`exp` overflows where its argument is large: the greatest is not subtracted", find: softmax},
		{Code: "lint-softmax", why: "`exp` overflows where its argument is large: the greatest is not subtracted", find: softmaxMean},
		{Code: "lint-logsumexp", why: "`exp` overflows where its argument is large, and underflows where it is small", find: logSumExp},
		{Code: "lint-softplus", why: "`exp` overflows, and 1 absorbs what is small", find: softplus},
		{Code: "lint-log-sigmoid", why: "the logarithm is -inf where the sigmoid underflows, and 1 - sigmoid rounds to 0", find: logSigmoid},
		{Code: "lint-log1p", why: "what is added to 1 loses the digits that are far below it", find: log1p},
		{Code: "lint-sigmoid", why: "digits are lost where the sigmoid is near 1, or `exp` overflows", find: sigmoid},
		{Code: "lint-tanh", why: "`exp` overflows, and the difference loses digits near 0", find: tanh},
		{Code: "lint-expm1", why: "the difference loses the digits of `exp` near 0", find: expm1},
		{Code: "lint-erfc", why: "the difference loses all digits where the function is near 1", find: erfc},
		{Code: "lint-cos", why: "the difference loses all digits where the cosine is near 1", find: versine},
		{Code: "lint-variance", why: "the difference of two large numbers loses the digits of a small variance, and may be negative", find: variance},
		{Code: "lint-norm", why: "squares overflow and underflow, and the derivative at 0 is not finite", find: norm},
		{Code: "lint-hypot", why: "squares overflow and underflow, and the derivative at 0 is not finite", find: hypot},
		{Code: "lint-gradient", why: "the value is finite where its argument is 0, and the derivative is not", find: gradient},
		{Code: "lint-xlogy", why: "0 times the infinite logarithm of 0 is NaN", find: xlogy},
		{Code: "lint-exp", why: "each `exp` overflows or underflows where the result doesn't", find: expProduct},
	}
}

// log1p is log(1 + e) and log(1 - e), also to the bases 2 and 10, and log((1 + e)/(1 - e)).
func log1p(l *linter, v view, _ place) dsl.Expr {
	for _, base := range []string{"", "2", "10"} {
		e, ok := l.ownCall(v, "log"+base)
		if !ok {
			continue
		}
		rest, ok := l.besideOne(l.terms(e))
		if x, y, quotient := l.binary(e, "/"); quotient && base == "" {
			up, ok1 := l.besideOne(l.terms(x))
			down, ok2 := l.besideOne(l.terms(y))
			if ok1 && ok2 {
				return join(apply("log1p", l.sum(up)), "-", apply("log1p", l.sum(down)))
			}
		}
		switch {
		case !ok:
			return nil
		case base == "":
			return apply("log1p", l.sum(rest))
		}
		return join(apply("log1p", l.sum(rest)), "/", apply("log", numeral(base)))
	}
	return nil
}

// ownCall is the argument of a call that is written here.
func (l *linter) ownCall(v view, name string) (view, bool) {
	c, is := v.e.(*dsl.Call)
	if !is || !isBuiltin(c, name) {
		return view{}, false
	}
	return l.call(v, name)
}

// besideOne gives the terms of a list beside a 1; false: there is none, or nothing beside it.
func (l *linter) besideOne(list []term) ([]term, bool) {
	for i, t := range list {
		if !t.minus && l.is(t.v, 1, 1) && len(list) > 1 {
			rest := append(append([]term{}, list[:i]...), list[i+1:]...)
			for _, t := range rest {
				if l.number(t.v) != nil {
					return nil, false
				}
			}
			return rest, true
		}
	}
	return nil, false
}

// onePlus gives e of 1 + e.
func (l *linter) onePlus(v view) (view, bool) { return l.onlyBesideOne(v, false) }

// oneMinus gives e of 1 - e.
func (l *linter) oneMinus(v view) (view, bool) { return l.onlyBesideOne(v, true) }

func (l *linter) onlyBesideOne(v view, minus bool) (view, bool) {
	list, ok := l.termsUpTo(v, 2)
	if !ok {
		return view{}, false
	}
	rest, ok := l.besideOne(list)
	if !ok || len(rest) != 1 || rest[0].minus != minus {
		return view{}, false
	}
	return rest[0].v, true
}

// softplus is log(1 + exp(e)).
func softplus(l *linter, v view, _ place) dsl.Expr {
	for _, name := range []string{"log", "log1p"} {
		e, ok := l.ownCall(v, name)
		if ok && name == "log" {
			e, ok = l.onePlus(e)
		}
		if !ok {
			continue
		}
		if u, ok := l.call(e, "exp"); ok {
			return apply("softplus", l.written(u))
		}
	}
	return nil
}

// sigmoidOf gives e of sigmoid(e), 1/(1 + exp(-e)) and exp(e)/(1 + exp(e)).
func (l *linter) sigmoidOf(v view) (dsl.Expr, bool) {
	if e, ok := l.call(v, "sigmoid"); ok {
		return l.written(e), true
	}
	x, y, ok := l.binary(v, "/")
	if !ok {
		return nil, false
	}
	e, ok := l.onePlus(y)
	if !ok {
		return nil, false
	}
	u, ok := l.call(e, "exp")
	switch {
	case !ok:
		return nil, false
	case l.is(x, 1, 1):
		return minus(l.written(u)), true
	case l.same(x, e):
		return l.written(u), true
	}
	return nil, false
}

// logSigmoid is log(sigmoid(e)) and log(1 - sigmoid(e)).
func logSigmoid(l *linter, v view, _ place) dsl.Expr {
	e, ok := l.ownCall(v, "log")
	if !ok {
		return nil
	}
	if u, ok := l.sigmoidOf(e); ok {
		return apply("log_sigmoid", u)
	}
	if r, ok := l.oneMinus(e); ok {
		if u, ok := l.sigmoidOf(r); ok {
			return apply("log_sigmoid", minus(u))
		}
	}
	return nil
}

// sigmoid is 1 - sigmoid(e), and a sigmoid by hand. What is named by a let is left alone: gates read it twice on purpose.
func sigmoid(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is {
		return nil
	}
	if b.Op == "/" {
		if u, ok := l.sigmoidOf(v); ok {
			return apply("sigmoid", u)
		}
	}
	if b.Op == "-" && l.is(view{b.X, v.f}, 1, 1) && isCall(b.Y) {
		if u, ok := l.sigmoidOf(view{b.Y, v.f}); ok {
			return apply("sigmoid", minus(u))
		}
	}
	return nil
}

func isCall(e dsl.Expr) bool {
	if p, is := e.(*dsl.Paren); is {
		return isCall(p.X)
	}
	_, is := e.(*dsl.Call)
	return is
}

// expDifference gives e of exp(e) - exp(-e), or with plus of exp(e) + exp(-e).
func (l *linter) expDifference(v view, op string) (view, bool) {
	x, y, ok := l.binary(v, op)
	if !ok {
		return view{}, false
	}
	a, ok1 := l.call(x, "exp")
	b, ok2 := l.call(y, "exp")
	if !ok1 || !ok2 {
		return view{}, false
	}
	n, ok := l.negated(b)
	return a, ok && l.same(a, n)
}

// tanh is (exp(e) - exp(-e))/(exp(e) + exp(-e)), and sinh half of the upper side.
func tanh(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "/" {
		return nil
	}
	e, ok := l.expDifference(view{b.X, v.f}, "-")
	if !ok {
		return nil
	}
	if l.is(view{b.Y, v.f}, 2, 1) {
		return apply("sinh", l.written(e))
	}
	if f, ok := l.expDifference(view{b.Y, v.f}, "+"); ok && l.same(e, f) {
		return apply("tanh", l.written(e))
	}
	return nil
}

// expm1 is exp(e) - 1, 1 - exp(e) and c*exp(e) - c.
func expm1(l *linter, v view, _ place) dsl.Expr {
	if _, is := v.e.(*dsl.Binary); !is {
		return nil
	}
	list, ok := l.termsUpTo(v, 2)
	if !ok || len(list) != 2 {
		return nil
	}
	for i, t := range list {
		by, of, ok := l.scaled(t.v)
		if !ok {
			continue
		}
		e, ok := l.call(of, "exp")
		same := l.number(list[1-i].v)
		if !ok || list[1-i].minus == t.minus || same == nil || same.Sign() <= 0 || same.Cmp(by) != 0 {
			continue
		}
		r := apply("expm1", l.written(e))
		if !l.is(list[1-i].v, 1, 1) {
			r = join(l.written(list[1-i].v), "*", r)
		}
		if t.minus {
			r = minus(r)
		}
		return r
	}
	return nil
}

// erfc is 1 - erf(e) and 1 - erfc(e).
func erfc(l *linter, v view, _ place) dsl.Expr {
	if _, is := v.e.(*dsl.Binary); !is {
		return nil
	}
	e, ok := l.oneMinus(v)
	if !ok {
		return nil
	}
	for from, name := range map[string]string{"erf": "erfc", "erfc": "erf"} {
		if u, ok := l.call(e, from); ok {
			return apply(name, l.written(u))
		}
	}
	return nil
}

// versine is 1 - cos(e) = 2 sin²(e/2).
func versine(l *linter, v view, _ place) dsl.Expr {
	if _, is := v.e.(*dsl.Binary); !is {
		return nil
	}
	e, ok := l.oneMinus(v)
	if !ok {
		return nil
	}
	u, ok := l.call(e, "cos")
	if !ok {
		return nil
	}
	half := join(l.written(u), "/", numeral("2"))
	return join(numeral("2"), "*", join(apply("sin", half), "^", numeral("2")))
}

// expProduct is exp(a)*exp(b) and exp(a)/exp(b).
func expProduct(l *linter, v view, _ place) dsl.Expr {
	b, is := v.e.(*dsl.Binary)
	if !is || b.Op != "*" && b.Op != "/" {
		return nil
	}
	x, ok1 := l.call(view{b.X, v.f}, "exp")
	y, ok2 := l.call(view{b.Y, v.f}, "exp")
	if !ok1 || !ok2 {
		return nil
	}
	op := map[string]string{"*": "+", "/": "-"}[b.Op]
	return apply("exp", join(l.written(x), op, l.written(y)))
}
