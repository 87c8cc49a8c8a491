package prove

import (
	"fmt"
	"math/big"
	"slices"
)

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

// conditionsOf are the conditions and signs that are factors in p, in order.
func (p *poly) conditionsOf() []*atom {
	var r []*atom
	for _, t := range p.terms {
		for _, f := range t.mono {
			if f.atom.kind == kindCond && !slices.Contains(r, f.atom) {
				r = append(r, f.atom)
			}
		}
	}
	return r
}

// maxConditions bounds the pairs of conditions that are looked at.
const maxConditions = 6

// conditionCause finds a condition of got whose branches are exchanged, or that is right with a condition of want in its place.
func (r *ring) conditionCause(got, want *poly) string {
	ours, theirs := got.conditionsOf(), want.conditionsOf()
	if len(ours) > maxConditions || len(theirs) > maxConditions {
		return ""
	}
	for _, c := range ours {
		yes, no := r.decide(got, c, true), r.decide(got, c, false)
		if slices.Contains(theirs, c) && r.vanishes(r.sum(r.choice(c, no, yes), want, -1)) {
			return fmt.Sprintf("the branches are exchanged: that for %s is the other one", c.text())
		}
		for _, d := range theirs {
			if d == c {
				continue
			}
			switch {
			case r.vanishes(r.sum(r.choice(d, yes, no), want, -1)):
				return fmt.Sprintf("a condition is wrong: %s, where the derivative changes at %s", c.text(), d.text())
			case r.vanishes(r.sum(r.choice(d, no, yes), want, -1)):
				return fmt.Sprintf("a condition is wrong: %s, where the derivative changes at %s, and the branches are exchanged", c.text(), d.text())
			}
		}
	}
	return ""
}

// choice is yes where a condition holds, else no.
func (r *ring) choice(c *atom, yes, no *poly) *poly {
	return r.sum(no, r.times(r.single(c, one), r.sum(yes, no, -1)), 1)
}

// sumCause finds a sum over axes of one side of which the other has one element alone, the first or that at an index of the point.
func (r *ring) sumCause(got, want *poly) string {
	if axes := r.oneOf(want, got); axes != "" {
		return "a sum over " + axes + " is missing"
	}
	if axes := r.oneOf(got, want); axes != "" {
		return "a sum over " + axes + " is too much"
	}
	return ""
}

// oneOf names the axes such that p, with sums over them replaced by one element, is q; "": there are none.
func (r *ring) oneOf(p, q *poly) string {
	var sums []*atom
	for _, t := range p.terms {
		for _, f := range t.mono {
			if f.atom.kind == kindSum && !slices.Contains(sums, f.atom) {
				sums = append(sums, f.atom)
			}
		}
	}
	places := []*poly{integer(0)}
	for _, v := range q.free() {
		places = append(places, r.index(v))
	}
	for _, a := range sums[:min(len(sums), maxConditions)] {
		for some := 1; some < 1<<min(len(a.vars), 4); some++ {
			axes := r.named(a, some)
			if axes != "" && slices.ContainsFunc(places[:min(len(places), maxConditions)], func(at *poly) bool {
				return r.vanishes(r.sum(r.replaced(p, a, r.one(a, some, at)), q, -1))
			}) {
				return axes
			}
		}
	}
	return ""
}

// one is a sum whose bound variables in a set of bits are an index.
func (r *ring) one(a *atom, some int, at *poly) *poly {
	to, extents := map[int]*poly{}, map[int]*poly{}
	var left []int
	for i, v := range a.vars {
		if some>>i&1 == 1 {
			to[v] = at
			continue
		}
		n := r.fresh()
		to[v], extents[n] = r.index(n), a.bound[i]
		left = append(left, n)
	}
	return r.overAll(left, extents, r.substitution(to).mono(a.body))
}

// named are the names of the axes that the bound variables in a set of bits run over; "": they run over something else.
func (r *ring) named(a *atom, some int) string {
	text := ""
	for i, p := range a.bound {
		if some>>i&1 == 0 {
			continue
		}
		only := factorOf(p)
		if only == nil || only.kind != kindSize {
			return ""
		}
		if text != "" {
			text += " and "
		}
		text += plainName(only.name)
	}
	return text
}

// replaced is p with an atom replaced.
func (r *ring) replaced(p *poly, a *atom, by *poly) *poly {
	sum := &poly{}
	for _, t := range p.terms {
		rest, e := mono{}, new(big.Rat)
		for _, f := range t.mono {
			if f.atom == a {
				e = f.exp
			} else {
				rest = append(rest, f)
			}
		}
		sum = r.sum(sum, r.times(r.monomial(rest, t.coef), r.power(by, e)), 1)
	}
	return sum
}
