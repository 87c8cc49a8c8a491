package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// ragged sums its rows, whose lengths t says, by a tensor that has an axis for the longest.
const ragged = `func p.ragged
  in t: i64[N]
  let length: i64[]
  length[] max= t[n]   for n in N
  size range_i = length
  let s: i64[N, range_i]
  s[n, i] = i64(i + 1)   for n in N, i in range_i
  y[n] += s[n, i]   for n in N, i in 0..exact(t[n])
  out y: i64[N]
`

// TestSize evaluates a function with an axis whose extent is computed in the call: the longest of the ranges, 0 where all are
// empty or there are none, and an error where it is beyond all memory.
func TestSize(t *testing.T) {
	f, err := ir.Parse(ragged)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(f); err != nil {
		t.Fatal(err)
	}
	if text := f.Text(); text != ragged {
		t.Errorf("the text is\n%s", text)
	}
	for _, c := range []struct{ lengths, want []float64 }{
		{[]float64{2, 0, 3}, []float64{3, 0, 6}},
		{[]float64{-1, -1 << 62}, []float64{0, 0}},
		{[]float64{}, []float64{}},
		{[]float64{1, 1 << 40}, nil},
	} {
		in := ir.Binding{Arrays: map[*ir.Tensor]*ir.Array{f.Inputs[0]: {Shape: []int{len(c.lengths)}, Data: c.lengths}}}
		out, err := ir.Eval(f, in)
		switch {
		case c.want == nil && (err == nil || !strings.Contains(err.Error(), "more than")):
			t.Errorf("%v: %v, want an error", c.lengths, err)
		case c.want == nil:
		case err != nil:
			t.Errorf("%v: %v", c.lengths, err)
		case !slices.Equal(out[f.Outputs[0]].Data, c.want):
			t.Errorf("%v give %v, want %v", c.lengths, out[f.Outputs[0]].Data, c.want)
		}
	}
	first := f.Defs[0]
	f.Defs = append(f.Defs[1:], first)
	if err := ir.Verify(f); err == nil {
		t.Error("an extent may be used before it is computed")
	}
}

// TestLiveSize keeps the definition of an extent as long as something has the axis, and no longer.
func TestLiveSize(t *testing.T) {
	f, err := ir.Parse(ragged)
	if err != nil {
		t.Fatal(err)
	}
	if live := ir.Live(f); len(live) != 3 {
		t.Errorf("%d definitions are live, want 3", len(live))
	}
	f.Defs[2].Body = ir.Cast(ir.Int(1), f.Defs[2].Body.Type)
	if live := ir.Live(f); len(live) != 1 {
		t.Errorf("%d definitions are live, want 1", len(live))
	}
}
