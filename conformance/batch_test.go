package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	_ "github.com/opgen/opgen/gen/attention"
	_ "github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/runtime/optest"
)

// batches are calls of ops whose launches are repeated along axes: products of matrices with what is done with the sum, the same for rows and
// columns with other functions than a product, normalization by groups, and what has conditions in memory or computes with the index of a row.
func batches(r *rand.Rand, batch []int, rows, steps, lanes int) []*call {
	at := func(shape ...int) []int { return append(append([]int{}, batch...), shape...) }
	all := 1
	for _, e := range batch {
		all *= e
	}
	calls := []*call{
		{op: "linalg.matmul", inputs: arrays{"x": normal(r, at(rows, steps)...), "z": normal(r, steps, lanes)}},
		{op: "linalg.matmul", inputs: arrays{"x": normal(r, at(rows, steps)...), "z": normal(r, at(steps, lanes)...)}},
		{op: "linalg.baddbmm", inputs: arrays{"c": normal(r, rows, lanes), "x": normal(r, all, rows, steps), "z": normal(r, all, steps, lanes)},
			attrs: []ir.ExampleAttr{number("alpha", 0.5), number("beta", 2)}},
		{op: "linalg.addbmm", inputs: arrays{"c": normal(r, rows, lanes), "x": normal(r, all, rows, steps), "z": normal(r, all, steps, lanes)}},
		{op: "linalg.kron", inputs: arrays{"x": normal(r, all, rows), "z": normal(r, 3, lanes)}},
	}
	if rows*steps*lanes > 0 {
		calls = append(calls,
			&call{op: "linalg.cdist", inputs: arrays{"x": normal(r, at(rows, steps)...), "z": normal(r, at(lanes, steps)...)}},
			&call{op: "attention.grouped_query_attention", inputs: arrays{"q": normal(r, at(4, rows, steps)...), "k": normal(r, at(2, lanes, steps)...), "v": normal(r, at(2, lanes, 3)...)}},
		)
	}
	attention := func(mask bool, attrs ...ir.ExampleAttr) *call {
		c := &call{op: "attention.scaled_dot_product_attention", attrs: append(attrs, number("seed", 1)),
			inputs: arrays{"q": normal(r, at(rows, steps)...), "k": normal(r, at(lanes, steps)...), "v": normal(r, at(lanes, 3)...)}}
		if mask {
			c.inputs["mask"], c.inputs["bias"] = truths(r, rows, lanes), normal(r, lanes)
		}
		return c
	}
	if rows*steps*lanes > 0 {
		calls = append(calls, attention(false), attention(true), attention(false, word("causal", "true")), attention(true, word("causal", "true"), number("scale", 0.5)))
	}
	calls = append(calls,
		&call{op: "index.where", inputs: arrays{"mask": truths(r, rows, 1), "x": normal(r, at(rows, lanes)...), "z": scalar(2)}},
		&call{op: "index.masked_fill", inputs: arrays{"mask": truths(r, at(rows, lanes)...), "x": normal(r, lanes)}, attrs: []ir.ExampleAttr{number("value", 3)}})
	if all*rows*lanes > 0 {
		calls = append(calls, &call{op: "norm.group_norm", inputs: arrays{"x": normal(r, all, 2*rows, lanes), "weight": normal(r, 2*rows), "bias": normal(r, 2*rows)},
			attrs: []ir.ExampleAttr{number("groups", 2)}})
	}
	return calls
}

// truths is an array of conditions; of those of a row one holds at least.
func truths(r *rand.Rand, shape ...int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		if r.IntN(2) == 0 || i%max(1, shape[len(shape)-1]) == 0 {
			a.Data[i] = 1
		}
	}
	return a
}

// TestBatches: launches that are repeated along axes give what the formula says and the bits of the interpreter of nests, on every path and for
// any number of threads; for every length up to twice the widest block of lanes and one more, and for batches without points.
func TestBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var calls []*call
	for n := range 34 {
		switch n % 3 {
		case 0:
			calls = append(calls, batches(r, []int{2, 3}, 3, 4, n)...)
		case 1:
			calls = append(calls, batches(r, []int{3}, n, 2, 5)...)
		default:
			calls = append(calls, batches(r, []int{2, 1}, 2, n, 17)...)
		}
	}
	calls = append(calls, batches(r, []int{0}, 2, 3, 4)...)
	calls = append(calls, batches(r, []int{2}, 3, 0, 4)...)
	small := len(calls) // that one thread runs at once
	calls = append(calls, batches(r, []int{11}, 40, 33, 50)...)
	for _, steps := range []int{16383, 16384, 16385, 40000} {
		calls = append(calls, &call{op: "linalg.matmul", inputs: arrays{"x": normal(r, 2, 3, steps), "z": normal(r, 2, steps, 5)}},
			&call{op: "linalg.matmul", inputs: arrays{"x": normal(r, 3, 1, steps), "z": normal(r, steps, 1)}},
			&call{op: "linalg.baddbmm", inputs: arrays{"c": scalar(1), "x": normal(r, 2, 3, steps), "z": normal(r, 2, steps, 5)}},
			linear(normal(r, 3, steps), normal(r, 5, steps), normal(r, 5)))
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for i, c := range calls {
		counts := []int{3}
		if i >= small {
			counts = []int{1, 2, 3, 7}
		}
		g := c.cotangent(rand.New(rand.NewPCG(33, 34)))
		exactly, wantExactly := run(t, c.String(), evaluator("f64"), c, g)
		for _, float := range []string{"f32", "f64"} {
			near := within(1e-3, 2e-3)
			if float == "f64" {
				near = within(1e-10, 1e-10)
			}
			want, err := nests(float).forward(c)
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			if g != nil {
				if _, err = nests(float).gradient(c, g); err != nil && !errors.Is(err, errPortable) {
					t.Fatalf("%s: %v", c, err)
				}
			}
			var wantGrads arrays
			for _, path := range optest.Paths() {
				for _, threads := range counts {
					goruntime.GOMAXPROCS(threads)
					what := fmt.Sprintf("%s, %s, %d threads, %v", c, float, threads, path)
					out, grads := run(t, what, generated(path, float), c, g)
					if wantGrads == nil {
						wantGrads = grads
						sameAll(t, what+", by the formula", out, exactly, near)
						sameAll(t, what+", gradient by the formula", grads, wantExactly, near)
					}
					sameAll(t, what, out, want, bits)
					sameAll(t, what+", gradient", grads, wantGrads, bits)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}
