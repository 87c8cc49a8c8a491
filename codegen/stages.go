package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/grad/prove"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/lint"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

func (b *Build) parse() {
	for _, f := range b.Source.Files {
		tree, diags := dsl.Parse(f.Name, f.Data)
		b.Files = append(b.Files, tree)
		b.Diags.All = append(b.Diags.All, diags.All...)
	}
}

func (b *Build) check() {
	cfg := check.Config{}
	if b.Source.Import != nil {
		cfg.Import = b.imported
	}
	pkg, diags := cfg.Package(b.Files)
	b.Package = pkg
	b.Diags.All = append(b.Diags.All, diags.All...)
	for _, op := range pkg.Ops {
		b.checkExamples(op)
		for _, v := range op.Variants {
			if v.Refused != nil {
				continue // every call of it is an error
			}
			v.Forward.Requires = append(v.Forward.Requires, ir.NeedsPoints(v.Forward)...)
			v.Forward.Defs = ir.Askable(v.Forward)
			f := &Function{Op: op, Variant: v, Name: variantName(op, v), Forward: v.Forward}
			f.takePhases()
			b.Functions = append(b.Functions, f)
		}
	}
}

// checkExamples reports examples that are no calls of the op: whose shapes don't fit each other, or whose attributes place an
// axis that isn't there.
func (b *Build) checkExamples(op *ir.OpDecl) {
	for _, e := range op.Examples {
		inputs := map[string]*ir.Array{}
		for _, v := range e.Inputs {
			inputs[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
		}
		if _, err := ir.Bind(op, ir.ShapesOf(inputs), e.Attrs); err != nil {
			b.Diags.Errorf(e.Span, "example-shape", "the op can't be called like this: %v", err)
		}
	}
}

// imported parses another package of specs, whose files messages may then name.
func (b *Build) imported(path string) ([]*dsl.File, error) {
	files, err := b.Source.Import(path)
	if err != nil {
		return nil, err
	}
	var r []*dsl.File
	for _, f := range files {
		tree, diags := dsl.Parse(f.Name, f.Data)
		if err := diags.Err(); err != nil {
			return nil, err
		}
		r = append(r, tree)
	}
	b.Imported = append(b.Imported, files...)
	b.Trees[path] = r
	return r, nil
}

// lint adds warnings, and leaves out those that comments silence.
func (b *Build) lint() {
	for _, f := range lint.Check(b.Files, b.Package, b.tree) {
		b.Diags.Add(f.Diagnostic)
	}
	b.Diags.All = lint.Silence(b.Files, b.Diags.All)
}

// variantName is an identifier that is unique in the package.
func variantName(op *ir.OpDecl, v *ir.Variant) string {
	parts := []string{op.Name}
	for _, c := range v.Choices {
		switch {
		case c.Rank != "":
			parts = append(parts, fmt.Sprintf("%s%d", strings.ToLower(c.Rank), c.N))
		case c.Attr != "" && (c.Word == "true" || c.Word == "false"):
			parts = append(parts, negated(c.Word == "true")+c.Attr)
		case c.Attr != "":
			parts = append(parts, c.Word)
		case c.Present != "":
			parts = append(parts, negated(c.Holds)+c.Present)
		default:
			parts = append(parts, negated(c.Holds)+conditionName(c.Cond))
		}
	}
	return strings.Join(parts, "_")
}

// comparisons are spelled in words.
var comparisons = strings.NewReplacer("real(", "(", "==", " is ", "!=", " is not ", "<=", " at most ", "<", " below ", "&&", " and ", "||", " or ", "-", " minus ", ".", " point ")

// conditionName spells a condition as an identifier: label_smoothing_is_0.
func conditionName(c *ir.Value) string {
	words := strings.FieldsFunc(comparisons.Replace(c.String()), func(r rune) bool {
		return r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
	})
	return strings.Join(words, "_")
}

func negated(holds bool) string {
	if holds {
		return ""
	}
	return "no_"
}

// internal reports a fault that is opgen's own: it still names the op.
func (b *Build) internal(f *Function, stage string, err error) {
	b.Diags.Errorf(f.Op.Span, "internal", "%s: %s: %v", f.Op.Name, stage, err).Hint = "this is a fault of opgen, not of the spec"
}

func (b *Build) derive() {
	type failure struct{ rule, other error }
	failed := make([]failure, len(b.Functions))
	parallel(len(b.Functions), func(i int) {
		f := b.Functions[i]
		if f.Op.Update || !differentiable(f.Forward) {
			return
		}
		bare := *f.Forward
		bare.UserGrads = nil
		byHand := false
		for _, u := range f.Forward.UserGrads {
			if u.None {
				bare.UserGrads = append(bare.UserGrads, u)
			} else {
				byHand = true
			}
		}
		if f.Derived, failed[i].rule = grad.Reverse(&bare); failed[i].rule != nil {
			return
		}
		if f.Backward = f.Derived; byHand {
			f.Backward, failed[i].other = grad.Reverse(f.Forward)
		}
	})
	said := map[*ir.OpDecl]bool{} // of the first variant that fails
	for i, f := range b.Functions {
		if err := failed[i].rule; err != nil {
			if many := (*grad.ManyCases)(nil); said[f.Op] {
			} else if errors.As(err, &many) {
				b.Diags.Errorf(many.Span, "op-large", "%v", many).Hint = "name inner maxima and choices with `let`: each of them then has a derivative of its own"
			} else {
				b.Diags.Errorf(f.Op.Span, "grad-row", "%s cannot be differentiated: %v", f.Op.Name, err).Hint = "declare inputs without a derivative: grad none NAME"
			}
			said[f.Op] = true
		}
		if err := failed[i].other; err != nil {
			b.internal(f, "derivative", err)
		}
	}
}

// differentiable tells whether there is a float input and a float output.
func differentiable(f *ir.Func) bool {
	in, out := false, false
	for _, t := range f.Inputs {
		in = in || t.Role == ir.Input && f.IsFloat(t)
	}
	for _, t := range f.Outputs {
		out = out || t.Role == ir.Output && t.Of == nil && f.IsFloat(t)
	}
	return in && out
}

func (b *Build) prove() {
	found := make([][]diag.Diagnostic, len(b.Functions))
	parallel(len(found), func(i int) {
		if f := b.Functions[i]; f.Derived != nil {
			f.Gradients, found[i] = prove.Gradients(f.Variant, f.Derived)
		}
	})
	seen := map[string]*diag.Diagnostic{}
	for i, f := range b.Functions {
		for k := range found[i] { // the same formula may be wrong in several variants, for several reasons
			d := &found[i][k]
			key := d.Span.Start.String() + d.Code
			if first := seen[key]; first != nil {
				if !strings.Contains(first.Hint, d.Hint) {
					first.Hint += "; " + d.Hint
				}
				continue
			}
			if text := choicesText(f.Variant); text != "" {
				d.Message += ", where " + text
			}
			seen[key] = d
		}
	}
	for _, d := range seen {
		b.Diags.Add(*d)
	}
	b.Diags.Sort()
}

// choicesText names the choices of a variant as users write them; "" where there are none.
func choicesText(v *ir.Variant) string {
	var parts []string
	for _, c := range v.Choices {
		switch {
		case c.Attr != "":
			parts = append(parts, c.Attr+" is "+c.Word)
		case c.Present != "" && c.Holds:
			parts = append(parts, c.Present+" is given")
		case c.Present != "":
			parts = append(parts, c.Present+" is left out")
		case c.Cond != nil:
			parts = append(parts, c.ConditionText())
		}
	}
	return strings.Join(parts, " and ")
}

func (b *Build) simplify() {
	all := b.all()
	failed := make([]error, len(all))
	parallel(len(all), func(i int) {
		f := all[i]
		f.reversed = f.Backward
		for _, g := range []**ir.Func{&f.Forward, &f.Backward} {
			if *g != nil && failed[i] == nil {
				*g, failed[i] = pass.Run(*g, "")
			}
		}
	})
	for i, err := range failed {
		if err != nil {
			b.internal(all[i], "simplification", err)
			return
		}
	}
}

// Formulas are the definitions of the derivative as mathematics, where Backward has them as they are run.
func (f *Function) Formulas() *ir.Func {
	r, err := pass.Formulas(f.reversed)
	if err != nil {
		return f.Backward // which went through the same passes
	}
	return r
}

func (b *Build) lower() {
	all := b.all()
	for next := all; len(next) > 0 && b.lowerAll(next); {
		next = again(all)
	}
	b.keepable(all)
}

// lowerAll lowers functions; it is false where that fails.
func (b *Build) lowerAll(all []*Function) bool {
	failed := make([]error, len(all))
	parallel(len(all), func(i int) {
		all[i].keep()
		all[i].Pairs, failed[i] = lowerAll(all[i])
	})
	for i, err := range failed {
		if err != nil {
			b.internal(all[i], "lowering", err)
			return false
		}
	}
	return true
}

// lowerPair lowers a function and its derivative to nests, as far as these can express them.
func lowerPair(f *Function, opt nest.Options) (*Pair, error) {
	p := &Pair{DTypes: opt.DTypes}
	alone := func(fn *ir.Func, suffix string) (*nest.Program, error) {
		o := opt
		o.Name += suffix
		prog, err := nest.Lower(fn, o)
		return prog, p.note(err)
	}
	var err error
	switch {
	case readsElements(f.Forward.Requires):
		// A condition on elements is tested when the function has computed it, which launches don't.
		p.Portable = append(p.Portable, f.Forward.Name+" requires something of elements")
		if f.Reader != nil {
			p.Backward, err = alone(f.Reader, "_backward")
		}
	case f.Reader == nil:
		if p.Forward, err = alone(f.Forward, ""); err == nil {
			err = f.stack(p, opt)
		}
	default:
		p.Forward, p.Backward, err = nest.LowerPair(f.Forward, f.Reader, opt)
		if err = p.note(err); err == nil && p.Forward != nil && p.Backward == nil {
			p.Forward, err = alone(f.Forward, "_forward") // which keeps what it must
		}
	}
	return p, err
}

// note takes errors that say why something can't be nests, and gives back others.
func (p *Pair) note(err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if err := p.note(e); err != nil {
				return err
			}
		}
		return nil
	}
	var u *nest.Unsupported
	if !errors.As(err, &u) {
		return err
	}
	p.Portable = append(p.Portable, u.Error())
	return nil
}

