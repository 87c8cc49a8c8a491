package nn

import (
	"fmt"

	"github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/runtime"
)

// Linear is [linalg.Linear]: y = x weightᵀ + bias over the last axis.
type Linear struct {
	Weight *runtime.Tensor // [out, in]
	Bias   *runtime.Tensor // [out], or nil
}

// Linear makes a layer from in values to out values. nil options are the defaults.
func (b *Builder) Linear(in, out int, o *Options) *Linear {
	l := &Linear{}
	l.Weight, l.Bias = b.weights(o, out, in)
	return l
}

// Forward takes x of the shape [..., in].
func (l *Linear) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	w, b := mode.read(l.Weight), mode.read(l.Bias)
	defer mode.done(w, b)
	return linalg.Linear(x, w, b)
}

// Parameters are weight and bias.
func (l *Linear) Parameters() []Parameter {
	return own(Parameter{Name: "weight", Tensor: l.Weight}, Parameter{Name: "bias", Tensor: l.Bias})
}

// Embedding is [index.Embedding]: the rows of a table by their numbers.
type Embedding struct {
	Weight  *runtime.Tensor // [rows, size]
	Padding int             // the row that gets no gradient; -1: none
}

// Embedding makes a table of standard normal numbers. The row padding is 0 and gets no gradient; -1: none.
func (b *Builder) Embedding(rows, size, padding int) *Embedding {
	e := &Embedding{Weight: b.Parameter(Normal(0, 1), Fan{size, rows}, rows, size), Padding: padding}
	if e.Weight == nil || padding == -1 {
		return e
	}
	if padding < 0 || padding >= rows {
		b.fail(&runtime.ArgError{Op: "nn.Embedding", Arg: "padding", Want: fmt.Sprintf("a row of %d, or -1", rows), Got: fmt.Sprint(padding), Err: runtime.ErrIndex})
		return e
	}
	row, err := e.Weight.Detach().Select(0, padding)
	if err == nil {
		err = row.Fill(0)
	}
	if err != nil {
		b.fail(err)
	}
	return e
}

// Forward takes numbers of rows, i32 or i64, of any shape.
func (e *Embedding) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	w := mode.read(e.Weight)
	defer mode.done(w)
	return index.Embedding(w, x, &index.EmbeddingAttrs{PaddingIdx: &e.Padding})
}

// Parameters is the table.
func (e *Embedding) Parameters() []Parameter {
	return own(Parameter{Name: "weight", Tensor: e.Weight})
}

// LayerNorm is [norm.LayerNorm] over the last axes, as many as the weight has.
type LayerNorm struct {
	Weight *runtime.Tensor
	Bias   *runtime.Tensor // or nil
	Eps    float64
}

// LayerNorm makes a layer for the last axes, of the given shape, with weight 1, bias 0 and eps 1e-5.
func (b *Builder) LayerNorm(shape ...int) *LayerNorm {
	return &LayerNorm{Weight: b.Parameter(Constant(1), Fan{}, shape...), Bias: b.Parameter(Constant(0), Fan{}, shape...), Eps: 1e-5}
}

// Forward takes x of the shape [..., shape of the weight].
func (l *LayerNorm) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	if l.Weight == nil {
		return nil, &runtime.ArgError{Op: "nn.LayerNorm", Arg: "weight", Want: "a tensor", Got: "nil", Err: runtime.ErrNil}
	}
	axes := make([]int, l.Weight.Rank())
	for i := range axes {
		axes[i] = i - len(axes)
	}
	w, b := mode.read(l.Weight), mode.read(l.Bias)
	defer mode.done(w, b)
	return norm.LayerNorm(x, w, b, &norm.LayerNormAttrs{Axes: axes, Eps: &l.Eps})
}

// Parameters are weight and bias.
func (l *LayerNorm) Parameters() []Parameter {
	return own(Parameter{Name: "weight", Tensor: l.Weight}, Parameter{Name: "bias", Tensor: l.Bias})
}
