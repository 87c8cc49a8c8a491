package runtime

import (
	"slices"
	"testing"
)

// Copies and clears in pieces do what copy and clear do, also where memory overlaps.
func TestPieces(t *testing.T) {
	const n = 3*pieceBytes/8 + 5
	fresh := func() []int64 {
		s := make([]int64, n+7)
		for i := range s {
			s[i] = int64(i)
		}
		return s
	}
	for _, c := range []struct{ to, from, n int }{{0, 0, n}, {7, 0, n}, {0, 7, n}, {1, 0, pieceBytes / 8}, {0, 1, pieceBytes/8 + 1}, {3, 0, 0}} {
		got, want := fresh(), fresh()
		Copy(got[c.to:c.to+c.n], got[c.from:c.from+c.n])
		copy(want[c.to:c.to+c.n], want[c.from:c.from+c.n])
		if !slices.Equal(got, want) {
			t.Errorf("copy %v", c)
		}
		Clear(got[c.to : c.to+c.n])
		clear(want[c.to : c.to+c.n])
		if !slices.Equal(got, want) {
			t.Errorf("clear %v", c)
		}
	}
	Copy[int8](nil, nil)
	Copy(make([]struct{}, 3), make([]struct{}, 2))
	Clear[float32](nil)
}
