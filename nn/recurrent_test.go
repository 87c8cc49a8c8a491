package nn

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/gen/rnn"
	"github.com/opgen/opgen/runtime"
)

// cell is a step of a layer, as the documentation of PyTorch 1.13 (RNN, GRU, LSTM) has it: u and v are weight_ih x + bias_ih and
// weight_hh h + bias_hh, h and m state and memory. It gives the new ones.
type cell func(u, v, h, m []float64) (hn, mn []float64)

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var cells = map[string]cell{
	"tanh": func(u, v, h, m []float64) ([]float64, []float64) {
		for j := range h {
			h[j] = math.Tanh(u[j] + v[j])
		}
		return h, m
	},
	"relu": func(u, v, h, m []float64) ([]float64, []float64) {
		for j := range h {
			h[j] = max(u[j]+v[j], 0)
		}
		return h, m
	},
	"gru": func(u, v, h, m []float64) ([]float64, []float64) {
		k := len(h)
		for j := range h {
			r, z := sigmoid(u[j]+v[j]), sigmoid(u[k+j]+v[k+j])
			n := math.Tanh(u[2*k+j] + r*v[2*k+j])
			h[j] = (1-z)*n + z*h[j]
		}
		return h, m
	},
	"lstm": func(u, v, h, m []float64) ([]float64, []float64) {
		k := len(h)
		for j := range h {
			i, f := sigmoid(u[j]+v[j]), sigmoid(u[k+j]+v[k+j])
			g, o := math.Tanh(u[2*k+j]+v[2*k+j]), sigmoid(u[3*k+j]+v[3*k+j])
			m[j] = f*m[j] + i*g
			h[j] = o * math.Tanh(m[j])
		}
		return h, m
	},
}

// affine is w x + b.
func affine(t *testing.T, w, b *runtime.Tensor, x []float64) []float64 {
	t.Helper()
	weights, n := runtime.Must(runtime.Values[float64](w)), len(x)
	r := make([]float64, len(weights)/n)
	if b != nil {
		copy(r, runtime.Must(runtime.Values[float64](b)))
	}
	for i := range r {
		for k := range x {
			r[i] += weights[i*n+k] * x[k]
		}
	}
	return r
}

func TestRecurrent(t *testing.T) {
	const steps, n, in, hidden = 4, 2, 3, 5
	b := New(runtime.F64, runtime.NewSeed(7))
	type layer struct {
		cell   string
		module Module
		w      *Recurrent
		from   func(x, h, m *runtime.Tensor) (y, lastH, lastM *runtime.Tensor, err error)
	}
	tanh, relu := b.RNN(in, hidden, nil), b.RNN(in, hidden, &RecurrentOptions{NoBias: true, RNN: rnn.RNNAttrs{Nonlinearity: rnn.RNNNonlinearityRelu}})
	gru, lstm := b.GRU(in, hidden, nil), b.LSTM(in, hidden, nil)
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	simple := func(f func(x, h *runtime.Tensor, mode Mode) (y, last *runtime.Tensor, err error)) func(x, h, m *runtime.Tensor) (*runtime.Tensor, *runtime.Tensor, *runtime.Tensor, error) {
		return func(x, h, m *runtime.Tensor) (*runtime.Tensor, *runtime.Tensor, *runtime.Tensor, error) {
			y, last, err := f(x, h, Tune)
			return y, last, m, err
		}
	}
	data := make([]float64, steps*n*in)
	for i := range data {
		data[i] = math.Sin(float64(3*i)) * 2
	}
	x := runtime.Must(runtime.FromSlice(data, steps, n, in))
	start := make([]float64, n*hidden)
	for i := range start {
		start[i] = math.Cos(float64(i))
	}
	for _, l := range []layer{
		{"tanh", tanh, &tanh.Recurrent, simple(tanh.From)}, {"relu", relu, &relu.Recurrent, simple(relu.From)},
		{"gru", gru, &gru.Recurrent, simple(gru.From)},
		{"lstm", lstm, &lstm.Recurrent, func(x, h, m *runtime.Tensor) (*runtime.Tensor, *runtime.Tensor, *runtime.Tensor, error) {
			return lstm.From(x, h, m, Tune)
		}},
	} {
		var names []string
		for _, p := range l.module.Parameters() {
			names = append(names, p.Name)
			for _, v := range runtime.Must(runtime.Values[float64](p.Tensor)) {
				if !(math.Abs(v) <= 1/math.Sqrt(hidden)) {
					t.Errorf("%s: %s starts at %v", l.cell, p.Name, v)
				}
			}
		}
		want := []string{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"}
		if l.w.BiasIH == nil {
			want = want[:2]
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: names %v, want %v", l.cell, names, want)
		}
		for _, zero := range []bool{true, false} {
			y := make([]float64, steps*n*hidden)
			lastH, lastM := make([]float64, n*hidden), make([]float64, n*hidden)
			if !zero {
				copy(lastH, start)
				copy(lastM, start)
			}
			for s := range steps {
				for i := range n {
					h, m := lastH[i*hidden:(i+1)*hidden], lastM[i*hidden:(i+1)*hidden]
					u := affine(t, l.w.WeightIH, l.w.BiasIH, data[(s*n+i)*in:(s*n+i+1)*in])
					v := affine(t, l.w.WeightHH, l.w.BiasHH, h)
					h, _ = cells[l.cell](u, v, h, m) // m in place
					copy(y[(s*n+i)*hidden:], h)
				}
			}
			if zero {
				near(t, l.cell, runtime.Must(l.module.Forward(x, Eval)), &array{Shape: []int{steps, n, hidden}, Data: y})
				continue
			}
			h := runtime.Must(runtime.FromSlice(slices.Clone(start), n, hidden))
			got, gotH, gotM, err := l.from(x, h, h)
			if err != nil {
				t.Fatal(err)
			}
			near(t, l.cell+", states", got, &array{Shape: []int{steps, n, hidden}, Data: y})
			near(t, l.cell+", last state", gotH, &array{Shape: []int{n, hidden}, Data: lastH})
			if l.cell == "lstm" {
				near(t, l.cell+", last memory", gotM, &array{Shape: []int{n, hidden}, Data: lastM})
			}
			if err := got.BackwardWith(runtime.Must(runtime.Full(1.0, steps, n, hidden))); err != nil {
				t.Fatal(err)
			}
			for _, p := range l.module.Parameters() {
				if p.Tensor.Grad() == nil {
					t.Errorf("%s: %s has no gradient", l.cell, p.Name)
				}
			}
		}
	}
	b.LSTM(in, 0, nil)
	if !errors.Is(b.Err(), runtime.ErrShape) {
		t.Errorf("without states: %v", b.Err())
	}
}
