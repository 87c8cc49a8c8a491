package ir

import (
	"math"

	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/interval"
)

// bounded tests bounds of a call.
func (m *machine) bounded(list []Fit) {
	leaves := &Leaves{
		Scalar: func(v *Value) interval.Interval {
			p := m.compile(nil, v)
			return intervalOf(p.exact(p.roots[0]))
		},
		Extent: func(a *Axis) interval.Interval {
			if a.Size != nil {
				return interval.Between(0, MaxElements+1)
			}
			return interval.Of(int64(m.extent(a)))
		},
	}
	for _, f := range list {
		if m.all(f.If) && !f.Interval(leaves).Inside(f.Bits()) {
			m.fail(f.Span, "%s", f.Message())
		}
	}
}

// intervalOf is one number.
func intervalOf(n number) interval.Interval {
	if w, ok := n.whole(); ok {
		return interval.Of(w)
	}
	if !held(n) {
		return interval.Unknown()
	}
	return interval.Ratio(n.r.Num().Int64(), n.r.Denom().Int64())
}

// all tells whether conditions of the call hold.
func (m *machine) all(conds []*Value) bool {
	for _, c := range conds {
		if p := m.compile(nil, c); !p.eval(p.roots[0]).b {
			return false
		}
	}
	return true
}

// held tells whether int64 hold the numerator and the denominator of an exact number.
func held(n number) bool { return n.r == nil || n.r.Num().IsInt64() && n.r.Denom().IsInt64() }

// signed tells whether int64 hold the numerator and the denominator of a quotient where the sign stands in the numerator.
func signed(a, b number) bool {
	x, whole := a.whole()
	y, wholes := b.whole()
	return !whole || !wholes || y != math.MinInt64 && (x != math.MinInt64 || y >= 0)
}

// isFree tells whether an exact value needn't be held by int64: what a power is part of that becomes a float is computed with floats, and
// a quotient of integers that is rounded to one of them as such.
func (p *program) isFree(v *Value) bool { return p.free[v] && !p.strict[v] }

// mark finds the exact values that are computed with floats, and those that aren't.
func (p *program) mark(v *Value, free bool) {
	if v.Type.Kind != Exact {
		free = false
	}
	set := p.strict
	if free {
		set = p.free
	}
	if set[v] {
		return
	}
	set[v] = true
	free = free || v.Op == OpCast && v.Type.Kind != Exact && v.Args[0].Type.Kind == Exact && HasPower(v.Args[0])
	if q := p.rounds(v); q != nil {
		p.free[q] = true
		for _, a := range q.Args {
			p.mark(a, false)
		}
		return
	}
	for _, a := range v.Args {
		p.mark(a, free)
	}
}

// rounds is the quotient of integers that v rounds to an integer; nil where it is something else.
func (p *program) rounds(v *Value) *Value {
	if v.Op != OpCast || v.Type.Kind != Typed || intBits[computeIn(v.Type.Elem.Resolve(p.m.dtypes))] == 0 {
		return nil
	}
	r := v.Args[0]
	if Facts[r.Op].Rule != RuleWhole || r.Args[0].Op != OpDiv || r.Args[0].Type.Kind != Exact {
		return nil
	}
	return r.Args[0]
}

// limited tests that a range that is no axis has at most MaxPoints numbers.
func (m *machine) limited(v *Var, span diag.Span, lo, hi int) {
	if hi > lo && uint64(hi)-uint64(lo) > MaxPoints {
		m.fail(span, "%s", Fit{Range: v}.Message())
	}
}
