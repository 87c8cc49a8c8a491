package pass

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// term is coef · Π num / Π den.
type term struct {
	coef     *big.Rat
	num, den []*ir.Value
}

func unit() term { return term{coef: big.NewRat(1, 1)} }

func (t term) times(o term) term {
	return term{new(big.Rat).Mul(t.coef, o.coef), append(slices.Clone(t.num), o.num...), append(slices.Clone(t.den), o.den...)}
}

// over is t / o; o has no coefficient of zero.
func (t term) over(o term) term {
	return term{new(big.Rat).Quo(t.coef, o.coef), append(slices.Clone(t.num), o.den...), append(slices.Clone(t.den), o.num...)}
}

func (t term) negated() term {
	t.coef = new(big.Rat).Neg(t.coef)
	return t
}

// factors takes a product apart: constants, products, quotients and negations. Anything else is one factor.
func factors(v *ir.Value) term {
	if c := ir.ConstOf(v); c != nil && c.Sign() != 0 {
		return term{coef: c}
	}
	switch v.Op {
	case ir.OpMul:
		return factors(v.Args[0]).times(factors(v.Args[1]))
	case ir.OpDiv:
		return factors(v.Args[0]).over(factors(v.Args[1]))
	case ir.OpNeg:
		return factors(v.Args[0]).negated()
	}
	return term{coef: big.NewRat(1, 1), num: []*ir.Value{v}}
}

// key is equal for terms that differ in their coefficients alone.
func (t term) key(num *ir.Numbering) string {
	var b strings.Builder
	for _, list := range [][]*ir.Value{t.num, t.den} {
		ids := make([]int, len(list))
		for i, v := range list {
			ids[i] = num.ID(v)
		}
		slices.Sort(ids)
		fmt.Fprint(&b, ids)
	}
	return b.String()
}

// collect adds up terms that differ in their coefficients alone, in order of appearance.
func collect(ts []term, num *ir.Numbering) []term {
	at := map[string]int{}
	var r []term
	for _, t := range ts {
		k := t.key(num)
		if i, ok := at[k]; ok {
			r[i].coef = new(big.Rat).Add(r[i].coef, t.coef)
			continue
		}
		at[k] = len(r)
		r = append(r, t)
	}
	return slices.DeleteFunc(r, func(t term) bool { return t.coef.Sign() == 0 })
}

// common takes out the factors that all terms share.
func common(ts []term, num *ir.Numbering) (term, []term) {
	shared := unit()
	rest := make([]term, len(ts))
	for i, t := range ts {
		rest[i] = term{t.coef, slices.Clone(t.num), slices.Clone(t.den)}
	}
	if len(ts) < 2 {
		return shared, rest
	}
	part := func(list func(*term) *[]*ir.Value) {
		for _, v := range slices.Clone(*list(&rest[0])) {
			at := make([]int, len(rest))
			for i := range rest {
				at[i] = slices.IndexFunc(*list(&rest[i]), func(x *ir.Value) bool { return num.Equal(x, v) })
			}
			if slices.Min(at) < 0 {
				continue
			}
			for i := range rest {
				l := list(&rest[i])
				*l = slices.Delete(*l, at[i], at[i]+1)
			}
			l := list(&shared)
			*l = append(*l, v)
		}
	}
	part(func(t *term) *[]*ir.Value { return &t.num })
	part(func(t *term) *[]*ir.Value { return &t.den })
	return shared, rest
}

// builder makes values of terms. What changes less often is computed first: factors without variables, then those of
// the outer variables, so that the inner loops multiply by numbers of the outer ones. Divisors that may be anything
// are an exception, see late.
type builder struct {
	depth  map[*ir.Var]int
	levels map[*ir.Value]int
	num    *ir.Numbering
	zero   *ir.Value
	linear func(*ir.Value) bool // depends on cotangents
	tame   func(*ir.Value) bool // has a reciprocal that doesn't overflow
	given  func(*ir.Value) bool // is as the caller gave it
}

// level is the depth of the innermost variable in a value; -1: there is none.
func (b *builder) level(v *ir.Value) int {
	l, ok := b.levels[v]
	if !ok {
		if l = -1; v.Op == ir.OpIndex {
			l = b.depth[v.Var]
		}
		for _, a := range v.Args {
			l = max(l, b.level(a))
		}
		b.levels[v] = l
	}
	return l
}

