package nn

import (
	"fmt"

	"github.com/opgen/opgen/gen/window"
	"github.com/opgen/opgen/runtime"
)

// Conv is [window.Conv]: a convolution over as many axes as the kernel has.
type Conv struct {
	Weight *runtime.Tensor // [out, in/groups, kernel…]
	Bias   *runtime.Tensor // [out], or nil
	Attrs  window.ConvAttrs
}

// ConvOptions are those of Conv2d. The zero value means the defaults.
type ConvOptions struct {
	Options
	Attrs window.ConvAttrs // stride, dilation, pad and groups
}

// Conv2d makes a layer from in channels to out channels, with kernels of the given height and width. nil options are the defaults.
func (b *Builder) Conv2d(in, out, height, width int, o *ConvOptions) *Conv {
	if o == nil {
		o = &ConvOptions{}
	}
	groups := 1
	if o.Attrs.Groups != nil {
		groups = *o.Attrs.Groups
	}
	if groups < 1 || in%groups != 0 || out%groups != 0 {
		b.fail(&runtime.ArgError{Op: "nn.Conv2d", Arg: "groups", Want: fmt.Sprintf("a divisor of %d and %d channels", in, out),
			Got: fmt.Sprint(groups), Err: runtime.ErrAttr})
		return &Conv{Attrs: o.Attrs}
	}
	c := &Conv{Attrs: o.Attrs}
	c.Weight, c.Bias = b.weights(&o.Options, out, in/groups, height, width)
	return c
}

// Forward takes x of the shape [..., in, sizes…].
func (c *Conv) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	w, b := mode.read(c.Weight), mode.read(c.Bias)
	defer mode.done(w, b)
	return window.Conv(x, w, b, &c.Attrs)
}

// Parameters are weight and bias.
func (c *Conv) Parameters() []Parameter {
	return own(Parameter{Name: "weight", Tensor: c.Weight}, Parameter{Name: "bias", Tensor: c.Bias})
}

// MaxPool2d is [window.MaxPool] over the last two axes as a module: the greatest element of each window.
func MaxPool2d(height, width int, attrs *window.MaxPoolAttrs) Func {
	return func(x *runtime.Tensor) (*runtime.Tensor, error) {
		y, _, err := window.MaxPool(x, []int{height, width}, attrs)
		return y, err
	}
}

// AvgPool2d is [window.AvgPool] over the last two axes as a module: the mean of each window.
func AvgPool2d(height, width int, attrs *window.AvgPoolAttrs) Func {
	return func(x *runtime.Tensor) (*runtime.Tensor, error) {
		return window.AvgPool(x, []int{height, width}, attrs)
	}
}
