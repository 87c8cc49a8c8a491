package cuda

import (
	"os/exec"
	"testing"

	"github.com/opgen/opgen/codegen/emit/cuda/shimtest"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
)

var (
	paths  = shimtest.Paths
	needed = shimtest.Needed
)

// program builds a program that serves the kernels of a .cu text through the shim.
func program(t testing.TB, cu []byte, kernels []*nest.Nest, flags ...string) string {
	t.Helper()
	if _, err := shimtest.Compiler(); err != nil {
		needed(t, err.Error())
	}
	bin, err := shimtest.Program(t.TempDir(), cu, kernels, OneBlock, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func serve(t testing.TB, kernels []*nest.Nest) *kerneltest.Runner {
	t.Helper()
	cu, err := File("// test", kernels)
	if err != nil {
		t.Fatal(err)
	}
	return kerneltest.Start(t, kernels, paths, exec.Command(program(t, cu, kernels)))
}
