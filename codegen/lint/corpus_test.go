package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen/opgen/codegen/lint"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/internal/specs"
)

// TestCorpus looks at all specs there are: they are written with care, so that a finding is a false one, or a fault of theirs.
func TestCorpus(t *testing.T) {
	packages := [][]*dsl.File{}
	for _, family := range specs.Families(t) {
		packages = append(packages, specs.Files(t, family))
	}
	folders, err := filepath.Glob("../../examples/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		names, err := filepath.Glob(folder + "/*.op")
		if err != nil {
			t.Fatal(err)
		}
		var files []*dsl.File
		for _, name := range names {
			files = append(files, read(t, name))
		}
		if len(files) > 0 {
			packages = append(packages, files)
		}
	}
	imported := func(path string) []*dsl.File {
		files, _ := specs.Import(path) // errors are said by the checker
		return files
	}
	for _, files := range packages {
		p, diags := specs.Config().Package(files)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Check(files, p, imported) {
			t.Errorf("%s; %s", f.String(), f.Hint)
		}
	}
}

func read(t *testing.T, name string) *dsl.File {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, diags := dsl.Parse(name, src)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return f
}
