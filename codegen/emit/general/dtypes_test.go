package general_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
)

// precision is how near results come to those of the evaluator.
var precision = map[string]float64{"f16": 0x1p-10, "bf16": 0x1p-7, "f32": 4e-6, "f64": 1e-11, "i64": 1e-15, "u64": 1e-15}

// mainDTypes are the dtypes in which an op is called: those of a variable that may be a float, else of the first one.
func mainDTypes(op *ir.OpDecl) []string {
	list := []string{"f64"}
	for i, v := range op.ElemVars {
		if i == 0 || slices.Contains(v.DTypes, "f32") {
			list = v.DTypes
			if slices.Contains(v.DTypes, "f32") {
				break
			}
		}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int {
		return slices.Index([]string{"f64", "f32"}, b) - slices.Index([]string{"f64", "f32"}, a)
	})
	return list
}

// drawDTypes gives each dtype variable the dtype, where it may have that, or another one.
func drawDTypes(r *rand.Rand, op *ir.OpDecl, dtype string) map[string]string {
	dtypes := map[string]string{}
	for _, v := range op.ElemVars {
		if slices.Contains(v.DTypes, dtype) {
			dtypes[v.Name] = dtype
		} else {
			dtypes[v.Name] = v.DTypes[r.IntN(len(v.DTypes))]
		}
	}
	return dtypes
}

// decided tells whether an input that is always there has the dtype of a variable.
func decided(op *ir.OpDecl, v ir.ElemVar) bool {
	return slices.ContainsFunc(op.Inputs, func(p *ir.Param) bool { return p.Elem == ir.Elem{Name: v.Name} && !p.Optional })
}

func isFloat(dtype string) bool { return strings.Contains(dtype, "f") }

// extremes are the ends of the ranges of integers, as far as float64 has them.
var extremes = map[string][]float64{"i8": {-128, 127, -127}, "i16": {-32768, 32767}, "i32": {-1 << 31, 1<<31 - 1}, "i64": {-1 << 63, 1 << 62},
	"u8": {255, 254, 128}, "u16": {65535, 32768}, "u32": {1<<32 - 1, 1 << 31}, "u64": {1 << 63, 1<<64 - 1<<11}}

// drawElement is a number that is exact in f16 and bf16, a condition, or an integer: mostly a good index, and at times one end of
// the range.
func drawElement(r *rand.Rand, dtype string) float64 {
	switch {
	case dtype == "bool":
		return float64(r.IntN(2))
	case isFloat(dtype):
		return float64(r.IntN(64)-32) / 8
	case r.IntN(10) == 0:
		e := extremes[dtype]
		return e[r.IntN(len(e))]
	case r.IntN(8) == 0 && dtype[0] == 'i':
		return float64(r.IntN(9) - 4)
	}
	return float64(r.IntN(3))
}

// TestDTypes compares generated code with the evaluator in every dtype, at the ends of the ranges of integers too.
func TestDTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	spec, err := os.ReadFile("testdata/dtypes.op")
	if err != nil {
		t.Fatal(err)
	}
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/dtypes", Files: []codegen.SourceFile{{Name: "dtypes.op", Data: spec}}}, codegen.Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	var files []emit.File
	for _, f := range b.Out {
		if !strings.HasSuffix(f.Name, "_test.go") {
			files = append(files, emit.File{Name: "dtypes/" + f.Name, Data: f.Data})
		}
	}
	var calls []*call
	fails := map[string]int{}
	for _, op := range b.Package.Ops {
		r := seeded(op.Name)
		for _, dtype := range mainDTypes(op) {
			for range 12 {
				c, err := newCall(r, b, op, dtype)
				if err != nil {
					t.Fatalf("%s: %v", op.Name, err)
				}
				if c != nil {
					c.Op = "dtypes." + op.Name
					calls = append(calls, c)
				}
			}
		}
	}
	for _, c := range calls {
		if c.Fails != "" {
			fails[c.Op]++
		}
	}
	t.Logf("%d calls, of which these fail: %v", len(calls), fails)
	text, err := os.ReadFile("testdata/corpus_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile("testdata/dtypes_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	kerneltest.GoTest(t, append(files, emit.File{Name: "corpus_test.go", Data: text}, emit.File{Name: "corpus.json", Data: data},
		emit.File{Name: "dtypes_test.go", Data: more},
		emit.File{Name: "imports_test.go", Data: []byte("package test\n\nimport _ \"generated.test/dtypes\"\n")}))
}
