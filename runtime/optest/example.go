package optest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// example runs an example.
func example(t *testing.T, o *runtime.Op, e Example, d dtypes) {
	in, err := d.tensors(o, e.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := o.Call(in, d.attrs(o, e))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < len(e.Outputs) {
		t.Fatalf("%d outputs, want %d", len(out), len(e.Outputs))
	}
	for i, want := range e.Outputs {
		if err := compare(out[i], want, d); err != nil {
			t.Errorf("output %d: %v", i, err)
		}
	}
	for i, want := range e.After {
		if err := compare(in[i], want, d); err != nil {
			t.Errorf("input %d after the call: %v", i, err)
		}
	}
}

// compare holds a tensor to what an example says. The numbers are decimals, so they hold to the precision of the dtype.
func compare(x *runtime.Tensor, want Value, d dtypes) error {
	if want.Data == nil {
		return nil
	}
	if !slices.Equal(x.Shape(), want.Shape) {
		return fmt.Errorf("shape %v, want %v", x.Shape(), want.Shape)
	}
	got, err := x.Floats()
	if err != nil {
		return err
	}
	tol := 1e-12
	for dtype, t := range map[runtime.DType]float64{runtime.F32: 2e-6, runtime.F16: 0x1p-10, runtime.BF16: 0x1p-7} {
		if d.float == dtype || x.DType() == dtype {
			tol = max(tol, t)
		}
	}
	for k, w := range want.Data {
		g := got[k]
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= tol*(1+math.Abs(w))) {
			return fmt.Errorf("element %d is %v, want %v", k, g, w)
		}
	}
	return nil
}
