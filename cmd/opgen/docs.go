package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/docs"
	"github.com/opgen/opgen/codegen/emit"
)

type docsCmd struct {
	Output string   `short:"o" help:"Folder of the pages; the index is beside it, with its name." default:"docs/ops"`
	Check  bool     `help:"Write nothing; fail if pages are stale, missing or orphaned, and show how."`
	DryRun bool     `short:"n" help:"Write nothing; list what would change."`
	Paths  []string `arg:"" optional:"" help:"Packages of specs; the folder here if none is named."`
}

// Help is shown below the flags.
func (docsCmd) Help() string {
	return `Writes a Markdown page for each op: formula and derivative as mathematics, signature, examples, Go, and what is known
of its code; and an index. Name all packages: pages of others are removed, and the index doesn't list them.

  opgen docs ./specs/...               # docs/ops.md and docs/ops/FAMILY/OP.md
  opgen docs -check ./specs/...        # in CI: fail if pages are stale
  opgen docs -o site/ops ./specs/...   # elsewhere`
}

func (c *docsCmd) Run(e *env) error {
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	links := docs.Links{
		Conventions: c.reference("conventions.md"), Language: c.reference("language.md"),
		Spec: c.specLink,
	}
	var pages []emit.File
	var builds []*codegen.Build
	var failed error
	show := e.progress(len(sources))
	defer show.done()
	for b := range codegen.RunAll(sources, codegen.Go) {
		show.step(b.Source.Dir)
		if err := shown(e, show, b); err != nil {
			failed = err
			continue
		}
		b.Targets[codegen.AMD64], b.Targets[codegen.CUDA] = true, true // what generate would write
		list, err := docs.Pages(b, links)
		if err != nil {
			return err
		}
		pages, builds = append(pages, list...), append(builds, b)
	}
	show.done()
	if failed != nil {
		return failed // an index without some packages would be wrong
	}
	changes, err := compareAs(c.Output, pages, layout{
		folder: func(string) bool { return true },
		file:   func(name string) bool { return strings.HasSuffix(name, ".md") },
	})
	if err != nil {
		return err
	}
	index := filepath.Clean(c.Output) + ".md"
	text := docs.Index(builds, filepath.Base(filepath.Clean(c.Output)))
	old, err := readOurs(index)
	if err != nil {
		return err
	}
	if ch, differs := changeOf(index, old, text); differs {
		changes = append(changes, ch)
	}
	again := append([]string{"opgen", "docs", "-o", filepath.ToSlash(c.Output)}, c.Paths...)
	return settle(e, c.Output, changes, c.Check, c.DryRun, command(again...), nil)
}

// reference is a page of the documentation beside the index, seen from a page of an op; that of the project where there is none.
func (c *docsCmd) reference(name string) string {
	if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Clean(c.Output)), name)); err == nil {
		return "../../" + name
	}
	return "https://github.com/opgen/opgen/blob/main/docs/" + name
}

// specLink is a spec, seen from a page of an op.
func (c *docsCmd) specLink(b *codegen.Build, name string) string {
	from, err := filepath.Abs(filepath.Join(c.Output, b.Package.Name))
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(filepath.Join(b.Source.Dir, name))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
