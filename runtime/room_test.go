package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime/debug"
	"strings"
	"testing"
)

// limited sets MaxBytes for a test.
func limited(t *testing.T, bytes int64) {
	old := SetMaxBytes(bytes)
	t.Cleanup(func() { SetMaxBytes(old) })
}

// What no memory holds is refused before anything is allocated: by constructors, views that would be copied, results of ops, readers, and
// values on the way.
func TestMaxBytes(t *testing.T) {
	huge := int(min(int64(1)<<43, maxElements))
	if bits.UintSize == 32 {
		limited(t, 1<<26) // any tensor that can be addressed fits most machines
	}
	for name, call := range map[string]func() error{
		"New":    func() error { _, err := New(F64, huge); return err },
		"Zeros":  func() error { _, err := Zeros[int8](huge); return err },
		"Full":   func() error { _, err := Full(1.0, 2, huge/2); return err },
		"Arange": func() error { _, err := Arange(int64(0), int64(huge), 1); return err },
		"Expand": func() error { _, err := Scalar(1.0).Expand(huge); return err },
		"ReadTensors": func() error {
			head := fmt.Sprintf(`{"x":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, huge, 4*huge)
			var b bytes.Buffer
			binary.Write(&b, binary.LittleEndian, uint64(len(head)))
			b.WriteString(head)
			_, _, err := ReadTensors(io.MultiReader(&b, endless{}))
			return err
		},
	} {
		err := call()
		if !errors.Is(err, ErrShape) && !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "SetMaxBytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
	limited(t, 1000)
	for n, ok := range map[int]bool{125: true, 126: false, 0: true} {
		if _, err := New(F64, n); (err == nil) != ok {
			t.Errorf("%d: %v", n, err)
		}
	}
	sig := Signature{Op: "t.outer", Axes: []Axis{{Name: "N"}, {Name: "M"}}, Params: []Param{
		{Name: "x", Elem: Elem{Fixed: F32}, Dims: []Dim{{Axis: 0}}}, {Name: "z", Elem: Elem{Fixed: F32}, Dims: []Dim{{Axis: 1}}},
		{Name: "y", Elem: Elem{Fixed: F32}, Mode: Out, Dims: []Dim{{Axis: 0}, {Axis: 1}}},
	}}
	var b Bound
	x := Must(Zeros[float32](100))
	if err := sig.BindNew(&b, nil, x, x); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "t.outer: y: ") {
		t.Errorf("result: %v", err)
	}
}

// A call refuses values on the way, and what it copies for kernels, before it writes anything: for tensors that need no work, for others, and
// for slices.
func TestMaxBytesOnTheWay(t *testing.T) {
	f32, f16 := Elem{Fixed: F32}, Elem{Fixed: F16}
	vector := []Dim{{Axis: 0}}
	sig := func(op string, temps []Scratch, elem Elem, inPlace uint64) *Signature {
		return &Signature{Op: op, Axes: []Axis{{Name: "B", Pack: true}}, Outer: true, Scratch: temps, Params: []Param{
			{Name: "x", Elem: elem, Dims: vector}, {Name: "y", Elem: elem, Mode: Out, Dims: vector, InPlace: inPlace}}}
	}
	total := &Signature{Op: "t.total", Axes: []Axis{{Name: "B", Pack: true}}, Params: []Param{
		{Name: "x", Elem: f32, Dims: vector}, {Name: "z", Elem: f32, Dims: vector}, {Name: "y", Elem: f32, Mode: Out}}}
	x, y := Must(Zeros[float32](4096)), Must(Zeros[float32](4096))
	h, k := Must(New(F16, 4096)), Must(New(F16, 4096))
	row, column := Must(Zeros[float32](1, 4096)), Must(Zeros[float32](4096, 1))
	huge := Must(Must(Zeros[float32](1)).Expand(1 << (13 + 6*(bits.UintSize/64))))
	hugeRow, hugeColumn := Must(huge.Unsqueeze(0)), Must(huge.Unsqueeze(1))
	limited(t, 40960)
	data := make([]float32, 12288)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"dense":   {sig("t.twice", []Scratch{{Axes: []int{0, 0}, Elem: f32}}, f32, 0).Bind(new(Bound), nil, x, y), "values on the way: "},
		"general": {sig("t.twice", []Scratch{{Axes: []int{0}, Elem: f32}}, f16, 0).Bind(new(Bound), nil, h, k), "values on the way: "},
		"halves":  {sig("t.half", nil, f16, 0).Bind(new(Bound), nil, Must(New(F16, 12288)), Must(New(F16, 12288))), "t.half: x: "},
		"joint":   {total.BindNew(new(Bound), nil, row, column), "t.total: x: "},
		"huge":    {total.BindNew(new(Bound), nil, hugeRow, hugeColumn), ""},
		"slices":  {BindSlices(sig("t.way", []Scratch{{Axes: []int{0, 0}, Elem: f32}}, f32, 0), new(Bound), data[:4096], data[4096:8192]), "values on the way: "},
		"overlap": {BindSlices(sig("t.slices", nil, f32, 0), new(Bound), data[:11900], data[1:11901]), "t.slices: x: "},
	} {
		if !errors.Is(c.err, ErrShape) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if m := Memory(); m.Scratch != 0 {
		t.Errorf("%d bytes of calls are still in use", m.Scratch)
	}
	var b Bound
	limited(t, 32768)
	if err := sig("t.half", nil, f16, 0).Bind(&b, nil, h, k); err != nil {
		t.Error(err)
	}
	b.Finish()
}

// The limit is for all that a call takes: results, values on the way and copies. What is refused leaves nothing behind.
func TestMaxBytesOfCalls(t *testing.T) {
	vector := []Dim{{Axis: 0}}
	sig := &Signature{Op: "t.two", Vars: []Var{{Name: "T", DTypes: Floats}}, Axes: []Axis{{Name: "N"}}, Scratch: []Scratch{{Axes: []int{0}, Elem: Elem{Fixed: F64}}}, Params: []Param{
		{Name: "x", Dims: vector}, {Name: "y", Mode: Out, Dims: vector}, {Name: "z", Mode: Out, Dims: vector}}}
	x, h := Must(Zeros[float64](4096)), Must(New(F16, 4096))
	across := Must(Must(Zeros[float64](4096, 2)).Select(1, 0))
	y, z := Must(Zeros[float64](4096)), Must(Zeros[float64](4096))
	const size = 8 * 4096
	for _, c := range []struct {
		name  string
		x     *Tensor
		takes int64 // of MaxBytes
		into  []*Tensor
	}{
		{"results and a value", x, 3 * size, nil},
		{"a value", x, size, []*Tensor{y, z}},
		{"a copy too", across, 4 * size, nil},
		{"halves in f32", h, 3 * size, nil},
	} {
		for _, short := range []int64{0, 1} {
			func() {
				defer SetMaxBytes(SetMaxBytes(c.takes - short))
				before := Memory()
				var b Bound
				var err error
				if c.into == nil {
					err = sig.BindNew(&b, nil, c.x)
				} else {
					err = sig.Bind(&b, nil, append([]*Tensor{c.x}, c.into...)...)
				}
				if short == 0 && err != nil || short == 1 && (!errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "SetMaxBytes")) {
					t.Errorf("%s, %d too few: %v", c.name, short, err)
				}
				if err == nil {
					b.Finish()
					for i := range 2 {
						if c.into == nil {
							b.Tensor(i + 1).Release()
						}
					}
				}
				if m := Memory(); m.Scratch != before.Scratch || m.InUse != before.InUse {
					t.Errorf("%s, %d too few: %d and %d bytes are left", c.name, short, m.Scratch-before.Scratch, m.InUse-before.InUse)
				}
			}()
		}
	}
}

// endless is a file that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// The limit follows what the program asks of Go's memory.
func TestMaxBytesOfMemoryLimit(t *testing.T) {
	old := debug.SetMemoryLimit(1 << 30)
	defer debug.SetMemoryLimit(old)
	if got := MaxBytes(); got != 1<<30 {
		t.Errorf("%d", got)
	}
	if _, err := New(U8, 1<<30+1); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}
