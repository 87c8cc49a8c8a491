package randspec_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/conformance/randspec"
	"github.com/opgen/opgen/dsl/diag"
)

// source is a spec, or several, as a package.
func source(pkg string, files map[string]string) codegen.Source {
	s := codegen.Source{Dir: pkg, ImportPath: modulePath + "/" + pkg, Import: func(path string) ([]codegen.SourceFile, error) {
		text, ok := randspec.Library[path]
		if !ok {
			return nil, fmt.Errorf("there is no package %s", path)
		}
		return []codegen.SourceFile{{Name: path + ".op", Data: []byte(text)}}, nil
	}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s.Files = append(s.Files, codegen.SourceFile{Name: name, Data: []byte(files[name])})
	}
	return s
}

// built takes a spec through the pipeline up to a stage.
func built(text, last string) (b *codegen.Build, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = found("panic", "%v\n%s", p, debug.Stack())
		}
	}()
	b = codegen.New(source("p", map[string]string{"p.op": text}), codegen.Go, codegen.AMD64)
	if b.Run(last) {
		return b, nil
	}
	for _, d := range b.Diags.All {
		if d.Severity == diag.Error {
			if slices.Contains(refusals, d.Code) {
				return nil, &refused{d.Code, d.Message}
			}
			return nil, found("refusal "+d.Code, "%s", d.String())
		}
	}
	return nil, found("refusal", "the pipeline stopped without an error")
}

// checkSpec checks a spec on the evaluator and the nests.
func checkSpec(s *randspec.Spec, text string, n *tally) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = found("panic", "%v\n%s", p, debug.Stack())
		}
	}()
	if err := checkText(text); err != nil {
		return err
	}
	b, err := built(text, "share")
	if err != nil {
		return err
	}
	op := b.Package.Ops[len(b.Package.Ops)-1]
	for _, f := range b.Functions {
		for _, f := range []*ir.Func{f.Variant.Forward, f.Forward, f.Derived, f.Backward} {
			if err := checkPrinted(f); err != nil {
				return err
			}
		}
	}
	for i, k := range s.Cases {
		r := rand.New(rand.NewPCG(s.Seed, uint64(i)))
		c := &randomCall{op: op, build: b, inputs: map[string]*ir.Array{}, r: r, n: n}
		for _, p := range op.Inputs {
			if a := k.Inputs[p.Name]; a != nil {
				c.inputs[p.Name] = a
			}
		}
		for _, a := range k.Attrs {
			if a.Name == "step" && op.Update || slices.ContainsFunc(op.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name }) {
				c.attrs = append(c.attrs, a)
			}
		}
		n.calls++
		if err := c.check(s.Smooth); err != nil {
			var f *finding
			if errors.As(err, &f) {
				f.text = fmt.Sprintf("call %d, %s\n%s", i, c, f.text)
			}
			return err
		}
	}
	return nil
}

// randomCall is a call of a random op.
type randomCall struct {
	op     *ir.OpDecl
	build  *codegen.Build
	inputs arrays
	attrs  []ir.ExampleAttr
	r      *rand.Rand
	n      *tally
}

func (c *randomCall) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.inputs)) {
		a := c.inputs[name]
		fmt.Fprintf(&b, "%s %v", name, a.Shape)
		if len(a.Data) <= 12 {
			fmt.Fprintf(&b, " %v", a.Data)
		}
		b.WriteString(", ")
	}
	for _, a := range c.attrs {
		fmt.Fprintf(&b, "%s = %s%v%v, ", a.Name, a.Word, a.Number, a.List)
	}
	return b.String()
}

// check runs the call everywhere.
func (c *randomCall) check(smooth bool) error {
	wide := map[string]string{}
	for _, v := range c.op.ElemVars {
		wide[v.Name] = v.DTypes[len(v.DTypes)-1]
		for _, d := range []string{"f64", "i64"} {
			if slices.Contains(v.DTypes, d) {
				wide[v.Name] = d
			}
		}
	}
	out, err := ir.EvalOp(c.op, c.inputs, c.attrs, wide)
	if err != nil {
		c.n.failed++
		c.n.count("the evaluator: " + briefly(err))
		if strings.Contains(err.Error(), "has no value") {
			return found("no value", "%v\n%v", err, c.build.Functions[0].Variant.Forward) // specs have ?? where there may be none
		}
		return nil
	}
	bound, err := ir.Bind(c.op, ir.ShapesOf(c.inputs), c.attrs)
	if err != nil {
		return found("bind", "EvalOp works, Bind says %v", err)
	}
	var fn *codegen.Function
	for _, f := range c.build.Functions {
		if f.Variant == bound.Variant {
			fn = f
		}
	}
	if fn == nil {
		return found("variant", "the variant of the call wasn't lowered")
	}
	cot := c.cotangents(bound, out)
	if err := c.passes(bound, fn, wide, cot); err != nil {
		return err
	}
	if fn.Backward != nil && smooth && !c.narrow(wide) {
		if err := c.differences(bound, fn.Backward, wide, cot); err != nil {
			return err
		}
	}
	for _, dtypes := range c.dtypes() {
		i := slices.IndexFunc(fn.Pairs, func(p *codegen.Pair) bool { return p.Takes(dtypes) })
		if i < 0 {
			return found("dtypes", "there is no code for %v", dtypes)
		}
		if c.halves(dtypes) {
			continue // which the nests compute as f32
		}
		if err := c.nests(bound, fn, fn.Pairs[i], dtypes, cot); err != nil {
			return err
		}
	}
	return nil
}

