package prove

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// kind is what an atom stands for.
type kind uint8

const (
	kindIndex kind = iota // an index variable
	kindSize              // the extent of an axis: positive
	kindName              // an attribute or a constant such as pi
	kindRead              // an element of a tensor that is not expanded; args are the indices
	kindFunc              // a function of args
	kindExp               // exp(args[0]), args[0] a monomial with coefficient 1
	kindPower             // args[0], as the base of a power that doesn't expand
	kindCond              // a condition, 0 or 1
	kindSum               // Σ over bound variables of a monomial
)

// atom is what the ring takes as indivisible. Atoms with equal keys are equal.
type atom struct {
	kind  kind
	name  string
	args  []*poly
	bound []*poly // kindSum: the extents of the bound variables, which are β0, β1, … of its depth
	vars  []int   // kindSum: the numbers of the bound variables
	body  mono    // kindSum
	key   string
	elem  string // kindRead of an input: its dtype
	float bool   // and whether that is one of floats
	free  []int  // free index variables, in order
	depth int    // nesting of sums
}

func (r *ring) indexAtom(v int) *atom {
	k := fmt.Sprintf("i%d;", v)
	a := r.atoms[k]
	if a == nil {
		a = &atom{kind: kindIndex, key: k, free: []int{v}, vars: []int{v}}
		r.atoms[k] = a
	}
	return a
}

func (r *ring) index(v int) *poly { return r.single(r.indexAtom(v), one) }

func (p *poly) free() []int {
	var r []int
	for _, t := range p.terms {
		r = union(r, t.mono.free())
	}
	return r
}

func (m mono) free() []int {
	var r []int
	for _, f := range m {
		r = union(r, f.atom.free)
	}
	return r
}

// union is the numbers of two lists in order; the lists stay as they are.
func union(a, b []int) []int {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	if !slices.ContainsFunc(b, func(v int) bool { _, have := slices.BinarySearch(a, v); return !have }) {
		return a
	}
	r := slices.Concat(a, b)
	slices.Sort(r)
	return slices.Compact(r)
}

// boundBase separates the numbers of canonical bound variables from those of the functions' variables.
const boundBase = 1 << 20

// sumOver is Σ over vars with the given extents of m, with the bound variables renamed by depth and ordered so that equal
// sums have equal keys.
func (r *ring) sumOver(vars []int, extents map[int]*poly, m mono) *poly {
	depth := 0
	for _, f := range m {
		depth = max(depth, f.atom.depth)
	}
	var best *atom
	var coef *big.Rat
	for _, perm := range permutations(vars) {
		to := map[int]*poly{}
		var names []int
		var ext []*poly
		var b strings.Builder
		b.WriteString("s{")
		for i, v := range perm {
			name := boundBase + depth*64 + i
			names = append(names, name)
			to[v] = r.index(name)
			ext = append(ext, extents[v])
			b.WriteString(extents[v].Key())
			b.WriteByte(',')
		}
		body := r.renamed(m, to)
		b.WriteByte('|')
		b.WriteString(body.key)
		b.WriteByte('}')
		r.spend(b.Len())
		if best == nil || b.String() < best.key {
			best = &atom{kind: kindSum, bound: ext, vars: names, body: body.mono, depth: depth + 1, key: b.String()}
			coef = body.coef
		}
	}
	if a := r.atoms[best.key]; a != nil {
		best = a
	} else {
		for _, v := range best.body.free() {
			if !slices.Contains(best.vars, v) {
				best.free = append(best.free, v)
			}
		}
		r.atoms[best.key] = best
	}
	return scale(r.single(best, one), coef)
}

// permutations of up to four variables; more keep their order, which can only miss a proof.
func permutations(v []int) [][]int {
	v = slices.Sorted(slices.Values(v))
	if len(v) > 4 {
		return [][]int{v}
	}
	if len(v) <= 1 {
		return [][]int{v}
	}
	var r [][]int
	for i := range v {
		rest := append(append([]int(nil), v[:i]...), v[i+1:]...)
		for _, p := range permutations(rest) {
			r = append(r, append([]int{v[i]}, p...))
		}
	}
	return r
}

// A substitution replaces index variables. Conditions and functions are rebuilt, so the result is canonical again. What occurs in
// several places is rebuilt once.
type substitution struct {
	*ring
	to   map[int]*poly
	memo map[*atom]*poly
}

func (r *ring) substitution(to map[int]*poly) *substitution {
	return &substitution{r, to, map[*atom]*poly{}}
}

// renamed replaces variables by variables. A monomial stays one but for a factor: the base of a power may be turned around or
// scaled, so that its first term, in the order of the new names, has coefficient 1.
func (r *ring) renamed(m mono, to map[int]*poly) term {
	p := r.substitution(to).mono(m)
	if len(p.terms) != 1 {
		giveUp("a renamed monomial is none")
	}
	return p.terms[0]
}

func (s *substitution) touches(a *atom) bool {
	return slices.ContainsFunc(a.free, func(v int) bool { return s.to[v] != nil })
}

func (s *substitution) poly(p *poly) *poly {
	if !slices.ContainsFunc(p.terms, func(t term) bool {
		return slices.ContainsFunc(t.mono, func(f factor) bool { return s.touches(f.atom) })
	}) {
		return p
	}
	var ts []term
	for _, t := range p.terms {
		ts = append(ts, scale(s.mono(t.mono), t.coef).terms...)
	}
	return s.collect(ts)
}

func (s *substitution) mono(m mono) *poly {
	var rest mono
	p := integer(1)
	for _, f := range m {
		if s.touches(f.atom) {
			p = s.times(p, s.power(s.atom(f.atom), f.exp))
		} else {
			rest = append(rest, f)
		}
	}
	if len(rest) == 0 {
		return p
	}
	return s.times(s.monomial(rest, one), p)
}

func (s *substitution) atom(a *atom) *poly {
	if a.kind == kindIndex {
		return s.to[a.vars[0]]
	}
	if p := s.memo[a]; p != nil {
		return p
	}
	var p *poly
	if a.kind == kindSum {
		p = s.summed(a)
	} else {
		args := make([]*poly, len(a.args))
		for i, x := range a.args {
			args[i] = s.poly(x)
		}
		p = s.rebuild(a, args)
	}
	s.memo[a] = p
	return p
}

// summed keeps the bound variables apart from what comes in.
func (s *substitution) summed(a *atom) *poly {
	inner := maps.Clone(s.to)
	fresh := make([]int, len(a.vars))
	ext := map[int]*poly{}
	for i, v := range a.vars {
		fresh[i] = s.fresh()
		inner[v] = s.index(fresh[i])
		ext[fresh[i]] = a.bound[i]
	}
	return s.overAll(fresh, ext, s.substitution(inner).mono(a.body))
}
