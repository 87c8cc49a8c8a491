package prove

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Verdict is the outcome of comparing two tensors at points.
type Verdict struct {
	Points  int      // points at which the two were compared, and the second is a number somewhere
	Kinks   int      // points on a kink where they differ within the one-sided values
	Counter *Counter // the smallest point found where they differ; nil: none
	Unmet   string   // a condition of which one side was not found; "": none
	Taken   bool     // attributes and extents were found with which a call takes the choices of the variant
}

// Counter is a point at which two formulas differ.
type Counter struct {
	Extents, Scalars, Inputs string // as text, in the order of the function
	Element                  []int
	Got, Want                float64
	Fault                    string // why the formula has no value there; "": it has
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
	if c.Fault != "" {
		fmt.Fprintf(&b, "the formula has no value: %s", c.Fault)
		return b.String()
	}
	at := ""
	if len(c.Element) > 0 {
		at = fmt.Sprintf(" at element %v", c.Element)
	}
	digits := 6
	for digits < 17 && fmt.Sprintf("%.*g", digits, c.Got) == fmt.Sprintf("%.*g", digits, c.Want) {
		digits++
	}
	fmt.Fprintf(&b, "the formula gives %.*g%s, the derivative is %.*g", digits, c.Got, at, digits, c.Want)
	return b.String()
}

const (
	rounds   = 9
	lines    = 6    // between two points each, for each of some extents
	maxEvals = 1500 // for points drawn, as many for lines between them, and as many for the sides of conditions
	relTol   = 1e-8
	absTol   = 1e-10
	roughTol = 1e-3 // for what is proved, whose rounding may add up: a mistake of the proof itself is larger
)

// points makes points for f and compares got with want on them. The seed is fixed: a run repeats.
type points struct {
	f         *ir.Func
	got, want *ir.Tensor
	choices   []ir.Choice // of the variant: points meet its conditions
	conds     []*condition
	attrs     []*attrCondition
	fixed     map[string]float64         // attributes that are not drawn
	nonFinite bool                       // the formulas ask for NaN or infinities
	bounds    map[*ir.Tensor][]*ir.Value // what integers are compared with
	op        *ir.Func                   // has a value at all points; nil: doesn't matter
	base      *ir.Func                   // f without got
	plain     *ir.Func                   // f without the conditions, which may have no value where nothing asks for them
	known     knowledge
	random    *rand.Rand
	evals     int
	drift     drift
	verdict   Verdict
	at        *ir.Binding // of the counterexample, where the formulas differ there by more than rounding
}

// knowledge is what the normal forms tell about the two.
type knowledge uint8

const (
	unknown  knowledge = iota
	offKinks           // equal but where two floats are equal
	isEqual            // equal wherever both are numbers: what is left is a division by zero
)

// spread says how the floats of a point are drawn.
type spread uint8

const (
	lattice spread = iota // multiples of a half, which are often equal
	usual
	small
	large
)

// mixed is the order of spreads.
var mixed = []spread{usual, lattice, small, usual, lattice, large}

// Test compares two tensors that f's definitions give, over several extents: at random points of several magnitudes, on a coarse
// lattice, where floats are often equal, and just below and above each condition.
func Test(f *ir.Func, got, want *ir.Tensor) Verdict { return test(f, nil, got, want, unknown, nil) }

// test compares where op, which f is made of, has a value; nil: everywhere.
func test(f, op *ir.Func, got, want *ir.Tensor, known knowledge, choices []ir.Choice) Verdict {
	p := newPoints(f, op, got, want, known, choices)
	p.search()
	p.shrink()
	return p.verdict
}

func newPoints(f, op *ir.Func, got, want *ir.Tensor, known knowledge, choices []ir.Choice) *points {
	p := &points{op: op, got: got, want: want, known: known, choices: choices, random: rand.New(rand.NewPCG(1, 2))}
	p.f, p.conds = withConditions(f, got, want)
	p.attrs = attrConditions(f)
	p.bounds = integerBounds(f)
	p.nonFinite = asksForNonFinite(f)
	base := *f
	base.Outputs, base.UserGrads = []*ir.Tensor{want}, nil
	base.Defs = ir.Live(&base)
	p.base = &base
	plain := base
	plain.Outputs = []*ir.Tensor{got, want}
	plain.Defs = f.Defs
	plain.Defs = ir.Live(&plain)
	p.plain = &plain
	return p
}

// search looks for a point at which the two differ.
func (p *points) search() {
	extents := p.extents()
	made := make([]bool, len(extents))
	for round := range rounds {
		for i, ext := range extents {
			if a, r := p.make(ext, mixed[(round+i)%len(mixed)]); a != nil {
				made[i] = true
				p.compare(*a, r)
			}
			if p.verdict.Counter != nil {
				return
			}
			if p.evals > maxEvals {
				break
			}
		}
	}
	if len(p.f.Dims) > 0 {
		extents = foremost(extents, made)
	}
	if p.atSpecials(extents[1:3]); p.verdict.Counter != nil {
		return
	}
	if p.known != isEqual {
		if p.alongLines(extents[:2]); p.verdict.Counter != nil {
			return
		}
		if p.atWindows(); p.verdict.Counter != nil {
			return
		}
		p.bothSides(extents)
		for _, c := range p.attrs {
			if c.unmet() && p.verdict.Unmet == "" {
				p.verdict.Unmet = c.cond.Words()
			}
		}
	}
	if p.verdict.Counter == nil && p.known == unknown {
		p.verdict.Counter = p.drift.counter()
	}
}

