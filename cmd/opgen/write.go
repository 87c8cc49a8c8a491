package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opgen/opgen/codegen/emit"
)

// change is one file that differs from what opgen would write.
type change struct {
	path     string
	old, new []byte // nil: missing; to be removed
}

func (c change) kind() string {
	switch {
	case c.old == nil:
		return "missing"
	case c.new == nil:
		return "orphaned"
	}
	return "stale"
}

// compare finds what differs in the output folder: files to write, and orphans, which opgen wrote for a spec that is gone.
func compare(dir string, files []emit.File) ([]change, error) {
	return compareAs(dir, files, layout{folder: func(name string) bool { return strings.HasSuffix(name, "cuda") }, file: func(name string) bool { return strings.Contains(name, "_gen") }})
}

// layout tells where in an output folder there may be orphans.
type layout struct {
	folder func(name string) bool // below it, beside those of the files that are wanted
	file   func(name string) bool
}

// compareAs is compare for files that lie otherwise.
func compareAs(dir string, files []emit.File, where layout) ([]change, error) {
	var r []change
	want := map[string]bool{}
	folders := map[string]bool{".": true}
	for _, f := range files {
		want[filepath.FromSlash(f.Name)] = true
		folders[filepath.Dir(filepath.FromSlash(f.Name))] = true
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		old, err := readOurs(path)
		if err != nil {
			return nil, err
		}
		if ch, differs := changeOf(path, old, f.Data); differs {
			r = append(r, ch)
		}
	}
	orphans, err := orphans(dir, folders, want, where)
	if err != nil {
		return nil, err
	}
	r = append(r, orphans...)
	slices.SortFunc(r, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return r, nil
}

// readOurs reads a file that opgen may replace; nil where there is none. One with another text than opgen's is an error, for it
// would be lost.
func readOurs(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(bytes.TrimSpace(text)) > 0 && !emit.IsGenerated(text):
		return nil, fmt.Errorf("%s was not written by opgen, as its first line shows: move it away, or remove it", slash(path))
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

// changeOf is what becomes of a file with a text, nil if there is no file, that should have another one. Carriage returns at the
// ends of lines, which Git adds on Windows, are no difference.
func changeOf(path string, old, new []byte) (change, bool) {
	return change{path: path, old: old, new: new}, old == nil || !bytes.Equal(plain(old), new)
}

// plain is a text without carriage returns at the ends of lines.
func plain(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// orphans are files with opgen's mark, in the folders that it writes to and in those that may be its own, that are not wanted.
func orphans(dir string, folders, want map[string]bool, where layout) ([]change, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && where.folder(e.Name()) {
			folders[e.Name()] = true
		}
	}
	var r []change
	for f := range folders {
		entries, err := os.ReadDir(filepath.Join(dir, f))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := filepath.Join(f, e.Name())
			if e.IsDir() || want[name] || !where.file(e.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if emit.IsGenerated(data) {
				r = append(r, change{path: filepath.Join(dir, name), old: data})
			}
		}
	}
	return r, nil
}

// apply writes and removes. All new texts are on the disk before the first file is replaced, and each is replaced as a whole: a run
// that fails or is interrupted while writing leaves the old files; between two renames it leaves old and new ones, nothing half.
func apply(changes []change) error {
	var ready []*staged
	defer func() {
		for _, s := range ready {
			s.discard()
		}
	}()
	for _, c := range changes {
		if c.new == nil {
			continue
		}
		s, err := stage(c.path, c.new)
		if err != nil {
			return err
		}
		ready = append(ready, s)
	}
	for _, s := range ready {
		if err := s.commit(); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if c.new != nil {
			continue
		}
		if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // another run may have been faster
			return err
		}
	}
	return nil
}

// prune removes folders that hold nothing after files of theirs were removed; never dir itself.
func prune(dir string, changes []change) {
	for _, c := range changes {
		if at := filepath.Dir(c.path); c.new == nil && at != filepath.Clean(dir) {
			os.Remove(at) // fails where something is left
		}
	}
}

// replace gives a file another text.
func replace(path string, data []byte) error {
	s, err := stage(path, data)
	if err != nil {
		return err
	}
	defer s.discard()
	return s.commit()
}

// tempPrefix is how the names of texts on their way begin.
const tempPrefix = ".opgen-"

// staged is a text beside the file that it will replace.
type staged struct{ temp, path string }

// stage writes a text beside the file that it is for; that of a symbolic link is what the link names. The mode of a file that is
// there is kept.
func stage(path string, data []byte) (*staged, error) {
	fail := func(err error) (*staged, error) { return nil, fmt.Errorf("writing %s: %w", path, err) }
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fail(err)
	}
	sweep(dir)
	tmp, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return fail(err)
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fail(err)
	}
	return &staged{tmp.Name(), path}, nil
}

func (s *staged) commit() error {
	if err := os.Rename(s.temp, s.path); err != nil {
		return fmt.Errorf("writing %s: %w", s.path, err)
	}
	s.temp = ""
	return nil
}

// discard removes the text, unless it has become the file.
func (s *staged) discard() {
	if s.temp != "" {
		os.Remove(s.temp)
	}
}

// sweep removes what killed runs left in a folder: texts on their way for longer than any run takes.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	if err != nil {
		return // the folder has a name that is no pattern; what is left there stays
	}
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(path)
		}
	}
}
