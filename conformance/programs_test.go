package conformance

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// TestPrograms runs the functions of the ops that have makers as nests and on the evaluator, forward and backward, in float64 and in
// float32, for calls whose longest axis has each length up to 200. Float64 must agree but for roundings; float32 may be
// off by what the roundings of its operations can make.
func TestPrograms(t *testing.T) {
	exactly := evaluator("f64")
	met := map[string]bool{}
	for _, op := range slices.Sorted(maps.Keys(makers)) {
		t.Run(op, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for turn := range 201 * rounds() {
				n := turn % 201
				c := makers[op](r, r.IntN(1<<20), n)
				what := fmt.Sprintf("length %d, %s", n, c)
				g := c.cotangent(r)
				want, wantGrads := run(t, what, exactly, c, g)
				bound := singleBounds(c, g)
				for _, b := range []backend{nests("f64"), nests("f32")} {
					got, grads := run(t, what, b, c, g)
					l, err := c.lower(b.float)
					if err != nil {
						t.Fatal(err)
					}
					met[l.pair.Forward.Name] = true
					ok := func(name string) tolerance {
						if b.float == "f64" {
							return within(1e-11, 1e-11)
						}
						if bound == nil {
							return within(0, 8*u*(1+magnitude(c.inputs["p"], c.inputs["g"], c.inputs["buf"])))
						}
						return func(got, want float64, k int) bool {
							return got == want || math.Abs(got-want) <= bound[name][min(k, len(bound[name])-1)]
						}
					}
					for _, name := range slices.Sorted(maps.Keys(want)) {
						same(t, what+" "+b.name+" "+name, got[name], want[name], ok(name))
					}
					for _, name := range slices.Sorted(maps.Keys(wantGrads)) {
						same(t, what+" "+b.name+" @"+name, grads[name], wantGrads[name], ok("@"+name))
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
	for _, b := range builds(t) {
		for _, f := range b.Functions {
			for _, p := range f.Pairs {
				if makers[f.Op.Package+"."+f.Op.Name] != nil && p.Forward != nil && !met[p.Forward.Name] && !t.Failed() {
					t.Errorf("no call met %s", p.Forward.Name)
				}
			}
		}
	}
}

// run calls an op, and its derivative where there is one.
func run(t *testing.T, what string, b backend, c *call, g *ir.Array) (out, grads arrays) {
	t.Helper()
	out, err := b.forward(c)
	if err != nil {
		t.Fatalf("%s on %s: %v", what, b.name, err)
	}
	if g != nil {
		if grads, err = b.gradient(c, g); err != nil {
			t.Fatalf("gradient, %s on %s: %v", what, b.name, err)
		}
	}
	return out, grads
}

// cotangent is a random cotangent of the output; nil for an update.
func (c *call) cotangent(r *rand.Rand) *ir.Array {
	_, op, err := findOp(c.op)
	if err != nil || op.Update {
		return nil
	}
	y, err := ir.EvalOp(op, c.inputs, c.attrs, c.dtypes("f64"))
	if err != nil {
		return nil
	}
	return normal(r, y["y"].Shape...)
}

// String is the call with shapes for its inputs.
func (c *call) String() string {
	s := c.op + "("
	for i, name := range slices.Sorted(maps.Keys(c.inputs)) {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(name, c.inputs[name].Shape)
	}
	return s + fmt.Sprint("; ", c.attributes(), ")")
}