// late tells whether a divisor has to wait for the factors of the innermost variable: computed before, its reciprocal,
// or what the outer factors give divided by it, may overflow where the whole does not. Divisors that the function
// computed divide outer factors where there are some, as they do in the chain rule.
func (b *builder) late(v *ir.Value, outer bool) bool {
	return !b.tame(v) && (!outer || b.given(v))
}

// product is the value of a term without the sign of its coefficient. Late divisors divide the part of the derivative
// that stands with them, before cotangents come in: in e/beta*@y neither @y/beta nor @y*e is computed.
func (b *builder) product(t term) *ir.Value {
	top, bottom := -1, len(b.depth) // levels of the numerator
	for _, v := range t.num {
		top, bottom = max(top, b.level(v)), min(bottom, b.level(v))
	}
	var late, inner, rest []*ir.Value
	den := slices.DeleteFunc(slices.Clone(t.den), func(v *ir.Value) bool {
		wait := b.level(v) < top && b.late(v, bottom <= b.level(v))
		if wait {
			late = append(late, v)
		}
		return wait
	})
	num := t.num
	if len(late) > 0 {
		num = nil
		for _, v := range t.num {
			switch {
			case b.level(v) < top:
				num = append(num, v)
			case b.linear(v):
				rest = append(rest, v)
			default:
				inner = append(inner, v)
			}
		}
		if len(inner) == 0 {
			inner, rest = rest, nil
		}
		q := b.ordered(term{big.NewRat(1, 1), inner, nil})
		for _, v := range late {
			q = ir.Div(q, v)
		}
		num = append(append(num, q), rest...)
	}
	return b.ordered(term{t.coef, num, den})
}

// ordered multiplies and divides level by level.
func (b *builder) ordered(t term) *ir.Value {
	levels := map[int]bool{}
	for _, list := range [][]*ir.Value{t.num, t.den} {
		for _, v := range list {
			levels[b.level(v)] = true
		}
	}
	var order []int
	for l := range levels {
		order = append(order, l)
	}
	slices.Sort(order)
	c := ir.Cast(ir.Const(new(big.Rat).Abs(t.coef)), b.zero.Type)
	acc := c
	one := ir.IsConst(c, 1)
	for _, l := range order {
		for _, v := range t.num {
			switch {
			case b.level(v) != l:
			case one:
				acc, one = v, false
			default:
				acc = ir.Mul(acc, v)
			}
		}
		for _, v := range t.den {
			if b.level(v) == l {
				acc, one = ir.Div(acc, v), false
			}
		}
	}
	return acc
}

// sum is the value of a sum of terms.
func (b *builder) sum(ts []term) *ir.Value {
	ts = collect(ts, b.num)
	if len(ts) == 0 {
		return b.zero
	}
	shared, rest := common(ts, b.num)
	// A sum starts with a term that is added, if there is one.
	if i := slices.IndexFunc(rest, func(t term) bool { return t.coef.Sign() > 0 }); i > 0 {
		first := rest[i]
		rest = slices.Insert(slices.Delete(rest, i, i+1), 0, first)
	}
	var s *ir.Value
	for i, t := range rest {
		p := b.product(t)
		switch {
		case i == 0 && t.coef.Sign() < 0:
			s = ir.Neg(p)
		case i == 0:
			s = p
		case t.coef.Sign() < 0:
			s = ir.Sub(s, p)
		default:
			s = ir.Add(s, p)
		}
	}
	// Divisors that wait divide the sum.
	bottom := len(b.depth)
	for _, v := range shared.num {
		bottom = min(bottom, b.level(v))
	}
	whole := len(shared.num) == 0 && b.innermost(shared.den)
	shared.den = slices.DeleteFunc(shared.den, func(v *ir.Value) bool {
		wait := whole || b.level(v) < len(b.depth)-1 && b.late(v, bottom <= b.level(v))
		if wait {
			s = ir.Div(s, v)
		}
		return wait
	})
	if len(shared.num)+len(shared.den) == 0 {
		return s
	}
	return ir.Mul(b.product(shared), s)
}

// innermost tells whether all the values change with the innermost variable.
func (b *builder) innermost(vs []*ir.Value) bool {
	for _, v := range vs {
		if b.level(v) < len(b.depth)-1 {
			return false
		}
	}
	return true
}
