package check

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// maxParts bounds how many parts of expressions an op may have once funcs are inlined, over all of its choices.
const maxParts = 1 << 19

// expr lowers an expression where it stands. An error gives bad; so does an absent value under a guard.
func (l *lowering) expr(x dsl.Expr, e *env) *ir.Value {
	if x == nil {
		return bad
	}
	if l.root.parts++; l.root.parts > maxParts {
		if l.root.parts == maxParts+1 {
			l.errorf(site{l.root.decl.Name.Span, nil}, "op-large", "%s becomes too large once funcs are inlined", quote(l.root.decl.Name.Name))
		}
		return bad
	}
	v := l.expr1(x, e)
	if v != bad && !v.Span.Start.IsValid() && (v.Op > ir.OpFalse || v.Op == ir.OpConst) {
		c := *v
		c.Span = x.Pos()
		return &c
	}
	return v
}

// maxWritten bounds how many parts a let may have that is written out where it is read, with the lets that it reads: numbers of a call are
// computed where they are needed, and messages show them.
const maxWritten = 1 << 10

// written counts the parts of a value that is written out.
func (l *lowering) written(v *ir.Value) int {
	n, ok := l.root.written[v]
	if !ok {
		n = 1
		for _, a := range v.Args {
			n = min(n+l.written(a), maxWritten+1)
		}
		if l.root.written == nil {
			l.root.written = map[*ir.Value]int{}
		}
		l.root.written[v] = n
	}
	return n
}

func (l *lowering) expr1(x dsl.Expr, e *env) *ir.Value {
	switch x := x.(type) {
	case *dsl.Number:
		if v := numberOf(x); v != nil {
			return v
		}
		l.errorf(e.at(x), "number", "%s is out of reach", x.Text)
		return bad
	case *dsl.Paren:
		return l.expr(x.X, e)
	case *dsl.Ref:
		return l.ref(x, e)
	case *dsl.Call:
		return l.call(x, e)
	case *dsl.Unary:
		return l.unary(x, e)
	case *dsl.Binary:
		return l.binary(x, e)
	case *dsl.If:
		return l.ifElse(x, e)
	case *dsl.Alt:
		return l.alt(x, e)
	case *dsl.Tuple:
		l.errorf(e.at(x), "index-list", "a list is no number").
			WithHint("a list stands in a call, for an attribute that is one; write a number, or choose one with `if`")
	}
	return bad
}

// maxExponent bounds the decimal exponents of literals; doubles end long before.
const maxExponent = 5000

