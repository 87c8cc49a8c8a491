package runtime

import (
	"slices"
	"testing"
	"unsafe"
)

// newPaced is p' = p - rate s' q/n, s' = s + g, where q = 1 + sum(g²), of n elements: launches of all elements and of single numbers, with a state that
// is a number and one that isn't.
func newPaced() *descent {
	d := &descent{}
	pack := []Dim{{Axis: 0}}
	sig := &Signature{Op: "test.paced", Vars: []Var{{Name: "T", DTypes: Floats}}, Axes: []Axis{{Name: "N", Pack: true}}, Outer: true, Params: []Param{
		{Name: "p", Mode: Inout, Dims: pack, InPlace: 6}, {Name: "g", Dims: pack, Splat: true},
		{Name: "s", Mode: Inout, Elem: Elem{Wrap: AccOf}, Dims: pack, InPlace: 3}, {Name: "q", Mode: Inout, Elem: Elem{Wrap: AccOf}}}}
	d.rule = Rule{Op: "test.paced", Signatures: []*Signature{sig}, Grad: 1, Phases: 1, Repeats: true, Attrs: []string{"rate"},
		States: []State{{Name: "s", At: 2, Elem: Elem{Wrap: AccOf}, Init: 0.5}, {Name: "q", At: 3, Elem: Elem{Wrap: AccOf}, Scalar: true, Init: 1}},
		Run: func(s *Slot, _ int) error {
			d.mu.Lock()
			d.calls++
			d.mu.Unlock()
			kernels := [3]Kernel{squares[float32], ratio[float32], paced[float32]}
			if s.Bound.DType[0] == F64 {
				kernels = [3]Kernel{squares[float64], ratio[float64], paced[float64]}
			}
			s.Bound.Sized()
			sum := s.Bound.Scratch(s.Bound.DType[0], 1)
			launchPaced(&s.Bound, s.Values.(*rate).rate/float64(s.Step), kernels, sum)
			return nil
		}}
	return d
}

func launchPaced(b *Bound, rate float64, kernels [3]Kernel, sum unsafe.Pointer) {
	n := b.Ext[0]
	for i, k := range kernels {
		a := Args{Rows: 1, N: n, K: 1}
		o := Operand{DType: b.DType[0]}
		w, acc := o, o
		w.Use, acc.Use = Writes, Acc
		p := &Plan{Name: "test.paced", Operands: []Operand{o, acc}}
		switch i {
		case 0:
			a.Ptr[0], a.Step[0], a.Ptr[1] = b.Ptr[1], b.Move(1), sum
		case 1:
			a.N = 1
			a.Ptr[0], a.Ptr[1] = sum, b.Ptr[3]
			a.F[0] = float64(n)
			p.Operands = []Operand{o, w}
		case 2:
			a.Ptr[0], a.Ptr[1], a.Ptr[2], a.Ptr[3], a.Step[1] = b.Ptr[0], b.Ptr[1], b.Ptr[2], b.Ptr[3], b.Move(1)
			a.F[0] = rate
			p.Operands = []Operand{w, o, w, o}
		}
		if !b.Repeat(k, &a, p, i != 1) {
			Launch(k, &a, p)
		}
	}
}

func squares[T float32 | float64](a *Args) {
	g, sum := unsafe.Slice((*T)(a.Ptr[0]), a.N), T(0)
	for i := range a.N {
		sum += g[i*a.Step[0]] * g[i*a.Step[0]]
	}
	*(*T)(a.Ptr[1]) = sum
}

func ratio[T float32 | float64](a *Args) { *(*T)(a.Ptr[1]) = (1 + *(*T)(a.Ptr[0])) / T(a.F[0]) }

func paced[T float32 | float64](a *Args) {
	p, g, s, q := unsafe.Slice((*T)(a.Ptr[0]), a.N), unsafe.Slice((*T)(a.Ptr[1]), a.N), unsafe.Slice((*T)(a.Ptr[2]), a.N), *(*T)(a.Ptr[3])
	for i := range a.N {
		s[i] += g[i*a.Step[1]]
		p[i] -= T(a.F[0]) * s[i] * q
	}
}

// Neighbours of the same number of steps are bound as one, and what is done with them is asked for once while their sizes are alike.
func TestOptimEachCalls(t *testing.T) {
	d := newPaced()
	p := leavesOf(F32, true, 7, 7, 7, 7, 300, 300, 7)
	o := NewOptimizer(&d.rule)
	if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gradients []int
		calls     int
	}{{[]int{0, 1, 2, 3, 4, 5, 6}, 3}, {[]int{0, 1, 2, 3}, 1}, {[]int{0, 1, 3, 6}, 3}, {[]int{0, 1, 2, 3, 4, 5, 6}, 5}} {
		o.ZeroGrad()
		for _, k := range c.gradients {
			if err := gradOf(p[k], 1); err != nil {
				t.Fatal(err)
			}
		}
		d.calls = 0
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		if d.calls != c.calls {
			t.Errorf("gradients %v: %d calls, want %d", c.gradients, d.calls, c.calls)
		}
	}
	for k, s := range o.Slots() {
		if want := []int{4, 4, 3, 4, 2, 2, 3}[k]; s.Step != want {
			t.Errorf("step %d of parameter %d, want %d", s.Step, k, want)
		}
	}
}

// Numbers between launches are those of a tensor, also where more launches follow than are repeated, and more numbers than there is room for.
func TestOptimEachLimits(t *testing.T) {
	for _, n := range []int{1, maxTemps, maxTemps + 1, 40} {
		d := newPaced()
		run := d.rule.Run
		d.rule.Run = func(s *Slot, phase int) error {
			for range n - 1 {
				sum := s.Bound.Scratch(s.Bound.DType[0], 1)
				o := Operand{DType: s.Bound.DType[0]}
				a := Args{Rows: 1, N: s.Bound.Ext[0], K: 1}
				a.Ptr[0], a.Step[0], a.Ptr[1] = s.Bound.Ptr[1], s.Bound.Move(1), sum
				if p := (&Plan{Operands: []Operand{o, {DType: o.DType, Use: Acc}}}); !s.Bound.Repeat(squares[float32], &a, p, true) {
					Launch(squares[float32], &a, p)
				}
			}
			return run(s, phase)
		}
		var want []*Tensor
		for _, move := range []bool{true, false} {
			p := leavesOf(F32, move, slices.Repeat([]int{9}, 50)...)
			o := NewOptimizer(&d.rule)
			if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				o.ZeroGrad()
				for k, x := range p {
					if err := gradOf(x, float64(k%5)); err != nil {
						t.Fatal(err)
					}
				}
				if err := o.Step(); err != nil {
					t.Fatal(err)
				}
			}
			for k := range p {
				if want != nil && !sameElements(p[k], want[k]) {
					t.Fatalf("%d numbers, parameter %d: %v\n%v", n, k, p[k], want[k])
				}
			}
			want = p
		}
	}
}
