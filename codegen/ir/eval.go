package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/interval"
)

// Eval computes the outputs of f literally: definitions in order, each point in the order of its variables, sums
// compensated. Exact values are exact, typed ones are rounded to the compute type of their dtype after each op. Elements
// are rounded to their dtype where they are stored: those of inputs before they are read, those of outputs when all is computed, so
// that what reads an output has it as it was computed.
// Reads out of range, dimensions that don't fit and requirements that don't hold are errors with a place. Definitions that no
// output and no requirement needs are not computed.
func Eval(f *Func, in Binding) (map[*Tensor]*Array, error) {
	out, err := EvalComputed(f, in)
	for t, a := range out {
		out[t] = a.stored(t.Elem.Resolve(in.DTypes))
	}
	return out, err
}

// EvalComputed is Eval with outputs that aren't rounded to their dtypes yet, for those who add up elements before they are stored.
func EvalComputed(f *Func, in Binding) (map[*Tensor]*Array, error) {
	all, err := EvalAll(f, in)
	if err != nil {
		return nil, err
	}
	out := map[*Tensor]*Array{}
	for _, t := range f.Outputs {
		out[t] = all[t]
	}
	return out, nil
}

// EvalAll is EvalComputed with the values of all tensors that were computed, also of inputs and locals.
func EvalAll(f *Func, in Binding) (all map[*Tensor]*Array, err error) {
	m := &machine{f: f, ext: map[*Axis]int{}, arrays: map[*Tensor]*Array{}, unset: map[*Tensor][]bool{}, running: map[*Tensor]*job{},
		scalars: in.Scalars, dtypes: map[string]string{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			all, err = nil, r
		case *noValue:
			all, err = nil, r.Fault
		default:
			panic(r)
		}
	}()
	for _, e := range f.ElemVars {
		m.dtypes[e.Name] = "f64"
		if ClassOf(f.ElemVars, Elem{Name: e.Name}) == ClassInt {
			m.dtypes[e.Name] = "i64"
		}
		if d := in.DTypes[e.Name]; d != "" {
			m.dtypes[e.Name] = d
		}
	}
	for a, n := range in.Extents {
		m.ext[a] = n
	}
	m.bind(in)
	m.requires()
	m.bounded(Fits(f))
	alone := *f
	alone.UserGrads = nil // what these read is no part of the values
	defs := Live(&alone)
	for i := 0; i < len(defs); {
		n := i + 1
		if g := defs[i].Group; g != 0 {
			for n < len(defs) && defs[n].Group == g {
				n++
			}
			m.group(defs[i:n])
		} else {
			m.single(defs[i])
		}
		i = n
		m.requires()
	}
	for _, t := range f.Outputs {
		if m.arrays[t] == nil {
			m.fail(t.Span, "output %s has no definition", t.Name)
		}
		if u := m.unset[t]; u != nil {
			m.fail(t.Span, "element %d of output %s has no value", slices.Index(u, true), t.Name)
		}
	}
	return m.arrays, nil
}

// EvalScalar computes a value that reads no tensor and no index: of attributes and extents.
func EvalScalar(f *Func, v *Value, in Binding) (x float64, err error) {
	m := &machine{f: f, ext: in.Extents, scalars: in.Scalars, dtypes: in.DTypes}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			panic(r)
		}
	}()
	p := m.compile(nil, v)
	defer p.done()
	c := p.eval(p.roots[0])
	switch p.nodes[p.roots[0]].kind {
	case kindExact:
		return c.n.float(), nil
	case kindInt:
		return float64(c.n.i), nil
	case kindBool:
		if c.b {
			return 1, nil
		}
		return 0, nil
	}
	return c.f, nil
}

// machine is the state of one evaluation.
type machine struct {
	f        *Func
	ext      map[*Axis]int
	arrays   map[*Tensor]*Array
	unset    map[*Tensor][]bool // elements without a value; nil: all have one
	running  map[*Tensor]*job   // definitions of the group that runs
	scalars  map[string]float64
	dtypes   map[string]string
	required int // requirements that were checked
	where    string
}

