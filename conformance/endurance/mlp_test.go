package endurance

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/runtime"
)

func heavy() bool { return os.Getenv("OPGEN_HEAVY") != "" && !testing.Short() }

// tensor is a tensor of numbers that look random.
func tensor(seed int, shape ...int) *runtime.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(runtime.Uniform64(runtime.NewSeed(uint64(seed)), 0, i)) - 0.5
	}
	t := runtime.Must(runtime.New(runtime.F32, shape...))
	if err := runtime.Write(t, v); err != nil {
		panic(err)
	}
	return t
}

// mlp is a network with one hidden layer.
type mlp struct {
	x, t   *runtime.Tensor
	params []*runtime.Tensor // weights and biases of the two layers
}

func newMLP(batch, in, hidden, out int) *mlp {
	m := &mlp{x: tensor(1, batch, in), t: tensor(2, batch, out)}
	m.params = []*runtime.Tensor{tensor(3, hidden, in), tensor(4, hidden), tensor(5, out, hidden), tensor(6, out)}
	for _, p := range m.params {
		if err := p.RequireGrad(); err != nil {
			panic(err)
		}
	}
	return m
}

// step computes the loss and its gradients. With release, what isn't needed any more goes back to the pool at once.
func (m *mlp) step(release bool) (float64, error) {
	let := func(t *runtime.Tensor) {
		if release {
			t.Release()
		}
	}
	a, err := linalg.Linear(m.x, m.params[0], m.params[1])
	if err != nil {
		return 0, err
	}
	h, err := activation.Relu(a)
	if err != nil {
		return 0, err
	}
	let(a)
	y, err := linalg.Linear(h, m.params[2], m.params[3])
	if err != nil {
		return 0, err
	}
	let(h)
	l, err := loss.MSE(y, m.t, nil)
	if err != nil {
		return 0, err
	}
	let(y)
	if err := l.Backward(); err != nil {
		return 0, err
	}
	v, err := l.Item()
	let(l)
	return v, err
}

// zeroGrad drops the gradients.
func (m *mlp) zeroGrad(release bool) {
	for _, p := range m.params {
		if release {
			p.Grad().Release()
		}
		p.ZeroGrad()
	}
}

// With Release steps have the same bits as without, and after the first ones no memory is taken from Go.
func TestMemoryOfTraining(t *testing.T) {
	plain, pooled := newMLP(64, 128, 256, 32), newMLP(64, 128, 256, 32)
	train := func(m *mlp, i int, release bool) float64 {
		before := runtime.Memory()
		l, err := m.step(release)
		if err != nil {
			t.Fatal(err)
		}
		after := runtime.Memory()
		if took := after.Allocated - before.Allocated; release && i >= 2 && took != 0 {
			t.Errorf("step %d took %d bytes from Go", i, took)
		} else if !release && took == 0 {
			t.Errorf("step %d without Release took nothing from Go", i)
		}
		return l
	}
	for range 3 {
		if _, err := plain.step(false); err != nil { // empties the pool
			t.Fatal(err)
		}
		plain.zeroGrad(false)
	}
	want := train(plain, 3, false)
	for i := range 8 {
		got := train(pooled, i, true)
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("step %d: loss %v, without Release %v", i, got, want)
		}
		for k, p := range pooled.params {
			if !runtime.Equal(p.Grad(), plain.params[k].Grad()) {
				t.Fatalf("step %d: another gradient of parameter %d", i, k)
			}
		}
		pooled.zeroGrad(true)
	}
}

// Tensors that a graph has saved are there until Backward, whoever releases them; afterwards they are closed.
func TestReleaseBeforeBackward(t *testing.T) {
	m := newMLP(8, 100, 200, 30)
	a := runtime.Must(linalg.Linear(m.x, m.params[0], m.params[1]))
	h := runtime.Must(activation.Relu(a))
	a.Release()
	over := runtime.Must(runtime.Full(float32(math.NaN()), a.Shape()...)) // takes the memory, if it is free
	y := runtime.Must(linalg.Linear(h, m.params[2], m.params[3]))
	h.Release()
	if _, err := activation.Relu(h); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("a released tensor as an input: %v", err)
	}
	l := runtime.Must(loss.MSE(y, m.t, nil))
	y.Release()
	if err := l.Backward(); err != nil {
		t.Fatal(err)
	}
	if err := l.Backward(); !errors.Is(err, runtime.ErrGrad) {
		t.Errorf("a second Backward: %v", err)
	}
	other := newMLP(8, 100, 200, 30)
	if _, err := other.step(false); err != nil {
		t.Fatal(err)
	}
	for k, p := range m.params {
		if !runtime.Equal(p.Grad(), other.params[k].Grad()) {
			t.Errorf("another gradient of parameter %d", k)
		}
	}
	over.Release()
}

// BenchmarkMLP is forward and backward with and without Release.
func BenchmarkMLP(b *testing.B) {
	for _, c := range []struct {
		name    string
		release bool
	}{{"collected", false}, {"released", true}} {
		b.Run(c.name, func(b *testing.B) {
			m := newMLP(256, 256, 1024, 64)
			b.ReportAllocs()
			start := runtime.Memory()
			for b.Loop() {
				if _, err := m.step(c.release); err != nil {
					b.Fatal(err)
				}
				m.zeroGrad(c.release)
			}
			b.ReportMetric(float64(runtime.Memory().Allocated-start.Allocated)/float64(b.N)/1e6, "MB-from-Go/op")
		})
	}
}
