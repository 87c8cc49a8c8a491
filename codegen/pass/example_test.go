package pass

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// The examples of the specs hold as the evaluator binds and computes them.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../specs/*/*.op")
	if err != nil || len(files) == 0 {
		t.Fatal("no specs", err)
	}
	folders := map[string][]*dsl.File{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, list := dsl.Parse(name, text)
		if len(list.All) > 0 {
			t.Fatal(list.All[0].Message)
		}
		folders[filepath.Dir(name)] = append(folders[filepath.Dir(name)], f)
	}
	tried := 0
	for dir, f := range folders {
		pkg, list := check.Package(f)
		for _, d := range list.All {
			t.Errorf("%s: %s", dir, d.Message)
		}
		for _, op := range pkg.Ops {
			for _, e := range op.Examples {
				tried++
				in := map[string]*ir.Array{}
				for _, v := range e.Inputs {
					in[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
				}
				got, err := ir.EvalOp(op, in, e.Attrs, nil)
				if err != nil {
					t.Errorf("%s: %v", op.Name, err)
					continue
				}
				for _, w := range e.Outputs {
					g := got[w.Name]
					if g == nil || len(g.Data) != len(w.Data) {
						t.Errorf("%s: %s is %v, want %v", op.Name, w.Name, g, w)
						continue
					}
					for i, x := range w.Data {
						if math.Abs(g.Data[i]-x) > 1e-9*(1+math.Abs(x)) {
							t.Errorf("%s: %s is %v, want %v", op.Name, w.Name, g.Data, w.Data)
							break
						}
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no examples")
	}
}
