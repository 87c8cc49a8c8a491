package conformance

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// module writes generated packages and the runner into a temporary module, and gives its folder.
func module(t testing.TB, packages ...*codegen.Build) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const opgen = "github.com/opgen/opgen"
	write("go.mod", fmt.Appendf(nil, "module %s\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", modulePath, opgen, root))
	runner, err := os.ReadFile("testdata/runner/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", runner)
	imports := "package main\n\nimport (\n"
	for _, b := range packages {
		imports += fmt.Sprintf("\t_ %q\n", b.Source.ImportPath)
		for _, f := range b.Out {
			write(b.Package.Name+"/"+f.Name, f.Data)
		}
	}
	write("packages.go", []byte(imports+")\n"))
	return dir
}

// goCommand runs the go command in a folder.
func goCommand(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// The messages of the runner; see testdata/runner.
type (
	runArray struct {
		Present bool
		DType   string
		Shape   []int
		Data    []float64
	}
	runRequest struct {
		Op, Path  string
		Inputs    []runArray
		Attrs     map[string]any
		Cotangent runArray
	}
	runReply struct {
		Outputs, Gradients, Inputs []runArray
		Err                        string
	}
)

// program runs the packages below testdata that have cases.
var program = sync.OnceValues(func() (r *runner, err error) {
	defer caught(&err)
	return startRunner(lasting{}, module(lasting{}, testBuild(lasting{}, "conventions"), testBuild(lasting{}, "faults"))), nil
})

// inProgram tells whether the op is one of these packages.
func (c *call) inProgram() bool {
	return strings.HasPrefix(c.op, "conventions.") || strings.HasPrefix(c.op, "faults.")
}

// runner is a running program that holds generated packages.
type runner struct {
	in  *gob.Encoder
	out *gob.Decoder
}

// startRunner builds the module and starts its program, which ends with the test.
func startRunner(t testing.TB, dir string) *runner {
	t.Helper()
	bin := filepath.Join(dir, "runner.exe")
	goCommand(t, dir, "build", "-o", bin, ".")
	cmd := exec.Command(bin)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log.String())
		}
	})
	return &runner{gob.NewEncoder(in), gob.NewDecoder(out)}
}

// call calls an op in the program.
func (r *runner) call(c *call, path runtime.CPUPath, float string, cotangent *ir.Array) (out, grads arrays, err error) {
	_, decl, err := findOp(c.op)
	if err != nil {
		return nil, nil, err
	}
	dtypes := c.dtypes(float)
	q := &runRequest{Op: c.op, Path: path.String(), Attrs: c.attributes()}
	for _, p := range decl.Inputs {
		a := runArray{}
		if x := c.inputs[p.Name]; x != nil {
			a = runArray{true, p.Elem.Resolve(dtypes), x.Shape, x.Data}
		}
		q.Inputs = append(q.Inputs, a)
	}
	if cotangent != nil {
		q.Cotangent = runArray{true, float, cotangent.Shape, cotangent.Data}
	}
	if err := r.in.Encode(q); err != nil {
		return nil, nil, err
	}
	var reply runReply
	if err := r.out.Decode(&reply); err != nil {
		return nil, nil, err
	}
	if reply.Err != "" {
		return nil, nil, errors.New(reply.Err)
	}
	out, grads = arrays{}, arrays{}
	for i, a := range reply.Outputs {
		out[decl.Outputs[i].Name] = a.array()
	}
	floats, err := c.floats()
	if err != nil {
		return nil, nil, err
	}
	for i, p := range decl.Inputs {
		if p.Mode != ir.Input {
			out[p.Name+"'"] = reply.Inputs[i].array()
		}
		if cotangent != nil && slices.Contains(floats, p.Name) {
			grads[p.Name] = ir.NewArray(c.inputs[p.Name].Shape...)
			if a := reply.Gradients[i]; a.Present {
				grads[p.Name] = a.array()
			}
		}
	}
	return out, grads, nil
}

func (a runArray) array() *ir.Array {
	if a.Shape == nil {
		a.Shape = []int{} // gob leaves empty slices out
	}
	return &ir.Array{Shape: a.Shape, Data: a.Data}
}
