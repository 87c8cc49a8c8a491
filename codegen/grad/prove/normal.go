// Package prove decides whether two formulas are equal: by a normal form where it can, else at points made for each
// condition. It is used for derivatives written by hand and for dropping derivatives that are zero.
//
// The normal form is a polynomial with rational exponents over atoms: reads, sizes, attributes, exp of monomials,
// conditions (0 or 1), functions, and sums with canonical bound variables. Equal normal forms mean equal formulas
// wherever both are defined, but for a set of measure zero; unequal ones mean nothing, and the points decide.
package prove

import (
	"fmt"
	"math/big"

	"github.com/opgen/opgen/codegen/ir"
)

// normalizer turns values of one function into normal form.
type normalizer struct {
	*ring
	defs  map[*ir.Tensor][]*ir.Def
	elems []ir.ElemVar // the classes of dtype variables
	vars  map[*ir.Var]int
	ids   map[any]int // tensors and axes by order of appearance, so that keys and messages are the same from run to run
	memo  map[string]*poly
	depth int
	// almost takes formulas for equal that differ only where two floats are equal (kinks and ties). It tells whether a
	// value is a float; nil: conditions are exact.
	almost func(*ir.Value) bool
}

func newNormalizer(elems []ir.ElemVar, defs ...*ir.Def) *normalizer {
	n := &normalizer{ring: newRing(), elems: elems, defs: map[*ir.Tensor][]*ir.Def{}, vars: map[*ir.Var]int{}, ids: map[any]int{}, memo: map[string]*poly{}}
	for _, d := range defs {
		n.defs[d.Target] = append(n.defs[d.Target], d)
	}
	return n
}

// env gives index variables their values.
type env struct {
	at   map[*ir.Var]*poly
	memo map[*ir.Value]*poly // of values that occur in several places; nil: variables may still get values
}

// catch runs f and turns giving up into an error.
func catch(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case tooBig:
			err = fmt.Errorf("%s", e.why)
		default:
			panic(e)
		}
	}()
	f()
	return nil
}

func (n *normalizer) number(v *ir.Var) int {
	if n.vars[v] == 0 {
		n.vars[v] = n.fresh()
	}
	return n.vars[v]
}

// value is the normal form of v.
func (n *normalizer) value(v *ir.Value, e *env) *poly {
	if e.memo == nil || len(v.Args) == 0 {
		return n.expanded(v, e)
	}
	p := e.memo[v]
	if p == nil {
		p = n.expanded(v, e)
		e.memo[v] = p
	}
	return p
}

// expanded is the normal form of v, that of its arguments being known.
func (n *normalizer) expanded(v *ir.Value, e *env) *poly {
	switch v.Op {
	case ir.OpConst:
		return constant(v.Const)
	case ir.OpPi:
		return n.single(n.atom(kindSize, "π"), one)
	case ir.OpInf, ir.OpNaN:
		return n.single(n.atom(kindName, v.Op.String()), one)
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		return n.single(n.atom(kindName, v.Op.String()+" "+v.Type.String()), one)
	case ir.OpUniform, ir.OpNormal:
		return n.single(n.atom(kindFunc, fmt.Sprintf("%v %s %d", v.Op, v.Name, v.Stream), n.value(v.Args[0], e)), one)
	case ir.OpScalar:
		return n.single(n.atom(kindName, v.Name), one)
	case ir.OpExtent:
		return n.size(v.Axis)
	case ir.OpIndex:
		if p := e.at[v.Var]; p != nil {
			return p
		}
		return n.index(n.number(v.Var))
	case ir.OpTrue:
		return integer(1)
	case ir.OpFalse:
		return integer(0)
	case ir.OpRead:
		index := make([]*poly, len(v.Args))
		for i, a := range v.Args {
			index[i] = n.value(a, e)
		}
		return n.read(v.Tensor, index)
	case ir.OpPresent:
		return n.single(n.atom(kindCond, "has "+n.unique(v.Tensor.Name, v.Tensor)), one)
	case ir.OpLt:
		if v.Args[1].Op == ir.OpExtent && ir.IsConst(v.Args[0], 0) {
			return integer(1) // sums over nothing are told apart by guards, not by formulas
		}
	case ir.OpSelect:
		c := n.value(v.Args[0], e)
		if k, ok := c.number(); ok {
			if k.Sign() != 0 {
				return n.value(v.Args[1], e)
			}
			return n.value(v.Args[2], e)
		}
		return n.choose(c, n.value(v.Args[1], e), n.value(v.Args[2], e))
	}
	args := make([]*poly, len(v.Args))
	for i, a := range v.Args {
		args[i] = n.value(a, e)
	}
	if n.almost != nil && n.almost(v.Args[0]) {
		if p := n.almostEverywhere(v.Op, args); p != nil {
			return p
		}
	}
	switch {
	case v.Op == ir.OpCast:
		return n.cast(v, args[0])
	case n.whole(v.Type):
		return n.arithmetic(v, args)
	}
	return n.apply(v.Op, args)
}