func readsElements(requires []ir.Require) bool {
	return slices.ContainsFunc(requires, func(r ir.Require) bool { return len(ir.Reads(r.Cond)) > 0 })
}

// GradientLine is a line of `opgen check`: how the gradient of an input is known.
type GradientLine struct{ Op, Input, Status string }

// Gradients lists how gradients are known: for each op and input the least that holds in all variants.
func (b *Build) Gradients() []GradientLine {
	var r []GradientLine
	at := map[string]int{}
	worst := map[string]int{}
	for _, f := range b.Functions {
		if f.Derived == nil {
			continue
		}
		known := map[*ir.Tensor]prove.Status{}
		for _, s := range f.Gradients {
			known[s.Of] = s
		}
		derived := map[*ir.Tensor]bool{}
		for _, g := range f.Derived.Outputs {
			if g.Role == ir.Gradient {
				derived[g.Of] = true
			}
		}
		for _, t := range f.Forward.Inputs {
			s, ok := known[t]
			if !ok && !derived[t] {
				continue
			}
			text, rank := "refused", len(gradientRank)
			if ok {
				text, rank = s.String(), gradientRank[s.How]
			}
			line := GradientLine{b.Package.Name + "." + f.Op.Name, t.Name, text}
			key := line.Op + " " + line.Input
			i, ok := at[key]
			if !ok {
				at[key], worst[key] = len(r), rank
				r = append(r, line)
			} else if rank > worst[key] {
				worst[key], r[i] = rank, line
			}
		}
	}
	return r
}

// gradientRank orders the ways to know a gradient, the surest first.
var gradientRank = map[prove.How]int{prove.None: 0, prove.Unneeded: 1, prove.Derived: 2, prove.Proved: 3, prove.Tested: 4, prove.Unverified: 5}
