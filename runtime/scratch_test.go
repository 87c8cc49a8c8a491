package runtime

import (
	"sync"
	"testing"
)

// What calls have beside their tensors is counted while they have it.
func TestScratchCounts(t *testing.T) {
	ResetPeak()
	start := Memory()
	a, b := getScratch(1), getScratch(100_000)
	most := int64(4096 + 1<<17)
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
