package nest_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// extents are around the sizes of lanes.
var extents = []int{0, 1, 2, 63, 64, 65, 200}

// pair is a function with its derivative, lowered.
type pair struct {
	f, g     *ir.Func
	fwd, bwd *nest.Program
	dtypes   map[string]string
}

func lowerPair(t *testing.T, name, float, index string) *pair {
	t.Helper()
	f := handOps[name]()
	p := &pair{f: f.Func, dtypes: map[string]string{"T": float, "I": index}}
	if f.Inputs[0].Role != ir.Inout {
		p.g = f.backward(t)
	}
	p.lower(t, name)
	return p
}

// lower makes the programs.
func (p *pair) lower(t *testing.T, name string) {
	t.Helper()
	var err error
	opt := nest.Options{Name: name, DTypes: p.dtypes}
	if p.g == nil {
		p.fwd, err = nest.Lower(p.f, opt)
	} else {
		p.fwd, p.bwd, err = nest.LowerPair(p.f, p.g, opt)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *pair) programs() []*nest.Program {
	if p.bwd == nil {
		return []*nest.Program{p.fwd}
	}
	return []*nest.Program{p.fwd, p.bwd}
}

// TestLoweredValues compares programs with the evaluator in float64, over shapes and dtypes.
func TestLoweredValues(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(handOps)) {
		for _, float := range []string{"f32", "f64"} {
			t.Run(name+"/"+float, func(t *testing.T) {
				p := lowerPair(t, name, float, map[string]string{"f32": "i32", "f64": "i64"}[float])
				each(len(p.f.Axes), func(sizes []int) {
					if name == "gram_max" && sizes[0] > 65 {
						return // quadratic
					}
					p.compare(t, name, sizes)
				})
			})
		}
	}
}

// each calls f with the sizes of n axes: all extents of one, most pairs of two, some combinations of three.
func each(n int, f func(sizes []int)) {
	for i, a := range extents {
		for j, b := range extents {
			switch {
			case n == 1 && i == j:
				f([]int{a})
			case n == 2 && (a*b <= 65*65 || a == 200 && b == 65):
				f([]int{a, b})
			case n == 3 && a*b <= 65*65:
				if c := extents[(i+2*j)%len(extents)]; a*b*c <= 20000 {
					f([]int{a, b, c})
				}
			}
		}
	}
	if n == 1 {
		f([]int{20000})
	}
}

// accuracy is the tolerance of a test in units in the last place of scale: steps of rounding, and the magnitude of what is
// rounded.
type accuracy struct {
	steps func(sizes []int) int
	scale func(sizes []int) float64
}

func constant[T any](x T) func([]int) T { return func([]int) T { return x } }

// accuracies bound the error by the number of roundings that follow each other, for inputs of magnitude 4 at most.
var accuracies = map[string]accuracy{
	"relu": {constant(0), constant(1.0)},
	// A sum in lanes: n/64 additions in a lane, 6 levels, the chunks; all terms positive and at most 8.
	"smooth_l1_mean": {func(n []int) int { return n[0]/64 + 20 }, constant(8.0)},
	"mse_mean":       {func(n []int) int { return n[0]/64 + 20 }, constant(64.0)},
	// |x - m| is at most 8, so that exp has a relative error of 8 and some steps; the gradient sums D/64.
	"softmax": {constant(40), constant(4.0)},
	// Sums of products of at most 16, over the longest axis.
	"batched_causal": {func(n []int) int { return slices.Max(n) + 2 }, func(n []int) float64 { return 16 * float64(max(1, slices.Max(n))) / 4 }},
	"linear":         {func(n []int) int { return slices.Max(n) + 2 }, func(n []int) float64 { return 16 * float64(max(1, slices.Max(n))) / 4 }},
	"sums":           {func(n []int) int { return slices.Max(n) + 40 }, func(n []int) float64 { return 16 * float64(max(1, slices.Max(n))) / 4 }},
	// Rows of random numbers have a deviation of about 1; of one element it is sqrt(eps), which magnifies.
	"layer_norm":         {func(n []int) int { return n[0] + 60 }, func(n []int) float64 { return 64 }},
	"cross_entropy_mean": {func(n []int) int { return n[0] + 60 }, constant(8.0)},
	// Sums of such losses, over all.
	"smooth_l1":     {func(n []int) int { return n[0]/64 + 20 }, func(n []int) float64 { return 8 * float64(max(1, n[0])) }},
	"mse":           {func(n []int) int { return n[0]/64 + 20 }, func(n []int) float64 { return 64 * float64(max(1, n[0])) }},
	"cross_entropy": {func(n []int) int { return n[0] + 60 }, func(n []int) float64 { return 32 * float64(max(1, n[0])) }},
}

