package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestTensorFiles reads what WriteTensors wrote, of any dtype and shape, and from views.
func TestTensorFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []NamedTensor
		for i := range rapid.IntRange(0, 4).Draw(t, "tensors") {
			d := DType(rapid.IntRange(1, int(dtypeCount)-1).Draw(t, "dtype"))
			x := Must(New(d, rapid.SliceOfN(rapid.IntRange(0, 3), 0, 4).Draw(t, "shape")...))
			data := unsafe.Slice((*byte)(x.data), x.n*d.Size())
			for k := range data {
				if data[k] = rapid.Byte().Draw(t, "byte"); d == Bool {
					data[k] &= 1
				}
			}
			if x.rank > 1 && rapid.Bool().Draw(t, "turned") {
				x = Must(x.Transpose(0, 1))
			}
			list = append(list, NamedTensor{fmt.Sprintf("layer.%d \"x\"", i), x})
		}
		var notes map[string]string
		if rapid.Bool().Draw(t, "notes") {
			notes = map[string]string{"step": "3", "π": "\n"}
		}
		var file bytes.Buffer
		if err := WriteTensors(&file, list, notes); err != nil {
			t.Fatal(err)
		}
		got, gotNotes, err := ReadTensors(&file)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(list) || len(gotNotes) != len(notes) || gotNotes["π"] != notes["π"] {
			t.Fatalf("%v and %v, want %v and %v", got, gotNotes, list, notes)
		}
		for _, n := range list {
			i := slices.IndexFunc(got, func(m NamedTensor) bool { return m.Name == n.Name })
			if i < 0 {
				t.Fatalf("no %q", n.Name)
			}
			x := got[i].Tensor
			if x.dtype != n.Tensor.dtype || !sameShape(x, n.Tensor) || !bytes.Equal(x.littleEndian(), n.Tensor.littleEndian()) {
				t.Fatalf("%q is %v, want %v", n.Name, x, n.Tensor)
			}
		}
	})
}

// pythonFile is what version 0.7 of the Python package safetensors writes.
const pythonFile = "\xf8\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"k":"v"},"b":{"dtype":"I64","shape":[],"data_offsets":[0,8]},` +
	`"a":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},"c":{"dtype":"F16","shape":[0,3],"data_offsets":[24,24]},"d":{"dtype":"BOOL","shape":[2],"data_offsets":[24,26]}} ` +
	"\x07\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x90\xc0" + "\x01\x00"

func TestTensorFilesOfOthers(t *testing.T) {
	list, notes, err := ReadTensors(strings.NewReader(pythonFile))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	by := map[string]*Tensor{}
	for _, n := range list {
		names = append(names, n.Name)
		by[n.Name] = n.Tensor
	}
	if !slices.Equal(names, []string{"b", "a", "c", "d"}) || notes["k"] != "v" || len(notes) != 1 {
		t.Fatal(names, notes)
	}
	if x := Must(by["b"].Item()); by["b"].dtype != I64 || x != 7 {
		t.Error(x)
	}
	if x := Must(Values[float32](by["a"])); !slices.Equal(x, []float32{1, 2, 3, -4.5}) || !slices.Equal(by["a"].Shape(), []int{2, 2}) {
		t.Error(x)
	}
	if by["c"].dtype != F16 || !slices.Equal(by["c"].Shape(), []int{0, 3}) {
		t.Error(by["c"])
	}
	if x := Must(Values[bool](by["d"])); !slices.Equal(x, []bool{true, false}) {
		t.Error(x)
	}
	var again bytes.Buffer
	if err := WriteTensors(&again, list, notes); err != nil || again.String() != pythonFile {
		t.Errorf("written as %q, %v", again.String(), err)
	}
}

func TestTensorFilesThatAreNone(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(pythonFile, old) {
			t.Fatal(old)
		}
		return strings.Replace(pythonFile, old, new, 1)
	}
	for name, text := range map[string]string{
		"empty":         "",
		"short size":    "\x01",
		"huge header":   "\xff\xff\xff\xff\xff\xff\xff\xff{}",
		"short header":  pythonFile[:100],
		"no JSON":       change(`{"__meta`, `["__meta`),
		"numbers":       change(`{"k":"v"}`, `{"k":333}`),
		"no dtype":      change(`"F32"`, `"F33"`),
		"negative":      change(`[2,2]`, `[-22]`),
		"other size":    change(`[2,2]`, `[2,3]`),
		"overlap":       change(`[8,24]`, `[0,16]`),
		"gap":           change(`[24,26]`, `[25,27]`),
		"short":         pythonFile[:len(pythonFile)-1],
		"huge tensor":   change(`[2,2]`, `[9,9]`),
		"small letters": change(`"F32"`, `"f32"`),
		"float8":        change(`"F16"`, `"F8_E4M3"`),
		"no shape":      change(`"shape":[2,2],`, ``),
		"three offsets": change(`[8,24]`, `[8,24,24]`),
		"no texts":      change(`{"k":"v"}`, `["k","v"]`),
		"name twice":    change(`"b":{`, `"a":{`),
		"space first":   pythonFile[:8] + " " + strings.Replace(pythonFile[8:], `}} `, `}}`, 1),
		"more header":   change(`}} `, `}}x`),
		"more bytes":    pythonFile + "\x00",
		"overflow":      change(`[2,2]`, `[4294967296,4294967296]`),
		"ten axes":      change(`[2,2]`, `[1,1,1,1,1,1,1,1,2,2]`),
		"huge offsets":  change(`[8,24]`, `[8,99999999999999999999]`),
		"array":         "\x02\x00\x00\x00\x00\x00\x00\x00[]",
	} {
		_, _, err := ReadTensors(strings.NewReader(text))
		var arg *ArgError
		if !errors.As(err, &arg) || !errors.Is(err, ErrFormat) || !strings.Contains(arg.Arg, "at byte ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	x := Must(New(F32, 1))
	for _, c := range []struct {
		list []NamedTensor
		kind error
	}{
		{[]NamedTensor{{"x", nil}}, ErrNil}, {[]NamedTensor{{"x", x}, {"x", x}}, ErrName}, {[]NamedTensor{{"__metadata__", x}}, ErrName},
		{[]NamedTensor{{"\xff", x}, {"\xfe", x}}, ErrName},
	} {
		if err := WriteTensors(&bytes.Buffer{}, c.list, nil); !errors.Is(err, c.kind) {
			t.Error(err)
		}
	}
}

// FuzzReadTensors reads anything, with an error or without.
func FuzzReadTensors(f *testing.F) {
	f.Add([]byte(pythonFile))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, notes, err := ReadTensors(bytes.NewReader(data))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := WriteTensors(&file, list, notes); err != nil {
			t.Fatal(err)
		}
		if again, _, err := ReadTensors(&file); err != nil || len(again) != len(list) {
			t.Fatal(err)
		}
	})
}
