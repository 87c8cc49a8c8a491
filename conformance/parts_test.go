package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/gen/attention"
	"github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/runtime"

	_ "github.com/opgen/opgen/gen/window"
)

// split are calls of portable functions that are large enough for parts on several threads: reductions, and scatters with elements that
// several points add to.
func split() []*call {
	r := rand.New(rand.NewPCG(31, 32))
	return []*call{
		{op: "window.conv", inputs: arrays{"x": normal(r, 2, 6, 13, 12), "w": normal(r, 4, 3, 3, 3), "b": normal(r, 4)}, attrs: []ir.ExampleAttr{list("pad", 1, 1), number("groups", 2)}},
		{op: "window.conv_transpose", inputs: arrays{"x": normal(r, 2, 4, 9, 8), "w": normal(r, 4, 3, 3, 3)}, attrs: []ir.ExampleAttr{list("stride", 2, 2)}},
		{op: "window.max_pool", inputs: arrays{"x": normal(r, 2, 5, 40, 41)}, attrs: []ir.ExampleAttr{list("kernel", 3, 3), list("stride", 2, 2)}},
		{op: "window.avg_pool", inputs: arrays{"x": normal(r, 2, 5, 40, 41)}, attrs: []ir.ExampleAttr{list("kernel", 2, 2)}},
		{op: "linalg.cdist", inputs: arrays{"x": normal(r, 60, 9), "z": normal(r, 50, 9)}, attrs: []ir.ExampleAttr{number("p", 3)}},
		{op: "reduce.cumsum", inputs: arrays{"x": normal(r, 700, 40)}},
		{op: "reduce.cumprod", inputs: arrays{"x": normal(r, 700, 40)}},
		{op: "reduce.logcumsumexp", inputs: arrays{"x": normal(r, 700, 40)}},
		{op: "reduce.cummax", inputs: arrays{"x": normal(r, 700, 40)}},
		{op: "reduce.prod", inputs: arrays{"x": normal(r, 700, 40)}, attrs: []ir.ExampleAttr{list("axes", -1)}},
	}
}

// Portable functions give the same bits for any number of threads, and what the evaluator gives, within rounding.
func TestParts(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for _, c := range split() {
		t.Run(c.op, func(t *testing.T) {
			for _, float := range []string{"f32", "f64"} {
				g := c.cotangent(rand.New(rand.NewPCG(33, 34)))
				var want, wantGrads arrays
				for _, threads := range []int{1, 2, 3, 8} {
					goruntime.GOMAXPROCS(threads)
					out, grads := run(t, c.String(), generated(runtime.Path(), float), c, g)
					if want == nil {
						want, wantGrads = out, grads
						exact, exactGrads := run(t, c.String(), evaluator(float), c, g)
						near := func(got, want float64, _ int) bool { return math.Abs(got-want) <= 1e-4*(1+math.Abs(want)) }
						sameAll(t, float, out, exact, near)
						sameAll(t, float+", gradient", grads, exactGrads, near)
					}
					what := fmt.Sprintf("%s, %d threads", float, threads)
					sameAll(t, what, out, want, bits)
					sameAll(t, what+", gradient", grads, wantGrads, bits)
				}
			}
		})
	}
}

// Attention with a mask gives the same bits for any number of threads.
func TestPartsAttention(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	r := rand.New(rand.NewPCG(35, 36))
	tokens := func() *runtime.Tensor { return runtime.Must(tensor(normal(r, 2, 70, 16), "f32")) }
	q, k, v, on := tokens(), tokens(), tokens(), make([]bool, 2*70*70)
	for i := range on {
		on[i] = i%70 == 0 || r.IntN(2) == 0
	}
	mask := runtime.Must(runtime.FromSlice(on, 2, 70, 70))
	var want *ir.Array
	for _, threads := range []int{1, 2, 8} {
		goruntime.GOMAXPROCS(threads)
		y, _, err := attention.ScaledDotProductAttention(q, k, v, mask, nil, runtime.Seed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = arrayOf(y)
		}
		same(t, fmt.Sprint(threads, " threads"), arrayOf(y), want, bits)
	}
}

// Of several indices that are out of range the first one is reported, and results stay as they were, whatever the number of threads.
func TestPartsFirstError(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	const rows, width = 3000, 40
	x, idx := make([]int32, rows*width), make([]int64, rows*width)
	idx[12345], idx[12346], idx[70000], idx[100_000] = width, -1, 77, -5
	y := runtime.Must(runtime.Full(int32(9), rows, width))
	var want error
	for _, threads := range []int{1, 2, 8} {
		goruntime.GOMAXPROCS(threads)
		for range 10 {
			err := index.TakeAlongDimInto(y, runtime.Must(runtime.FromSlice(x, rows, width)), runtime.Must(runtime.FromSlice(idx, rows, width)), 1)
			if want == nil {
				want = err
			}
			if err == nil || err.Error() != want.Error() {
				t.Fatalf("%d threads: the error is %v, with one thread %v", threads, err, want)
			}
		}
	}
	for _, v := range runtime.Must(runtime.Data[int32](y)) {
		if v != 9 {
			t.Fatal("a call that ended with an error has changed its result")
		}
	}
	t.Log(want)
}
