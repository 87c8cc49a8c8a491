package nn

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/gen/window"
	"github.com/opgen/opgen/runtime"
)

// TestInits compares the range, mean and deviation of drawn weights with the formulas of the sources.
func TestInits(t *testing.T) {
	const in, out = 80, 50
	for name, c := range map[string]struct {
		init      Init
		deviation float64
		bound     float64 // 0: none
	}{
		"fan-in":          {FanInUniform(), 1 / math.Sqrt(3*in), 1 / math.Sqrt(in)},
		"default":         {nil, 1 / math.Sqrt(3*in), 1 / math.Sqrt(in)},
		"xavier uniform":  {XavierUniform(GainTanh), 5.0 / 3 * math.Sqrt(2.0/(in+out)), 5.0 / 3 * math.Sqrt(6.0/(in+out))},
		"xavier normal":   {XavierNormal(GainLinear), math.Sqrt(2.0 / (in + out)), 0},
		"kaiming uniform": {KaimingUniform(GainRelu), math.Sqrt(2.0 / in), math.Sqrt(6.0 / in)},
		"kaiming normal":  {KaimingNormal(GainLeakyRelu(0.5)), math.Sqrt(2 / 1.25 / in), 0},
		"of outputs":      {OfOutputs(KaimingNormal(GainSelu)), 0.75 / math.Sqrt(out), 0},
		"uniform":         {Uniform(-2, 2), 2 / math.Sqrt(3), 2},
		"normal":          {Normal(0, 3), 3, 0},
		"constant":        {Constant(0), 0, 0},
	} {
		b := New(runtime.F64, runtime.NewSeed(7))
		l := b.Linear(in, out, &Options{Weight: c.init})
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		var sum, square, most float64
		for _, w := range runtime.Must(runtime.Values[float64](l.Weight)) {
			sum += w
			square += w * w
			most = max(most, math.Abs(w))
		}
		const n = in * out
		if mean := sum / n; math.Abs(mean) > 4*c.deviation/math.Sqrt(n) {
			t.Errorf("%s: mean %v", name, mean)
		}
		if d := math.Sqrt(square / n); math.Abs(d-c.deviation) > 0.05*c.deviation {
			t.Errorf("%s: deviation %v, want about %v", name, d, c.deviation)
		}
		if c.bound > 0 && (most > c.bound || most < 0.99*c.bound) {
			t.Errorf("%s: the greatest is %v, want just below %v", name, most, c.bound)
		}
	}
	if got, want := fanOf([]int{6, 2, 3, 5}), (Fan{30, 90}); got != want {
		t.Errorf("fan of a kernel %v, want %v", got, want)
	}
	b := New(runtime.F64, runtime.NewSeed(7))
	if l := b.Linear(0, 2, nil); b.Err() != nil || !slices.Equal(runtime.Must(runtime.Values[float64](l.Bias)), []float64{0, 0}) {
		t.Errorf("a layer without inputs: %v", b.Err())
	}
}

// A network is a function of the calls that make it and of the seed; no two of its parameters have the same numbers.
func TestBuilderSeeds(t *testing.T) {
	build := func(dtype runtime.DType, key uint64) (Sequential, []*Dropout) {
		b := New(dtype, runtime.NewSeed(key))
		d := []*Dropout{b.Dropout(0.5), b.Dropout(0.5)}
		s := Sequential{b.Linear(8, 8, nil), d[0], b.Linear(8, 8, nil), d[1], b.Embedding(8, 8, -1)}
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		return s, d
	}
	for _, d := range []runtime.DType{runtime.F16, runtime.BF16, runtime.F32, runtime.F64} {
		a, drops := build(d, 1)
		same, _ := build(d, 1)
		other, otherDrops := build(d, 2)
		x, y, z := Tensors(a), Tensors(same), Tensors(other)
		for i := range x {
			if x[i].DType() != d || !runtime.Equal(x[i], y[i]) || runtime.Equal(x[i], z[i]) {
				t.Errorf("%v: parameter %d doesn't follow the seed", d, i)
			}
			for j := range i {
				if runtime.Equal(x[i], x[j]) {
					t.Errorf("%v: parameters %d and %d are equal", d, j, i)
				}
			}
		}
		if drops[0].Key == drops[1].Key || drops[0].Key == otherDrops[0].Key {
			t.Error("layers drop the same elements")
		}
	}
}

// TestBuilderErrors has an error for each layer that can't be.
func TestBuilderErrors(t *testing.T) {
	for name, c := range map[string]struct {
		dtype runtime.DType
		make  func(*Builder)
		kind  error
	}{
		"integers":   {runtime.I32, func(b *Builder) { b.Linear(2, 3, nil) }, runtime.ErrDType},
		"shape":      {runtime.F32, func(b *Builder) { b.Linear(-2, 3, nil) }, runtime.ErrShape},
		"norm":       {runtime.F32, func(b *Builder) { b.LayerNorm(-1) }, runtime.ErrShape},
		"padding":    {runtime.F32, func(b *Builder) { b.Embedding(3, 2, 3) }, runtime.ErrIndex},
		"groups":     {runtime.F32, func(b *Builder) { b.Conv2d(3, 4, 1, 1, &ConvOptions{Attrs: window.ConvAttrs{Groups: new(2)}}) }, runtime.ErrAttr},
		"the first":  {runtime.F32, func(b *Builder) { b.Embedding(3, 2, -7); b.Linear(-1, 1, nil) }, runtime.ErrIndex},
		"many axes":  {runtime.F32, func(b *Builder) { b.LayerNorm(1, 1, 1, 1, 1, 1, 1, 1, 1) }, runtime.ErrShape},
		"no element": {runtime.NoDType, func(b *Builder) { b.Dropout(0.1); b.LayerNorm(1) }, runtime.ErrDType},
	} {
		b := New(c.dtype, runtime.NewSeed(1))
		c.make(b)
		if !errors.Is(b.Err(), c.kind) {
			t.Errorf("%s: %v, want %v", name, b.Err(), c.kind)
		}
	}
}
