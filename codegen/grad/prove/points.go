package prove

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Verdict is the outcome of comparing two tensors at points.
type Verdict struct {
	Points  int      // points at which the two were compared
	Kinks   int      // points on a kink where they differ within the one-sided values
	Counter *Counter // the smallest point found where they differ; nil: none
}

// Counter is a point at which two formulas differ.
type Counter struct {
	Extents, Scalars, Inputs string // as text, in the order of the function
	Element                  []int
	Got, Want                float64
}

// String describes the counterexample in one line.
func (c *Counter) String() string {
	var b strings.Builder
	for _, s := range []string{c.Extents, c.Scalars, c.Inputs} {
		if s != "" {
			b.WriteString(s)
			b.WriteString(", ")
		}
	}
	at := ""
	if len(c.Element) > 0 {
		at = fmt.Sprintf(" at element %v", c.Element)
	}
	fmt.Fprintf(&b, "the formula gives %.6g%s, the derivative is %.6g", c.Got, at, c.Want)
	return b.String()
}

const (
	maxPoints = 64
	maxEvals  = 1500
	relTol    = 1e-8
	absTol    = 1e-10
)

// points makes points for f and compares got with want on them. The seed is fixed: a run repeats.
type points struct {
	f         *ir.Func
	got, want *ir.Tensor
	conds     []*ir.Tensor // differences whose sign a condition tests
	random    *rand.Rand
	evals     int
	verdict   Verdict
}

// Test compares two tensors that f's definitions give: at random points, at points on a coarse lattice, where floats are often
// equal, and just below and above each condition.
func Test(f *ir.Func, got, want *ir.Tensor) Verdict {
	p := &points{f: withConditions(f), got: got, want: want, random: rand.New(rand.NewPCG(1, 2))}
	for _, t := range p.f.Outputs {
		if t != got && t != want {
			p.conds = append(p.conds, t)
		}
	}
	for _, ext := range p.extents() {
		for round := range 6 {
			lattice := round%2 == 1
			a := p.make(ext, lattice)
			if a == nil {
				continue
			}
			p.compare(*a)
			if b := p.make(ext, false); b != nil {
				p.crossings(*a, *b)
			}
			if p.verdict.Counter != nil || p.verdict.Points >= maxPoints || p.evals > maxEvals {
				return p.verdict
			}
		}
	}
	return p.verdict
}

// withConditions gives f outputs for got, want and the difference behind each comparison of floats.
func withConditions(f *ir.Func) *ir.Func {
	g := *f
	g.Defs = append([]*ir.Def(nil), f.Defs...)
	g.Outputs = append([]*ir.Tensor(nil), f.Outputs...)
	for _, d := range f.Defs {
		axes := make([]*ir.Axis, len(d.Vars))
		boxed := true
		for i, v := range d.Vars {
			axes[i] = v.Axis
			boxed = boxed && v.Axis != nil
		}
		if !boxed || d.Group != 0 {
			continue
		}
		for _, root := range d.Values() {
			ir.Walk(root, func(v *ir.Value) bool {
				diff := difference(f, v)
				if diff != nil {
					t := &ir.Tensor{Name: fmt.Sprintf("condition %d", len(g.Outputs)), Role: ir.Output, Elem: diff.Type.Elem, Axes: axes}
					g.Outputs = append(g.Outputs, t)
					g.Defs = append(g.Defs, &ir.Def{Target: t, Vars: d.Vars, Dest: ir.Indices(d.Vars), Body: diff})
				}
				return true
			})
		}
	}
	return &g
}

// difference is what changes its sign where v has a kink or a step.
func difference(f *ir.Func, v *ir.Value) *ir.Value {
	isFloat := func(v *ir.Value) bool { return v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassFloat }
	switch v.Op {
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe, ir.OpMax, ir.OpMin:
		if isFloat(v.Args[0]) && isFloat(v.Args[1]) {
			return ir.Sub(v.Args[0], v.Args[1])
		}
	case ir.OpAbs, ir.OpSign:
		if isFloat(v.Args[0]) {
			return v.Args[0]
		}
	}
	return nil
}

// extents are the sizes to try, the smallest first: all ones, distinct ones, and larger.
func (p *points) extents() []map[*ir.Axis]int {
	var r []map[*ir.Axis]int
	for _, base := range []func(i int) int{
		func(int) int { return 1 },
		func(i int) int { return 2 + i%3 },
		func(i int) int { return 4 - i%3 },
	} {
		m := map[*ir.Axis]int{}
		dims := map[*ir.Axis]bool{}
		for _, d := range p.f.Dims {
			dims[d.Axis] = true
		}
		for i, a := range p.f.Axes {
			if !dims[a] {
				m[a] = base(i)
			}
		}
		r = append(r, m)
	}
	return r
}

// make draws a point that meets the requirements of the function; nil: none was found.
func (p *points) make(ext map[*ir.Axis]int, lattice bool) *ir.Binding {
	for range 8 {
		b := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{}}
		for a, n := range ext {
			b.Extents[a] = n
		}
		for _, s := range p.f.Scalars {
			b.Scalars[s.Name] = p.scalar(s, b, lattice)
		}
		small := 1 << 30
		for _, n := range ext {
			small = min(small, n)
		}
		for _, t := range p.f.Inputs {
			shape := make([]int, len(t.Axes))
			for i, a := range t.Axes {
				shape[i] = ext[a]
			}
			arr := ir.NewArray(shape...)
			for i := range arr.Data {
				arr.Data[i] = p.element(t, small, lattice)
			}
			b.Arrays[t] = arr
		}
		p.evals++
		if _, err := ir.Eval(p.f, b); err == nil {
			return &b
		}
	}
	return nil
}

