package main

import (
	"fmt"
	"os"
	"os/exec"
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
each package, which run examples and gradient checks on every CPU path of this machine. It ends with what was run
and what was skipped, and why.

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
	}
	done.print(e)
	return failed
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
		done.missing++
		return nil
	case lookErr != nil:
		fmt.Fprintf(e.stdout, "%s: no go command found: compiled kernels are not tested\n", slash(dir))
		done.missing++
		return nil
	}
	done.compiled++
	args := []string{"test", "."}
	if c.Verbose {
		args = []string{"test", "-v", "."}
	}
	cmd := exec.Command(gotool, args...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	cmd.Stdout, cmd.Stderr = e.stdout, e.stderr
	if err := cmd.Run(); err != nil {
		return errFindings
	}
	return nil
}

// backends counts the packages whose compiled code was tested, and those where there was none.
type backends struct{ compiled, missing int }

// print says what was run, and what was skipped and why.
func (b *backends) print(e *env) {
	ran := []string{"evaluator", "nests"}
	var skipped []string
	if b.compiled > 0 {
		for p := runtime.Generic; p <= runtime.AllowedPath(); p++ {
			ran = append(ran, p.String())
		}
		for p := runtime.AllowedPath() + 1; p <= runtime.AVX512; p++ {
			why := "this machine has none"
			if p <= runtime.BestPath() {
				why = "OPGEN_CPU forbids it"
			}
			skipped = append(skipped, fmt.Sprintf("%v (%s)", p, why))
		}
	}
	if b.missing > 0 {
		skipped = append(skipped, fmt.Sprintf("compiled code of %d packages (see above)", b.missing))
	}
	skipped = append(skipped, "cuda (its text comes from the nests that were run; opgen runs nothing on a GPU)")
	fmt.Fprintf(e.stdout, "ran: %s\nskipped: %s\n", strings.Join(ran, ", "), strings.Join(skipped, ", "))
}
