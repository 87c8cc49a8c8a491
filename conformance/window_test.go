package conformance

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/opgen/opgen/gen/attention"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/runtime"
)

// A window that is much larger than its axis costs what the axis does: loops run over what counts alone. It holds all elements, so y is
// x/(1 + alpha/size·Σx²)^beta.
func TestHugeWindow(t *testing.T) {
	data := []float64{1, -2, 3, 0.5}
	x := runtime.Must(runtime.FromSlice(data, 1, 4))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, size := range []int{9, 1 << 40, 1 << 44} {
		y, err := norm.LocalResponseNorm(x, size, &norm.LocalResponseNormAttrs{Alpha: new(float64(size)), Beta: new(0.5)})
		if err == nil {
			err = y.BackwardWith(runtime.Must(runtime.FromSlice([]float64{1, 1, 1, 1}, 1, 4)))
		}
		if err != nil {
			t.Fatal(err)
		}
		got := append(runtime.Must(runtime.Values[float64](y)), runtime.Must(runtime.Values[float64](x.Grad()))...)
		x.ZeroGrad()
		if want == nil {
			want = got
		}
		for i, g := range got {
			if math.Abs(g-want[i]) > 1e-14 {
				t.Errorf("size %d: %v, want %v", size, got, want)
				break
			}
			if w := data[i%4] / math.Sqrt(1+1+4+9+0.25); i < 4 && math.Abs(g-w) > 1e-14 {
				t.Errorf("size %d, element %d: %v, want %v", size, i, g, w)
			}
		}
	}
	if _, err := norm.LocalResponseNorm(x, math.MaxInt, nil); !errors.Is(err, runtime.ErrValue) {
		t.Errorf("more than 2^44 numbers in a range: %v", err)
	}
}

// A call whose values on the way need more memory than there is ends with an error, although its tensors are small.
func TestValuesOnTheWay(t *testing.T) {
	q := runtime.Must(runtime.Full(1.0, 2, 200, 1))
	old := runtime.SetMaxBytes(1 << 16)
	defer runtime.SetMaxBytes(old)
	_, err := attention.GroupedQueryAttention(q, q, q, nil)
	if !errors.Is(err, runtime.ErrShape) || !strings.Contains(err.Error(), "values on the way") {
		t.Errorf("200 by 200 weights: %v", err)
	}
	runtime.SetMaxBytes(1 << 24)
	if _, err := attention.GroupedQueryAttention(q, q, q, nil); err != nil {
		t.Error(err)
	}
}
