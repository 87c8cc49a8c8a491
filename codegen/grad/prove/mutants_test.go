package prove_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// TestMutants changes right formulas in one to three places, and expects each that is wrong to be refused. What is wrong is found
// by brute force, at many points that the proof doesn't know.
func TestMutants(t *testing.T) {
	each := 25
	if os.Getenv("OPGEN_HEAVY") != "" {
		each = 500
	}
	wrong, refused := 0, 0
	for i, p := range problems(t) {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		for range each {
			m := problem{p.name, p.forward, p.derived}
			for range 1 + r.IntN(3) {
				if f := mutate(r, m.forward); f != nil {
					m.forward = f
				}
			}
			differs := m.differs(r)
			ok, s, why := m.accepted()
			switch {
			case differs != "":
				wrong++
				if ok {
					t.Errorf("%s: a wrong formula passes as %v: %s\n%s", p.name, s, differs, text(m.forward))
				}
			case !ok:
				refused++
				t.Logf("%s: refused, though no point was found at which it is wrong: %s\n%s", p.name, why, text(m.forward))
			}
		}
	}
	t.Logf("%d wrong formulas; %d more refused", wrong, refused)
	if wrong < 600 {
		t.Errorf("only %d wrong formulas were made", wrong)
	}
}

// text is the formula by hand.
func text(f *ir.Func) string {
	s := ""
	for _, d := range f.UserGrads[0].Defs {
		s += fmt.Sprintf("  %s\n", d)
	}
	return s
}

// differs looks for a point away from kinks at which the formula by hand isn't the derivative, and describes it.
func (p problem) differs(r *rand.Rand) string {
	u := p.forward.UserGrads[0]
	var want *ir.Tensor
	for _, g := range p.derived.Outputs {
		if g.Of == u.Of {
			want = g
		}
	}
	hand := *p.derived
	hand.Inputs = append([]*ir.Tensor(nil), p.forward.Inputs...)
	for _, t := range p.derived.Inputs {
		if t.Role == ir.Cotangent {
			hand.Inputs = append(hand.Inputs, t)
		}
	}
	hand.Outputs, hand.Given, hand.UserGrads, hand.Requires = []*ir.Tensor{u.Result, want}, nil, nil, p.forward.Requires
	hand.Scalars, hand.Axes = p.forward.Scalars, p.forward.Axes
	hand.Defs = append(append([]*ir.Def(nil), p.forward.Defs...), newDefs(p.derived.Defs, p.forward.Defs)...)
	for _, d := range u.Defs {
		hand.Defs = append(hand.Defs, ir.MapDef(d, func(v *ir.Value) *ir.Value {
			if v.Op == ir.OpRead && v.Tensor.Role == ir.Cotangent {
				for _, t := range hand.Inputs {
					if t.Role == ir.Cotangent && t.Of == v.Tensor.Of {
						return ir.Read(t, v.Args...)
					}
				}
			}
			return v
		}))
	}
	for k := range 60 {
		b := bruteBinding(r, &hand, k)
		d := differsAt(&hand, b, u.Result, want)
		for range 3 { // a kink is gone beside it
			if d != "" && differsAt(&hand, nearby(r, &hand, b), u.Result, want) == "" {
				d = ""
			}
		}
		if d != "" {
			return d
		}
	}
	return ""
}

// newDefs are those of defs whose targets old doesn't define.
func newDefs(defs, old []*ir.Def) []*ir.Def {
	have := map[*ir.Tensor]bool{}
	for _, d := range old {
		have[d.Target] = true
	}
	var r []*ir.Def
	for _, d := range defs {
		if !have[d.Target] {
			r = append(r, d)
		}
	}
	return r
}

// bruteBinding draws a point: extents up to 5, and numbers of several magnitudes.
func bruteBinding(r *rand.Rand, f *ir.Func, k int) ir.Binding {
	b := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{}}
	for _, a := range f.Axes {
		b.Extents[a] = 1 + r.IntN(3+k/20)
	}
	for _, s := range f.Scalars {
		b.Scalars[s.Name] = math.Exp(3*r.Float64()*float64(k%3) - 2)
		if k%6 == 5 {
			b.Scalars[s.Name] = []float64{0, -1, -0.3, 5}[r.IntN(4)]
		}
	}
	spread := []float64{1, 0.1, 4}[k%3]
	for _, t := range f.Inputs {
		var shape []int
		least := 1 << 20
		for _, a := range t.Axes {
			shape = append(shape, b.Extents[a])
		}
		for _, n := range b.Extents {
			least = min(least, n)
		}
		a := ir.NewArray(shape...)
		for i := range a.Data {
			if f.IsFloat(t) {
				a.Data[i] = spread * r.NormFloat64()
			} else {
				a.Data[i] = float64(r.IntN(least))
			}
		}
		b.Arrays[t] = a
	}
	return b
}

func nearby(r *rand.Rand, f *ir.Func, b ir.Binding) ir.Binding {
	c := b
	c.Arrays = map[*ir.Tensor]*ir.Array{}
	for t, a := range b.Arrays {
		n := &ir.Array{Shape: a.Shape, Data: append([]float64(nil), a.Data...)}
		if f.IsFloat(t) && t.Role != ir.Cotangent {
			for i := range n.Data {
				n.Data[i] += 1e-5 * r.NormFloat64()
			}
		}
		c.Arrays[t] = n
	}
	return c
}

// differsAt compares at one point; elements for which the derivative is no number are left out.
func differsAt(f *ir.Func, b ir.Binding, got, want *ir.Tensor) string {
	out, err := ir.Eval(f, b)
	if err != nil {
		return ""
	}
	largest := 0.0
	for _, w := range out[want].Data {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range out[want].Data {
		g := out[got].Data[i]
		if math.IsNaN(w) || math.IsInf(w, 0) {
			continue
		}
		if !(math.Abs(g-w) <= 1e-6*largest+1e-9) {
			return fmt.Sprintf("element %d is %v, want %v, at %v", i, g, w, b.Scalars)
		}
	}
	return ""
}
