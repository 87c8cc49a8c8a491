package general_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/internal/specs"
)

// builds takes the specs that stand for all through the pipeline to portable Go, by family.
func builds(t testing.TB) map[string]*codegen.Build {
	t.Helper()
	sources, err := codegen.Find([]string{specs.Dir() + "/..."}, "")
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]*codegen.Build{}
	for _, s := range sources {
		s.Files = slices.DeleteFunc(s.Files, func(f codegen.SourceFile) bool { return !specs.Reads(f.Name) })
		s.ImportPath = "generated.test/" + filepath.Base(s.Dir)
		b := codegen.New(s, codegen.Go)
		if !b.Run("") {
			t.Fatal(b.Diags.Err())
		}
		r[b.Package.Name] = b
	}
	return r
}

func seeded(name string) *rand.Rand {
	var s uint64
	for _, c := range name {
		s = s*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(s, 1))
}
