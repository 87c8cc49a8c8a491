package nest_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/internal/specs"
)

// variants are the functions of ops with their derivatives, through all passes. Those that can't be
// derived have none.
func variants(t *testing.T, ops []*ir.OpDecl) map[string]*pair {
	t.Helper()
	r := map[string]*pair{}
	for _, op := range ops {
		for _, v := range op.Variants {
			if v.Forward == nil {
				continue
			}
			name := op.Package + "_" + op.Name
			for _, c := range v.Choices {
				switch {
				case c.Attr != "":
					name += "_" + c.Word
				case c.Present != "" && c.Holds:
					name += "_" + c.Present
				case c.Cond != nil && c.Holds:
					name += "_if"
				}
			}
			p := &pair{f: simple(t, v.Forward)}
			if g, err := grad.Reverse(v.Forward); err == nil && !op.Update {
				p.g = simple(t, g)
			}
			r[name] = p
		}
	}
	return r
}

func simple(t *testing.T, f *ir.Func) *ir.Func {
	t.Helper()
	s, err := pass.Run(f, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSpecValues lowers the specs that stand for all and compares their programs with the evaluator.
func TestSpecValues(t *testing.T) {
	all := variants(t, specs.Some(t))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, float := range []string{"f32", "f64"} {
			t.Run(name+"/"+float, func(t *testing.T) {
				p := *all[name]
				if slices.ContainsFunc(p.f.Requires, func(r ir.Require) bool { return len(ir.Reads(r.Cond)) > 0 }) {
					t.Skip("elements are tested before the program runs")
				}
				p.dtypes = map[string]string{"T": float, "I": "i64"}
				opt := nest.Options{Name: name, DTypes: p.dtypes}
				var u *nest.Unsupported
				if _, err := nest.Lower(p.f, opt); errors.As(err, &u) {
					t.Skip(err)
				}
				if p.g != nil {
					if _, _, err := nest.LowerPair(p.f, p.g, opt); errors.As(err, &u) {
						p.g = nil // written from its definitions
					}
				}
				p.lower(t, name)
				each(len(p.f.Axes), func(sizes []int) { p.compare(t, p.f.Name, sizes) })
			})
		}
	}
}

// TestManySpecValues lowers what it can of all specs, and compares each program with the evaluator for some small shapes. What
// nests can't express must be said so, and nothing else may go wrong.
func TestManySpecValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	lowered, compared := 0, 0
	for _, family := range specs.Families(t) {
		all := variants(t, specs.Package(t, family).Ops)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			p := all[name]
			p.dtypes = map[string]string{"T": "f64", "I": "i64"}
			opt := nest.Options{Name: name, DTypes: p.dtypes}
			var err error
			if p.g == nil {
				p.fwd, err = nest.Lower(p.f, opt)
			} else {
				p.fwd, p.bwd, err = nest.LowerPair(p.f, p.g, opt)
			}
			var u *nest.Unsupported
			if err != nil && !errors.As(err, &u) {
				t.Errorf("%s: %v", name, err)
			}
			for seed := range uint64(2) {
				if p.fwd == nil {
					break
				}
				lowered++
				compared += p.compareSmall(t, name, seed)
			}
		}
	}
	t.Logf("%d programs lowered, %d compared", lowered, compared)
	if lowered < 200 || compared < lowered {
		t.Errorf("%d programs lowered and %d compared: too few", lowered, compared)
	}
}

// compareSmall compares the programs for a small shape and says how many it could: some calls are refused.
func (p *pair) compareSmall(t *testing.T, name string, seed uint64) (compared int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	sizes := make([]int, max(2, len(p.f.Axes)))
	for i := range sizes {
		sizes[i] = 1 + r.IntN(4)
	}
	in, _ := p.inputs(sizes)
	run := func(f *ir.Func, q *nest.Program) map[*ir.Tensor]*ir.Array {
		want, err := ir.Eval(f, in)
		if err != nil {
			return nil
		}
		got, err := q.Run(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		compared++
		for _, u := range f.Outputs {
			for i, w := range want[u].Data {
				g := got[u].Data[i]
				if math.IsNaN(w) != math.IsNaN(g) || g != w && math.Abs(g-w) > 1e-10*(1+math.Abs(w)) {
					t.Errorf("%s %v: %s[%d] = %v, want %v", f.Name, sizes, u.Name, i, g, w)
				}
			}
		}
		return got
	}
	got := run(p.f, p.fwd)
	if got == nil || p.bwd == nil {
		return compared
	}
	p.feed(in, got, r)
	run(p.g, p.bwd)
	return compared
}

// feed gives the backward function what the forward one computed, and cotangents.
func (p *pair) feed(in ir.Binding, got map[*ir.Tensor]*ir.Array, r *rand.Rand) {
	for _, u := range p.f.Outputs {
		in.Arrays[u] = got[u]
	}
	for _, c := range p.g.Inputs {
		if c.Role == ir.Cotangent {
			in.Arrays[c] = random(r, in.DTypes["T"], got[c.Of].Shape)
		}
	}
	for _, u := range p.fwd.Saved {
		in.Arrays[u] = got[u]
	}
}
