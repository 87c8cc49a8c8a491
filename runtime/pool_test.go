package runtime

import (
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// emptyPool gives a test a pool with nothing in it, when what earlier tests dropped was counted.
func emptyPool(t *testing.T) MemoryStats {
	t.Helper()
	for last := int64(-1); last != Memory().InUse; {
		last = Memory().InUse
		goruntime.GC()
		time.Sleep(2 * time.Millisecond)
	}
	TrimPool()
	ResetPeak()
	s := Memory()
	if s.Held != 0 {
		t.Fatalf("%d bytes are held after TrimPool", s.Held)
	}
	return s
}

// Blocks are large enough, and at most a quarter of one isn't used.
func TestPoolClasses(t *testing.T) {
	last := 0
	for size := 1; size < 1<<20; size += 1 + size/100 {
		c := poolClass(size)
		if got := classSize(c); got < size || size > leastPooled && got > size+size/4+1 || c < last || c > 0 && classSize(c-1) >= size {
			t.Fatalf("%d bytes: class %d of %d", size, c, got)
		}
		last = c
	}
	if c := poolClass(maxElements * 8); c >= poolClasses || classSize(c) < maxElements*8 {
		t.Errorf("the largest tensor has class %d of %d", c, poolClasses)
	}
}

// Memory that was released is used again, cleared where zeros are promised, and counted.
func TestReuse(t *testing.T) {
	start := emptyPool(t)
	const n = 1 << 14
	bytes := int64(n * 4)
	x := Must(New(F32, n))
	if err := x.Fill(math.NaN()); err != nil {
		t.Fatal(err)
	}
	at := x.data
	x.Release()
	x.Release()
	if s := Memory(); s.Held != bytes || s.InUse != start.InUse || s.Peak != start.InUse+bytes || s.Allocs != start.Allocs+1 {
		t.Errorf("after Release: %+v, before %+v", s, start)
	}
	y := Must(New(I32, n))
	if y.data != at {
		t.Error("other memory was taken")
	}
	for _, v := range Must(Values[int32](y)) {
		if v != 0 {
			t.Fatal("memory that was used again isn't cleared")
		}
	}
	if s := Memory(); s.Held != 0 || s.Reuses != start.Reuses+1 || s.Reused != start.Reused+bytes || s.Allocated != start.Allocated+bytes {
		t.Errorf("after reuse: %+v", s)
	}
	old := SetPoolLimit(0)
	y.Release()
	if s := Memory(); s.Held != 0 || s.InUse != start.InUse {
		t.Errorf("a pool that may hold nothing: %+v", s)
	}
	if SetPoolLimit(old) != 0 {
		t.Error("SetPoolLimit doesn't tell what was")
	}
}

// The memory stays as long as a tensor over it is in use, or somebody outside has it.
func TestReleaseKeepsWhatIsUsed(t *testing.T) {
	emptyPool(t)
	x := Must(Full[float32](3, 100, 100))
	views := []*Tensor{Must(x.Transpose(0, 1)), x.Detach(), Must(x.Slice(0, 1, 2, 1))}
	x.Release()
	for _, v := range views {
		if Memory().Held != 0 || Must(v.At(0, 0)) != 3 {
			t.Fatal("memory that a view has went back")
		}
		v.Release()
	}
	if Memory().Held == 0 {
		t.Error("nobody has the memory, but it didn't go back")
	}
	TrimPool()
	y := Must(New(F32, 1<<14))
	data := Must(Data[float32](y))
	y.Release()
	if s := Memory(); s.Held != 0 {
		t.Error("memory that Data gave out went to the pool")
	}
	z := Must(Full[float32](1, 1<<14))
	if data[5] != 0 || Must(z.At(5)) != 1 {
		t.Error("a slice shares the memory of a new tensor")
	}
	z.Release()
	s := make([]float64, 1<<14)
	Must(FromSlice(s, len(s))).Release()
	if got := Memory().Held; got != 1<<16 {
		t.Errorf("memory of the caller went to the pool: %d bytes are held", got)
	}
	goruntime.KeepAlive(data)
}

// A released tensor tells its shape; everything else fails.
func TestReleased(t *testing.T) {
	x := counting(F32, 0, 2, 3)
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	other := counting(F32, 0, 2, 3)
	x.Release()
	if !x.Released() || other.Released() || (*Tensor)(nil).Released() {
		t.Error("Released is wrong")
	}
	if x.DType() != F32 || !slices.Equal(x.Shape(), []int{2, 3}) || x.String() != "f32[2 3] (released)" || x.Device().String() != "released" {
		t.Errorf("it is described as %v on %v", x, x.Device())
	}
	var b Bound
	only := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"At": only(x.At(0, 0)), "Item": only(x.Item()), "Set": x.Set(1, 0, 0), "Fill": x.Fill(1),
		"Get": only(Get[float32](x, 0, 0)), "Put": Put(x, float32(1), 0, 0),
		"Data": only(Data[float32](x)), "Values": only(Values[float32](x)), "Bytes": only(x.Bytes()),
		"Read": Read(make([]float32, 6), x), "Write": Write(x, make([]float32, 6)),
		"CopyFrom": x.CopyFrom(other), "source": other.CopyFrom(x),
		"Slice": only(x.Slice(0, 0, 1, 1)), "Permute": only(x.Permute(1, 0)), "Transpose": only(x.Transpose(0, 1)),
		"Expand": only(x.Expand(2, 3)), "Reshape": only(x.Reshape(6)), "Flip": only(x.Flip()), "Select": only(x.Select(0, 0)),
		"Squeeze": only(x.Squeeze()), "Unsqueeze": only(x.Unsqueeze(0)),
		"Clone": only(x.Clone().Item()), "Detach": only(x.Detach().At(0, 0)), "Contiguous": only(x.Contiguous().At(0, 0)),
		"Backward": x.Backward(), "BackwardWith": x.BackwardWith(other),
		"an input":   pointSig.Bind(&b, nil, x, other, other),
		"an output":  pointSig.Bind(&b, nil, other, other, x),
		"new result": pointSig.BindNew(&b, nil, other, x),
		"a file":     WriteTensors(nil, []NamedTensor{{"x", x}}, nil),
	} {
		var arg *ArgError
		if !errors.Is(err, ErrClosed) || !errors.As(err, &arg) {
			t.Errorf("%s: %v", name, err)
		}
	}
	y := counting(F32, 0, 2)
	if err := y.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	if err := y.Clone().BackwardWith(released2()); !errors.Is(err, ErrClosed) {
		t.Errorf("a cotangent: %v", err)
	}
}

