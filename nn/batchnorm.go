package nn

import (
	"sync"

	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/runtime"
)

// BatchNorm is [norm.BatchNorm]: each channel at mean 0 and variance 1, then scaled and shifted. In training these are the mean and variance of
// the call, and the running ones are renewed; otherwise the running ones are taken. Running statistics are no parameters that an optimizer
// changes, but are saved and loaded with them.
type BatchNorm struct {
	Weight      *runtime.Tensor // [channels], or nil
	Bias        *runtime.Tensor // [channels], or nil
	RunningMean *runtime.Tensor // [channels]
	RunningVar  *runtime.Tensor // [channels]
	Batches     *runtime.Tensor // how many calls in training there were: an i64 without axes
	Momentum    float64         // how much of the new statistics the running ones take over
	Eps         float64

	renewing sync.RWMutex // of the running statistics
}

// BatchNorm makes a layer for the given number of channels, which lie along axis 1, with weight 1, bias 0, running mean 0 and variance 1, momentum
// 0.1 and eps 1e-5.
func (b *Builder) BatchNorm(channels int) *BatchNorm {
	l := &BatchNorm{Momentum: 0.1, Eps: 1e-5}
	l.Weight = b.Parameter(Constant(1), Fan{}, channels)
	l.Bias = b.Parameter(Constant(0), Fan{}, channels)
	l.RunningMean, l.RunningVar = b.state(0, channels), b.state(1, channels)
	l.Batches = runtime.Scalar[int64](0)
	return l
}

// Forward takes x of the shape [n, channels, …].
func (l *BatchNorm) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	w, b := mode.read(l.Weight), mode.read(l.Bias)
	defer mode.done(w, b)
	attrs := &norm.BatchNormAttrs{Momentum: &l.Momentum, Eps: &l.Eps}
	if _, ok := mode.Training(); !ok || x.Len() == 0 { // nothing has no mean
		l.renewing.RLock()
		defer l.renewing.RUnlock()
		return norm.BatchNorm(x, l.RunningMean, l.RunningVar, w, b, attrs)
	}
	attrs.Training = true
	l.renewing.Lock()
	defer l.renewing.Unlock()
	y, err := norm.BatchNorm(x, l.RunningMean, l.RunningVar, w, b, attrs)
	if err != nil || l.Batches == nil {
		return y, err
	}
	n, err := runtime.Get[int64](l.Batches)
	if err != nil {
		return nil, err
	}
	if err := runtime.Write(l.Batches, []int64{n + 1}); err != nil {
		return nil, err
	}
	return y, nil
}

// Parameters are weight, bias, and the statistics.
func (l *BatchNorm) Parameters() []Parameter {
	return own(Parameter{Name: "weight", Tensor: l.Weight}, Parameter{Name: "bias", Tensor: l.Bias},
		Parameter{Name: "running_mean", Tensor: l.RunningMean}, Parameter{Name: "running_var", Tensor: l.RunningVar},
		Parameter{Name: "num_batches_tracked", Tensor: l.Batches})
}

// state makes a tensor that no gradient goes to.
func (b *Builder) state(v float64, shape ...int) *runtime.Tensor {
	if b.err != nil {
		return nil
	}
	t, err := runtime.New(b.dtype, shape...)
	if err == nil {
		err = t.Fill(v)
	}
	if err != nil {
		b.fail(err)
		return nil
	}
	return t
}
