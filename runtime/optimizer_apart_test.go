package runtime

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestApart compares the search for memory that calls share with a look at all pairs.
func TestApart(t *testing.T) {
	r := &Rule{Op: "test.op", Signatures: []*Signature{{Params: []Param{{Name: "p", Mode: Inout}, {Name: "g"}, {Name: "s", Mode: Inout}}}}}
	rapid.Check(t, func(t *rapid.T) {
		memory := Must(New(F32, rapid.IntRange(1, 60).Draw(t, "elements")))
		calls := rapid.IntRange(0, 5).Draw(t, "calls")
		lists := make([][]*Tensor, 3)
		for i := range lists {
			for range calls {
				from := rapid.IntRange(0, memory.n).Draw(t, "from")
				x := Must(memory.Slice(0, from, rapid.IntRange(from, min(memory.n, from+12)).Draw(t, "to"), rapid.SampledFrom([]int{1, 2}).Draw(t, "step")))
				if rapid.IntRange(0, 9).Draw(t, "absent") == 0 {
					x = nil
				}
				lists[i] = append(lists[i], x)
			}
		}
		want := false
		for i, l := range lists {
			for _, m := range lists {
				for k, x := range l {
					for n, y := range m {
						want = want || k != n && i != 1 && x != nil && y != nil && overlap(x, y)
					}
				}
			}
		}
		if err := r.apart(lists); (err != nil) != want || err != nil && !errors.Is(err, ErrAlias) {
			t.Fatalf("got %v, want an error: %v", err, want)
		}
	})
}
