package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/runtime"
)

// file is one of those that testdata/make.py wrote with NumPy 1.24.
func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unzip(t testing.TB, data []byte) map[string]*runtime.Tensor {
	t.Helper()
	list, err := ReadZip(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*runtime.Tensor{}
	for _, n := range list {
		all[n.Name] = n.Tensor
	}
	return all
}

// holds checks bits of the elements of a tensor of shape [2 3].
func holds[T runtime.Element](t *testing.T, x *runtime.Tensor, want ...T) {
	t.Helper()
	y := runtime.Must(runtime.FromSlice(want, 2, 3))
	if !runtime.Equal(x, y) {
		t.Errorf("got %v, want %v", x, y)
	}
}

func limits[T runtime.Integer](t *testing.T, x *runtime.Tensor) {
	t.Helper()
	least, greatest := runtime.Least[T](), runtime.Greatest[T]()
	holds(t, x, 0, 1, greatest, least, 7, greatest/3)
}

// Files of NumPy with every dtype, in both orders of bytes, compressed and not.
func TestDTypes(t *testing.T) {
	for _, name := range []string{"little.npz", "big.npz"} {
		all := unzip(t, file(t, name))
		if len(all) != 12 {
			t.Errorf("%s has %d arrays", name, len(all))
		}
		limits[int8](t, all["i1"])
		limits[int16](t, all["i2"])
		limits[int32](t, all["i4"])
		limits[int64](t, all["i8"])
		limits[uint8](t, all["u1"])
		limits[uint16](t, all["u2"])
		limits[uint32](t, all["u4"])
		limits[uint64](t, all["u8"])
		holds(t, all["b1"], true, false, true, false, false, true)
		holds[runtime.Float16](t, all["f2"], 0, 0x8000, 0x7bff, 1, 0x7e00, 0xfc00)
		inf, negative := math.Inf(-1), math.Copysign(0, -1)
		holds(t, all["f4"], 0, float32(negative), math.MaxFloat32, math.SmallestNonzeroFloat32, math.Float32frombits(0x7fc00000), float32(inf))
		holds(t, all["f8"], 0, negative, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Float64frombits(0x7ff8000000000000), inf)
	}
}

func TestShapes(t *testing.T) {
	all := unzip(t, file(t, "shapes.npz"))
	if x := all["number"]; x.Rank() != 0 || runtime.Must(x.Item()) != 2.5 {
		t.Error(x)
	}
	if x := all["empty"]; !slices.Equal(x.Shape(), []int{3, 0, 2}) || x.DType() != runtime.F32 {
		t.Error(x)
	}
	counting := runtime.Must(runtime.Must(runtime.Arange[int32](0, 24, 1)).Reshape(2, 3, 4))
	for _, name := range []string{"c", "fortran"} {
		if x := all[name]; !runtime.Equal(x, counting) {
			t.Errorf("%s: %v", name, x)
		}
	}
	if got := all["fortran"].Strides(); !slices.Equal(got, []int{1, 2, 6}) {
		t.Errorf("an array in Fortran order has strides %v", got)
	}
	for _, name := range []string{"version1.npy", "version2.npy", "version3.npy"} {
		x, err := Read(bytes.NewReader(file(t, name)))
		if err != nil || x.DType() != runtime.I16 || !slices.Equal(x.Shape(), []int{2, 3, 4}) || runtime.Must(x.At(1, 2, 3)) != 23 {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// What NumPy wrote is written with the same bytes.
func TestSameBytesAsNumPy(t *testing.T) {
	for _, archive := range []string{"little.npz", "shapes.npz"} {
		data := file(t, archive)
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			want, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			x, err := Read(bytes.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := Write(&b, x); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%s: wrote\n%q, want\n%q", f.Name, b.Bytes(), want)
			}
		}
	}
}

// Tensors of any dtype and layout are read as they were written.
func TestRoundTrip(t *testing.T) {
	dtypes := make([]runtime.DType, 0, len(typeCodes))
	for d := range typeCodes {
		dtypes = append(dtypes, d)
	}
	slices.Sort(dtypes)
	rapid.Check(t, func(r *rapid.T) {
		var list []runtime.NamedTensor
		for i := range rapid.IntRange(0, 3).Draw(r, "tensors") {
			d := rapid.SampledFrom(dtypes).Draw(r, "dtype")
			shape := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 4).Draw(r, "shape")
			n := d.Size()
			for _, e := range shape {
				n *= e
			}
			x := runtime.Must(runtime.FromBytes(d, rapid.SliceOfN(rapid.Byte(), n, n).Draw(r, "elements"), shape...))
			x = runtime.Must(x.Permute(rapid.Permutation(descending(len(shape))).Draw(r, "order")...))
			if rapid.Bool().Draw(r, "flip") {
				x = runtime.Must(x.Flip())
			}
			list = append(list, runtime.NamedTensor{Name: string(rune('a' + i)), Tensor: x})
		}
		for _, write := range []func(io.Writer, []runtime.NamedTensor) error{WriteZip, WriteCompressed} {
			var b bytes.Buffer
			if err := write(&b, list); err != nil {
				r.Fatal(err)
			}
			got, err := ReadZip(bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil || len(got) != len(list) {
				r.Fatal(got, err)
			}
			for i := range got {
				if got[i].Name != list[i].Name || !runtime.Equal(got[i].Tensor, list[i].Tensor) {
					r.Fatalf("got %v, want %v", got[i], list[i])
				}
			}
		}
	})
}

// raw is a .npy file with a header of one's own.
func raw(text, data string) string {
	return magic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text + data
}

func TestWrongFiles(t *testing.T) {
	good := "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
	change := func(old, new string) string { return raw(strings.Replace(good, old, new, 1), "12345678") }
	if _, err := Read(strings.NewReader(raw(good, "12345678"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, message string }{
		"empty":            {"", "at byte 0"},
		"another file":     {"PK\x03\x04 and so on", "at byte 0"},
		"version 4":        {magic + "\x04\x00\x00\x00", "at byte 6"},
		"version 1.1":      {magic + "\x01\x01\x00\x00", "at byte 6"},
		"no length":        {magic + "\x02\x00\x00\x00", "at byte 8"},
		"huge header":      {magic + "\x02\x00\xff\xff\xff\xff{", "at byte 8"},
		"short header":     {magic + "\x01\x00\x20\x00{", "at byte 10"},
		"no text":          {magic + "\x03\x00\x01\x00\x00\x00\xff", "UTF-8"},
		"no dictionary":    {raw("[]", ""), "at byte 10"},
		"no keys":          {raw("{}", ""), "'descr', 'fortran_order' and 'shape'"},
		"another key":      {change("'shape'", "'shapes'"), "'shapes'"},
		"a key twice":      {change("'fortran_order'", "'descr'"), "each key once"},
		"no colon":         {change("descr':", "descr'"), "want :"},
		"string":           {change("'descr'", "'descr"), "want :"},
		"string, open":     {raw("{'descr", ""), "with an end"},
		"rest":             {change(" }", " } x"), "the end of the header"},
		"fields":           {change("'<f4'", "[('a', '<f4')]"), "fields"},
		"complex":          {change("<f4", "<c8"), "at byte 20"},
		"bfloat16":         {change("<f4", "<V2"), "one of f2"},
		"text":             {change("<f4", "<U3"), "one of f2"},
		"order":            {change("<f4", "|f4"), "order of bytes"},
		"fortran":          {change("False", "None"), "True or False"},
		"list":             {change("(2,)", "[2]"), "want ("},
		"negative":         {change("(2,)", "(-2,)"), "an extent"},
		"number":           {change("(2,)", "(2)"), "a tuple of one"},
		"huge extent":      {change("(2,)", "(99999999999999999999,)"), "an extent"},
		"huge shape":       {change("(2,)", "(4294967296, 4294967296)"), "memory"},
		"too large":        {change("(2,)", "(1073741824, 1024)"), "bytes of elements"},
		"nine axes":        {change("(2,)", "(1, 1, 1, 1, 1, 1, 1, 1, 2)"), "at most 8 axes"},
		"fewer elements":   {raw(good, "1234567"), "want 8 bytes of elements, got 7"},
		"no more elements": {raw(good, ""), "got 0 bytes"},
	} {
		_, err := Read(strings.NewReader(c.text))
		var arg *runtime.ArgError
		if !errors.As(err, &arg) || !errors.Is(err, runtime.ErrFormat) || arg.Op != "npy.Read" || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that never ends isn't read when its elements are more than memory.
func TestEndless(t *testing.T) {
	text := raw("{'descr': '<f4', 'fortran_order': False, 'shape': (8796093022208,), }", "")
	_, err := Read(io.MultiReader(strings.NewReader(text), zeros{}))
	if !errors.Is(err, runtime.ErrFormat) || !strings.Contains(err.Error(), "SetMaxBytes") {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestWrongArchives(t *testing.T) {
	archive := func(files ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			f, err := z.Create(files[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte(files[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	one := raw("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "1")
	broken := file(t, "little.npz")
	at := bytes.Index(broken, []byte(magic)) + 130
	broken = slices.Clone(broken)
	broken[at] ^= 1
	for name, data := range map[string][]byte{
		"no archive":   []byte("no archive"),
		"another file": archive("a.npy", one, "b.txt", "b"),
		"twice":        archive("a.npy", one, "a.npy", one),
		"wrong array":  archive("a.npy", "a"),
		"more bytes":   archive("a.npy", one+"2"),
		"checksum":     broken,
		"short":        broken[:len(broken)/2],
	} {
		_, err := ReadZip(bytes.NewReader(data), int64(len(data)))
		var arg *runtime.ArgError
		if !errors.As(err, &arg) || !errors.Is(err, runtime.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x, gone := runtime.Scalar[int8](1), runtime.Scalar(1.0)
	gone.Release()
	for name, c := range map[string]struct {
		list []runtime.NamedTensor
		kind error
	}{
		"nil":      {[]runtime.NamedTensor{{Name: "x"}}, runtime.ErrNil},
		"bf16":     {[]runtime.NamedTensor{{Name: "x", Tensor: runtime.Scalar(runtime.ToBFloat16(1))}}, runtime.ErrDType},
		"twice":    {[]runtime.NamedTensor{{Name: "x", Tensor: x}, {Name: "x", Tensor: x}}, runtime.ErrName},
		"released": {[]runtime.NamedTensor{{Name: "x", Tensor: gone}}, runtime.ErrClosed},
	} {
		if err := WriteZip(io.Discard, c.list); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead reads anything, with an error or without. What was read is written and read again.
func FuzzRead(f *testing.F) {
	f.Add(file(f, "version1.npy"))
	f.Add(file(f, "version3.npy"))
	f.Add([]byte(raw("{'descr': '|b1', 'fortran_order': True, 'shape': (2, 1), }", "\x01\x02")))
	f.Add([]byte(raw("{'descr': '>f8', 'fortran_order': True, 'shape': (0L, 9), }", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, x); err != nil {
			t.Fatal(err)
		}
		if y, err := Read(&b); err != nil || !runtime.Equal(x, y) {
			t.Fatalf("%v becomes %v: %v", x, y, err)
		}
	})
}

// FuzzReadZip is FuzzRead for archives.
func FuzzReadZip(f *testing.F) {
	f.Add(file(f, "shapes.npz"))
	f.Add(file(f, "big.npz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadZip(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, n := range list {
			if n.Tensor == nil {
				t.Fatal(n.Name)
			}
		}
	})
}
