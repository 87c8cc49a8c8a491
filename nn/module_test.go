package nn

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/runtime"
)

// Dropout does nothing but in training; there a call is a function of the layer and its number.
func TestDropout(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(3))
	d, other := b.Dropout(0.25), b.Dropout(0.25)
	const n = 4000
	x := runtime.Must(runtime.Full(1.0, n))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []Mode{Eval, Tune} {
		if y, err := d.Forward(x, m); err != nil || y != x {
			t.Errorf("mode %d: %v, %v", m, y, err)
		}
	}
	y := runtime.Must(d.Forward(x, Train(1)))
	kept := 0.0
	for _, v := range runtime.Must(runtime.Values[float64](y)) {
		if v != 0 {
			kept++
			if v != 1/0.75 {
				t.Fatalf("1 became %v", v)
			}
		}
	}
	if share := kept / n; math.Abs(share-0.75) > 4*math.Sqrt(0.75*0.25/n) {
		t.Errorf("%v of the elements were kept", share)
	}
	if !runtime.Equal(y, runtime.Must(d.Forward(x, Train(1)))) {
		t.Error("a call with the same number dropped other elements")
	}
	if runtime.Equal(y, runtime.Must(d.Forward(x, Train(2)))) || runtime.Equal(y, runtime.Must(other.Forward(x, Train(1)))) {
		t.Error("another call or layer dropped the same elements")
	}
	if err := y.BackwardWith(runtime.Must(runtime.Full(1.0, n))); err != nil {
		t.Fatal(err)
	}
	if !runtime.Equal(x.Grad(), y) {
		t.Error("gradients of other elements were dropped")
	}
}

// TestModuleMisuse has an error for each wrong use, and no panic.
func TestModuleMisuse(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(3))
	x := runtime.Must(runtime.Full(1.0, 2, 3))
	for name, c := range map[string]struct {
		m    Module
		mode Mode
		kind error
	}{
		"shape":            {b.Linear(4, 2, nil), Eval, runtime.ErrShape},
		"dtype":            {New(runtime.F32, runtime.NewSeed(1)).Linear(3, 2, nil), Eval, runtime.ErrDType},
		"indices":          {b.Embedding(3, 2, -1), Eval, runtime.ErrDType},
		"no module":        {Sequential{nil}, Eval, runtime.ErrNil},
		"no function":      {Func(nil), Eval, runtime.ErrNil},
		"no weight":        {&Linear{}, Eval, runtime.ErrNil},
		"no table":         {&Embedding{}, Train(1), runtime.ErrNil},
		"no scale":         {&LayerNorm{}, Train(1), runtime.ErrNil},
		"no kernel":        {&Conv{}, Eval, runtime.ErrNil},
		"in the middle":    {Sequential{b.Linear(3, 2, nil), b.Linear(3, 2, nil)}, Train(1), runtime.ErrShape},
		"share":            {b.Dropout(1.5), Train(1), runtime.ErrAttr},
		"number of a call": {b.Dropout(0.5), Train(1 << 32), runtime.ErrAttr},
		"number below 0":   {b.Dropout(0.5), Train(-1), runtime.ErrAttr},
	} {
		if y, err := c.m.Forward(x, c.mode); !errors.Is(err, c.kind) || y != nil {
			t.Errorf("%s: %v, %v, want %v", name, y, err, c.kind)
		}
	}
	if _, err := Flatten()(runtime.Scalar(1.0)); !errors.Is(err, runtime.ErrShape) {
		t.Errorf("flatten: %v", err)
	}
	if b := New(runtime.F32, runtime.NewSeed(1)); b.Dropout(math.NaN()) == nil || !errors.Is(b.Err(), runtime.ErrAttr) || b.Parameter(nil, Fan{}, math.MaxInt) != nil {
		t.Errorf("dropout with probability NaN: %v", b.Err())
	}
	for _, call := range []int64{0, 1, 7, -1, math.MaxInt64 - 1, math.MinInt64 + 1} {
		if got, ok := Train(call).Training(); !ok || got != call {
			t.Errorf("call %d is %d, %v", call, got, ok)
		}
	}
	for _, call := range []int64{math.MaxInt64, math.MinInt64} { // no modes of their own, but training
		if _, ok := Train(call).Training(); !ok {
			t.Errorf("call %d is no training", call)
		}
	}
	for _, m := range []Mode{Eval, Tune} {
		if _, ok := m.Training(); ok {
			t.Errorf("mode %d is training", m)
		}
	}
}

// tied is a network of one's own, with a parameter that is there twice.
type tied struct {
	embed  *Embedding
	scores *Linear
}

func (n *tied) Forward(x *runtime.Tensor, mode Mode) (*runtime.Tensor, error) {
	h, err := n.embed.Forward(x, mode)
	if err != nil {
		return nil, err
	}
	return n.scores.Forward(h, mode)
}

func (n *tied) Parameters() []Parameter {
	return Children{{"embed", n.embed}, {"scores", n.scores}}.Parameters()
}

