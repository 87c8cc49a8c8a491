package prove

import (
	"fmt"
	"math/big"
	"sort"
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
	elem  string       // kindRead of an input: its dtype
	float bool         // and whether that is one of floats
	free  map[int]bool // free index variables
	depth int          // nesting of sums
}

func newAtom(k kind, name string, args ...*poly) *atom {
	a := &atom{kind: k, name: name, args: args, free: map[int]bool{}}
	var b strings.Builder
	fmt.Fprintf(&b, "%c%s", "ivardexpcs"[k], name)
	if len(args) > 0 {
		b.WriteByte('[')
		for _, p := range args {
			b.WriteString(p.Key())
			b.WriteByte(',')
			for v := range p.free() {
				a.free[v] = true
			}
			a.depth = max(a.depth, p.depth())
		}
		b.WriteByte(']')
	}
	a.key = b.String()
	return a
}

func indexAtom(v int) *atom {
	a := &atom{kind: kindIndex, name: fmt.Sprint(v), free: map[int]bool{v: true}, vars: []int{v}}
	a.key = fmt.Sprintf("i%d;", v)
	return a
}

func powerAtom(base *poly) *atom { return newAtom(kindPower, "", base) }

func (p *poly) free() map[int]bool {
	r := map[int]bool{}
	for _, t := range p.terms {
		for v := range t.mono.free() {
			r[v] = true
		}
	}
	return r
}

func (m mono) free() map[int]bool {
	r := map[int]bool{}
	for _, f := range m {
		for v := range f.atom.free {
			r[v] = true
		}
	}
	return r
}

func (p *poly) depth() int {
	d := 0
	for _, t := range p.terms {
		for _, f := range t.mono {
			d = max(d, f.atom.depth)
		}
	}
	return d
}

// boundBase separates the numbers of canonical bound variables from those of the functions' variables.
const boundBase = 1 << 20

// sumOver is Σ over vars with the given extents of m, with the bound variables renamed by depth and ordered so that equal
// sums have equal keys.
func sumOver(vars []int, extents map[int]*poly, m mono) *poly {
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
		for i, v := range perm {
			name := boundBase + depth*64 + i
			names = append(names, name)
			to[v] = single(indexAtom(name), one)
			ext = append(ext, extents[v])
			b.WriteString(extents[v].Key())
			b.WriteByte(',')
		}
		body, c := renameMono(m, to)
		b.WriteByte('|')
		b.WriteString(body.key())
		a := &atom{kind: kindSum, bound: ext, vars: names, body: body, depth: depth + 1, free: map[int]bool{}}
		a.key = "s{" + b.String() + "}"
		if best == nil || a.key < best.key {
			best, coef = a, c
		}
	}
	for v := range best.body.free() {
		best.free[v] = true
	}
	for _, v := range best.vars {
		delete(best.free, v)
	}
	return scale(single(best, one), coef)
}

// permutations of up to four variables; more keep their order, which can only miss a proof.
func permutations(v []int) [][]int {
	v = append([]int(nil), v...)
	sort.Ints(v)
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

// substitute replaces index variables. Conditions and functions are rebuilt, so the result is canonical again.
func (p *poly) substitute(to map[int]*poly) *poly {
	touched := false
	for v := range p.free() {
		if to[v] != nil {
			touched = true
		}
	}
	if !touched {
		return p
	}
	r := integer(0)
	for _, t := range p.terms {
		q := constant(t.coef)
		for _, f := range t.mono {
			q = times(q, power(f.atom.substitute(to), f.exp))
		}
		r = sum(r, q, 1)
	}
	return r
}

// renameMono replaces variables by variables. A monomial stays one but for a factor: the base of a power may be turned around or
// scaled, so that its first term, in the order of the new names, has coefficient 1.
func renameMono(m mono, to map[int]*poly) (mono, *big.Rat) {
	p := integer(1)
	for _, f := range m {
		p = times(p, power(f.atom.substitute(to), f.exp))
	}
	if len(p.terms) != 1 {
		giveUp("a renamed monomial is none")
	}
	t := p.sorted()[0]
	return t.mono, t.coef
}

func (a *atom) substitute(to map[int]*poly) *poly {
	touched := false
	for v := range a.free {
		if to[v] != nil {
			touched = true
		}
	}
	if !touched {
		return single(a, one)
	}
	if a.kind == kindIndex {
		return to[a.vars[0]]
	}
	if a.kind == kindSum {
		return a.substituteSum(to)
	}
	args := make([]*poly, len(a.args))
	for i, p := range a.args {
		args[i] = p.substitute(to)
	}
	return rebuild(a, args)
}

// substituteSum keeps the bound variables apart from what comes in.
func (a *atom) substituteSum(to map[int]*poly) *poly {
	inner := map[int]*poly{}
	for v, p := range to {
		inner[v] = p
	}
	fresh := make([]int, len(a.vars))
	ext := map[int]*poly{}
	for i, v := range a.vars {
		fresh[i] = freshVar()
		inner[v] = single(indexAtom(fresh[i]), one)
		ext[fresh[i]] = a.bound[i]
	}
	body := integer(1)
	for _, f := range a.body {
		body = times(body, power(f.atom.substitute(inner), f.exp))
	}
	return overAll(fresh, ext, body)
}
