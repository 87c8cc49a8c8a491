package conformance

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// TestGenerated holds generated functions to the nests that they were made from, bit for bit, on every CPU path: values
// and gradients, for every length up to 200, with inputs that lie in memory in any order of axes, with steps and gaps,
// and repeated by strides of zero. What lies around an input is NaN and stays so.
func TestGenerated(t *testing.T) {
	for _, op := range slices.Sorted(maps.Keys(makers)) {
		t.Run(op, func(t *testing.T) {
			for _, float := range []string{"f32", "f64"} {
				r := rand.New(rand.NewPCG(3, 4))
				var cases []*layoutCase
				for turn := range 201 * rounds() {
					cases = append(cases, newLayoutCase(t, r, op, float, turn%201))
				}
				compiled(t, func(t *testing.T, b backend) {
					for _, c := range cases {
						if c.run(t, b); t.Failed() {
							return
						}
					}
				}, float)
			}
		})
	}
}

// layoutCase is a call with memory for its inputs, and what the nests make of it.
type layoutCase struct {
	call        *call
	cotangent   *ir.Array
	memory      map[string]*memory
	want, grads arrays
	sums        map[string][]float64 // see expandedSums
}

func newLayoutCase(t *testing.T, r *rand.Rand, op, float string, n int) *layoutCase {
	t.Helper()
	c := makers[op](r, r.IntN(1<<20), n)
	l := &layoutCase{call: c, memory: map[string]*memory{}}
	inputs := maps.Clone(c.inputs)
	for name, a := range c.inputs {
		// The parameters of an update are written, so their elements must lie apart.
		m := newMemory(r, a, c.cotangentless() && name != "g")
		l.memory[name], inputs[name] = m, m.array
	}
	c.inputs = inputs
	l.cotangent = c.cotangent(r)
	l.want, l.grads = run(t, c.String(), nests(float), c, l.cotangent)
	if l.cotangent != nil {
		l.sums = c.expandedSums(t, float, l.cotangent)
	}
	return l
}

// expandedSums are bounds of the error of the gradients of inputs that the call expands: these are sums of n terms in some
// order, which is off by n roundings of the sum of the magnitudes at most.
func (c *call) expandedSums(t *testing.T, float string, cotangent *ir.Array) map[string][]float64 {
	t.Helper()
	low, err := c.lower(float)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := low.gradient(round(cotangent, float))
	if err != nil {
		t.Fatal(err)
	}
	unit := 0x1p-53
	if float == "f32" {
		unit = u
	}
	r := map[string][]float64{}
	for in, a := range raw {
		switch n := len(a.Data) / max(1, len(c.inputs[in.Name].Data)); {
		case n <= 1:
		case c.op == "linalg.matmul": // the sum over matrices is one with those over their terms, in one of the two
			r[in.Name] = boundMatmul(c, cotangent, 2*unit)["@"+in.Name]
		default:
			r[in.Name] = scaled(float64(n)*unit, low.bound.Views[in].Out(positive(a, 1)))
		}
	}
	return r
}

// cotangentless reports whether the op is an update.
func (c *call) cotangentless() bool {
	_, op, err := findOp(c.op)
	return err == nil && op.Update
}

