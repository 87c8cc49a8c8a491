package cuda

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
)

// kernels are the nests that every emitter is tested with.
func kernels() []*nest.Nest {
	all := nesttest.Corpus()
	r := rand.New(rand.NewSource(7))
	for i := range 40 {
		n := nesttest.Random(r)
		n.Name = fmt.Sprintf("random_%d", i)
		all = append(all, n)
	}
	return all
}

// TestShim runs the CUDA text on the CPU in several orders of threads and launch shapes, and compares it with the interpreter: bit for bit where no
// reduction goes over threads, else within a bound, since the order of the terms is another.
func TestShim(t *testing.T) {
	all := kernels()
	runner := serve(t, all)
	r := rand.New(rand.NewSource(1))
	for i, n := range all {
		sizes := nesttest.Sizes(n)
		r.Shuffle(len(sizes), func(a, b int) { sizes[a], sizes[b] = sizes[b], sizes[a] })
		for k, size := range sizes[:min(len(sizes), 12)] {
			c := nesttest.NewCase(r, n, size)
			want := kerneltest.Clone(c.Args)
			if err := n.Run(want); err != nil {
				t.Fatal(err)
			}
			job := kerneltest.Job{Path: paths[k%len(paths)], Nest: i, Args: c.Args}
			if err := runner.Do([]kerneltest.Job{job}); err != nil {
				t.Fatal(err)
			}
			var err error
			if overThreads(n) {
				err = near(n, c.Args, want)
			} else {
				err = kerneltest.Equal(c.Args, want)
			}
			if err != nil {
				t.Errorf("%s, %s, %+v: %v", n.Name, job.Path, size, err)
			}
		}
	}
}

func overThreads(n *nest.Nest) bool {
	for _, s := range n.Slots {
		if s.Over != nest.Serial {
			return true
		}
	}
	return false
}

// near compares all memory: equal, or within a small multiple of the rounding error of the largest number in the buffer.
func near(n *nest.Nest, got, want *nest.Args) error {
	products := slices.ContainsFunc(n.Slots, func(s nest.Slot) bool { return s.Monoid == nest.ProdOf })
	for i := range want.Operands {
		g, w := &got.Operands[i], &want.Operands[i]
		eps := 0x1p-23
		x, y := make([]float64, len(w.F32)), make([]float64, len(w.F32))
		for j := range w.F32 {
			x[j], y[j] = float64(g.F32[j]), float64(w.F32[j])
		}
		if w.F64 != nil {
			x, y, eps = g.F64, w.F64, 0x1p-52
		}
		largest := 1.0
		for _, v := range y {
			if a := math.Abs(v); a > largest && !math.IsInf(a, 0) {
				largest = a
			}
		}
		for j := range y {
			same := x[j] == y[j] || math.IsNaN(x[j]) && math.IsNaN(y[j])
			if products && (unusual(x[j]) || unusual(y[j])) {
				continue // in another order a product may overflow on its way, or meet a zero first
			}
			if !same && !(math.Abs(x[j]-y[j]) <= 64*eps*largest) {
				return fmt.Errorf("operand %s, %d from its base: %v, want %v", n.Operands[i].Name, j-w.Base, x[j], y[j])
			}
		}
	}
	return nil
}

