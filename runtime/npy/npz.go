package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/opgen/opgen/runtime"
)

// suffix is what arrays of an archive have behind their names.
const suffix = ".npy"

// WriteZip writes tensors as a .npz archive, in their order, without compression as numpy.savez does.
func WriteZip(w io.Writer, list []runtime.NamedTensor) error {
	return writeZip(w, list, zip.Store)
}

// WriteCompressed is [WriteZip] with compression, as numpy.savez_compressed.
func WriteCompressed(w io.Writer, list []runtime.NamedTensor) error {
	return writeZip(w, list, zip.Deflate)
}

func writeZip(w io.Writer, list []runtime.NamedTensor, method uint16) error {
	const op = "npy.WriteZip"
	seen := map[string]bool{}
	for _, n := range list {
		if n.Name == "" || seen[n.Name] {
			return &runtime.ArgError{Op: op, Arg: "name", Want: "a name that no other tensor has", Got: strconv.Quote(n.Name), Err: runtime.ErrName}
		}
		seen[n.Name] = true
	}
	z := zip.NewWriter(w)
	for _, n := range list {
		f, err := z.CreateHeader(&zip.FileHeader{Name: n.Name + suffix, Method: method})
		if err != nil {
			return err
		}
		if err := write(op, f, n.Tensor); err != nil {
			return named(err, n.Name)
		}
	}
	return z.Close()
}

// named says in which array an error is.
func named(err error, name string) error {
	var e *runtime.ArgError
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", strconv.Quote(name), err)
	}
	c := *e
	c.Arg = strings.TrimSuffix(strconv.Quote(name)+" "+c.Arg, " ")
	return &c
}

// maxRatio is the greatest ratio of compression that there is: what claims more is no archive.
const maxRatio = 1032

// ReadZip reads a .npz archive of a number of bytes. Tensors are in the order of the archive.
func ReadZip(r io.ReaderAt, size int64) ([]runtime.NamedTensor, error) {
	const op = "npy.ReadZip"
	fail := func(name, want, got string) ([]runtime.NamedTensor, error) {
		return nil, &runtime.ArgError{Op: op, Arg: name, Want: want, Got: got, Err: runtime.ErrFormat}
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fail("", "a zip archive", err.Error())
	}
	var list []runtime.NamedTensor
	seen := map[string]bool{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, suffix)
		switch {
		case !ok:
			return fail(strconv.Quote(f.Name), "arrays alone, NAME"+suffix, "another file")
		case seen[name]:
			return fail(strconv.Quote(name), "a name that no other array has", "one that is there already")
		case f.UncompressedSize64/maxRatio > f.CompressedSize64:
			return fail(strconv.Quote(name), fmt.Sprintf("at most %d times the %d bytes in the archive", maxRatio, f.CompressedSize64), fmt.Sprint(f.UncompressedSize64))
		}
		seen[name] = true
		t, err := readEntry(f)
		if err != nil {
			return nil, named(err, name)
		}
		list = append(list, runtime.NamedTensor{Name: name, Tensor: t})
	}
	return list, nil
}

// readEntry reads one array, to its end, where its checksum is tested.
func readEntry(f *zip.File) (*runtime.Tensor, error) {
	r, err := f.Open()
	if err != nil {
		return nil, &runtime.ArgError{Op: "npy.ReadZip", Want: "a file of a zip archive", Got: err.Error(), Err: runtime.ErrFormat}
	}
	defer r.Close()
	t, err := Read(r)
	if err != nil {
		return nil, err
	}
	switch n, err := io.Copy(io.Discard, io.LimitReader(r, 1)); {
	case err != nil:
		return nil, &runtime.ArgError{Op: "npy.ReadZip", Want: "what the checksum says", Got: err.Error(), Err: runtime.ErrFormat}
	case n > 0:
		return nil, &runtime.ArgError{Op: "npy.ReadZip", Want: "nothing behind the elements", Got: "more bytes", Err: runtime.ErrFormat}
	}
	return t, nil
}
