package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestApplyNothingHalf: where one text can't be written, no file changes and nothing is left behind.
func TestApplyNothingHalf(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, file := write("a", "old"), write("file", "a file, not a folder")
	gone := write("gone", "old")
	err := apply([]change{
		{path: a, old: []byte("old"), new: []byte("new")},
		{path: gone, old: []byte("old")},
		{path: filepath.Join(file, "b"), new: []byte("new")},
	})
	if err == nil || !strings.Contains(err.Error(), filepath.Join(file, "b")) {
		t.Errorf("the error is %v", err)
	}
	if got, _ := os.ReadFile(a); string(got) != "old" {
		t.Errorf("a is %q", got)
	}
	if got, want := names(t, dir), []string{"a", "file", "gone"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
}

// TestReplaceKeeps: the mode of a file and the link that names it stay; what a killed run left goes, what another run is writing stays.
func TestReplaceKeeps(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	for _, name := range []string{path, filepath.Join(dir, tempPrefix+"old"), filepath.Join(dir, tempPrefix+"young")} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, tempPrefix+"old"), past, past); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := replace(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" || info.Mode() != 0o600 {
		t.Errorf("a is %q with mode %v", got, info.Mode())
	}
	if got, want := names(t, dir), []string{tempPrefix + "young", "a", "link"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
	if to, err := os.Readlink(link); err != nil || to != "a" {
		t.Errorf("the link names %q, %v", to, err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var r []string
	for _, e := range entries {
		r = append(r, e.Name())
	}
	return r
}
