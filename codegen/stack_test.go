package codegen

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// stacked are updates with a number for each tensor, or reductions over it, and some that have no stack.
const stacked = `package p

update measured[T: float](inout p: T[...N], g: T[...N], state top: acc(T)[] = 0.5, state buf: acc(T)[...N]; lr: float) {
    top' = max(0.75*top, sqrt(mean(g^2)))
    buf' = 0.5*buf + g/top'
    p' = p - lr*buf'
}

update counted[T: float](inout p: T[N], g: T[N], state n: T[]; lr: float) {
    n' = n + 1
    p' = p - lr*g/n'
}

update plain[T: float](inout p: T[...N], g: T[...N]; lr: float) { p' = p - lr*g }

update noisy[T: float](inout p: T[...N], g: T[...N]; lr: float, r: rng) { p' = p - lr*(g + norm(g)*normal[...N](r)) }

update square[T: float](inout p: T[N, M], g: T[N, M]; lr: float) { p' = p - lr*g/norm(g) }

update told[T: float](inout p: T[...N], g: T[...N]; lr: float) -> (n: T[]) {
    n = norm(g)
    p' = p - lr*g
}

update clipped[T: float](inout p: T[...N], g: T[...N]; lr: float) { p' = p - lr*g/norm[*](g) }
`

// TestStack holds the stacks of updates to the evaluator, and rows of several parameters to those of each of them, to the bit.
func TestStack(t *testing.T) {
	files := []SourceFile{{Name: "p.op", Data: []byte(stacked)}}
	for _, name := range []string{"lamb", "lars", "nadam"} {
		data, err := os.ReadFile(filepath.Join("..", "specs", "optim", name+".op"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, SourceFile{Name: name + ".op", Data: slices.Concat([]byte("package p\n"), data[len("package optim\n"):])})
	}
	b := New(Source{ImportPath: "p", Files: files}, Go, AMD64, CUDA)
	if !b.Run("") {
		t.Fatal(b.Diags.All[0].Message)
	}
	var names []string
	for _, f := range b.Functions {
		for _, p := range f.Pairs {
			if p.Stack == nil {
				continue
			}
			names = append(names, f.Name)
			for l := range p.Stack.Launches {
				n := p.Stack.Launches[l].Nest
				if !b.uses[Go][n] || !b.uses[AMD64][n] || b.uses[CUDA][n] {
					t.Errorf("%s is for other targets", n.Name)
				}
			}
			compareStack(t, f, p)
		}
	}
	if want := []string{"measured", "measured", "counted", "counted", "lamb", "lamb", "lars", "lars", "nadam", "nadam"}; !slices.Equal(names, want) {
		t.Errorf("stacks of %v, want %v", names, want)
	}
}

// compareStack runs a stack of three calls.
func compareStack(t *testing.T, f *Function, p *Pair) {
	t.Helper()
	scalars := map[string]float64{"step": 3, "lr": 0.125, "beta1": 0.75, "beta2": 0.875, "eps": 0.25, "weight_decay": 0.5, "trust": 0.5, "momentum": 0.5, "decay": 0.25}
	in := anyBinding(p.Stack.Func, p.DTypes)
	in.Extents[p.Stack.Func.Axes[0]] = 3
	in.Scalars = scalars
	for _, x := range p.Stack.Func.Inputs {
		shape := []int{3}
		for _, a := range x.Axes[1:] {
			in.Extents[a] = 70
			shape = append(shape, 70)
		}
		all := ir.NewArray(shape...)
		for i := range all.Data {
			all.Data[i] = 0.5 + math.Abs(math.Sin(float64(7*i+len(x.Name))))
			all.Data[i] = float64(float32(all.Data[i]))
		}
		in.Arrays[x] = all
	}
	got, err := p.Stack.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	for row := range 3 {
		part := func(a *ir.Array) *ir.Array {
			n := len(a.Data) / a.Shape[0]
			return &ir.Array{Shape: slices.Clone(a.Shape[1:]), Data: slices.Clone(a.Data[row*n : (row+1)*n])}
		}
		one := ir.Binding{Extents: maps.Clone(in.Extents), Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: scalars, DTypes: p.DTypes}
		one.Extents[p.Stack.Func.Axes[0]] = 1
		call := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: scalars, DTypes: p.DTypes}
		for i, x := range p.Stack.Func.Inputs {
			a := part(in.Arrays[x])
			call.Arrays[f.Forward.Inputs[i]] = a
			one.Arrays[x] = &ir.Array{Shape: append([]int{1}, a.Shape...), Data: a.Data}
		}
		for _, a := range f.Forward.Axes {
			call.Extents[a] = 70
		}
		want, err := ir.Eval(f.Forward, call)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := p.Stack.Run(one)
		if err != nil {
			t.Fatal(err)
		}
		for i, out := range p.Stack.Func.Outputs {
			g, w := part(got[out]), want[f.Forward.Outputs[i]]
			for k := range g.Data {
				if math.Abs(g.Data[k]-w.Data[k]) > 1e-5 {
					t.Fatalf("%s, %s of call %d: element %d is %v, want %v", p.Stack.Name, out.Name, row, k, g.Data[k], w.Data[k])
				}
				if g.Data[k] != alone[out].Data[k] {
					t.Fatalf("%s, %s of call %d: element %d is %v, alone %v", p.Stack.Name, out.Name, row, k, g.Data[k], alone[out].Data[k])
				}
			}
		}
	}
}
