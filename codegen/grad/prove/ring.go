package prove

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// maxWork bounds the work of one proof: the terms that are made, each with the length of its key, which is what making, sorting and
// comparing it costs. It counts what is done, not the time, so that a proof has the same outcome on all machines. Proofs that succeed
// take less than a fifth of it in the specs of this repository.
const maxWork = 1 << 22

// maxTerms bounds the terms of one polynomial.
const maxTerms = 600

// maxKey bounds the length of a key, which tells how much is nested in a term: each level may hold maxTerms terms of the next.
const maxKey = 1 << 14

// maxBits bounds the numerator and the denominator of a coefficient.
const maxBits = 1 << 12

// tooBig is the panic of a proof that gives up; it never leaves the package.
type tooBig struct{ why string }

func giveUp(why string) { panic(tooBig{why}) }

// A ring makes the polynomials of one proof. It holds each atom once and bounds the work.
type ring struct {
	left  int // of maxWork
	vars  int // fresh variables so far
	atoms map[string]*atom
}

func newRing() *ring { return &ring{left: maxWork, atoms: map[string]*atom{}} }

// spend counts work.
func (r *ring) spend(n int) {
	if r.left -= n; r.left < 0 {
		giveUp("the proof takes too much work")
	}
}

// perTerm is the work for a term beside that for its key.
const perTerm = 64

// fresh numbers a variable that occurs nowhere else. All numbers have as many digits, so that keys order them as numbers.
func (r *ring) fresh() int {
	r.vars++
	return 1<<30 + r.vars
}

// term is c·m with the key of m.
func (r *ring) term(m mono, c *big.Rat) term {
	k := m.key()
	if len(k) > maxKey {
		giveUp("a term is nested too deeply")
	}
	r.spend(perTerm + len(k))
	return term{k, m, c}
}

// monomial is c·m.
func (r *ring) monomial(m mono, c *big.Rat) *poly {
	if c.Sign() == 0 {
		return &poly{}
	}
	return &poly{terms: []term{r.term(m, c)}}
}

// single is a^e.
func (r *ring) single(a *atom, e *big.Rat) *poly { return r.monomial(mono{{a, e}}, one) }

// collect adds up terms in any order.
func (r *ring) collect(ts []term) *poly {
	r.spend(len(ts))
	slices.SortStableFunc(ts, func(a, b term) int { return cmp.Compare(a.key, b.key) })
	p := &poly{terms: ts[:0]}
	for i := 0; i < len(ts); {
		t := ts[i]
		for i++; i < len(ts) && ts[i].key == t.key; i++ {
			t.coef = checked(new(big.Rat).Add(t.coef, ts[i].coef))
		}
		if t.coef.Sign() != 0 {
			p.terms = append(p.terms, t)
		}
	}
	if len(p.terms) > maxTerms {
		giveUp("the formula has too many terms")
	}
	return p
}

// sum is p + k·q.
func (r *ring) sum(p, q *poly, k int64) *poly {
	if q.isZero() {
		return p
	}
	if k != 1 {
		q = scale(q, big.NewRat(k, 1))
	}
	if p.isZero() {
		return q
	}
	return r.collect(slices.Concat(p.terms, q.terms))
}

func (r *ring) times(p, q *poly) *poly {
	if c, ok := p.number(); ok {
		return scale(q, c)
	}
	if c, ok := q.number(); ok {
		return scale(p, c)
	}
	if len(p.terms)*len(q.terms) > 4*maxTerms {
		giveUp("a product has too many terms")
	}
	ts := make([]term, 0, len(p.terms)*len(q.terms))
	for _, s := range p.terms {
		for _, t := range q.terms {
			ts = append(ts, r.term(join(s.mono, t.mono), product(s.coef, t.coef)))
		}
	}
	return r.collect(ts)
}

// power raises to a rational exponent.
func (r *ring) power(p *poly, e *big.Rat) *poly {
	switch {
	case e.Sign() == 0:
		return integer(1)
	case e.Cmp(one) == 0:
		return p
	}
	whole := e.IsInt()
	if len(p.terms) == 1 {
		t := p.terms[0]
		if whole || t.coef.Cmp(one) == 0 && positive(t.mono) {
			m := make(mono, 0, len(t.mono))
			for _, f := range t.mono {
				x := product(f.exp, e)
				if f.atom.kind == kindCond {
					if e.Sign() < 0 {
						return r.single(r.powerAtom(p), e)
					}
					x = one
				}
				m = join(m, mono{{f.atom, x}})
			}
			c, ok := ratPow(t.coef, e)
			if !ok {
				return r.single(r.powerAtom(p), e)
			}
			return r.monomial(m, c)
		}
	}
	if whole && e.Sign() > 0 && e.Num().Cmp(big.NewInt(16)) <= 0 {
		q := integer(1)
		for range e.Num().Int64() {
			q = r.times(q, p)
		}
		return q
	}
	if p.isZero() {
		if e.Sign() > 0 {
			return p
		}
		giveUp("a division by zero")
	}
	// Take out the leading coefficient, so that 2+2x and 1+x share their base.
	lead := p.terms[0].coef
	if c, ok := ratPow(lead, e); ok && (whole || lead.Sign() > 0) {
		return scale(r.single(r.powerAtom(scale(p, new(big.Rat).Inv(lead))), e), c)
	}
	return r.single(r.powerAtom(p), e)
}

// atom is the atom of a kind with a name and arguments.
func (r *ring) atom(k kind, name string, args ...*poly) *atom {
	var b strings.Builder
	b.WriteByte("ivardexpcs"[k])
	b.WriteString(name)
	if len(args) > 0 {
		b.WriteByte('[')
		for _, p := range args {
			b.WriteString(p.Key())
			b.WriteByte(',')
		}
		b.WriteByte(']')
	}
	r.spend(b.Len())
	if a := r.atoms[b.String()]; a != nil {
		return a
	}
	a := &atom{kind: k, name: name, args: args, key: b.String()}
	for _, p := range args {
		for _, t := range p.terms {
			for _, f := range t.mono {
				a.free = union(a.free, f.atom.free)
				a.depth = max(a.depth, f.atom.depth)
			}
		}
	}
	r.atoms[a.key] = a
	return a
}

func (r *ring) powerAtom(base *poly) *atom { return r.atom(kindPower, "", base) }
