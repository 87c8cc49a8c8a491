package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/rogpeppe/go-internal/diff"
)

type fmtCmd struct {
	List  bool     `short:"l" help:"List files whose form differs."`
	Diff  bool     `short:"d" help:"Show differences."`
	Write bool     `short:"w" help:"Write the result to the files."`
	Fix   bool     `help:"Rewrite formulas as the warnings of opgen check suggest."`
	Paths []string `arg:"" optional:"" help:"Files, folders, or DIR/...; standard input if none is named."`
}

// Help is shown below the flags.
func (fmtCmd) Help() string {
	return `Prints specs in canonical form. With -l, -d or -w it lists, shows or writes what differs.

  opgen fmt -w ./specs/...      # all packages below
  opgen fmt -d ops/clip.op      # what would change
  opgen fmt -l ./specs/...      # names alone
  opgen fmt -fix -w ./specs     # also the rewrites that warnings suggest
  opgen fmt < clip.op           # standard input to standard output`
}

func (c *fmtCmd) Run(e *env) error {
	if len(c.Paths) == 0 {
		if c.Write {
			return usageError{errors.New("-w writes to files, and none is named; what comes from standard input goes to standard output")}
		}
		src, err := io.ReadAll(e.stdin)
		if err != nil {
			return err
		}
		alone := codegen.Source{Dir: ".", Files: []codegen.SourceFile{{Name: "<stdin>", Data: src}}, Import: codegen.Beside(".")}
		return c.some(e, alone, "")
	}
	var failed error
	for _, p := range c.Paths {
		only := ""
		if filepath.Ext(p) == ".op" {
			only = filepath.Clean(p)
		}
		sources, err := codegen.Find([]string{p}, "")
		if err != nil {
			return err
		}
		for _, s := range sources {
			if err := c.some(e, s, only); err != nil {
				if !errors.Is(err, errFindings) {
					return err
				}
				failed = err
			}
		}
	}
	return failed
}

// some formats the files of one package, or only one of them.
func (c *fmtCmd) some(e *env, s codegen.Source, only string) error {
	fixed := s.Files
	if c.Fix {
		var diags *diag.List
		if fixed, diags = codegen.Fix(s); diags.HasErrors() {
			return render(e, diags, s.Files)
		}
	}
	var failed error
	for i, f := range s.Files {
		if only != "" && filepath.Clean(f.Name) != only {
			continue
		}
		if err := c.one(e, f, fixed[i].Data); err != nil {
			if !errors.Is(err, errFindings) {
				return err
			}
			failed = err
		}
	}
	return failed
}

// one formats a file whose text may have been mended.
func (c *fmtCmd) one(e *env, f codegen.SourceFile, text []byte) error {
	out, diags := dsl.FormatSource(f.Name, text)
	if diags.HasErrors() {
		return render(e, diags, []codegen.SourceFile{f})
	}
	if !c.List && !c.Diff && !c.Write {
		_, err := e.stdout.Write(out)
		return err
	}
	if bytes.Equal(f.Data, out) {
		return nil
	}
	if c.List {
		fmt.Fprintln(e.stdout, f.Name)
	}
	if c.Diff {
		e.stdout.Write(diff.Diff(f.Name+".orig", f.Data, f.Name, out))
	}
	if c.Write {
		return replace(f.Name, out)
	}
	return nil
}

// render shows the diagnostics of some files.
func render(e *env, diags *diag.List, files []codegen.SourceFile) error {
	texts := map[string][]byte{}
	for _, f := range files {
		texts[f.Name] = f.Data
	}
	if err := diags.Render(e.stderr, texts, e.color); err != nil {
		return err
	}
	return errFindings
}
