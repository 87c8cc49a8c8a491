package dsl

import "testing"

// FuzzParse looks for texts that make the parser fail, or whose canonical form isn't one.
func FuzzParse(f *testing.F) {
	for _, src := range readSpecs(f) {
		f.Add(string(src))
	}
	for _, c := range wrong {
		src, _ := source(c.src)
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, diags := Parse("f.op", []byte(src))
		if file == nil {
			t.Fatal("no file")
		}
		for _, d := range diags.All {
			if d.Code == "" || d.Message == "" || !d.Span.Start.IsValid() || d.Span.End.Offset < d.Span.Start.Offset || d.Span.End.Offset > len(src) {
				t.Fatalf("%+v", d)
			}
		}
		diags.Format(map[string][]byte{"f.op": []byte(src)})
		if !diags.HasErrors() {
			checkFormat(t, "f.op", []byte(src))
		}
	})
}
