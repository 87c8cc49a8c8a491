package sample

import (
	"testing"

	"github.com/opgen/opgen/runtime"
)

// Into allocates nothing, on the fast path and on the general one, for few elements and for many.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	none := &SmoothL1Attrs{Reduction: ReductionNone}
	for _, n := range []int{16, 1_000_000} {
		x, u, y := vector(n), vector(n), vector(n)
		number := runtime.Must(runtime.New(runtime.F32))
		one := runtime.Must(runtime.New(runtime.F32, 1))
		buf := vector(n)
		xs, ys := runtime.Must(runtime.Data[float32](x)), runtime.Must(runtime.Data[float32](y))
		square, into := runtime.Must(x.Reshape(4, n/4)), runtime.Must(y.Reshape(4, n/4))
		column := runtime.Must(runtime.Must(u.Reshape(n/4, 4)).Transpose(0, 1))
		first := 0
		for name, call := range map[string]func() error{
			"none":       func() error { return SmoothL1Into(y, x, u, none) },
			"mean":       func() error { return SmoothL1Into(number, x, u, nil) },
			"in place":   func() error { return SmoothL1Into(x, x, u, none) },
			"expanded":   func() error { return SmoothL1Into(y, x, one, none) },
			"transposed": func() error { return SmoothL1Into(into, square, column, none) },
			"slices":     func() error { return SmoothL1Slice(ys, xs, xs, nil) },
			"softmax":    func() error { return SoftmaxInto(into, square, nil) },
			"columns":    func() error { return SoftmaxInto(into, square, &SoftmaxAttrs{Axis: &first}) },
			"backward":   func() error { return SmoothL1BackwardInto(y, one, u, x, one, none) },
			"update":     func() error { return MomentumSGDInto(y, x, buf, 2, 1e-3, nil) },
		} {
			if err := call(); err != nil {
				t.Errorf("%s of %d: %v", name, n, err)
			}
			runs := 100
			if n > 1000 {
				runs = 3
			}
			if allocs := testing.AllocsPerRun(runs, func() { _ = call() }); allocs != 0 {
				t.Errorf("%s of %d: %v allocations", name, n, allocs)
			}
		}
	}
}

// added is a loop that runs in parts.
type added struct{ y, x []float32 }

func (part *added) Run(from, to int) error {
	for i := from; i < to; i++ {
		part.y[i] += part.x[i]
	}
	return nil
}

// Loops that run in parts allocate nothing, small ones and others.
func TestPartsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	x, y := make([]float32, 100_000), make([]float32, 100_000)
	for _, n := range []int{10, len(x)} {
		if allocs := testing.AllocsPerRun(50, func() {
			if part := (added{y, x}); runtime.Small(n, 1) {
				_ = part.Run(0, n)
			} else {
				_ = runtime.Split(part, n, 1)
			}
		}); allocs != 0 {
			t.Errorf("%d points: %v allocations", n, allocs)
		}
	}
}
