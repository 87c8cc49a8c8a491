package cuda

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
)

// paths are the ways in which the shim runs a kernel: the order of the threads of a block, and how many blocks of how many
// threads there are.
var paths = []string{
	"forward, 1x128", "reverse, 1x128", "shuffled, 1x128",
	"forward, 2x64", "reverse, 2x64", "shuffled, 2x64",
	"forward, 5x32", "reverse, 5x32", "shuffled, 5x32",
}

// compiler finds a C++ compiler, or skips the test and says why.
func compiler(t testing.TB) string {
	t.Helper()
	for _, n := range []string{"g++", "clang++", "c++"} {
		if p, err := exec.LookPath(n); err == nil {
			return p
		}
	}
	needed(t, "no C++ compiler found (g++ or clang++): the CUDA text is not run on the CPU")
	return ""
}

// needed skips a test for want of a tool, or fails it where all tools are required.
func needed(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("OPGEN_REQUIRE_TOOLS") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// program builds a program that serves the kernels of a .cu text through the shim.
func program(t testing.TB, cu []byte, kernels []*nest.Nest, flags ...string) string {
	t.Helper()
	cxx := compiler(t)
	dir := t.TempDir()
	here, err := filepath.Abs("shim")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "#include %q\n", filepath.Join(here, "cuda.h"))
	b.Write(cu)
	b.WriteString("struct Accumulator { unsigned operand; bool wide; char monoid; size_t size; };\n")
	b.WriteString("struct Kernel { void (*run)(const OpgenArgs); bool one_block; std::vector<Accumulator> accumulators; };\n")
	b.WriteString("static const Kernel opgen_kernels[] = {\n")
	for _, n := range kernels {
		fmt.Fprintf(&b, "    {%s, %v, {", n.Name, OneBlock(n))
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
	fmt.Fprintf(&b, "};\n#include %q\n", filepath.Join(here, "runner.cpp"))
	source, bin := filepath.Join(dir, "kernels.cpp"), filepath.Join(dir, "kernels")
	if err := os.WriteFile(source, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-std=c++17", "-O1", "-march=native", "-ffp-contract=off", "-o", bin, source}, flags...)
	out, err := exec.Command(cxx, args...).CombinedOutput()
	if err != nil {
		if len(out) > 6000 {
			out = out[:6000]
		}
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

var monoidLetter = map[nest.Monoid]byte{nest.SumOf: 's', nest.MaxOf: 'm', nest.MinOf: 'n', nest.ProdOf: 'p'}

func serve(t testing.TB, kernels []*nest.Nest) *kerneltest.Runner {
	t.Helper()
	cu, err := File("// test", kernels)
	if err != nil {
		t.Fatal(err)
	}
	return kerneltest.Start(t, kernels, paths, exec.Command(program(t, cu, kernels)))
}
