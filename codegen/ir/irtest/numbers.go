package irtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/opgen/opgen/codegen/ir"
)

// Reporter is what the checks need of a test, of testing or of rapid.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Case is a function with numbers to try it with.
type Case struct {
	Name    string
	Func    *ir.Func
	Extents map[string]int
	Scalars map[string]float64
	Lo, Hi  float64 // range of inputs
	Classes int     // integer inputs are below this
}

// Cases are functions that are smooth at almost all points.
func Cases() []Case {
	return []Case{
		{Name: "smooth_l1", Func: SmoothL1(), Extents: map[string]int{"B": 7}, Scalars: map[string]float64{"beta": 0.8}, Lo: -2, Hi: 2},
		{Name: "softmax", Func: Softmax(), Extents: map[string]int{"B": 3, "D": 4}, Lo: -2, Hi: 2},
		{Name: "layer_norm", Func: LayerNorm(), Extents: map[string]int{"B": 3, "R": 5}, Scalars: map[string]float64{"eps": 1e-2}, Lo: -2, Hi: 2},
		{Name: "linear", Func: Linear(), Extents: map[string]int{"B": 3, "I": 4, "O": 2}, Lo: -2, Hi: 2},
		{Name: "logsumexp", Func: LogSumExp(), Extents: map[string]int{"B": 2, "D": 4}, Lo: -2, Hi: 2},
		{Name: "cross_entropy", Func: CrossEntropy(), Extents: map[string]int{"N": 4, "C": 3}, Scalars: map[string]float64{"ignore_index": 1}, Lo: 0.5, Hi: 2, Classes: 3},
		{Name: "embedding", Func: Embedding(), Extents: map[string]int{"N": 5, "V": 3, "D": 2}, Lo: -2, Hi: 2, Classes: 3},
		{Name: "product", Func: Product(), Extents: map[string]int{"B": 2, "D": 4}, Lo: -2, Hi: 2},
		{Name: "maximum", Func: Maximum(), Extents: map[string]int{"B": 3, "D": 4}, Lo: -2, Hi: 2},
		{Name: "safe_root", Func: SafeRoot(), Extents: map[string]int{"B": 6}, Lo: -2, Hi: 2},
		{Name: "masked_root", Func: MaskedRoot(), Extents: map[string]int{"B": 3, "D": 4}, Lo: 0.1, Hi: 2},
		{Name: "window", Func: Window(), Extents: map[string]int{"N": 7, "K": 3, "P": 5}, Lo: -2, Hi: 2},
		{Name: "gelu", Func: Gelu(), Extents: map[string]int{"B": 6}, Lo: -2, Hi: 2},
		{Name: "mixed", Func: Mixed(), Extents: map[string]int{"B": 9}, Lo: 0.3, Hi: 1.9},
		{Name: "filter", Func: Filter(), Extents: map[string]int{"B": 2, "L": 5, "K": 2}, Lo: -1, Hi: 1},
		{Name: "backwards", Func: Backwards(), Extents: map[string]int{"L": 4}, Lo: 0.3, Hi: 2},
		{Name: "cumprod", Func: Cumprod(), Extents: map[string]int{"B": 2, "L": 5}, Lo: -2, Hi: 2},
		{Name: "functions", Func: Functions(), Extents: map[string]int{"B": 5}, Lo: 0.5, Hi: 1.9},
	}
}

// Random fills the inputs of the function with random numbers.
func (c Case) Random(f *ir.Func, seed uint64) ir.Binding {
	rng := rand.New(rand.NewPCG(seed, 1))
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: c.Scalars}
	for _, d := range f.Dims {
		in.Extents[d.Axis] = c.Extents[d.Axis.Name]
	}
	for _, t := range f.Inputs {
		shape := make([]int, len(t.Axes))
		for i, a := range t.Axes {
			shape[i] = c.Extents[a.Name]
			in.Extents[a] = shape[i]
		}
		a := ir.NewArray(shape...)
		for i := range a.Data {
			a.Data[i] = c.Lo + (c.Hi-c.Lo)*rng.Float64()
			if !f.IsFloat(t) {
				a.Data[i] = float64(rng.IntN(c.Classes))
			}
		}
		in.Arrays[t] = a
	}
	return in
}

// WithOutputs computes the outputs of f, as inputs of its backward function.
func WithOutputs(t Reporter, f *ir.Func, in ir.Binding) ir.Binding {
	t.Helper()
	out, err := ir.Eval(f, in)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := in
	r.Arrays = map[*ir.Tensor]*ir.Array{}
	for _, m := range []map[*ir.Tensor]*ir.Array{in.Arrays, out} {
		for k, a := range m {
			r.Arrays[k] = a
		}
	}
	return r
}

