package prove

import (
	"maps"
	"math"

	"github.com/opgen/opgen/codegen/ir"
)

// condition is a comparison of floats, by the difference of its sides, and what of it points have met.
type condition struct {
	diff             *ir.Tensor
	cond             *ir.Value
	op               ir.Op
	guard            bool // of the derivative, for attributes at which its formula is another: x^0
	place            bool // no comparison: a sum near whose zero a formula may be another; points need not reach it
	below, at, above bool // the difference was negative, zero, positive where the two were compared
	crossed          bool // the two were compared where it changes its sign
}

func (c *condition) note(a *ir.Array) {
	if a == nil {
		return
	}
	for _, x := range a.Data {
		c.below = c.below || x < 0
		c.at = c.at || x == 0 || c.equality() && math.IsNaN(x) // ∞ - ∞
		c.above = c.above || x > 0
	}
}

func (c *condition) equality() bool { return c.op == ir.OpEq || c.op == ir.OpNe }

// met tells whether all of a condition was seen: where it holds and where it doesn't, or both sides of a kink, of which one
// may be the kink itself where a difference never changes its sign.
func (c *condition) met() bool {
	if c.place {
		return c.crossed
	}
	switch c.op {
	case ir.OpEq, ir.OpNe:
		return c.at
	case ir.OpLt:
		return c.below && (c.at || c.above)
	case ir.OpFloor: // some step that isn't beside zero
		return c.at || c.above
	case ir.OpLe:
		return (c.below || c.at) && c.above
	}
	return (c.below || c.at) && (c.at || c.above)
}

// reaches are factors and shifts that take a point to where a condition may change.
var reaches = []float64{8, 64, 1 << 10, 1 << 14, 1 << 20, 1 << 30, 1e-3, 1e-6, 0}

// bothSides looks for the sides of conditions that the points drawn so far have not met: inputs are scaled and shifted until a
// condition changes, and the two are compared where it does.
func (p *points) bothSides(extents []map[*ir.Axis]int) {
	limit := p.evals + maxEvals
	for _, c := range p.conds {
		for _, ext := range extents[:min(len(extents), 3)] {
			if c.met() {
				break
			}
			a, ra := p.make(ext, usual)
			if a == nil {
				continue
			}
		search:
			for _, s := range reaches {
				if c.place && s > 1<<20 { // rounding of such numbers is seen in right formulas
					continue
				}
				for _, move := range []func(t *ir.Tensor, x float64) float64{
					func(t *ir.Tensor, x float64) float64 { return ifNot(t, x, x*s) },
					func(t *ir.Tensor, x float64) float64 { return ifNot(t, x, x+s) },
					func(t *ir.Tensor, x float64) float64 { return ifNot(t, x, x-s) },
					func(t *ir.Tensor, x float64) float64 { return ifCotangent(t, x, x*s) },
					func(t *ir.Tensor, x float64) float64 { return ifCotangent(t, x, -x*s) },
				} {
					b := p.moved(*a, move)
					rb := p.eval(b)
					if rb == nil {
						continue
					}
					p.compare(b, rb)
					if p.verdict.Counter == nil {
						p.crossing(c, *a, b, ra, rb)
					}
					if p.verdict.Counter != nil || p.evals > limit {
						return
					}
					if c.met() {
						break search
					}
				}
			}
		}
		if !c.met() && !c.place && !(c.equality() && (p.known == offKinks || c.guard)) && p.verdict.Unmet == "" {
			p.verdict.Unmet = c.cond.Words()
		}
	}
}

func ifCotangent(t *ir.Tensor, x, moved float64) float64 {
	if t.Role == ir.Cotangent {
		return moved
	}
	return x
}

func ifNot(t *ir.Tensor, x, moved float64) float64 {
	if t.Role == ir.Cotangent {
		return x
	}
	return moved
}

// moved is a point with each float changed.
func (p *points) moved(b ir.Binding, move func(t *ir.Tensor, x float64) float64) ir.Binding {
	c := b
	c.Arrays = map[*ir.Tensor]*ir.Array{}
	for t, a := range b.Arrays {
		c.Arrays[t] = a
		if !p.f.IsFloat(t) {
			continue
		}
		n := &ir.Array{Shape: a.Shape, Data: make([]float64, len(a.Data))}
		for i, x := range a.Data {
			n.Data[i] = move(t, x)
		}
		c.Arrays[t] = n
	}
	return c
}

