package cuda_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// call calls the op and its derivative on random tensors and compares with the evaluator. done: false where the op refuses
// the call, such as a maximum over nothing, or a variance of one number.
func (o *op) call(d *device, extents []int) (done bool, err error) {
	r := rand.New(rand.NewPCG(1, uint64(len(o.name))))
	f := o.unsimplified()
	extents = o.fewPoints(extents)
	in, ok := o.binding(r, extents)
	if !ok {
		return false, nil
	}
	ref := in
	ref.Arrays = maps.Clone(in.Arrays)
	ref.DTypes = maps.Clone(in.DTypes)
	for name, d := range ref.DTypes {
		if d == "f32" {
			ref.DTypes[name] = "f64"
		}
	}
	want, err := ir.EvalAll(f, ref)
	if err != nil {
		if slices.Contains(extents, 0) {
			return false, nil
		}
		return false, err
	}
	got, model, err := d.run(o.pair.Forward, in)
	if err != nil {
		return false, err
	}
	scale := largest(want)
	if err := o.same(f.Outputs, got, model, want, scale, extents); err != nil {
		return false, err
	}
	if o.pair.Backward == nil {
		return true, nil
	}
	for _, t := range o.f.Derived.Inputs {
		if t.Role == ir.Cotangent {
			in.Arrays[t] = o.tensor(r, t, in)
		}
	}
	for t, a := range got { // outputs and what the forward program saves
		in.Arrays[t] = a
	}
	for _, t := range o.f.Derived.Inputs {
		if ref.Arrays[t] == nil {
			ref.Arrays[t] = in.Arrays[t]
		}
		if slices.Contains(f.Outputs, t) {
			ref.Arrays[t] = want[t]
		}
	}
	for _, t := range o.pair.Backward.Func.Inputs { // cotangents by the output that they belong to
		if t.Role != ir.Cotangent || in.Arrays[t] != nil {
			continue
		}
		for _, u := range o.f.Derived.Inputs {
			if u.Role == ir.Cotangent && u.Of.Name == t.Of.Name {
				in.Arrays[t] = in.Arrays[u]
			}
		}
	}
	byInput, largest, err := o.gradients(ref)
	if err != nil {
		return false, err
	}
	if got, model, err = d.run(o.pair.Backward, in); err != nil {
		return false, err
	}
	gradients := map[*ir.Tensor]*ir.Array{}
	for _, t := range o.pair.Backward.Func.Outputs {
		if gradients[t] = byInput[t.Of.Name]; gradients[t] == nil {
			return false, fmt.Errorf("a gradient of %s that isn't derived", t.Of.Name)
		}
	}
	return true, o.same(o.pair.Backward.Func.Outputs, got, model, gradients, max(scale, largest), extents)
}

// maxPoints bounds the points of the batch of a launch: each is a request to the other program.
const maxPoints = 48

// fewPoints are the extents of a call, those along which launches are repeated halved until there are few points.
func (o *op) fewPoints(extents []int) []int {
	extents = slices.Clone(extents)
	for _, p := range []*nest.Program{o.pair.Forward, o.pair.Backward} {
		if p == nil {
			continue
		}
		for _, l := range p.Launches {
			for {
				points, largest := 1, -1
				for i, a := range o.f.Variant.Forward.Axes {
					if !slices.ContainsFunc(l.Batch, func(b *ir.Axis) bool { return b.Name == a.Name }) {
						continue
					}
					if points *= extents[i]; largest < 0 || extents[i] > extents[largest] {
						largest = i
					}
				}
				if points <= maxPoints {
					break
				}
				extents[largest] /= 2
			}
		}
	}
	return extents
}

// gradients are the gradients by the name of the input, as they were derived, and the largest number of their computation. Where the
// chain rule gives no number, the simplified definitions say what the gradient is, a number or none.
func (o *op) gradients(ref ir.Binding) (byInput map[string]*ir.Array, most float64, err error) {
	for _, t := range o.f.Backward.Inputs {
		if t.Role != ir.Cotangent {
			continue
		}
		for _, u := range o.f.Derived.Inputs {
			if u.Role == ir.Cotangent && u.Of.Name == t.Of.Name {
				ref.Arrays[t] = ref.Arrays[u]
			}
		}
	}
	derived, err := ir.EvalAll(o.f.Derived, ref)
	if err != nil {
		return nil, 0, err
	}
	simple, err := ir.Eval(o.f.Backward, ref)
	if err != nil {
		return nil, 0, err
	}
	byInput = map[string]*ir.Array{}
	for _, t := range o.f.Derived.Outputs {
		byInput[t.Of.Name] = derived[t]
	}
	for t, a := range simple {
		for i, x := range byInput[t.Of.Name].Data {
			if math.IsNaN(x) {
				byInput[t.Of.Name].Data[i] = a.Data[i]
			}
		}
	}
	return byInput, largest(derived), nil
}

// run runs a program through the CUDA text and on the interpreter.
func (d *device) run(p *nest.Program, in ir.Binding) (got, model map[*ir.Tensor]*ir.Array, err error) {
	if got, err = p.RunWith(in, d.launch); err == nil {
		model, err = p.Run(in)
	}
	return got, model, err
}

