package runtime

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxHeader bounds the header of a file that is read: it is that of the format.
const maxHeader = 100_000_000

// notesKey is the name in a header that is no tensor's.
const notesKey = "__metadata__"

// ReadTensors reads what WriteTensors or another program has written. Tensors are in the order of their places in the file. It reads
// to the end: tensors must fill the file, without holes or overlaps. No more memory is taken than the file has bytes, but for a
// constant factor.
func ReadTensors(r io.Reader) (list []NamedTensor, notes map[string]string, err error) {
	f := &tensorFile{r: r}
	if err := f.readHeader(); err != nil {
		return nil, nil, err
	}
	at := 0
	for _, e := range f.entries {
		t, err := f.readTensor(&e, at)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, NamedTensor{e.name, t})
		at = e.head.Offsets[1]
	}
	if n, _ := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return nil, nil, f.wrong("", f.data+int64(at), "the end of the file", "more bytes")
	}
	return list, f.notes, nil
}

// tensorFile is a file that is read.
type tensorFile struct {
	r       io.Reader
	data    int64 // where the elements begin
	entries []tensorEntry
	notes   map[string]string
}

type tensorEntry struct {
	name string
	head tensorHeader
}

// wrong is an error at a place of the file, in a tensor if it has a name.
func (f *tensorFile) wrong(name string, at int64, want, got string) error {
	place := fmt.Sprintf("at byte %d", at)
	if name != "" {
		place = strconv.Quote(name) + " " + place
	}
	return &ArgError{Op: "ReadTensors", Arg: place, Want: want, Got: got, Err: ErrFormat}
}

// readHeader reads the size of the header, the header and what it says, and puts its tensors in the order of their places.
func (f *tensorFile) readHeader() error {
	var size [8]byte
	if n, err := io.ReadFull(f.r, size[:]); err != nil {
		return f.wrong("", 0, "the 8 bytes of a size", fmt.Sprintf("%d", n))
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > maxHeader {
		return f.wrong("", 0, fmt.Sprintf("a header of at most %d bytes", maxHeader), fmt.Sprint(n))
	}
	text, err := io.ReadAll(io.LimitReader(f.r, int64(n)))
	if err != nil || uint64(len(text)) < n {
		return f.wrong("", 8, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("%d", len(text)))
	}
	f.data = int64(8 + n)
	if err := f.parse(text); err != nil {
		return err
	}
	slices.SortStableFunc(f.entries, func(a, b tensorEntry) int {
		return cmp.Or(cmp.Compare(a.head.Offsets[0], b.head.Offsets[0]), cmp.Compare(a.head.Offsets[1], b.head.Offsets[1]), strings.Compare(a.name, b.name))
	})
	return nil
}

// parse reads the header: an object in JSON, each name of which is there once.
func (f *tensorFile) parse(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	at := func() int64 { return 8 + d.InputOffset() }
	bad := func(err error) error { return f.wrong("", at(), "a header in JSON", err.Error()) }
	first, err := d.Token()
	if err != nil {
		return bad(err)
	}
	if first != json.Delim('{') || text[0] != '{' {
		return f.wrong("", 8, "{", fmt.Sprint(first))
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return bad(err)
		}
		name := key.(string) // of an object: the decoder takes nothing else
		from := at()
		if seen[name] {
			return f.wrong(name, from, "a name that no other tensor has", "one that is there already")
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return bad(err)
		}
		if name == notesKey {
			if err := json.Unmarshal(value, &f.notes); err != nil {
				return f.wrong(name, from, "notes that are texts", err.Error())
			}
			continue
		}
		e := tensorEntry{name: name}
		if err := json.Unmarshal(value, &e.head); err != nil {
			return f.wrong(name, from, "dtype, shape and data_offsets", err.Error())
		}
		if e.head.Shape == nil || len(e.head.Offsets) != 2 {
			return f.wrong(name, from, "dtype, shape and data_offsets", string(value[:min(len(value), 100)]))
		}
		f.entries = append(f.entries, e)
	}
	if _, err := d.Token(); err != nil {
		return bad(err)
	}
	if rest := bytes.TrimRight(text[d.InputOffset():], " "); len(rest) > 0 {
		return f.wrong("", at(), "spaces up to the end of the header", strconv.Quote(string(rest[:min(len(rest), 20)])))
	}
	return nil
}

// readTensor reads the elements of a tensor, which must begin where the one before ends.
func (f *tensorFile) readTensor(e *tensorEntry, at int) (*Tensor, error) {
	h := &e.head
	wrong := func(want, got string) (*Tensor, error) { return nil, f.wrong(e.name, f.data+int64(at), want, got) }
	d, err := ParseDType(strings.ToLower(h.DType))
	if err != nil || strings.ToUpper(h.DType) != h.DType {
		return wrong("a dtype of "+strings.ReplaceAll(strings.ToUpper(Any.String()), " OR ", " or "), strconv.Quote(h.DType))
	}
	n, err := elements("ReadTensors", h.Shape)
	if err != nil {
		return wrong("a shape that a tensor can have", err.Error())
	}
	size := n * d.Size()
	if h.Offsets[0] != at || size > math.MaxInt-at || h.Offsets[1] != at+size {
		return wrong(fmt.Sprintf("data_offsets [%d, %d]", at, at+size), fmt.Sprint(h.Offsets))
	}
	if err := room("ReadTensors", "", d, h.Shape, n); err != nil {
		return wrong(err.(*ArgError).Want, err.(*ArgError).Got)
	}
	data, err := io.ReadAll(io.LimitReader(f.r, int64(size)))
	if err != nil || len(data) < size {
		return wrong(fmt.Sprintf("%d bytes of elements", size), fmt.Sprint(len(data)))
	}
	t, _ := newResult(d, h.Shape, n)
	t.setBytes(data)
	return t, nil
}
