package prove

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
)

// maxShrink bounds the points that are tried to make a counterexample smaller.
const maxShrink = 1000

// shrink makes the counterexample smaller as long as the formulas differ: fewer elements along axes, then numbers with few digits.
func (p *points) shrink() {
	at := p.at
	if at == nil || p.verdict.Counter == nil || p.verdict.Counter.Fault != "" {
		return
	}
	limit := p.evals + maxShrink
	off := p.steady(*at) // away from kinks, and so it stays
	try := func(b *ir.Binding) bool {
		if b == nil || p.evals > limit || off && !p.steady(*b) || !p.smaller(*b) {
			return false
		}
		at = b
		return true
	}
	for again := true; again; {
		again = false
		for _, a := range p.f.Axes {
			for i := at.Extents[a] - 1; i >= 0 && at.Extents[a] > 1 && !p.follows(a); i-- {
				again = try(p.without(*at, a, i)) || again
			}
		}
	}
	for _, t := range p.f.Inputs {
		for i := range at.Arrays[t].Data {
			if !p.f.IsFloat(t) {
				break
			}
			for _, x := range simpler(at.Arrays[t].Data[i]) {
				if try(p.with(*at, t, i, x)) {
					break
				}
			}
		}
	}
}

// simpler are numbers to try instead of x, the simplest first.
func simpler(x float64) []float64 {
	if !isFinite(x) {
		return []float64{1, 2, -1, -2}
	}
	r := []float64{math.Copysign(1, x), math.Copysign(2, x)}
	for digits := 1; digits <= 2; digits++ {
		if y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64); err == nil {
			r = append(r, y)
		}
	}
	return r
}

// steady tells whether both formulas are nearly the same close to a point, as they aren't on a kink.
func (p *points) steady(b ir.Binding) bool {
	r := p.eval(b)
	for range 4 {
		q := p.eval(p.near(b))
		if r == nil || q == nil {
			return false
		}
		for _, t := range []*ir.Tensor{p.got, p.want} {
			for i, x := range r[t].Data {
				if y := q[t].Data[i]; !(math.Abs(x-y) <= 1e-3*(1+math.Abs(x))) {
					return false
				}
			}
		}
	}
	return true
}

// smaller compares at a point, and keeps what it finds if the formulas differ.
func (p *points) smaller(b ir.Binding) bool {
	old := p.verdict
	p.verdict.Counter = nil
	if p.defined(b) {
		if r := p.eval(b); r != nil {
			p.compare(b, r)
		}
	}
	found := p.verdict.Counter
	p.verdict = old
	if found != nil {
		p.verdict.Counter = found
	}
	return found != nil
}

// without leaves out an element of an axis, and what follows from the extent; nil: no call may have that.
func (p *points) without(b ir.Binding, a *ir.Axis, i int) *ir.Binding {
	c := b
	c.Extents = maps.Clone(b.Extents)
	c.Extents[a]--
	if !p.place(c) || slices.ContainsFunc(p.choices, func(x ir.Choice) bool { return x.Cond != nil && !p.meets(x, c) }) {
		return nil
	}
	c.Arrays = map[*ir.Tensor]*ir.Array{}
	for t, old := range b.Arrays {
		shape := make([]int, len(t.Axes))
		for d, x := range t.Axes {
			if shape[d] = c.Extents[x]; shape[d] > b.Extents[x] {
				return nil
			}
		}
		n := ir.NewArray(shape...)
		for k := range n.Data {
			from, stride, rest := 0, 1, k
			for d := len(shape) - 1; d >= 0; d-- {
				at := rest % shape[d]
				rest /= shape[d]
				if t.Axes[d] == a && at >= i {
					at++
				}
				from += at * stride
				stride *= old.Shape[d]
			}
			n.Data[k] = old.Data[from]
		}
		c.Arrays[t] = n
	}
	return &c
}

// with is a point at which one element is another number.
func (p *points) with(b ir.Binding, t *ir.Tensor, i int, x float64) *ir.Binding {
	if b.Arrays[t].Data[i] == x {
		return nil
	}
	c := b
	c.Arrays = maps.Clone(b.Arrays)
	n := &ir.Array{Shape: b.Arrays[t].Shape, Data: slices.Clone(b.Arrays[t].Data)}
	n.Data[i] = x
	c.Arrays[t] = n
	return &c
}
