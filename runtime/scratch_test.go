package runtime

import (
	goruntime "runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// What calls have beside their tensors is counted while they have it.
func TestScratchCounts(t *testing.T) {
	ResetPeak()
	start := Memory()
	a, b := getScratch(1), getScratch(100_000)
	most := int64(4096 + 7<<14)
	if s := Memory(); s.Scratch != start.Scratch+most || s.ScratchPeak < s.Scratch || s.InUse != start.InUse {
		t.Errorf("with two blocks: %+v, before %+v", s, start)
	}
	putScratch(a)
	putScratch(b)
	if s := Memory(); s.Scratch != start.Scratch || s.ScratchPeak != start.Scratch+most {
		t.Errorf("afterwards: %+v, before %+v", s, start)
	}
	ResetPeak()
	if s := Memory(); s.ScratchPeak != start.Scratch {
		t.Errorf("peak %d after ResetPeak, want %d", s.ScratchPeak, start.Scratch)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 1000 {
				putScratch(getScratch(n))
			}
		})
	}
	wg.Wait()
	if s := Memory(); s.Scratch != start.Scratch || s.ScratchPeak > start.Scratch+8*4096 || s.ScratchPeak < start.Scratch+4096 {
		t.Errorf("after many: %+v", s)
	}
}

// What a call had that ended in a panic, which somebody has recovered, counts until it is collected; it isn't used again.
func TestScratchOfPanics(t *testing.T) {
	before := Memory()
	sum := &Plan{Name: "test.bad", Rows: true, Operands: []Operand{{DType: F32}, {DType: F32, Use: Acc, Monoid: SumOf}}}
	const rows = 4 * chunkElements
	x := Must(New(F32, rows))
	var y float32
	launch := func(k Kernel) (failed bool) {
		defer func() { failed = recover() != nil }()
		a := Args{Rows: rows, N: 1, K: 1}
		a.Ptr[0], a.Row[0], a.Ptr[1] = x.data, 1, unsafe.Pointer(&y)
		Launch(k, &a, sum)
		return false
	}
	for range 20 {
		if !launch(func(a *Args) {
			if a.First > 0 {
				panic("bad")
			}
			time.Sleep(20 * time.Microsecond)
		}) {
			t.Fatal("no panic")
		}
		if launch(func(a *Args) { *(*float32)(a.Ptr[1]) = float32(a.Rows) }) || y != rows {
			t.Fatalf("a call after it: %v", y)
		}
	}
	for range 100 {
		goruntime.GC()
		if Memory().Scratch == before.Scratch {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes are still counted", Memory().Scratch-before.Scratch)
}

// The gradient of a tensor that lies in another order goes through memory of the call.
func TestScratchOfCalls(t *testing.T) {
	ResetPeak()
	before := Memory()
	const n = 300
	x := Must(New(F32, n, n))
	y := Must(New(F32, n, n))
	sig := &Signature{Op: "test.copy", Vars: []Var{{Name: "T", DTypes: Floats}}, Axes: []Axis{{Name: "N", Pack: true}}, Params: []Param{
		{Name: "x", Dims: []Dim{{Axis: 0}}}, {Name: "y", Mode: Out, Dims: []Dim{{Axis: 0}}},
	}}
	var b Bound
	if err := sig.Bind(&b, nil, Must(x.Transpose(0, 1)), y); err != nil {
		t.Fatal(err)
	}
	if s := Memory(); s.Scratch < before.Scratch+4*n*n {
		t.Errorf("%d bytes while the call runs", s.Scratch)
	}
	b.Finish()
	if s := Memory(); s.Scratch != before.Scratch || s.ScratchPeak < before.Scratch+4*n*n {
		t.Errorf("%+v after it, %+v before", s, before)
	}
}
