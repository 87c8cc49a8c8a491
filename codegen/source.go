package codegen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/opgen/opgen/dsl"
)

// Source is a folder of .op files: one package.
type Source struct {
	Dir        string // where the .op files are
	Files      []SourceFile
	Out        string // folder of the generated package
	ImportPath string // of the generated package; the folder's name where no go.mod is found
	// Import gives the files of another package of specs: import "loss" is the folder loss beside that of the importing one.
	// Nil: there are none.
	Import func(path string) ([]SourceFile, error)
}

// SourceFile is one .op file.
type SourceFile struct {
	Name string // path as it is shown in messages
	Data []byte
}

// ErrOneOutput is that one folder was named for the code of several packages.
var ErrOneOutput = errors.New("one output folder was given")

// Find expands patterns to packages: a folder, a file (then only its package's folder counts), or DIR/... for all folders
// below with .op files. out overrides the folder of the generated code.
//
// Without it, code stands beside its spec; below a folder named specs it goes to the same place below a folder gen
// beside that: specs/loss/*.op becomes gen/loss.
func Find(patterns []string, out string) ([]Source, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	dirs := map[string]bool{}
	for _, p := range patterns {
		found, err := expand(p)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			dirs[d] = true
		}
	}
	var list []string
	for d := range dirs {
		list = append(list, d)
	}
	sort.Strings(list)
	if out != "" && len(list) > 1 {
		return nil, fmt.Errorf("%w for %d packages", ErrOneOutput, len(list))
	}
	var r []Source
	for _, d := range list {
		s, err := read(d, out)
		if err != nil {
			return nil, err
		}
		r = append(r, s)
	}
	return r, nil
}

func expand(pattern string) ([]string, error) {
	if root, ok := strings.CutSuffix(filepath.ToSlash(pattern), "/..."); ok || pattern == "..." {
		if pattern == "..." {
			root = "."
		}
		var r []string
		err := filepath.WalkDir(filepath.FromSlash(root), func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && path != root && (e.Name() == "testdata" || e.Name() == "vendor" || ignored(e.Name())) {
				return filepath.SkipDir
			}
			if isFile(e, ".op") {
				r = append(r, filepath.Dir(path))
			}
			return nil
		})
		if err == nil && len(r) == 0 {
			err = fmt.Errorf("%s: no .op files below", pattern)
		}
		return r, err
	}
	info, err := os.Stat(pattern)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if filepath.Ext(pattern) != ".op" {
			return nil, fmt.Errorf("%s: not an .op file", pattern)
		}
		if ignored(filepath.Base(pattern)) {
			return nil, fmt.Errorf("%s: files whose names begin with . or _ are ignored", pattern)
		}
		return []string{filepath.Dir(pattern)}, nil
	}
	return []string{filepath.Clean(pattern)}, nil
}

func read(dir, out string) (Source, error) {
	files, err := readFiles(dir)
	if err != nil {
		return Source{}, err
	}
	s := Source{Dir: dir, Out: out, Files: files}
	s.Import = Beside(dir)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Source{}, err
	}
	outAbs := abs
	if out == "" {
		s.Out, outAbs = beside(dir, abs)
	} else if outAbs, err = filepath.Abs(out); err != nil {
		return Source{}, err
	}
	s.ImportPath = importPath(resolve(outAbs))
	return s, nil
}

// Beside reads imported packages from the folders beside that of a package.
func Beside(dir string) func(path string) ([]SourceFile, error) {
	return func(path string) ([]SourceFile, error) {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return nil, fmt.Errorf("%s is no path below the folder that holds this package", path)
		}
		return readFiles(filepath.Join(dir, "..", filepath.FromSlash(path)))
	}
}

// Texts are all files that code of a package is made from: its own, and those of packages that it imports, and these in turn. An import
// that can't be read adds nothing.
func (s *Source) Texts() []SourceFile {
	all := append([]SourceFile(nil), s.Files...)
	seen := map[string]bool{}
	for i := 0; i < len(all); i++ {
		tree, _ := dsl.Parse(all[i].Name, all[i].Data)
		if tree == nil || s.Import == nil {
			continue
		}
		for _, imp := range tree.Imports {
			if seen[imp.Path] {
				continue
			}
			seen[imp.Path] = true
			if files, err := s.Import(imp.Path); err == nil {
				all = append(all, files...)
			}
		}
	}
	return all
}

// ignored reports whether files and folders of this name are left out, as the go command does: editors keep theirs beside those that
// are edited.
func ignored(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// isFile reports whether an entry of a folder is a file with a name that ends so.
func isFile(e os.DirEntry, ending string) bool {
	return !e.IsDir() && strings.HasSuffix(e.Name(), ending) && !ignored(e.Name())
}

// FilesIn is the paths of the files of a folder whose names end so, in their order; none where there is no folder. Letters that mean
// something in patterns stand for themselves.
func FilesIn(dir, ending string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if isFile(e, ending) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, nil
}

// readFiles reads the .op files of a folder, in the order of their names.
func readFiles(dir string) ([]SourceFile, error) {
	names, err := FilesIn(dir, ".op")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no .op files", dir)
	}
	var r []SourceFile
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			return nil, err
		}
		r = append(r, SourceFile{Name: n, Data: data})
	}
	return r, nil
}

// beside gives the output folder of a spec folder, as written and absolute.
func beside(dir, abs string) (string, string) {
	parts := strings.Split(filepath.ToSlash(abs), "/")
	for i := len(parts) - 2; i > 0; i-- {
		if parts[i] != "specs" {
			continue
		}
		to := filepath.FromSlash(strings.Join(parts[:i], "/") + "/gen/" + strings.Join(parts[i+1:], "/"))
		if wd, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(wd, to); err == nil {
				return rel, to
			}
		}
		return to, to
	}
	return dir, abs
}

// resolve follows symbolic links, also of a folder that isn't there yet: code has one import path, however its folder is named.
func resolve(abs string) string {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(resolve(parent), filepath.Base(abs))
	}
	return abs
}

// importPath is that of a folder, by the go.mod above it. It reads the module line alone: Go code is never loaded.
func importPath(abs string) string {
	for d := abs; ; d = filepath.Dir(d) {
		data, err := os.ReadFile(filepath.Join(d, "go.mod"))
		if err == nil {
			for line := range strings.Lines(string(data)) {
				if m, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
					rel, _ := filepath.Rel(d, abs)
					return strings.TrimSuffix(strings.Trim(strings.TrimSpace(m), `"`)+"/"+filepath.ToSlash(rel), "/.")
				}
			}
		}
		if filepath.Dir(d) == d {
			return filepath.Base(abs)
		}
	}
}