// dtypes are choices of what variables stand for: the floats that have code of their own and another one, and any integers.
func (c *randomCall) dtypes() []map[string]string {
	r := []map[string]string{{}}
	for _, v := range c.op.ElemVars {
		list := slices.DeleteFunc(slices.Clone(v.DTypes), func(d string) bool { return d == "u64" }) // which the evaluator doesn't compute in
		c.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if slices.Contains(list, "f64") {
			list = append([]string{"f64"}, slices.DeleteFunc(list, func(d string) bool { return d == "f64" })...)
			list = list[:min(len(list), 2)]
			if slices.Contains(v.DTypes, "f32") && list[1] != "f32" {
				list = append(list, "f32")
			}
		} else {
			list = list[:1]
		}
		var next []map[string]string
		for _, m := range r {
			for _, d := range list {
				n := maps.Clone(m)
				n[v.Name] = d
				next = append(next, n)
			}
		}
		r = next
	}
	return r
}

// briefly is an error without its place and numbers, to count alike ones.
func briefly(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// cotangents are random cotangents of the float outputs.
func (c *randomCall) cotangents(b *ir.Bound, out arrays) arrays {
	r := arrays{}
	for _, t := range b.Func.Outputs {
		if t.Of == nil && b.Func.IsFloat(t) {
			r[t.Name] = normal(c.r, out[t.Name].Shape)
		}
	}
	return r
}

// passes checks that the passes keep values and gradients.
func (c *randomCall) passes(b *ir.Bound, fn *codegen.Function, dtypes map[string]string, cot arrays) error {
	in, err := b.Binding(c.inputs, dtypes)
	if err != nil {
		return found("bind", "%v", err)
	}
	plain, err := ir.Eval(b.Func, in)
	if err != nil {
		return found("evaluator", "%v", err)
	}
	simple, err := pass.Run(b.Func, "")
	if err != nil {
		return found("pass", "%v", err)
	}
	got, err := ir.Eval(simple, in)
	if err != nil {
		return found("pass", "after the passes: %v\n%v\n%v", err, b.Func, simple)
	}
	near := c.precision(dtypes)
	forward := func(f *ir.Func) (arrays, error) { return byName(b, f, in) }
	moves := c.moves(b.Func, near.unit, forward)
	for k, t := range b.Func.Outputs {
		if text := c.differ(t.Name, plain[t], got[simple.Outputs[k]], near.rel, moves); text != "" {
			return found("pass", "%s: simplified %s\n%v\n%v", t.Name, text, b.Func, simple)
		}
	}
	if fn.Backward == nil {
		return nil
	}
	back, err := grad.Reverse(b.Func)
	if err != nil {
		return found("gradient", "%v", err)
	}
	before, err := grad.EvalBackward(b, back, c.inputs, cot, dtypes)
	if err != nil {
		return found("gradient", "%v\n%v", err, back)
	}
	after, err := grad.EvalBackward(b, fn.Backward, c.inputs, cot, dtypes)
	if err != nil {
		return found("pass gradient", "after the passes: %v\n%v\n%v", err, back, fn.Backward)
	}
	moves = c.moves(back, near.grade, func(f *ir.Func) (arrays, error) { return grad.EvalBackward(b, f, c.inputs, cot, dtypes) })
	for name, a := range before {
		if text := c.differ(name, known(a, after[name]), after[name], near.gradRel, moves); text != "" {
			return found("pass gradient", "@%s: simplified %s\n%v\n%v", name, text, back, fn.Backward)
		}
	}
	return nil
}

// known is an array with the numbers of another one where it has none: what is infinite times zero by the chain rule has a value in
// simplified definitions, see pass.Derivative.
func known(a, other *ir.Array) *ir.Array {
	if other == nil || len(other.Data) != len(a.Data) {
		return a
	}
	r := &ir.Array{Shape: a.Shape, Data: slices.Clone(a.Data)}
	for i, x := range r.Data {
		if x != x {
			r.Data[i] = other.Data[i]
		}
	}
	return r
}

// nests compares programs of nests with the evaluator.
func (c *randomCall) nests(b *ir.Bound, fn *codegen.Function, p *codegen.Pair, dtypes map[string]string, cot arrays) error {
	if p.Forward == nil {
		c.n.portable++
		for _, why := range p.Portable {
			c.n.count("portable: " + briefly(errors.New(why)))
		}
	} else {
		c.n.nests++
	}
	inputs := c.inputs
	want, err := ir.EvalOp(c.op, inputs, c.attrs, dtypes)
	if err != nil {
		return nil // an index that was rounded otherwise
	}
	near := c.precision(dtypes)
	if p.Forward == nil {
		return nil
	}
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return found("bind", "%v", err)
	}
	plain := in
	plain.Arrays = maps.Clone(in.Arrays)
	moves := c.moves(b.Func, near.unit, func(f *ir.Func) (arrays, error) { return byName(b, f, plain) })
	in.DTypes = widened(p, dtypes)
	out, err := p.Forward.Run(in)
	if err != nil {
		return found("nests", "%v: %v\n%v", dtypes, err, p.Forward)
	}
	for _, t := range p.Forward.Func.Outputs {
		name := t.Name
		got := b.Views[t].Out(out[t])
		if text := c.differ(name, want[name], got, near.rel, moves); text != "" {
			return found("nests", "%v: %s: %s\n%v\n%v", dtypes, name, text, p.Forward.Func, p.Forward)
		}
	}
	if p.Backward == nil {
		return nil
	}
	back := fn.Backward
	wantGrads, err := grad.EvalBackward(b, back, inputs, cot, dtypes)
	if err != nil {
		return found("gradient", "%v: %v\n%v", dtypes, err, back)
	}
	moves = c.moves(back, near.grade, func(f *ir.Func) (arrays, error) { return grad.EvalBackward(b, f, inputs, cot, dtypes) })
	for t, a := range out {
		in.Arrays[t] = a
	}
	for _, t := range p.Backward.Func.Inputs {
		if t.Role == ir.Cotangent {
			in.Arrays[t] = b.Views[t.Of].In(cot[t.Of.Name])
		}
	}
	grads, err := p.Backward.Run(in)
	if err != nil {
		return found("nests gradient", "%v: %v\n%v", dtypes, err, p.Backward)
	}
	for _, t := range p.Backward.Func.Outputs {
		if b.Views[t.Of] == nil {
			continue
		}
		name := t.Of.Name
		if text := c.differ(name, wantGrads[name], b.Views[t.Of].Out(grads[t]), near.gradRel, moves); text != "" {
			return found("nests gradient", "%v: @%s: %s\n%v\n%v", dtypes, name, text, back, p.Backward)
		}
	}
	return nil
}

