package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// descent is p' = p - rate s', s' = 2 s + g, with a count of calls.
type descent struct {
	rule  Rule
	mu    sync.Mutex
	calls int
	rows  []int // of each call of a kernel
}

type rate struct{ rate float64 }

func (r *rate) Attr(name string) any {
	if name == "rate" {
		return &r.rate
	}
	return nil
}
func (r *rate) Check() error      { return nil }
func (r *rate) Clone() Attributes { c := *r; return &c }

func newDescent() *descent {
	d := &descent{}
	pack := []Dim{{Axis: 0}}
	sig := &Signature{Op: "test.descent", Vars: []Var{{Name: "T", DTypes: Floats}}, Axes: []Axis{{Name: "N", Pack: true}}, Outer: true, Params: []Param{
		{Name: "p", Mode: Inout, Dims: pack, InPlace: 6}, {Name: "g", Dims: pack, Splat: true},
		{Name: "s", Mode: Inout, Elem: Elem{Wrap: AccOf}, Dims: pack, InPlace: 3}}}
	d.rule = Rule{Op: "test.descent", Signatures: []*Signature{sig}, Grad: 1, Phases: 1, Elementwise: true, Attrs: []string{"rate"},
		States: []State{{Name: "s", At: 2, Elem: Elem{Wrap: AccOf}, Init: 0.5}},
		Run: func(s *Slot, _ int) error {
			d.mu.Lock()
			d.calls++
			d.mu.Unlock()
			b := &s.Bound
			a := Args{Rows: 1, N: b.Ext[0], K: 1}
			for i := range 3 {
				a.Ptr[i], a.Step[i] = b.Ptr[i], b.Move(i)
			}
			a.F[0] = s.Values.(*rate).rate / float64(s.Step)
			k, plan := descend[float32], &descentPlans[0]
			if b.DType[0] == F64 {
				k, plan = descend[float64], &descentPlans[1]
			}
			if !b.Repeat(k, &a, plan, true) {
				Launch(k, &a, plan)
			}
			return nil
		}}
	return d
}

var descentPlans = [2]Plan{
	{Name: "test.descent_f32", Lanes: true, Operands: []Operand{{DType: F32, Use: Writes}, {DType: F32}, {DType: F32, Use: Writes}}},
	{Name: "test.descent_f64", Lanes: true, Operands: []Operand{{DType: F64, Use: Writes}, {DType: F64}, {DType: F64, Use: Writes}}},
}

func descend[T float32 | float64](a *Args) {
	p, g, s := unsafe.Slice((*T)(a.Ptr[0]), a.N), unsafe.Slice((*T)(a.Ptr[1]), a.N), unsafe.Slice((*T)(a.Ptr[2]), a.N)
	for i := range a.N {
		s[i] = 2*s[i] + g[i*a.Step[1]]
		p[i] -= T(a.F[0]) * s[i]
	}
}

// leavesOf makes leaves that can be moved, or that can't because the caller has their memory.
func leavesOf(d DType, move bool, sizes ...int) []*Tensor {
	var list []*Tensor
	for _, n := range sizes {
		t := newTensor(d, []int{n}, n)
		if !move {
			t = over(unsafe.Pointer(unsafe.SliceData(make([]uint64, n+1))), d, []int{n}, n)
		}
		for i := range n {
			v := splatElement(d, float64(i%7)-2.5)
			copy(unsafe.Slice((*byte)(unsafe.Add(t.data, i*d.Size())), d.Size()), unsafe.Slice((*byte)(unsafe.Pointer(&v)), d.Size()))
		}
		if err := t.RequireGrad(); err != nil {
			panic(err)
		}
		list = append(list, t)
	}
	return list
}