func (m *machine) fail(span diag.Span, format string, args ...any) {
	panic(m.fault(span, format, args...))
}

func (m *machine) fault(span diag.Span, format string, args ...any) *Fault {
	return &Fault{Func: m.f.Name, Def: m.where, Span: span, Message: fmt.Sprintf(format, args...)}
}

// noValue is the fault of reading an element that has none: the greatest of nothing, say.
type noValue struct{ *Fault }

// bind takes the inputs and works out the dimensions that follow from others.
func (m *machine) bind(in Binding) {
	for _, d := range m.f.Dims {
		m.bounded(FitsOf(m.f, d.Value, d.Span))
		p := m.compile(nil, d.Value)
		n, ok := p.eval(p.roots[0]).n.whole()
		if !ok || n < 0 || n > MaxPoints {
			m.fail(d.Span, "the extent of %s is not a whole number of at most 2^44 that isn't negative", d.Axis.Name)
		}
		if have, ok := m.ext[d.Axis]; ok && int64(have) != n {
			m.fail(d.Span, "the extent of %s is %d, its tensors have %d", d.Axis.Name, n, have)
		}
		m.ext[d.Axis] = int(n)
		p.done()
	}
	for _, t := range m.f.Inputs {
		a := in.Arrays[t]
		if a == nil {
			continue
		}
		if len(a.Shape) != len(t.Axes) {
			m.fail(t.Span, "%s has %s, its array %d", t.Name, axesText(len(t.Axes)), len(a.Shape))
		}
		n := 1
		for i, x := range t.Axes {
			n *= a.Shape[i]
			if e, ok := m.ext[x]; !ok {
				m.ext[x] = a.Shape[i]
			} else if e != a.Shape[i] {
				m.fail(t.Span, "axis %s of %s has extent %d, not %d", x.Name, t.Name, a.Shape[i], e)
			}
		}
		if len(a.Data) != n {
			m.fail(t.Span, "the array of %s has %d elements, not %d", t.Name, len(a.Data), n)
		}
		m.arrays[t] = a.stored(t.Elem.Resolve(m.dtypes))
	}
}

// requires checks the requirements whose tensors are all there, in order, and stops at one whose tensors are not.
func (m *machine) requires() {
	inputs := map[*Tensor]bool{}
	for _, t := range m.f.Inputs {
		inputs[t] = true
	}
	for ; m.required < len(m.f.Requires); m.required++ {
		r := m.f.Requires[m.required]
		for t := range Reads(r.Cond) {
			if m.arrays[t] == nil && !inputs[t] {
				return
			}
		}
		m.bounded(FitsOf(m.f, r.Cond, r.Span))
		p := m.compile(nil, r.Cond)
		if !p.eval(p.roots[0]).b {
			msg := r.Message
			if msg == "" {
				msg = "requires " + r.Cond.String()
			}
			m.fail(r.Span, "%s", msg)
		}
		p.done()
	}
}

func (m *machine) extent(a *Axis) int {
	if a.Size != nil {
		if s := m.arrays[a.Size]; s != nil {
			return int(max(min(s.Data[0], MaxElements+1), 0))
		}
	}
	n, ok := m.ext[a]
	if !ok {
		m.fail(diag.Span{}, "the extent of axis %s is unknown", a.Name)
	}
	return n
}

// MaxElements bounds the elements of a tensor whose extents are known only once the call computes: what asks for more is
// taken for a fault of the data.
const MaxElements = 1 << 28

// fits tests that there is room for a tensor whose extents data say.
func (m *machine) fits(t *Tensor) {
	n := 1.0
	for _, a := range t.Axes {
		n *= float64(m.extent(a))
	}
	for _, a := range t.Axes {
		if a.Size != nil && n > MaxElements {
			m.fail(t.Span, "a range of %v values asks for more than %d elements of %s", m.arrays[a.Size].Data[0], MaxElements, t.Name)
		}
	}
}

