package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
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
	huge := int(min(int64(1)<<43, math.MaxInt/4))
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
	for _, n := range []int{126, -1} {
		var b Bound
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, ErrShape) {
					t.Errorf("%d on the way: %v", n, err)
				}
			}()
			b.Scratch(F64, n)
		}()
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
