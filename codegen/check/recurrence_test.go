package check_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
)

// tensors of recurrent layers: two layers of notation meet here, so these are literal loops over slices.
type sequence struct {
	length, batch, in, hidden int
	x, h0, c0, w, r, b, c     []float64
}

func newSequence(seed uint64, gates int) *sequence {
	s := &sequence{length: 4, batch: 2, in: 3, hidden: 2}
	rng := rand.New(rand.NewPCG(seed, 1))
	fill := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64()*2 - 1
		}
		return v
	}
	s.x, s.h0, s.c0 = fill(s.length*s.batch*s.in), fill(s.batch*s.hidden), fill(s.batch*s.hidden)
	s.w, s.r = fill(gates*s.hidden*s.in), fill(gates*s.hidden*s.hidden)
	s.b, s.c = fill(gates*s.hidden), fill(gates*s.hidden)
	return s
}

func (s *sequence) inputs(gates int, cell bool) map[string]*ir.Array {
	m := map[string]*ir.Array{
		"x": {Shape: []int{s.length, s.batch, s.in}, Data: s.x}, "h0": {Shape: []int{s.batch, s.hidden}, Data: s.h0},
		"w": {Shape: []int{gates * s.hidden, s.in}, Data: s.w}, "r": {Shape: []int{gates * s.hidden, s.hidden}, Data: s.r},
		"b": {Shape: []int{gates * s.hidden}, Data: s.b}, "c": {Shape: []int{gates * s.hidden}, Data: s.c},
	}
	if cell {
		m["c0"] = &ir.Array{Shape: []int{s.batch, s.hidden}, Data: s.c0}
	}
	return m
}

// input is row·x[t, n] + b, state is row·h + c.
func (s *sequence) input(t, n, row int) float64 {
	v := s.b[row]
	for i := range s.in {
		v += s.w[row*s.in+i] * s.x[(t*s.batch+n)*s.in+i]
	}
	return v
}

func (s *sequence) state(row int, h []float64) float64 {
	v := s.c[row]
	for k := range s.hidden {
		v += s.r[row*s.hidden+k] * h[k]
	}
	return v
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// runs are the layers as their papers write them: gates of the point t, n, j from the state before.
var runs = map[string]struct {
	gates int
	cell  bool
	step  func(s *sequence, t, n, j int, h, c []float64) (newH, newC float64)
}{
	"rnn.rnn": {1, false, func(s *sequence, t, n, j int, h, _ []float64) (float64, float64) {
		return math.Tanh(s.input(t, n, j) + s.state(j, h)), 0
	}},
	// Hochreiter and Schmidhuber 1997, with the forget gate of Gers 1999.
	"rnn.lstm": {4, true, func(s *sequence, t, n, j int, h, c []float64) (float64, float64) {
		g := func(k int) float64 { return s.input(t, n, k*s.hidden+j) + s.state(k*s.hidden+j, h) }
		cell := logistic(g(1))*c[j] + logistic(g(0))*math.Tanh(g(2))
		return logistic(g(3)) * math.Tanh(cell), cell
	}},
	// Cho 2014.
	"rnn.gru": {3, false, func(s *sequence, t, n, j int, h, _ []float64) (float64, float64) {
		in := func(k int) float64 { return s.input(t, n, k*s.hidden+j) }
		st := func(k int) float64 { return s.state(k*s.hidden+j, h) }
		reset, update := logistic(in(0)+st(0)), logistic(in(1)+st(1))
		fresh := math.Tanh(in(2) + reset*st(2))
		return (1-update)*fresh + update*h[j], 0
	}},
}

// Recurrent layers against literal loops.
func TestRecurrentLayers(t *testing.T) {
	ops := opsByName(t)
	for name, run := range runs {
		s := newSequence(7, run.gates)
		got, err := ir.EvalOp(ops[name], s.inputs(run.gates, run.cell), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		y := ir.NewArray(s.length, s.batch, s.hidden)
		hn, cn := ir.NewArray(s.batch, s.hidden), ir.NewArray(s.batch, s.hidden)
		for n := range s.batch {
			h := append([]float64{}, s.h0[n*s.hidden:][:s.hidden]...)
			c := append([]float64{}, s.c0[n*s.hidden:][:s.hidden]...)
			for i := range s.length {
				newH, newC := make([]float64, s.hidden), make([]float64, s.hidden)
				for j := range s.hidden {
					newH[j], newC[j] = run.step(s, i, n, j, h, c)
				}
				h, c = newH, newC
				copy(y.Data[(i*s.batch+n)*s.hidden:], h)
			}
			copy(hn.Data[n*s.hidden:], h)
			copy(cn.Data[n*s.hidden:], c)
		}
		want := map[string]*ir.Array{"y": y, "hn": hn}
		if run.cell {
			want["cn"] = cn
		}
		for out, w := range want {
			if err := compare(got[out], w); err != nil {
				t.Errorf("%s: %s: %v", name, out, err)
			}
		}
	}
}

// Gradients of recurrent layers, by groups that run back, against differences; with and without what is optional.
func TestRecurrentGradients(t *testing.T) {
	ops := opsByName(t)
	for name, run := range runs {
		for _, without := range [][]string{nil, {"h0", "b"}} {
			s := newSequence(11, run.gates)
			in := s.inputs(run.gates, run.cell)
			for _, x := range without {
				delete(in, x)
			}
			cotangents := map[string]*ir.Array{}
			loss := func() float64 {
				out, err := ir.EvalOp(ops[name], in, nil, nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				sum := 0.0
				for _, o := range ops[name].Outputs {
					a := out[o.Name]
					if cotangents[o.Name] == nil {
						cotangents[o.Name] = ir.NewArray(a.Shape...)
						for i := range a.Data {
							cotangents[o.Name].Data[i] = math.Sin(float64(3*i + 1))
						}
					}
					for i, v := range a.Data {
						sum += v * cotangents[o.Name].Data[i]
					}
				}
				return sum
			}
			loss()
			grads, err := pass.EvalGrad(ops[name], in, nil, cotangents, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for x, a := range in {
				for i, old := range a.Data {
					const h = 1e-5
					a.Data[i] = old + h
					up := loss()
					a.Data[i] = old - h
					down := loss()
					a.Data[i] = old
					if want := (up - down) / (2 * h); math.Abs(grads[x].Data[i]-want) > 1e-8*(1+math.Abs(want)) {
						t.Errorf("%s without %v: @%s[%d] is %v, differences give %v", name, without, x, i, grads[x].Data[i], want)
					}
				}
			}
		}
	}
}