// Cotangents adds random cotangents of the outputs that back, a backward function, takes.
func Cotangents(back *ir.Func, in ir.Binding, seed uint64) { Directions(back, in, ir.Cotangent, seed) }

// Directions gives the inputs of f that have a role and no array yet random numbers; what is of an input that was left out
// is left out.
func Directions(f *ir.Func, in ir.Binding, role ir.Role, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, t := range f.Inputs {
		if t.Role != role || in.Arrays[t] != nil || t.Optional && in.Arrays[t.Of] == nil {
			continue
		}
		shape := make([]int, len(t.Axes))
		for i, a := range t.Axes {
			shape[i] = in.Extents[a]
		}
		a := ir.NewArray(shape...)
		for i := range a.Data {
			a.Data[i] = rng.NormFloat64()
		}
		in.Arrays[t] = a
	}
}

// Dual is ⟨ȳ, J·v⟩ and ⟨Jᵀ·ȳ, v⟩, from the results of a backward and a tangent function of one function, and the size of
// what is added up in them.
func Dual(back, fore *ir.Func, in ir.Binding, grads, tangents map[*ir.Tensor]*ir.Array) (left, right, scale float64) {
	v := map[*ir.Tensor]*ir.Array{}
	for _, t := range fore.Inputs {
		if t.Role == ir.Tangent {
			v[t.Of] = in.Arrays[t]
		}
	}
	jv := map[*ir.Tensor]*ir.Array{}
	for _, t := range fore.Outputs {
		jv[t.Of] = tangents[t]
	}
	dot := func(a, b *ir.Array) (s float64) {
		if a == nil || b == nil {
			return 0
		}
		for i, x := range a.Data {
			s += x * b.Data[i]
			scale += math.Abs(x * b.Data[i])
		}
		return s
	}
	for _, t := range back.Inputs {
		if t.Role == ir.Cotangent {
			left += dot(in.Arrays[t], jv[t.Of])
		}
	}
	for _, t := range back.Outputs {
		right += dot(grads[t], v[t.Of])
	}
	return left, right, scale
}

// CheckGrad compares the gradients that back computes with central differences of Σ cotangent·output.
// in holds the inputs of f, and outputs and cotangents as back takes them.
func CheckGrad(t Reporter, f, back *ir.Func, in ir.Binding, tolerance float64) {
	t.Helper()
	grads, err := ir.Eval(back, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, back)
	}
	loss := func() float64 {
		out, err := ir.Eval(f, in)
		if err != nil {
			t.Fatalf("%v", err)
		}
		s := 0.0
		for _, c := range back.Inputs {
			if c.Role != ir.Cotangent || out[c.Of] == nil {
				continue
			}
			for i, g := range in.Arrays[c].Data {
				s += g * out[c.Of].Data[i]
			}
		}
		return s
	}
	for _, g := range back.Outputs {
		x := in.Arrays[g.Of].Data
		for i := range x {
			old := x[i]
			diff := func(h float64) float64 {
				x[i] = old + h
				up := loss()
				x[i] = old - h
				down := loss()
				x[i] = old
				return (up - down) / (2 * h)
			}
			// Two steps and Richardson's extrapolation.
			const h = 1e-4
			want := (4*diff(h/2) - diff(h)) / 3
			if got := grads[g].Data[i]; math.Abs(got-want) > tolerance*(1+math.Abs(want)) || math.IsNaN(got) {
				t.Errorf("%s[%d] is %v, differences give %v\n%v", g.Name, i, got, want, back)
				return
			}
		}
	}
}

// CheckSame compares the outputs of two functions that have the same outputs by name.
func CheckSame(t Reporter, a, b *ir.Func, in ir.Binding, tolerance float64) {
	t.Helper()
	x, err := ir.Eval(a, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, a)
	}
	y, err := ir.Eval(b, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, b)
	}
	if err := same(a, b, x, y, tolerance); err != nil {
		t.Errorf("%v\nbefore:\n%v\nafter:\n%v", err, a, b)
	}
}

func same(a, b *ir.Func, x, y map[*ir.Tensor]*ir.Array, tolerance float64) error {
	if len(a.Outputs) != len(b.Outputs) {
		return fmt.Errorf("%d outputs and %d", len(a.Outputs), len(b.Outputs))
	}
	for k, t := range a.Outputs {
		p, q := x[t], y[b.Outputs[k]]
		for i, v := range p.Data {
			w := q.Data[i]
			if v == w || v != v && w != w {
				continue
			}
			if !(math.Abs(v-w) <= tolerance*(1+math.Abs(v))) {
				return fmt.Errorf("%s[%d] is %v and %v", t.Name, i, v, w)
			}
		}
	}
	return nil
}
