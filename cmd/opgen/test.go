package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl/diag"
)

type testCmd struct {
	Verbose bool     `short:"v" help:"List every example."`
	Paths   []string `arg:"" optional:"" help:"Packages of specs; the folder here if none is named."`
}

// Run runs examples on the evaluator and on nests, then the generated tests of each package, which run examples and gradient
// checks on every CPU path of this machine.
func (c *testCmd) Run(e *env) error {
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	var failed error
	for _, s := range sources {
		b := codegen.New(s)
		b.Run("lower")
		if err := show(e, b); err != nil {
			failed = err
			continue
		}
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
		if err := c.compiled(e, s.Out); err != nil {
			failed = err
		}
	}
	return failed
}

// compiled runs the generated tests, if there are any and there is a Go toolchain.
func (c *testCmd) compiled(e *env, dir string) error {
	code, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil {
		return err
	}
	gotool, lookErr := exec.LookPath("go")
	switch {
	case len(code) == 0:
		fmt.Fprintf(e.stdout, "%s: no generated code: run 'opgen generate' to test compiled kernels\n", slash(dir))
		return nil
	case lookErr != nil:
		fmt.Fprintf(e.stdout, "%s: no go command found: compiled kernels are not tested\n", slash(dir))
		return nil
	}
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
