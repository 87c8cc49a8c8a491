package prove

import (
	"math/big"
	"slices"
)

var minusOne = big.NewRat(-1, 1)

// rebuild makes the atom's function of new arguments, in canonical form.
func (r *ring) rebuild(a *atom, args []*poly) *poly {
	switch a.kind {
	case kindExp:
		return r.exp(args[0])
	case kindPower:
		return args[0] // the exponent is applied by the caller
	case kindCond:
		switch a.name {
		case "lt0":
			return r.below(args[0])
		case "eq0":
			return r.isZero(args[0])
		}
	case kindFunc:
		return r.function(a.name, args...)
	}
	b := r.atom(a.kind, a.name, args...)
	b.elem, b.float = a.elem, a.float
	return r.single(b, one)
}

// function applies a function by name, with the rules that are identities everywhere.
func (r *ring) function(name string, args ...*poly) *poly {
	x := args[0]
	switch name {
	case "abs": // x·sign(x)
		return r.times(x, r.function("sign", x))
	case "sign", signOff:
		if c, ok := x.number(); ok {
			return integer(int64(c.Sign()))
		}
		if y, flip := lead(x); flip {
			return scale(r.function(name, y), minusOne)
		}
	case "sin", "erf":
		if x.isZero() {
			return x
		}
		if y, flip := lead(x); flip {
			return scale(r.function(name, y), minusOne)
		}
	case "cos":
		if y, flip := lead(x); flip {
			return r.function(name, y)
		}
	case "floor", "ceil", "trunc", "round":
		if c, ok := x.number(); ok && c.IsInt() {
			return x
		}
	}
	return r.single(r.atom(kindFunc, name, args...), one)
}

// lead turns a polynomial around where its first coefficient is negative.
func lead(p *poly) (*poly, bool) {
	if t := p.terms; len(t) > 0 && t[0].coef.Sign() < 0 {
		return scale(p, minusOne), true
	}
	return p, false
}

// exp(Σ c·m) = Π exp(m)^c; exp(log x) = x.
func (r *ring) exp(p *poly) *poly {
	e := integer(1)
	for _, t := range p.terms {
		if len(t.mono) == 1 && t.mono[0].atom.kind == kindFunc && t.mono[0].atom.name == "log" && t.mono[0].exp.Cmp(one) == 0 {
			e = r.times(e, r.power(t.mono[0].atom.args[0], t.coef))
			continue
		}
		e = r.times(e, r.single(r.atom(kindExp, "", &poly{terms: []term{{t.key, t.mono, one}}}), t.coef))
	}
	return e
}

// log of a product of positive factors is the sum of their logs.
func (r *ring) log(p *poly) *poly {
	if len(p.terms) == 1 {
		t := p.terms[0]
		if t.coef.Sign() > 0 && positive(t.mono) {
			l := integer(0)
			if t.coef.Cmp(one) != 0 {
				l = r.single(r.atom(kindFunc, "log", constant(t.coef)), one)
			}
			for _, f := range t.mono {
				x := r.single(r.atom(kindFunc, "log", r.single(f.atom, one)), one)
				if f.atom.kind == kindExp {
					x = f.atom.args[0]
				}
				l = r.sum(l, scale(x, f.exp), 1)
			}
			return l
		}
	}
	return r.function("log", p)
}

// below is the condition p < 0. A positive common factor doesn't matter.
func (r *ring) below(p *poly) *poly {
	if c, ok := p.number(); ok {
		return truth(c.Sign() < 0)
	}
	return r.single(r.atom(kindCond, "lt0", scale(p, absInv(p.terms[0].coef))), one)
}

// isZero is the condition p == 0; a common factor doesn't matter.
func (r *ring) isZero(p *poly) *poly {
	if c, ok := p.number(); ok {
		return truth(c.Sign() == 0)
	}
	return r.single(r.atom(kindCond, "eq0", scale(p, new(big.Rat).Inv(p.terms[0].coef))), one)
}

func absInv(c *big.Rat) *big.Rat {
	r := new(big.Rat).Inv(c)
	return r.Abs(r)
}

func truth(b bool) *poly {
	if b {
		return integer(1)
	}
	return integer(0)
}

func (r *ring) not(p *poly) *poly { return r.sum(integer(1), p, -1) }

// or is 1 - (1-p)(1-q).
func (r *ring) or(p, q *poly) *poly { return r.not(r.times(r.not(p), r.not(q))) }

// choose is c·p + (1-c)·q.
func (r *ring) choose(c, p, q *poly) *poly { return r.sum(r.times(c, p), r.times(r.not(c), q), 1) }

// overAll is Σ of p over vars with extents.
func (r *ring) overAll(vars []int, extents map[int]*poly, p *poly) *poly {
	var ts []term
	for _, t := range p.terms {
		ts = append(ts, scale(r.sumMono(vars, extents, t.mono), t.coef).terms...)
	}
	return r.collect(ts)
}

// sumMono takes out what doesn't depend on the variables, takes in sums that do, and splits into independent sums.
func (r *ring) sumMono(vars []int, extents map[int]*poly, m mono) *poly {
	bound := map[int]bool{}
	ext := map[int]*poly{}
	for _, v := range vars {
		bound[v] = true
		ext[v] = extents[v]
	}
	all := append([]int(nil), vars...)
	scaled := one
	outer, inner := mono{}, mono{}
	for _, f := range m {
		if touches(f.atom, bound) {
			inner = append(inner, f)
		} else {
			outer = append(outer, f)
		}
	}
	for i := 0; i < len(inner); i++ {
		f := inner[i]
		if f.atom.kind != kindSum || f.exp.Cmp(one) != 0 {
			continue
		}
		to := map[int]*poly{}
		for j, v := range f.atom.vars {
			n := r.fresh()
			to[v] = r.index(n)
			all = append(all, n)
			bound[n] = true
			ext[n] = f.atom.bound[j]
		}
		rest := append(append(mono{}, inner[:i]...), inner[i+1:]...)
		body := r.renamed(f.atom.body, to)
		inner = join(rest, body.mono)
		scaled = product(scaled, body.coef)
		i = -1
	}
	p := r.monomial(outer, scaled)
	for len(all) > 0 {
		group := map[int]bool{all[0]: true}
		var part mono
		used := make([]bool, len(inner))
		for grown := true; grown; {
			grown = false
			for i, f := range inner {
				if used[i] || !touches(f.atom, group) {
					continue
				}
				used[i], grown = true, true
				for _, v := range f.atom.free {
					if bound[v] {
						group[v] = true
					}
				}
			}
		}
		for i, f := range inner {
			if used[i] {
				part = append(part, f)
			}
		}
		var mine, left []int
		for _, v := range all {
			if group[v] {
				mine = append(mine, v)
			} else {
				left = append(left, v)
			}
		}
		all = left
		if len(part) == 0 {
			for _, v := range mine {
				p = r.times(p, ext[v])
			}
			continue
		}
		p = r.times(p, r.sumOver(mine, ext, part))
	}
	return p
}

func touches(a *atom, vars map[int]bool) bool {
	return slices.ContainsFunc(a.free, func(v int) bool { return vars[v] })
}
