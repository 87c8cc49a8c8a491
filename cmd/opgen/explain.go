package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl/diag"
)

type explainCmd struct {
	Stage   string   `help:"Show one stage only: check, derive, prove, simplify, lower or emit." enum:",check,derive,prove,simplify,lower,emit" default:""`
	Variant string   `help:"Show the variant whose name contains this, such as mean."`
	DType   string   `name:"dtype" help:"Dtype that is lowered." default:"f32"`
	Op      string   `arg:"" help:"The op: package.name."`
	Paths   []string `arg:"" optional:"" help:"Where to look for its package; ./... if not given."`
}

// Help is shown below the flags.
func (explainCmd) Help() string {
	return `Shows what each stage of the pipeline makes of one op: definitions, derivative, proof, simplified definitions, loops,
and the code of each target.

  opgen explain loss.smooth_l1                             # all stages
  opgen explain -stage derive loss.smooth_l1               # the derivative as it is found
  opgen explain -stage lower -variant mean loss.smooth_l1  # loops of one variant
  opgen explain -dtype f64 loss.smooth_l1 ./specs/...      # another dtype; where to look for the op`
}

func (c *explainCmd) Run(e *env) error {
	_, name, ok := strings.Cut(c.Op, ".")
	if !ok {
		return usageError{errors.New("name the op as package.name, such as loss.smooth_l1")}
	}
	if len(c.Paths) == 0 {
		c.Paths = []string{"./..."}
	}
	sources, err := codegen.Find(c.Paths, "")
	if err != nil {
		return err
	}
	var known []string
	for _, s := range sources {
		b := codegen.New(s)
		declared := b.Declared()
		known = append(known, declared...)
		if !slices.Contains(declared, c.Op) {
			continue
		}
		text, err := b.Explain(name, codegen.Explain{Stage: c.Stage, Variant: c.Variant, DType: c.DType})
		if serr := show(e, b); serr != nil {
			return serr
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(e.stdout, text)
		return err
	}
	hint := ""
	if near := diag.Suggest(c.Op, known); near != "" {
		hint = ": did you mean " + near + "?"
	}
	return fmt.Errorf("no op %s found in %s%s", c.Op, strings.Join(c.Paths, " "), hint)
}