func released2() *Tensor {
	g := Must(New(F32, 2))
	g.Release()
	return g
}

// A recorded call keeps what it reads, until its graph is freed.
func TestGraphKeepsMemory(t *testing.T) {
	const n = 1 << 12
	square := func(x *Tensor) *Tensor {
		y := x.copy()
		v := Must(Values[float64](x))
		for i, a := range v {
			v[i] = a * a
		}
		if err := Write(y, v); err != nil {
			t.Fatal(err)
		}
		Record("test.square", []*Tensor{y}, []*Tensor{x}, []Saved{{Name: "x", Tensor: x}}, func(p *Backprop) error {
			g, c, a := p.Grad(0), Must(Values[float64](p.Cotangent(0))), Must(Values[float64](p.Saved(0)))
			for i := range c {
				c[i] *= 2 * a[i]
			}
			return Write(g, c)
		})
		return y
	}
	emptyPool(t)
	x := Must(Full(3.0, n))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	h := square(x)
	y := square(h)
	h.Release()
	if Memory().Held != 0 {
		t.Fatal("memory that a graph needs went back")
	}
	over := Must(Full(math.NaN(), n))
	if err := y.BackwardWith(Must(Full(1.0, n)), KeepGraph); err != nil {
		t.Fatal(err)
	}
	if got := Must(x.Grad().At(7)); got != 108 {
		t.Errorf("gradient %v, want 108", got)
	}
	held := Memory().Held
	if err := y.BackwardWith(Must(Full(1.0, n))); err != nil {
		t.Fatal(err)
	}
	if got := Must(x.Grad().At(7)); got != 216 {
		t.Errorf("gradient %v, want 216", got)
	}
	if Memory().Held <= held {
		t.Error("a graph that is freed kept its memory")
	}
	over.Release()
	x.Release()
	if _, err := x.At(0); !errors.Is(err, ErrClosed) || x.Grad() == nil {
		t.Errorf("a released leaf: %v", err)
	}
}

// Whatever is made, viewed, released and collected: what is in use holds what was written to it.
func TestPoolNeverShares(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		type live struct {
			t    *Tensor
			want float64
		}
		var all []live
		next := 1.0
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			what := rapid.IntRange(0, 5).Draw(r, "what")
			if len(all) == 0 {
				what = 0
			}
			k := 0
			if len(all) > 0 {
				k = rapid.IntRange(0, len(all)-1).Draw(r, "which")
			}
			switch what {
			case 0, 1:
				x := Must(Full(next, rapid.SampledFrom([]int{1, 1500, 2000, 3000}).Draw(r, "n")))
				all = append(all, live{x, next})
				next++
			case 2:
				all = append(all, live{Must(all[k].t.Flip()), all[k].want})
			case 3:
				all = append(all, live{all[k].t.Clone(), all[k].want})
			case 4, 5:
				all[k].t.Release()
				all = slices.Delete(all, k, k+1)
			}
			for _, l := range all {
				if a, b := Must(l.t.At(0)), Must(l.t.At(-1)); a != l.want || b != l.want {
					r.Fatalf("%v and %v instead of %v", a, b, l.want)
				}
			}
		}
		for _, l := range all {
			l.t.Release()
		}
	})
}

func TestPoolConcurrently(t *testing.T) {
	start := emptyPool(t)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 300 {
				x := Must(Full(float64(g), 1024+i))
				v := Must(x.Reshape(-1, 1))
				x.Release()
				if Must(v.At(0, 0)) != float64(g) || Must(v.At(-1, 0)) != float64(g) {
					t.Error("shared memory")
				}
				v.Release()
			}
		})
	}
	wait.Wait()
	if s := Memory(); s.InUse > start.InUse {
		t.Errorf("%d bytes in use, %d at the start", s.InUse, start.InUse)
	}
}

// Memory that is dropped without Release is counted when the garbage collector has found it.
func TestDroppedMemory(t *testing.T) {
	start := emptyPool(t)
	for range 10 {
		Must(New(F64, 1<<14))
	}
	for range 200 {
		goruntime.GC()
		if Memory().InUse <= start.InUse {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d bytes in use, %d at the start", Memory().InUse, start.InUse)
}
