package lint_test

import (
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

const accumulating = `package p

update count[T: float](inout p: T[N], g: T[N], state s: T[N]) {
    s' = s + g
    p' = s'
}
`

// TestStates adds ones to a state of f16, which stops at 2048, and to the rewritten one, which doesn't.
func TestStates(t *testing.T) {
	found := findings(t, accumulating)
	if len(found) != 1 || found[0].Code != "lint-acc" {
		t.Fatalf("findings are %v", found)
	}
	fixed := fix(t, accumulating)
	if !strings.Contains(fixed, "state s: acc(T)[N]") {
		t.Fatalf("fixed:\n%s", fixed)
	}
	for _, c := range []struct {
		src  string
		want float64
	}{{accumulating, 2048}, {fixed, 2050}} {
		op := opOf(t, c.src)
		s := &ir.Array{Shape: []int{1}, Data: []float64{2047}}
		for range 3 {
			out, err := ir.EvalOp(op, map[string]*ir.Array{"p": {Shape: []int{1}, Data: []float64{0}}, "g": {Shape: []int{1}, Data: []float64{1}}, "s": s},
				nil, map[string]string{"T": "f16"})
			if err != nil {
				t.Fatal(err)
			}
			s = out["s'"]
		}
		if s.Data[0] != c.want {
			t.Errorf("the state is %v, want %v\n%s", s.Data[0], c.want, c.src)
		}
	}
}
