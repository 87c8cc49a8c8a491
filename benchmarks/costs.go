package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// costs is what it costs to generate and to build.
type costs struct {
	generate time.Duration // opgen as a whole process, all specs, all targets
	build    time.Duration // of the generated packages where only the standard library and package runtime are built
	empty    time.Duration // the same with an empty cache
	packages []packageCost
}

// packageCost is the number of lines of one generated package.
type packageCost struct {
	name  string
	ops   int
	lines map[string]int // by kind of file
}

// kinds are those of generated files, by what their names end in.
var kinds = []struct{ name, suffix string }{{"Go", ".go"}, {"assembly", ".s"}, {"CUDA C", ".cu"}}

// measureCosts runs opgen and go build in temporary folders; root is the main module.
func measureCosts(root string, rounds int, cold bool) (*costs, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &costs{}
	if c.packages, err = generated(root); err != nil {
		return nil, err
	}
	tool := filepath.Join(dir, "opgen")
	if err := command(root, nil, "go", "build", "-o", tool, "./cmd/opgen"); err != nil {
		return nil, err
	}
	module := filepath.Join(dir, "module")
	if err := os.CopyFS(filepath.Join(module, "specs"), os.DirFS(filepath.Join(root, "specs"))); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/m\n"), 0o666); err != nil {
		return nil, err
	}
	var times []float64
	for range rounds {
		if err := os.RemoveAll(filepath.Join(module, "gen")); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := command(module, nil, tool, "generate", "./specs/..."); err != nil {
			return nil, err
		}
		times = append(times, float64(time.Since(start)))
	}
	c.generate = time.Duration(median(times))
	if !cold {
		return c, nil
	}
	empty := []string{"GOCACHE=" + filepath.Join(dir, "cache1")}
	if c.empty, err = timed(root, empty, "go", "build", "./gen/..."); err != nil {
		return nil, err
	}
	warm := []string{"GOCACHE=" + filepath.Join(dir, "cache2")}
	if err := command(root, warm, "go", "build", "./runtime"); err != nil {
		return nil, err
	}
	c.build, err = timed(root, warm, "go", "build", "./gen/...")
	return c, err
}

func timed(dir string, env []string, args ...string) (time.Duration, error) {
	start := time.Now()
	err := command(dir, env, args...)
	return time.Since(start), err
}

func command(dir string, env []string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// generated counts the lines of the packages below gen, and the ops of their specs.
func generated(root string) ([]packageCost, error) {
	dirs, err := os.ReadDir(filepath.Join(root, "gen"))
	if err != nil {
		return nil, err
	}
	var r []packageCost
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		p := packageCost{name: d.Name(), lines: map[string]int{}}
		err := filepath.WalkDir(filepath.Join(root, "gen", d.Name()), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, k := range kinds {
				if strings.HasSuffix(path, k.suffix) && !strings.HasSuffix(path, "_test.go") {
					p.lines[k.name] += bytes.Count(text, []byte("\n"))
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		specs, err := filepath.Glob(filepath.Join(root, "specs", d.Name(), "*.op"))
		if err != nil {
			return nil, err
		}
		for _, s := range specs {
			text, err := os.ReadFile(s)
			if err != nil {
				return nil, err
			}
			for line := range bytes.Lines(text) {
				if bytes.HasPrefix(line, []byte("op ")) || bytes.HasPrefix(line, []byte("update ")) {
					p.ops++
				}
			}
		}
		r = append(r, p)
	}
	slices.SortFunc(r, func(a, b packageCost) int { return strings.Compare(a.name, b.name) })
	return r, nil
}
