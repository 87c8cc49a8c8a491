package pass

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

var update = flag.Bool("update", false, "rewrite the texts in testdata")

// body is the text of the definitions of a function.
func body(f *ir.Func) string {
	var b strings.Builder
	for _, d := range f.Defs {
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}

// The text of forward functions, of their derivatives as the reverse rule gives them, and after the passes.
func TestGolden(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			derived, err := grad.Reverse(c.Func)
			if err != nil {
				t.Fatal(err)
			}
			after, err := Run(derived, "")
			if err != nil {
				t.Fatal(err)
			}
			got := "-- forward --\n" + body(c.Func) + "-- derived --\n" + body(derived) + "-- after --\n" + body(after)
			name := filepath.Join("testdata", c.Name+".txtar")
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("run with -update if this is right (-want +got):\n%s", d)
			}
		})
	}
}

// What backward kernels of the spine read decides their speed.
func TestBackwardReadsLittle(t *testing.T) {
	for name, want := range map[string]string{"softmax": "@y y", "logsumexp": "@y x", "linear": "@y w x"} {
		for _, c := range irtest.Cases() {
			if c.Name != name {
				continue
			}
			b, err := grad.Reverse(c.Func)
			if err != nil {
				t.Fatal(err)
			}
			if b, err = Run(b, ""); err != nil {
				t.Fatal(err)
			}
			inputs := map[*ir.Tensor]bool{}
			for _, x := range b.Inputs {
				inputs[x] = true
			}
			var got []string
			for _, n := range strings.Fields("@y s t w x y") {
				for _, d := range b.Defs {
					for x := range d.Reads() {
						if inputs[x] && x.Name == n && (len(got) == 0 || got[len(got)-1] != n) {
							got = append(got, n)
						}
					}
				}
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("the gradient of %s reads %s, not %s", name, s, want)
			}
		}
	}
}