func (p *pair) compare(t *testing.T, name string, sizes []int) {
	t.Helper()
	in, ref := p.inputs(sizes)
	want, err := ir.EvalAll(p.f, ref)
	if err != nil {
		if slices.Contains(sizes, 0) {
			return // a maximum over nothing
		}
		if _, refused := p.fwd.Run(in); refused == nil {
			t.Fatalf("%v: %v", sizes, err)
		}
		return // both say so
	}
	got, err := p.fwd.Run(in)
	if err != nil {
		t.Fatalf("%v: %v", sizes, err)
	}
	p.check(t, name, sizes, p.f.Outputs, got, want)
	if p.bwd == nil {
		return
	}
	p.feed(in, got, rand.New(rand.NewPCG(7, uint64(sizes[0]))))
	for _, u := range p.g.Inputs {
		ref.Arrays[u] = in.Arrays[u]
		if slices.Contains(p.f.Outputs, u) {
			ref.Arrays[u] = want[u]
		}
	}
	want, err = ir.Eval(p.g, ref)
	if err != nil {
		t.Fatalf("%v: %v", sizes, err)
	}
	if got, err = p.bwd.Run(in); err != nil {
		t.Fatalf("%v: %v", sizes, err)
	}
	p.check(t, name, sizes, p.g.Outputs, got, want)
}

// random numbers between -4 and 4 in steps of 1/8, with some zeros.
func random(r *rand.Rand, float string, shape []int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		x := r.NormFloat64()
		if r.IntN(4) == 0 {
			x = math.Round(x)
		}
		x = min(max(x, -4), 4)
		if float == "f32" {
			x = float64(float32(x))
		}
		a.Data[i] = x
	}
	return a
}

// inputs makes a call, and the same for the evaluator in float64.
func (p *pair) inputs(sizes []int) (in, ref ir.Binding) {
	r := rand.New(rand.NewPCG(1, uint64(sizes[0])))
	in = ir.Binding{
		Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, DTypes: p.dtypes,
		Scalars: map[string]float64{"beta": 0.7, "eps": 1e-2, "ignore_index": -100, "lr": 0.1, "momentum": 0.9, "weight_decay": 0.01,
			"label_smoothing": 0.1, "step": 3},
	}
	for i, a := range p.f.Axes {
		in.Extents[a] = sizes[i]
	}
	for _, s := range p.f.Scalars {
		if _, ok := in.Scalars[s.Name]; !ok {
			in.Scalars[s.Name] = 0.25
		}
	}
	for _, u := range p.f.Inputs {
		var shape []int
		for _, a := range u.Axes {
			shape = append(shape, in.Extents[a])
		}
		a := random(r, p.dtypes["T"], shape)
		if u.Elem.Name == "I" {
			for i := range a.Data {
				if a.Data[i] = float64(r.IntN(max(1, sizes[1]))); r.IntN(5) == 0 {
					a.Data[i] = -100
				}
			}
		}
		in.Arrays[u] = a
	}
	ref = in
	ref.Arrays = maps.Clone(in.Arrays)
	ref.DTypes = map[string]string{"T": "f64", "I": p.dtypes["I"]}
	return in, ref
}

func (p *pair) check(t *testing.T, name string, sizes []int, outputs []*ir.Tensor, got, want map[*ir.Tensor]*ir.Array) {
	t.Helper()
	eps := 0x1p-23
	if p.dtypes["T"] == "f64" {
		eps = 0x1p-52
	}
	acc, ok := accuracies[name]
	if !ok {
		acc = accuracies["sums"]
	}
	tol := eps * float64(acc.steps(sizes)) * acc.scale(sizes)
	for _, u := range outputs {
		for i, w := range want[u].Data {
			g := got[u].Data[i]
			if math.IsNaN(w) && math.IsNaN(g) || g == w {
				continue
			}
			if !(math.Abs(g-w) <= tol) {
				t.Fatalf("%v: %s[%d] = %v, want %v ± %v", sizes, u.Name, i, g, w, tol)
			}
		}
	}
}

