package ir_test

import (
	"math"
	"strings"
	"testing"

	specs "github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// update checks a package of one update.
func update(t *testing.T, text string) *ir.OpDecl {
	t.Helper()
	f, diags := dsl.Parse("p.op", []byte("package p\n\n"+text+"\n"))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	p, diags := specs.Package([]*dsl.File{f})
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return p.Ops[0]
}

// TestPhases says for updates in which phase what is done: totals by their numbers, "check" and "store"; - where a variant does nothing.
func TestPhases(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`update f[T: float](inout p: T[N]; lr: float) { require lr > 0; p' = lr*p }`, ""},
		{`update f[T: float](inout p: T[N]) { p' = p/sum[*](p) }`, "sum, store"},
		{`update f[T: float](inout p: T[N]) { p' = p/norm[*](p) }`, "max, sum, store"},
		{`update f[T: float](inout p: T[N]) { let d = p - mean[*](p); p' = d/sum[*](d*d) }`, "mean mean2, sum, store"},
		{`update f[T: float](inout p: T[N]) { require sum(p) > 0; p' = 2*p }`, "check, store"},
		{`update f[T: float](inout p: T[N]) { require sum[*](p) > 0; p' = 2*p }`, "sum, check, store"},
		{`update f[T: float](inout p: T[N], state s: T[]) { s' = s + max(p); p' = p - s' }`, "check, store"}, // of nothing there is no maximum
		{`update f[T: float](inout p: T[N]; b: bool) { p' = if b then p*sum[*](p*p) else p*sum[*](p) }`, "sum, store; sum2, store"},
		{`update f[T: float](inout p: T[N]; b: bool) { p' = if b then p*sum[*](p) else 2*p }`, "-, store; sum, store"},
	} {
		d := update(t, c.text)
		var variants []string
		for _, v := range d.Variants {
			var phases []string
			for _, f := range v.Phases {
				var done []string
				switch {
				case f == nil:
					done = append(done, "-")
				case len(f.Requires) > 0:
					done = append(done, "check")
				case len(f.Outputs) > 0 && f.Outputs[0] == v.Forward.Outputs[0]:
					done = append(done, "store")
				default:
					for _, o := range f.Outputs {
						done = append(done, strings.TrimPrefix(o.Name, "part_of_"))
					}
				}
				if f != nil {
					if err := ir.Verify(f); err != nil {
						t.Errorf("%s: %v", c.text, err)
					}
				}
				phases = append(phases, strings.Join(done, " "))
			}
			for _, def := range v.Forward.Defs {
				if def.Across != "" {
					t.Errorf("%s: %v is over all tensors in a call with one", c.text, def)
				}
			}
			variants = append(variants, strings.Join(phases, ", "))
		}
		if got := strings.Trim(strings.Join(variants, "; "), "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestEvalCalls computes totals by hand.
func TestEvalCalls(t *testing.T) {
	vec := func(x ...float64) *ir.Array { return &ir.Array{Shape: []int{len(x)}, Data: x} }
	lists := func(all ...*ir.Array) (in []map[string]*ir.Array) {
		for _, a := range all {
			in = append(in, map[string]*ir.Array{"p": a})
		}
		return in
	}
	for _, c := range []struct {
		text string
		want [][]float64
	}{
		{`update f[T: float](inout p: T[N]) { p' = p/norm[*](p) }`, [][]float64{{3. / 13}, {}, {4. / 13, 12. / 13}}},
		{`update f[T: float](inout p: T[N]) { p' = p - mean[*](p) }`, [][]float64{{3 - 19./3}, {}, {4 - 19./3, 12 - 19./3}}},
		{`update f[T: float](inout p: T[N]) { p' = p*prod[*](p) }`, [][]float64{{3 * 144}, {}, {4 * 144, 12 * 144}}},
		{`update f[T: float](inout p: T[N]) { p' = max[*](p) - min[*](p) + 0*p }`, [][]float64{{9}, {}, {9, 9}}},
		{`update f[T: float](inout p: T[N]) { p' = p/exp(logsumexp[*](log(p))) }`, [][]float64{{3. / 19}, {}, {4. / 19, 12. / 19}}},
		{`update f[T: float](inout p: T[N]) { p' = p*sum[* where p > 3](1) }`, [][]float64{{6}, {}, {8, 24}}},
		{`update f[T: float](inout p: T[N]) { p' = if all[*](p > 3) then p else if any[*](p > 11) then -p else 0 }`, [][]float64{{-3}, {}, {-4, -12}}},
	} {
		d := update(t, c.text)
		out, err := ir.EvalCalls(d, lists(vec(3), vec(), vec(4, 12)), make([][]ir.ExampleAttr, 3), nil)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for i, want := range c.want {
			for k, w := range want {
				if got := out[i]["p'"].Data[k]; math.Abs(got-w) > 1e-13*math.Abs(w) {
					t.Errorf("%s: element %d of tensor %d is %v, want %v", c.text, k, i, got, w)
				}
			}
		}
	}
	if _, err := ir.EvalCalls(update(t, `update f[T: float](inout p: T[N]) { require sum[*](p) > 0 else "no"; p' = p }`), lists(vec(1), vec(-1)), make([][]ir.ExampleAttr, 2), nil); err == nil {
		t.Error("what is required of a total isn't tested")
	}
}
