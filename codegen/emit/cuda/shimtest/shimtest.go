// Package shimtest runs CUDA text on the CPU, for tests: a C++ compiler compiles it through shim/cuda.h.
package shimtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/codegen/nest"
)

// Paths are the ways in which the shim runs a kernel: the order of the threads of a block, and how many blocks of how many
// threads there are.
var Paths = []string{
	"forward, 1x128", "reverse, 1x128", "shuffled, 1x128",
	"forward, 2x64", "reverse, 2x64", "shuffled, 2x64",
	"forward, 5x32", "reverse, 5x32", "shuffled, 5x32",
}

// Compiler finds a C++ compiler.
func Compiler() (string, error) {
	for _, n := range []string{"g++", "clang++", "c++"} {
		if p, err := exec.LookPath(n); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no C++ compiler found (g++ or clang++): the CUDA text is not run on the CPU")
}

// Needed skips a test for want of a tool, or fails it where all tools are required.
func Needed(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("OPGEN_REQUIRE_TOOLS") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Program builds, in a folder, a program that serves the kernels of a .cu text in the protocol of kerneltest, and gives its name.
// oneBlock tells which of them have to be launched as one block.
func Program(dir string, cu []byte, kernels []*nest.Nest, oneBlock func(*nest.Nest) bool, flags ...string) (string, error) {
	cxx, err := Compiler()
	if err != nil {
		return "", err
	}
	_, here, _, ok := goruntime.Caller(0)
	if !ok {
		return "", fmt.Errorf("the folder of the shim isn't known")
	}
	shim := filepath.Join(filepath.Dir(here), "..", "shim")
	var b bytes.Buffer
	fmt.Fprintf(&b, "#include %q\n", filepath.Join(shim, "cuda.h"))
	b.Write(cu)
	b.WriteString("struct Accumulator { unsigned operand; bool wide; char monoid; size_t size; };\n")
	b.WriteString("struct Kernel { void (*run)(const OpgenArgs); bool one_block; std::vector<Accumulator> accumulators; };\n")
	b.WriteString("static const Kernel opgen_kernels[] = {\n")
	for _, n := range kernels {
		fmt.Fprintf(&b, "    {%s, %v, {", n.Name, oneBlock(n))
		for _, s := range n.Slots {
			if s.Over == nest.Grid {
				size := 4
				if n.Operands[s.Acc].DType == nest.F64 {
					size = 8
				}
				fmt.Fprintf(&b, "{%d, %v, '%c', %d}, ", s.Acc, s.Wide, monoidLetter[s.Monoid], size)
			}
		}
		b.WriteString("}},\n")
	}
	fmt.Fprintf(&b, "};\n#include %q\n", filepath.Join(shim, "runner.cpp"))
	source, bin := filepath.Join(dir, "kernels.cpp"), filepath.Join(dir, "kernels")
	if err := os.WriteFile(source, b.Bytes(), 0o600); err != nil {
		return "", err
	}
	args := append([]string{"-std=c++17", "-O1", "-march=native", "-ffp-contract=off", "-o", bin, source}, flags...)
	out, err := exec.Command(cxx, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%.6000s", err, out)
	}
	return bin, nil
}

var monoidLetter = map[nest.Monoid]byte{nest.SumOf: 's', nest.MaxOf: 'm', nest.MinOf: 'n', nest.ProdOf: 'p'}
