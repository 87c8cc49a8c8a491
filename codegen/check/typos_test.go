package check_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/specs"
)

// TestOneTypo misspells one name in a right spec: that is one error, at its place, and draws no others.
func TestOneTypo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range specFiles(t) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := dsl.Parse(name, src)
		var uses []dsl.Ident
		for _, o := range f.Ops {
			body := []any{o.Body}
			if o.Short != nil {
				body = append(body, o.Short)
			}
			for _, part := range body {
				dsl.Inspect(part, func(n any) bool {
					switch n := n.(type) {
					case *dsl.Example:
						return false
					case *dsl.Ref:
						uses = append(uses, n.Name)
					case *dsl.Call:
						if n.AccOf == nil && n.Package == nil {
							uses = append(uses, n.Name)
						}
					}
					return true
				})
			}
		}
		if len(uses) == 0 {
			continue
		}
		shared := helpers(t, name)
		for range typos {
			id := uses[rng.IntN(len(uses))]
			at := id.Span.Start.Offset
			mutant := string(src[:at]) + id.Name + "zzz" + string(src[id.Span.End.Offset:])
			f, diags := dsl.Parse(name, []byte(mutant))
			if diags.HasErrors() {
				t.Errorf("%s isn't parsed: %v", id.Name, diags.Err())
				continue
			}
			_, diags = specs.Config().Package(append(shared, f))
			first := -1
			for i, d := range diags.All {
				if d.Severity == diag.Error && d.Code != "unsupported" {
					if first >= 0 {
						t.Errorf("%v: %szzz draws %s\nand %s", id.Span.Start, id.Name, diags.All[first].String(), d.String())
						break
					}
					first = i
				}
			}
		}
	}
}

const typos = 3
