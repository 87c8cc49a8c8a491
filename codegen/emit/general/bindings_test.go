package general_test

import (
	"os"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
)

// TestBindings compares generated code with the evaluator where ops differ in how they are bound: lists, packs that are computed
// with, axes that are kept, seeds.
func TestBindings(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	data, err := os.ReadFile("testdata/bindings.op")
	if err != nil {
		t.Fatal(err)
	}
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/bindings", Files: []codegen.SourceFile{{Name: "bindings.op", Data: data}}}, codegen.Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	forms, err := os.ReadFile("testdata/forms_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, map[string]*codegen.Build{"bindings": b}, emit.File{Name: "forms_test.go", Data: forms})
}
