package check

import (
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// defaultOf reads the default of an attribute.
func (s *signature) defaultOf(a *dsl.Attr, d *ir.AttrDecl) {
	ref, _ := a.Default.(*dsl.Ref)
	word := ""
	if ref != nil && ref.Index == nil && ref.Package == nil {
		word = ref.Name.Name
	}
	wrong := func(want string) *diag.Diagnostic {
		return s.rep.errorf(a.Default.Pos(), "attr-default", "the default of %s must be %s", quote(d.Name), want)
	}
	_, tuple := a.Default.(*dsl.Tuple)
	switch {
	case tuple && a.List != nil:
		wrong("one number").WithHint("it fills the list: all entries begin with it")
		return
	case ref != nil && word != "" && s.defaultIsName(word, d):
		wrong("a constant").WithHint("%s is known only in a call", quote(word))
		return
	}
	switch d.Kind {
	case ir.AttrEnum:
		if !slices.Contains(d.Enum.Words, word) {
			x := wrong("a word of its enum")
			if suggest(x, word, d.Enum.Words); x.Hint == "" {
				x.Hint = "its words are " + joinWords(d.Enum.Words)
			}
		}
		d.Word = word
	case ir.AttrBool, ir.AttrKeep:
		if word != "true" && word != "false" {
			x := wrong("true or false")
			suggest(x, word, []string{"true", "false"})
		}
		d.Word = word
	case ir.AttrAxes:
		if word == "all" {
			d.Word = word
			return
		}
		fallthrough
	case ir.AttrAxis, ir.AttrInt:
		d.Default = s.wholeDefault(a, d, wrong)
	case ir.AttrRNG:
		wrong("left out: a seed comes with each call")
	default:
		d.Default = s.numberDefault(a, d, wrong)
	}
}

// defaultIsName tells whether a word is the name of an input or attribute where a number is asked for.
func (s *signature) defaultIsName(word string, d *ir.AttrDecl) bool {
	return d.Kind != ir.AttrEnum && s.decls[word] != nil && constants[word] == nil
}

// wholeDefault is the default of an int or a place of an axis; nil: it is none.
func (s *signature) wholeDefault(a *dsl.Attr, d *ir.AttrDecl, wrong func(string) *diag.Diagnostic) *ir.Value {
	v := constantOf(a.Default)
	if v == nil || v.Const == nil || !v.Const.IsInt() {
		x := wrong("a whole number")
		if d.Kind == ir.AttrAxes {
			x.Hint = "a number places one axis; `all` places all"
		}
		return nil
	}
	if !s.defaultFits(a, v, []string{"i64"}, ir.Elem{Name: "i64"}) {
		return nil
	}
	if d.Kind != ir.AttrInt {
		s.placeFits(a, d, v)
	}
	return v
}

// numberDefault is the default of an attribute that is a float or of a dtype; nil: it is none.
func (s *signature) numberDefault(a *dsl.Attr, d *ir.AttrDecl, wrong func(string) *diag.Diagnostic) *ir.Value {
	v := constantOf(a.Default)
	elem := ir.Elem{Name: "f64"}
	if d.Kind == ir.AttrElem {
		elem = d.Elem
	}
	switch whole := ir.ClassOf(s.vars, elem) == ir.ClassInt; {
	case v == nil:
		wrong("a number")
		return nil
	case whole && v.Const == nil, v.Const != nil && ir.ClassOf(s.vars, elem) != ir.ClassFloat && !v.Const.IsInt():
		wrong("a whole number").WithHint("%s is of %s", quote(d.Name), s.op.elemText(elem))
		return nil
	case v.Const == nil:
		return v
	}
	computed := ir.Elem{Wrap: "acc", Name: elem.Name}
	if elem.Wrap == "sum" {
		computed = elem
	}
	if !s.defaultFits(a, v, dtypesOf(s.vars, computed), elem) {
		return nil
	}
	return v
}

// defaultFits reports a default that the dtypes of its attribute don't hold, as constantsFit does, and tells whether one may.
func (s *signature) defaultFits(a *dsl.Attr, v *ir.Value, all []string, elem ir.Elem) bool {
	m := misfitOf(v.Const, all)
	if d := m.report(s.rep, a.Default.Pos(), numberText(v.Const, s.op.textOf(a.Default.Pos())), s.op.elemText(elem)); d != nil {
		d.WithNote(a.Name.Span, "the default of %s", quote(a.Name.Name))
	}
	return !m.always
}

// placeFits reports the place of an axis that the tensor in which it counts doesn't have. That tensor is the first input that names one of the
// axes; how many axes it has is known here unless some of them are a pack's or may be missing.
func (s *signature) placeFits(a *dsl.Attr, d *ir.AttrDecl, v *ir.Value) {
	for _, in := range s.inputs {
		if !slices.ContainsFunc(d.Axes, func(name string) bool { return hasAxis(in.param.Axes, name) }) {
			continue
		}
		if slices.ContainsFunc(in.param.Axes, func(x ir.AxisRef) bool { return x.Pack || x.Optional || x.Product != nil }) {
			return
		}
		n := int64(len(in.param.Axes))
		if c := v.Const; c.Cmp(big.NewRat(-n, 1)) < 0 || c.Cmp(big.NewRat(n, 1)) >= 0 {
			s.rep.errorf(a.Default.Pos(), "attr-default", "%s has no axis %s: it has %s", quote(in.param.Name), c.RatString(), plural(int(n), "axis")).
				WithHint("axes are counted from 0, or from the right from -1").WithNote(in.span, "declared here")
		}
		return
	}
}

// constantOf gives the number that an expression without names is; nil: it isn't one.
func constantOf(e dsl.Expr) *ir.Value {
	var args []*ir.Value
	op := ir.OpInvalid
	switch e := e.(type) {
	case *dsl.Number:
		return numberOf(e)
	case *dsl.Paren:
		return constantOf(e.X)
	case *dsl.Ref:
		if c := constants[e.Name.Name]; c != nil && c.Type.Kind == ir.Real && e.Index == nil && !e.Cotangent && !e.Prime {
			return c
		}
		return nil
	case *dsl.Unary:
		if e.Op == "-" {
			op = ir.OpNeg
		}
		args = []*ir.Value{constantOf(e.X)}
	case *dsl.Binary:
		op = arithmetic[e.Op]
		args = []*ir.Value{constantOf(e.X), constantOf(e.Y)}
	}
	if op == ir.OpInvalid || slices.Contains(args, nil) {
		return nil
	}
	v, err := ir.Build(nil, op, args...)
	if err != nil {
		return nil
	}
	return v
}
