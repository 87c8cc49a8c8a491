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
	files, err := amd64.Files(&emit.Unit{Package: "main", Source: "kernels.op", Kernels: nests}, runtimePath)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func randomNests(seed int64, count int) []*nest.Nest {
	r := rand.New(rand.NewSource(seed))
	var nests []*nest.Nest
	for range count {
		nests = append(nests, nesttest.Random(r))
	}
	return nests
}

// compare runs cases of the nests on both paths, of all sizes that sizes gives, and compares them with the interpreter. Each
// case runs a second time with stores around the cache.
func compare(t *testing.T, nests []*nest.Nest, files []emit.File, sizes func(n *nest.Nest) []nesttest.Size) {
	paths := runnable(t)
	run := kerneltest.Build(t, nests, files, pathNames)
	r := rand.New(rand.NewSource(1))
	for i, n := range nests {
		var jobs []kerneltest.Job
		for _, size := range sizes(n) {
			c := nesttest.NewCase(r, n, size)
			for _, p := range paths {
				jobs = append(jobs, kerneltest.Job{Path: p, Nest: i, Args: c.Clone().Args})
				if len(n.Scalars) < runtime.MaxScalars {
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
		asm, stubs, err := amd64.TightFile(emit.Header("kernels.op"), "main", runtimePath, nests, count.vectors, count.general)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, nests, []emit.File{{Name: "k_amd64.s", Data: asm}, {Name: "k_amd64.go", Data: stubs}}, nesttest.Sizes)
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
	compare(t, nests, files(t, nests), func(n *nest.Nest) []nesttest.Size {
		return append(nesttest.Sizes(n), nesttest.Size{Rows: 2, N: 129, K: 3})
	})
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
