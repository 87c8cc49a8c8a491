package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/specs"
)

// FuzzCheck checks any text that parses: no panic, no internal error, and a place for each error.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/right/*.op", "testdata/wrong/*.op", filepath.Join(specs.Dir(), "*", "*.op")} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, diags := dsl.Parse("f.op", []byte(text))
		if diags.HasErrors() {
			return
		}
		_, found := (&check.Config{}).Package([]*dsl.File{file})
		for _, d := range found.All {
			if d.Severity == diag.Error && !d.Span.Start.IsValid() || d.Code == "internal" {
				t.Errorf("%v", d)
			}
		}
	})
}
