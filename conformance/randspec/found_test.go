package randspec_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// TestFound holds the specs of testdata/found, which random ones once showed to be compiled wrongly, to what random specs are held to, at
// the calls of their examples; and examples have the values that they say.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/found/*.op")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d specs, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".op"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkText(string(data)); err != nil {
				t.Fatal(err)
			}
			b, err := built(string(data), "share")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range b.Functions {
				for _, g := range []*ir.Func{f.Forward, f.Derived, f.Backward} {
					if err := checkPrinted(g); err != nil {
						t.Error(err)
					}
				}
			}
			for _, r := range b.Examples() {
				if r.Err != nil {
					t.Errorf("%s on %s: %v", r.Op, r.Backend, r.Err)
				}
			}
			for _, op := range b.Package.Ops {
				for i, e := range op.Examples {
					c := &randomCall{op: op, build: b, inputs: arrays{}, attrs: e.Attrs, n: new(tally)}
					for _, v := range e.Inputs {
						c.inputs[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
					}
					for k := range uint64(4) { // cotangents, and dtypes
						c.r = rand.New(rand.NewPCG(k, uint64(i)))
						var f *finding
						if err := c.check(true); errors.As(err, &f) {
							t.Errorf("%s, call %d, %s%s: %s", op.Name, i, c, f.kind, f.text)
							break
						}
					}
				}
			}
		})
	}
}
