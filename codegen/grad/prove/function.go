package prove

import "math/big"

var minusOne = big.NewRat(-1, 1)

// rebuild makes the atom's function of new arguments, in canonical form.
func rebuild(a *atom, args []*poly) *poly {
	switch a.kind {
	case kindExp:
		return exp(args[0])
	case kindPower:
		return args[0] // the exponent is applied by the caller
	case kindCond:
		switch a.name {
		case "lt0":
			return below(args[0])
		case "eq0":
			return isZero(args[0])
		}
	case kindFunc:
		return function(a.name, args...)
	}
	b := newAtom(a.kind, a.name, args...)
	b.elem, b.float = a.elem, a.float
	return single(b, one)
}

// function applies a function by name, with the rules that are identities everywhere.
func function(name string, args ...*poly) *poly {
	x := args[0]
	switch name {
	case "abs": // x·sign(x)
		return times(x, function("sign", x))
	case "sign", signOff:
		if c, ok := x.number(); ok {
			return integer(int64(c.Sign()))
		}
		if y, flip := lead(x); flip {
			return scale(function(name, y), minusOne)
		}
	case "sin", "erf":
		if x.isZero() {
			return x
		}
		if y, flip := lead(x); flip {
			return scale(function(name, y), minusOne)
		}
	case "cos":
		if y, flip := lead(x); flip {
			return function(name, y)
		}
	case "floor", "ceil", "trunc", "round":
		if c, ok := x.number(); ok && c.IsInt() {
			return x
		}
	}
	return single(newAtom(kindFunc, name, args...), one)
}

// lead turns a polynomial around where its first coefficient is negative.
func lead(p *poly) (*poly, bool) {
	if t := p.sorted(); len(t) > 0 && t[0].coef.Sign() < 0 {
		return scale(p, minusOne), true
	}
	return p, false
}

// exp(Σ c·m) = Π exp(m)^c; exp(log x) = x.
func exp(p *poly) *poly {
	r := integer(1)
	for _, t := range p.sorted() {
		if len(t.mono) == 1 && t.mono[0].atom.kind == kindFunc && t.mono[0].atom.name == "log" && t.mono[0].exp.Cmp(one) == 0 {
			r = times(r, power(t.mono[0].atom.args[0], t.coef))
			continue
		}
		m := &poly{terms: map[string]term{}}
		m.add(t.mono, one)
		r = times(r, single(newAtom(kindExp, "", m), t.coef))
	}
	return r
}

// log of a product of positive factors is the sum of their logs.
func log(p *poly) *poly {
	if len(p.terms) == 1 {
		t := p.sorted()[0]
		if t.coef.Sign() > 0 && positive(t.mono) {
			r := integer(0)
			if t.coef.Cmp(one) != 0 {
				r = single(newAtom(kindFunc, "log", constant(t.coef)), one)
			}
			for _, f := range t.mono {
				l := single(newAtom(kindFunc, "log", single(f.atom, one)), one)
				if f.atom.kind == kindExp {
					l = f.atom.args[0]
				}
				r = sum(r, scale(l, f.exp), 1)
			}
			return r
		}
	}
	return function("log", p)
}

// below is the condition p < 0. A positive common factor doesn't matter.
func below(p *poly) *poly {
	if c, ok := p.number(); ok {
		return truth(c.Sign() < 0)
	}
	return single(newAtom(kindCond, "lt0", scale(p, absInv(p.sorted()[0].coef))), one)
}

// isZero is the condition p == 0; a common factor doesn't matter.
func isZero(p *poly) *poly {
	if c, ok := p.number(); ok {
		return truth(c.Sign() == 0)
	}
	return single(newAtom(kindCond, "eq0", scale(p, new(big.Rat).Inv(p.sorted()[0].coef))), one)
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

func not(p *poly) *poly { return sum(integer(1), p, -1) }

// or is 1 - (1-p)(1-q).
func or(p, q *poly) *poly { return not(times(not(p), not(q))) }

// choose is c·p + (1-c)·q.
func choose(c, p, q *poly) *poly { return sum(times(c, p), times(not(c), q), 1) }

// overAll is Σ of p over vars with extents.
func overAll(vars []int, extents map[int]*poly, p *poly) *poly {
	r := integer(0)
	for _, t := range p.sorted() {
		r = sum(r, scale(sumMono(vars, extents, t.mono), t.coef), 1)
	}
	return r
}

// sumMono takes out what doesn't depend on the variables, takes in sums that do, and splits into independent sums.
func sumMono(vars []int, extents map[int]*poly, m mono) *poly {
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
			n := freshVar()
			to[v] = single(indexAtom(n), one)
			all = append(all, n)
			bound[n] = true
			ext[n] = f.atom.bound[j]
		}
		rest := append(append(mono{}, inner[:i]...), inner[i+1:]...)
		body, c := renameMono(f.atom.body, to)
		inner = join(rest, body)
		scaled = new(big.Rat).Mul(scaled, c)
		i = -1
	}
	r := &poly{terms: map[string]term{}}
	r.add(outer, scaled)
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
				for v := range f.atom.free {
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
				r = times(r, ext[v])
			}
			continue
		}
		r = times(r, sumOver(mine, ext, part))
	}
	return r
}

func touches(a *atom, vars map[int]bool) bool {
	for v := range a.free {
		if vars[v] {
			return true
		}
	}
	return false
}
