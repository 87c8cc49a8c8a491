package docs

import (
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// writer writes the expressions of one op or func as they stand in its spec.
type writer struct {
	packs map[string]bool // names that stand for several axes or indices
	small bool            // within an index
	// What the text uses that a reader may not know; see notation.
	uses map[string]bool
	// called are the funcs and ops that are called, qualified as written, in order.
	called []string
}

func newWriter(node any, known map[string]bool) *writer {
	w := &writer{packs: map[string]bool{}, uses: known}
	dsl.Inspect(node, func(n any) bool {
		switch n := n.(type) {
		case *dsl.Op:
			for _, in := range n.Inputs {
				w.typePacks(in.Type.Axes)
			}
			for _, out := range n.Outputs {
				w.typePacks(out.Type.Axes)
			}
		case *dsl.Dim:
			w.pack(n.Name.Name, n.Pack)
		case *dsl.Item:
			if n.AxisPack != nil {
				w.pack(n.AxisPack.Name, true)
			}
			if r, is := n.Value.(*dsl.Ref); is && n.Pack && r.Index == nil && r.Package == nil {
				w.pack(r.Name.Name, true)
			}
		}
		return true
	})
	if op, is := node.(*dsl.Op); is { // attributes and lists of numbers are no indices
		for _, a := range op.Attrs {
			delete(w.packs, a.Name.Name)
		}
		for _, in := range op.Inputs {
			delete(w.packs, in.Name.Name)
		}
	}
	return w
}

func (w *writer) pack(name string, is bool) {
	if is {
		w.packs[name] = true
	}
}

func (w *writer) typePacks(axes []*dsl.Axis) {
	for _, a := range axes {
		w.pack(a.Name.Name, a.Pack)
		w.typePacks(a.Product)
	}
}

// name is a name in a formula.
func (w *writer) name(name string) string {
	if w.packs[name] {
		w.uses["pack"] = true
	}
	return symbol(name, w.packs[name])
}

// tensor is the symbol of a value: with a prime, or the bar of a cotangent.
func (w *writer) tensor(name string, prime, cotangent bool) string {
	s := w.name(name)
	if cotangent {
		s = barred(s)
	}
	if prime {
		s += "'"
	}
	return s
}

var signs = map[string]string{"==": "=", "!=": `\ne`, "<": "<", "<=": `\le`, ">": ">", ">=": `\ge`}

// constants are the words that are values.
var constants = map[string]string{"inf": `\infty`, "nan": `\mathrm{NaN}`, "pi": `\pi`, "true": `\mathrm{true}`, "false": `\mathrm{false}`}

// expr is an expression.
func (w *writer) expr(e dsl.Expr) term {
	switch e := e.(type) {
	case *dsl.Number:
		return numeral(e.Text)
	case *dsl.Ref:
		if c := constants[e.Name.Name]; c != "" && e.Package == nil && e.Index == nil {
			return atom(c)
		}
		return indexed(w.tensor(e.Name.Name, e.Prime, e.Cotangent), w.index(e.Index))
	case *dsl.Call:
		return w.call(e)
	case *dsl.Binary:
		return w.binary(e)
	case *dsl.Unary:
		if e.Op == "!" {
			return not(w.expr(e.X))
		}
		return negate(w.expr(e.X))
	case *dsl.Alt:
		w.uses["alt"] = true
		var list []string
		for _, a := range e.Alts {
			list = append(list, w.expr(a).within(bindsProduct).tex)
		}
		return term{tex: strings.Join(list, ` \mathbin{??} `), binds: bindsAlt}
	case *dsl.If:
		list := []branch{{w.expr(e.Then).tex, w.expr(e.Cond).tex}}
		rest := e.Else
		for {
			for p, is := rest.(*dsl.Paren); is; p, is = rest.(*dsl.Paren) {
				rest = p.X
			}
			next, is := rest.(*dsl.If)
			if !is {
				break
			}
			list = append(list, branch{w.expr(next.Then).tex, w.expr(next.Cond).tex})
			rest = next.Else
		}
		list = append(list, branch{value: w.expr(rest).tex})
		if len(list) > 2 {
			w.uses["cases"] = true
		}
		if w.small {
			return inline(list)
		}
		return cases(list)
	case *dsl.Paren:
		return w.expr(e.X)
	case *dsl.Tuple:
		return atom("(" + w.items(e.Items) + ")")
	}
	return term{}
}

// numeral is a number as written, powers of ten as such.
func numeral(text string) term {
	digits, exponent, is := strings.Cut(strings.ToLower(text), "e")
	if !is {
		return number(text)
	}
	ten := power(number("10"), number(strings.TrimPrefix(exponent, "+")))
	if digits == "1" {
		return ten
	}
	return multiply(number(digits), ten)
}

func (w *writer) binary(e *dsl.Binary) term {
	switch e.Op {
	case "&&", "||":
		var list []term
		var collect func(x dsl.Expr)
		collect = func(x dsl.Expr) {
			if b, is := x.(*dsl.Binary); is && b.Op == e.Op {
				collect(b.X)
				collect(b.Y)
				return
			}
			list = append(list, w.expr(x))
		}
		collect(e)
		if e.Op == "&&" {
			return both(list)
		}
		return either(list)
	}
	x, y := w.expr(e.X), w.expr(e.Y)
	switch e.Op {
	case "+", "-":
		return add(x, e.Op, y)
	case "*":
		return multiply(x, y)
	case "/":
		if w.small {
			return term{tex: x.within(bindsProduct).tex + "/" + y.within(bindsPower).tex, binds: bindsBig}
		}
		return divide(x, y)
	case "%":
		return apply("%", []term{x, y})
	case "^":
		return power(x, y)
	}
	return compare(signs[e.Op], x, y)
}

// call is a function, a reducer or a cast.
func (w *writer) call(e *dsl.Call) term {
	name := e.Name.Name
	if e.AccOf != nil { // in what it is computed is no matter of the formula
		return w.expr(e.Args[0].Value)
	}
	var args []term
	for _, a := range e.Args {
		args = append(args, w.item(a))
	}
	_, reducer := operators[name]
	reducer = (reducer || name == "norm") && e.Package == nil && (e.Index != nil || len(args) == 1)
	switch {
	case reducer:
		if len(args) > 1 {
			w.uses["at"] = true
		}
		return reduce(name, w.below(e.Index), args)
	case e.Package == nil && len(e.Named) == 0 && e.Index == nil && builtin[name]:
		return apply(name, args)
	case e.Package == nil && (name == "uniform" || name == "normal") && e.Index != nil:
		w.uses[name] = true
		return call(roman(name)+"_{"+w.items(e.Index.Items)+"}", args...)
	case e.Package == nil && isDType(name):
		w.uses["cast"] = true
		return call(roman(name), args...)
	}
	full := name
	if e.Package != nil {
		full = e.Package.Name + "." + name
	}
	w.called = append(w.called, full)
	f := roman(name)
	switch {
	case e.Index != nil && e.Index.Where != nil:
		f += "_{" + w.below(e.Index) + "}"
	case e.Index != nil:
		f += "_{" + w.items(e.Index.Items) + "}"
	}
	for _, n := range e.Named {
		args = append(args, term{tex: roman(n.Name.Name) + " = " + w.expr(n.Value).tex, binds: bindsAlt})
	}
	return call(f, args...)
}

// isDType tells whether a name that is called is that of a dtype, or of a variable for one.
func isDType(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' || ir.IsDType(name)
}

// builtin are the functions of the language.
var builtin = func() map[string]bool {
	m := map[string]bool{}
	for _, f := range strings.Fields(`abs sign sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
		atanh erf erfc erfcx erfinv lgamma digamma polygamma zeta bessel_j bessel_i bessel_ie sinc sigmoid log_sigmoid softplus floor ceil trunc round
		isnan isinf isfinite signbit max min fmax fmin clamp rem atan2 hypot copysign xlogy logaddexp fma has stop lowest highest epsilon ravel unravel`) {
		m[f] = true
	}
	return m
}()

// below is what stands under a reducer: what it goes over, and conditions.
func (w *writer) below(b *dsl.Bracket) string {
	if b == nil {
		return ""
	}
	defer func(was bool) { w.small = was }(w.small)
	w.small = true
	var plain, lines []string
	for _, i := range b.Items {
		if i.In {
			lines = append(lines, w.rangeOf(i))
		} else {
			plain = append(plain, w.item(i).tex)
		}
	}
	if plain != nil {
		lines = append([]string{strings.Join(plain, ", ")}, lines...)
	}
	if b.Where != nil {
		lines = append(lines, w.expr(b.Where).tex)
	}
	return stack(lines)
}

// rangeOf is k in a..b as inequalities, k in D as membership.
func (w *writer) rangeOf(i *dsl.Item) string {
	v := w.expr(i.Value).tex
	if i.To == nil {
		return v + ` \in ` + w.expr(i.From).tex
	}
	sign := "<"
	if i.Inclusive {
		sign = `\le`
	}
	return w.expr(i.From).within(bindsSum).tex + ` \le ` + v + " " + sign + " " + w.expr(i.To).within(bindsSum).tex
}

// index is what stands in the brackets behind a tensor.
func (w *writer) index(b *dsl.Bracket) string {
	if b == nil {
		return ""
	}
	defer func(was bool) { w.small = was }(w.small)
	w.small = true
	return w.items(b.Items)
}

func (w *writer) items(list []*dsl.Item) string {
	var texts []string
	for _, i := range list {
		texts = append(texts, w.item(i).tex)
	}
	return strings.Join(texts, ", ")
}

func (w *writer) item(i *dsl.Item) term {
	switch {
	case i.Star:
		w.uses["star"] = true
		return atom("*")
	case i.AxisPack != nil:
		return atom(w.name(i.AxisPack.Name))
	case i.In:
		return atom(w.rangeOf(i))
	case i.Pack:
		w.uses["pack"] = true
	}
	return w.expr(i.Value)
}
