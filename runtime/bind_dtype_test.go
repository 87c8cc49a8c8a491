package runtime

import (
	"errors"
	"strings"
	"testing"
)

// castSig is of an op with a dtype that no input always has: x: T[...B], like?: Q[], y: Q[...B].
var castSig = Signature{
	Op: "test.cast", Vars: []Var{{Name: "T", DTypes: Floats}, {Name: "Q", DTypes: Signed | 1<<Bool}}, Axes: []Axis{{Name: "B", Pack: true}},
	Params: []Param{
		{Name: "x", Dims: []Dim{{Axis: 0}}, Splat: true},
		{Name: "like", Elem: Elem{Var: 1}, Optional: true, Splat: true},
		{Name: "y", Mode: Out, Elem: Elem{Var: 1}, Dims: []Dim{{Axis: 0}}},
	},
}

// A dtype that no input decides is the caller's, or that of the result.
func TestChoose(t *testing.T) {
	x := Must(New(BF16, 3))
	for _, c := range []struct {
		name   string
		chosen DType
		like   *Tensor
		want   DType
		says   string // in the error
	}{
		{"chosen", I8, nil, I8, ""},
		{"told by an input", NoDType, Scalar(true), Bool, ""},
		{"both", I64, Scalar(int64(1)), I64, ""},
		{"two", I64, Scalar(int8(1)), NoDType, "test.cast: like: wrong dtype: want i64, got i8"},
		{"none", NoDType, nil, NoDType, "test.cast: Q: wrong dtype: want i8, i16, i32, i64 or bool, got no dtype"},
		{"not allowed", F32, nil, NoDType, "test.cast: Q: wrong dtype: want i8, i16, i32, i64 or bool, got f32"},
		{"not allowed of an input", NoDType, Scalar(uint8(1)), NoDType, "test.cast: like: wrong dtype: want i8, i16, i32, i64 or bool, got u8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeaks(t)
			var b Bound
			err := b.Choose(&castSig, 1, c.chosen)
			if err == nil {
				err = castSig.BindNew(&b, nil, x, c.like)
			}
			if c.says != "" {
				if !errors.Is(err, ErrDType) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("got %v, want %s", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Tensor(2).DType(); got != c.want {
				t.Errorf("the result is %v, want %v", got, c.want)
			}
			// Kernels see float32, and the limits are those of the tensors.
			if b.DType != [MaxVars]DType{F32, c.want} || b.Given(0) != BF16 || b.Highest(0) != 0x1.fep127 || b.Epsilon(0) != 0x1p-7 {
				t.Errorf("kernels see %v of %v", b.DType, b.Given(0))
			}
			b.Finish()
		})
	}
	for _, d := range []DType{I16, Bool} {
		var b Bound
		y := Must(New(d, 3))
		if err := castSig.Bind(&b, nil, x, nil, y); err != nil || b.DType[1] != d {
			t.Errorf("into %v: %v, %v", d, b.DType, err)
		}
		b.Finish()
	}
	var b Bound
	if err := castSig.Bind(&b, nil, x, nil, Must(New(U8, 3))); !errors.Is(err, ErrDType) {
		t.Errorf("into u8: %v", err)
	}
}

// Slices of several types are bound as tensors are.
func TestBindMixed(t *testing.T) {
	noLeaks(t)
	sig := Signature{Op: "test.pick", Vars: []Var{{Name: "T", DTypes: Any}}, Axes: []Axis{{Name: "B", Pack: true}}, Outer: true,
		Params: []Param{{Name: "m", Elem: Elem{Fixed: Bool}, Dims: []Dim{{Axis: 0}}}, {Name: "x", Dims: []Dim{{Axis: 0}}}, {Name: "y", Mode: Out, Dims: []Dim{{Axis: 0}}}}}
	m := []bool{true, false}
	call := func(b *Bound, m, x, y Elems) error { return BindMixed(&sig, b, m, x, y) }
	var b Bound
	if err := call(&b, SliceOf(m), SliceOf([]uint16{1, 2}), SliceOf([]uint16{0, 0})); err != nil || b.DType[0] != U16 || b.Ext[0] != 2 {
		t.Errorf("u16: %v, %v", b.DType, err)
	}
	b.Finish()
	// The mask is read while the result is written over it, through a copy.
	b = Bound{}
	if err := call(&b, SliceOf(m), SliceOf([]bool{true, true}), SliceOf(m)); err != nil || b.Ptr[0] == b.Ptr[2] || !*At[bool](b.Ptr[0], 0) {
		t.Errorf("over the mask: %v", err)
	}
	b.Finish()
	b = Bound{}
	h := []Float16{ToFloat16(1), ToFloat16(2)}
	if err := call(&b, SliceOf(m), SliceOf(h), SliceOf(h)); err != nil || b.DType[0] != F32 || *At[float32](b.Ptr[1], 1) != 2 {
		t.Fatalf("f16: %v, %v", b.DType, err)
	}
	*At[float32](b.Ptr[2], 0) = 0.1
	b.Finish()
	if h[0] != ToFloat16(0.1) {
		t.Errorf("the result is %v", h[0])
	}
	b = Bound{}
	err := call(&b, SliceOf(m), SliceOf([]int8{1, 2}), SliceOf([]uint8{0, 0}))
	if !errors.Is(err, ErrDType) || !strings.Contains(err.Error(), "y: wrong dtype: want i8, got u8") {
		t.Errorf("two dtypes: %v", err)
	}
	if err := call(&b, SliceOf(m), SliceOf([]int8{1}), SliceOf([]int8{0, 0})); !errors.Is(err, ErrShape) {
		t.Errorf("two lengths: %v", err)
	}
}