// numberOf is a literal, exactly; nil: it is too long to be.
func numberOf(x *dsl.Number) *ir.Value {
	if _, exp, has := strings.Cut(strings.ToLower(x.Text), "e"); has {
		if n, err := strconv.Atoi(exp); err != nil || n > maxExponent || n < -maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(x.Text)
	if !ok {
		return nil
	}
	return ir.Const(r)
}

// arithmetic are the signs that compute.
var arithmetic = map[string]ir.Op{
	"+": ir.OpAdd, "-": ir.OpSub, "*": ir.OpMul, "/": ir.OpDiv, "%": ir.OpMod, "^": ir.OpPow,
}

// comparison are the signs that compare; > and >= swap their sides.
var comparison = map[string]ir.Op{
	"==": ir.OpEq, "!=": ir.OpNe, "<": ir.OpLt, "<=": ir.OpLe, ">": ir.OpLt, ">=": ir.OpLe,
}

func (l *lowering) unary(x *dsl.Unary, e *env) *ir.Value {
	if x.Op == "!" {
		c := l.condition(x.X, e)
		if isBad(c) {
			return bad
		}
		return ir.Not(c)
	}
	v := l.expr(x.X, e)
	if v.Const != nil && v.Const.Sign() == 0 {
		l.warnf(e.at(x), "minus-zero", "-0 is 0: an exact number has no zero with a sign").WithHint("copysign(0, -1) is the float -0")
	}
	return l.apply(e.at(x), ir.OpNeg, "`-`", v)
}

func (l *lowering) binary(x *dsl.Binary, e *env) *ir.Value {
	switch x.Op {
	case "&&", "||":
		return l.logic(x, e)
	case "==", "!=":
		if v := l.compareWords(x, e); v != nil {
			return v
		}
	}
	a, b := l.expr(x.X, e), l.expr(x.Y, e)
	if isBad(a, b) {
		return bad
	}
	at := site{x.Span, e}
	if op, is := arithmetic[x.Op]; is {
		if op == ir.OpPow {
			return l.power(at, a, b)
		}
		return l.apply(at, op, quote(x.Op), a, b)
	}
	if x.Op == ">" || x.Op == ">=" {
		a, b = b, a
	}
	return l.compare(at, comparison[x.Op], quote(x.Op), a, b)
}

// logic is && and ||, whose right side is not evaluated where the left one decides.
func (l *lowering) logic(x *dsl.Binary, e *env) *ir.Value {
	decides, join := ir.OpFalse, ir.And
	if x.Op == "||" {
		decides, join = ir.OpTrue, ir.Or
	}
	a := l.condition(x.X, e)
	if a.Op == decides {
		return a
	}
	right := e
	if !isBad(a) && !isUniform(a) {
		c := a
		if x.Op == "||" {
			c = ir.Not(a)
		}
		right = e.under(c)
	}
	b := l.guarded(x.Y, right, func(g *ir.Value) *ir.Value {
		// What the right side needs to be there is needed only where it is evaluated.
		if x.Op == "||" {
			return ir.Or(a, g)
		}
		return ir.Or(ir.Not(a), g)
	}, l.condition)
	if isBad(a, b) {
		return bad
	}
	if b.Op == decides {
		return b // a static side decides, whichever it is
	}
	return join(a, b)
}

// guarded lowers a part that is not always evaluated: the conditions under which it is there pass through change.
func (l *lowering) guarded(x dsl.Expr, e *env, change func(*ir.Value) *ir.Value, lower func(dsl.Expr, *env) *ir.Value) *ir.Value {
	if e.guard == nil {
		return lower(x, e)
	}
	g := &guard{}
	v := lower(x, e.with(func(n *env) { n.guard = g }))
	switch {
	case g.absent:
		e.guard.conds = append(e.guard.conds, change(ir.False))
		if isBad(v) {
			e.guard.absent = true
		}
	case len(g.conds) > 0:
		e.guard.conds = append(e.guard.conds, change(ir.And(g.conds...)))
	}
	return v
}

// condition lowers what must be a condition.
func (l *lowering) condition(x dsl.Expr, e *env) *ir.Value {
	v := l.expr(x, e)
	if !isBad(v) && v.Type.Kind != ir.Bool {
		d := l.errorf(e.at(x), "type-condition", "expected a condition, found %s", l.typeText(v)).WithHint("compare it: … != 0")
		if id := bareName(x); id != nil && !e.closed {
			if t := l.sig.find(id.Name); t != nil && t.param.Optional {
				d.WithHint("whether it is there is has(%s)", id.Name)
			}
		}
		return bad
	}
	return v
}

// side is an operand of a comparison of words.
type side struct {
	attr *attribute // an enum attribute of the op
	word string
	decl *ir.EnumDecl // the enum that a word is of, where that is known
}

// wordSide resolves an enum attribute, through the parameters of funcs and called ops.
func (l *lowering) wordSide(x dsl.Expr, e *env) *side {
	id := bareName(x)
	if id == nil {
		return nil
	}
	if c := e.params[id.Name]; c != nil {
		if c.decl != nil && c.decl.Kind == ir.AttrEnum {
			if s := l.wordSide(c.expr, c.env); s != nil && s.attr != nil {
				return s
			}
			return &side{word: bareName(c.expr).Name, decl: c.decl.Enum}
		}
		return l.wordSide(c.expr, c.env)
	}
	if e.closed {
		return nil
	}
	if a := l.sig.attr(id.Name); a != nil && a.decl.Kind == ir.AttrEnum {
		return &side{attr: a, decl: a.decl.Enum}
	}
	return nil
}

// compareWords compares an enum with one of its words; nil: that isn't what stands there.
func (l *lowering) compareWords(x *dsl.Binary, e *env) *ir.Value {
	a, b := l.wordSide(x.X, e), l.wordSide(x.Y, e)
	if a == nil && b == nil {
		return nil
	}
	word := func(s *side, label dsl.Expr, other *side) (string, bool) {
		switch {
		case s == nil:
			id := bareName(label)
			if id == nil {
				l.errorf(e.at(label), "enum-word", "an enum is compared with one of its words").WithHint("its words are %s", strings.Join(other.decl.Words, ", "))
				return "", false
			}
			if !slices.Contains(other.decl.Words, id.Name) {
				suggest(l.errorf(e.at(label), "enum-word", "%s is no value of the enum %s", quote(id.Name), quote(other.decl.Name)), id.Name, other.decl.Words)
				return "", false
			}
			return id.Name, true
		case s.attr != nil:
			return l.word(s.attr), true
		}
		return s.word, true
	}
	wa, ok := word(a, x.X, b)
	if !ok {
		return bad
	}
	wb, ok := word(b, x.Y, a)
	if !ok {
		return bad
	}
	return boolean((wa == wb) == (x.Op == "=="))
}

func boolean(b bool) *ir.Value {
	if b {
		return ir.True
	}
	return ir.False
}

// ifElse lowers an if. A static condition takes one side, whatever the other is; a uniform one makes a choice, unless
// both sides are numbers without a dtype that cost nothing to choose between.
func (l *lowering) ifElse(x *dsl.If, e *env) *ir.Value {
	c := l.condition(x.Cond, e)
	if isBad(c) {
		// Both sides are looked at all the same, for their errors.
		l.expr(x.Then, e)
		l.expr(x.Else, e)
		return bad
	}
	if c.Op != ir.OpTrue && c.Op != ir.OpFalse && isUniform(c) && !e.host {
		if v := l.plainIf(x, c, e); v != nil {
			return v
		}
		if e.comp == 0 { // one for each axis of a pack would make many variants
			c = boolean(l.holds(c))
		}
	}
	switch c.Op {
	case ir.OpTrue:
		return l.expr(x.Then, e)
	case ir.OpFalse:
		return l.expr(x.Else, e)
	}
	not := ir.Not(c)
	a := l.guarded(x.Then, e.under(c), func(g *ir.Value) *ir.Value { return ir.Or(not, g) }, l.expr)
	b := l.guarded(x.Else, e.under(not), func(g *ir.Value) *ir.Value { return ir.Or(c, g) }, l.expr)
	if isBad(a, b) {
		return bad
	}
	return l.choice(e.at(x), c, a, b, x.Then, x.Else)
}

// plainIf is an if between numbers without a dtype, made of literals, attributes and extents by arithmetic alone: as a value,
// it saves a variant. It is nil where a side is anything else.
func (l *lowering) plainIf(x *dsl.If, c *ir.Value, e *env) *ir.Value {
	if e.guard != nil || !plain(x.Then) || !plain(x.Else) {
		return nil
	}
	sides := []*ir.Value{l.expr(x.Then, e.under(c)), l.expr(x.Else, e.under(ir.Not(c)))}
	for _, s := range sides {
		if isBad(s) || s.Type.Kind != ir.Exact && s.Type.Kind != ir.Real || len(ir.Reads(s)) > 0 {
			return nil
		}
	}
	return l.choice(e.at(x), c, sides[0], sides[1], x.Then, x.Else)
}

// plain tells whether an expression is names and literals with operators between them.
func plain(x dsl.Expr) bool {
	only := true
	dsl.Inspect(x, func(n any) bool {
		switch n := n.(type) {
		case *dsl.Number, *dsl.Binary, *dsl.Unary, *dsl.Paren:
		case *dsl.Ref:
			only = only && n.Index == nil && n.Package == nil && !n.Cotangent && !n.Prime
		default:
			only = false
		}
		return only
	})
	return only
}

// choice is a select whose sides take one type.
func (l *lowering) choice(at site, c, a, b *ir.Value, ax, bx dsl.Expr) *ir.Value {
	if (a.Type.Kind == ir.Bool) != (b.Type.Kind == ir.Bool) {
		l.errorf(at, "type-branches", "the sides differ: one is %s, the other %s", l.typeText(a), l.typeText(b)).
			WithNote(ax.Pos(), "%s", l.typeText(a)).WithNote(bx.Pos(), "%s", l.typeText(b))
		return bad
	}
	if a.Type.Kind != ir.Bool {
		args, ok := l.meet(at, "a choice", chosen, a, b)
		if !ok {
			return bad
		}
		a, b = args[0], args[1]
	}
	return l.build(at, ir.OpSelect, c, a, b)
}

// pick is one alternative of ??.
type pick struct {
	v    *ir.Value
	need *ir.Value // when it is there
	from dsl.Expr
}

// alt is a ?? b: the first that is there.
func (l *lowering) alt(x *dsl.Alt, e *env) *ir.Value {
	var picks []pick
	under, failed := e, false
	for _, a := range x.Alts {
		g := &guard{}
		inner := under.with(func(n *env) { n.guard = g })
		v := l.expr(a, inner)
		if g.absent {
			continue
		}
		failed = failed || isBad(v)
		need := ir.And(g.conds...)
		picks = append(picks, pick{v, need, a})
		if need.Op == ir.OpTrue {
			break
		}
		under = under.under(ir.Not(need))
	}
	switch {
	case failed:
		return bad
	case len(picks) == 0 && e.guard == nil && e.host && l.leftOut(x, e):
		return bad
	case len(picks) == 0:
		// None is ever there, which is what the last one says.
		return l.expr(x.Alts[len(x.Alts)-1], e)
	}
	n := len(picks) - 1
	if picks[n].need.Op != ir.OpTrue && e.guard != nil {
		// No alternative is always there: what stands around knows when one is. Without it, an element that has none
		// is an error of the call.
		any := make([]*ir.Value, len(picks))
		for k, p := range picks {
			any[k] = p.need
		}
		e.guard.conds = append(e.guard.conds, ir.Or(any...))
	}
	v := picks[n].v
	for k := n - 1; k >= 0 && !isBad(v); k-- {
		v = l.choice(e.at(x), picks[k].need, picks[k].v, v, picks[k].from, picks[k+1].from)
	}
	return v
}