// withConditions gives f outputs for the difference behind each comparison of floats, and for each sum with a number, that got is made
// of and want is not: a formula may be wrong near its zero alone. What the requirements alone are made of has one side in all calls.
func withConditions(f *ir.Func, got, want *ir.Tensor) (*ir.Func, []*condition) {
	g := *f
	makeWant := *f
	makeWant.Outputs, makeWant.UserGrads = []*ir.Tensor{want}, nil
	shared := ir.Live(&makeWant)
	var conds []*condition
	g.Defs = append([]*ir.Def(nil), f.Defs...)
	g.Outputs = append([]*ir.Tensor(nil), f.Outputs...)
	both := *f
	both.Outputs, both.UserGrads, both.Requires = []*ir.Tensor{got, want}, nil, nil
	for _, d := range ir.Live(&both) {
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
				diff, place := difference(f, v), false
				if diff == nil && (v.Op == ir.OpAdd || v.Op == ir.OpSub) && isShift(f, v) && !slices.Contains(shared, d) {
					diff, place = v, true
				}
				if diff != nil {
					t := &ir.Tensor{Name: fmt.Sprintf("condition %d", len(g.Outputs)), Role: ir.Output, Elem: diff.Type.Elem, Axes: axes}
					g.Outputs = append(g.Outputs, t)
					g.Defs = append(g.Defs, &ir.Def{Target: t, Vars: d.Vars, Dest: ir.Indices(d.Vars), Body: diff})
					op := v.Op
					if hasSteps(f, v) {
						op = ir.OpFloor
					}
					conds = append(conds, &condition{diff: t, cond: v, op: op, guard: d.Derived && uniformValue(v), place: place})
				}
				return true
			})
		}
	}
	return &g, conds
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
	if hasSteps(f, v) && isFloat(v.Args[0]) {
		return ir.Sub(ir.Call(ir.OpAbs, v.Args[0]), ir.Int(1))
	}
	return nil
}

// isShift tells whether v is the sum of a float and a number that is the same at all points.
func isShift(f *ir.Func, v *ir.Value) bool {
	return v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassFloat && uniformValue(v.Args[0]) != uniformValue(v.Args[1])
}

// hasSteps tells whether v rounds a number to a whole one.
func hasSteps(f *ir.Func, v *ir.Value) bool {
	switch v.Op {
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound:
		return true
	case ir.OpCast:
		return v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassInt
	}
	return false
}

// make draws a point that meets the requirements of the function, and what the function gives there; nil: none was found. A formula
// that can't be evaluated where the op can, because of an index out of range, is wrong.
func (p *points) make(ext map[*ir.Axis]int, how spread) (*ir.Binding, values) {
	for range 24 {
		b := ir.Binding{Extents: maps.Clone(ext), Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{}}
		for _, s := range p.f.Scalars {
			b.Scalars[s.Name] = p.scalar(s, b, how)
		}
		if n := len(p.attrs); n > 0 && p.random.IntN(3) > 0 {
			p.attrs[p.random.IntN(n)].draw(p.f, p.random, b, p.fixed)
		}
		if !p.place(b) || !p.choose(b) {
			continue
		}
		least := 1 << 30
		for _, n := range b.Extents {
			least = min(least, n)
		}
		for _, t := range p.f.Inputs {
			shape := make([]int, len(t.Axes))
			for i, a := range t.Axes {
				shape[i] = b.Extents[a]
			}
			arr := ir.NewArray(shape...)
			draw := p.drawing(t, least, how, b)
			for i := range arr.Data {
				arr.Data[i] = draw()
			}
			b.Arrays[t] = arr
		}
		if !p.defined(b) {
			continue
		}
		r, err := p.values(b)
		if err == nil {
			return &b, r
		}
		if _, e := ir.Eval(p.base, b); e == nil {
			p.verdict.Points++
			p.verdict.Counter = p.counter(b)
			p.verdict.Counter.Fault = err.Error()
			return nil, nil
		}
	}
	return nil, nil
}

// defined tells whether the op has a value: the indices that are among its inputs lie within their axes.
func (p *points) defined(b ir.Binding) bool {
	if p.op == nil || len(p.op.Inputs) == 0 || !slices.ContainsFunc(p.op.Inputs, func(t *ir.Tensor) bool { return p.f.Class(t.Elem) == ir.ClassInt }) {
		return true
	}
	p.evals++
	_, err := ir.Eval(p.op, b)
	return err == nil
}

// values are what a function gives at a point.
type values map[*ir.Tensor]*ir.Array

