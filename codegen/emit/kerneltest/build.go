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

func goTool(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func writeModule(dir string, nests []*nest.Nest, files []emit.File, paths []string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files = append(files[:len(files):len(files)],
		emit.File{Name: "go.mod", Data: fmt.Appendf(nil, "module kernels.test\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", modulePath, root)},
		emit.File{Name: "kernels.go", Data: table(nests, paths)})
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
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
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
