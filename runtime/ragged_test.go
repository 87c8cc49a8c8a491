package runtime

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestRoom refuses what data ask of memory where no tensor could hold it, and says which data.
func TestRoom(t *testing.T) {
	for n, want := range map[int64]int{0: 0, 7: 7, -3: 0, math.MinInt64: 0, math.MaxInt64: maxRagged + 1} {
		if e := ExtentOf(n); e != want {
			t.Errorf("%d values are an extent of %d, want %d", n, e, want)
		}
	}
	for _, fits := range [][]int{{}, {0, maxRagged + 1}, {maxRagged + 1, 0}, {maxRagged}, {1 << 14, 1 << 14}} {
		if err := RoomOf[float64](&Bound{sig: &Signature{Op: "p.f"}}, "t", 5, fits...); err != nil {
			t.Errorf("%v: %v", fits, err)
		}
	}
	for _, large := range [][]int{{maxRagged + 1}, {1 << 14, 1<<14 + 1}, {maxRagged, maxRagged, maxRagged}} {
		err := RoomOf[float64](&Bound{sig: &Signature{Op: "p.f"}}, "t", math.MaxInt64, large...)
		if !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "p.f: t: ") || !strings.Contains(err.Error(), "9223372036854775807") {
			t.Errorf("%v: %v", large, err)
		}
	}
}
