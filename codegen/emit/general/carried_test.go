package general_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
)

// numbers are what elements are drawn from: usual ones, with zeros, with ties, far ones of which exponentials overflow, and special ones.
var numbers = []func(r *rand.Rand) float64{
	func(r *rand.Rand) float64 { return float64(float32(r.NormFloat64())) },
	func(r *rand.Rand) float64 { return float64(float32(r.NormFloat64()) * float32(r.IntN(2))) },
	func(r *rand.Rand) float64 { return float64(r.IntN(3) - 1) },
	func(r *rand.Rand) float64 { return float64(r.IntN(1800) - 900) },
	func(r *rand.Rand) float64 {
		return []float64{1, -2, 0, -900, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.Inf(-1), math.NaN()}[r.IntN(9)]
	},
	func(r *rand.Rand) float64 { return []float64{0.5, -3, -900, math.Inf(-1)}[r.IntN(4)] },
}

// far is the number of those of which products of 30 overflow float32.
const far = 3

// inLanes are products that kernels multiply in float32, in another order than the evaluator.
var inLanes = map[string]bool{"product": true, "pairs": true, "triples": true}

// TestCarried compares reductions that are carried along an axis, and their gradients, with the evaluator, which reduces each element for itself: in all
// short lengths and some longer ones, with zeros, ties, NaN and Inf, and where there is nothing to reduce.
func TestCarried(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	text, err := os.ReadFile("testdata/carried.op")
	if err != nil {
		t.Fatal(err)
	}
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/carried", Files: []codegen.SourceFile{{Name: "carried.op", Data: text}}}, codegen.Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	var calls []*call
	carried := map[string]bool{}
	for _, f := range b.Functions {
		for _, g := range []*ir.Func{f.Forward, f.Backward} {
			if g == nil {
				continue
			}
			for _, d := range ir.Live(g) {
				carried[f.Op.Name] = carried[f.Op.Name] || d.Carried != nil
			}
		}
	}
	r := rand.New(rand.NewPCG(41, 42))
	for _, op := range b.Package.Ops {
		if carried[op.Name] == (op.Name == "window") {
			t.Errorf("%s: carried is %v", op.Name, carried[op.Name])
		}
		results := 0
		for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33} {
			for i, draw := range numbers {
				if i == far && inLanes[op.Name] {
					continue
				}
				for _, float := range []string{"f32", "f64"} {
					c, err := callAt(r, op, n, draw, map[string]string{"T": float, "I": []string{"i32", "i64"}[i%2]})
					if err != nil {
						t.Fatalf("%s%s: %v", op.Name, c.About, err)
					}
					if c.Fails == "" {
						results++
					}
					c.Op = "carried." + op.Name
					calls = append(calls, c)
				}
			}
		}
		if results < 10 {
			t.Errorf("%s: %d calls give results", op.Name, results)
		}
	}
	data, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile("testdata/corpus_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	var files []emit.File
	for _, f := range b.Out {
		files = append(files, emit.File{Name: "carried/" + f.Name, Data: f.Data})
	}
	files = append(files, emit.File{Name: "corpus_test.go", Data: run}, emit.File{Name: "corpus.json", Data: data},
		emit.File{Name: "imports_test.go", Data: []byte("package test\n\nimport _ \"generated.test/carried\"\n")})
	kerneltest.GoTest(t, files)
}

// callAt is a call with what the evaluator makes of it, where L is n.
func callAt(r *rand.Rand, op *ir.OpDecl, n int, draw func(*rand.Rand) float64, dtypes map[string]string) (*call, error) {
	extent := map[string]int{"N": 2, "M": 3, "L": n}
	e := edge{op: op.Name}
	for _, p := range op.Inputs {
		var shape []int
		for _, a := range p.Axes {
			shape = append(shape, extent[a.Name])
		}
		x := ir.NewArray(shape...)
		for i := range x.Data {
			if x.Data[i] = draw(r); p.Elem.Name == "I" {
				x.Data[i] = float64(r.IntN(n + 1))
			}
		}
		e.inputs = append(e.inputs, x)
	}
	c, err := e.call(op, dtypes)
	if c.Fails == "" && err != nil { // it may fail
		e.fails = true
		c, err = e.call(op, dtypes)
	}
	return c, err
}
