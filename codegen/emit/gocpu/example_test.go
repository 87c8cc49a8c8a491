package gocpu_test

import (
	"strings"
	"testing"
)

// TestExamples checks how examples of specs are shown as calls. That such functions compile, and print what they say, TestAPI tests.
func TestExamples(t *testing.T) {
	b := buildText(`package many

enum how(plain, twice)

// Shift moves rows.
op shift[T: float](x: T[...B], w?: T[...B]; by: float, how: how = plain, to: float[2] = 0, only?: int) -> (y: T[...B], at: i64[...B]) {
    require (only ?? 0) >= 0
    y = (if how == twice then 2*x else x) + by + to[0]*(w ?? 0)
    at = if y < to[1] then 1 else 0
    example { x = [[1, 2], [3, 4]], by = 0.5 } => { y = [[1.5, 2.5], [3.5, 4.5]], at = [[0, 0], [0, 0]] }
    example { x = 1, w = 2, by = 1, how = twice, to = [3, 10], only = 1 } => { y = 9, at = 1 }
}

op third[T: float](x: T[...B]) -> (y: T[...B]) {
    y = x/3
    example { x = [0.00015, 3] } => { y = [0.00005, 1] }
}

update walk[T: float](inout p: T[...N], g: T[...N], state m: T[...N]; lr: float) {
    m' = m + g
    p' = p - lr*m'
    example { p = [1], g = [2], lr = 0.5 } => { p' = [0], m' = [2] }
}

update step_on[T: float](inout p: T[...N], z: T[N2]) {
    p' = p + step*sum[N2](z)
    example { p = 1, z = [2, 3] } => { p' = 6 }
}

op noise[T: float](; n: int[1], seed: rng) -> (y: T[N]) {
    dim N = n[0]
    y = 1 + 0*uniform[N](seed)
    example { n = [2] } => { y = [1, 1] }
}
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	text := ""
	for _, f := range b.Out {
		text += string(f.Data)
	}
	for _, want := range []string{
		`func ExampleShift() {
	x := runtime.Must(runtime.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
	y, at, err := many.Shift(x, nil, 0.5, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(y)
	fmt.Println(at)
	// Output:
	// f32[2 2]
	// [[1.5 2.5]
	//  [3.5 4.5]]
	// i64[2 2]
	// [[0 0]
	//  [0 0]]
}
`, `func ExampleShift_attributes() {
	x := runtime.Scalar[float32](1)
	w := runtime.Scalar[float32](2)
	y, at, err := many.Shift(x, w, 1.0, &many.ShiftAttrs{How: many.HowTwice, To: []float64{3, 10}, Only: new(1)})
`, `// With x = 1 and w = 2, y is 9 and at is 1:
//
//	y, at, err := many.Shift(x, w, 1.0, &many.ShiftAttrs{How: many.HowTwice, To: []float64{3, 10}, Only: new(1)})
`, `	y := runtime.Must(many.Third(x))
	fmt.Printf("%.3v\n", y)
	// Output:
	// f32[2] [0 1]
`, `func ExampleWalk() {
	p := runtime.Must(runtime.FromSlice([]float32{1}, 1))
	g := runtime.Must(runtime.FromSlice([]float32{2}, 1))
	if err := p.RequireGrad(); err != nil {
		panic(err)
	}
	opt := runtime.Must(many.NewWalk([]*runtime.Tensor{p}, 0.5))
`, `//	opt, err := many.NewWalk(params, 0.5)
`, `func ExampleStepOnInto() {
	p := runtime.Scalar[float32](1)
	z := runtime.Must(runtime.FromSlice([]float32{2, 3}, 2))
	if err := many.StepOnInto(p, z, 1); err != nil {
		panic(err)
	}
	fmt.Println(p)
	// Output:
	// f32[] 6
}
`, `// With p = 1 and z = [2, 3], p becomes 6:
//
//	err := many.StepOnInto(p, z, 1)
`, `	y := runtime.Must(many.Noise(runtime.F32, []int{2}, runtime.NewSeed(1)))
`} {
		if !strings.Contains(text, want) {
			t.Errorf("no\n%s", want)
		}
	}
	if t.Failed() {
		for part := range strings.SplitSeq(text, "\n\n") {
			if strings.Contains(part, "func Example") || strings.Contains(part, "// With ") {
				t.Log(part)
			}
		}
	}
}
