package general_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
)

// exactCall is a call of an op of testdata/exact.op whose exact numbers come to the ends of int64, or beyond.
type exactCall struct {
	Op    string
	In    [][]float64 // the inputs, in order
	Attrs map[string]int64
	Error string    // part of the message; "": the call is right
	Want  []float64 // the result
}

const (
	most  = math.MaxInt64
	least = math.MinInt64
)

func n(v int64) map[string]int64     { return map[string]int64{"n": v} }
func nm(v, m int64) map[string]int64 { return map[string]int64{"n": v, "m": m} }

var ones = [][]float64{{1, 2}}

// exactCalls are the kinds of places where exact numbers are computed, with numbers that are held and some that aren't.
var exactCalls = []exactCall{
	// Numbers of attributes.
	{"plus", ones, n(most), "n + 1 is out of the range of int64", nil},
	{"plus", ones, n(1 << 62), "", []float64{0x1p62, 0x1p63}},
	{"plus_int", ones, n(most), "n + 1 is out of the range of int64", nil},
	{"plus_int", ones, n(3), "", []float64{1, 2}},
	{"opposite", ones, n(least), "-n is out of the range of int64", nil},
	{"opposite", ones, n(1 << 62), "", []float64{-0x1p62, -0x1p63}},
	{"size", ones, n(least), "abs(n) is out of the range of int64", nil},
	{"size", ones, n(-1 << 62), "", []float64{0x1p62, 0x1p63}},
	{"square", ones, n(1 << 32), "n ^ 2 is out of the range of int64", nil},
	{"square", ones, n(-1 << 31), "", []float64{0x1p62, 0x1p63}},
	{"power", ones, map[string]int64{"n": 2, "k": 100}, "", []float64{0x1p100, 0x1p101}}, // computed with floats
	{"third", ones, n(1 << 62), "(n + (1/2)) / 3 is out of the range of int64", nil},
	{"third", ones, n(1), "", []float64{0.5, 1}},
	{"quotient", ones, nm(least, -1), "floor(n / m) is out of the range of int64", nil},
	{"quotient", ones, nm(1<<62, -1), "", []float64{-0x1p62, -0x1p63}},
	{"rest", ones, nm(least, -1), "", []float64{0, 0}},
	{"ratios", ones, nm(1<<62, 1<<62), "", []float64{1, 2}},
	{"ratios", ones, nm(-1<<62, -1<<62), "", []float64{2, 4}},
	{"product", [][]float64{{1, 2}, {3, 4}}, n(1 << 61), "A * B * n is out of the range of int64", nil},
	{"product", [][]float64{{1, 2}, {3, 4}}, n(1 << 60), "", []float64{0x1p62, 0x1p63}},
	// Conditions and requirements: a side that isn't taken isn't computed.
	{"less", ones, n(1 << 40), "n * n is out of the range of int64", nil},
	{"less", ones, n(3), "", []float64{1, 2}},
	{"apart", ones, n(most), "", []float64{2, 4}},
	{"apart", ones, n(least), "n * 1000 is out of the range of int64", nil},
	{"arm", ones, n(most), "", []float64{14, 28}},
	{"arm", ones, n(-1 << 53), "2 * (n * 1000) is out of the range of int64", nil},
	{"needs", ones, n(1 << 62), "3 * n is out of the range of int64", nil},
	{"needs", ones, n(1 << 61), "", []float64{1, 2}},
	{"some", ones, n(-1 << 62), "", []float64{1, 2}},
	{"some", ones, n(1 << 62), "3 * n is out of the range of int64", nil},
	// Extents and ranges.
	{"extent", ones, n(1 << 62), "4 * n is out of the range of int64", nil},
	{"extent", ones, n(1), "", []float64{1, 2, 0, 0}},
	{"large", ones, n(1 << 45), "", nil}, // an extent of that size is an error of its own, see TestExact
	{"own", ones, n(1 << 45), "", nil},
	{"ranged", ones, n(1 << 62), "n * 3 is out of the range of int64", nil},
	{"ranged", ones, n(1 << 44), "more than 2^44 numbers", nil},
	{"ranged", ones, n(1), "", []float64{3, 3}},
	{"around", ones, n(1 << 62), "more than 2^44 numbers", nil},
	{"around", ones, n(least), "-n is out of the range of int64", nil},
	{"around", ones, n(1), "", []float64{1, 1}},
	// Indices.
	{"strided", ones, map[string]int64{"stride": 1 << 40, "dilation": 1 << 30}, "i * stride * dilation is out of the range of int64", nil},
	{"strided", ones, map[string]int64{"stride": 1 << 30, "dilation": 1 << 30}, "", []float64{1, 7}},
	{"window", [][]float64{{1, 2}, {1, 10}}, map[string]int64{"dilation": 1 << 62}, "i + k * dilation is out of the range of int64", nil},
	{"window", [][]float64{{1, 2}, {1, 10}}, map[string]int64{"dilation": least}, "i + k * dilation is out of the range of int64", nil},
	{"window", [][]float64{{1, 2}, {1, 10}}, map[string]int64{"dilation": 1 << 60}, "", []float64{1, 2}},
	{"window", [][]float64{{1, 2}, {1, 10}}, map[string]int64{"dilation": 1}, "", []float64{21, 2}},
	{"listed", ones, map[string]int64{"by": 1 << 62}, "3 * by[0] * s0 is out of the range of int64", nil},
	{"listed", ones, map[string]int64{"by": 1 << 40}, "", []float64{1, 7}},
	{"below", ones, n(1 << 62), "i + n is out of the range of int64", nil},
	{"below", ones, n(2), "", []float64{1, 7}},
	{"squared_index", ones, map[string]int64{"k": 70}, "((i + 1) ^ k - 1) is out of the range of int64", nil},
	{"squared_index", ones, map[string]int64{"k": 1}, "", []float64{1, 2}},
	// Data.
	{"upto", [][]float64{{1, 2}, {0, most}}, nil, "out of the range of int64", nil},
	{"upto", [][]float64{{1, 2}, {0, 1 << 50}}, nil, "more than 2^44 numbers", nil},
	{"upto", [][]float64{{1, 2}, {0, 1}}, nil, "", []float64{1, 3}},
	{"upto", [][]float64{{1, 2}, {least, 1}}, nil, "", []float64{0, 3}},
	{"between", [][]float64{{1, 2}, {0, least}, {1, most}}, nil, "more than 2^44 numbers", nil},
	{"between", [][]float64{{1, 2}, {0, most}, {1, least}}, nil, "", []float64{1, 0}},
	{"inner", [][]float64{{1, 2}, {0, least}, {1, most}}, nil, "out of the range of int64", nil},
	{"inner", [][]float64{{1, 2}, {0, 1}, {2, 2}}, nil, "", []float64{7, 4}},
	{"scaled_place", [][]float64{{1, 2, 4}}, n(1 << 62), "out of the range of int64", nil},
	{"scaled_place", [][]float64{{1, 2, 4}}, n(1 << 61), "", []float64{7, 7, 7}},
	{"total", [][]float64{{1, 2}}, n(1 << 62), "a sum of n is out of the range of int64", nil},
	{"total", [][]float64{{1, -2}}, n(1 << 62), "", []float64{7, 7}},
	{"produced", [][]float64{{1, 2, 4}}, n(1 << 30), "a product of n is out of the range of int64", nil},
	{"produced", [][]float64{{1, 2, -4}}, n(1 << 30), "", []float64{7, 7, 7}},
	{"counted", [][]float64{{1, 2}}, n(most), "out of the range of int64", nil},
	{"counted", [][]float64{{1, 2}}, n(-1), "", []float64{2, 2}},
	// Sums of fractions: what they come to is exact, and an int, as is their common denominator.
	{"harmonic", [][]float64{{1, 2, 3, 4, 5}}, n(2), "", []float64{1, 1, 1, 1, 1}},
	{"harmonic", [][]float64{{1, 2, 3, 4, 5}}, n(3), "", []float64{5, 5, 5, 5, 5}},
	{"harmonic", [][]float64{{1, 2, 3, 4, 5}}, n(5), "", []float64{7, 7, 7, 7, 7}}, // 27.4 - 18
	{"harmonic", ones, n(20), "", []float64{7, 7}},
	{"harmonic", ones, n(25), "a product of k + 1 is out of the range of int64", nil},
	{"harmonic", ones, n(0), "", []float64{7, 7}},
	{"harmonic_upto", [][]float64{{1, 2, 3, 4, 5, 6}}, nil, "", []float64{1, 4, 6, 7, 7, 7}},
	{"harmonic_first", [][]float64{make([]float64, 60)}, nil, "", append([]float64{0, 0, 0}, slices.Repeat([]float64{7}, 57)...)},
	{"telescoped", [][]float64{{1, 2, 3, 4, 5, 6}}, n(4), "", []float64{6, 6, 6, 6, 6, 6}},
	{"telescoped", ones, n(0), "", []float64{2, 2}},
	{"greatest_part", [][]float64{{1, 2, 3, 4, 5, 6}}, n(4), "", []float64{4, 4, 4, 4, 4, 4}},
	{"least_part", [][]float64{{1, 2, 3, 4, 5, 6}}, n(4), "", []float64{1, 1, 1, 1, 1, 1}},
	{"parts_of", [][]float64{{1, 2, 3, 4, 5, 6}}, nm(4, 2), "", []float64{4, 4, 4, 4, 4, 4}},
	{"parts_of", [][]float64{{1, 2, 3, 4, 5, 6}}, nm(4, -6), "", []float64{7, 7, 7, 7, 7, 7}},
	{"parts_of", ones, nm(0, 0), "", []float64{1, 1}},
	{"parts_of", ones, nm(2, 0), "division by zero", nil},
	{"remainders", [][]float64{{1, 2, 3, 4, 5, 6}}, n(4), "", []float64{4, 4, 4, 4, 4, 4}},
	{"chosen_parts", [][]float64{{1, 2, 3, 4, 5, 6}}, n(3), "", []float64{6, 6, 6, 6, 6, 6}},
	{"nested_parts", [][]float64{{1, 2, 3, 4, 5, 6}}, n(2), "", []float64{6, 6, 6, 6, 6, 6}},
	{"cast_parts", [][]float64{{1, 2}}, n(3), "", []float64{12, 13}},
	{"cast_parts", [][]float64{{1, 2}}, n(4), "", []float64{1, 2}},
	{"parts_upto", [][]float64{{1, 2, 3}, {3, 1, 2}}, nil, "", []float64{7, 1, 2}},
	{"range_of_parts", [][]float64{{1, 2, 4}}, n(2), "", []float64{7, 7, 7}},
	// Powers of fractions, and negative ones; indices that are more than sums of numbers of the call.
	{"powers", [][]float64{{1, 2, 3, 4, 5, 6}}, n(2), "", []float64{4, 4, 4, 4, 4, 4}},
	{"powers", [][]float64{{1, 2, 3, 4, 5, 6}}, n(-2), "", []float64{1, 1, 1, 1, 1, 1}},
	{"fraction_power", [][]float64{{1, 2, 3, 4, 5}}, n(2), "", []float64{5, 5, 5, 5, 5}},
	{"fraction_power", [][]float64{{1, 2, 3, 4, 5}}, n(3), "", []float64{7, 7, 7, 7, 7}},
	{"fraction_power", ones, n(-1), "", []float64{7, 7}},
	{"fraction_power", ones, n(100), "(2/3) ^ n * 9 is out of the range of int64", nil},
	{"negative_power", ones, n(2), "", []float64{2, 2}},
	{"negative_power", ones, n(3), "", []float64{7, 7}},
	{"negative_power", ones, n(0), "division by zero", nil},
	{"parts_power", [][]float64{{1, 2, 3, 4, 5}}, nm(4, 2), "", []float64{5, 5, 5, 5, 5}},
	{"parts_power", ones, nm(1, 2), "", []float64{7, 7}},
	{"power_extent", ones, n(-1), "", []float64{3, 3}},
	{"data_power", [][]float64{{1, 2, 3, 4}, {0, 1, 2, -1}}, nil, "", []float64{1, 2, 7, 1}},
	{"host_index", [][]float64{{1, 2, 3, 4}}, n(5), "", []float64{13, 13, 13, 13}},
	{"host_index", [][]float64{{1, 2, 3, 4}}, n(-1), "out of range", nil},
	{"real_index", [][]float64{{1, 2, 3, 4}}, n(4), "", []float64{3, 3, 3, 3}},
	// Lets of exact numbers, of which nothing is stored: their indices are held to their axes all the same.
	{"entry", ones, n(1), "", []float64{0.75, 1.5}},
	{"entry", ones, n(2), "out of range", nil},
	{"entry", ones, n(-1), "out of range", nil},
	{"next_entry", ones, n(1), "", []float64{0.75, 2}},
	{"next_entry", ones, n(-1), "out of range", nil},
	{"entry_past", ones, n(1), "out of range", nil},
	{"entry_past", ones, n(0), "", []float64{0.25, 1.5}},
	{"entry_at", [][]float64{{1, 2, 4}, {3, 1, 2}}, nil, "", []float64{math.Sqrt(3) * math.Sqrt(3), 2, 4 * (math.Sqrt(2) * math.Sqrt(2))}},
	{"entry_at", [][]float64{{1, 2, 4}, {3, 0, 2}}, nil, "out of range", nil},
	{"entry_at", [][]float64{{1, 2, 4}, {3, 4, 2}}, nil, "out of range", nil},
	{"entry_or", [][]float64{{1, 2, 4}, {6, 3, 8}}, nil, "", []float64{1.5, 14, 28}},
	{"extent_of_entry", ones, n(1), "", []float64{3, 3}},
	{"extent_of_entry", ones, n(2), "the indices of h[n] must be in range", nil},
	{"flat_entry", ones, n(3), "", []float64{11, 22}},
	{"flat_entry", ones, n(4), "out of range", nil},
	{"flat_entry", ones, n(-1), "out of range", nil},
}

