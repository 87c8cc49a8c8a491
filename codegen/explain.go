package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/emit"
)

// Explain says what to show of an op.
type Explain struct {
	Stage   string // of the pipeline; "": all
	Variant string // part of the name of a variant; "": all
	DType   string // of the first dtype variable; "": all
}

// Declared lists the ops of the package as package.name, by its syntax alone.
func (b *Build) Declared() []string {
	b.parse()
	defer func() { b.Files, b.Diags.All = nil, nil }()
	var r []string
	for _, f := range b.Files {
		for _, o := range f.Ops {
			r = append(r, f.Package.Name+"."+o.Name.Name)
		}
	}
	return r
}

// Explain runs the pipeline stage by stage and shows what each makes of an op.
func (b *Build) Explain(op string, what Explain) (string, error) {
	var out strings.Builder
	for _, s := range Pipeline {
		s.Run(b)
		if b.Diags.HasErrors() {
			return "", nil // the caller shows them
		}
		text := b.dump(s.Name, op, what)
		if text != "" && (what.Stage == "" || what.Stage == s.Name) {
			fmt.Fprintf(&out, "━━ %s: %s\n\n%s\n", s.Name, s.Why, text)
		}
	}
	if out.Len() == 0 {
		return "", b.unexplained(op, what)
	}
	return out.String(), nil
}

// unexplained says why there was nothing to show.
func (b *Build) unexplained(op string, what Explain) error {
	var variants, dtypes []string
	matched, lowered := false, false
	for _, f := range b.all() {
		if f.Op.Name != op {
			continue
		}
		variants = append(variants, f.Name)
		matched = matched || strings.Contains(f.Name, what.Variant)
		for _, p := range f.Pairs {
			lowered = lowered || p.wanted(f, what)
			if len(f.Op.ElemVars) > 0 {
				if d := p.DTypes[f.Op.ElemVars[0].Name]; !slices.Contains(dtypes, d) {
					dtypes = append(dtypes, d)
				}
			}
		}
	}
	switch {
	case !matched:
		return fmt.Errorf("no variant of %s has %q in its name: there are %s", op, what.Variant, strings.Join(variants, ", "))
	case !lowered && len(dtypes) > 0:
		return fmt.Errorf("nothing of %s is lowered for %q: there are %s", op, what.DType, strings.Join(dtypes, ", "))
	}
	return fmt.Errorf("there is nothing of %s to show here", op)
}

// dump shows the state behind a stage, as far as it is about op.
func (b *Build) dump(stage, op string, what Explain) string {
	var out strings.Builder
	for _, f := range b.all() {
		if f.Op.Name != op || !strings.Contains(f.Name, what.Variant) {
			continue
		}
		switch stage {
		case "check":
			fmt.Fprintf(&out, "%s\n%v\n", f.Name, f.Forward)
		case "derive":
			if f.Backward != nil {
				fmt.Fprintf(&out, "%s, backward\n%v\n", f.Name, f.Backward)
			}
		case "prove":
			for _, g := range f.Gradients {
				fmt.Fprintf(&out, "%s, gradient of %s: %s\n", f.Name, g.Of.Name, g)
			}
		case "simplify":
			fmt.Fprintf(&out, "%s\n%v\n", f.Name, f.Forward)
			if f.Backward != nil {
				fmt.Fprintf(&out, "%s, backward\n%v\n", f.Name, f.Backward)
			}
		case "lower":
			for _, p := range f.Pairs {
				if !p.wanted(f, what) {
					continue
				}
				for _, why := range p.Portable {
					fmt.Fprintf(&out, "· written from its definitions, as portable Go: %s\n", why)
				}
				for _, prog := range p.programs() {
					for _, t := range prog.Trace {
						fmt.Fprintf(&out, "· %s\n", t)
					}
					fmt.Fprintf(&out, "%v\n", prog)
				}
			}
		}
	}
	if stage == "emit" {
		for _, file := range b.kernelFiles(op, what) {
			fmt.Fprintf(&out, "── %s\n%s\n", file.Name, file.Data)
		}
	}
	return out.String()
}

// wanted tells whether a pair is for the dtype that is asked for.
func (p *Pair) wanted(f *Function, what Explain) bool {
	return what.DType == "" || len(f.Op.ElemVars) == 0 || p.Takes(map[string]string{f.Op.ElemVars[0].Name: what.DType})
}

// kernelFiles prints the kernels of one op alone, for each target.
func (b *Build) kernelFiles(op string, what Explain) []emit.File {
	k := newKernelSet()
	for _, f := range b.all() {
		if f.Op.Name != op || !strings.Contains(f.Name, what.Variant) {
			continue
		}
		for _, p := range f.Pairs {
			if !p.wanted(f, what) {
				continue
			}
			for _, prog := range p.programs() {
				for _, l := range prog.Launches {
					k.add(l.Nest)
				}
			}
		}
	}
	if len(k.list) == 0 {
		return nil
	}
	files, err := b.emitKernels(op+".op", k.list)
	if err != nil {
		b.Diags.Errorf(b.Package.Ops[0].Span, "internal", "%v", err)
	}
	return files
}