func (l *layoutCase) run(t *testing.T, b backend) {
	t.Helper()
	c := l.call
	op, in, err := c.tensors(b.float)
	if err != nil {
		t.Fatal(err)
	}
	views := map[string]*laid{}
	for i, name := range op.Inputs() {
		if in[i] == nil {
			continue
		}
		v, err := l.memory[name].lay(in[i].DType())
		if err != nil {
			t.Fatal(err)
		}
		in[i], views[name] = v.tensor, v
		if l.cotangent != nil && in[i].DType().Float() {
			if err := in[i].RequireGrad(); err != nil {
				t.Fatal(err)
			}
		}
	}
	what := c.String()
	for _, name := range slices.Sorted(maps.Keys(views)) {
		what += fmt.Sprint(" ", name, views[name].tensor.Strides())
	}
	out, err := op.Call(in, c.attributes())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := c.results(op, in, out)
	if err != nil {
		t.Fatal(err)
	}
	sameAll(t, what, got, l.want, bits)
	if l.cotangent != nil {
		g, err := tensor(l.cotangent, b.float)
		if err != nil {
			t.Fatal(err)
		}
		if err := out[0].BackwardWith(g); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for name, g := range gradients(op, in) {
			ok := tolerance(bits)
			if sum := l.sums[name]; sum != nil {
				ok = func(got, want float64, k int) bool { return math.Abs(got-want) <= sum[k] }
			}
			same(t, what+" gradient "+name, g, l.grads[name], ok)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(views)) {
		if written := l.cotangent == nil && name != "g"; !views[name].intact(written) {
			t.Errorf("%s: memory of %s was written", what, name)
		}
	}
}

// memory is how an array lies: in a larger one, in some order of axes.
type memory struct {
	array *ir.Array // what a view of it sees
	order []int     // axes, the outermost first
	step  []int     // by axis
	low   []int     // elements in front
	high  []int     // behind
	zero  []bool    // repeated
}

// newMemory chooses a layout for an array. Where elements are repeated the array is changed so that they are equal.
func newMemory(r *rand.Rand, a *ir.Array, apart bool) *memory {
	n := len(a.Shape)
	m := &memory{array: &ir.Array{Shape: a.Shape, Data: slices.Clone(a.Data)}, order: r.Perm(n), step: make([]int, n), low: make([]int, n),
		high: make([]int, n), zero: make([]bool, n)}
	kind := r.IntN(4) // 0: dense
	for i := range n {
		m.step[i] = 1
		if kind == 0 {
			m.order[i] = i
			continue
		}
		if r.IntN(3) == 0 {
			m.step[i] = 1 + r.IntN(3)
		}
		m.low[i], m.high[i] = r.IntN(3), r.IntN(3)
		m.zero[i] = !apart && r.IntN(5) == 0
	}
	for i, z := range m.zero {
		if z {
			m.repeat(i)
		}
	}
	return m
}

// repeat makes the elements along an axis equal to the first.
func (m *memory) repeat(axis int) {
	stride := 1
	for _, e := range m.array.Shape[axis+1:] {
		stride *= e
	}
	for i := range m.array.Data {
		at := i / stride % m.array.Shape[axis]
		m.array.Data[i] = m.array.Data[i-at*stride]
	}
}

// laid is a tensor in memory.
type laid struct {
	tensor *runtime.Tensor
	base   *runtime.Tensor // all of the memory
	inside map[int]bool    // what the tensor covers
	before []float64
}

// lay makes the tensor.
func (m *memory) lay(dtype runtime.DType) (*laid, error) {
	n := len(m.order)
	shape := make([]int, n) // of the memory, in its order
	for k, axis := range m.order {
		e := m.array.Shape[axis]
		if m.zero[axis] {
			e = min(e, 1)
		}
		shape[k] = m.low[axis] + e*m.step[axis] + m.high[axis]
	}
	size := 1
	for _, e := range shape {
		size *= e
	}
	l := &laid{before: make([]float64, size), inside: map[int]bool{}}
	for i := range l.before {
		l.before[i] = math.NaN()
		if !dtype.Float() {
			l.before[i] = -1 << 30
		}
	}
	for i, x := range m.array.Data {
		at, rest := make([]int, n), i
		for axis := n - 1; axis >= 0; axis-- {
			if at[axis] = rest % m.array.Shape[axis]; m.zero[axis] {
				at[axis] = 0
			}
			rest /= m.array.Shape[axis]
		}
		place := 0
		for k, axis := range m.order {
			place = place*shape[k] + m.low[axis] + at[axis]*m.step[axis]
		}
		l.before[place], l.inside[place] = x, true
	}
	var err error
	if l.base, err = tensor(&ir.Array{Shape: shape, Data: l.before}, dtype.String()); err != nil {
		return nil, err
	}
	view := l.base
	inverse := make([]int, n)
	for k, axis := range m.order {
		inverse[axis] = k
		e := m.array.Shape[axis]
		if m.zero[axis] {
			e = min(e, 1)
		}
		if e == 0 {
			view, err = view.Slice(k, 0, 0, 1)
		} else {
			view, err = view.Slice(k, m.low[axis], m.low[axis]+(e-1)*m.step[axis]+1, m.step[axis])
		}
		if err != nil {
			return nil, err
		}
	}
	if view, err = view.Permute(inverse...); err != nil {
		return nil, err
	}
	l.tensor, err = view.Expand(m.array.Shape...)
	return l, err
}

// intact reports whether the memory is as it was, but for what the tensor covers where that is written.
func (l *laid) intact(written bool) bool {
	var now []float64
	switch l.base.DType() {
	case runtime.I32:
		for _, x := range runtime.Must(runtime.Values[int32](l.base)) {
			now = append(now, float64(x))
		}
	case runtime.I64:
		for _, x := range runtime.Must(runtime.Values[int64](l.base)) {
			now = append(now, float64(x))
		}
	default:
		now = arrayOf(l.base).Data
	}
	for i, x := range l.before {
		if y := now[i]; x != y && (x == x || y == y) && !(written && l.inside[i]) {
			return false
		}
	}
	return true
}