func (p *points) scalar(s *ir.Scalar, b ir.Binding, lattice bool) float64 {
	if s.Default != nil && p.random.IntN(3) == 0 {
		if x, err := ir.EvalScalar(p.f, s.Default, b); err == nil {
			return x
		}
	}
	if s.Type.Kind == ir.Exact {
		return float64(1 + p.random.IntN(3))
	}
	if lattice {
		return float64(1+p.random.IntN(4)) / 2
	}
	return 0.1 + 0.8*p.random.Float64()
}

func (p *points) element(t *ir.Tensor, small int, lattice bool) float64 {
	if !p.f.IsFloat(t) {
		return float64(p.random.IntN(max(small, 1)))
	}
	if lattice && t.Role != ir.Cotangent {
		return float64(p.random.IntN(9)-4) / 2
	}
	return p.random.NormFloat64()
}

func (p *points) eval(b ir.Binding) map[*ir.Tensor]*ir.Array {
	p.evals++
	r, err := ir.Eval(p.f, b)
	if err != nil {
		return nil
	}
	return r
}

// compare looks at one point. A difference counts only if it is still there when rounding is coarser than it: the two
// are compared relative to the largest element, and a point on a kink is looked at from nearby.
func (p *points) compare(b ir.Binding) {
	r := p.eval(b)
	if r == nil {
		return
	}
	got, want := r[p.got], r[p.want]
	scale := 0.0
	for _, x := range want.Data {
		if a := math.Abs(x); a > scale && !math.IsInf(a, 0) {
			scale = a
		}
	}
	p.verdict.Points++
	for i := range want.Data {
		if same(got.Data[i], want.Data[i], scale) {
			continue
		}
		if p.onKink(b, i, got.Data[i], scale) {
			p.verdict.Kinks++
			continue
		}
		p.verdict.Counter = p.counter(b, i, got, want)
		return
	}
}

func same(a, b, scale float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= absTol+relTol*math.Max(math.Abs(b), scale*1e-3)
}

// onKink tells whether the two agree everywhere close to b, and x lies between the values that they take there.
func (p *points) onKink(b ir.Binding, i int, x, scale float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for range 12 {
		r := p.eval(p.near(b))
		if r == nil {
			return false
		}
		g, w := r[p.got].Data[i], r[p.want].Data[i]
		if !same(g, w, scale) {
			return false
		}
		lo, hi = math.Min(lo, w), math.Max(hi, w)
	}
	slack := 1e-4 * (1 + math.Abs(x))
	return x >= lo-slack && x <= hi+slack && hi-lo > slack
}

func (p *points) near(b ir.Binding) ir.Binding {
	c := b
	c.Arrays = map[*ir.Tensor]*ir.Array{}
	for t, a := range b.Arrays {
		c.Arrays[t] = a
		if !p.f.IsFloat(t) || t.Role == ir.Cotangent {
			continue
		}
		n := &ir.Array{Shape: a.Shape, Data: append([]float64(nil), a.Data...)}
		for i := range n.Data {
			n.Data[i] += 1e-6 * p.random.NormFloat64()
		}
		c.Arrays[t] = n
	}
	return c
}

// crossings looks for conditions that change between two points, goes to where they do, and compares on both sides.
func (p *points) crossings(a, b ir.Binding) {
	ra, rb := p.eval(a), p.eval(b)
	if ra == nil || rb == nil {
		return
	}
	for _, c := range p.conds {
		for i := range ra[c].Data {
			x, y := ra[c].Data[i], rb[c].Data[i]
			if !(x < 0 && y > 0 || x > 0 && y < 0) {
				continue
			}
			lo, hi := 0.0, 1.0
			for range 18 {
				mid := (lo + hi) / 2
				r := p.eval(p.between(a, b, mid))
				if r == nil {
					return
				}
				if (r[c].Data[i] < 0) == (x < 0) {
					lo = mid
				} else {
					hi = mid
				}
			}
			p.compare(p.between(a, b, lo))
			p.compare(p.between(a, b, hi))
			if p.verdict.Counter != nil || p.evals > maxEvals {
				return
			}
			break // one element of each condition
		}
	}
}

// between is the point at t on the line from a to b; integers and attributes stay those of a.
func (p *points) between(a, b ir.Binding, t float64) ir.Binding {
	c := a
	c.Arrays = map[*ir.Tensor]*ir.Array{}
	for u, x := range a.Arrays {
		c.Arrays[u] = x
		if !p.f.IsFloat(u) {
			continue
		}
		n := ir.NewArray(x.Shape...)
		for i := range n.Data {
			n.Data[i] = x.Data[i] + t*(b.Arrays[u].Data[i]-x.Data[i])
		}
		c.Arrays[u] = n
	}
	return c
}

func (p *points) counter(b ir.Binding, i int, got, want *ir.Array) *Counter {
	c := &Counter{Got: got.Data[i], Want: want.Data[i]}
	var ext, scal, in []string
	for _, a := range p.f.Axes {
		ext = append(ext, fmt.Sprintf("%s = %d", a.Name, b.Extents[a]))
	}
	for _, s := range p.f.Scalars {
		scal = append(scal, fmt.Sprintf("%s = %.4g", s.Name, b.Scalars[s.Name]))
	}
	for _, t := range p.f.Inputs {
		if a := b.Arrays[t]; a != nil && len(a.Data) <= 4 {
			in = append(in, fmt.Sprintf("%s = %.4g", t.Name, a.Data))
		}
	}
	c.Extents, c.Scalars, c.Inputs = strings.Join(ext, ", "), strings.Join(scal, ", "), strings.Join(in, ", ")
	for d := len(want.Shape) - 1; d >= 0; d-- {
		c.Element = append([]int{i % want.Shape[d]}, c.Element...)
		i /= want.Shape[d]
	}
	return c
}
