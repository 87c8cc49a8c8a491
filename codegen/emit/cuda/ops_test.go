package cuda_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/internal/specs"
)

// sizes are extents around those of warps and blocks.
var sizes = []int{0, 1, 2, 31, 32, 33, 64, 200}

// maxElements bounds the product of the extents of a call.
const maxElements = 8192

// op is one function of the specs with its programs for one choice of dtypes.
type op struct {
	name string
	f    *codegen.Function
	pair *codegen.Pair
}

// programs are the functions of the specs that stand for all, through the pipeline up to the kernels, and these kernels.
func programs(t *testing.T) (ops []op, kernels []*nest.Nest) {
	t.Helper()
	sources, err := codegen.Find([]string{"../../../specs/..."}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		s.Files = slices.DeleteFunc(s.Files, func(f codegen.SourceFile) bool { return !specs.Reads(f.Name) })
		b := codegen.New(s)
		if !b.Run("share") {
			t.Fatal(b.Diags.Err())
		}
		for _, file := range slices.Sorted(maps.Keys(b.Kernels)) {
			for _, n := range b.Kernels[file] {
				n.Name = b.Package.Name + "_" + n.Name // unique over all packages
				kernels = append(kernels, n)
			}
		}
		for _, f := range b.Functions {
			for _, p := range f.Pairs {
				if p.Forward == nil {
					continue // portable Go alone
				}
				ops = append(ops, op{fmt.Sprintf("%s.%s%v", b.Package.Name, f.Name, p.DTypes), f, p})
			}
		}
	}
	return ops, kernels
}

// device runs launches through a program that holds the kernels.
type device struct {
	runner *kerneltest.Runner
	number map[*nest.Nest]int
	path   string
}

func newDevice(t testing.TB, kernels []*nest.Nest, text []byte, flags ...string) *device {
	t.Helper()
	cmd := exec.Command(cuda.Program(t, text, kernels, flags...))
	// The fibers of the shim have stacks of their own, so the checks that follow the stack are off.
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=0")
	d := &device{runner: kerneltest.Start(t, kernels, cuda.Paths, cmd), number: map[*nest.Nest]int{}}
	for i, n := range kernels {
		d.number[n] = i
	}
	return d
}

func textOf(t *testing.T, kernels []*nest.Nest) []byte {
	t.Helper()
	text, err := cuda.File("// test", kernels)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (d *device) launch(l *nest.Launch, a *nest.Args) error {
	return d.runner.Do([]kerneltest.Job{{Path: d.path, Nest: d.number[l.Nest], Args: a}})
}

// TestOps runs each op of the specs, forward and backward, through the CUDA text on the CPU, and compares outputs and gradients
// with the evaluator in float64. The evaluator reads the op and its derivative as they were before any rewriting.
func TestOps(t *testing.T) {
	t.Parallel()
	ops, kernels := programs(t)
	d := newDevice(t, kernels, textOf(t, kernels))
	calls := 0
	for i, o := range ops {
		before := calls
		shapes := shapes(len(o.f.Variant.Forward.Axes))
		for k, s := range shapes {
			paths := cuda.Paths
			if !specs.Heavy() {
				paths = paths[(i+k)%len(paths):][:1]
			}
			for _, d.path = range paths {
				done, err := o.call(d, s)
				if err != nil {
					t.Errorf("%s %v, %s: %v", o.name, s, d.path, err)
				}
				if done {
					calls++
				}
			}
		}
		if calls == before && !o.excluded() {
			t.Errorf("%s takes none of the calls", o.name)
		}
	}
	t.Logf("%d functions, %d kernels, %d calls", len(ops), len(kernels), calls)
	if calls < 15*len(ops) {
		t.Errorf("only %d calls of %d functions were compared", calls, len(ops))
	}
}

// TestOpsSanitized runs each op, for one choice of dtypes, in memory that faults on any access outside of its tensors.
func TestOpsSanitized(t *testing.T) {
	t.Parallel()
	flag := "-fsanitize=address"
	if !sanitizes(t, flag) {
		cuda.Needed(t, "the C++ compiler has no address sanitizer: accesses out of bounds are not looked for")
	}
	all, _ := programs(t)
	var ops []op
	var kernels []*nest.Nest
	for i, o := range all {
		if i > 0 && all[i-1].f == o.f {
			continue
		}
		ops = append(ops, o)
		for _, n := range o.nests() {
			if !slices.Contains(kernels, n) {
				kernels = append(kernels, n)
			}
		}
	}
	d := newDevice(t, kernels, textOf(t, kernels), flag)
	for i, o := range ops {
		for _, n := range []int{0, 1, 33, 64} {
			s := slices.Repeat([]int{n}, len(o.f.Variant.Forward.Axes))
			for j := range s {
				if j > 1 {
					s[j] = min(n, 5)
				}
			}
			d.path = cuda.Paths[(i+n)%len(cuda.Paths)]
			if _, err := o.call(d, s); err != nil {
				t.Fatalf("%s %v, %s: %v", o.name, s, d.path, err)
			}
		}
	}
}

// TestOpsSanitizedFindsFaults checks that one element too many is seen.
func TestOpsSanitizedFindsFaults(t *testing.T) {
	t.Parallel()
	flag := "-fsanitize=address"
	if !sanitizes(t, flag) {
		cuda.Needed(t, "the C++ compiler has no address sanitizer")
	}
	ops, _ := programs(t)
	i := slices.IndexFunc(ops, func(o op) bool { return o.f.Op.Name == "relu" })
	kernels := ops[i].nests()
	text := bytes.Replace(textOf(t, kernels), []byte("n < a.N;"), []byte("n <= a.N;"), -1)
	inner := &cuda.Quiet{TB: t}
	d := newDevice(inner, kernels, text, flag)
	d.path = cuda.Paths[0]
	if _, err := ops[i].call(d, []int{33}); err == nil || !strings.Contains(err.Error(), "heap-buffer-overflow") {
		t.Errorf("a write behind the end: %v", err)
	}
	inner.Close()
}

// sanitizes tells whether programs of g++ with this flag run.
func sanitizes(t *testing.T, flag string) bool {
	t.Helper()
	dir := t.TempDir()
	source, bin := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("int main() { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []*exec.Cmd{exec.Command("g++", flag, "-o", bin, source), exec.Command(bin)} {
		if err := cmd.Run(); err != nil {
			return false
		}
	}
	return true
}

// shapes are extents for n axes: each size at each place, in several combinations.
func shapes(n int) [][]int {
	var r [][]int
	for _, shift := range []int{0, 3, 6} {
		for i := range sizes {
			s := make([]int, n)
			product := 1
			for j := range s {
				s[j] = sizes[(i+shift*j)%len(sizes)]
				if product*s[j] > maxElements {
					s[j] = maxElements / product
				}
				product *= max(s[j], 1)
			}
			if !slices.ContainsFunc(r, func(o []int) bool { return slices.Equal(o, s) }) {
				r = append(r, s)
			}
		}
	}
	if n == 1 {
		r = append(r, []int{maxElements})
	}
	return r
}

// unsimplified is the function that the evaluator reads.
func (o *op) unsimplified() *ir.Func { return o.f.Variant.Forward }

// nests are the kernels of the op.
func (o *op) nests() []*nest.Nest {
	launches := o.pair.Forward.Launches
	if o.pair.Backward != nil {
		launches = append(slices.Clone(launches), o.pair.Backward.Launches...)
	}
	var r []*nest.Nest
	for _, l := range launches {
		if !slices.Contains(r, l.Nest) {
			r = append(r, l.Nest)
		}
	}
	return r
}
