package general_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
)

// edge is a call of an op of testdata/edges.op.
type edge struct {
	op     string
	inputs []*ir.Array // in the order of the op
	attrs  []ir.ExampleAttr
	dtype  string      // "": f32 and f64
	grads  [][]float64 // for the cotangents 1, 2, …; nil: another test says it
	fails  bool
	want   []float64 // the result; nil: another test says it
}

func row(x ...float64) *ir.Array { return &ir.Array{Shape: []int{len(x)}, Data: x} }

func rows(n, k int, x ...float64) *ir.Array { return &ir.Array{Shape: []int{n, k}, Data: x} }

func with(name string, x float64) []ir.ExampleAttr { return []ir.ExampleAttr{{Name: name, Number: x}} }

// edges are the calls with their results, which follow from the reference of the language.
var edges = []edge{
	// A number that u64 holds, and no i64: 10^19 % 7 is 3.
	{op: "beyond_i64", inputs: []*ir.Array{row(1, 2)}, want: []float64{4, 6}},
	// A let is computed for all of its points, wherever it is read.
	{op: "let_in_branch", inputs: []*ir.Array{row(1, 2), row(0, 1), row(1, 0)}, want: []float64{2, 0}},
	{op: "let_in_branch", inputs: []*ir.Array{row(1, 2), row(0, 9), row(1, 0)}, fails: true},
	{op: "let_in_branch", inputs: []*ir.Array{row(1, 2), row(0, 9), row(1, 1)}, fails: true},
	{op: "sum_in_branch", inputs: []*ir.Array{row(1, 2, 4), row(0, -5)}, want: []float64{3, 0}},
	{op: "sum_in_branch", inputs: []*ir.Array{row(1, 2, 4), row(0, 2)}, fails: true},
	// One that nothing needs is not computed.
	{op: "let_in_choice", inputs: []*ir.Array{row(1, 2), row(9)}, want: []float64{1}},
	{op: "let_in_choice", inputs: []*ir.Array{row(1, 2), row(9)}, attrs: []ir.ExampleAttr{{Name: "flag", Word: "true"}}, fails: true},
	{op: "let_alias", inputs: []*ir.Array{row(1, 3)}, want: []float64{2}},
	{op: "let_alias", inputs: []*ir.Array{row(1)}, want: []float64{}},
	{op: "let_alias", inputs: []*ir.Array{row()}, fails: true},

	{op: "max_below", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 1)}, want: []float64{2, 4}},
	{op: "max_below", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 0)}, fails: true},
	{op: "max_below_or", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 0)}, want: []float64{2, -7}},
	{op: "max_to", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 1)}, want: []float64{2, 4}},
	{op: "max_to", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(0, 1)}, fails: true},
	{op: "max_to", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(3, 1)}, fails: true},
	{op: "min_choice", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 0)}, want: []float64{1, 3}},
	{op: "max_positive", inputs: []*ir.Array{rows(2, 2, 1, 2, -4, 3)}, want: []float64{2, 3}},
	{op: "max_positive", inputs: []*ir.Array{rows(2, 2, 1, 2, -4, -3)}, fails: true},
	{op: "max_let", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 1)}, want: []float64{2, 4}},
	{op: "first_below", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 1)}, want: []float64{1, 0}},
	{op: "first_below", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 0)}, fails: true},
	{op: "max_of_max", inputs: []*ir.Array{rows(2, 0)}, fails: true},

	{op: "ignored", inputs: []*ir.Array{row(1, 2), row(0, 1)}, attrs: with("ignore_index", 1<<32), want: []float64{1, 2}},
	{op: "ignored", inputs: []*ir.Array{row(1, 2), row(-100, 1)}, want: []float64{0, 2}},
	{op: "ignored", inputs: []*ir.Array{row(1, 2), row(0, 1)}, attrs: with("ignore_index", 1<<33+1), want: []float64{1, 2}},
	{op: "ignored_late", inputs: []*ir.Array{row(1, 2), row(0, 1)}, attrs: with("ignore_index", 1<<40), want: []float64{0, 0}},

	// Attributes of the type of a dtype variable are rounded to it before they are compared.
	{op: "scaled", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 2), want: []float64{0.5, 1}},
	{op: "scaled", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 1e-60), dtype: "f32", want: []float64{1, 2}},
	{op: "scaled", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 0x1p-200), dtype: "f64", want: []float64{0x1p200, 0x1p201}},
	{op: "scaled_real", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 1e-60), dtype: "f32", want: []float64{math.Inf(1), math.Inf(1)}},
	{op: "at_limit", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 0.1), want: []float64{2, 3}},
	{op: "at_limit", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 0.09999999999999), dtype: "f32", want: []float64{2, 3}},
	{op: "at_limit", inputs: []*ir.Array{row(1, 2)}, attrs: with("beta", 0.09999999999999), dtype: "f64", want: []float64{1, 2}},
	// A branch that data decide counts as taken where extents are empty; where points depend on data, they count.
	{op: "max_in_branch", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(1, 0)}, want: []float64{2, 5}},
	{op: "max_in_branch", inputs: []*ir.Array{rows(2, 0), row(0, 0)}, fails: true},
	{op: "max_in_branch", inputs: []*ir.Array{rows(2, 0), row(0, 1)}, fails: true},
	{op: "max_let_branch", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(1, 0)}, want: []float64{2, 5}},
	{op: "max_let_branch", inputs: []*ir.Array{rows(2, 0), row(0, 0)}, fails: true},
	{op: "max_let_branch", inputs: []*ir.Array{rows(2, 0), row(0, 1)}, fails: true},
	{op: "argmax_in_branch", inputs: []*ir.Array{rows(2, 0), row(0, 1)}, fails: true},
	{op: "argmax_in_branch", inputs: []*ir.Array{rows(2, 0), row(0, 0)}, want: []float64{5, 5}},
	{op: "range_softmax", inputs: []*ir.Array{rows(2, 2, 1, 1, 4, 3), row(2, 1)}, want: []float64{1, 1, 1, 0}},
	{op: "range_softmax", inputs: []*ir.Array{rows(2, 2, 1, 1, 4, 3), row(2, 0)}, want: []float64{1, 1, 0, 0}},
	{op: "max_shifted", inputs: []*ir.Array{rows(1, 2, -1, -1)}, want: []float64{2}},
	{op: "max_shifted", inputs: []*ir.Array{rows(2, 2, -1, -1, 1, 1)}, fails: true},
	{op: "max_shifted", inputs: []*ir.Array{rows(0, 0)}, want: []float64{}},

	// Products with zeros don't divide.
	{op: "product", inputs: []*ir.Array{rows(3, 3, 2, 3, 4, 2, 0, 3, 0, 0, 3)}, want: []float64{24, 0, 0}, grads: [][]float64{{12, 8, 6, 0, 12, 0, 0, 0, 0}}},
	{op: "running_product", inputs: []*ir.Array{row(2, 0, 3, 4)}, want: []float64{2, 0, 0, 0}, grads: [][]float64{{1, 2*2 + 3*6 + 4*24, 0, 0}}},
	// What isn't taken gives no NaN, through lets and reductions.
	{op: "root_or_zero", inputs: []*ir.Array{row(0, 4, -1)}, want: []float64{0, 2, 0}, grads: [][]float64{{0, 0.5, 0}}},
	{op: "chosen_logs", inputs: []*ir.Array{rows(2, 2, 0, 1, 1, 4), row(0, 1)}, grads: [][]float64{{0, 0, 2, 0.5}}},
	// Ties: shared by max, the first of argmax, halves of two.
	{op: "greatest", inputs: []*ir.Array{rows(2, 3, 3, 3, 1, 2, 2, 2)}, want: []float64{3, 2}, grads: [][]float64{{0.5, 0.5, 0, 2. / 3, 2. / 3, 2. / 3}}},
	{op: "first_greatest", inputs: []*ir.Array{rows(2, 3, 3, 3, 1, 2, 2, 2)}, want: []float64{3, 2}, grads: [][]float64{{1, 0, 0, 2, 0, 0}}},
	{op: "greater", inputs: []*ir.Array{row(1, 2, 3), row(2, 2, 2)}, want: []float64{2, 2, 3}, grads: [][]float64{{0, 1, 3}, {1, 1, 0}}},
	// The gradient of a sum over nothing is 0, whatever would be multiplied with it.
	{op: "rooted", inputs: []*ir.Array{row(), {Shape: []int{}, Data: []float64{0}}}, want: []float64{}, grads: [][]float64{{}, {0}}},
	{op: "normalized", inputs: []*ir.Array{rows(0, 2), row(1, 2)}, want: []float64{}, grads: [][]float64{{}, {0, 0}}},
	{op: "cardinal", inputs: []*ir.Array{row(0, 1, -1)}, grads: [][]float64{{0, -2, 3}}},
	{op: "special", inputs: []*ir.Array{row(0, 1, -1, 0.5, 3)}},
	{op: "logs", inputs: []*ir.Array{row(0, 0, 2), row(0, -1, 1)}, want: []float64{0, 0, 0}, grads: [][]float64{{0, 0, 0}, {0, 0, 6}}},
	{op: "unread_sum", inputs: []*ir.Array{rows(2, 0), row(1, 2)}, want: []float64{}, grads: [][]float64{{}, {0, 0}}},
	{op: "unread_sum", inputs: []*ir.Array{rows(2, 1, 1, 2), row(1)}, want: []float64{3 + 5}},
	{op: "unread_range", inputs: []*ir.Array{row(), row(1, 2)}, want: []float64{}, grads: [][]float64{{}, {0, 0}}},
	{op: "unread_range", inputs: []*ir.Array{row(1), row(1, 2)}, fails: true},
	{op: "unread_range", inputs: []*ir.Array{row(1, 3), row(1, 2)}, want: []float64{10, 12, 11, 15}},
	{op: "decided", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{111, 112, 113}},
	{op: "decided", inputs: []*ir.Array{row(1, 2)}, attrs: with("a", 0.1), want: []float64{102, 104}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("a", 3), want: []float64{11}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("a", -1), want: []float64{2}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("k", 49), want: []float64{111}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("k", -49), want: []float64{112}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("k", 0), fails: true},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("n", 1), want: []float64{111}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("n", -3), want: []float64{11}},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("n", 6), fails: true},
	{op: "decided", inputs: []*ir.Array{row(1)}, attrs: with("n", -6), fails: true},
	{op: "least_of_all", inputs: []*ir.Array{rows(0, 3), row()}, want: []float64{}},
	{op: "least_of_all", inputs: []*ir.Array{rows(3, 0), row(1, 2, 3)}, fails: true},
	{op: "least_of_all", inputs: []*ir.Array{rows(2, 1, 3, 2), row(1, 5)}, want: []float64{3, 7}},

	// Reductions inside loops whose ranges differ from point to point: what no loop needs isn't evaluated.
	{op: "suffixes", inputs: []*ir.Array{rows(2, 3, 1, 2, 3, 4, 5, 6), row(1, 9)}, want: []float64{25, 121 + 36}, grads: [][]float64{{0, 10, 10, 0, 2 * 22, 2 * 34}}},
	{op: "suffixes", inputs: []*ir.Array{rows(1, 3, 1, 2, 3), row(-4)}, want: []float64{0}, grads: [][]float64{{0, 0, 0}}},
	{op: "suffixes", inputs: []*ir.Array{rows(1, 0), row(4)}, want: []float64{0}, grads: [][]float64{{}}},
	{op: "suffixes", inputs: []*ir.Array{rows(0, 3), row()}, want: []float64{}, grads: [][]float64{{}}},
	{op: "prefixes", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{1, 10, 46}, grads: [][]float64{{12 + 30 + 36, 30 + 36, 36}}},
	{op: "prefixes", inputs: []*ir.Array{row()}, want: []float64{}, grads: [][]float64{{}}},
	{op: "peaks", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 1)}, want: []float64{5, 16}, grads: [][]float64{{2, 4, 2 * 8, 0}}},
	{op: "peaks", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(2, 3)}, fails: true},
	{op: "peaks", inputs: []*ir.Array{rows(1, 0), row(0)}, want: []float64{0}, grads: [][]float64{{}}},
	{op: "tails", inputs: []*ir.Array{rows(2, 3, 1, 3, 2, 1, 3, 2), row(-2, 5)}, want: []float64{9 + 4, 4}, grads: [][]float64{{0, 6, 4, 0, 0, 8}}},
	{op: "thirds", inputs: []*ir.Array{row(1, 1, 2)}, want: []float64{4, 0}, grads: [][]float64{{1, 1, 1}}},

	// Ranges that only data bound: empty and negative ones run over nothing, and one beyond all memory is an error.
	{op: "ragged", inputs: []*ir.Array{rows(2, 3, 1, 2, 3, 4, 5, 6), row(1, 2, 3), row(2, 0)}, want: []float64{19, 0},
		grads: [][]float64{{2*1 + 2*2*3, 2 * 2 * 3, 0, 0, 0, 0}, {1, 9, 0}}},
	{op: "ragged", inputs: []*ir.Array{rows(2, 2, 1, 2, 3, 4), row(1, 2), row(-1, 1<<31-1)}, fails: true},
	{op: "ragged", inputs: []*ir.Array{rows(2, 2, 1, 2, 3, 4), row(1, 2), row(-1, 0)}, want: []float64{0, 0}, grads: [][]float64{{0, 0, 0, 0}, {0, 0}}},
	{op: "ragged", inputs: []*ir.Array{rows(0, 2), row(1, 2), row()}, want: []float64{}, grads: [][]float64{{}, {0, 0}}},
	{op: "segments", inputs: []*ir.Array{row(1, 2, 3), row(1, 7), row(3, 1)}, want: []float64{54, 0}, grads: [][]float64{{0, 1*2*2 + 2*2*5, 2 * 2 * 5}}},
	{op: "segments", inputs: []*ir.Array{row(1, 2, 3), row(-1), row(1)}, fails: true},
	{op: "counted", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{3}}}, want: []float64{46}, grads: [][]float64{{2 + 6 + 12, 6 + 12, 12}}},
	{op: "counted", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{1 << 40}}}, fails: true},
	{op: "counted", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{-1 << 62}}}, want: []float64{0}, grads: [][]float64{{0, 0, 0}}},
	{op: "deep", inputs: []*ir.Array{row(1, 2, 3), row(3, 2)}, want: []float64{70, 9}, grads: [][]float64{{6 + 12 + 2*6, 6 + 12 + 10 + 2*6, 12 + 10}}},
	{op: "peaks_to", inputs: []*ir.Array{rows(2, 2, 1, 2, 4, 3), row(1, 0)}, want: []float64{1, 0}, grads: [][]float64{{1, 0, 0, 0}}},
	{op: "by_attr", inputs: []*ir.Array{row(1, 2), row(0, 1)}, want: []float64{37, 38}, grads: [][]float64{{(2 + 2 + 24) * 3, (4*9 + 24) * 3}}},
	{op: "by_attr", inputs: []*ir.Array{row(1, 2), row(0, 1)}, attrs: with("k", 1), want: []float64{1, 2}, grads: [][]float64{{4 * 3, 0}}},
	{op: "by_attr", inputs: []*ir.Array{row(1, 2), row(0, 1)}, attrs: with("k", 0), want: []float64{0, 1}, grads: [][]float64{{0, 0}}},
	{op: "far", inputs: []*ir.Array{row(1, 2), row(2, 1000)}, want: []float64{10, 0}, grads: [][]float64{{2 + 6, 6}}},
	{op: "reach", inputs: []*ir.Array{row(1, 2), row(4, -3)}, want: []float64{1 + 9*3, 0}, grads: [][]float64{{2 + 18, 18}}},
	{op: "let_to", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{2}}}, want: []float64{2, 4, 6}, grads: [][]float64{{2 + 14*2, 4 + 14, 6}}},
	{op: "let_to", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{-2}}}, want: []float64{0, 0, 0}, grads: [][]float64{{0, 0, 0}}},
	{op: "let_to", inputs: []*ir.Array{row(1, 2, 3), {Shape: []int{}, Data: []float64{4}}}, fails: true},
	{op: "nested_branch", inputs: []*ir.Array{row(1, 2, 3), row(0, -5)}, want: []float64{5, 0}, grads: [][]float64{{0, 1, 1}}},
	{op: "nested_branch", inputs: []*ir.Array{row(1, 2, 3), row(0, 5)}, fails: true},
	{op: "range_branch", inputs: []*ir.Array{row(1, 2, 3), row(0, -5), row(2)}, want: []float64{3, 0}, grads: [][]float64{{1, 1, 0}}},
	{op: "range_branch", inputs: []*ir.Array{row(1, 2, 3), row(0, 5), row(2)}, fails: true},
	{op: "quotient_branch", inputs: []*ir.Array{row(1, 2, 3), row(2, 0)}, want: []float64{6, 0}, grads: [][]float64{{1, 1, 1}}},
	{op: "product_window", inputs: []*ir.Array{row(1, 2, 0, 4)}, want: []float64{0, 0}, grads: [][]float64{{0, 0, 2 + 2*8, 0}}},
	{op: "product_part", inputs: []*ir.Array{row(1, 0, 3, 4), row(0, 3), row(3, 1)}, want: []float64{0, 1}, grads: [][]float64{{0, 3, 0, 0}}},
	{op: "product_part", inputs: []*ir.Array{row(2, 3, 4), row(0, 1), row(2, 3)}, want: []float64{6, 12}, grads: [][]float64{{3, 2 + 2*4, 2 * 3}}},
	{op: "product_pairs", inputs: []*ir.Array{row(1, 2, 3), row(2, -1)}, want: []float64{8, 1}, grads: [][]float64{{8 * 3, 4 * 3, 0}}},
	{op: "by_extent", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{1, 10, 46}},
	{op: "by_extent", inputs: []*ir.Array{row(1, 2)}, want: []float64{0, 10}, grads: [][]float64{{2 * (2 + 6), 2 * 6}}},
	{op: "by_extent_only", inputs: []*ir.Array{row(1, 2)}, want: []float64{1, 2}, grads: [][]float64{{1, 2}}},
	{op: "by_extent_only", inputs: []*ir.Array{row(1, 2, 3, 4)}, want: []float64{3, 1 + 9 + 9, 1 + 9 + 36, 1 + 9 + 36}},
	{op: "branches", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{1, 10, 46}},
	{op: "branches", inputs: []*ir.Array{row(1, 2, 3)}, attrs: with("a", 3), want: []float64{2, 10, 10}},
	{op: "unread_max", inputs: []*ir.Array{rows(2, 2, 0, -1, 4, 3), row(1, 0)}, want: []float64{0, 4}, grads: [][]float64{{1, 0, 2, 0}}},
	{op: "unread_rows", inputs: []*ir.Array{rows(2, 0), row(5)}, want: []float64{5}, grads: [][]float64{{}, {1}}},
	{op: "unread_rows", inputs: []*ir.Array{rows(0, 0), row(5, 6)}, want: []float64{0, 0}, grads: [][]float64{{}, {0, 0}}},
	{op: "unread_product", inputs: []*ir.Array{rows(2, 2, 2, 3, 4, 3), row(2, -1)}, want: []float64{6, 2}, grads: [][]float64{{3, 2, 0, 0}}},

	{op: "minus_zero", inputs: []*ir.Array{row(1, -2)}, want: []float64{-1, -2}},
	{op: "exact_zero", inputs: []*ir.Array{row(1, -2)}, want: []float64{1, 2}},
	{op: "after_require", inputs: []*ir.Array{row(1, 1)}, want: []float64{0, 0}},
	{op: "after_require", inputs: []*ir.Array{row(1, -1)}, fails: true},

	{op: "flat_triangle", inputs: []*ir.Array{row(-3, 1, 2)}, want: []float64{0, 0, 0}},
	{op: "flat_triangle", inputs: []*ir.Array{row(1, -3, 2)}, want: []float64{2, -6, 4}, grads: [][]float64{{2, 4, 6}}},
	{op: "flat_triangle", inputs: []*ir.Array{row(1, 3, 4)}, want: []float64{5, 15, 20}},
	{op: "flat_below", inputs: []*ir.Array{row(1, 3, 4)}, want: []float64{-1, -3, 8}, grads: [][]float64{{-1, -2, 6}}},
	{op: "flat_part", inputs: []*ir.Array{row(4, 1, 3), row(3, 1)}, want: []float64{1, 0}},
	{op: "flat_part", inputs: []*ir.Array{row(4, 6, 3), row(3, 2)}, want: []float64{4, 0}},
	{op: "flat_part", inputs: []*ir.Array{row(4, 6, 3), row(3, 0)}, fails: true},

	// Calls.
	{op: "call_running", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{1, 5, 14}, grads: [][]float64{{12, 20, 18}}},
	{op: "call_ahead", inputs: []*ir.Array{row(1, 2, 3)}, want: []float64{1, 3, 7}, grads: [][]float64{{9, 5, 3}}},
	{op: "call_kept", inputs: []*ir.Array{rows(2, 2, 1, 2, 3, 4)}, want: []float64{10, 20}, grads: [][]float64{{2, 8, 6, 16}}},
	{op: "call_gate", inputs: []*ir.Array{row(1, -2, 3)}, want: []float64{3, 0, 9}, grads: [][]float64{{3, 0, 9}}},
	{op: "call_filter", inputs: []*ir.Array{row(1, -2, 3), row(0, 2)}, want: []float64{10, 9}, grads: [][]float64{{2, 0, 18}, {0, 0}}},
}

