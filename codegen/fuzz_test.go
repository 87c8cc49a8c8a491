package codegen

import (
	"testing"

	"github.com/opgen/opgen/dsl/diag"
)

// FuzzPipeline takes any text through the whole pipeline: it never panics, and what it refuses has a place.
func FuzzPipeline(f *testing.F) {
	sources, err := Find([]string{"../specs/..."}, "")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range sources {
		for _, file := range s.Files {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := New(Source{Dir: ".", ImportPath: "p", Files: []SourceFile{{Name: "f.op", Data: []byte(text)}}})
		if b.Run("") {
			return
		}
		for _, d := range b.Diags.All {
			if d.Severity == diag.Error && !d.Span.Start.IsValid() {
				t.Errorf("an error without a place: %v", d)
			}
			if d.Code == "internal" {
				t.Errorf("an internal error: %v", d)
			}
		}
	})
}
