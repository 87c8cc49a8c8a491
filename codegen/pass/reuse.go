package pass

import (
	"maps"

	"github.com/opgen/opgen/codegen/ir"
)

// formula is an output whose forward definition is a product of at least two factors, and at most maxFactors.
type formula struct {
	def *ir.Def
	is  term
}

// maxFactors bounds the factors that are looked for in each product.
const maxFactors = 32

// outputFormulas finds the outputs of the forward function, inputs here, that are products.
func outputFormulas(f *ir.Func) []formula {
	input := map[*ir.Tensor]bool{}
	for _, t := range f.Inputs {
		input[t] = t.Role == ir.Output
	}
	var r []formula
	for _, d := range f.Given {
		if !input[d.Target] || !d.IsPointwise() {
			continue
		}
		if t := factors(d.Body); len(t.num)+len(t.den) > 1 && len(t.num)+len(t.den) <= maxFactors && len(t.num) > 0 && t.num[0].Op == ir.OpRead {
			r = append(r, formula{d, t})
		}
	}
	return r
}

// reuse reads outputs where their formulas occur among the factors of a term.
func (l *linear) reuse(t term) term {
	for _, k := range l.known {
		tried := map[int]bool{} // first factors that name no output
		for i := 0; i < len(t.num); {
			if first := l.num.ID(t.num[i]); !tried[first] {
				if n, ok := l.replace(t, i, k); ok {
					t = n // without factors, so that those tried aren't tried again
					continue
				}
				tried[first] = true
			}
			i++
		}
	}
	return t
}

// wanted are the factors of a formula at one element of its output, by their numbers.
type wanted struct {
	num, den map[int]int
	count    [2]int
	element  *ir.Value // of the output
}

// wantedOf names a formula, and the number of the value that is its first factor.
type wantedOf struct {
	def   *ir.Def
	first int
}

// wantedBy is what a formula whose first factor is a value is made of; nil where that doesn't tell.
func (l *linear) wantedBy(k formula, have *ir.Value) *wanted {
	key := wantedOf{k.def, l.num.ID(have)}
	w, ok := l.wanted[key]
	if !ok {
		if l.wanted == nil {
			l.wanted = map[wantedOf]*wanted{}
		}
		w = l.wants(k, have)
		l.wanted[key] = w
	}
	return w
}

func (l *linear) wants(k formula, have *ir.Value) *wanted {
	read := k.is.num[0]
	if have.Op != ir.OpRead || have.Tensor != read.Tensor {
		return nil
	}
	// The first factor has to name every variable of the output, so that it tells the element.
	m := map[*ir.Var]*ir.Value{}
	for j, a := range read.Args {
		if a.Op != ir.OpIndex {
			return nil
		}
		m[a.Var] = have.Args[j]
	}
	index := make([]*ir.Value, len(k.def.Dest))
	for j, e := range k.def.Dest {
		if index[j] = m[e.Var]; index[j] == nil {
			return nil
		}
	}
	numbers := func(list []*ir.Value) map[int]int {
		r := map[int]int{}
		for _, v := range ir.SubstAll(list, m) {
			r[l.num.ID(v)]++
		}
		return r
	}
	return &wanted{numbers(k.is.num), numbers(k.is.den), [2]int{len(k.is.num), len(k.is.den)}, ir.Read(k.def.Target, index...)}
}

// replace puts the output in the place of its formula, whose first factor is factor i of t.
func (l *linear) replace(t term, i int, k formula) (term, bool) {
	w := l.wantedBy(k, t.num[i])
	if w == nil {
		return t, false
	}
	take := func(list []*ir.Value, want map[int]int, n int) (rest []*ir.Value, ok bool) {
		left := maps.Clone(want)
		for _, v := range list {
			if id := l.num.ID(v); left[id] > 0 {
				left[id]--
			} else {
				rest = append(rest, v)
			}
		}
		return rest, len(rest) == len(list)-n
	}
	num, ok1 := take(t.num, w.num, w.count[0])
	den, ok2 := take(t.den, w.den, w.count[1])
	if !ok1 || !ok2 {
		return t, false
	}
	r := term{coef: t.coef, num: append(num, w.element), den: den}
	r.coef = unit().over(term{coef: k.is.coef}).times(term{coef: t.coef}).coef
	return r, true
}