// TestEdges compares results, gradients and errors of the evaluator and of generated code with what they must be.
func TestEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	text, err := os.ReadFile("testdata/edges.op")
	if err != nil {
		t.Fatal(err)
	}
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/edges", Files: []codegen.SourceFile{{Name: "edges.op", Data: text}}}, codegen.Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	ops := map[string]*ir.OpDecl{}
	for _, op := range b.Package.Ops {
		ops[op.Name] = op
	}
	var calls []*call
	for _, e := range edges {
		op := ops[e.op]
		if op == nil {
			t.Fatalf("there is no op %s", e.op)
		}
		for _, float := range []string{"f32", "f64"} {
			if e.dtype != "" && e.dtype != float {
				continue
			}
			for _, index := range []string{"i32", "i64"} {
				c, err := e.call(op, map[string]string{"T": float, "I": index})
				if err != nil {
					t.Errorf("%s%s: %v", e.op, c.About, err)
				}
				calls = append(calls, c)
			}
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
		files = append(files, emit.File{Name: "edges/" + f.Name, Data: f.Data})
	}
	files = append(files, emit.File{Name: "corpus_test.go", Data: run}, emit.File{Name: "corpus.json", Data: data},
		emit.File{Name: "imports_test.go", Data: []byte("package test\n\nimport _ \"generated.test/edges\"\n")})
	kerneltest.GoTest(t, files)
}

