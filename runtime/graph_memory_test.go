package runtime

import (
	goruntime "runtime"
	"testing"
)

// TestBackwardFreesMemory watches the memory in use while Backward goes through a deep chain: each call that is done gives back what it
// had saved.
func TestBackwardFreesMemory(t *testing.T) {
	const depth, n = 64, 1 << 12
	size := int64(classSize(poolClass(8 * n)))
	goruntime.GC()
	emptyPool(t)
	x := Must(Full(1.0, n))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	start := Memory().InUse
	y := x
	var inUse, held []int64
	for i := range depth {
		h := mul(y, y)
		if i > 0 {
			y.Release() // the graph has it
		}
		Must(h.Hook(func(*Tensor) (*Tensor, error) {
			m := Memory()
			inUse, held = append(inUse, m.InUse-start), append(held, m.Held)
			return nil, nil
		}))
		y = h
	}
	if got := Memory().Held; got != 0 {
		t.Fatalf("%d bytes that the graph needs went back", got)
	}
	cotangent := Must(Full(1.0, n))
	if err := y.BackwardWith(cotangent, KeepGraph); err != nil {
		t.Fatal(err)
	}
	for i, b := range held {
		if b > 2*size { // gradients on their way
			t.Fatalf("%d bytes of a graph that is kept went back up to call %d", b, i)
		}
	}
	inUse, held = nil, nil
	if err := y.BackwardWith(cotangent); err != nil {
		t.Fatal(err)
	}
	for i, b := range held {
		if want := int64(i-1) * size; b < want {
			t.Fatalf("after %d calls of %d only %d bytes went back, want %d", i, depth, b, want)
		}
	}
	for i, b := range inUse {
		if want := inUse[0] - int64(max(i-1, 0))*size; b > want {
			t.Fatalf("after %d calls of %d there are %d bytes in use, want at most %d", i, depth, b, want)
		}
	}
	x.Grad().Release()
	y.Release()
	cotangent.Release()
	if got := Memory().InUse - start; got > 0 {
		t.Errorf("%d bytes are still in use", got)
	}
}

// A graph doesn't keep tensors that no derivative reads.
func TestGraphDropsUnread(t *testing.T) {
	const depth, n = 64, 1 << 12
	size := int64(classSize(poolClass(8 * n)))
	goruntime.GC()
	emptyPool(t)
	start := Memory().InUse
	x := Must(Full(1.0, n))
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	y := x
	for range depth {
		z := next(y)
		if y != x {
			y.Release()
		}
		y = z
	}
	if got := Memory().InUse - start; got > 4*size {
		t.Errorf("%d bytes are in use, of %d tensors", got, got/size)
	}
	backward(t, y)
	wantGrad(t, x, Must(Values[float64](Must(Full(1.0, n))))...)
}
