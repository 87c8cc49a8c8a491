package prove

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// A poly is a sum of monomials with rational coefficients; a monomial is a product of atoms with rational exponents.
// Both are kept in canonical form, so that equal polynomials have equal keys.
type poly struct {
	terms []term // in the order of their keys
	key   string // computed when asked for
}

type term struct {
	key  string // of the monomial
	mono mono
	coef *big.Rat // not zero
}

// A mono is a list of factors in the order of their atoms' keys.
type mono []factor

type factor struct {
	atom *atom
	exp  *big.Rat
}

var one = big.NewRat(1, 1)

func constant(c *big.Rat) *poly {
	if c.Sign() == 0 {
		return &poly{}
	}
	return &poly{terms: []term{{coef: checked(c)}}}
}

func integer(n int64) *poly { return constant(big.NewRat(n, 1)) }

func (m mono) key() string {
	var b strings.Builder
	n := 0
	for _, f := range m {
		n += len(f.atom.key) + 4
	}
	b.Grow(n)
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

func (p *poly) isZero() bool { return len(p.terms) == 0 }

// Key identifies the polynomial.
func (p *poly) Key() string {
	if p.key == "" {
		var b strings.Builder
		b.WriteByte('(')
		for _, t := range p.terms {
			b.WriteString(t.coef.RatString())
			b.WriteByte('*')
			b.WriteString(t.key)
			b.WriteByte('+')
		}
		b.WriteByte(')')
		p.key = b.String()
	}
	return p.key
}

// has tells whether there is a term with the key.
func (p *poly) has(key string) bool {
	_, ok := slices.BinarySearchFunc(p.terms, key, func(t term, k string) int { return cmp.Compare(t.key, k) })
	return ok
}

// number gives the value of a constant polynomial.
func (p *poly) number() (*big.Rat, bool) {
	if len(p.terms) == 0 {
		return new(big.Rat), true
	}
	if len(p.terms) == 1 && len(p.terms[0].mono) == 0 {
		return p.terms[0].coef, true
	}
	return nil, false
}

func scale(p *poly, c *big.Rat) *poly {
	switch {
	case c.Sign() == 0:
		return &poly{}
	case c.Cmp(one) == 0:
		return p
	}
	r := &poly{terms: make([]term, len(p.terms))}
	for i, t := range p.terms {
		r.terms[i] = term{t.key, t.mono, product(t.coef, c)}
	}
	return r
}

// product is a·b.
func product(a, b *big.Rat) *big.Rat {
	switch {
	case a.Cmp(one) == 0:
		return b
	case b.Cmp(one) == 0:
		return a
	}
	return checked(new(big.Rat).Mul(a, b))
}

// checked is c, unless it is too long.
func checked(c *big.Rat) *big.Rat {
	if c.Num().BitLen() > maxBits || c.Denom().BitLen() > maxBits {
		giveUp("a number is too long")
	}
	return c
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

func ratPow(c, e *big.Rat) (*big.Rat, bool) {
	if c.Cmp(one) == 0 {
		return one, true
	}
	if !e.IsInt() || c.Sign() == 0 {
		return nil, false
	}
	if e.Num().CmpAbs(big.NewInt(64)) > 0 {
		return nil, false
	}
	n := e.Num().Int64()
	r := big.NewRat(1, 1)
	for range max(n, -n) {
		r.Mul(r, c)
	}
	if n < 0 {
		r.Inv(r)
	}
	return checked(r), true
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