func unusual(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// TestPTX compiles the kernels to PTX without an SDK, twice: it succeeds, is the same, and rounds each operation by itself.
func TestPTX(t *testing.T) {
	clang, err := Clang()
	if err != nil {
		needed(t, err.Error())
	}
	all := kernels()
	cu, err := File("// test", all)
	if err != nil {
		t.Fatal(err)
	}
	ptx, err := PTX(clang, cu)
	if err != nil {
		t.Fatal(err)
	}
	again, err := PTX(clang, cu)
	if err != nil {
		t.Fatal(err)
	}
	if string(ptx) != string(again) {
		t.Error("PTX differs from run to run")
	}
	for _, n := range all {
		if !strings.Contains(string(ptx), ".visible .entry "+n.Name+"(") {
			t.Errorf("no entry point %s", n.Name)
		}
	}
	if bad := unrounded(ptx); bad != "" {
		t.Errorf("PTX contains %q", bad)
	}
}

// unrounded finds an instruction that is not one IEEE operation with a rounding of its own.
func unrounded(ptx []byte) string {
	for _, bad := range []string{"approx", "mad.f", " mul.f32", " mul.f64", " add.f32", " add.f64", ".ftz", ".full"} {
		if strings.Contains(string(ptx), bad) {
			return bad
		}
	}
	return ""
}

// TestShimFindsFaults plants faults into the text and expects the shim, or the comparison, to see each.
func TestShimFindsFaults(t *testing.T) {
	var softmax *nest.Nest
	for _, n := range nesttest.Corpus() {
		if overThreads(n) && hasLoop(n.Body, nest.Grid) && n.Float == nest.F32 && strings.Contains(n.Name, "softmax") {
			softmax = n
			break
		}
	}
	if softmax == nil {
		t.Fatal("the corpus has no softmax")
	}
	cu, err := File("// test", []*nest.Nest{softmax})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct{ name, old, new, says string }{
		{"no barrier after the warps", "if (lane == 0) part[warp] = v;\n    __syncthreads();", "if (lane == 0) part[warp] = v;", ""},
		{"a barrier that one warp alone reaches", "if (lane == 0) part[32] = v;\n    }\n    __syncthreads();", "if (lane == 0) part[32] = v;\n    __syncthreads();\n    }", ""},
		{"threads that leave before a shuffle", "const unsigned lane = threadIdx.x & 31u,", "if (threadIdx.x == 40) return v;\n    const unsigned lane = threadIdx.x & 31u,", ""},
		{"no shuffle over the block", "if (lane == 0) part[32] = v;", "if (threadIdx.x == 1) part[32] = v;", ""},
	} {
		text := strings.Replace(string(cu), f.old, f.new, 1)
		if text == string(cu) {
			t.Errorf("%s: the text to change isn't there", f.name)
			continue
		}
		if err := faulty(t, text, softmax); err == nil {
			t.Errorf("%s: not found", f.name)
		} else if !strings.Contains(err.Error(), f.says) {
			t.Errorf("%s: found as: %v", f.name, err)
		}
	}
}

// faulty runs a text that is expected to fail and gives the first failure.
func faulty(t *testing.T, cu string, n *nest.Nest) error {
	bin := program(t, []byte(cu), []*nest.Nest{n})
	r := rand.New(rand.NewSource(3))
	for _, path := range paths[3:6] {
		c := nesttest.NewCase(r, n, nesttest.Size{Rows: 3, N: 130, K: 1})
		want := kerneltest.Clone(c.Args)
		if err := n.Run(want); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin)
		inner := &quiet{TB: t}
		runner := kerneltest.Start(inner, []*nest.Nest{n}, paths, cmd)
		err := runner.Do([]kerneltest.Job{{Path: path, Nest: 0, Args: c.Args}})
		inner.Close()
		if err == nil {
			err = near(n, c.Args, want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// quiet is a test that may fail.
type quiet struct {
	testing.TB
	cleanup []func()
}

func (q *quiet) Cleanup(f func())          { q.cleanup = append(q.cleanup, f) }
func (q *quiet) Errorf(string, ...any)     {}
func (q *quiet) Failed() bool              { return false }
func (q *quiet) Fatalf(f string, a ...any) { q.TB.Fatalf(f, a...) }

// Close ends what the test would end.
func (q *quiet) Close() {
	for _, f := range q.cleanup {
		f()
	}
}

// TestDeterministic checks that the text of a nest does not depend on anything but the nest.
func TestDeterministic(t *testing.T) {
	a, err := File("// test", kernels())
	if err != nil {
		t.Fatal(err)
	}
	b, err := File("// test", kernels())
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("the text differs from run to run")
	}
	if dir := os.Getenv("OPGEN_KEEP"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "kernels.cu"), a, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
