package conformance

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// tolerance says whether got may stand for the element k of a result whose right value is want.
type tolerance func(got, want float64, k int) bool

// within is a tolerance of a relative and an absolute part.
func within(rel, abs float64) tolerance {
	return func(got, want float64, _ int) bool { return math.Abs(got-want) <= rel*math.Abs(want)+abs }
}

// bits is the tolerance of equal bits; any NaN is any other.
func bits(got, want float64, _ int) bool { return math.Float64bits(got) == math.Float64bits(want) }

// same compares arrays: shapes are equal, NaN and infinities are where they should be, and the rest is as near as ok
// says.
func same(t *testing.T, what string, got, want *ir.Array, ok tolerance) {
	t.Helper()
	if got == nil || want == nil {
		t.Errorf("%s: got %v, want %v", what, got, want)
		return
	}
	if !slices.Equal(got.Shape, want.Shape) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape, want.Shape)
		return
	}
	for k, w := range want.Data {
		g := got.Data[k]
		switch {
		case math.IsNaN(g) && math.IsNaN(w), math.IsInf(w, 0) && g == w, !math.IsInf(g, 0) && ok(g, w, k):
			continue
		}
		t.Errorf("%s: element %d of %v is %v, want %v", what, k, want.Shape, g, w)
		return
	}
}

// sameAll compares results by name; got may have more.
func sameAll(t *testing.T, what string, got, want arrays, ok tolerance) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		same(t, what+" "+name, got[name], want[name], ok)
	}
}
