package prove

import "math/big"

// vanishes tells whether p is zero, multiplying away negative powers of sums and expanding positive ones.
func (r *ring) vanishes(p *poly) bool {
	for range 8 {
		if p.isZero() {
			return true
		}
		base := largestPower(p)
		if base == nil {
			return false
		}
		// Terms whose exponents of the base differ by a fraction can't cancel each other.
		groups := map[string][]term{}
		var order []string
		for _, t := range p.terms {
			e := exponent(t.mono, base)
			k := new(big.Rat).Sub(e, floorRat(e)).RatString()
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], t)
		}
		if len(order) > 1 {
			for _, k := range order {
				if !r.vanishes(r.cleared(groups[k], base)) {
					return false
				}
			}
			return true
		}
		p = r.cleared(groups[order[0]], base)
	}
	return false
}

// cleared multiplies the terms by the power of the base that makes the lowest exponent 0, and expands.
func (r *ring) cleared(ts []term, base *atom) *poly {
	low := exponent(ts[0].mono, base)
	for _, t := range ts {
		if e := exponent(t.mono, base); e.Cmp(low) < 0 {
			low = e
		}
	}
	var all []term
	for _, t := range ts {
		rest := mono{}
		for _, f := range t.mono {
			if f.atom != base {
				rest = append(rest, f)
			}
		}
		q := r.monomial(rest, t.coef)
		n := new(big.Rat).Sub(exponent(t.mono, base), low)
		if !n.Num().IsInt64() {
			giveUp("an exponent is too large")
		}
		for range n.Num().Int64() {
			q = r.times(q, base.args[0])
		}
		all = append(all, q.terms...)
	}
	return r.collect(all)
}

func exponent(m mono, a *atom) *big.Rat {
	for _, f := range m {
		if f.atom == a {
			return f.exp
		}
	}
	return new(big.Rat)
}

func floorRat(e *big.Rat) *big.Rat {
	q := new(big.Int).Div(e.Num(), e.Denom()) // Euclidean: rounds down for a positive denominator
	return new(big.Rat).SetInt(q)
}

// largestPower picks the power atom with the longest base, so that bases inside others are cleared after them.
func largestPower(p *poly) *atom {
	var best *atom
	for _, t := range p.terms {
		for _, f := range t.mono {
			if f.atom.kind == kindPower && (best == nil || len(f.atom.key) > len(best.key)) {
				best = f.atom
			}
		}
	}
	return best
}
