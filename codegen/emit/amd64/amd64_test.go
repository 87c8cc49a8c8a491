package amd64_test

import (
	"bytes"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/amd64"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
	"github.com/opgen/opgen/runtime"
)

const runtimePath = "github.com/opgen/opgen/runtime"

var pathNames = []string{amd64.AVX2.String(), amd64.AVX512.String()}

// files emits the kernels of nests into a package main.
func files(t testing.TB, nests []*nest.Nest) []emit.File {
	t.Helper()
	return named(t)(amd64.File(emit.Header("kernels.op"), "main", runtimePath, nests))
}

func named(t testing.TB) func(asm, stubs []byte, err error) []emit.File {
	return func(asm, stubs []byte, err error) []emit.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return []emit.File{{Name: "kernels_gen_amd64.s", Data: asm}, {Name: "kernels_gen_amd64.go", Data: stubs}}
	}
}

func randomNests(seed int64, count int) []*nest.Nest {
	r := rand.New(rand.NewSource(seed))
	var nests []*nest.Nest
	for range count {
		nests = append(nests, nesttest.Random(r))
	}
	return nests
}

// compare runs cases of the nests on both paths, of all sizes that sizes gives, and compares them with the interpreter. On one
// of the paths, in turn, each case runs a second time with stores around the cache.
func compare(t *testing.T, nests []*nest.Nest, files []emit.File, sizes func(n *nest.Nest) []nesttest.Size) {
	paths := runnable(t)
	run := kerneltest.Build(t, nests, files, pathNames)
	r := rand.New(rand.NewSource(1))
	for i, n := range nests {
		var jobs []kerneltest.Job
		for turn, size := range sizes(n) {
			c := nesttest.NewCase(r, n, size)
			for which, p := range paths {
				jobs = append(jobs, kerneltest.Job{Path: p, Nest: i, Args: c.Clone().Args})
				if (turn+which)%2 == 0 && len(n.Scalars) < runtime.MaxScalars {
					a := c.Clone().Args
					a.I = append(slices.Clone(a.I), make([]int, runtime.MaxScalars-len(a.I))...)
					a.I[runtime.MaxScalars-1] = runtime.Stream
					jobs = append(jobs, kerneltest.Job{Path: p, Nest: i, Args: a})
				}
			}
		}
		run.Check(t, jobs)
		if t.Failed() {
			t.Fatalf("nest:\n%s", n)
		}
	}
}

func TestCorpus(t *testing.T) {
	nests := nesttest.Corpus()
	compare(t, nests, files(t, nests), nesttest.Sizes)
}

// TestFewRegisters runs kernels that keep most of their values in memory.
func TestFewRegisters(t *testing.T) {
	nests := append(nesttest.Corpus(), randomNests(5, 30)...)
	for _, count := range []struct{ vectors, general int }{{4, 4}, {7, 6}} {
		tight := named(t)(amd64.TightFile(emit.Header("kernels.op"), "main", runtimePath, nests, count.vectors, count.general))
		compare(t, nests, tight, some(4))
	}
}

// some takes a number of the sizes of a nest at random.
func some(count int) func(n *nest.Nest) []nesttest.Size {
	r := rand.New(rand.NewSource(1))
	return func(n *nest.Nest) []nesttest.Size {
		all := append(nesttest.Sizes(n), nesttest.Size{Rows: 9, N: 129, K: 3})
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:min(count, len(all))]
	}
}

// TestLengths runs rows of all lengths around the blocks.
func TestLengths(t *testing.T) {
	rows := []int{1, 2, 9, 0, 4, 6, 16}
	nests := nesttest.Corpus()
	compare(t, nests, files(t, nests), func(n *nest.Nest) []nesttest.Size {
		var sizes []nesttest.Size
		for count := range 201 {
			sizes = append(sizes, nesttest.Size{Rows: rows[count%len(rows)], N: count, K: count % 5})
		}
		return sizes
	})
}

func TestRandom(t *testing.T) {
	nests := randomNests(1, 300)
	compare(t, nests, files(t, nests), some(8))
}

func TestVet(t *testing.T) {
	nests := append(nesttest.Corpus(), randomNests(2, 20)...)
	kerneltest.Vet(t, nests, files(t, nests), pathNames)
}

func TestDeterministic(t *testing.T) {
	nests := append(nesttest.Corpus(), randomNests(3, 20)...)
	first, second := files(t, nests), files(t, nests)
	for i := range first {
		if !bytes.Equal(first[i].Data, second[i].Data) {
			t.Errorf("%s differs from one run to the next", first[i].Name)
		}
	}
}

// TestAVX2 looks for what an AVX2 machine doesn't have in the kernels for it.
func TestAVX2(t *testing.T) {
	foreign := regexp.MustCompile(`\b(Z\d+|[XY](1[6-9]|2\d|3[01])|K[0-7])\b|\.(BCST|Z)\b|\tVP(XOR|AND|OR)[DQ]\b|\t(VBLENDM|VRNDSCALE|VFIXUP|K)`)
	for _, n := range append(nesttest.Corpus(), randomNests(4, 100)...) {
		k, err := amd64.Emit(n, amd64.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range k.Lines {
			if foreign.MatchString(line) {
				t.Errorf("%s: %s", k.Name, strings.TrimSpace(line))
			}
		}
	}
}

// TestEnd checks that every kernel clears the upper halves of the vector registers before it returns.
func TestEnd(t *testing.T) {
	for _, n := range nesttest.Corpus() {
		for _, p := range amd64.Paths() {
			k, err := amd64.Emit(n, p)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(k.Lines, "\n")
			if strings.Count(text, "RET") != 1 || !strings.HasSuffix(text, "\tVZEROUPPER\n\tRET") {
				t.Errorf("%s doesn't end in VZEROUPPER, RET", k.Name)
			}
		}
	}
}

// TestStream looks for stores around the cache where they are right, and for their fence.
func TestStream(t *testing.T) {
	want := map[string]bool{"map_f32": true, "smooth_l1_backward_f64": true, "inplace_f32": true, "layer_norm_f32": true,
		"momentum_f32": false, "softmax_reload_f32": true, "linear_f32": false, "grid_wide_f32": false, "smooth_l1_mean_f32": false}
	for _, n := range nesttest.Corpus() {
		streams, listed := want[n.Name]
		if !listed {
			continue
		}
		for _, p := range amd64.Paths() {
			k, err := amd64.Emit(n, p)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(k.Lines, "\n")
			if strings.Contains(text, "\tVMOVNTP") != streams || strings.Contains(text, "\tSFENCE") != streams {
				t.Errorf("%s has stores around the cache and a fence: %t, want %t", k.Name, !streams, streams)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	b := nest.NewBuilder("few_lanes", nest.F32)
	x := b.Operand(nest.Operand{Name: "x", Vector: true})
	y := b.Operand(nest.Operand{Name: "y", Mode: nest.Out})
	sum := b.Slot(nest.Slot{Over: nest.Vector})
	b.SetLanes(8)
	b.For(nest.Vector, func() { b.Reduce(sum, b.Load(x)) })
	b.Store(y, b.Result(sum))
	few, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nest *nest.Nest
		want string
	}{
		{few, "nest few_lanes: avx2: the virtual lanes"},
		{&nest.Nest{Name: "no lanes"}, "the name is no identifier"},
	} {
		if _, err := amd64.Emit(c.nest, amd64.AVX2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("nest %s: error %v, want %q", c.nest.Name, err, c.want)
		}
	}
}
