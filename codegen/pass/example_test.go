package pass

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/internal/specs"
)

// The examples of the specs hold as the evaluator binds and computes them.
func TestExamples(t *testing.T) {
	tried := 0
	for _, op := range specs.Ops(t) {
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
	if tried == 0 {
		t.Error("no examples")
	}
}
