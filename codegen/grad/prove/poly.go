package prove

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

// A poly is a sum of monomials with rational coefficients; a monomial is a product of atoms with rational exponents.
// Both are kept in canonical form, so that equal polynomials have equal keys.
type poly struct {
	terms map[string]term
	key   string // computed when asked for
}

type term struct {
	mono mono
	coef *big.Rat
}

// A mono is a list of factors in the order of their atoms' keys.
type mono []factor

type factor struct {
	atom *atom
	exp  *big.Rat
}

// maxTerms bounds the work; past it the proof gives up.
const maxTerms = 600

// maxKey bounds the length of a key, which tells how much is nested in a term: each level may hold maxTerms terms of the next.
const maxKey = 1 << 14

// tooBig is the panic of a proof that gives up; it never leaves the package.
type tooBig struct{ why string }

func giveUp(why string) { panic(tooBig{why}) }

var one = big.NewRat(1, 1)

func constant(c *big.Rat) *poly {
	p := &poly{terms: map[string]term{}}
	p.add(nil, c)
	return p
}

func integer(n int64) *poly { return constant(big.NewRat(n, 1)) }

func single(a *atom, e *big.Rat) *poly {
	p := &poly{terms: map[string]term{}}
	p.add(mono{{a, e}}, one)
	return p
}

func (m mono) key() string {
	var b strings.Builder
	for _, f := range m {
		b.WriteString(f.atom.key)
		if f.exp.Cmp(one) != 0 {
			b.WriteByte('^')
			b.WriteString(f.exp.RatString())
		}
		b.WriteByte('*')
	}
	return b.String()
}

// add adds c·m in place; only for a poly that nobody else holds.
func (p *poly) add(m mono, c *big.Rat) {
	if c.Sign() == 0 {
		return
	}
	p.addAs(m.key(), m, c)
}

// addAs is add with the key of m.
func (p *poly) addAs(k string, m mono, c *big.Rat) {
	if c.Sign() == 0 {
		return
	}
	if len(k) > maxKey {
		giveUp("a term is nested too deeply")
	}
	if t, ok := p.terms[k]; ok {
		s := new(big.Rat).Add(t.coef, c)
		if s.Sign() == 0 {
			delete(p.terms, k)
		} else {
			p.terms[k] = term{m, s}
		}
		return
	}
	p.terms[k] = term{m, c}
	if len(p.terms) > maxTerms {
		giveUp("the formula has too many terms")
	}
}

func (p *poly) isZero() bool { return len(p.terms) == 0 }

func (p *poly) keys() []string { return slices.Sorted(maps.Keys(p.terms)) }

// sorted gives the terms in the order of their keys.
func (p *poly) sorted() []term {
	r := make([]term, 0, len(p.terms))
	for _, k := range p.keys() {
		r = append(r, p.terms[k])
	}
	return r
}

// Key identifies the polynomial.
func (p *poly) Key() string {
	if p.key == "" {
		var b strings.Builder
		b.WriteByte('(')
		for _, k := range p.keys() {
			b.WriteString(p.terms[k].coef.RatString())
			b.WriteByte('*')
			b.WriteString(k)
			b.WriteByte('+')
		}
		b.WriteByte(')')
		p.key = b.String()
	}
	return p.key
}

// number gives the value of a constant polynomial.
func (p *poly) number() (*big.Rat, bool) {
	if len(p.terms) == 0 {
		return new(big.Rat), true
	}
	if t, ok := p.terms[""]; ok && len(p.terms) == 1 {
		return t.coef, true
	}
	return nil, false
}

func sum(p, q *poly, k int64) *poly {
	r := &poly{terms: make(map[string]term, len(p.terms)+len(q.terms))}
	for key, t := range p.terms {
		r.terms[key] = t
	}
	c := big.NewRat(k, 1)
	for key, t := range q.terms {
		r.addAs(key, t.mono, new(big.Rat).Mul(t.coef, c))
	}
	return r
}

func scale(p *poly, c *big.Rat) *poly {
	r := &poly{terms: make(map[string]term, len(p.terms))}
	for key, t := range p.terms {
		r.addAs(key, t.mono, new(big.Rat).Mul(t.coef, c))
	}
	return r
}

