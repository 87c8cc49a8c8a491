package ir

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

// linearForm is an exact value as a constant and a sum of multiples of variables (*Var), extents (*Axis) and attributes (by name).
type linearForm struct {
	c     *big.Rat
	terms map[any]*big.Rat
}

// linearOf takes an exact value apart; nil where it isn't linear.
func linearOf(v *Value) *linearForm {
	if v.Type.Kind != Exact {
		return nil
	}
	one := func(key any) *linearForm {
		return &linearForm{c: new(big.Rat), terms: map[any]*big.Rat{key: big.NewRat(1, 1)}}
	}
	switch v.Op {
	case OpConst:
		return &linearForm{c: v.Const, terms: map[any]*big.Rat{}}
	case OpIndex:
		return one(v.Var)
	case OpExtent:
		return one(v.Axis)
	case OpScalar:
		return one(v.Name)
	case OpNeg:
		if a := linearOf(v.Args[0]); a != nil {
			return a.times(minusOne)
		}
	case OpAdd, OpSub:
		a, b := linearOf(v.Args[0]), linearOf(v.Args[1])
		if a == nil || b == nil {
			return nil
		}
		if v.Op == OpSub {
			b = b.times(minusOne)
		}
		return a.plus(b)
	case OpMul:
		for i, a := range v.Args {
			if b := v.Args[1-i]; a.Const != nil {
				if f := linearOf(b); f != nil {
					return f.times(a.Const)
				}
			}
		}
	}
	return nil
}

// WithoutVars is an exact value in which all variables cancel, written without them; nil where they don't.
func WithoutVars(v *Value) *Value {
	f := linearOf(v)
	if f == nil {
		return nil
	}
	zero := map[*Var]*Value{}
	for x := range FreeVars(v) {
		if f.terms[x] != nil {
			return nil
		}
		zero[x] = Int(0)
	}
	return Subst(v, zero)
}

func (f *linearForm) times(c *big.Rat) *linearForm {
	r := &linearForm{c: new(big.Rat).Mul(f.c, c), terms: map[any]*big.Rat{}}
	if c.Sign() != 0 {
		for k, a := range f.terms {
			r.terms[k] = new(big.Rat).Mul(a, c)
		}
	}
	return r
}

func (f *linearForm) plus(g *linearForm) *linearForm {
	r := &linearForm{c: new(big.Rat).Add(f.c, g.c), terms: map[any]*big.Rat{}}
	for k, a := range f.terms {
		r.terms[k] = a
	}
	for k, b := range g.terms {
		if a := r.terms[k]; a != nil {
			b = new(big.Rat).Add(a, b)
		}
		if r.terms[k] = b; b.Sign() == 0 {
			delete(r.terms, k)
		}
	}
	return r
}

func (f *linearForm) minus(g *linearForm) *linearForm { return f.plus(g.times(minusOne)) }

// most is the greatest value of f, nil where it isn't known: variables are replaced by the ends of their ranges (those of
// vars from the last to the first, since a range may depend on variables before), and facts, each a form that is not
// positive, may be added.
func (f *linearForm) most(vars []*Var, facts []*linearForm) *big.Rat {
	if m := f.ends(vars); m != nil {
		return m
	}
	for _, x := range facts {
		if m := f.minus(x).ends(vars); m != nil {
			return m
		}
	}
	return nil
}

// ends is most without facts.
func (f *linearForm) ends(vars []*Var) *big.Rat {
	one := &linearForm{c: big.NewRat(1, 1), terms: map[any]*big.Rat{}}
	for i := len(vars) - 1; i >= 0; i-- {
		v := vars[i]
		a := f.terms[v]
		if a == nil {
			continue
		}
		end := &linearForm{c: new(big.Rat), terms: map[any]*big.Rat{}}
		switch {
		case a.Sign() > 0 && v.Axis != nil:
			end = linearOf(Extent(v.Axis)).minus(one)
		case a.Sign() > 0:
			if end = linearOf(v.Hi); end == nil {
				return nil
			}
			end = end.minus(one)
		case v.Axis == nil:
			if end = linearOf(v.Lo); end == nil {
				return nil
			}
		}
		f = f.plus(end.minus(linearOf(Index(v))).times(a))
	}
	if len(f.terms) > 0 {
		return nil
	}
	return f.c
}