// TestExact makes calls with exact numbers at the ends of int64 and beyond: the evaluator and generated code give the same numbers, and the
// same errors, of which nothing is written.
func TestExact(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	text, err := os.ReadFile("testdata/exact.op")
	if err != nil {
		t.Fatal(err)
	}
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/exact", Files: []codegen.SourceFile{{Name: "exact.op", Data: text}}}, codegen.Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	ops := map[string]*ir.OpDecl{}
	for _, op := range b.Package.Ops {
		ops[op.Name] = op
	}
	tried := map[string]bool{}
	for i := range exactCalls {
		c := &exactCalls[i]
		tried[c.Op] = true
		inputs := map[string]*ir.Array{}
		for k, p := range ops[c.Op].Inputs {
			inputs[p.Name] = row(slices.Clone(c.In[k])...)
		}
		var attrs []ir.ExampleAttr
		for name, v := range c.Attrs {
			attrs = append(attrs, ir.ExampleAttr{Name: name, Number: float64(v)})
		}
		out, err := ir.EvalOp(ops[c.Op], inputs, attrs, map[string]string{"T": "f64", "I": "i64"})
		switch {
		case c.Error == "" && c.Want == nil && err == nil, c.Error != "" && (err == nil || !strings.Contains(err.Error(), c.Error)):
			t.Errorf("%s %v %v: the evaluator gives the error %v, want %q", c.Op, c.In, c.Attrs, err, c.Error)
		case c.Want != nil && (err != nil || !slices.Equal(out["y"].Data, c.Want)):
			t.Errorf("%s %v %v: the evaluator gives %v, %v, want %v", c.Op, c.In, c.Attrs, out["y"], err, c.Want)
		}
	}
	for _, op := range b.Package.Ops {
		if !tried[op.Name] && op.Name != "renewed" {
			t.Errorf("there is no call of %s", op.Name)
		}
	}
	data, err := json.Marshal(exactCalls)
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile("testdata/exact_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := []emit.File{{Name: "exact_test.go", Data: run}, {Name: "calls.json", Data: data}}
	for _, f := range b.Out {
		files = append(files, emit.File{Name: "exact/" + f.Name, Data: f.Data})
	}
	kerneltest.GoTest(t, files)
}
