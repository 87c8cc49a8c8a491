package amd64_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
)

// BenchmarkKernels prints the speed of the kernels of the corpus, and of copying as many bytes. BENCH_ARGS has the
// arguments of the program: shapes rows:n:k, then -- and names of kernels.
func BenchmarkKernels(b *testing.B) {
	args := []string{"1:4096:0", "256:1024:0", "--", "map_f32", "smooth_l1_f32", "smooth_l1_mean_f32", "smooth_l1_backward_f32",
		"momentum_f32", "softmax_f32", "softmax_reload_f32", "layer_norm_f32", "layer_norm_backward_f32"}
	if s := os.Getenv("BENCH_ARGS"); s != "" {
		args = strings.Fields(s)
	}
	nests := nesttest.Corpus()
	dir := b.TempDir()
	main, err := os.ReadFile("testdata/bench.go.txt")
	if err != nil {
		b.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		b.Fatal(err)
	}
	all := append(files(b, nests),
		emit.File{Name: "main.go", Data: main},
		emit.File{Name: "table.go", Data: benchTable(nests)},
		emit.File{Name: "go.mod", Data: fmt.Appendf(nil, "module bench\n\ngo 1.26\n\nrequire github.com/opgen/opgen v0.0.0\n\nreplace github.com/opgen/opgen => %s\n", root)})
	for _, f := range all {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.Command("go", append([]string{"run", "."}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}

func benchTable(nests []*nest.Nest) []byte {
	var b bytes.Buffer
	b.WriteString("package main\n\nvar kernels = []kernel{\n")
	for _, n := range nests {
		for _, p := range pathNames {
			fmt.Fprintf(&b, "\t{%q, %q, %s_%s, []operand{\n", n.Name, p, n.Name, p)
			for _, o := range n.Operands {
				moves := ""
				for d, c := range "gvs" {
					if o.Moves(nest.Depth(d)) {
						moves += string(c)
					}
				}
				fmt.Fprintf(&b, "\t\t{%d, %q, %t, %t},\n", o.DType.Size(), moves, o.Mode == nest.In, !o.DType.IsFloat())
			}
			b.WriteString("\t}},\n")
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}