// gradOf gives a leaf the gradient with elements v, v+1, …
func gradOf(t *Tensor, v float64) error {
	g := newTensor(t.dtype, t.dims(), t.n)
	for i := range t.n {
		x := splatElement(t.dtype, v+float64(i))
		copy(unsafe.Slice((*byte)(unsafe.Add(g.data, i*t.dtype.Size())), t.dtype.Size()), unsafe.Slice((*byte)(unsafe.Pointer(&x)), t.dtype.Size()))
	}
	return t.BackwardWith(g)
}

// mirror is a program with parameters that can be moved, and the same with others.
type mirror struct {
	rule [2]*descent
	opt  [2]*Optimizer
	p    [2][]*Tensor
	kept [2][]*Tensor // gradients that the program has, and what they were
	was  [2][]*Tensor
}

func newMirror(t *rapid.T) *mirror {
	m := &mirror{}
	d := rapid.SampledFrom([]DType{F16, BF16, F32, F64}).Draw(t, "dtype")
	sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 2, 3, 5, 17, 300, 1500, 5000}), 1, 12).Draw(t, "sizes")
	rule := rapid.SampledFrom([]func() *descent{newDescent, newPaced, newRowed}).Draw(t, "rule")
	for i := range m.opt {
		m.rule[i] = rule()
		m.opt[i] = NewOptimizer(&m.rule[i].rule)
		m.p[i] = leavesOf(d, i == 0, sizes...)
	}
	if len(sizes) > 1 && rapid.Bool().Draw(t, "float64") {
		n := rapid.IntRange(1, 4).Draw(t, "more")
		for i := range m.p {
			m.p[i] = append(m.p[i], leavesOf(F64, i == 0, slices.Repeat([]int{9}, n)...)...)
		}
	}
	cut := rapid.IntRange(0, len(m.p[0])).Draw(t, "group")
	for i, o := range m.opt {
		for k, list := range [][]*Tensor{m.p[i][:cut], m.p[i][cut:]} {
			if _, err := o.AddGroup(list, &rate{0.25 * float64(k+1)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

// both does the same in both.
func (m *mirror) both(t *rapid.T, f func(i int) error) {
	var errs [2]error
	for i := range m.opt {
		errs[i] = f(i)
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		t.Fatalf("%v and %v", errs[0], errs[1])
	}
}

func sameElements(a, b *Tensor) bool {
	if a == nil || b == nil || a.Released() || b.Released() {
		return (a == nil) == (b == nil) && a.Released() == b.Released()
	}
	return bytes.Equal(Must(a.Bytes()), Must(b.Bytes()))
}

// stepOf is the number of updates of a parameter, without telling the slots.
func stepOf(o *Optimizer, k int) int {
	n := o.slots[k].Step
	for _, b := range o.calls.batches {
		for _, r := range b.runs {
			if slices.Contains(b.slots[r.from:r.to], o.slots[k]) {
				n += r.steps
			}
		}
	}
	return n
}

// check compares all that can be seen.
func (m *mirror) check(t *rapid.T) {
	for k := range m.p[0] {
		if !sameElements(m.p[0][k], m.p[1][k]) {
			t.Fatalf("parameter %d: %v\n%v", k, m.p[0][k], m.p[1][k])
		}
		if a, b := m.p[0][k].auto.gradient(), m.p[1][k].auto.gradient(); !sameElements(a, b) {
			t.Fatalf("gradient %d: %v\n%v", k, a, b)
		}
		for j, a := range m.opt[0].slots[k].State {
			if b := m.opt[1].slots[k].State[j]; !sameElements(a, b) {
				t.Fatalf("state %d of parameter %d: %v\n%v", j, k, a, b)
			}
		}
		if a, b := stepOf(m.opt[0], k), stepOf(m.opt[1], k); a != b {
			t.Fatalf("step %d of parameter %d, want %d", a, k, b)
		}
	}
	for i := range m.kept {
		for k, g := range m.kept[i] {
			if !g.Released() && !sameElements(g, m.was[i][k]) {
				t.Fatalf("a gradient that the program has: %v, was %v", g, m.was[i][k])
			}
		}
	}
}

// forget drops what the program has of a gradient that Backward will add to.
func forget(m *mirror, k int) {
	for i := range m.kept {
		for j := len(m.kept[i]) - 1; j >= 0; j-- {
			if m.kept[i][j] == m.p[i][k].auto.gradient() {
				m.kept[i], m.was[i] = slices.Delete(m.kept[i], j, j+1), slices.Delete(m.was[i], j, j+1)
			}
		}
	}
}

var errTest = errors.New("on purpose")

// useAll goes backward through one call for each use, of one leaf twice, whose derivative makes gradients in an order. One of them may fail, one
// leaf has a hook, and gradients may go through views.
func useAll(p []*Tensor, uses, order []int, fail, hook int, view bool) error {
	var last *Tensor
	for n, k := range uses {
		x := p[k]
		if x.Released() {
			return nil
		}
		in := []*Tensor{x, x, last}
		if view {
			in[1] = Must(x.Reshape(x.n))
		}
		if n == hook {
			remove, err := x.Hook(func(g *Tensor) (*Tensor, error) { return g.copy(), g.Fill(3) })
			if err != nil {
				return err
			}
			defer remove()
		}
		y := newTensor(F32, nil, 1)
		Record("test.use", []*Tensor{y}, in, nil, func(b *Backprop) error {
			for _, i := range order {
				if err := b.Grad(i).Fill(float64(3*n + i + 1)); err != nil {
					return err
				}
			}
			if b.Wants(2) {
				b.Grad(2).Fill(1)
			}
			if n == fail {
				return errTest
			}
			return nil
		})
		last = y
	}
	return last.Backward()
}

// What a program can do with parameters, gradients and states gives the same elements whether parameters were moved or not, and never changes
// gradients that it has got.
func TestOptimBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMirror(t)
		some := func() int { return rapid.IntRange(0, len(m.p[0])-1).Draw(t, "parameter") }
		backward := func(k int) {
			v := float64(rapid.IntRange(-3, 3).Draw(t, "gradient"))
			forget(m, k)
			m.both(t, func(i int) error { return gradOf(m.p[i][k], v) })
		}
		t.Repeat(map[string]func(*rapid.T){
			"": m.check,
			"step": func(t *rapid.T) {
				m.both(t, func(i int) error { return m.opt[i].Step() })
			},
			"loop": func(t *rapid.T) {
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					m.both(t, func(i int) error { m.opt[i].ZeroGrad(); return nil })
					for k := range m.p[0] {
						if !m.p[0][k].Released() {
							backward(k)
						}
					}
					m.both(t, func(i int) error { return m.opt[i].Step() })
				}
			},
			"gaps": func(t *rapid.T) {
				k, last := some(), rapid.Bool().Draw(t, "last released")
				for range 3 {
					m.both(t, func(i int) error { m.opt[i].ZeroGrad(); return nil })
					for j := range m.p[0] {
						if j != k && !m.p[0][j].Released() {
							backward(j)
						}
					}
					m.both(t, func(i int) error { return m.opt[i].Step() })
				}
				if !m.p[0][k].Released() {
					backward(k)
				}
				if last {
					m.both(t, func(i int) error { m.p[i][len(m.p[i])-1].Grad().Release(); return nil })
				}
				m.both(t, func(i int) error { return m.opt[i].Step() })
			},
			"backward": func(t *rapid.T) {
				if k := some(); !m.p[0][k].Released() {
					backward(k)
				}
			},
			"graph": func(t *rapid.T) {
				uses := rapid.SliceOfN(rapid.IntRange(0, len(m.p[0])-1), 1, 6).Draw(t, "uses")
				order := rapid.Permutation([]int{0, 1}).Draw(t, "order")
				fail, hook, view := rapid.IntRange(-9, 5).Draw(t, "fails"), rapid.IntRange(0, 9).Draw(t, "hook"), rapid.Bool().Draw(t, "view")
				for _, k := range uses {
					forget(m, k)
				}
				m.both(t, func(i int) error { return useAll(m.p[i], uses, order, fail, hook, view) })
			},
			"zero": func(t *rapid.T) { m.both(t, func(i int) error { m.opt[i].ZeroGrad(); return nil }) },
			"zero one": func(t *rapid.T) {
				k := some()
				m.both(t, func(i int) error { m.p[i][k].ZeroGrad(); return nil })
			},
			"keep": func(t *rapid.T) {
				k := some()
				m.both(t, func(i int) error {
					if g := m.p[i][k].Grad(); g != nil && !g.Released() {
						m.kept[i], m.was[i] = append(m.kept[i], g), append(m.was[i], g.copy())
					}
					return nil
				})
			},
			"release gradient": func(t *rapid.T) {
				k := some()
				m.both(t, func(i int) error { m.p[i][k].Grad().Release(); return nil })
			},
			"release parameter": func(t *rapid.T) {
				if k := some(); rapid.IntRange(0, 9).Draw(t, "seldom") == 0 {
					m.both(t, func(i int) error { m.p[i][k].Release(); return nil })
				}
			},
			"detach": func(t *rapid.T) {
				k := some()
				m.both(t, func(i int) error { m.p[i][k].Detach().Release(); return nil })
			},
			"slots": func(t *rapid.T) {
				m.both(t, func(i int) error {
					var steps []int
					for _, s := range m.opt[i].Slots() {
						steps = append(steps, s.Step)
					}
					return fmt.Errorf("%v", steps)
				})
			},
			"resume": func(t *rapid.T) {
				if slices.ContainsFunc(m.p[0], (*Tensor).Released) {
					return
				}
				m.both(t, func(i int) error {
					var file bytes.Buffer
					if err := m.opt[i].Save(&file); err != nil {
						return err
					}
					if rapid.Bool().Draw(t, "again") {
						return m.opt[i].Load(&file)
					}
					return nil
				})
			},
			"other optimizer": func(t *rapid.T) {
				k := some()
				m.both(t, func(i int) error {
					o := NewOptimizer(&m.rule[i].rule)
					if _, err := o.AddGroup(m.p[i][k:], &rate{0.125}); err != nil {
						return errors.Unwrap(err)
					}
					return o.Step()
				})
			},
		})
	})
}