// widened are the dtypes in which nests run: integers of all dtypes that are i64 there become that first, as in generated code.
func widened(p *codegen.Pair, dtypes map[string]string) map[string]string {
	r := maps.Clone(dtypes)
	for v, d := range p.DTypes {
		if p.Wide && d == "i64" {
			r[v] = d
		}
	}
	return r
}

// narrow tells whether a float has fewer bits than the evaluator's.
func (c *randomCall) narrow(dtypes map[string]string) bool {
	for _, d := range c.elems(dtypes) {
		if d == "f32" || d == "f16" || d == "bf16" {
			return true
		}
	}
	return false
}

// halves tells whether there are floats of 16 bits.
func (c *randomCall) halves(dtypes map[string]string) bool {
	for _, d := range c.elems(dtypes) {
		if d == "f16" || d == "bf16" {
			return true
		}
	}
	return false
}

// precision is how near results of a call must be.
type precision struct {
	rel            float64 // relatively: some roundings of what is computed, and one of what is stored
	unit           float64 // the size of a rounding of what is computed
	gradRel, grade float64 // of gradients, which read what was stored
}

func (c *randomCall) precision(dtypes map[string]string) precision {
	p := precision{1e-11, 0x1p-53, 1e-10, 0x1p-53}
	for _, d := range c.elems(dtypes) {
		switch d {
		case "f32":
			p = precision{max(p.rel, 2e-5), max(p.unit, 0x1p-24), max(p.gradRel, 2e-4), max(p.grade, 0x1p-24)}
		case "f16":
			p = precision{max(p.rel, 0x1p-10), max(p.unit, 0x1p-24), max(p.gradRel, 0.2), max(p.grade, 0x1p-11)}
		case "bf16":
			p = precision{max(p.rel, 0x1p-7), max(p.unit, 0x1p-24), 1, max(p.grade, 0x1p-8)}
		}
	}
	return p
}

// elems are the dtypes of the tensors of the op.
func (c *randomCall) elems(dtypes map[string]string) map[string]string {
	r := map[string]string{}
	for _, p := range append(slices.Clone(c.op.Inputs), c.op.Outputs...) {
		r[p.Name] = p.Elem.Resolve(dtypes)
	}
	return r
}

type arrays = map[string]*ir.Array

// modulePath is that of the module in which specs are built.
const modulePath = "randspec.test"

func normal(r *rand.Rand, shape []int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		a.Data[i] = float64(float32(r.NormFloat64()))
	}
	return a
}
