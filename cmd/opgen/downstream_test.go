package main

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The walk of the first page of README, in a module outside this one, with the module as a proxy serves it.
func TestDownstream(t *testing.T) {
	if testing.Short() {
		t.Skip("builds opgen anew")
	}
	d := downstream(t)
	commands, clone, snippet := readmeWalk(t)
	d.run("go", "mod", "init", "example.com/fresh")
	for _, c := range commands {
		d.run(c...)
	}
	d.write("snippet_test.go", `package main

import (
	"testing"

	"example.com/fresh/ops"
	"github.com/opgen/opgen/runtime"
)

func TestSnippet(t *testing.T) {
	`+snippet+`
	if err != nil || y.String() != "f32[2] [0.000000 0.731059]" {
		t.Error(y, err)
	}
}
`)
	d.write("main.go", `package main

import (
	"fmt"

	"example.com/fresh/ops"
	"github.com/opgen/opgen/runtime"
)

func main() {
	x := runtime.Must(runtime.FromSlice([]float32{0, 1}, 2))
	if err := x.RequireGrad(); err != nil {
		panic(err)
	}
	y := runtime.Must(ops.SoftClip(x, nil))
	if err := y.BackwardWith(runtime.Must(runtime.FromSlice([]float32{1, 1}, 2))); err != nil {
		panic(err)
	}
	fmt.Println(y, x.Grad())
}
`)
	if out, want := d.run("go", "run", "."), "0.7310"; !strings.Contains(out, want) {
		t.Errorf("the program prints %q, want %s in it", out, want)
	}
	d.run("go", "test", "./...")
	d.run("go", "vet", "./...")
	d.run("go", "tool", "opgen", "generate", "-check", "./ops")
	d.run("go", "tool", "opgen", "test", "./ops")

	// Users inherit nothing that they don't import.
	for _, dep := range strings.Fields(d.run("go", "list", "-deps", "./...")) {
		if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") &&
			!strings.HasPrefix(dep, "example.com/") && !strings.HasPrefix(dep, opgenModule+"/runtime") && dep != opgenModule+"/internal/interval" {
			t.Errorf("the program depends on %s", dep)
		}
	}

	// It builds for other machines, and runs under the checkers of this one.
	for _, target := range []string{"linux/arm64", "js/wasm", "wasip1/wasm", "windows/amd64", "linux/386", "darwin/arm64"} {
		goos, goarch, _ := strings.Cut(target, "/")
		d.runWith([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "go", "vet", "./...")
	}
	d.run("go", "test", "-gcflags=all=-d=checkptr", "./ops")
	if _, err := exec.LookPath("gcc"); err == nil {
		d.runWith([]string{"CGO_ENABLED=1"}, "go", "test", "-race", "./ops")
	} else {
		t.Log("not run under the race detector, which needs a C compiler")
	}

	// The tool of a clone.
	older := filepath.Join(d.dir, "older")
	cached := filepath.Join(d.dir, "..", "cache", filepath.FromSlash(opgenModule)+"@"+opgenVersion)
	if err := os.CopyFS(older, os.DirFS(cached)); err != nil {
		t.Fatal(err)
	}
	user := &downModule{t: t, dir: filepath.Join(d.dir, "user"), env: d.env}
	user.write("go.mod", "module example.com/user\n\ngo 1.26\n")
	for _, c := range clone {
		for i := range c {
			c[i] = strings.ReplaceAll(c[i], "=../opgen", "=../older")
		}
		user.run(c...)
	}
	user.run("go", "tool", "opgen", "version")

	// Code and runtime of different versions don't build together. The message names the constant whose comment says what to do.
	const code = "ops/soft_clip_gen.go"
	written := d.read(code)
	d.write(code, strings.ReplaceAll(written, "GeneratedCodeV1", "GeneratedCodeV2"))
	if out := d.fails("go", "vet", "./ops"); !strings.Contains(out, "undefined: runtime.GeneratedCodeV2") {
		t.Errorf("newer code with an older runtime: %s", out)
	}
	d.write(code, written)
	d.run("go", "mod", "edit", "-replace", opgenModule+"=./older")
	const constant = "older/runtime/generated.go"
	d.write(constant, strings.ReplaceAll(d.read(constant), "GeneratedCodeV1", "GeneratedCodeV2"))
	if out := d.fails("go", "vet", "./ops"); !strings.Contains(out, "undefined: runtime.GeneratedCodeV1") {
		t.Errorf("older code with a newer runtime: %s", out)
	}
}

// readmeWalk has the commands and the Go of the section of README about one's own op, and the commands for a module that uses a clone.
func readmeWalk(t *testing.T) (commands, clone [][]string, snippet string) {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Your own op\n\nIn any module:\n\n")
	_, cloned, _ := strings.Cut(section, "to use a clone, say in `../opgen`, gets the tool with\n\n")
	block := func(text string) (r [][]string) {
		text, _, _ = strings.Cut(text, "\n\n")
		for _, line := range strings.Split(text, "\n") {
			line, _, _ = strings.Cut(line, "#")
			r = append(r, strings.Fields(line))
		}
		return r
	}
	_, rest, _ := strings.Cut(section, "```go\n")
	snippet, _, _ = strings.Cut(rest, "```")
	commands, clone = block(section), block(cloned)
	if len(commands) < 4 || len(clone) != 2 || snippet == "" {
		t.Fatalf("README has not the walk that is expected: %v %v %s", commands, clone, snippet)
	}
	return commands, clone, snippet
}

const (
	opgenModule  = "github.com/opgen/opgen"
	opgenVersion = "v0.0.1-test"
)

// downModule is a folder outside of this module, with a proxy that serves this one.
type downModule struct {
	t   *testing.T
	dir string
	env []string
}

func downstream(t *testing.T) *downModule {
	t.Helper()
	base := t.TempDir()
	cache := strings.TrimSpace((&downModule{t: t, dir: base}).run("go", "env", "GOMODCACHE"))
	proxy := filepath.Join(base, "proxy")
	serve(t, proxy)
	url := func(dir string) string { return "file://" + filepath.ToSlash(dir) }
	m := &downModule{t: t, dir: filepath.Join(base, "fresh"), env: []string{
		"GOPROXY=" + url(proxy) + "," + url(filepath.Join(cache, "cache", "download")),
		"GOMODCACHE=" + filepath.Join(base, "cache"), "GOFLAGS=-modcacherw", "GONOSUMDB=*", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local",
	}}
	if err := os.Mkdir(m.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *downModule) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m *downModule) read(name string) string {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

func (m *downModule) run(args ...string) string {
	m.t.Helper()
	return m.runWith(nil, args...)
}

func (m *downModule) runWith(env []string, args ...string) string {
	m.t.Helper()
	out, err := m.start(env, args)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// fails runs what has to fail.
func (m *downModule) fails(args ...string) string {
	m.t.Helper()
	out, err := m.start(nil, args)
	if err == nil {
		m.t.Fatalf("%s: no error\n%s", strings.Join(args, " "), out)
	}
	return out
}

func (m *downModule) start(env, args []string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = m.dir
	cmd.Env = append(append(os.Environ(), m.env...), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// serve writes this module as a file proxy holds it; folders that are modules of their own are not part of it.
func serve(t *testing.T, proxy string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(proxy, filepath.FromSlash(opgenModule), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": opgenVersion + "\n", opgenVersion + ".mod": string(mod), opgenVersion + ".info": `{"Version":"` + opgenVersion + `"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(dir, opgenVersion+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(file)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") || e.IsDir() && e.Name() == "out" {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		w, err := z.Create(opgenModule + "@" + opgenVersion + "/" + filepath.ToSlash(rel))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		t.Fatal(err)
	}
}