// The usual loop is one call for all small parameters, also with gradients that the program has seen; with some missing it is one for each
// sequence of neighbours.
func TestOptimBatchCalls(t *testing.T) {
	d := newDescent()
	p := leavesOf(F32, true, 3, 5000, 10, 400, 7, 1)
	o := NewOptimizer(&d.rule)
	if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	calls := func(want int, gradients ...int) {
		t.Helper()
		for _, k := range gradients {
			if err := gradOf(p[k], 1); err != nil {
				t.Fatal(err)
			}
		}
		d.calls = 0
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		if d.calls != want {
			t.Errorf("%d calls, want %d", d.calls, want)
		}
	}
	for range 3 {
		o.ZeroGrad()
		if n := len(Grads(p...)); n != 0 {
			t.Errorf("%d gradients after ZeroGrad", n)
		}
		calls(2, 0, 1, 2, 3, 4, 5)
		calls(2) // the same gradients once more
		Grads(p...)
	}
	o.ZeroGrad()
	calls(3, 0, 1, 2, 4, 5)
	o.ZeroGrad()
	calls(1, 3)
	o.Slots()
	o.ZeroGrad()
	calls(2, 0, 1, 2, 3, 4, 5)
	view := Must(p[2].Slice(0, 0, 2, 1))
	if _, err := NewOptimizer(&d.rule).AddGroup(p, &rate{0.5}); err != nil { // finds them where they are
		t.Fatal(err)
	}
	o.ZeroGrad()
	calls(2, 0, 1, 2, 3, 4, 5)
	view.Release()
}