// almostEverywhere orients comparisons of floats, so that a < b and !(b < a) are the same, takes a == b for false and the square of a
// sign for 1, where equality is of measure zero. It is nil elsewhere.
func (r *ring) almostEverywhere(op ir.Op, a []*poly) *poly {
	d := a[0]
	switch op {
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe, ir.OpMax, ir.OpMin:
		d = r.sum(a[0], a[1], -1)
	case ir.OpSign, ir.OpAbs:
	default:
		return nil
	}
	if _, ok := d.number(); ok || !r.varies(d) {
		return nil
	}
	less := func(d *poly) *poly {
		if e, flip := lead(d); flip {
			return r.not(r.below(e))
		}
		return r.below(d)
	}
	switch op {
	case ir.OpLt, ir.OpLe:
		return less(d)
	case ir.OpEq, ir.OpNe:
		return truth(op == ir.OpNe)
	case ir.OpMax:
		return r.choose(less(d), a[1], a[0])
	case ir.OpMin:
		return r.choose(less(d), a[0], a[1])
	case ir.OpSign:
		return r.function(signOff, d)
	case ir.OpAbs:
		return r.times(d, r.function(signOff, d))
	}
	return nil
}

// unique is a name that no other tensor or axis has.
func (n *normalizer) unique(name string, of any) string {
	if n.ids[of] == 0 {
		n.ids[of] = len(n.ids) + 1
	}
	return fmt.Sprintf("%s@%d", name, n.ids[of])
}

func (n *normalizer) size(a *ir.Axis) *poly {
	return n.single(n.atom(kindSize, n.unique(a.Name, a)), one)
}