// factsOf are the forms that conditions say are not positive: of a ≤ b and a < b between exact values, and of equalities.
func factsOf(conds []*Value) []*linearForm {
	var r []*linearForm
	for _, w := range conds {
		for _, c := range Conjuncts(w) {
			if c.Op != OpLt && c.Op != OpLe && c.Op != OpEq {
				continue
			}
			a, b := linearOf(c.Args[0]), linearOf(c.Args[1])
			if a == nil || b == nil {
				continue
			}
			f := a.minus(b)
			switch c.Op {
			case OpLt: // of whole numbers
				if IsWhole(c.Args[0]) && IsWhole(c.Args[1]) {
					f = f.plus(&linearForm{c: big.NewRat(1, 1), terms: map[any]*big.Rat{}})
				}
			case OpEq:
				r = append(r, f.times(minusOne))
			}
			r = append(r, f)
		}
	}
	return r
}

// LinearIn splits an exact e into a*v + rest; a is nil where e isn't linear in v.
func LinearIn(e *Value, v *Var) (a *big.Rat, rest *Value) {
	if !DependsOn(e, map[*Var]bool{v: true}) {
		return new(big.Rat), e
	}
	if e.Type.Kind != Exact {
		return nil, nil
	}
	switch e.Op {
	case OpIndex:
		return big.NewRat(1, 1), Int(0)
	case OpNeg:
		if a, rest = LinearIn(e.Args[0], v); a != nil {
			return a.Neg(a), Neg(rest)
		}
	case OpAdd, OpSub:
		a, r := LinearIn(e.Args[0], v)
		b, q := LinearIn(e.Args[1], v)
		if a == nil || b == nil {
			return nil, nil
		}
		if e.Op == OpAdd {
			return a.Add(a, b), Add(r, q)
		}
		return a.Sub(a, b), Sub(r, q)
	case OpMul:
		for i, x := range e.Args {
			if c := e.Args[1-i].Const; c != nil {
				if a, rest = LinearIn(x, v); a != nil {
					return a.Mul(a, c), Mul(rest, e.Args[1-i])
				}
			}
		}
	}
	return nil, nil
}

// AtMost tells whether a ≤ b is known to hold for all points of vars, of exact values.
func AtMost(a, b *Value, vars []*Var) bool {
	x, y := linearOf(a), linearOf(b)
	if x == nil || y == nil {
		return false
	}
	m := x.minus(y).most(vars, nil)
	return m != nil && m.Sign() <= 0
}

// Ordered is an exact value written as the sum that it is, one term for each variable, extent and attribute, positive ones first and the constant
// last; v itself where it isn't linear in them.
func Ordered(v *Value) *Value {
	f := linearOf(v)
	if f == nil {
		return v
	}
	keys := slices.SortedFunc(maps.Keys(f.terms), func(a, b any) int {
		if s := f.terms[b].Sign() - f.terms[a].Sign(); s != 0 {
			return s
		}
		return strings.Compare(atom(a).String(), atom(b).String())
	})
	r := Int(0)
	for _, k := range keys {
		c := f.terms[k]
		t := atom(k)
		if a := new(big.Rat).Abs(c); a.Cmp(big.NewRat(1, 1)) != 0 {
			t = Mul(Const(a), t)
		}
		if c.Sign() < 0 {
			r = Sub(r, t)
		} else {
			r = Add(r, t)
		}
	}
	if f.c.Sign() < 0 {
		return Sub(r, Const(new(big.Rat).Neg(f.c)))
	}
	return Add(r, Const(f.c))
}

// atom is the value that a key of a linear form stands for.
func atom(key any) *Value {
	switch k := key.(type) {
	case *Var:
		return Index(k)
	case *Axis:
		return Extent(k)
	}
	return &Value{Op: OpScalar, Type: ExactType, Name: key.(string)}
}