func times(p, q *poly) *poly {
	if len(p.terms)*len(q.terms) > 4*maxTerms {
		giveUp("a product has too many terms")
	}
	r := &poly{terms: map[string]term{}}
	for _, s := range p.terms {
		for _, t := range q.terms {
			m := join(s.mono, t.mono)
			r.add(m, new(big.Rat).Mul(s.coef, t.coef))
		}
	}
	return r
}

// join multiplies monomials. A condition is 0 or 1, so its powers are itself; the square of a sign is 1 but where the argument is 0,
// so only where that doesn't count.
func join(a, b mono) mono {
	r := make(mono, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].atom.key < b[j].atom.key:
			r = append(r, a[i])
			i++
		case i == len(a) || b[j].atom.key < a[i].atom.key:
			r = append(r, b[j])
			j++
		default:
			e := new(big.Rat).Add(a[i].exp, b[j].exp)
			switch {
			case e.Sign() == 0:
			case a[i].atom.kind == kindCond:
				r = append(r, factor{a[i].atom, one})
			case a[i].atom.kind == kindFunc && a[i].atom.name == signOff && e.Cmp(big.NewRat(2, 1)) == 0:
			default:
				r = append(r, factor{a[i].atom, e})
			}
			i++
			j++
		}
	}
	return r
}

// power raises to a rational exponent.
func power(p *poly, e *big.Rat) *poly {
	switch {
	case e.Sign() == 0:
		return integer(1)
	case e.Cmp(one) == 0:
		return p
	}
	whole := e.IsInt()
	if len(p.terms) == 1 {
		t := p.sorted()[0]
		if whole || t.coef.Cmp(one) == 0 && positive(t.mono) {
			r := &poly{terms: map[string]term{}}
			m := make(mono, 0, len(t.mono))
			for _, f := range t.mono {
				x := new(big.Rat).Mul(f.exp, e)
				if f.atom.kind == kindCond {
					if e.Sign() < 0 {
						return single(powerAtom(p), e)
					}
					x = one
				}
				m = join(m, mono{{f.atom, x}})
			}
			c, ok := ratPow(t.coef, e)
			if !ok {
				return single(powerAtom(p), e)
			}
			r.add(m, c)
			return r
		}
	}
	if whole && e.Sign() > 0 && e.Num().Cmp(big.NewInt(16)) <= 0 {
		r := integer(1)
		for range e.Num().Int64() {
			r = times(r, p)
		}
		return r
	}
	if p.isZero() {
		if e.Sign() > 0 {
			return p
		}
		giveUp("a division by zero")
	}
	// Take out the leading coefficient, so that 2+2x and 1+x share their base.
	lead := p.sorted()[0].coef
	if c, ok := ratPow(lead, e); ok && (whole || lead.Sign() > 0) {
		return scale(single(powerAtom(scale(p, new(big.Rat).Inv(lead))), e), c)
	}
	return single(powerAtom(p), e)
}

func ratPow(c, e *big.Rat) (*big.Rat, bool) {
	if c.Cmp(one) == 0 {
		return one, true
	}
	if !e.IsInt() || c.Sign() == 0 {
		return nil, false
	}
	n := e.Num().Int64()
	if n > 64 || n < -64 {
		return nil, false
	}
	r := big.NewRat(1, 1)
	for range max(n, -n) {
		r.Mul(r, c)
	}
	if n < 0 {
		r.Inv(r)
	}
	return r, true
}

// positive tells whether a monomial is known to be a product of positive factors wherever it is defined, so that a root or a
// logarithm of it is that of its factors.
func positive(m mono) bool {
	for _, f := range m {
		if !f.atom.positive() && !(f.atom.kind == kindPower && f.exp.Denom().Bit(0) == 0) {
			return false // but for an even root, whose base isn't negative
		}
	}
	return true
}

func (a *atom) positive() bool {
	switch a.kind {
	case kindExp, kindSize:
		return true
	case kindPower:
		for _, t := range a.args[0].terms {
			if t.coef.Sign() < 0 || !positive(t.mono) {
				return false
			}
		}
		return true
	case kindSum:
		return positive(a.body)
	}
	return false
}
