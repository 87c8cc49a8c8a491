package randspec

import (
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// problem is the first error of a spec; nil: there is none.
func problem(s *Spec) *diag.Diagnostic {
	f, diags := dsl.Parse("p.op", []byte(s.File("p")))
	if !diags.HasErrors() {
		_, diags = (&check.Config{Import: func(path string) ([]*dsl.File, error) {
			f, d := dsl.Parse(path+".op", []byte(Library[path]))
			return []*dsl.File{f}, d.Err()
		}}).Package([]*dsl.File{f})
	}
	for i, d := range diags.All {
		if d.Severity == diag.Error {
			return &diags.All[i]
		}
	}
	return nil
}

// illTyped are seeds that once gave specs which weren't well typed: no argument of a call had a dtype where an optional input is absent;
// a let had an axis that only its index has; an index occurred only where the input that it is for is absent.
var illTyped = []uint64{1005373, 1007587, 1010225, 1013338, 1018634, 1019258, 1019756, 1037801, 1070051}

// TestWellTyped checks that specs are well typed; few are refused for what they ask of a call.
func TestWellTyped(t *testing.T) {
	const specs = 2000
	refused := 0
	for seed := range uint64(specs) {
		s := New(seed, 1+int(seed%4))
		d := problem(s)
		switch {
		case d == nil:
		case slices.Contains([]string{"recurrence", "keep-none", "index-range"}, d.Code):
			refused++
		default:
			t.Errorf("seed %d: %s\n%s", seed, d.String(), s.File("p"))
		}
	}
	for _, seed := range illTyped {
		if d := problem(New(seed, 1+int(seed%4))); d != nil {
			t.Errorf("seed %d: %s", seed, d.String())
		}
	}
	if refused > specs/20 {
		t.Errorf("%d of %d specs are refused", refused, specs)
	}
}

// TestSame checks that a seed gives the same spec again.
func TestSame(t *testing.T) {
	for seed := range uint64(100) {
		if a, b := New(seed, 3), New(seed, 3); a.Decls != b.Decls {
			t.Errorf("seed %d gives\n%s\nand\n%s", seed, a.Decls, b.Decls)
		}
	}
}

// TestShrink shrinks specs that are faulty because they have a tanh, and expects little else to be left.
func TestShrink(t *testing.T) {
	tried := 0
	for seed := uint64(0); tried < 5; seed++ {
		s := New(seed, 4)
		faulty := func(s *Spec) bool {
			_, op, _ := strings.Cut(s.Decls, " "+s.Op)
			return strings.Contains(op, "tanh(") && problem(s) == nil
		}
		if !faulty(s) {
			continue
		}
		tried++
		if small := Shrink(s, 2000, faulty); !faulty(small) || len(words(small.Decls)) > 30 {
			t.Errorf("seed %d: this is left:\n%s\nof\n%s", seed, small.Decls, s.Decls)
		}
	}
}