// eval gives nil where the function is not defined.
func (p *points) eval(b ir.Binding) values {
	r, err := p.values(b)
	if err != nil {
		return nil
	}
	return r
}

func (p *points) values(b ir.Binding) (values, error) {
	p.evals++
	if r, err := ir.Eval(p.f, b); err == nil {
		return r, nil
	}
	return ir.Eval(p.plain, b)
}

// compare looks at one point, where the function gives r. A difference counts only if it is still there when rounding is coarser
// than it: the two are compared relative to the largest element, and a point on a kink is looked at from nearby.
func (p *points) compare(b ir.Binding, r values) {
	got, want := r[p.got], r[p.want]
	scale := 0.0
	for _, x := range want.Data {
		if a := math.Abs(x); a > scale && !math.IsInf(a, 0) {
			scale = a
		}
	}
	if slices.ContainsFunc(want.Data, isFinite) { // else the point says nothing
		p.verdict.Points++
	}
	for _, c := range p.conds {
		c.note(r[c.diff])
	}
	for _, c := range p.attrs {
		c.note(p.f, b)
	}
	var undefined *bool
	for i := range want.Data {
		if p.same(got.Data[i], want.Data[i], scale) {
			p.drift.note(p, b, got, want, i, scale)
			continue
		}
		if p.onKink(b, i, got.Data[i], want.Data[i], scale) {
			p.verdict.Kinks++
			continue
		}
		if undefined == nil {
			no := p.undefined(b)
			undefined = &no
		}
		if *undefined {
			return
		}
		p.verdict.Counter, p.at = p.counterAt(b, got, want, i), &b
		return
	}
}

// undefined tells whether all outputs of floats have NaN at a point: what is a derivative of NaN says nothing.
func (p *points) undefined(b ir.Binding) bool {
	if p.op == nil {
		return false
	}
	p.evals++
	r, err := ir.Eval(p.op, b)
	if err != nil {
		return false
	}
	any := false
	for _, t := range p.op.Outputs {
		if !p.f.IsFloat(t) {
			continue
		}
		if any = true; !slices.ContainsFunc(r[t].Data, math.IsNaN) {
			return false
		}
	}
	return any
}

// counterAt is the counterexample at an element.
func (p *points) counterAt(b ir.Binding, got, want *ir.Array, i int) *Counter {
	c := p.counter(b)
	c.Got, c.Want = got.Data[i], want.Data[i]
	for d := len(want.Shape) - 1; d >= 0; d-- {
		c.Element = append([]int{i % want.Shape[d]}, c.Element...)
		i /= want.Shape[d]
	}
	return c
}

func (p *points) same(a, b, scale float64) bool {
	if p.known == isEqual {
		if !isFinite(a) || !isFinite(b) {
			return isFinite(a) || !isFinite(b)
		}
		return p.fixed != nil || math.Abs(a-b) <= roughTol*(1e-3+math.Max(math.Abs(b), scale))
	}
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= absTol+relTol*math.Max(math.Abs(b), scale*1e-3)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// onKink tells whether the two agree everywhere close to b, and x lies between the values that they take there; or is a number
// where the derivative has none.
func (p *points) onKink(b ir.Binding, i int, x, want, scale float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for range 12 {
		r := p.eval(p.near(b))
		if r == nil {
			return false
		}
		g, w := r[p.got].Data[i], r[p.want].Data[i]
		if !p.same(g, w, scale) {
			return false
		}
		lo, hi = math.Min(lo, w), math.Max(hi, w)
	}
	if math.IsNaN(want) {
		return !math.IsNaN(x)
	}
	slack := 1e-4 * (1 + math.Abs(x))
	return x >= lo-slack && x <= hi+slack && hi-lo > slack
}

// near is a point close to b; cotangents stay.
func (p *points) near(b ir.Binding) ir.Binding {
	return p.moved(b, func(t *ir.Tensor, x float64) float64 { return ifNot(t, x, x+1e-6*p.random.NormFloat64()) })
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

// maxShown bounds the elements of a tensor that a message shows.
const maxShown = 6

// counter describes a point.
func (p *points) counter(b ir.Binding) *Counter {
	var ext, scal, in []string
	for _, a := range p.f.Axes {
		ext = append(ext, fmt.Sprintf("%s = %d", a.Name, b.Extents[a]))
	}
	for _, s := range p.f.Scalars {
		digits := 4
		if s.Type.Kind == ir.Exact {
			digits = 17
		}
		scal = append(scal, fmt.Sprintf("%s = %.*g", s.Name, digits, b.Scalars[s.Name]))
	}
	for _, t := range p.f.Inputs {
		if a := b.Arrays[t]; a != nil && len(a.Data) <= maxShown {
			digits := 4
			if !p.f.IsFloat(t) {
				digits = 17
			}
			in = append(in, fmt.Sprintf("%s = %.*g", t.Name, digits, a.Data))
		}
	}
	return &Counter{Extents: strings.Join(ext, ", "), Scalars: strings.Join(scal, ", "), Inputs: strings.Join(in, ", ")}
}