// TestLoweredChecks finds indices that are out of range, unless they are excepted.
func TestLoweredChecks(t *testing.T) {
	p := lowerPair(t, "cross_entropy_mean", "f32", "i64")
	for _, bad := range []float64{-1, 3, 1 << 40} {
		in, _ := p.inputs([]int{5, 3})
		for u, a := range in.Arrays {
			if u.Elem.Name == "I" {
				a.Data[2] = bad
			}
		}
		_, err := p.fwd.Run(in)
		if err == nil || !strings.Contains(err.Error(), "element 2 of t") {
			t.Errorf("index %v: error %v", bad, err)
		}
	}
}

// TestUnsupported names the definition that nests can't express.
func TestUnsupported(t *testing.T) {
	f := newFn("embedding_backward")
	n, v, d := f.axis("NN"), f.axis("V"), f.axis("D")
	gy, idx := f.input("gy", n, d), f.in("idx", ir.Input, f.I, n)
	w := &ir.Tensor{Name: "gw", Role: ir.Output, Elem: f.T, Axes: axes(v, d)}
	f.Outputs = append(f.Outputs, w)
	i, j := &ir.Var{Name: "i", Axis: n}, &ir.Var{Name: "j", Axis: d}
	f.Defs = append(f.Defs, &ir.Def{
		Target: w, Vars: []*ir.Var{i, j}, Dest: []*ir.Value{ir.Read(idx, ir.Index(i)), ir.Index(j)}, Monoid: ir.Sum,
		Body: ir.Read(gy, ir.Index(i), ir.Index(j)),
	})
	_, err := nest.Lower(f.Func, nest.Options{DTypes: map[string]string{"T": "f32", "I": "i64"}})
	var u *nest.Unsupported
	if !errors.As(err, &u) || u.Def != "gw" || !strings.Contains(u.Reason, "scatters") {
		t.Errorf("error %v", err)
	}
	_, err = nest.Lower(handOps["relu"]().Func, nest.Options{DTypes: map[string]string{"T": "i32"}})
	if !errors.As(err, &u) {
		t.Errorf("relu of integers: error %v", err)
	}
	g := newFn("chosen_index") // indices are selected once for all lanes
	m := g.axis("N")
	x := g.input("x", m)
	y := &ir.Tensor{Name: "y", Role: ir.Output, Elem: g.T, Axes: axes(m)}
	g.Outputs = append(g.Outputs, y)
	k := &ir.Var{Name: "k", Axis: m}
	low := ir.Call(ir.OpLt, ir.Read(x, ir.Index(k)), ir.Frac(1, 2))
	g.Defs = append(g.Defs, &ir.Def{Target: y, Vars: []*ir.Var{k}, Dest: []*ir.Value{ir.Index(k)},
		Body: ir.Select(ir.Call(ir.OpLt, ir.Select(low, ir.Int(2), ir.Int(3)), ir.Int(3)), ir.Read(x, ir.Index(k)), ir.Neg(ir.Read(x, ir.Index(k))))})
	if _, err := nest.Lower(g.Func, nest.Options{DTypes: map[string]string{"T": "f32"}}); !errors.As(err, &u) {
		t.Errorf("an index selected by data: error %v", err)
	}
}

// TestInPlace says which inputs an output may lie on.
func TestInPlace(t *testing.T) {
	for name, want := range map[string]string{
		"relu": "y:x @x:x @x:@y @x:y", "softmax": "y:x @x:x @x:@y @x:y", "linear": "@b:b @w:w",
		"layer_norm": "y:x @x:x @x:@y @x:y @w:b @b:b", "momentum": "p':p p':g p':buf buf':p buf':g buf':buf",
		"transposed": "@w:w @x:x", "row_sum": "@x:x", "softmax_flat": "y:x @x:x @x:@y @x:y",
		"smooth_l1_mean": "@x:x @x:t @t:x @t:t", "cross_entropy_mean": "@x:x",
	} {
		p := lowerPair(t, name, "f32", "i64")
		var got []string
		for _, q := range p.programs() {
			for _, out := range q.Func.Outputs {
				for _, in := range q.Func.Inputs {
					if q.MayShare(out, in) && len(in.Axes) > 0 {
						got = append(got, out.Name+":"+in.Name)
					}
				}
			}
		}
		a, b := strings.Fields(want), got
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: %v, want %v", name, b, a)
		}
	}
}
