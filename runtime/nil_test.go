package runtime

import (
	"errors"
	"testing"
)

// A nil tensor is an input left out: no method panics, and those that can fail say that it is missing.
func TestNilTensor(t *testing.T) {
	var x *Tensor
	only := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"RequireGrad":  x.RequireGrad(),
		"Backward":     x.Backward(),
		"BackwardWith": x.BackwardWith(Scalar[float32](1)),
		"cotangent":    Scalar[float32](1).BackwardWith(nil),
		"Fill":         x.Fill(1),
		"At":           only(x.At(0)),
		"Item":         only(x.Item()),
		"Slice":        only(x.Slice(0, 0, 1, 1)),
		"Permute":      only(x.Permute()),
		"Transpose":    only(x.Transpose(0, 1)),
		"Expand":       only(x.Expand(2)),
		"Reshape":      only(x.Reshape(1)),
		"Data":         only(Data[float32](x)),
		"Values":       only(Values[float32](x)),
		"Flip":         only(x.Flip()),
		"Select":       only(x.Select(0, 0)),
		"Squeeze":      only(x.Squeeze()),
		"Unsqueeze":    only(x.Unsqueeze(0)),
		"Set":          x.Set(1),
		"Get":          only(Get[float32](x)),
		"Put":          Put(x, float32(1)),
		"Read":         Read([]float32{}, x),
		"Write":        Write(x, []float32{}),
		"CopyFrom":     x.CopyFrom(Scalar[float32](1)),
		"Bytes":        only(x.Bytes()),
	} {
		if !errors.Is(err, ErrNil) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	x.Touch()
	x.ZeroGrad()
	x.Release()
	if x.Grad() != nil || x.RequiresGrad() || x.Detach() != nil || x.Contiguous() != nil || x.Clone() != nil {
		t.Error("something comes of nothing")
	}
	if x.DType() != NoDType || x.Device() != CPU || x.Rank() != 0 || x.Len() != 0 || len(x.Shape())+len(x.Strides()) != 0 || x.IsContiguous() || x.String() != "nil" {
		t.Errorf("nil is described as %v, %v, rank %d, %d elements, %v", x, x.DType(), x.Rank(), x.Len(), x.Shape())
	}
}

// The zero value has no elements, and no op takes it.
func TestZeroTensor(t *testing.T) {
	x, only := new(Tensor), func(_ any, err error) error { return err }
	for _, y := range []*Tensor{x, x.Clone(), x.Detach(), x.Contiguous()} {
		if y.Len() != 0 || y.DType() != NoDType || y.String() != "no dtype[] []" {
			t.Errorf("%v has %d elements", y, y.Len())
		}
	}
	for _, err := range []error{x.Backward(), x.Set(1), only(x.Item()), only(x.Reshape(0)), only(x.Unsqueeze(0)), only(x.Bytes()), only(x.Permute())} {
		if !errors.Is(err, ErrNil) {
			t.Error(err)
		}
	}
	if err := x.RequireGrad(); !errors.Is(err, ErrDType) {
		t.Error(err)
	}
	x.Touch()
	x.Release()
}
