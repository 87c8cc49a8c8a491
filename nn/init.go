package nn

import (
	"math"

	"github.com/opgen/opgen/runtime"
)

// Fan is the number of values that go into each output, and of the outputs that each input goes to: for a weight of the shape
// [outputs, inputs, kernel…] the product of inputs, or outputs, and kernel.
type Fan struct{ In, Out int }

// fanOf is the Fan of a weight.
func fanOf(shape []int) Fan {
	if len(shape) < 2 {
		return Fan{1, 1}
	}
	f := Fan{shape[1], shape[0]}
	for _, e := range shape[2:] {
		f.In *= e
		f.Out *= e
	}
	return f
}

// Draw gives element number at of a parameter, whose numbers are the given stream of the seed.
type Draw func(seed runtime.Seed, stream, at int) float64

// Init says how the elements of a parameter are drawn.
type Init func(Fan) Draw

// Constant sets all elements to v.
func Constant(v float64) Init {
	return func(Fan) Draw { return func(runtime.Seed, int, int) float64 { return v } }
}

// Uniform draws from [lo, hi).
func Uniform(lo, hi float64) Init {
	return func(Fan) Draw {
		return func(seed runtime.Seed, stream, at int) float64 {
			return lo + (hi-lo)*runtime.Uniform64(seed, stream, at)
		}
	}
}

// Normal draws from the normal distribution.
func Normal(mean, deviation float64) Init {
	return func(Fan) Draw {
		return func(seed runtime.Seed, stream, at int) float64 {
			return mean + deviation*runtime.Normal64(seed, stream, at)
		}
	}
}

// Gains of activations, for the functions below: by how much weights must be larger so that the variance of what goes through
// stays. Source: the documentation of PyTorch 1.13, torch.nn.init.calculate_gain.
const (
	GainLinear = 1.0 // also of sigmoid
	GainTanh   = 5.0 / 3
	GainRelu   = math.Sqrt2
	GainSelu   = 3.0 / 4
)

// GainLeakyRelu is √(2/(1 + slope²)).
func GainLeakyRelu(slope float64) float64 { return math.Sqrt(2 / (1 + slope*slope)) }

// XavierUniform draws from ±gain √(6/(in + out)). Source: Glorot and Bengio, Understanding the Difficulty of Training Deep
// Feedforward Neural Networks, AISTATS 2010.
func XavierUniform(gain float64) Init {
	return func(f Fan) Draw { return within(gain * math.Sqrt(3) * scale(float64(f.In+f.Out)/2))(f) }
}

// XavierNormal draws from the normal distribution with deviation gain √(2/(in + out)). Source: that of XavierUniform.
func XavierNormal(gain float64) Init {
	return func(f Fan) Draw { return Normal(0, gain*scale(float64(f.In+f.Out)/2))(f) }
}

// KaimingUniform draws from ±gain √(3/in). Source: He, Zhang, Ren and Sun, Delving Deep into Rectifiers, ICCV 2015
// (arXiv:1502.01852).
func KaimingUniform(gain float64) Init {
	return func(f Fan) Draw { return within(gain * math.Sqrt(3) * scale(float64(f.In)))(f) }
}

// KaimingNormal draws from the normal distribution with deviation gain/√in. Source: that of KaimingUniform.
func KaimingNormal(gain float64) Init {
	return func(f Fan) Draw { return Normal(0, gain*scale(float64(f.In)))(f) }
}

// FanInUniform draws from ±1/√in: what Linear and Conv do unless they are told otherwise, for weights and biases. Source: LeCun, Bottou,
// Orr and Müller, Efficient BackProp, 1998; the documentation of PyTorch 1.13, torch.nn.Linear.
func FanInUniform() Init { return KaimingUniform(1 / math.Sqrt(3)) }

// OfOutputs counts outputs where i counts inputs: gradients keep their variance in place of values.
func OfOutputs(i Init) Init { return func(f Fan) Draw { return i(Fan{f.Out, f.In}) } }

func within(bound float64) Init { return Uniform(-bound, bound) }

// scale is 1/√n, and 0 for none.
func scale(n float64) float64 {
	if n == 0 {
		return 0
	}
	return 1 / math.Sqrt(n)
}
