package nest_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
)

// TestNeutral runs each nest with a scalar at 1, and the nest without that scalar: the bits are the same.
func TestNeutral(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	nests := nesttest.Corpus()
	for range 200 {
		nests = append(nests, nesttest.Random(r))
	}
	found := 0
	for _, n := range nests {
		for i := range n.Scalars {
			special, ok := n.Neutral(i)
			if !ok {
				continue
			}
			found++
			for _, size := range nesttest.Sizes(n)[:2] {
				c := nesttest.NewCase(r, n, size)
				c.Args.F[i] = 1
				got := c.Clone()
				got.Nest = special
				got.Args.F, got.Args.I = slices.Delete(slices.Clone(c.Args.F), i, i+1), slices.Delete(slices.Clone(c.Args.I), i, i+1)
				want, err := c.Want()
				if err != nil {
					t.Fatal(err)
				}
				if got, err = got.Want(); err != nil {
					t.Fatalf("%v\n%v", err, special)
				}
				if err := got.Diff(want); err != nil {
					t.Fatalf("scalar %d: %v\n%v\n%v", i, err, n, special)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d nests with a factor", found)
	}
}

// TestNeutralRefused lists uses of a scalar that are more than a factor.
func TestNeutralRefused(t *testing.T) {
	for name, use := range map[string]func(b *nest.Builder, s, x *nest.Value) *nest.Value{
		"added":        func(b *nest.Builder, s, x *nest.Value) *nest.Value { return b.Op(nest.Add, x, s) },
		"divided":      func(b *nest.Builder, s, x *nest.Value) *nest.Value { return b.Op(nest.Div, s, x) },
		"in all lanes": func(b *nest.Builder, s, x *nest.Value) *nest.Value { return b.Op(nest.Div, x, s) },
		"with itself":  func(b *nest.Builder, s, x *nest.Value) *nest.Value { return b.Op(nest.Add, x, b.Op(nest.Mul, s, s)) },
	} {
		b := nest.NewBuilder("n", nest.F32)
		x := b.Operand(nest.Operand{Name: "x", Vector: true})
		y := b.Operand(nest.Operand{Name: "y", Mode: nest.Out, Vector: true})
		s := b.Scalar("s")
		b.For(nest.Vector, func() { b.Store(y, use(b, b.ScalarOf(s), b.Load(x))) })
		n, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := n.Neutral(0); ok {
			t.Errorf("a scalar that is %s counts as a factor", name)
		}
	}
}
