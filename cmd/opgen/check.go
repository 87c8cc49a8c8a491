package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl/diag"
)

type checkCmd struct {
	Format string   `help:"Form of the messages: text, json or github." enum:"text,json,github" default:"text"`
	Strict bool     `help:"Let warnings count as findings."`
	Paths  []string `arg:"" optional:"" help:"Packages of specs; the folder here if none is named."`
}

// Help is shown below the flags.
func (checkCmd) Help() string {
	return `Checks everything that generating needs, writes nothing, and prints how each derivative is known: derived, zero,
proved, tested, unverified or none. Every message has a code, which docs/errors.md explains.

  opgen check                          # the package here
  opgen check ./specs/...              # all packages below
  opgen check -strict ./specs/...      # in CI: warnings count too
  opgen check -format github ./specs   # as annotations of a pull request`
}

func (c *checkCmd) Run(e *env) error {
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	var all diag.List
	texts := map[string][]byte{}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	at := e.progress(len(sources))
	defer at.done()
	for b := range codegen.RunAll(sources, codegen.Go) { // all of it: what passes here is what generates
		at.step(b.Source.Dir)
		all.All = append(all.All, b.Diags.All...)
		for _, f := range slices.Concat(b.Source.Files, b.Imported) {
			texts[f.Name] = f.Data
		}
		if c.Format == "text" {
			for _, line := range b.Gradients() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", line.Op, line.Input, line.Status)
			}
		}
	}
	at.done()
	if err := w.Flush(); err != nil {
		return err
	}
	switch c.Format {
	case "json":
		err = all.WriteJSON(e.stdout)
	case "github":
		err = all.WriteGitHub(e.stdout)
	default:
		err = all.Render(e.stderr, texts, e.color)
	}
	if err == nil && (all.HasErrors() || c.Strict && all.Count(diag.Warning) > 0) {
		err = errFindings
	}
	return err
}

// shown is show, with the line of progress out of the way.
func shown(e *env, p *progress, b *codegen.Build) error {
	if len(b.Diags.All) > 0 {
		p.done()
	}
	return show(e, b)
}

// show prints diagnostics for people and tells whether there were errors.
func show(e *env, b *codegen.Build) error {
	texts := map[string][]byte{}
	for _, f := range slices.Concat(b.Source.Files, b.Imported) {
		texts[f.Name] = f.Data
	}
	if err := b.Diags.Render(e.stderr, texts, e.color); err != nil {
		return err
	}
	if b.Diags.HasErrors() {
		return errFindings
	}
	return nil
}

// slash makes a path look the same on all systems.
func slash(path string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(wd, path); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}