// A parameter that is there twice counts once, and gets the gradients of both uses.
func TestTied(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(3))
	e := b.Embedding(3, 2, -1)
	n := &tied{e, &Linear{Weight: e.Weight}}
	if names := Names(n); !slices.Equal(names, []string{"embed.weight"}) || len(n.Parameters()) != 2 || Count(n) != 6 || len(Tensors(n)) != 1 {
		t.Errorf("names %v", names)
	}
	if err := e.Weight.CopyFrom(runtime.Must(runtime.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 3, 2))); err != nil {
		t.Fatal(err)
	}
	y := runtime.Must(n.Forward(runtime.Must(runtime.FromSlice([]int32{1}, 1)), Train(1)))
	if err := y.BackwardWith(runtime.Must(runtime.Full(1.0, 1, 3))); err != nil {
		t.Fatal(err)
	}
	// y = Σ over rows r of w[1]·w[r]: each row gets w[1], and row 1 the sum of the rows as well.
	if got, want := runtime.Must(runtime.Values[float64](e.Weight.Grad())), []float64{3, 4, 12, 16, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
}

// What runs in the memory of the caller records nothing, and can't write to the result of what is recorded.
func TestIntoRecordsNothing(t *testing.T) {
	l := New(runtime.F64, runtime.NewSeed(3)).Linear(3, 2, nil)
	x, y := runtime.Must(runtime.Full(1.0, 4, 3)), runtime.Must(runtime.Full(0.0, 4, 2))
	if err := linalg.LinearInto(y, x, l.Weight, l.Bias); err != nil {
		t.Fatal(err)
	}
	if y.RequiresGrad() || !runtime.Equal(y, runtime.Must(l.Forward(x, Eval))) {
		t.Error("LinearInto records")
	}
	for mode, records := range map[Mode]bool{Eval: false, Tune: true, Train(1): true} {
		if got := runtime.Must(l.Forward(x, mode)).RequiresGrad(); got != records {
			t.Errorf("mode %d records: %v", mode, got)
		}
	}
	if err := linalg.LinearInto(runtime.Must(l.Forward(x, Tune)), x, l.Weight, l.Bias); !errors.Is(err, runtime.ErrGrad) {
		t.Errorf("written over a recorded result: %v", err)
	}
}

// Many goroutines run one network forward and backward; the sum of their gradients is that of one.
func TestConcurrentNetwork(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(3))
	net := Sequential{b.Linear(3, 8, nil), Func(activation.Relu), b.Dropout(0.3), b.LayerNorm(8), b.Linear(8, 2, nil)}
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	const calls = 16
	inputs := make([]*runtime.Tensor, calls)
	for i := range inputs {
		inputs[i] = runtime.Must(runtime.FromSlice([]float64{float64(i), 1, -1, 0.5, float64(-i), 2}, 2, 3))
	}
	labels := runtime.Must(runtime.FromSlice([]int32{0, 1}, 2))
	call := func(i int) {
		y, err := net.Forward(inputs[i], Train(int64(i+1)))
		if err != nil {
			t.Error(err)
			return
		}
		l, err := loss.CrossEntropy(y, labels, nil, nil)
		if err == nil {
			err = l.Backward()
		}
		if err != nil {
			t.Error(err)
		}
	}
	for i := range calls {
		call(i)
	}
	var want []array
	for _, p := range Tensors(net) {
		g := p.Grad()
		want = append(want, array{Shape: g.Shape(), Data: runtime.Must(runtime.Values[float64](g))})
	}
	ZeroGrad(net)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { call(i) })
	}
	wg.Wait()
	for i, p := range Tensors(net) {
		near(t, Names(net)[i], p.Grad(), &want[i])
	}
}

// Layers run in each float dtype: the results are those of f64, as exact as the dtype is.
func TestDTypes(t *testing.T) {
	build := func(d runtime.DType) (embed *Embedding, rest Sequential) {
		b := New(d, runtime.NewSeed(4))
		embed = b.Embedding(5, 36, -1)
		rest = Sequential{b.Conv2d(1, 2, 3, 3, nil), MaxPool2d(2, 2, nil), Flatten(), b.LayerNorm(8), b.Dropout(0.2), b.Linear(8, 3, nil), Func(activation.Silu)}
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		return embed, rest
	}
	run := func(d runtime.DType) (y, gradient []float64) {
		embed, rest := build(d)
		h, err := embed.Forward(runtime.Must(runtime.FromSlice([]int64{4, 0}, 2)), Train(3))
		if err == nil {
			h, err = h.Reshape(2, 1, 6, 6)
		}
		if err == nil {
			h, err = rest.Forward(h, Train(3))
		}
		if err != nil {
			t.Fatal(err)
		}
		one := runtime.Must(runtime.New(d, 2, 3))
		if err := one.Fill(1); err != nil {
			t.Fatal(err)
		}
		if err := h.BackwardWith(one); err != nil {
			t.Fatal(err)
		}
		g := embed.Weight.Grad()
		if h.DType() != d || g.DType() != d {
			t.Errorf("%v became %v, with a gradient of %v", d, h.DType(), g.DType())
		}
		for i := range 2 {
			for j := range 3 {
				y = append(y, runtime.Must(h.At(i, j)))
			}
			for j := range 36 {
				gradient = append(gradient, runtime.Must(g.At(4*i, j)))
			}
		}
		return y, gradient
	}
	wantY, wantG := run(runtime.F64)
	for d, eps := range map[runtime.DType]float64{runtime.F32: 0x1p-23, runtime.F16: 0x1p-10, runtime.BF16: 0x1p-7} {
		y, g := run(d)
		for i, w := range append(wantY, wantG...) {
			if got := append(y, g...)[i]; math.Abs(got-w) > 8*eps*(1+math.Abs(w)) {
				t.Errorf("%v: value %d is %v, want %v", d, i, got, w)
			}
		}
	}
}