// call is the call with what the evaluator makes of it, which is held to what is wanted.
func (e *edge) call(op *ir.OpDecl, dtypes map[string]string) (*call, error) {
	c := &call{Op: "edges." + op.Name, About: fmt.Sprint(dtypes, e.attrs), Attrs: map[string]attr{}, Eps: map[string]float64{"f32": 4e-6, "f64": 1e-11}[dtypes["T"]]}
	inputs := map[string]*ir.Array{}
	for i, p := range op.Inputs {
		inputs[p.Name] = e.inputs[i]
		c.Inputs = append(c.Inputs, arrayOf(e.inputs[i], p.Elem.Resolve(dtypes)))
	}
	c.About += fmt.Sprint(e.inputs)
	for _, a := range e.attrs {
		x := attr{Word: a.Word}
		if a.Word == "" {
			x.Number = &a.Number
		}
		c.Attrs[a.Name] = x
	}
	out, err := ir.EvalOp(op, inputs, e.attrs, dtypes)
	if (err != nil) != e.fails {
		return c, fmt.Errorf("the evaluator gives the error %v", err)
	}
	if err != nil {
		c.Fails = err.Error()
		return c, nil
	}
	cots := map[string]*ir.Array{}
	for _, p := range op.Outputs {
		y := out[p.Name]
		for i, w := range e.want {
			if y.Data[i] != w {
				return c, fmt.Errorf("the evaluator gives %v, want %v", y.Data, e.want)
			}
		}
		c.Outputs = append(c.Outputs, arrayOf(y, p.Elem.Resolve(dtypes)))
		if !isFloat(p.Elem.Resolve(dtypes)) {
			return c, nil
		}
		g := ir.NewArray(y.Shape...)
		for i := range g.Data {
			g.Data[i] = float64(i + 1)
		}
		cots[p.Name] = g
		c.Cots = append(c.Cots, arrayOf(g, p.Elem.Resolve(dtypes)))
	}
	grads, err := pass.EvalGrad(op, inputs, e.attrs, cots, dtypes)
	if err != nil {
		return c, err
	}
	k := 0
	for _, p := range op.Inputs {
		var g *array
		if a := grads[p.Name]; a != nil {
			if e.grads != nil {
				for i, w := range e.grads[k] {
					if d := a.Data[i] - w; !(d >= -4*c.Eps*max(1, w) && d <= 4*c.Eps*max(1, w)) {
						return c, fmt.Errorf("the evaluator gives the gradient %v of %s, want %v", a.Data, p.Name, e.grads[k])
					}
				}
				k++
			}
			g = arrayOf(a, p.Elem.Resolve(dtypes))
		}
		c.Grads = append(c.Grads, g)
	}
	return c, nil
}