// alongLines goes to where conditions change between two points with the same attributes and integers.
func (p *points) alongLines(extents []map[*ir.Axis]int) {
	limit := p.evals + maxEvals
	for round := range lines {
		for i, ext := range extents {
			a, ra := p.make(ext, mixed[(round+i)%len(mixed)])
			if a == nil {
				continue
			}
			p.fixed = a.Scalars // extents may follow from them
			far, _ := p.make(ext, usual)
			p.fixed = nil
			if far == nil || !maps.Equal(far.Extents, a.Extents) {
				continue
			}
			b := p.between(*a, *far, 1)
			rb := p.eval(b)
			for _, c := range p.conds {
				if rb != nil && p.verdict.Counter == nil && p.evals <= limit {
					p.crossing(c, *a, b, ra, rb)
				}
			}
			if p.verdict.Counter != nil || p.evals > limit {
				return
			}
		}
	}
}

// crossing goes to where one element of a condition changes between two points, and compares on both sides: at neighbouring
// floats, so that the second is the point of equality where there is one.
func (p *points) crossing(c *condition, a, b ir.Binding, ra, rb values) {
	if ra[c.diff] == nil || rb[c.diff] == nil {
		return
	}
	for i := range ra[c.diff].Data {
		x, y := ra[c.diff].Data[i], rb[c.diff].Data[i]
		if !(x < 0 && y > 0 || x > 0 && y < 0) {
			continue
		}
		if x > 0 {
			a, b = b, a
		}
		steps := 42
		if c.equality() || c.place {
			steps = 60
		}
		lo, hi := 0.0, 1.0
		alone := *p.f // what the condition compares, without what follows from it
		alone.Outputs = []*ir.Tensor{c.diff}
		alone.Defs = ir.Live(&alone)
		for range steps {
			mid := (lo + hi) / 2
			if mid == lo || mid == hi {
				break
			}
			p.evals++
			r, err := ir.Eval(&alone, p.between(a, b, mid))
			if err != nil || math.IsNaN(r[c.diff].Data[i]) {
				return
			}
			if r[c.diff].Data[i] < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		for _, at := range []float64{lo, hi} {
			q := p.between(a, b, at)
			if r := p.eval(q); r != nil && p.verdict.Counter == nil {
				p.compare(q, r)
				c.crossed = true
			}
		}
		return // one element of each condition
	}
}

// choose makes a point meet the conditions of the variant: an attribute that must equal a number gets it.
func (p *points) choose(b ir.Binding) bool {
	for range len(p.choices) + 1 { // what is changed for one choice may change another one
		met := true
		for _, c := range p.choices {
			if c.Cond == nil || p.meets(c, b) {
				continue
			}
			met = false
			if !p.meetsBeside(c, b) || !p.place(b) {
				return false
			}
		}
		if met {
			p.verdict.Taken = true
			return true
		}
	}
	return false
}

func (p *points) meets(c ir.Choice, b ir.Binding) bool {
	x, err := ir.EvalScalar(p.f, c.Cond, b)
	return err == nil && (x != 0) == c.Holds
}

// meetsBeside tries the number that an attribute is compared with, and those beside it.
func (p *points) meetsBeside(c ir.Choice, b ir.Binding) bool {
	name, v := compared(c.Cond)
	if name == "" {
		return false
	}
	x, err := ir.EvalScalar(p.f, v, b)
	if err != nil {
		return false
	}
	for _, step := range []float64{0, 1, -1} {
		b.Scalars[name] = x + step
		if p.meets(c, b) {
			return true
		}
	}
	return false
}

// equated is the attribute that must equal a value of none where a condition holds, and that value.
func equated(cond *ir.Value) (string, *ir.Value) {
	if cond.Op != ir.OpEq {
		return "", nil
	}
	return compared(cond)
}

// compared is the attribute that a comparison compares with a value of none, and that value.
func compared(cond *ir.Value) (string, *ir.Value) {
	if len(cond.Args) != 2 {
		return "", nil // signbit(x), or a negation
	}
	for i, a := range cond.Args {
		for a.Op == ir.OpCast {
			a = a.Args[0]
		}
		other := cond.Args[1-i]
		free := true
		ir.Walk(other, func(v *ir.Value) bool {
			free = free && v.Op != ir.OpScalar
			return true
		})
		if a.Op == ir.OpScalar && free {
			return a.Name, other
		}
	}
	return "", nil
}

// substituteChoices puts the values of attributes that the variant fixes into a definition.
func substituteChoices(d *ir.Def, choices []ir.Choice) *ir.Def {
	for _, c := range choices {
		if c.Cond == nil || !c.Holds {
			continue
		}
		name, v := equated(c.Cond)
		if name == "" {
			continue
		}
		d = ir.MapDef(d, func(x *ir.Value) *ir.Value {
			if x.Op == ir.OpScalar && x.Name == name {
				return ir.Cast(v, x.Type)
			}
			return x
		})
	}
	return d
}
