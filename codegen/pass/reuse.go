package pass

import "github.com/opgen/opgen/codegen/ir"

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

// replace puts the output in the place of its formula, whose first factor is factor i of t.
func (l *linear) replace(t term, i int, k formula) (term, bool) {
	read := k.is.num[0]
	have := t.num[i]
	if have.Op != ir.OpRead || have.Tensor != read.Tensor {
		return t, false
	}
	// The first factor has to name every variable of the output, so that it tells the element.
	m := map[*ir.Var]*ir.Value{}
	for j, a := range read.Args {
		if a.Op != ir.OpIndex {
			return t, false
		}
		m[a.Var] = have.Args[j]
	}
	index := make([]*ir.Value, len(k.def.Dest))
	for j, e := range k.def.Dest {
		if index[j] = m[e.Var]; index[j] == nil {
			return t, false
		}
	}
	take := func(list, want []*ir.Value) (rest []*ir.Value, ok bool) {
		count := map[int]int{}
		for _, w := range want {
			count[l.num.ID(ir.Subst(w, m))]++
		}
		for _, v := range list {
			if id := l.num.ID(v); count[id] > 0 {
				count[id]--
			} else {
				rest = append(rest, v)
			}
		}
		return rest, len(rest) == len(list)-len(want)
	}
	num, ok1 := take(t.num, k.is.num)
	den, ok2 := take(t.den, k.is.den)
	if !ok1 || !ok2 {
		return t, false
	}
	r := term{coef: t.coef, num: append(num, ir.Read(k.def.Target, index...)), den: den}
	r.coef = unit().over(term{coef: k.is.coef}).times(term{coef: t.coef}).coef
	return r, true
}
