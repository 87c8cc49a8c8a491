package runtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// x: T[...N, ...S]; two lists with an entry for each axis of S -> y: T[...N, ...P], where S and P have 1 or 2 axes.
var listSig = Signature{Op: "test.list", Vars: testVars, Alike: [][]int{{1, 2}},
	Axes: []Axis{{Name: "N", Pack: true}, {Name: "S", Pack: true, Ranks: 0b110}, {Name: "P", Pack: true, Ranks: 0b110}}, Params: []Param{
		{Name: "x", Dims: dims(0, 1)},
		{Name: "y", Mode: Out, Dims: dims(0, 2)},
	}}

func TestBindLists(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		shape          []int
		kernel, stride int // entries
		s              []int
		fails          string
		kind           error
	}{
		{shape: []int{2, 3, 4}, kernel: 1, s: []int{4}},
		{shape: []int{2, 3, 4}, kernel: 2, s: []int{3, 4}},
		{shape: []int{2, 3, 4}, kernel: 1, stride: 2, s: []int{3, 4}},
		{shape: []int{2, 3, 4}, kernel: 2, stride: 1, s: []int{3, 4}},
		{shape: []int{4}, kernel: 2, s: []int{1, 4}},
		{shape: nil, kernel: 1, s: []int{1}},
		{shape: []int{2, 3, 4}, kernel: 2, stride: 3, fails: "stride: wrong attribute: want 1 or 2 entries, got 3", kind: ErrAttr},
		{shape: []int{2, 3, 4}, kernel: 3, fails: "want 1 or 2 axes in ...S, got 3", kind: ErrShape},
		{shape: []int{2, 3, 4}, kernel: 9, fails: "kernel: wrong attribute: want at most 8 entries, got 9", kind: ErrAttr},
		{shape: []int{2, 3, 4}, fails: "shapes that tell how many axes", kind: ErrShape},
	} {
		x := counting(F32, 0, c.shape...)
		var b Bound
		b.Count(1, "kernel", c.kernel)
		b.Count(1, "stride", c.stride)
		err := listSig.BindInputs(&b, nil, x)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) || !errors.Is(err, c.kind) {
				t.Errorf("%v, %d and %d entries: %v, want %s", c.shape, c.kernel, c.stride, err, c.fails)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v, %d and %d entries: %v", c.shape, c.kernel, c.stride, err)
			continue
		}
		if got := b.Pack(1); !slices.Equal(got, c.s) || !b.HasRank(1, len(c.s)) || b.HasRank(1, len(c.s)+1) || !b.HasRank(2, len(c.s)) {
			t.Errorf("%v, %d and %d entries: S is %v, want %v", c.shape, c.kernel, c.stride, got, c.s)
		}
		if err := b.DerivePack(2, c.s...); err != nil {
			t.Fatal(err)
		}
		if err := listSig.BindOutputs(&b); err != nil {
			t.Fatal(err)
		}
		if got := b.Tensor(1).Shape(); !slices.Equal(got[len(got)-len(c.s):], c.s) {
			t.Errorf("the result has shape %v", got)
		}
		b.Finish()
	}
}

// TestBindListNone binds a tensor without axes beside a list of one entry: the pack has one axis, and the other one of the first
// tensor takes those that are left.
func TestBindListNone(t *testing.T) {
	// x: T[...N, ...S], w: T[...K]; a list with an entry for each axis of S, of which K has as many
	sig := Signature{Op: "test.window", Vars: testVars, Alike: [][]int{{1, 2}},
		Axes:   []Axis{{Name: "N", Pack: true}, {Name: "S", Pack: true, Ranks: 0b111}, {Name: "K", Pack: true, Ranks: 0b111}},
		Params: []Param{{Name: "x", Dims: dims(0, 1)}, {Name: "w", Dims: dims(2)}}}
	for _, c := range []struct {
		entries int
		n, s    []int
	}{{1, []int{2, 3}, []int{4}}, {0, []int{2, 3, 4}, []int{}}} {
		var b Bound
		if c.entries > 0 {
			b.Count(1, "hop", c.entries)
		}
		if err := sig.BindInputs(&b, nil, counting(F32, 0, 2, 3, 4), counting(F32, 0)); err != nil {
			t.Fatal(err)
		}
		if n, s := b.Pack(0), b.Pack(1); !slices.Equal(n, c.n) || !slices.Equal(s, c.s) {
			t.Errorf("%d entries: N is %v and S %v, want %v and %v", c.entries, n, s, c.n, c.s)
		}
		if err := sig.BindOutputs(&b); err != nil {
			t.Fatal(err)
		}
		b.Finish()
	}
}

func TestEntry(t *testing.T) {
	for k := range 3 {
		if got := Entry(nil, k, 7); got != 7 {
			t.Errorf("entry %d of an empty list is %d", k, got)
		}
		if got := Entry([]int{5}, k, 7); got != 5 {
			t.Errorf("entry %d of [5] is %d", k, got)
		}
		if got := Entry([]float64{5, 6, 4}, k, 7); got != []float64{5, 6, 4}[k] {
			t.Errorf("entry %d of [5 6 4] is %v", k, got)
		}
	}
	for _, c := range []struct {
		n, entries int
		must       bool
		want       string
	}{
		{n: 2, entries: 2}, {n: 2, entries: 1}, {n: 2}, {entries: 5}, {entries: 1, must: true},
		{n: 2, entries: 3, want: "want 1 or 2 entries, got 3"}, {n: 2, must: true, want: "want 1 or 2 entries, got 0"},
		{n: 1, entries: 2, want: "want 1 entry, got 2"}, {must: true, want: "an entry for each axis"},
	} {
		err := CheckList("test.list", "size", make([]int, c.entries), c.n, c.must)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d entries of %d: %v, want %q", c.entries, c.n, err, c.want)
		}
	}
}

// Axes that nobody places leave ones where keepdims says.
func TestBindKept(t *testing.T) {
	noLeaks(t)
	// x: T[A, ...R, B]; keep(R) -> y: T[A, B]
	sig := Signature{Op: "test.kept", Vars: testVars, Axes: []Axis{{Name: "A"}, {Name: "R", Pack: true}, {Name: "B"}},
		Placed: &Placed{}, Params: []Param{
			{Name: "x", Dims: dims(0, 1, 2)},
			{Name: "y", Mode: Out, Dims: dims(0, 2), Kept: []Kept{{At: 1, Axis: 1}}},
		}}
	x := counting(F32, 0, 2, 3, 4, 5)
	for keep, want := range map[bool][]int{false: {2, 5}, true: {2, 1, 1, 5}} {
		var b Bound
		if err := sig.BindNew(&b, &Placement{Keep: keep}, x); err != nil {
			t.Fatal(err)
		}
		if got := b.Tensor(1).Shape(); !slices.Equal(got, want) {
			t.Errorf("keep %v: shape %v, want %v", keep, got, want)
		}
		b.Finish()
	}
}
