package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/rogpeppe/go-internal/diff"
)

type generateCmd struct {
	Output string   `short:"o" help:"Folder of the generated code, for one package. Otherwise code stands beside its spec; that of specs/NAME in gen/NAME."`
	Target []string `help:"What to write: go, amd64, cuda. Go is always written." default:"go,amd64,cuda"`
	Check  bool     `help:"Write nothing; fail if what is there is stale, and show how."`
	DryRun bool     `short:"n" help:"Write nothing; list what would change."`
	Watch  bool     `help:"Write again whenever a spec changes, until interrupted."`
	Stats  bool     `help:"Print how much was written: lines of each op, and the budget."`
	Paths  []string `arg:"" optional:"" help:"Packages of specs: a folder, a file in it, or DIR/... for all below; the folder here if none is named."`
}

// Help is shown below the flags.
func (generateCmd) Help() string {
	return `Files are written only if they differ, each as a whole; what opgen wrote for specs that
are gone is removed. A package with errors keeps its code.

  opgen generate                       # the package here; a //go:generate line runs this
  opgen generate ./specs/...           # all packages below
  opgen generate -check ./specs/...    # in CI: fail if code is stale, and show how
  opgen generate -target go ./ops      # portable Go alone
  opgen generate -watch ./ops          # while writing a spec`
}

func (c *generateCmd) Run(e *env) error {
	if !c.Watch {
		return c.once(e)
	}
	if c.Check || c.DryRun {
		return usageError{errors.New("-watch writes: it goes with neither -check nor -n")}
	}
	if _, err := c.sources(); errors.As(err, new(usageError)) {
		return err // which no change of a file mends
	}
	return watch(e, func() error { return c.once(e) }, c.sources)
}

// sources are the packages to write.
func (c *generateCmd) sources() ([]codegen.Source, error) {
	list, err := codegen.Find(c.Paths, c.Output)
	if errors.Is(err, codegen.ErrOneOutput) {
		err = usageError{err}
	}
	return list, err
}

// once goes through all packages.
func (c *generateCmd) once(e *env) error {
	targets, err := parseTargets(c.Target)
	if err != nil {
		return err
	}
	sources, err := c.sources()
	if err != nil {
		return err
	}
	var failed error
	at := e.progress(len(sources))
	defer at.done()
	for b := range codegen.RunAll(sources, targets...) {
		at.step(b.Source.Dir)
		if err := shown(e, at, b); err != nil {
			failed = err
			continue // the other packages still count; nothing of this one is written
		}
		if c.Check || c.DryRun || c.Stats {
			at.done() // what these print has the line for itself
		}
		if err := c.finish(e, b); err != nil {
			if err != errFindings {
				return err
			}
			failed = err
		}
	}
	return failed
}

// finish writes, lists or compares one package.
func (c *generateCmd) finish(e *env, b *codegen.Build) error {
	changes, err := compare(b.Source.Out, b.Out)
	if err != nil {
		return err
	}
	if c.Stats {
		fmt.Fprintf(e.stdout, "%s: %s\n", slash(b.Source.Dir), b.Report)
		fmt.Fprint(e.stdout, b.Report.Table())
	}
	return settle(e, b.Source.Out, changes, c.Check, c.DryRun, c.again(slash(b.Source.Dir)), causes)
}

// again is the command that writes the code of a folder.
func (c *generateCmd) again(dir string) string {
	args := []string{"opgen", "generate"}
	if len(c.Target) < len(codegen.Targets) {
		args = append(args, "-target", strings.Join(c.Target, ","))
	}
	if c.Output != "" {
		args = append(args, "-o", filepath.ToSlash(c.Output))
	}
	return command(append(args, dir)...)
}

// command is a command line as one writes it in a shell.
func command(args ...string) string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "" || strings.ContainsAny(a, " \t'\"$&;()*?[]<>|`\\") {
			args[i] = `"` + strings.NewReplacer(`"`, `\"`, "$", `\$`, "`", "\\`", `\`, `\\`).Replace(a) + `"`
		}
	}
	return strings.Join(args, " ")
}

// settle writes what differs in a folder; with check it shows that and why, with dry it lists it. again is the command that writes.
func settle(e *env, dir string, changes []change, check, dry bool, again string, why func([]change) []string) error {
	switch {
	case check && len(changes) > 0:
		for _, ch := range changes {
			fmt.Fprintf(e.stderr, "%s: %s; run '%s'\n", slash(ch.path), ch.kind(), again)
			if ch.old != nil && ch.new != nil {
				e.stderr.Write(shorten(diff.Diff("have", plain(ch.old), "want", ch.new), 20))
			}
		}
		if why != nil {
			for _, line := range why(changes) {
				fmt.Fprintln(e.stderr, "cause:", line)
			}
		}
		return errFindings
	case check:
		return nil
	case dry:
		for _, ch := range changes {
			fmt.Fprintf(e.stdout, "%s: %s\n", slash(ch.path), ch.kind())
		}
		return nil
	}
	if err := apply(changes); err != nil {
		return err
	}
	prune(dir, changes)
	return nil
}

// shorten keeps the first lines of a diff.
func shorten(text []byte, lines int) []byte {
	all := bytes.SplitAfter(text, []byte("\n"))
	if len(all) <= lines {
		return text
	}
	return append(bytes.Join(all[:lines], nil), fmt.Sprintf("… %d more lines\n", len(all)-lines)...)
}

func parseTargets(names []string) ([]codegen.Target, error) {
	var r []codegen.Target
next:
	for _, n := range names {
		for _, t := range codegen.Targets {
			if string(t) == n {
				r = append(r, t)
				continue next
			}
		}
		return nil, usageError{fmt.Errorf("unknown target %q: there are %s", n, strings.Trim(fmt.Sprint(codegen.Targets), "[]"))}
	}
	return r, nil
}
