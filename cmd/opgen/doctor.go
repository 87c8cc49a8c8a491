package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/runtime"
)

type doctorCmd struct {
	Format string `help:"Form of the report: text or json." enum:"text,json" default:"text"`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `Tells what opgen found on this machine, where it looked, and what each thing is for.
Only Go is needed; the rest is for tests of opgen, and for programs that use the CUDA text.

  opgen doctor
  opgen doctor -format json`
}

// finding is one thing that was looked for.
type finding struct {
	Name   string   `json:"name"`
	Status string   `json:"status"` // ok, missing, or error: what is wrong with what was found
	Detail string   `json:"detail,omitempty"`
	For    string   `json:"for"`
	Needed bool     `json:"needed"`
	Probed []string `json:"probed,omitempty"` // where it was looked for, in order
}

func (c *doctorCmd) Run(e *env) error {
	found := []finding{
		goTool(), module(), cpu(),
		tool("clang", "tests that compile the CUDA text to PTX, without an SDK; opgen itself compiles nothing", "--version", cuda.ClangNames()...),
		tool("c++", "tests that run the CUDA text on the CPU", "--version", "g++", "c++", "clang++"),
		tool("nvcc", "programs of your own that compile the CUDA text for one GPU", "--version", append([]string{"nvcc"}, below("bin/nvcc", cudaHomes()...)...)...),
		driver(), gpus(),
	}
	bad := slices.ContainsFunc(found, func(f finding) bool { return f.Status == "error" || f.Needed && f.Status != "ok" })
	if c.Format == "json" {
		enc := json.NewEncoder(e.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(found); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		for _, f := range found {
			fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, f.Status, f.Detail)
			if f.Status != "ok" {
				fmt.Fprintf(w, "\t\tfor %s\n", f.For)
				for _, p := range f.Probed {
					fmt.Fprintf(w, "\t\tlooked for %s\n", p)
				}
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if bad {
		return errFindings
	}
	return nil
}

// tool looks for a program by names in PATH, or by whole paths, and takes the first line that it says about itself.
func tool(name, use, arg string, names ...string) finding {
	f := finding{Name: name, Status: "missing", For: use, Probed: names}
	for _, n := range names {
		path, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, arg).Output()
		if err != nil {
			f.Status, f.Detail = "error", fmt.Sprintf("%s %s: %v", path, arg, err)
			return f
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		line := lines[0]
		for _, l := range lines {
			if strings.Contains(l, "release") { // nvcc says so in its fourth line
				line = l
			}
		}
		f.Status, f.Detail = "ok", path+": "+strings.TrimSpace(line)
		return f
	}
	return f
}

func goTool() finding {
	f := tool("go", "building what opgen writes, and 'opgen test'", "version", "go")
	f.Needed = true
	return f
}

// Lines of a go.mod: of opgen itself, of what requires it, and of what has it as a tool.
var (
	isSelf       = regexp.MustCompile(`(?m)^module\s+"?github\.com/opgen/opgen"?\s*(//.*)?$`)
	requiresSelf = regexp.MustCompile(`(?m)^\s*(require\s+)?github\.com/opgen/opgen\s+v`)
	pinsSelf     = regexp.MustCompile(`(?m)^\s*(tool\s+)?github\.com/opgen/opgen/cmd/opgen\s*(//.*)?$`)
)

// module is that of the folder: whether it pins opgen as a tool, and so the runtime of the same version.
func module() finding {
	f := finding{Name: "module", Status: "missing", For: "generated code, which imports the runtime of the opgen that wrote it", Probed: []string{"go.mod, here and above"}}
	dir, err := os.Getwd()
	if err != nil {
		f.Status, f.Detail = "error", err.Error()
		return f
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			const self = "github.com/opgen/opgen"
			path := filepath.Join(dir, "go.mod")
			switch {
			case isSelf.Match(data):
				f.Status, f.Detail = "ok", path+": opgen itself"
			case !requiresSelf.Match(data):
				f.Status, f.Detail = "error", path+" doesn't require opgen: run 'go get -tool "+self+"/cmd/opgen'"
			case !pinsSelf.Match(data):
				f.Status, f.Detail = "ok", path+" requires opgen, not as a tool: 'go get -tool "+self+"/cmd/opgen' makes 'go tool opgen' work"
			default:
				f.Status, f.Detail = "ok", path+" pins opgen as a tool"
			}
			return f
		}
		if filepath.Dir(dir) == dir {
			return f
		}
		dir = filepath.Dir(dir)
	}
}

func cpu() finding {
	f := finding{Name: "cpu", Status: "ok", For: "kernels in assembly", Needed: true}
	f.Detail = fmt.Sprintf("%s/%s: kernels run on %s, best is %s, %d threads", goruntime.GOOS, goruntime.GOARCH, runtime.Path(), runtime.BestPath(), goruntime.GOMAXPROCS(0))
	if err := runtime.PathError(); err != nil {
		f.Status, f.Detail = "error", err.Error()
	}
	return f
}

func cudaHomes() []string {
	var r []string
	for _, v := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(v); dir != "" {
			r = append(r, dir)
		}
	}
	return append(r, "/usr/local/cuda", "/opt/cuda")
}

func below(name string, dirs ...string) []string {
	var r []string
	for _, d := range dirs {
		r = append(r, filepath.Join(d, filepath.FromSlash(name)))
	}
	return r
}

// onGPU is what a GPU is for: opgen runs nothing there.
const onGPU = "programs of your own that run the CUDA text on a GPU"

// driver looks for the library of NVIDIA's driver.
func driver() finding {
	probed := below("libcuda.so.1", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib", "/usr/local/cuda/compat")
	if goruntime.GOOS == "windows" {
		probed = below("nvcuda.dll", filepath.Join(os.Getenv("SystemRoot"), "System32"))
	}
	return there("cuda driver", onGPU, probed)
}

func gpus() finding {
	return there("gpu", onGPU, []string{"/dev/nvidia0", "/dev/dxg"})
}

func there(name, use string, paths []string) finding {
	f := finding{Name: name, Status: "missing", For: use, Probed: paths}
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			f.Status, f.Detail = "ok", p
			break
		}
	}
	return f
}
