package prove

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Cause looks for the likely reason why got is not want: a constant factor of sizes, attributes and numbers, a branch, or a term, as
// a sum over an axis, that is missing or too much.
// It returns "" where it finds none.
func Cause(vars []ir.ElemVar, defs []*ir.Def, got, want *ir.Tensor, isFloat func(*ir.Value) bool) string {
	cause := ""
	_ = catch(func() { // giving up leaves no cause
		n := newNormalizer(vars, defs...)
		n.almost = isFloat
		at := n.point(len(want.Axes))
		g, w := n.read(got, at), n.read(want, at)
		cause = n.factorCause(g, w)
		if cause == "" {
			cause = n.branchCause(g, w)
		}
		if cause == "" {
			cause = n.termCause(g, w)
		}
	})
	return cause
}

// factorCause finds r with r·got = want.
func (r *ring) factorCause(got, want *poly) string {
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
		if uniform(ratio.mono) && r.vanishes(r.sum(r.times(got, &poly{terms: []term{ratio}}), want, -1)) {
			return describe(ratio)
		}
	}
	return ""
}

func uniform(m mono) bool {
	for _, f := range m {
		if f.atom.kind != kindSize && f.atom.kind != kindName {
			return false
		}
	}
	return true
}

// describe says what the formula must be multiplied with.
func describe(t term) string {
	c := new(big.Rat).Set(t.coef)
	sign := c.Sign() < 0
	c.Abs(c)
	var mul, div []string
	if num := c.Num(); num.Cmp(big.NewInt(1)) != 0 {
		mul = append(mul, num.String())
	}
	if den := c.Denom(); den.Cmp(big.NewInt(1)) != 0 {
		div = append(div, den.String())
	}
	for _, f := range t.mono {
		name := f.atom.name
		if f.atom.kind == kindSize {
			name = plainName(name)
			if name != "π" {
				name = "the number of elements along " + name
			}
		}
		e := new(big.Rat).Abs(f.exp)
		if e.Cmp(one) != 0 {
			name += "^" + e.RatString()
		}
		if f.exp.Sign() > 0 {
			mul = append(mul, name)
		} else {
			div = append(div, name)
		}
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

// decide sets a condition, or a sign: that holds where it is minus.
func (r *ring) decide(p *poly, cond *atom, holds bool) *poly {
	var ts []term
	for _, t := range p.terms {
		m := mono{}
		c := t.coef
		for _, f := range t.mono {
			switch {
			case f.atom != cond:
				m = append(m, f)
			case cond.kind == kindCond && !holds:
				c = nil
			case cond.isSign() && holds && f.exp.IsInt() && f.exp.Num().Bit(0) == 1:
				c = new(big.Rat).Neg(c)
			}
		}
		if c != nil {
			ts = append(ts, r.term(m, c))
		}
	}
	return r.collect(ts)
}
