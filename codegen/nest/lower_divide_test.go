package nest_test

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/internal/specs"
)

// TestSmoothL1Betas compares gradients of float32 nests with the formula, g·min(1, |x - t|/beta)·sign(x - t), for divisors
// from the tiniest subnormal number to infinity: neither 1/beta nor g/beta may overflow, nor g·|x - t| underflow.
func TestSmoothL1Betas(t *testing.T) {
	all := variants(t, specs.Package(t, "loss").Ops)
	for _, name := range []string{"loss_smooth_l1_none", "loss_smooth_l1_mean", "loss_smooth_l1_sum"} {
		p := *all[name]
		p.dtypes = map[string]string{"T": "f32", "I": "i64"}
		p.lower(t, name)
		for _, b := range []float64{0, 1e-45, 1e-40, 1e-38, 1, 1e38, math.Inf(1)} {
			for _, g := range []float64{1, -3e4, 1e-30, 1e20} {
				beta := float64(float32(b))
				var diffs []float64
				for _, k := range []float64{0, 0.25, 0.5, 1, 2, 3} {
					d := float64(float32(k * beta))
					if k == 0 {
						d = 0
					}
					diffs = append(diffs, d, -d)
				}
				diffs = append(diffs, 0x1p-149, -0x1p-149, 1e-39, 0.1, -7, 1e30, math.MaxFloat32)
				got := p.gradientAt(t, diffs, beta, g)
				n := 1.0
				if name == "loss_smooth_l1_mean" {
					n = float64(len(diffs))
				}
				for i, d := range diffs {
					d = float64(float32(d))
					want := g / n
					if math.Abs(d) < beta {
						want *= math.Abs(d) / beta
					}
					switch {
					case d == 0 || math.IsNaN(want):
						want = 0
					case d < 0:
						want = -want
					}
					if math.IsInf(d, 0) {
						continue // a difference of infinity is a value of its own
					}
					if !(math.Abs(got[i]-want) <= 4e-7*math.Abs(want)+0x1p-148) {
						t.Errorf("%s, beta %g, cotangent %g: the gradient at a difference of %g is %g, want %g", name, beta, g, d, got[i], want)
					}
				}
			}
		}
	}
}

// gradientAt runs the backward program of a function of x and t for t = 0.
func (p *pair) gradientAt(t *testing.T, x []float64, beta, g float64) []float64 {
	t.Helper()
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{"beta": beta}, DTypes: p.dtypes}
	for _, a := range p.f.Axes {
		in.Extents[a] = len(x)
	}
	of := func(v float64, shape ...int) *ir.Array {
		a := ir.NewArray(shape...)
		for i := range a.Data {
			a.Data[i] = float64(float32(v))
		}
		return a
	}
	in.Arrays[p.f.Inputs[0]] = of(0, len(x))
	for i, v := range x {
		in.Arrays[p.f.Inputs[0]].Data[i] = float64(float32(v))
	}
	in.Arrays[p.f.Inputs[1]] = of(0, len(x))
	got, err := p.fwd.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	for u, a := range got {
		in.Arrays[u] = a
	}
	for _, c := range p.g.Inputs {
		if c.Role == ir.Cotangent {
			in.Arrays[c] = of(g, got[c.Of].Shape...)
		}
	}
	if got, err = p.bwd.Run(in); err != nil {
		t.Fatal(err)
	}
	return got[p.g.Outputs[0]].Data
}

// TestSmoothL1Multiplications counts: what keeps the range costs no multiplication for each element.
func TestSmoothL1Multiplications(t *testing.T) {
	all := variants(t, specs.Package(t, "loss").Ops)
	for name, most := range map[string]int{"loss_smooth_l1_none": 3, "loss_smooth_l1_mean": 2} {
		p := *all[name]
		p.dtypes = map[string]string{"T": "f32", "I": "i64"}
		p.lower(t, name)
		for _, l := range p.bwd.Launches {
			muls := 0
			l.Nest.Walk(func(s nest.Stmt, _ []*nest.For) {
				if v, ok := s.(*nest.Value); ok && v.Lane && (v.Op == nest.Mul || v.Op == nest.Div) {
					muls++
				}
			})
			if muls > most {
				t.Errorf("%s: %d multiplications and divisions of lanes, want %d:\n%s", name, muls, most, l.Nest)
			}
		}
	}
}
