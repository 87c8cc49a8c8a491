package runtime

import (
	"fmt"
	"testing"
	"unsafe"
)

// manySig has as many inputs as a signature can, but for one output.
func manySig(inputs int) *Signature {
	s := &Signature{Op: "test.many", Vars: testVars, Axes: packB, Outer: true}
	for i := range inputs {
		s.Params = append(s.Params, Param{Name: fmt.Sprintf("x%d", i), Dims: dims(0), Splat: true})
	}
	s.Params = append(s.Params, Param{Name: "y", Mode: Out, Dims: dims(0), InPlace: 1 << (inputs - 1)})
	return s
}

// Parameters beyond those that stand in the Bound itself are bound like the others: by Bind, BindNew and BindSlices.
func TestBindMany(t *testing.T) {
	noLeaks(t)
	for _, inputs := range []int{Near - 1, Near, Near + 1, MaxParams - 1} {
		s := manySig(inputs)
		var in []*Tensor
		var data [][]float32
		for i := range inputs {
			in = append(in, counting(F32, 10*i, 3))
			data = append(data, []float32{float32(i), 1, 2})
		}
		in[inputs-1] = Must(Scalar[float32](7).Expand(3)) // one that is not dense
		check := func(b *Bound, how string) {
			t.Helper()
			for i := range inputs {
				if i < inputs-1 && b.Address(i) != b.Tensor(i).data {
					t.Errorf("%s, %d inputs: address of %d", how, inputs, i)
				}
			}
			if b.Move(inputs-1) != 0 || *(*float32)(b.Address(inputs - 1)) != 7 {
				t.Errorf("%s, %d inputs: the last one is not a page of equal elements", how, inputs)
			}
			for k := range 3 {
				*(*float32)(unsafe.Add(b.Address(inputs), 4*k)) = float32(k)
			}
			b.Finish()
		}
		y := Must(counting(F32, 0, 6).Slice(0, 0, 6, 2)) // an output that goes through scratch memory
		before := y.store.version.Load()
		var b Bound
		if err := s.Bind(&b, nil, append(append([]*Tensor{}, in...), y)...); err != nil {
			t.Fatal(err)
		}
		check(&b, "Bind")
		if v := y.store.version.Load(); v != before+1 {
			t.Errorf("%d inputs: version %d of the output after %d", inputs, v, before)
		}
		if v := Must(Values[float32](y)); v[1] != 1 || v[2] != 2 {
			t.Errorf("%d inputs: the output holds %v", inputs, v)
		}
		var made Bound
		if err := s.BindNew(&made, nil, in...); err != nil {
			t.Fatal(err)
		}
		check(&made, "BindNew")
		if v := Must(Values[float32](made.Tensor(inputs))); v[2] != 2 { // asked for after Finish
			t.Errorf("%d inputs: the output that was made holds %v", inputs, v)
		}
		var slices Bound
		if err := BindSlices(s, &slices, append(data, make([]float32, 3))...); err != nil {
			t.Fatal(err)
		}
		if p := slices.Address(inputs - 1); *(*float32)(p) != float32(inputs-1) {
			t.Errorf("%d inputs: the last slice begins with %v", inputs, *(*float32)(p))
		}
		slices.Finish()
	}
}

// Signatures with many tensors allocate nothing where the caller has the outputs.
func TestBindManyAllocates(t *testing.T) {
	s := manySig(MaxParams - 1)
	var all []*Tensor
	for range s.Params {
		all = append(all, counting(F32, 0, 3))
	}
	var b Bound
	if n := testing.AllocsPerRun(100, func() {
		b = Bound{}
		if err := s.Bind(&b, nil, all...); err != nil {
			t.Fatal(err)
		}
		b.Finish()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
