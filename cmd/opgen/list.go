package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/opgen/opgen/codegen"
)

type listCmd struct {
	Format string   `help:"Form of the list: text or json." enum:"text,json" default:"text"`
	Paths  []string `arg:"" optional:"" help:"Packages of specs; the folder here if none is named."`
}

// Help is shown below the flags.
func (listCmd) Help() string {
	return `Lists ops with their dtypes, and what is written for each backend: kernels, which are loops for these dtypes, or
definitions, which is portable Go that computes element by element; - where portable Go runs instead.

  opgen list ./specs/...                 # a table; dtypes with the same code share a line
  opgen list -format json ./specs/loss   # for programs: one entry for each op and choice of dtypes`
}

func (c *listCmd) Run(e *env) error {
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	all := []codegen.Written{}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "op\tdtypes")
	for _, k := range codegen.Backends {
		fmt.Fprintf(w, "\t%s", k.Name)
	}
	fmt.Fprint(w, "\tgradient\n")
	var failed error
	show := e.progress(len(sources))
	defer show.done()
	for _, s := range sources {
		show.step(s.Dir)
		b := codegen.New(s)
		b.Run("lower")
		if err := shown(e, show, b); err != nil {
			failed = err
			continue
		}
		list := b.Written()
		all = append(all, list...)
		for _, op := range b.Package.Ops {
			var own []codegen.Written
			for _, x := range list {
				if x.Op == b.Package.Name+"."+op.Name {
					own = append(own, x)
				}
			}
			for _, g := range codegen.Groups(op, own) {
				dtypes := g.DTypes
				if dtypes == "" {
					dtypes = codegen.Absent
				}
				fmt.Fprintf(w, "%s\t%s", g.Op, dtypes)
				for _, k := range codegen.Backends {
					fmt.Fprintf(w, "\t%s", g.Backends[k.Name])
				}
				fmt.Fprintf(w, "\t%s\n", g.Gradient)
			}
		}
	}
	show.done()
	if c.Format == "json" {
		enc := json.NewEncoder(e.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(all); err != nil {
			return err
		}
		return failed
	}
	if len(all) == 0 {
		return failed
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return failed
}
