package nest_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opgen/opgen/codegen/nest"
)

var update = flag.Bool("update", false, "write the golden files of lowered programs")

// TestLoweredPrograms compares how programs came about, and their text, with golden files.
func TestLoweredPrograms(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(handOps)) {
		t.Run(name, func(t *testing.T) {
			p := lowerPair(t, name, "f32", "i64")
			var text strings.Builder
			for i, q := range p.programs() {
				way := []string{"forward", "backward"}[i]
				fmt.Fprintf(&text, "-- %s.trace --\n%s\n-- %s --\n%s\n", way, strings.Join(q.Trace, "\n"), way, strings.TrimSpace(q.String()))
			}
			got := []byte(text.String())
			file := filepath.Join("testdata", "lower", name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s (-want +got; -update writes it):\n%s", file, cmp.Diff(string(want), string(got)))
			}
		})
	}
}

// vectorLoops counts the passes over a row: the vector loops of each nest.
func vectorLoops(p *nest.Program) string {
	var r []string
	for _, l := range p.Launches {
		n := 0
		l.Nest.Walk(func(s nest.Stmt, _ []*nest.For) {
			if f, ok := s.(*nest.For); ok && f.Depth == nest.Vector {
				n++
			}
		})
		r = append(r, fmt.Sprint(n))
	}
	return strings.Join(r, " ")
}

// TestPasses counts nests, and the passes over memory in each. Nests with no pass compute single numbers or rows.
func TestPasses(t *testing.T) {
	for name, want := range map[string][2]string{
		"relu":               {"1", "1"},
		"smooth_l1_mean":     {"1 0", "1"},       // one accumulating pass and the division; x and t in one map
		"mse_mean":           {"1 0", "1"},       //
		"softmax":            {"3", "2"},         // maximum, sum, quotient
		"layer_norm":         {"3", "2"},         // mean, variance, result; x, w and b in one nest
		"cross_entropy_mean": {"2 0", "1"},       // maximum, sum; x and weight in one nest
		"linear":             {"1", "1 1 1"},     // the bias is added where the sum is; x, w and b
		"momentum":           {"1", ""},          // p and buf
		"matmul":             {"1", "1 1"},       //
		"matmul_exp":         {"1 1", "1 1 1"},   // exp is computed once for each element
		"pick":               {"0", "1"},         // no pass: one element a row
		"linear_mse":         {"1 1 0", "1 1 1"}, // a contraction is a nest of its own
	} {
		p := lowerPair(t, name, "f32", "i64")
		got := [2]string{}
		for i, q := range p.programs() {
			got[i] = vectorLoops(q)
		}
		if got != want {
			t.Errorf("%s: passes %q, want %q", name, got, want)
		}
	}
}
