package prove

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Cause looks for the likely reason why got is not want: a constant factor of sizes, attributes and numbers, a branch, a condition, a sum over
// an axis, or a term that is missing or too much.
// It returns "" where it finds none.
func Cause(vars []ir.ElemVar, defs []*ir.Def, got, want *ir.Tensor, isFloat func(*ir.Value) bool) string {
	cause := ""
	_ = catch(func() { // giving up leaves no cause
		n := newNormalizer(vars, defs...)
		n.almost = isFloat
		at := n.point(len(want.Axes))
		nameIndices(at, want.Axes)
		g, w := n.read(got, at), n.read(want, at)
		cause = n.factorCause(g, w, uniform)
		if cause == "" {
			cause = n.branchCause(g, w)
		}
		if cause == "" {
			cause = n.conditionCause(g, w)
		}
		if cause == "" {
			cause = n.sumCause(g, w)
		}
		if cause == "" {
			cause = n.factorCause(g, w, short)
		}
		if cause == "" {
			cause = n.termCause(g, w)
		}
	})
	return cause
}

// nameIndices names the indices of a point after its axes.
func nameIndices(at []*poly, axes []*ir.Axis) {
	have := map[string]int{}
	for i, p := range at {
		name := strings.ToLower(axes[i].Name)
		if have[name]++; have[name] > 1 {
			name += strconv.Itoa(have[name])
		}
		factorOf(p).name = name
	}
}

// factorCause finds r with r·got = want, of a kind.
func (r *ring) factorCause(got, want *poly, kind func(mono) bool) string {
	if got.isZero() {
		return "the formula is zero"
	}
	if want.isZero() {
		return "the derivative is zero"
	}
	first := got.terms[0]
	inv := mono{}
	for _, f := range first.mono {
		inv = append(inv, factor{f.atom, new(big.Rat).Neg(f.exp)})
	}
	for _, t := range want.terms {
		ratio := r.term(join(t.mono, inv), new(big.Rat).Quo(t.coef, first.coef))
		if kind(ratio.mono) && r.vanishes(r.sum(r.times(got, &poly{terms: []term{ratio}}), want, -1)) {
			return describe(ratio)
		}
	}
	return ""
}

// uniform tells whether a product is of sizes, attributes and numbers.
func uniform(m mono) bool {
	for _, f := range m {
		switch f.atom.kind {
		case kindSize, kindName:
		case kindPower:
			if slices.ContainsFunc(f.atom.args[0].terms, func(t term) bool { return !uniform(t.mono) }) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// short tells whether a product has few factors that a message can name, as what the chain rule gives.
func short(m mono) bool {
	return len(m) > 0 && len(m) <= maxNamed && !slices.ContainsFunc(m, func(f factor) bool { return f.atom.conditional() })
}

// conditional tells whether an atom is made of conditions or indices.
func (a *atom) conditional() bool {
	if a.kind == kindCond || a.kind == kindIndex {
		return true
	}
	inside := func(f factor) bool { return f.atom.conditional() }
	return slices.ContainsFunc(a.body, inside) || a.kind != kindRead && slices.ContainsFunc(a.args, func(p *poly) bool {
		return slices.ContainsFunc(p.terms, func(t term) bool { return slices.ContainsFunc(t.mono, inside) })
	})
}

// describe says what the formula must be multiplied with.
func describe(t term) string {
	c := new(big.Rat).Set(t.coef)
	sign := c.Sign() < 0
	c.Abs(c)
	var mul, div []string
	switch {
	case c.Num().Cmp(big.NewInt(1)) != 0:
		mul = append(mul, c.RatString())
	case !c.IsInt():
		div = append(div, c.Denom().String())
	}
	for _, f := range t.mono {
		name := f.atom.text()
		e := new(big.Rat).Abs(f.exp)
		switch {
		case f.atom.kind == kindPower && e.IsInt():
			p, negative := forward(f.atom.args[0])
			name, sign = "("+p.text()+")", sign != (negative && e.Num().Bit(0) == 1)
		case f.atom.isSign() && e.IsInt() && e.Num().Bit(0) == 1:
			e = one
		case f.atom.kind == kindSize:
			if name != "π" {
				name = "the number of elements along " + name
			}
		}
		if e.Cmp(one) != 0 {
			name += "^" + e.RatString()
		}
		if f.exp.Sign() > 0 {
			mul = append(mul, name)
		} else {
			div = append(div, name)
		}
	}
	if slices.Equal(mul, div) && len(mul) > 0 {
		return "the indices in " + strings.Join(mul, "·") + " are others than in the derivative"
	}
	var what []string
	if sign {
		what = append(what, "the sign is wrong")
	}
	if len(mul) > 0 {
		what = append(what, "a factor is missing: "+strings.Join(mul, "·"))
	}
	if len(div) > 0 {
		what = append(what, "a division is missing: by "+strings.Join(div, "·"))
	}
	return strings.Join(what, "; ")
}

// forward is p or -p, such that its first term that isn't a number has no minus, and whether it is -p.
func forward(p *poly) (*poly, bool) {
	for _, t := range p.terms {
		if len(t.mono) > 0 {
			if t.coef.Sign() < 0 {
				return scale(p, big.NewRat(-1, 1)), true
			}
			break
		}
	}
	return p, false
}

// maxNamed bounds the terms that a message names.
const maxNamed = 2

// termCause finds that all but a few terms are the same, and the rest stands on one side alone.
func (r *ring) termCause(got, want *poly) string {
	missing, extra := &poly{}, &poly{}
	for _, t := range r.sum(want, got, -1).terms {
		inGot, inWant := got.has(t.key), want.has(t.key)
		switch {
		case inWant && !inGot:
			missing.terms = append(missing.terms, t)
		case inGot && !inWant:
			extra.terms = append(extra.terms, term{t.key, t.mono, new(big.Rat).Neg(t.coef)})
		default:
			return ""
		}
	}
	m, e := len(missing.terms), len(extra.terms)
	switch {
	case m > 0 && e == 0 && m <= maxNamed && m < len(want.terms):
		return "a term is missing: " + missing.text()
	case e > 0 && m == 0 && e <= maxNamed && e < len(got.terms):
		return "a term is too much: " + extra.text()
	}
	return ""
}

// branchCause finds a condition on one side of which the two agree.
func (r *ring) branchCause(got, want *poly) string {
	seen := map[string]bool{}
	for _, p := range []*poly{got, want} {
		for _, t := range p.terms {
			for _, f := range t.mono {
				if f.atom.kind != kindCond || seen[f.atom.key] {
					continue
				}
				seen[f.atom.key] = true
				for _, holds := range []bool{true, false} {
					if r.vanishes(r.sum(r.decide(got, f.atom, holds), r.decide(want, f.atom, holds), -1)) {
						side := "holds"
						if holds {
							side = "does not hold"
						}
						return fmt.Sprintf("one branch is wrong: the formulas agree but where the condition %s %s", f.atom.text(), side)
					}
				}
			}
		}
	}
	return ""
}