// apply is the normal form of an op of normal forms.
func (r *ring) apply(op ir.Op, a []*poly) *poly {
	switch op {
	case ir.OpStop:
		return a[0]
	case ir.OpAdd:
		return r.sum(a[0], a[1], 1)
	case ir.OpSub:
		return r.sum(a[0], a[1], -1)
	case ir.OpMul, ir.OpAbsorb:
		return r.times(a[0], a[1])
	case ir.OpDiv:
		return r.times(a[0], r.power(a[1], minusOne))
	case ir.OpFma:
		return r.sum(r.times(a[0], a[1]), a[2], 1)
	case ir.OpNeg:
		return scale(a[0], minusOne)
	case ir.OpPow:
		if c, ok := a[1].number(); ok && (c.IsInt() || c.Denom().Cmp(big.NewInt(2)) == 0) {
			return r.power(a[0], c)
		}
		return r.single(r.atom(kindFunc, "pow", a...), one)
	case ir.OpSqrt:
		return r.power(a[0], big.NewRat(1, 2))
	case ir.OpRsqrt:
		return r.power(a[0], big.NewRat(-1, 2))
	case ir.OpExp:
		return r.exp(a[0])
	case ir.OpExpm1:
		return r.sum(r.exp(a[0]), integer(1), -1)
	case ir.OpLog:
		return r.log(a[0])
	case ir.OpLog1p:
		return r.log(r.sum(a[0], integer(1), 1))
	case ir.OpSigmoid:
		return r.power(r.sum(integer(1), r.exp(scale(a[0], minusOne)), 1), minusOne)
	case ir.OpTanh: // 1 - 2/(1 + exp(2x))
		return r.sum(integer(1), r.power(r.sum(integer(1), r.exp(scale(a[0], big.NewRat(2, 1))), 1), minusOne), -2)
	case ir.OpSoftplus:
		return r.log(r.sum(integer(1), r.exp(a[0]), 1))
	case ir.OpLogaddexp:
		return r.log(r.sum(r.exp(a[0]), r.exp(a[1]), 1))
	case ir.OpXlogy:
		return r.times(a[0], r.log(a[1]))
	case ir.OpHypot:
		return r.power(r.sum(r.times(a[0], a[0]), r.times(a[1], a[1]), 1), big.NewRat(1, 2))
	case ir.OpSinh, ir.OpCosh: // (exp(x) ∓ exp(-x))/2
		k := int64(1)
		if op == ir.OpSinh {
			k = -1
		}
		return scale(r.sum(r.exp(a[0]), r.exp(scale(a[0], minusOne)), k), big.NewRat(1, 2))
	case ir.OpExp2:
		return r.exp(r.times(a[0], r.log(integer(2))))
	case ir.OpLog2:
		return r.times(r.log(a[0]), r.power(r.log(integer(2)), minusOne))
	case ir.OpLog10:
		return r.times(r.log(a[0]), r.power(r.log(integer(10)), minusOne))
	case ir.OpErfc:
		return r.sum(integer(1), r.function("erf", a[0]), -1)
	case ir.OpMax, ir.OpMin: // one condition for both, whatever the order: p + (q-p)·[p < q] and q - (q-p)·[p < q]
		p, q := a[0], a[1]
		if q.Key() < p.Key() {
			p, q = q, p
		}
		d := r.sum(q, p, -1)
		more := r.times(d, r.below(scale(d, minusOne)))
		if op == ir.OpMax {
			return r.sum(p, more, 1)
		}
		return r.sum(q, more, -1)
	case ir.OpLt:
		return r.below(r.sum(a[0], a[1], -1))
	case ir.OpLe: // not b < a
		return r.not(r.below(r.sum(a[1], a[0], -1)))
	case ir.OpEq:
		return r.isZero(r.sum(a[0], a[1], -1))
	case ir.OpNe:
		return r.not(r.isZero(r.sum(a[0], a[1], -1)))
	case ir.OpNot:
		return r.not(a[0])
	case ir.OpAnd:
		return fold(a, r.times)
	case ir.OpOr:
		return fold(a, r.or)
	case ir.OpIsNaN, ir.OpIsInf, ir.OpSignbit:
		return r.single(r.atom(kindCond, op.String(), a...), one)
	}
	return r.function(op.String(), a...)
}

func fold(a []*poly, f func(p, q *poly) *poly) *poly {
	r := a[0]
	for _, p := range a[1:] {
		r = f(r, p)
	}
	return r
}

// maxDepth bounds the expansion of definitions in definitions.
const maxDepth = 60

// read is an element of a tensor: what its definitions say, or an atom for inputs and for reductions that are no sums.
func (n *normalizer) read(t *ir.Tensor, index []*poly) *poly {
	defs := n.defs[t]
	for _, d := range defs {
		if d.Monoid != ir.Assign && d.Monoid != ir.Sum || d.Group != 0 {
			defs = nil
			break
		}
	}
	name := n.unique(t.Name, t)
	if len(defs) == 0 {
		a := n.atom(kindRead, name, index...)
		if len(n.defs[t]) == 0 {
			a.elem, a.float = t.Elem.String(), ir.ClassOf(n.elems, t.Elem) == ir.ClassFloat
		}
		return n.single(a, one)
	}
	key := name
	for _, p := range index {
		key += p.Key()
	}
	if p := n.memo[key]; p != nil {
		return p
	}
	if n.depth++; n.depth > maxDepth {
		giveUp("definitions are nested too deeply")
	}
	r := integer(0)
	for _, d := range defs {
		r = n.sum(r, n.element(d, index), 1)
	}
	if (len(defs) > 1 || defs[0].Monoid == ir.Sum) && n.whole(ir.ElemType(t.Elem)) {
		r = n.wrapped(t.Elem, r)
	}
	n.depth--
	n.memo[key] = r
	return r
}

