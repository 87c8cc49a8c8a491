package kerneltest

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/nest"
)

//go:embed runner/*.txt
var runnerFiles embed.FS

const modulePath = "github.com/opgen/opgen"

// Build makes a Runner of the kernels of nests. The files, of package main, hold for each nest and each path a function
//
//	func NAME_PATH(a *runtime.Args)
//
// where NAME is the name of the nest. The Runner ends with the test.
func Build(t testing.TB, nests []*nest.Nest, files []emit.File, paths []string) *Runner {
	t.Helper()
	dir := t.TempDir()
	if err := writeModule(dir, nests, files, paths); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "kernels.test.exe")
	goTool(t, dir, "build", "-o", bin, ".")
	return Start(t, nests, paths, exec.Command(bin))
}

// Vet runs go vet on the files, which knows the layout of frames and arguments of assembly.
func Vet(t testing.TB, nests []*nest.Nest, files []emit.File, paths []string) {
	t.Helper()
	dir := t.TempDir()
	if err := writeModule(dir, nests, files, paths); err != nil {
		t.Fatal(err)
	}
	goTool(t, dir, "vet", ".")
}

// GoTest runs go vet and go test on files, whose names may have folders, in a module of their own called generated.test.
func GoTest(t testing.TB, files []emit.File) {
	t.Helper()
	dir := t.TempDir()
	mod, err := goMod("generated.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(dir, append(files[:len(files):len(files)], mod)); err != nil {
		t.Fatal(err)
	}
	goTool(t, dir, "vet", "./...")
	goTool(t, dir, "test", "./...")
}

func goTool(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// goMod is the go.mod of a module that uses this one.
func goMod(name string) (emit.File, error) {
	root, err := moduleRoot()
	text := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", name, modulePath, root)
	return emit.File{Name: "go.mod", Data: []byte(text)}, err
}

func writeModule(dir string, nests []*nest.Nest, files []emit.File, paths []string) error {
	mod, err := goMod("kernels.test")
	if err != nil {
		return err
	}
	files = append(files[:len(files):len(files)], mod, emit.File{Name: "kernels.go", Data: table(nests, paths)})
	embedded, err := runnerFiles.ReadDir("runner")
	if err != nil {
		return err
	}
	for _, e := range embedded {
		data, err := runnerFiles.ReadFile("runner/" + e.Name())
		if err != nil {
			return err
		}
		files = append(files, emit.File{Name: strings.TrimSuffix(e.Name(), ".txt"), Data: data})
	}
	return writeFiles(dir, files)
}

func writeFiles(dir string, files []emit.File) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// table is the Go file that lists the kernels by path and nest.
func table(nests []*nest.Nest, paths []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport %q\n\nvar kernels = [][]runtime.Kernel{\n", modulePath+"/runtime")
	for _, p := range paths {
		b.WriteString("\t{\n")
		for _, n := range nests {
			fmt.Fprintf(&b, "\t\t%s_%s,\n", n.Name, p)
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// moduleRoot is the folder of the go.mod above the current folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the current folder")
		}
		dir = up
	}
}
