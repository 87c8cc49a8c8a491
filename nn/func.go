package nn

import (
	"fmt"

	"github.com/opgen/opgen/gen/random"
	"github.com/opgen/opgen/runtime"
)

// Func is an op of one tensor as a module: Func(activation.Relu), Func(pointwise.Tanh).
type Func func(x *runtime.Tensor) (*runtime.Tensor, error)

// With is an op with attributes as a module: With(activation.Gelu, &activation.GeluAttrs{…}).
func With[A any](op func(*runtime.Tensor, *A) (*runtime.Tensor, error), attrs *A) Func {
	return func(x *runtime.Tensor) (*runtime.Tensor, error) { return op(x, attrs) }
}

// Forward calls f.
func (f Func) Forward(x *runtime.Tensor, _ Mode) (*runtime.Tensor, error) {
	if f == nil {
		return nil, &runtime.ArgError{Op: "nn.Func", Arg: "f", Want: "a function", Got: "nil", Err: runtime.ErrNil}
	}
	return f(x)
}

// Parameters is none.
func (f Func) Parameters() []Parameter { return nil }

// Flatten makes one axis of all but the first: [n, c, h, w] becomes [n, c h w].
func Flatten() Func {
	return func(x *runtime.Tensor) (*runtime.Tensor, error) {
		shape := x.Shape()
		if len(shape) == 0 {
			return nil, &runtime.ArgError{Op: "nn.Flatten", Arg: "x", Want: "1 axis or more", Got: fmt.Sprint(x), Err: runtime.ErrShape}
		}
		n := 1
		for _, e := range shape[1:] {
			n *= e
		}
		return x.Contiguous().Reshape(shape[0], n)
	}
}

// Dropout is [random.Dropout] in training, and nothing otherwise: Forward gives x itself then.
type Dropout struct {
	P   float64
	Key uint64 // of the random numbers; layers with different keys drop different elements. Save doesn't write it
}

// Dropout makes a layer that sets elements to 0 with probability p and multiplies the others by 1/(1 - p).
func (b *Builder) Dropout(p float64) *Dropout {
	if !(p >= 0 && p <= 1) {
		b.fail(&runtime.ArgError{Op: "nn.Dropout", Arg: "p", Want: "a probability", Got: fmt.Sprint(p), Err: runtime.ErrAttr})
	}
	return &Dropout{p, b.key()}
}

// Forward draws the numbers of the key for the call of the mode.
func (d *Dropout) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	call, ok := mode.Training()
	if !ok {
		return x, nil
	}
	if call < 0 || call > maxCall {
		return nil, &runtime.ArgError{Op: "nn.Dropout", Arg: "mode", Want: fmt.Sprintf("a call of 0 to %d", int64(maxCall)), Got: fmt.Sprint(call), Err: runtime.ErrAttr}
	}
	return random.Dropout(x, runtime.Seed{Key: d.Key, Offset: uint32(call)}, &random.DropoutAttrs{P: &d.P})
}

// Parameters is none.
func (d *Dropout) Parameters() []Parameter { return nil }
