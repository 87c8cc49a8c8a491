package codegen

import (
	"math"
	"math/rand"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// sharing are ops whose kernels stand in for each other.
const sharing = `package p

enum reduction(none, mean, sum)

func reduced(l, how) = if how == none then l else if how == mean then mean(l) else sum(l)

op near[T: float](x, t: T[...B]; reduction: reduction = mean) -> (y: T[_]) {
    y = reduced(abs(x - t), reduction)
}

op picked[T: float, I: i32|i64](x: T[N, C], t: I[N]; reduction: reduction = mean) -> (y: T[_]) {
    let logp[N, C] = x - log(sum[C](exp(x)))
    let l[n] = -logp[n, t]
    y = reduced(l, reduction)
}
`

// TestStandIns runs the programs of ops before and after kernels stand in for each other: the bits are the same, and there are
// fewer kernels.
func TestStandIns(t *testing.T) {
	stage := func(last string) *Build {
		b := New(Source{ImportPath: "p", Files: []SourceFile{{Name: "p.op", Data: []byte(sharing)}}}, Go)
		if !b.Run(last) {
			t.Fatal(b.Diags.All[0].Message)
		}
		return b
	}
	before, after := stage("lower"), stage("share")
	all, _ := before.distinct()
	if left, _ := after.distinct(); len(left) > len(all)*4/5 {
		t.Errorf("%d kernels of %d are left", len(left), len(all))
	}
	for i, f := range before.Functions {
		for k, p := range f.Pairs {
			for j, prog := range p.programs() {
				want, err := prog.Run(anyBinding(prog.Func, p.DTypes))
				if err != nil {
					t.Fatal(err)
				}
				other := after.Functions[i].Pairs[k].programs()[j]
				got, err := other.Run(anyBinding(other.Func, p.DTypes))
				if err != nil {
					t.Fatalf("%v\n%v", err, other)
				}
				compareRuns(t, prog, other, want, got)
			}
		}
	}
}

// compareRuns compares all that two programs of one function write.
func compareRuns(t *testing.T, a, b *nest.Program, want, got map[*ir.Tensor]*ir.Array) {
	t.Helper()
	for i, out := range a.Func.Outputs {
		w, g := want[out], got[b.Func.Outputs[i]]
		if w == nil {
			continue
		}
		for k := range w.Data {
			if math.Float64bits(w.Data[k]) != math.Float64bits(g.Data[k]) {
				t.Fatalf("%s: element %d of %s is %v, was %v\n%v", a.Name, k, out.Name, g.Data[k], w.Data[k], b)
			}
		}
	}
}

// anyBinding has numbers for all that a function reads.
func anyBinding(f *ir.Func, dtypes map[string]string) ir.Binding {
	r := rand.New(rand.NewSource(1))
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{}, DTypes: dtypes}
	for i, a := range f.Axes {
		in.Extents[a] = 5 + 2*i
	}
	for _, t := range f.Inputs {
		var shape []int
		for _, a := range t.Axes {
			if in.Extents[a] == 0 {
				in.Extents[a] = 11 // a pack, which is one axis here
			}
			shape = append(shape, in.Extents[a])
		}
		x := ir.NewArray(shape...)
		for i := range x.Data {
			if x.Data[i] = float64(i % 5); f.IsFloat(t) {
				x.Data[i] = float64(float32(r.NormFloat64()))
			}
		}
		in.Arrays[t] = x
	}
	return in
}
