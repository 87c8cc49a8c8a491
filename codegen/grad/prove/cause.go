package prove

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Cause looks for the likely reason why got is not want: a constant factor of sizes, attributes and numbers, or a branch.
// It returns "" where it finds none.
func Cause(defs []*ir.Def, got, want *ir.Tensor, isFloat func(*ir.Value) bool) string {
	cause := ""
	_ = catch(func() { // giving up leaves no cause
		n := newNormalizer(defs...)
		n.almost = isFloat
		at := point(len(want.Axes))
		g, w := n.read(got, at), n.read(want, at)
		cause = factorCause(g, w)
		if cause == "" {
			cause = branchCause(g, w)
		}
	})
	return cause
}

// factorCause finds r with r·got = want.
func factorCause(got, want *poly) string {
	if got.isZero() {
		return "the formula is zero"
	}
	if want.isZero() {
		return "the derivative is zero"
	}
	first := got.sorted()[0]
	for _, t := range want.sorted() {
		r := &poly{terms: map[string]term{}}
		inv := mono{}
		for _, f := range first.mono {
			inv = append(inv, factor{f.atom, new(big.Rat).Neg(f.exp)})
		}
		r.add(join(t.mono, inv), new(big.Rat).Quo(t.coef, first.coef))
		if ratio := r.sorted()[0]; uniform(ratio.mono) && vanishes(sum(times(got, r), want, -1)) {
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
			name, _, _ = strings.Cut(name, "@")
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

// branchCause finds a condition on one side of which the two agree.
func branchCause(got, want *poly) string {
	seen := map[string]bool{}
	for _, p := range []*poly{got, want} {
		for _, t := range p.sorted() {
			for _, f := range t.mono {
				if f.atom.kind != kindCond || seen[f.atom.key] {
					continue
				}
				seen[f.atom.key] = true
				for _, holds := range []bool{true, false} {
					if vanishes(sum(decide(got, f.atom, holds), decide(want, f.atom, holds), -1)) {
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

// decide sets a condition.
func decide(p *poly, cond *atom, holds bool) *poly {
	r := &poly{terms: map[string]term{}}
	for _, t := range p.terms {
		m := mono{}
		drop := false
		for _, f := range t.mono {
			if f.atom.key != cond.key {
				m = append(m, f)
			} else if !holds {
				drop = true
			}
		}
		if !drop {
			r.add(m, t.coef)
		}
	}
	return r
}
