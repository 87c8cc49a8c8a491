package nn

import (
	"fmt"

	"github.com/opgen/opgen/runtime"
)

// Builder makes layers of one dtype. Parameters get the numbers of one seed, each those of its own stream, in the order in which they
// are made: the same calls make the same network. The first error is kept: ask Err before the layers are used.
type Builder struct {
	dtype runtime.DType
	seed  runtime.Seed
	made  int // parameters, and layers that draw numbers
	err   error
}

// New makes a builder.
func New(dtype runtime.DType, seed runtime.Seed) *Builder { return &Builder{dtype: dtype, seed: seed} }

// Err is the first error of a call, or nil.
func (b *Builder) Err() error { return b.err }

// Parameter makes a parameter, for layers of one's own; nil on an error, and after one. A nil init is FanInUniform.
func (b *Builder) Parameter(init Init, fan Fan, shape ...int) *runtime.Tensor {
	if init == nil {
		init = FanInUniform()
	}
	stream := b.made
	b.made++
	if b.err != nil {
		return nil
	}
	t, err := drawn(b.dtype, b.seed, stream, init(fan), shape)
	if err != nil {
		b.fail(fmt.Errorf("nn: parameter %d: %w", stream, err))
		return nil
	}
	return t
}

// fail keeps the first error.
func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// weights makes the weight and bias of a layer with outputs along the first axis of the weight.
func (b *Builder) weights(o *Options, shape ...int) (weight, bias *runtime.Tensor) {
	if o == nil {
		o = &Options{}
	}
	fan := fanOf(shape)
	weight = b.Parameter(o.Weight, fan, shape...)
	if !o.NoBias {
		bias = b.Parameter(o.Bias, fan, shape[0])
	}
	return weight, bias
}

// Options are those of layers with a weight and a bias. The zero value means the defaults.
type Options struct {
	NoBias bool
	Weight Init // default FanInUniform
	Bias   Init // default FanInUniform, with the fan of the weight
}

// key is that of the random numbers of the next layer that draws some, unlike that of any other: the output function of SplitMix64 (Steele,
// Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
func (b *Builder) key() uint64 {
	b.made++
	z := b.seed.Key + uint64(b.made)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// drawn makes a leaf with drawn elements.
func drawn(dtype runtime.DType, seed runtime.Seed, stream int, draw Draw, shape []int) (*runtime.Tensor, error) {
	t, err := runtime.New(dtype, shape...)
	if err != nil {
		return nil, err
	}
	if err := t.RequireGrad(); err != nil {
		return nil, err
	}
	switch dtype {
	case runtime.F32:
		err = write(t, seed, stream, draw, func(x float64) float32 { return float32(x) })
	case runtime.F64:
		err = write(t, seed, stream, draw, func(x float64) float64 { return x })
	case runtime.F16:
		err = write(t, seed, stream, draw, func(x float64) runtime.Float16 { return runtime.ToFloat16(float32(x)) })
	default:
		err = write(t, seed, stream, draw, func(x float64) runtime.BFloat16 { return runtime.ToBFloat16(float32(x)) })
	}
	return t, err
}

func write[T runtime.Element](t *runtime.Tensor, seed runtime.Seed, stream int, draw Draw, to func(float64) T) error {
	v := make([]T, t.Len())
	for i := range v {
		v[i] = to(draw(seed, stream, i))
	}
	return runtime.Write(t, v)
}