// Slices and views that the program has stay those of the parameter.
func TestOptimKeepsSharedMemory(t *testing.T) {
	d := newDescent()
	p := leavesOf(F32, true, 4, 4, 4, 4)
	slice := Must(Data[float32](p[1]))
	view := Must(p[2].Detach().Slice(0, 1, 2, 1))
	if _, err := NewOptimizer(&d.rule).AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	if p[0].auto.block == nil || p[1].auto.block != nil || p[2].auto.block != nil || p[3].auto.block != p[0].auto.block {
		t.Error("the first and the last were to be moved")
	}
	for _, x := range p {
		if err := x.Fill(9); err != nil {
			t.Fatal(err)
		}
	}
	if slice[3] != 9 || Must(view.Item()) != 9 {
		t.Errorf("%v %v", slice, view)
	}
}

// Backward is refused where a step has written what it needs, and nowhere else, however many parameters the step has written at once.
func TestOptimBatchVersions(t *testing.T) {
	d := newDescent()
	p := leavesOf(F32, true, 4, 4, 4)
	o := NewOptimizer(&d.rule)
	if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	square := func(x *Tensor) *Tensor {
		y := newTensor(F32, x.dims(), x.n)
		Record("test.square", []*Tensor{y}, []*Tensor{x}, []Saved{{Name: "x", Tensor: x}}, func(b *Backprop) error { return b.Grad(0).Fill(1) })
		return y
	}
	for _, list := range [][]int{{0, 1, 2}, {0, 1}, {2}, {0, 2}, {1, 2}} {
		o.ZeroGrad()
		for _, k := range list {
			if err := gradOf(p[k], 1); err != nil {
				t.Fatal(err)
			}
		}
		var y []*Tensor
		for _, x := range p {
			y = append(y, square(x))
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		for k := range p {
			err := y[k].BackwardWith(y[k].Detach())
			if written := slices.Contains(list, k); errors.Is(err, ErrVersion) != written || !written && err != nil {
				t.Errorf("gradients %v, parameter %d: %v", list, k, err)
			}
		}
	}
}

// Goroutines go backward to neighbours at the same time, and other ones read gradients.
func TestOptimBatchConcurrently(t *testing.T) {
	d := newDescent()
	p := leavesOf(F32, true, slices.Repeat([]int{6}, 40)...)
	o := NewOptimizer(&d.rule)
	if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	for step := range 20 {
		var all sync.WaitGroup
		for from := range 4 {
			all.Go(func() {
				for k := from; k < len(p); k += 4 {
					if err := errors.Join(gradOf(p[k], 1), gradOf(p[k], 2)); err != nil {
						t.Error(err)
					}
					if step%3 == 1 {
						p[k].Grad()
					}
				}
			})
		}
		all.Wait()
		for k := range p {
			if g := p[k].auto.gradient(); g.load(0) != 3 {
				t.Fatalf("step %d: %v", step, g)
			}
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
		if step%2 == 0 {
			o.ZeroGrad()
			continue
		}
		for from := range 4 {
			all.Go(func() {
				for k := from; k < len(p); k += 4 {
					p[k].ZeroGrad()
				}
			})
		}
		all.Wait()
	}
}

// A parameter that stays where it was, when another optimizer moves its neighbours, keeps its state: that of the neighbours lies around it still.
func TestOptimStatesBetween(t *testing.T) {
	d := newDescent()
	p := leavesOf(F16, true, 1, 2, 1500)
	o := NewOptimizer(&d.rule)
	if _, err := o.AddGroup(p, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewOptimizer(&d.rule).AddGroup([]*Tensor{p[0], p[2]}, &rate{0.5}); err != nil {
		t.Fatal(err)
	}
	if p[0].auto.block == p[1].auto.block || p[0].auto.block != p[2].auto.block {
		t.Fatal("the first and the last were to be moved")
	}
	for range 3 {
		o.ZeroGrad()
		for _, k := range []int{0, 2} {
			if err := gradOf(p[k], 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if s := o.slots[1].State[0]; s.load(0) != 0.5 || s.load(1) != 0.5 {
		t.Errorf("%v", s)
	}
}
