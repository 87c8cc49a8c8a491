package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// carriedOps are ops of which each element goes over more points than the one before it, or over all but one, on a row x. They give the gradient of x
// for the cotangent g of the result.
var carriedOps = []struct {
	name string
	call func(x *runtime.Tensor) (*runtime.Tensor, error)
	grad func(dx, g, x, y *runtime.Tensor) error
}{
	{"cumsum", func(x *runtime.Tensor) (*runtime.Tensor, error) { return reduce.Cumsum(x, nil) },
		func(dx, g, x, _ *runtime.Tensor) error { return reduce.CumsumBackwardInto(dx, g, x, nil) }},
	{"cumprod", func(x *runtime.Tensor) (*runtime.Tensor, error) { return reduce.Cumprod(x, nil) },
		func(dx, g, x, _ *runtime.Tensor) error { return reduce.CumprodBackwardInto(dx, g, x, nil) }},
	{"logcumsumexp", func(x *runtime.Tensor) (*runtime.Tensor, error) { return reduce.Logcumsumexp(x, nil) },
		func(dx, g, x, _ *runtime.Tensor) error { return reduce.LogcumsumexpBackwardInto(dx, g, x, nil) }},
	{"cummax", func(x *runtime.Tensor) (*runtime.Tensor, error) { y, _, err := reduce.Cummax(x, nil); return y, err }, nil},
	{"prod", func(x *runtime.Tensor) (*runtime.Tensor, error) { return reduce.Prod(x, nil) },
		func(dx, g, x, _ *runtime.Tensor) error { return reduce.ProdBackwardInto(dx, g, x, nil) }},
}

// carriedRow is a row of n elements around 1.
func carriedRow(n int) *runtime.Tensor {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1 + float32(i*7919%1024-512)/(1<<20)
	}
	return runtime.Must(runtime.FromSlice(x, n))
}

// A row of a million elements takes a million steps: with the square of that this test wouldn't end. Results are those of sums in float64.
func TestCarriedLong(t *testing.T) {
	const n = 1 << 20
	x := carriedRow(n)
	data := runtime.Must(runtime.Data[float32](x))
	var sum, prod, exps float64
	prod = 1
	most := math.Inf(-1)
	want := map[string][]float64{}
	for _, v := range data {
		sum += float64(v)
		prod *= float64(v)
		exps += math.Exp(float64(v) - 1)
		most = math.Max(most, float64(v))
		for name, w := range map[string]float64{"cumsum": sum, "cumprod": prod, "logcumsumexp": 1 + math.Log(exps), "cummax": most} {
			want[name] = append(want[name], w)
		}
	}
	grads := map[string]func(i int) float64{ // for the cotangent 1 everywhere
		"cumsum":       func(i int) float64 { return float64(n - i) },
		"logcumsumexp": nil,
		"prod":         func(i int) float64 { return prod / float64(data[i]) },
	}
	for _, op := range carriedOps {
		y, err := op.call(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want[op.name] {
			if got := float64(runtime.Must(runtime.Data[float32](y))[i]); math.Abs(got-w) > 2e-7*math.Abs(w) {
				t.Errorf("%s: element %d is %v, want %v", op.name, i, got, w)
				break
			}
		}
		if op.grad == nil {
			continue
		}
		dx, g := runtime.Must(runtime.New(runtime.F32, n)), runtime.Must(runtime.Full(float32(1), y.Shape()...))
		if err := op.grad(dx, g, x, y); err != nil {
			t.Fatal(err)
		}
		for i, got := range runtime.Must(runtime.Data[float32](dx)) {
			if f := grads[op.name]; f != nil && math.Abs(float64(got)-f(i)) > 1e-6*math.Abs(f(i)) || got != got {
				t.Errorf("%s: element %d of the gradient is %v", op.name, i, got)
				break
			}
		}
	}
}

// Time for an element doesn't depend on the length.
func BenchmarkCarried(b *testing.B) {
	for _, op := range carriedOps {
		for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
			x := carriedRow(n)
			y, err := op.call(x)
			if err != nil {
				b.Fatal(err)
			}
			run := func(what string, f func() error) {
				b.Run(fmt.Sprintf("%s/%s/%d", op.name, what, n), func(b *testing.B) {
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
				})
			}
			run("value", func() error {
				y, err := op.call(x)
				if err == nil {
					y.Release()
				}
				return err
			})
			if op.grad != nil {
				dx, g := runtime.Must(runtime.New(runtime.F32, n)), runtime.Must(runtime.Full(float32(1), y.Shape()...))
				run("gradient", func() error { return op.grad(dx, g, x, y) })
			}
		}
	}
}
