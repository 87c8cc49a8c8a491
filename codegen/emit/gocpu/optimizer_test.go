package gocpu_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
)

// generateFile makes the Go package of one .op file, in a folder of its name.
func generateFile(t *testing.T, file, name string) []emit.File {
	t.Helper()
	b := codegen.New(codegen.Source{Files: []codegen.SourceFile{{Name: file, Data: readFile(t, file)}}, ImportPath: "generated.test/" + name})
	if !b.Run("") {
		t.Fatalf("%s: %v", file, b.Diags.All)
	}
	var files []emit.File
	for _, f := range b.Out {
		files = append(files, emit.File{Name: name + "/" + f.Name, Data: f.Data})
	}
	return files
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOptimizers runs the tests in testdata/optim on the optimizers of the language's corpus, and on updates with totals of all
// tensors, or that reduce over each of them.
func TestOptimizers(t *testing.T) {
	files := append(generate(t, "../../../specs/optim", "optim"), generateFile(t, "testdata/optim/totals.op", "totals")...)
	files = append(files, generateFile(t, "testdata/optim/small.op", "small")...)
	files = append(files, emit.File{Name: "optim.json", Data: readFile(t, "../../../conformance/testdata/torch/optim.json")},
		emit.File{Name: "totals.op", Data: readFile(t, "testdata/optim/totals.op")})
	tests, err := filepath.Glob("testdata/optim/*_test.go.txt")
	if err != nil || len(tests) == 0 {
		t.Fatal("no tests", err)
	}
	for _, name := range append(tests, "testdata/helpers_test.go.txt") {
		files = append(files, emit.File{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), Data: readFile(t, name)})
	}
	kerneltest.GoTest(t, files)
}
