package conformance

import (
	"math/rand"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/amd64"
	"github.com/opgen/opgen/codegen/emit/gocpu"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
	standing "github.com/opgen/opgen/internal/specs"
	"github.com/opgen/opgen/runtime"
)

const runtimePath = "github.com/opgen/opgen/runtime"

// specNests are the kernels of the specs that stand for all, by file. Names are unique in all of them.
func specNests(t testing.TB) []*nest.Nest {
	t.Helper()
	var nests []*nest.Nest
	for _, b := range builds(t) {
		for _, f := range b.Functions {
			if !standing.Stands(f.Op.Package + "." + f.Op.Name) {
				continue
			}
			for _, p := range f.Pairs {
				for _, prog := range []*nest.Program{p.Forward, p.Backward} {
					if prog == nil {
						continue
					}
					for _, l := range prog.Launches {
						if !slices.Contains(nests, l.Nest) {
							nests = append(nests, l.Nest)
						}
					}
				}
			}
		}
	}
	return nests
}

// kernelFiles are the kernels on all paths that this machine runs, as a package main, and the names of the paths.
func kernelFiles(t testing.TB, nests []*nest.Nest) ([]emit.File, []string) {
	t.Helper()
	portable, err := gocpu.Kernels("main", "kernels.op", nests)
	if err != nil {
		t.Fatal(err)
	}
	files, paths := []emit.File{portable}, []string{"go"}
	if goruntime.GOARCH != "amd64" {
		return files, paths
	}
	asm, stubs, err := amd64.File(emit.Header("kernels.op"), "main", runtimePath, nests)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, emit.File{Name: "kernels_gen_amd64.s", Data: asm}, emit.File{Name: "kernels_gen_amd64.go", Data: stubs})
	for p, name := range map[runtime.CPUPath]string{runtime.AVX2: amd64.AVX2.String(), runtime.AVX512: amd64.AVX512.String()} {
		if p <= runtime.BestPath() {
			paths = append(paths, name)
		}
	}
	return files, paths
}

// TestKernels holds the kernels of the specs that stand for all, on each path, to the interpreter of nests, bit for bit, at every length up
// to 200. Operands lie at odd places with gaps, some are broadcast, outputs lie on inputs where the kernel allows
// it, memory around operands is NaN and must stay so, and its end is next to a page that can't be touched. Now and then stores
// go around the cache.
func TestKernels(t *testing.T) {
	nests := specNests(t)
	files, paths := kernelFiles(t, nests)
	runner := kerneltest.Build(t, nests, files, paths)
	r := rand.New(rand.NewSource(1))
	for i, n := range nests {
		var (
			jobs []kerneltest.Job
			got  []*nesttest.Case
			want []*nesttest.Case
		)
		for turn := range 201 * rounds() {
			c := nesttest.NewCase(r, n, kernelSize(n, r, turn%201))
			w, err := c.Want()
			if err != nil {
				t.Fatal(err)
			}
			for k, p := range paths {
				d := c.Clone()
				if (turn+k)%3 == 0 && len(n.Scalars) < runtime.MaxScalars && p != "go" {
					d.Args.I = append(slices.Clone(d.Args.I), make([]int, runtime.MaxScalars-len(d.Args.I))...)
					d.Args.I[runtime.FlagsAt] = runtime.Stream
				}
				jobs = append(jobs, kerneltest.Job{Path: p, Nest: i, Args: d.Args})
				got, want = append(got, d), append(want, w)
			}
		}
		if err := runner.Do(jobs); err != nil {
			t.Fatal(err)
		}
		for k := range jobs {
			if err := got[k].Diff(want[k]); err != nil {
				t.Errorf("%s: %v", jobs[k].Path, err)
				break
			}
		}
	}
}

// kernelSize are extents of which the innermost has length n: the vector axis, else the serial one, else the rows.
func kernelSize(n *nest.Nest, r *rand.Rand, length int) nesttest.Size {
	has := map[nest.Depth]bool{}
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		if l, ok := s.(*nest.For); ok {
			has[l.Depth] = true
		}
	})
	size := nesttest.Size{Rows: 1 + r.Intn(3), N: 1 + r.Intn(70), K: 1 + r.Intn(5)}
	switch {
	case has[nest.Vector] && (!has[nest.Serial] || r.Intn(4) > 0):
		size.N = length
	case has[nest.Serial]:
		size.K = length
	default:
		size.Rows = length
	}
	return size
}
