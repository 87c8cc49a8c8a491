package nest_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// bounded is v/(1+|v|), so that nothing grows.
func bounded(v *ir.Value) *ir.Value {
	return ir.Div(v, ir.Add(ir.Int(1), ir.Call(ir.OpAbs, v)))
}

// randomFunc is a function of definitions that read inputs and each other at random.
func randomFunc(t *rapid.T) *fn {
	f := newFn("random")
	b, d := f.axis("BB"), f.axis("D")
	shapes := [][]*ir.Axis{{b, d}, {b}, {d}, nil}
	have := []*ir.Tensor{f.input("x", b, d), f.input("z", b, d), f.input("v", b), f.input("w", d), f.input("c")}
	n := rapid.IntRange(1, 7).Draw(t, "definitions")
	for i := range n {
		kept := rapid.SampledFrom(shapes).Draw(t, "kept")
		var reduced []*ir.Axis
		monoid := ir.Assign
		if rapid.Bool().Draw(t, "reduces") {
			for _, a := range []*ir.Axis{b, d} {
				if !slices.Contains(kept, a) {
					reduced = append(reduced, a)
				}
			}
		}
		if len(reduced) == 2 && rapid.Bool().Draw(t, "one") {
			reduced = reduced[1:]
		}
		if len(reduced) > 0 {
			monoid = rapid.SampledFrom([]ir.Monoid{ir.Sum, ir.Max, ir.Min}).Draw(t, "monoid")
		}
		all := append(slices.Clone(kept), reduced...)
		var usable []*ir.Tensor
		for _, u := range have {
			if !slices.ContainsFunc(u.Axes, func(a *ir.Axis) bool { return !slices.Contains(all, a) }) {
				usable = append(usable, u)
			}
		}
		// The last ones are more likely, so that definitions build on each other.
		pick := func(what string) *ir.Tensor {
			k := rapid.IntRange(0, len(usable)-1).Draw(t, what)
			return usable[max(k, rapid.IntRange(0, len(usable)-1).Draw(t, what+" again"))]
		}
		p, q := pick("first"), pick("second")
		op := rapid.IntRange(0, 5).Draw(t, "op")
		role := ir.Local
		if i == n-1 || rapid.IntRange(0, 3).Draw(t, "output") == 0 {
			role = ir.Output
		}
		u := f.def(string(rune('A'+i)), role, monoid, kept, reduced, func(v ...*ir.Value) *ir.Value {
			read := func(u *ir.Tensor) *ir.Value {
				var at []*ir.Value
				for _, a := range u.Axes {
					at = append(at, v[slices.Index(all, a)])
				}
				return ir.Read(u, at...)
			}
			x, y := read(p), read(q)
			switch op {
			case 0:
				return bounded(ir.Add(x, y))
			case 1:
				return ir.Mul(bounded(x), bounded(y))
			case 2:
				return bounded(ir.Sub(ir.Call(ir.OpExp, bounded(x)), y))
			case 3:
				return ir.Select(ir.Call(ir.OpLt, x, y), x, y)
			case 4:
				return bounded(ir.Add(ir.Mul(ir.Int(3), x), ir.Neg(ir.Div(y, ir.Int(3)))))
			default:
				return bounded(x)
			}
		})
		have = append(have, u)
	}
	return f
}

// TestRandomPrograms lowers random functions and compares with the evaluator; outputs that may lie on inputs do.
func TestRandomPrograms(t *testing.T) {
	lowered, unsupported, shared := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := randomFunc(t)
		dtypes := map[string]string{"T": "f64", "I": "i64"}
		p, err := nest.Lower(f.Func, nest.Options{DTypes: dtypes})
		var u *nest.Unsupported
		if errors.As(err, &u) {
			unsupported++
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, f.Func)
		}
		lowered++
		q := &pair{f: f.Func, dtypes: dtypes}
		sizes := []int{rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "B"), rapid.SampledFrom([]int{0, 1, 2, 33}).Draw(t, "D")}
		in, ref := q.inputs(sizes)
		want, err := ir.Eval(f.Func, ref)
		if err != nil {
			t.Skip(err)
		}
		over := map[*ir.Tensor]*ir.Tensor{}
		for range 2 {
			got, err := p.RunOver(in, over)
			if err != nil {
				t.Fatalf("%v: %v\n%v\n%v", sizes, err, f.Func, p)
			}
			for _, u := range f.Outputs {
				for i, w := range want[u].Data {
					if g := got[u].Data[i]; math.Abs(g-w) > 1e-9 {
						t.Fatalf("%v: %s[%d] = %v, want %v (over %v)\n%v\n%v", sizes, u.Name, i, g, w, over[u], f.Func, p)
					}
				}
			}
			taken := map[*ir.Tensor]bool{}
			inputs := rapid.Permutation(f.Inputs).Draw(t, "inputs")
			for _, out := range f.Outputs {
				for _, x := range inputs {
					if over[out] == nil && !taken[x] && p.MayShare(out, x) {
						over[out], taken[x] = x, true
						shared++
					}
				}
			}
		}
	})
	t.Logf("%d lowered, %d not, %d outputs on inputs", lowered, unsupported, shared)
	if lowered < 20 || lowered < unsupported || shared < 5 {
		t.Errorf("%d programs and %d shared outputs prove nothing", lowered, shared)
	}
}
