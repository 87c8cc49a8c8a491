// Package specs gives tests the specs of this repository: which there are, parsed and checked, and which of them stand for
// all where a test takes long.
package specs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// Dir is the folder of all specs, as seen from where the test runs.
var Dir = sync.OnceValue(func() string {
	for root, n := ".", 0; n < 10; root, n = filepath.Join("..", root), n+1 {
		if _, err := os.Stat(filepath.Join(root, "specs")); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "specs")
		}
	}
	panic("no folder specs beside a go.mod above this one")
})

// Families are the names of the packages, in order.
func Families(t testing.TB) []string {
	t.Helper()
	var families []string
	for _, n := range glob(t, filepath.Join(Dir(), "*", "*.op")) {
		families = append(families, filepath.Base(filepath.Dir(n)))
	}
	return slices.Compact(families)
}

// Names are the files of a family, in order.
func Names(t testing.TB, family string) []string {
	t.Helper()
	return glob(t, filepath.Join(Dir(), family, "*.op"))
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no such specs: %v", pattern, err)
	}
	return names
}

// Files parses a family.
func Files(t testing.TB, family string) []*dsl.File {
	t.Helper()
	files, err := Import(family)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Import parses a family that a spec imports, wherever the spec is.
func Import(path string) ([]*dsl.File, error) {
	names, err := filepath.Glob(filepath.Join(Dir(), filepath.FromSlash(path), "*.op"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: %w", path, os.ErrNotExist)
	}
	var files []*dsl.File
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, diags := dsl.Parse(name, src)
		if err := diags.Err(); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Config checks packages that import from the specs.
func Config() *check.Config { return &check.Config{Import: Import} }

// Package checks a family, which must be free of errors.
func Package(t testing.TB, family string) *ir.Package {
	t.Helper()
	p, diags := Config().Package(Files(t, family))
	for _, d := range diags.All {
		t.Error(d.String())
	}
	return p
}

// Ops are the ops of all families, in order.
func Ops(t testing.TB) []*ir.OpDecl {
	t.Helper()
	var ops []*ir.OpDecl
	for _, family := range Families(t) {
		ops = append(ops, Package(t, family).Ops...)
	}
	return ops
}

// Some are the ops that stand for all where a test takes long: see Stands.
func Some(t testing.TB) []*ir.OpDecl {
	t.Helper()
	var ops []*ir.OpDecl
	for _, o := range Ops(t) {
		if Stands(o.Package + "." + o.Name) {
			ops = append(ops, o)
		}
	}
	return ops
}