// job is a definition while it is computed.
type job struct {
	d      *Def
	p      *program
	vars   []*Var // in the order of the loops
	bounds [][2]int
	dest   []int
	where  []int
	body   int
	out    *Array
	set    []bool
	none   []bool    // elements with a contribution that has no value; nil: there are none
	comp   []float64 // lost low parts of sums
	ints   []int64   // sums and products of integers, of which out holds the nearest float64
	dtype  string
}

func (m *machine) start(d *Def) *job {
	m.where = d.Target.Name
	j := &job{d: d, vars: d.Vars, dtype: d.Target.Elem.Resolve(m.dtypes)}
	if d.Along != nil && d.Group != 0 {
		j.vars = []*Var{d.Along}
		for _, v := range d.Vars {
			if v != d.Along {
				j.vars = append(j.vars, v)
			}
		}
	}
	var roots []*Value
	for _, v := range j.vars {
		if v.Axis == nil {
			roots = append(roots, v.Lo, v.Hi)
		}
	}
	roots = append(append(append(roots, d.Dest...), d.Where...), d.Body)
	j.p = m.compile(j.vars, roots...)
	k := 0
	for _, v := range j.vars {
		b := [2]int{-1, -1}
		if v.Axis == nil {
			b = [2]int{j.p.roots[k], j.p.roots[k+1]}
			k += 2
		}
		j.bounds = append(j.bounds, b)
	}
	j.dest = j.p.roots[k : k+len(d.Dest)]
	k += len(d.Dest)
	j.where = j.p.roots[k : k+len(d.Where)]
	j.body = j.p.roots[k+len(d.Where)]
	m.fits(d.Target)
	shape := make([]int, len(d.Target.Axes))
	for i, a := range d.Target.Axes {
		shape[i] = m.extent(a)
	}
	j.out = NewArray(shape...)
	j.set = make([]bool, len(j.out.Data))
	if intBits[j.dtype] != 0 && (d.Monoid == Sum || d.Monoid == Prod) {
		j.ints = make([]int64, len(j.out.Data))
		for i := range j.ints {
			j.ints[i] = int64(identity(d.Monoid))
		}
	}
	switch d.Monoid {
	case Sum:
		j.comp = make([]float64, len(j.out.Data))
	case Prod, All:
		for i := range j.out.Data {
			j.out.Data[i] = 1
		}
	}
	return j
}

// finish rounds the results to what they are computed in; what got no contribution is the unit of the monoid, or has no value.
func (m *machine) finish(j *job) {
	dtype := computeIn(j.dtype)
	for i, x := range j.out.Data {
		if j.comp != nil && !math.IsInf(x, 0) {
			x += j.comp[i]
		}
		j.out.Data[i] = roundTo(dtype, x)
	}
	m.arrays[j.d.Target] = j.out
	if j.d.Across != "" && !j.set[0] {
		j.out.Data[0] = identity(j.d.Monoid)
	} else if j.none != nil || j.needsAll() && slices.Contains(j.set, false) {
		u := make([]bool, len(j.set))
		for i, s := range j.set {
			u[i] = j.needsAll() && !s || j.none != nil && j.none[i]
		}
		m.unset[j.d.Target] = u
	}
}

// needsAll tells whether an element without a contribution has no value.
func (j *job) needsAll() bool {
	return j.d.Monoid == Assign || j.d.Monoid == Max || j.d.Monoid == Min
}

func (m *machine) single(d *Def) {
	j := m.start(d)
	m.loop(j, 0)
	m.finish(j)
	j.p.done()
}

// group runs definitions interleaved along one axis.
func (m *machine) group(defs []*Def) {
	jobs := make([]*job, len(defs))
	lo, hi := 0, 0
	for i, d := range defs {
		jobs[i] = m.start(d)
		l, h := m.rangeOf(jobs[i], 0)
		if i == 0 {
			lo, hi = l, h
		} else if l != lo || h != hi {
			m.fail(d.Span, "the definitions of a group run over different ranges")
		}
		m.arrays[d.Target] = jobs[i].out
		m.running[d.Target] = jobs[i]
	}
	for k := lo; k < hi; k++ {
		i := k
		if defs[0].Reverse {
			i = hi - 1 - (k - lo)
		}
		for _, j := range jobs {
			m.where = j.d.Target.Name
			j.p.set(0, i)
			m.loop(j, 1)
			j.settle()
		}
	}
	for _, j := range jobs {
		delete(m.running, j.d.Target)
		m.finish(j)
	}
}

