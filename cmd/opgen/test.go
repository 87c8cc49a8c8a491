package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/runtime"
)

type testCmd struct {
	Verbose bool     `short:"v" help:"List every example."`
	Paths   []string `arg:"" optional:"" help:"Packages of specs; the folder here if none is named."`
}

// Help is shown below the flags.
func (testCmd) Help() string {
	return `Runs the examples of specs on the evaluator and on the loops that kernels are printed from, and the generated tests of
each package, which run examples and gradient checks on every CPU path of this machine. It ends with a line for
each backend: whether it was run, and why not.

  opgen test                    # the package here
  opgen test ./specs/...        # all packages below
  opgen test -v ./specs/loss    # every example
  OPGEN_CPU=avx2 opgen test     # compiled kernels with AVX2 at most`
}

// Run runs examples on the evaluator and on nests, then the generated tests of each package, which run examples and gradient
// checks on every CPU path of this machine.
func (c *testCmd) Run(e *env) error {
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	if err := runtime.PathError(); err != nil {
		return err
	}
	var failed error
	at := e.progress(len(sources))
	defer at.done()
	done := &backends{}
	for _, s := range sources {
		at.step(s.Dir)
		b := codegen.New(s)
		b.Run("lower")
		if err := shown(e, at, b); err != nil {
			failed = err
			continue
		}
		at.done()
		examples, bad := map[diag.Pos]bool{}, 0
		for _, r := range b.Examples() {
			examples[r.Span.Start] = true
			switch {
			case r.Err != nil:
				bad++
				fmt.Fprintf(e.stdout, "FAIL  %s: %s on %s: %v\n", r.Span.Start, r.Op, r.Backend, r.Err)
			case c.Verbose:
				fmt.Fprintf(e.stdout, "ok    %s: %s on %s\n", r.Span.Start, r.Op, r.Backend)
			}
		}
		if bad == 0 {
			fmt.Fprintf(e.stdout, "%s: %d examples hold on the evaluator and on nests\n", b.Package.Name, len(examples))
		} else {
			fmt.Fprintf(e.stdout, "%s: %d failures in %d examples\n", b.Package.Name, bad, len(examples))
			failed = errFindings
		}
		if err := c.compiled(e, s.Out, done); err != nil {
			failed = err
		}
		if old, err := stale(s); err != nil {
			return err
		} else if old {
			fmt.Fprintf(e.stdout, "%s: the generated code is stale and was tested as it is: run 'opgen generate %s'\n", slash(s.Out), command(slash(s.Dir)))
		}
	}
	done.print(e)
	return failed
}

// stale tells whether the Go code of a package, or its assembly, isn't what its specs say now.
func stale(s codegen.Source) (bool, error) {
	if code, err := codegen.FilesIn(s.Out, "_gen.go"); err != nil || len(code) == 0 {
		return false, err
	}
	targets := []codegen.Target{codegen.Go}
	if asm, err := codegen.FilesIn(s.Out, "_gen_amd64.s"); err != nil {
		return false, err
	} else if len(asm) > 0 {
		targets = append(targets, codegen.AMD64)
	}
	b := codegen.New(s, targets...)
	if !b.Run("") {
		return true, nil
	}
	changes, err := compare(s.Out, b.Out)
	return slices.ContainsFunc(changes, func(c change) bool { return filepath.Ext(c.path) != ".cu" }), err
}

// compiled runs the generated tests, if there are any and there is a Go toolchain.
func (c *testCmd) compiled(e *env, dir string, done *backends) error {
	code, err := codegen.FilesIn(dir, "_gen.go")
	if err != nil {
		return err
	}
	gotool, lookErr := exec.LookPath("go")
	switch {
	case len(code) == 0:
		fmt.Fprintf(e.stdout, "%s: no generated code: run 'opgen generate' to test compiled kernels\n", slash(dir))
		done.missing = append(done.missing, slash(dir))
		return nil
	case lookErr != nil:
		fmt.Fprintf(e.stdout, "%s: no go command found: compiled kernels are not tested\n", slash(dir))
		done.missing, done.noGo = append(done.missing, slash(dir)), true
		return nil
	}
	done.compiled++
	if asm, err := codegen.FilesIn(dir, "_gen_amd64.s"); err != nil {
		return err
	} else if len(asm) > 0 {
		done.assembly++
	}
	args := []string{"test", "-count=1", "."} // the cache of the go command doesn't know of OPGEN_CPU, which is read before tests start
	if c.Verbose {
		args = slices.Insert(args, 1, "-v")
	}
	cmd := exec.Command(gotool, args...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	cmd.Stdout, cmd.Stderr = e.stdout, e.stderr
	if err := cmd.Run(); err != nil {
		return errFindings
	}
	return nil
}

// backends counts the packages whose compiled code was tested, those of them that have assembly, and those without code.
type backends struct {
	compiled, assembly int
	missing            []string // folders
	noGo               bool
}

// print has a line for each backend: whether it was run, and why not.
func (b *backends) print(e *env) {
	line := func(name, text string) { fmt.Fprintf(e.stdout, "%-10s %s\n", name, text) }
	line("evaluator", "ran")
	line("nests", "ran: the loops that kernels are printed from, with exact arithmetic")
	ran, less := fmt.Sprintf("ran: compiled code of %s", packages(b.compiled)), ""
	if len(b.missing) > 0 {
		less = fmt.Sprintf("; not that of %s, where there is none (run 'opgen generate')", strings.Join(b.missing, ", "))
		if b.noGo {
			less = fmt.Sprintf("; not that of %s: no go command was found", strings.Join(b.missing, ", "))
		}
	}
	for p := runtime.Generic; p <= runtime.AVX512; p++ {
		name, count := p.String(), b.assembly
		if p == runtime.Generic {
			name, count = "go", b.compiled
		}
		switch {
		case b.compiled == 0:
			line(name, "not run: compiled code"+strings.TrimPrefix(less, "; not that"))
		case count == 0:
			line(name, "not run: the code has no assembly")
		case p > runtime.BestPath():
			line(name, "not run: this machine has none")
		case p > runtime.AllowedPath():
			line(name, "not run: OPGEN_CPU forbids it")
		case p == runtime.Generic:
			line(name, ran+less)
		default:
			line(name, fmt.Sprintf("ran: assembly of %s", packages(count))+less)
		}
	}
	line("cuda", "not run: opgen runs nothing on a GPU; the CUDA text is printed from the nests that ran")
}

// packages is a count in words.
func packages(n int) string {
	if n == 1 {
		return "1 package"
	}
	return fmt.Sprintf("%d packages", n)
}
