package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
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
	Paths []string `arg:"" optional:"" help:"Files, folders, or DIR/...; standard input if none is named."`
}

func (c *fmtCmd) Run(e *env) error {
	if len(c.Paths) == 0 {
		src, err := io.ReadAll(e.stdin)
		if err != nil {
			return err
		}
		return c.one(e, "<stdin>", src)
	}
	var failed error
	for _, p := range c.Paths {
		files, err := c.files(p)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := c.one(e, f.Name, f.Data); err != nil {
				if err != errFindings {
					return err
				}
				failed = err
			}
		}
	}
	return failed
}

// files are those that a path names: one file alone, or all of packages.
func (c *fmtCmd) files(path string) ([]codegen.SourceFile, error) {
	if filepath.Ext(path) == ".op" {
		data, err := os.ReadFile(path)
		return []codegen.SourceFile{{Name: path, Data: data}}, err
	}
	sources, err := codegen.Find([]string{path}, "")
	var r []codegen.SourceFile
	for _, s := range sources {
		r = append(r, s.Files...)
	}
	return r, err
}

func (c *fmtCmd) one(e *env, name string, src []byte) error {
	out, diags := dsl.FormatSource(name, src)
	if diags.HasErrors() {
		return render(e, diags, name, src)
	}
	same := bytes.Equal(src, out)
	switch {
	case c.List || c.Diff || c.Write:
		if same {
			return nil
		}
		if c.List {
			fmt.Fprintln(e.stdout, name)
		}
		if c.Diff {
			e.stdout.Write(diff.Diff(name+".orig", src, name, out))
		}
		if c.Write && name != "<stdin>" {
			return replace(name, out)
		}
		return nil
	default:
		_, err := e.stdout.Write(out)
		return err
	}
}

// render shows the diagnostics of one file.
func render(e *env, diags *diag.List, name string, src []byte) error {
	if err := diags.Render(e.stderr, map[string][]byte{name: src}, e.color); err != nil {
		return err
	}
	return errFindings
}
