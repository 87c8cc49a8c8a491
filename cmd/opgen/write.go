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
	var r []change
	want := map[string]bool{}
	folders := map[string]bool{".": true}
	for _, f := range files {
		want[filepath.FromSlash(f.Name)] = true
		folders[filepath.Dir(filepath.FromSlash(f.Name))] = true
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil {
			r = append(r, change{path: path, new: f.Data})
		} else if !bytes.Equal(old, f.Data) {
			r = append(r, change{path: path, old: old, new: f.Data})
		}
	}
	orphans, err := orphans(dir, folders, want)
	if err != nil {
		return nil, err
	}
	r = append(r, orphans...)
	slices.SortFunc(r, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return r, nil
}

// orphans are files with opgen's mark, in the folders that it writes to and in NAMEcuda folders, that are not wanted.
func orphans(dir string, folders, want map[string]bool) ([]change, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasSuffix(e.Name(), "cuda") {
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
			if e.IsDir() || want[name] || !strings.Contains(e.Name(), "_gen") {
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

// apply writes and removes. Each file is replaced as a whole, so that an interrupted run leaves old or new text, nothing between.
func apply(changes []change) error {
	for _, c := range changes {
		if c.new == nil {
			if err := os.Remove(c.path); err != nil {
				return err
			}
			continue
		}
		if err := replace(c.path, c.new); err != nil {
			return err
		}
	}
	return nil
}

func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".opgen-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
