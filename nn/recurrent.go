package nn

import (
	"fmt"
	"math"

	"github.com/opgen/opgen/gen/rnn"
	"github.com/opgen/opgen/runtime"
)

// Recurrent is the weights of a recurrent layer, by the names that PyTorch has for one layer in one direction: weight_ih_l0, weight_hh_l0,
// bias_ih_l0 and bias_hh_l0. Gates are parts of the first axis.
type Recurrent struct {
	WeightIH *runtime.Tensor // [gates·hidden, in]
	WeightHH *runtime.Tensor // [gates·hidden, hidden]
	BiasIH   *runtime.Tensor // [gates·hidden], or nil
	BiasHH   *runtime.Tensor // [gates·hidden], or nil
}

// RecurrentOptions are those of RNN, LSTM and GRU. The zero value means the defaults.
type RecurrentOptions struct {
	NoBias bool
	Init   Init         // of all weights and biases; default uniform within ±1/√hidden
	RNN    rnn.RNNAttrs // of RNN alone: nonlinearity
}

// recurrent makes the weights for a number of gates.
func (b *Builder) recurrent(o *RecurrentOptions, gates, in, hidden int) Recurrent {
	init := o.Init
	if init == nil {
		within := 1 / math.Sqrt(float64(max(hidden, 1)))
		init = Uniform(-within, within)
	}
	if hidden < 1 || hidden > math.MaxInt/gates {
		b.fail(&runtime.ArgError{Op: "nn.Builder", Arg: "hidden", Want: "1 or more", Got: fmt.Sprint(hidden), Err: runtime.ErrShape})
		return Recurrent{}
	}
	r := Recurrent{WeightIH: b.Parameter(init, Fan{in, hidden}, gates*hidden, in), WeightHH: b.Parameter(init, Fan{hidden, hidden}, gates*hidden, hidden)}
	if !o.NoBias {
		r.BiasIH = b.Parameter(init, Fan{in, hidden}, gates*hidden)
		r.BiasHH = b.Parameter(init, Fan{hidden, hidden}, gates*hidden)
	}
	return r
}

// Parameters are weights and biases.
func (r *Recurrent) Parameters() []Parameter {
	return own(Parameter{Name: "weight_ih_l0", Tensor: r.WeightIH}, Parameter{Name: "weight_hh_l0", Tensor: r.WeightHH},
		Parameter{Name: "bias_ih_l0", Tensor: r.BiasIH}, Parameter{Name: "bias_hh_l0", Tensor: r.BiasHH})
}

// read is the weights as a call in a mode reads them; done gives them back.
func (r *Recurrent) read(mode Mode) (w, h, b, c *runtime.Tensor, done func()) {
	w, h, b, c = mode.read(r.WeightIH), mode.read(r.WeightHH), mode.read(r.BiasIH), mode.read(r.BiasHH)
	return w, h, b, c, func() { mode.done(w, h, b, c) }
}

// RNN is [rnn.RNN]: y[t] = tanh(weight_ih x[t] + bias_ih + weight_hh y[t-1] + bias_hh), or relu for tanh.
type RNN struct {
	Recurrent
	Attrs rnn.RNNAttrs
}

// RNN makes a layer from in values to hidden values a step. nil options are the defaults.
func (b *Builder) RNN(in, hidden int, o *RecurrentOptions) *RNN {
	if o == nil {
		o = &RecurrentOptions{}
	}
	return &RNN{b.recurrent(o, 1, in, hidden), o.RNN}
}

// Forward takes x of the shape [steps, n, in], and gives the states of all steps, [steps, n, hidden]. The state before the first is 0.
func (l *RNN) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	y, _, err := l.From(x, nil, mode)
	return y, err
}

// From is Forward from a state h, [n, hidden], or nil for 0. It also gives the last state, to go on with.
func (l *RNN) From(x, h *runtime.Tensor, mode Mode) (y, last *runtime.Tensor, err error) {
	w, r, b, c, done := l.read(mode)
	defer done()
	return rnn.RNN(x, h, w, r, b, c, &l.Attrs)
}

// GRU is [rnn.GRU]: gated recurrent units. The parts of its weights are the gates reset, update and new.
type GRU struct{ Recurrent }

// GRU makes a layer from in values to hidden values a step. nil options are the defaults.
func (b *Builder) GRU(in, hidden int, o *RecurrentOptions) *GRU {
	if o == nil {
		o = &RecurrentOptions{}
	}
	return &GRU{b.recurrent(o, 3, in, hidden)}
}

// Forward takes x of the shape [steps, n, in], and gives the states of all steps, [steps, n, hidden]. The state before the first is 0.
func (l *GRU) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	y, _, err := l.From(x, nil, mode)
	return y, err
}

// From is Forward from a state h, [n, hidden], or nil for 0. It also gives the last state, to go on with.
func (l *GRU) From(x, h *runtime.Tensor, mode Mode) (y, last *runtime.Tensor, err error) {
	w, r, b, c, done := l.read(mode)
	defer done()
	return rnn.GRU(x, h, w, r, b, c)
}

// LSTM is [rnn.LSTM]: long short-term memory. The parts of its weights are the gates input, forget, cell and output.
type LSTM struct{ Recurrent }

// LSTM makes a layer from in values to hidden values a step. nil options are the defaults.
func (b *Builder) LSTM(in, hidden int, o *RecurrentOptions) *LSTM {
	if o == nil {
		o = &RecurrentOptions{}
	}
	return &LSTM{b.recurrent(o, 4, in, hidden)}
}

// Forward takes x of the shape [steps, n, in], and gives the states of all steps, [steps, n, hidden]. State and memory before the first are 0.
func (l *LSTM) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	y, _, _, err := l.From(x, nil, nil, mode)
	return y, err
}

// From is Forward from a state h and a memory m, [n, hidden] each, or nil for 0. It also gives the last ones, to go on with.
func (l *LSTM) From(x, h, m *runtime.Tensor, mode Mode) (y, lastH, lastM *runtime.Tensor, err error) {
	w, r, b, c, done := l.read(mode)
	defer done()
	return rnn.LSTM(x, h, m, w, r, b, c)
}