// settle adds the low parts of sums, so that what was computed so far can be read.
func (j *job) settle() {
	for i, c := range j.comp {
		if c != 0 && !math.IsInf(j.out.Data[i], 0) {
			j.out.Data[i] += c
			j.comp[i] = 0
		}
	}
}

func (m *machine) rangeOf(j *job, depth int) (lo, hi int) {
	v := j.vars[depth]
	if v.Axis != nil {
		return 0, m.extent(v.Axis)
	}
	lo, hi = j.p.wholeAt(j.bounds[depth][0]), j.p.wholeAt(j.bounds[depth][1])
	m.limited(v, j.d.Span, lo, hi)
	return lo, hi
}

// loop runs over the variables from depth on.
func (m *machine) loop(j *job, depth int) {
	if depth == len(j.vars) {
		m.point(j)
		return
	}
	lo, hi := m.rangeOf(j, depth)
	for i := lo; i < hi; i++ {
		j.p.set(depth, i)
		m.loop(j, depth+1)
	}
}

// body is the contribution at a point. An element of a local that reads one without a value has none itself, and is no
// fault unless something else needs it: a local may have been taken out of a loop that doesn't run.
func (m *machine) body(j *job) (x float64, ok bool) {
	if len(m.unset) > 0 && j.d.Target.Role == Local && j.d.Group == 0 {
		defer func() {
			if e := recover(); e != nil {
				if _, is := e.(*noValue); !is {
					panic(e)
				}
			}
		}()
	}
	return j.p.number(j.body), true
}

// point adds the contribution of one point.
func (m *machine) point(j *job) {
	for _, w := range j.where {
		if !j.p.eval(w).b {
			return
		}
	}
	at := 0
	for k, e := range j.dest {
		i := j.p.wholeAt(e)
		if i < 0 || i >= j.out.Shape[k] {
			m.fail(j.d.Span, "index %d of axis %s (extent %d) is out of range", i, j.d.Target.Axes[k].Name, j.out.Shape[k])
		}
		at = at*j.out.Shape[k] + i
	}
	x, ok := m.body(j)
	if !ok {
		if j.none == nil {
			j.none = make([]bool, len(j.out.Data))
		}
		j.none[at] = true
		return
	}
	old := j.out.Data[at]
	if j.ints != nil {
		i := integerOf(j.dtype, x)
		if j.p.nodes[j.body].kind == kindInt {
			i = j.p.eval(j.body).n.i
		}
		var ok bool
		if j.d.Monoid == Sum {
			i, ok = interval.Plus(i, j.ints[at])
		} else {
			i, ok = interval.Times(i, j.ints[at])
		}
		if !ok && j.d.Target.Exact {
			m.fail(j.d.Span, "%s", OverflowOf(j.d))
		}
		j.ints[at] = wrap(j.dtype, i)
		j.out.Data[at], j.set[at] = elementOf(j.dtype, j.ints[at]), true
		return
	}
	switch j.d.Monoid {
	case Assign:
		if j.set[at] {
			m.fail(j.d.Span, "element %d is set twice", at)
		}
	case Sum:
		s := old + x
		if math.Abs(old) >= math.Abs(x) {
			j.comp[at] += (old - s) + x
		} else {
			j.comp[at] += (x - s) + old
		}
		x = s
	case Prod:
		x = old * x
	case Max:
		if j.set[at] {
			x = maxNaN(old, x)
		}
	case Min:
		if j.set[at] {
			x = minNaN(old, x)
		}
	case Any:
		x = max(old, x)
	case All:
		x = min(old, x)
	}
	j.out.Data[at], j.set[at] = x, true
}
