package kerneltest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
)

// kernels is a right kernel of y = -x, and some that are wrong.
const kernels = `package main

import "github.com/opgen/opgen/runtime"

func negate(a *runtime.Args, from, to int) {
	for i := from; i < to; i++ {
		*runtime.At[float32](a.Ptr[1], i) = -*runtime.At[float32](a.Ptr[0], i)
	}
}

func minus_right(a *runtime.Args)  { negate(a, 0, a.N) }
func minus_short(a *runtime.Args)  { negate(a, 0, a.N-1) }
func minus_before(a *runtime.Args) { negate(a, -1, a.N) }
func minus_after(a *runtime.Args)  { negate(a, 0, a.N+1) }
func minus_panics(a *runtime.Args) { panic("no such kernel") }
`

func TestFindsMistakes(t *testing.T) {
	b := nest.NewBuilder("minus", nest.F32)
	x := b.Operand(nest.Operand{Name: "x", DType: nest.F32, Vector: true})
	y := b.Operand(nest.Operand{Name: "y", DType: nest.F32, Mode: nest.Out, Vector: true, InPlace: []int{x}})
	b.For(nest.Vector, func() { b.Store(y, b.Op(nest.Neg, b.Load(x))) })
	n, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"right", "short", "before", "after", "panics"}
	run := kerneltest.Build(t, []*nest.Nest{n}, []emit.File{{Name: "minus.go", Data: []byte(kernels)}}, paths)
	args := func() *nest.Args {
		in := nest.Buffer{F32: []float32{9, 1, float32(math.NaN()), 0}, Base: 1, Step: 1}
		out := nest.Buffer{F32: make([]float32, 4), Base: 1, Step: 1}
		return &nest.Args{Rows: 1, N: 3, K: 1, Operands: []nest.Buffer{in, out}}
	}
	want := args()
	if err := n.Run(want); err != nil {
		t.Fatal(err)
	}
	for path, message := range map[string]string{
		"right":  "",
		"short":  "operand 1, 2 from its base: 0 (0x00000000), want -0 (0x80000000)",
		"before": "operand 1, -1 from its base: -9",
		"after":  "invalid memory address", // the end of a buffer lies next to memory that cannot be touched
		"panics": "no such kernel",
	} {
		got := args()
		err := run.Do([]kerneltest.Job{{Path: path, Args: got}})
		if err == nil {
			err = kerneltest.Equal(got, want)
		}
		switch {
		case message == "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case message != "" && (err == nil || !strings.Contains(err.Error(), message)):
			t.Errorf("%s: %v, want an error with %q", path, err, message)
		}
	}
	// Operands that share memory do so in the kernel.
	shared := args()
	shared.Operands[1] = shared.Operands[0]
	run.Check(t, []kerneltest.Job{{Path: "right", Args: shared}})
}
