package grad

import (
	"fmt"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"pgregory.net/rapid"
)

// indexForm makes an index of variables p over P and k over K, into an axis N, from numbers.
type indexForm struct {
	name   string
	of     func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value
	solved bool // the gradient becomes a gather
}

// indexForms are the forms of index that ops have.
var indexForms = []indexForm{
	{"plain", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return p }, true},
	{"shifted", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return ir.Sub(p, ir.Int(b)) }, true},
	{"reversed", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Sub(ir.Extent(n), ir.Int(1)), p)
	}, true},
	{"window", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Add(p, k), ir.Int(b))
	}, true},
	{"strided", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Add(ir.Mul(p, ir.Int(a+1)), k), ir.Int(b))
	}, true},
	{"dilated", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Add(p, ir.Mul(k, ir.Int(a+1))), ir.Int(b))
	}, true},
	{"transposed", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Add(p, ir.Int(b)), k)
	}, true},
	{"strided and dilated", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Sub(ir.Add(ir.Mul(p, ir.Int(a+1)), ir.Mul(k, ir.Int(b+2))), ir.Int(b))
	}, false},
	{"quotient", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Call(ir.OpFloor, ir.Div(ir.Add(p, ir.Int(b)), ir.Int(a+2)))
	}, false},
	{"remainder", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Call(ir.OpMod, ir.Add(p, ir.Int(b)), ir.Int(a+2))
	}, false},
	{"chosen", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Select(ir.Call(ir.OpLt, p, ir.Int(b)), ir.Sub(ir.Int(b), p), p)
	}, false},
	{"constant", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return ir.Int(b) }, true},
	{"data", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return ir.Read(t, p) }, false},
	{"data and a variable", func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value {
		return ir.Add(ir.Cast(ir.Read(t, p), ir.ExactType), k)
	}, true},
}

// gathered is y[p] = Σ over k of w[p, k]·x[index, index'], where both are in range, and the variables of it: k runs over its
// axis, or as far as p.
func gathered(f, g indexForm, a, b int64, triangle bool) (*ir.Func, *ir.Tensor) {
	m := irtest.New("gathered")
	N, M, P, K := m.Axis("N"), m.Axis("M"), m.Axis("P"), m.Axis("K")
	x, w, t := m.In("x", N, M), m.In("w", P, K), m.Ints("t", P)
	p, k := irtest.Over("p", P), irtest.Over("k", K)
	if triangle {
		k = &ir.Var{Name: "k", Lo: ir.Int(0), Hi: ir.Call(ir.OpMin, ir.Add(ir.Index(p), ir.Int(1)), ir.Extent(K))}
	}
	i, j := f.of(ir.Index(p), ir.Index(k), N, a, b, t), g.of(ir.Index(p), ir.Index(k), M, b, a, t)
	var inside []*ir.Value
	for q, e := range []*ir.Value{i, j} {
		n := ir.Extent(x.Axes[q])
		inside = append(inside, ir.Call(ir.OpLe, ir.Int(0), e), ir.Call(ir.OpLt, e, n))
	}
	read := ir.Read(x, i, j)
	body := ir.Mul(ir.Select(ir.And(inside...), ir.Mul(read, read), ir.Cast(ir.Int(0), read.Type)), irtest.At(w, p, k))
	y := &ir.Tensor{Name: "y", Role: ir.Output, Elem: irtest.T, Axes: []*ir.Axis{P}}
	m.F.Outputs = append(m.F.Outputs, y)
	m.F.Defs = append(m.F.Defs, &ir.Def{Target: y, Vars: []*ir.Var{p, k}, Dest: []*ir.Value{ir.Index(p)}, Monoid: ir.Sum, Body: body})
	return m.F, x
}

// Index equations that are solved give the gradients of those that are not, which forward mode, where nothing is solved,
// confirms; so do they of random forms for both axes of a read.
func TestSolvedIndices(t *testing.T) {
	solved, total := map[string]int{}, 0
	forms := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		f, g := rapid.SampledFrom(indexForms).Draw(t, "rows"), rapid.SampledFrom(indexForms).Draw(t, "columns")
		a, b := rapid.Int64Range(0, 2).Draw(t, "a"), rapid.Int64Range(0, 3).Draw(t, "b")
		fn, _ := gathered(f, g, a, b, rapid.Bool().Draw(t, "triangle"))
		total++
		forms[f.name] = true
		back, err := Reverse(fn)
		if err != nil {
			t.Fatalf("%v\n%v", err, fn)
		}
		plain, err := reverse(fn, false)
		if err != nil {
			t.Fatalf("%v\n%v", err, fn)
		}
		for _, d := range back.Defs {
			if d.Target.Name == "@x" && d.IsPlain() {
				solved[f.name+" × "+g.name]++
			}
		}
		size := func(name string) int { return rapid.IntRange(1, 5).Draw(t, name) }
		c := irtest.Case{Extents: map[string]int{"N": size("N"), "M": size("M"), "P": size("P"), "K": size("K")}, Lo: -1, Hi: 1, Classes: 3}
		in := irtest.WithOutputs(t, fn, c.Random(fn, 5))
		irtest.Cotangents(back, in, 6)
		for i, x := range plain.Inputs {
			if x.Role == ir.Cotangent {
				in.Arrays[x] = in.Arrays[back.Inputs[i]]
			}
		}
		irtest.CheckSame(t, plain, back, in, 1e-12)
		checkDual(t, fn, c.Random(fn, 5), 6, 1e-12)
	})
	n := 0
	for _, k := range solved {
		n += k
	}
	t.Logf("%d of %d gradients are gathers, of %d pairs of forms", n, total, len(solved))
	if len(forms) < len(indexForms)/2 || n == 0 || n == total {
		t.Errorf("only %d forms were drawn", len(forms))
	}
}

// Each form alone is solved, or isn't, as it says; the other axis is read plainly by k.
func TestSolvedForms(t *testing.T) {
	along := indexForm{name: "k", of: func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return k }}
	for _, f := range indexForms {
		other := along
		if f.name == "window" || f.name == "strided" || f.name == "transposed" || f.name == "data and a variable" {
			other = indexForms[0] // k is in the form
		}
		if f.name == "data and a variable" {
			other = indexForm{name: "p", of: func(p, k *ir.Value, n *ir.Axis, a, b int64, t *ir.Tensor) *ir.Value { return p }}
		}
		fn, _ := gathered(f, other, 1, 1, false)
		back, err := Reverse(fn)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, d := range back.Defs {
			got = got || d.Target.Name == "@x" && d.IsPlain()
		}
		if got != f.solved {
			t.Errorf("%s: solved is %v, want %v\n%v", f.name, got, f.solved, fmt.Sprint(back))
		}
	}
}
