package nesttest

import (
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/nest"
)

func TestCorpusCoversInstructions(t *testing.T) {
	seen := map[nest.Op]bool{}
	for _, n := range Corpus() {
		n.Walk(func(s nest.Stmt, _ []*nest.For) {
			if v, ok := s.(*nest.Value); ok {
				seen[v.Op] = true
			}
		})
	}
	for _, op := range nest.Ops() {
		if !seen[op] {
			t.Errorf("no nest of the corpus has %s", op)
		}
	}
}

// check runs a nest twice on data of a few sizes; every access must be within its operand, and the runs equal.
func check(t *testing.T, r *rand.Rand, n *nest.Nest, sizes []Size) {
	t.Helper()
	for _, size := range sizes {
		c := NewCase(r, n, size)
		want, err := c.Want()
		if err != nil {
			t.Fatalf("%v\n%s", err, n)
		}
		again, err := c.Want()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Diff(want); err != nil {
			t.Fatalf("two runs differ: %v", err)
		}
		checkGaps(t, c, want)
	}
}

// checkGaps checks that a run left alone what no operand covers, and all inputs that share their memory with no output.
func checkGaps(t *testing.T, before, after *Case) {
	t.Helper()
	for i, m := range before.Memory {
		written := map[int]bool{}
		for o, of := range before.Of {
			if of != i || before.Nest.Operands[o].Mode == nest.In {
				continue
			}
			b := before.Args.Operands[o]
			for row := range max(before.Size.Rows, 1) {
				for k := range max(before.Size.K, 1) {
					for n := range max(before.Size.N, 1) {
						written[b.Base+row*b.Row+k*b.KStep+n*b.Step] = true
					}
				}
			}
		}
		for at := range max(len(m.F32), len(m.F64)) {
			if written[at] {
				continue
			}
			if len(m.F32) > 0 && math.Float32bits(m.F32[at]) != math.Float32bits(after.Memory[i].F32[at]) ||
				len(m.F64) > 0 && math.Float64bits(m.F64[at]) != math.Float64bits(after.Memory[i].F64[at]) {
				t.Fatalf("nest %s wrote outside of its outputs: %s", before.Nest.Name, before.place(i, at))
			}
		}
	}
}

// TestDiff checks that a difference of one bit is found, that of two NaN is none, and that a copy is a copy.
func TestDiff(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	c := NewCase(r, Corpus()[0], Size{Rows: 2, N: 5, K: 1})
	d := c.Clone()
	if err := d.Diff(c); err != nil {
		t.Fatal(err)
	}
	b := &d.Args.Operands[0]
	b.F32[b.Base] = math.Float32frombits(math.Float32bits(b.F32[b.Base]) ^ 1)
	if err := d.Diff(c); err == nil || !strings.Contains(err.Error(), "operand 0 (in x") {
		t.Errorf("got %v", err)
	}
	b.F32[b.Base] = c.Args.Operands[0].F32[b.Base]
	b.F32[0] = math.Float32frombits(0xffc00123)
	if err := d.Diff(c); err != nil {
		t.Errorf("NaN for NaN: %v", err)
	}
}

func TestCorpus(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range Corpus() {
		check(t, r, n, Sizes(n))
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	seen := map[nest.Op]bool{}
	for range 300 {
		n := Random(r)
		n.Walk(func(s nest.Stmt, _ []*nest.For) {
			if v, ok := s.(*nest.Value); ok {
				seen[v.Op] = true
			}
		})
		sizes := Sizes(n)
		check(t, r, n, []Size{sizes[r.Intn(len(sizes))], {2, 67, 5}})
	}
	for _, op := range nest.Ops() {
		if !seen[op] && op != nest.MaskConst {
			t.Errorf("no random nest had %s", op)
		}
	}
}