// binding is a call with the extents: attributes that select the function and meet its requirements, and random inputs.
func (o *op) binding(r *rand.Rand, extents []int) (ir.Binding, bool) {
	f := o.unsimplified()
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{}, DTypes: o.pair.DTypes}
	for i, a := range f.Axes {
		in.Extents[a] = extents[i]
	}
	found := false
	for try := 0; try < 200 && !found; try++ {
		in.Scalars["step"] = float64(1 + r.IntN(3))
		for _, s := range f.Scalars {
			in.Scalars[s.Name] = []float64{0.75, 0, 1, 3, -2}[r.IntN(5)]
			if try >= 100 { // for what only certain numbers select
				in.Scalars[s.Name] = []float64{2, math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			}
			if s.Type.Kind == ir.Exact {
				in.Scalars[s.Name] = float64([]int{1, 2, 3, -100}[r.IntN(4)])
			}
		}
		found = o.selects(in)
	}
	if !found {
		return in, false
	}
	for _, d := range f.Dims {
		x, err := ir.EvalScalar(f, d.Value, in)
		if err != nil || x < 0 {
			return in, false
		}
		in.Extents[d.Axis] = int(x)
	}
	for _, t := range f.Inputs {
		in.Arrays[t] = o.tensor(r, t, in)
	}
	return in, true
}

// selects tells whether the attributes select the function and meet the requirements about them.
func (o *op) selects(in ir.Binding) bool {
	return o.chosen(in) && o.allowed(in)
}

// chosen tells whether the attributes select the function.
func (o *op) chosen(in ir.Binding) bool {
	for _, c := range o.f.Variant.Choices {
		if c.Cond == nil {
			continue
		}
		x, err := ir.EvalScalar(o.unsimplified(), c.Cond, in)
		if err != nil || (x != 0) != c.Holds {
			return false
		}
	}
	return true
}

// allowed tells whether the attributes meet the requirements about them.
func (o *op) allowed(in ir.Binding) bool {
	for _, q := range o.unsimplified().Requires {
		if x, err := ir.EvalScalar(o.unsimplified(), q.Cond, in); err == nil && x == 0 {
			return false
		}
	}
	return true
}

// excluded tells whether there are numbers for the only attribute that select the function, and none of them meets the requirements.
func (o *op) excluded() bool {
	f := o.unsimplified()
	if len(f.Scalars) != 1 {
		return false
	}
	in, found := ir.Binding{Scalars: map[string]float64{"step": 1}}, false
	for _, x := range []float64{0.75, 0, 1, 3, -2, 2, math.Inf(1), math.Inf(-1)} {
		if in.Scalars[f.Scalars[0].Name] = x; o.chosen(in) {
			if found = true; o.allowed(in) {
				return false
			}
		}
	}
	return found
}

// tensor draws the elements of a tensor: floats of the normal distribution with some whole numbers, and so ties; indices in
// range, or equal to an attribute that may be an exception.
func (o *op) tensor(r *rand.Rand, t *ir.Tensor, in ir.Binding) *ir.Array {
	var shape []int
	for _, a := range t.Axes {
		shape = append(shape, in.Extents[a])
	}
	a := ir.NewArray(shape...)
	bound, except := o.indexRange(t, in)
	for i := range a.Data {
		switch {
		case bound >= 0 && (bound == 0 || r.IntN(4) == 0):
			a.Data[i] = except
		case bound >= 0:
			a.Data[i] = float64(r.IntN(bound))
		case r.IntN(4) == 0:
			a.Data[i] = math.Round(r.NormFloat64())
		default:
			a.Data[i] = float64(float32(r.NormFloat64()))
		}
	}
	return a
}

// indexRange is the number of values that an index tensor may have, by the checks of the programs (-1: t holds no indices), and a
// value that is allowed besides.
func (o *op) indexRange(t *ir.Tensor, in ir.Binding) (bound int, except float64) {
	for _, c := range o.pair.Forward.Checks {
		if c.Index.Name != t.Name {
			continue
		}
		for _, s := range o.unsimplified().Scalars {
			if s.Type.Kind == ir.Exact {
				except = in.Scalars[s.Name]
			}
		}
		return in.Extents[c.Axis], except
	}
	return -1, 0
}

// largest is the magnitude of the largest number of a computation.
func largest(all map[*ir.Tensor]*ir.Array) float64 {
	m := 1.0
	for _, a := range all {
		for _, x := range a.Data {
			if y := math.Abs(x); y > m && !math.IsInf(y, 0) {
				m = y
			}
		}
	}
	return m
}

// same compares within the error that the roundings of a sum over the extents may add up to, each relative to the largest
// number of the computation. Where the op magnifies errors, such as by a division by a sum of numbers of both signs, that is
// four times what the interpreter differs by: it makes the same steps, but adds up in another order.
func (o *op) same(outputs []*ir.Tensor, got, model, want map[*ir.Tensor]*ir.Array, scale float64, extents []int) error {
	eps := 0x1p-52
	for _, d := range o.pair.DTypes {
		if d == "f32" {
			eps = 0x1p-23
		}
	}
	steps := 32
	for _, n := range extents {
		steps += n / 32
	}
	for _, t := range outputs {
		magnified := 0.0
		for i, w := range want[t].Data {
			if e := math.Abs(model[t].Data[i] - w); e > magnified && !math.IsInf(e, 0) {
				magnified = e
			}
		}
		tol := max(eps*float64(steps)*scale, min(4*magnified, math.Sqrt(eps)*scale))
		for i, w := range want[t].Data {
			g := got[t].Data[i]
			if g == w || math.IsNaN(g) && math.IsNaN(w) {
				continue
			}
			if !(math.Abs(g-w) <= tol) {
				return fmt.Errorf("%s[%d] = %v, want %v ± %v", t.Name, i, g, w, tol)
			}
		}
	}
	return nil
}