// element is what one definition gives at a point.
func (n *normalizer) element(d *ir.Def, index []*poly) *poly {
	e := &env{at: map[*ir.Var]*poly{}}
	cond := integer(1)
	type equation struct {
		dest *ir.Value
		want *poly
	}
	var rest []equation
	for i, dest := range d.Dest {
		if dest.Op == ir.OpIndex && e.at[dest.Var] == nil {
			e.at[dest.Var] = index[i]
		} else {
			rest = append(rest, equation{dest, index[i]})
		}
	}
	var vars []int
	extents := map[int]*poly{}
	for _, v := range d.Vars {
		if e.at[v] != nil {
			if v.Axis == nil {
				cond = n.times(cond, n.within(v, e.at[v], e))
			}
			continue
		}
		k := n.fresh()
		e.at[v] = n.index(k)
		vars = append(vars, k)
		if v.Axis != nil {
			extents[k] = n.size(v.Axis)
			continue
		}
		lo, hi := n.value(v.Lo, e), n.value(v.Hi, e)
		if len(lo.free()) > 0 || len(hi.free()) > 0 || !lo.isZero() {
			giveUp("a range depends on another variable")
		}
		extents[k] = n.count(hi)
	}
	e.memo = map[*ir.Value]*poly{}
	for _, q := range rest {
		cond = n.times(cond, n.isZero(n.sum(n.value(q.dest, e), q.want, -1)))
	}
	for _, w := range d.Where {
		cond = n.times(cond, n.value(w, e))
	}
	body := n.times(cond, n.value(d.Body, e))
	if len(vars) == 0 {
		return body
	}
	return n.overAll(vars, extents, body)
}

// count is how many indices are below a bound: none where that is negative.
func (r *ring) count(hi *poly) *poly {
	for _, t := range hi.terms {
		if t.coef.Sign() < 0 || !positive(t.mono) {
			return r.times(hi, r.not(r.below(hi)))
		}
	}
	return hi
}

// within is the condition lo ≤ p < hi.
func (n *normalizer) within(v *ir.Var, p *poly, e *env) *poly {
	lo, hi := n.value(v.Lo, e), n.value(v.Hi, e)
	return n.times(n.not(n.below(n.sum(p, lo, -1))), n.below(n.sum(p, hi, -1)))
}

func (r *ring) point(rank int) []*poly {
	p := make([]*poly, rank)
	for i := range p {
		p[i] = r.index(r.fresh())
	}
	return p
}

// Zero tells whether all elements of t are known to be zero by what defs say. vars gives the classes of dtype variables.
func Zero(vars []ir.ElemVar, defs []*ir.Def, t *ir.Tensor) bool {
	zero := false
	err := catch(func() {
		n := newNormalizer(vars, defs...)
		zero = n.vanishes(n.read(t, n.point(len(t.Axes))))
	})
	return err == nil && zero
}

// Equal tells whether a and b are known to be equal by what defs say: everywhere, or with isFloat but for points where two
// floats are equal. An error says why it could not be decided.
func Equal(vars []ir.ElemVar, defs []*ir.Def, a, b *ir.Tensor, isFloat func(*ir.Value) bool) (bool, error) {
	equal := false
	err := catch(func() {
		n := newNormalizer(vars, defs...)
		n.almost = isFloat
		at := n.point(len(a.Axes))
		equal = n.vanishes(n.sum(n.read(a, at), n.read(b, at), -1))
	})
	return equal, err
}
