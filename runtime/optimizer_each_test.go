package runtime

import (
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
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

// newRowed is p' = p - rate q' (s' - g²), q' = q + 1, s' = s + g², of which s is a state and g² is stored on the way: one launch with a row for each
// parameter.
func newRowed() *descent {
	d := newPaced()
	d.rule.Rows = true
	d.rule.Run = func(s *Slot, _ int) error {
		d.mu.Lock()
		d.calls++
		d.mu.Unlock()
		b := &s.Bound
		o := Operand{DType: b.DType[0]}
		w := o
		w.Use = Writes
		a := Args{Rows: 1, N: b.Ext[0], K: 1}
		for i := range 4 {
			a.Ptr[i], a.Row[i] = b.Ptr[i], b.Ext[0]
		}
		a.Row[3] = 1
		a.Ptr[4], a.Row[4] = b.Row(b.DType[0], b.Ext[0]), b.Ext[0]
		a.Step[1] = b.Move(1)
		a.F[0] = s.Values.(*rate).rate / float64(s.Step)
		k := rowed[float32]
		if b.DType[0] == F64 {
			k = rowed[float64]
		}
		kernel := func(a *Args) {
			d.mu.Lock()
			d.rows = append(d.rows, a.Rows)
			d.mu.Unlock()
			k(a)
		}
		p := &Plan{Name: "test.rowed", Rows: true, Operands: []Operand{w, o, w, w, w}}
		if !b.Repeat(kernel, &a, p, true) {
			Launch(kernel, &a, p)
		}
		return nil
	}
	return d
}

func rowed[T float32 | float64](a *Args) {
	for r := range a.Rows {
		row := func(i, n int) []T { return unsafe.Slice(At[T](a.Ptr[i], r*a.Row[i]), n) }
		p, g, s, q, square := row(0, a.N), row(1, a.N), row(2, a.N), row(3, 1), row(4, a.N)
		q[0]++
		for i := range a.N {
			square[i] = g[i*a.Step[1]] * g[i*a.Step[1]]
		}
		for i := range a.N {
			s[i] += square[i]
			p[i] -= T(a.F[0]) * q[0] * (s[i] - square[i])
		}
	}
}

// A kernel takes neighbours of one size as rows, though not those next to each other one after the other.
func TestOptimRows(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		rows  []int // of each call
	}{
		{slices.Repeat([]int{100}, 9), []int{5, 4}},
		{slices.Repeat([]int{7}, 9), []int{3, 2, 2, 2}},
		{slices.Concat(slices.Repeat([]int{500}, 4), []int{100, 200}, slices.Repeat([]int{300}, 3)), []int{2, 2, 1, 1, 2, 1}},
		{slices.Repeat([]int{20}, 150), nil},
		{slices.Repeat([]int{100, 100, 300, 20}, 5), []int{5, 5, 5, 5}},
		{slices.Concat([]int{4}, slices.Repeat([]int{100, 200}, 4), []int{100}), []int{1, 4, 4, 1}},
	} {
		d := newRowed()
		p := leavesOf(F32, true, c.sizes...)
		o := NewOptimizer(&d.rule)
		if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
			t.Fatal(err)
		}
		for _, x := range p {
			if err := gradOf(x, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, n := range d.rows {
			all += n
			if n > chunkElements/leastWork {
				t.Errorf("%d rows in a call", n)
			}
		}
		if len(c.rows) > 0 && !slices.Equal(d.rows, c.rows) || all != len(p) {
			t.Errorf("parameters of %v elements: rows %v, want %v", c.sizes, d.rows, c.rows)
		}
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

// Parts have each parameter once, where it lies.
func TestCutParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layer := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 6).Draw(t, "layer")
		n := slices.Concat(rapid.SliceOfN(rapid.IntRange(1, 4), 0, 5).Draw(t, "before"), slices.Repeat(layer, rapid.IntRange(1, 9).Draw(t, "layers")),
			rapid.SliceOfN(rapid.IntRange(1, 4), 1, 5).Draw(t, "behind"))
		at := make([]int, len(n))
		for i := range n[1:] {
			at[i+1] = at[i] + n[i] + rapid.IntRange(0, 1).Draw(t, "gap")*rapid.IntRange(0, 3).Draw(t, "elements")
		}
		seen := make([]bool, len(n))
		for _, p := range cutParts(at, n) {
			for i := range p.count {
				k := p.first + i*p.step
				if seen[k] || p.n != n[k] || p.at+i*p.apart != at[k] {
					t.Fatalf("sizes %v at %v: part %+v", n, at, p)
				}
				seen[k] = true
			}
		}
		if k := slices.Index(seen, false); k >= 0 {
			t.Fatalf("sizes %v at %v: parameter %d is in no part", n, at, k)
		}
	})
}
