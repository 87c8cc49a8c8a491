package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime/optest"
)

// longRows are calls with rows that are cut into pieces: reductions in one and several passes, with results a row, with totals of
// all rows and of columns, with indices along the row; few rows, whose pieces go to several threads, and many.
func longRows() []*call {
	r := rand.New(rand.NewPCG(21, 22))
	norm := layerNorm(normal(r, 3, 33001))
	norm.inputs["weight"], norm.inputs["bias"] = normal(r, 33001), normal(r, 33001)
	many := layerNorm(normal(r, 70, 32832))
	many.inputs["weight"], many.inputs["bias"] = normal(r, 32832), normal(r, 32832)
	cross := func(rows, classes int) *call {
		y := ir.NewArray(rows)
		for i := range y.Data {
			y.Data[i] = float64((i + 1) * classes / (rows + 1))
		}
		c := crossEntropy(normal(r, rows, classes), y, number("label_smoothing", 0.25))
		c.inputs["weight"] = positive(normal(r, classes), 1)
		return c
	}
	row := func(op string, x *ir.Array, attrs ...ir.ExampleAttr) *call {
		return &call{op: op, inputs: arrays{"x": x}, attrs: attrs}
	}
	last := list("axes", -1)
	return []*call{
		softmax(normal(r, 1, 100001), 1), softmax(normal(r, 2, 65536), 1), softmax(normal(r, 5, 32769), 1), softmax(normal(r, 40000, 2), 0),
		norm, many, cross(3, 70001), cross(1, 32768+64),
		row("reduce.logsumexp", normal(r, 1, 200003)), row("reduce.log_softmax", normal(r, 3, 40001)), row("reduce.mean", normal(r, 200003)),
		row("reduce.mean", normal(r, 11, 40001), last), row("reduce.amax", normal(r, 2, 99991), last), row("reduce.var", normal(r, 2, 70001), last),
		row("norm.rms_norm", normal(r, 2, 80000)), row("linalg.normalize", normal(r, 2, 50000), number("p", 3)),
		{op: "linalg.matmul", inputs: arrays{"x": normal(r, 3, 50_001), "z": normal(r, 50_001, 5)}},
		{op: "linalg.matmul", inputs: arrays{"x": normal(r, 1, 40_000), "z": normal(r, 40_000, 1)}},
		linear(normal(r, 40_000, 2), normal(r, 3, 2), normal(r, 3)),
		linear(normal(r, 83, 530), normal(r, 141, 530), normal(r, 141)), // in panels: see runtime/panels.go
		{op: "loss.triplet_margin", inputs: arrays{"a": normal(r, 2, 40000), "p": normal(r, 2, 40000), "n": normal(r, 2, 40000)}, attrs: []ir.ExampleAttr{word("swap", "true")}},
	}
}

// Long rows give the bits of the interpreter of nests on every path, for any number of threads, gradients too.
func TestLongRows(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for _, c := range longRows() {
		t.Run(c.String(), func(t *testing.T) {
			if _, _, err := findOp(c.op); err != nil {
				t.Fatal(err)
			}
			for _, float := range []string{"f32", "f64"} {
				want, err := nests(float).forward(c)
				if err != nil && !errors.Is(err, errPortable) {
					t.Fatal(err)
				}
				g := c.cotangent(rand.New(rand.NewPCG(23, 24)))
				var wantGrads arrays
				for _, path := range optest.Paths() {
					for _, threads := range []int{1, 2, 3} {
						goruntime.GOMAXPROCS(threads)
						out, grads := run(t, c.String(), generated(path, float), c, g)
						if wantGrads == nil {
							wantGrads = grads
						}
						what := fmt.Sprintf("%s, %d threads, %v", float, threads, path)
						if want != nil {
							sameAll(t, what, out, want, bits)
						}
						sameAll(t, what+", gradient", grads, wantGrads, bits)
					}
				}
			}
		})
	}
}
