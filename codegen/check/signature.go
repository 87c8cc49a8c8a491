package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// signature is what an op's heading declares.
type signature struct {
	op   *operation
	rep  *reporter
	vars []ir.ElemVar

	axes      map[string]*axisDecl
	axisOrder []string // by first appearance; lets and [_] are laid out in this order

	inputs  []*tensorDecl
	outputs []*tensorDecl
	attrs   []*attribute
	ranks   *rankTable
	decls   map[string]*symbol // inputs, outputs and attributes by name
}

// axisDecl is an axis of the signature, or one that a dim introduces.
type axisDecl struct {
	pack    bool
	span    diag.Span
	input   bool // an input has it
	isFixed bool // a dim gives its extent
}

// tensorDecl is an input or output.
type tensorDecl struct {
	in    *dsl.Input // nil for outputs
	param *ir.Param
	typ   *dsl.TensorType
	span  diag.Span

	dropped bool // a state whose old value nothing reads under any choice: there is none in a call

	fallback *ir.Value // what an absent input reads as everywhere; nil: its presence is a static choice
}

// attribute is an attribute with its declaration.
type attribute struct {
	syntax *dsl.Attr
	decl   *ir.AttrDecl
	scalar *ir.Scalar // nil for choices and placements
	broken bool       // its type is unknown
}

// newSignature checks the heading of an op.
func newSignature(o *operation) *signature {
	s := &signature{op: o, rep: o.in.unit.rep, axes: map[string]*axisDecl{}, decls: map[string]*symbol{}}
	s.typeVars()
	for _, in := range o.decl.Inputs {
		s.input(in)
	}
	for _, out := range o.decl.Outputs {
		s.output(out)
	}
	if y := s.decls["y"]; y != nil && o.decl.Short != nil {
		s.rep.errorf(y.span, "name-twice", "`op f(…) = e` calls its result y, so nothing else can be").
			WithHint("choose another name, or write the output: -> (…: T[_])")
	}
	s.dims(o.decl.Body)
	for _, a := range o.decl.Attrs {
		s.attribute(a)
	}
	s.ranks = newRankTable(s)
	s.extents()
	s.openRanks()
	s.unusedVars()
	return s
}

// typeVars reads the dtype variables.
func (s *signature) typeVars() {
	for _, v := range s.op.decl.Vars {
		if i := slices.IndexFunc(s.vars, func(w ir.ElemVar) bool { return w.Name == v.Name.Name }); i >= 0 {
			s.rep.errorf(v.Name.Span, "name-twice", "dtype variable %s is declared twice", quote(v.Name.Name)).
				WithNote(s.op.decl.Vars[i].Name.Span, "declared here first")
			continue
		}
		var list []string
		for _, a := range v.Alts {
			d := classes[a.Name]
			if dtypes[a.Name] {
				d = []string{a.Name}
			}
			if d == nil {
				e := s.rep.errorf(a.Span, "type-unknown", "%s is neither a dtype nor a class of dtypes", quote(a.Name))
				suggest(e, a.Name, append([]string{"float", "int", "num", "any"}, classes["any"]...))
				continue
			}
			for _, t := range d {
				if !slices.Contains(list, t) {
					list = append(list, t)
				}
			}
		}
		s.vars = append(s.vars, ir.ElemVar{Name: v.Name.Name, DTypes: list})
	}
}

func (s *signature) isTypeVar(name string) bool {
	return slices.ContainsFunc(s.vars, func(v ir.ElemVar) bool { return v.Name == name })
}

// declare notes a value and reports a name that is taken.
func (s *signature) declare(n dsl.Ident, kind symbolKind) bool {
	if old := s.decls[n.Name]; old != nil {
		s.rep.errorf(n.Span, "name-twice", "%s is declared twice", quote(n.Name)).WithNote(old.span, "declared here first")
		return false
	}
	s.decls[n.Name] = &symbol{name: n.Name, kind: kind, span: n.Span}
	return true
}

var roles = map[dsl.InputMode]ir.Role{dsl.In: ir.Input, dsl.Inout: ir.Inout, dsl.State: ir.State}

func (s *signature) input(in *dsl.Input) {
	kind := symInput
	if in.Mode != dsl.In {
		kind = symInout
	}
	if !s.declare(in.Name, kind) {
		return
	}
	if in.Mode == dsl.State && !s.op.decl.Update {
		s.rep.errorf(in.Name.Span, "state-op", "only an update has state").WithHint("write `update %s`, or `inout %s`", s.op.decl.Name.Name, in.Name.Name)
	}
	if in.Mode == dsl.State && in.Optional {
		s.rep.errorf(in.Name.Span, "state-optional", "a state is always there; the runtime makes it")
	}
	if in.Type.Infer {
		s.rep.errorf(in.Type.Span, "axis-infer", "[_] stands for the axes of a result; an input names its axes")
	}
	d := &tensorDecl{in: in, typ: &in.Type, span: in.Name.Span}
	d.param = &ir.Param{Name: in.Name.Name, Mode: roles[in.Mode], Elem: s.elem(in.Type.Elem), Optional: in.Optional,
		Axes: s.axesOf(in.Type.Axes, in.Mode), Span: in.Name.Span}
	s.inputs = append(s.inputs, d)
}

// noMode marks the axes of outputs.
const noMode = dsl.InputMode(255)

func (s *signature) output(out *dsl.Output) {
	if !s.declare(out.Name, symOutput) {
		return
	}
	d := &tensorDecl{typ: &out.Type, span: out.Name.Span}
	d.param = &ir.Param{Name: out.Name.Name, Mode: ir.Output, Elem: s.elem(out.Type.Elem), Infer: out.Type.Infer,
		Axes: s.axesOf(out.Type.Axes, noMode), Span: out.Name.Span}
	s.outputs = append(s.outputs, d)
}

// elem reads an element type.
func (s *signature) elem(e dsl.Elem) ir.Elem {
	n := e.Name.Name
	if s.isTypeVar(n) || e.Wrap == "" && dtypes[n] {
		if sym := s.decls[n]; sym != nil {
			sym.used = true
		}
		return ir.Elem{Wrap: e.Wrap, Name: n}
	}
	d := s.rep.errorf(e.Name.Span, "type-unknown", "%s is no dtype", quote(n))
	names := slices.Clone(classes["any"])
	for _, v := range s.vars {
		names = append(names, v.Name)
	}
	suggest(d, n, names)
	switch {
	case classes[n] != nil:
		d.Hint = "a class of dtypes needs a variable: write [T: " + n + "] behind the name of the op, and T here"
	case wordsOf(foreignTypes, d, n):
	case n == "Tensor":
		d.Hint = "a tensor is T[N] with its dtype T, declared behind the name of the op: [T: float]"
	case isUpper(n) && d.Hint == "":
		d.Hint = "declare it behind the name of the op: [" + n + ": float]"
	}
	return ir.Elem{}
}

// axesOf reads the axes of a tensor type.
func (s *signature) axesOf(list []*dsl.Axis, mode dsl.InputMode) []ir.AxisRef {
	refs := []ir.AxisRef{}
	for _, a := range list {
		if a.Optional && mode != dsl.In {
			s.rep.errorf(a.Span, "axis-optional", "outputs, inouts and states are never expanded, so their axes are always there").
				WithHint("leave out the `?`")
		}
		if a.Product != nil {
			refs = append(refs, ir.AxisRef{Product: s.axesOf(a.Product, mode)})
			continue
		}
		s.axis(a.Name, a.Pack, mode)
		refs = append(refs, ir.AxisRef{Name: a.Name.Name, Pack: a.Pack, Optional: a.Optional})
	}
	return refs
}

// axis notes an axis.
func (s *signature) axis(n dsl.Ident, pack bool, mode dsl.InputMode) {
	if s.isTypeVar(n.Name) {
		s.rep.errorf(n.Span, "name-twice", "%s is a dtype variable and can't name an axis too", quote(n.Name))
		return
	}
	d := s.axes[n.Name]
	if d == nil {
		d = &axisDecl{pack: pack, span: n.Span}
		s.axes[n.Name] = d
		s.axisOrder = append(s.axisOrder, n.Name)
	} else if d.pack != pack {
		kinds := map[bool]string{true: "a pack", false: "one axis"}
		s.rep.errorf(n.Span, "axis-kind", "%s is %s here and %s elsewhere", quote(n.Name), kinds[pack], kinds[d.pack]).
			WithNote(d.span, "here it is %s", kinds[d.pack])
	}
	d.input = d.input || mode != noMode
}

// dims notes the axes whose extents the body gives.
func (s *signature) dims(body []dsl.Stmt) {
	dsl.Inspect(body, func(n any) bool {
		switch st := n.(type) {
		case *dsl.Dim:
			s.axis(st.Name, st.Pack, noMode)
			if d := s.axes[st.Name.Name]; d != nil {
				d.isFixed = true
			}
		case *dsl.Let:
			// The left side of a call names the axes of its result.
			if call, is := st.Value.(*dsl.Call); is && st.Left != nil && s.isOpCall(call) {
				for _, i := range st.Left.Items {
					s.resultAxis(i)
				}
			}
		}
		return true
	})
}

func (s *signature) resultAxis(i *dsl.Item) {
	switch r, is := i.Value.(*dsl.Ref); {
	case i.AxisPack != nil:
		s.axis(*i.AxisPack, true, noMode)
		if d := s.axes[i.AxisPack.Name]; d != nil {
			d.isFixed = true
		}
	case is && isUpper(r.Name.Name) && r.Index == nil && !s.isTypeVar(r.Name.Name):
		s.axis(r.Name, false, noMode)
		s.axes[r.Name.Name].isFixed = true
	}
}

// isOpCall tells whether a call names an op, rather than a func or a built-in.
func (s *signature) isOpCall(c *dsl.Call) bool {
	n := c.Name.Name
	if _, built := builtins[n]; c.Package == nil && (built || isReducer(n) || isCastName(n)) {
		return false
	}
	f, o := s.op.in.find(c.Package, n)
	return f == nil && o != nil
}

// extents reports axes whose extent nothing gives.
func (s *signature) extents() {
	for _, name := range s.axisOrder {
		if d := s.axes[name]; !d.input && !d.isFixed {
			e := s.rep.errorf(d.span, "axis-extent", "no input has axis %s and no `dim` gives its extent", quote(name))
			var others []string
			for _, n := range s.axisOrder {
				if s.axes[n].input && s.axes[n].pack == d.pack {
					others = append(others, n)
				}
			}
			suggest(e, name, others)
			if e.Hint == "" {
				e.Hint = "write `dim " + name + " = …`"
			}
		}
	}
}

// openRanks reports signatures that leave the rank of a pack open: a tensor with two packs needs to know one of them.
func (s *signature) openRanks() {
	known := map[string]bool{}
	for _, a := range s.op.decl.Attrs {
		if a.List != nil {
			known[a.List.Name] = true
		}
		if a.Kind == dsl.AttrAxes {
			for _, w := range a.Words {
				known[w.Name] = true
			}
		}
	}
	for _, name := range s.axisOrder {
		known[name] = known[name] || !s.axes[name].pack || !s.axes[name].input || s.axes[name].isFixed
	}
	for again := true; again; {
		again = false
		for _, name := range s.axisOrder {
			if c := s.ranks.classOf(name); known[name] && c != nil && s.axes[name].pack {
				for _, p := range c.packs {
					again = again || !known[p]
					known[p] = true
				}
			}
		}
		for _, in := range s.inputs {
			if open := s.openPacks(in.param.Axes, known); len(open) == 1 {
				known[open[0]], again = true, true
			}
		}
	}
	for _, in := range s.inputs {
		for _, name := range s.openPacks(in.param.Axes, known) {
			known[name] = true
			s.rep.errorf(in.typ.Span, "axis-rank", "nothing tells how many axes %s has here", quote("..."+name)).
				WithHint("place it with an attribute, as `axes: axes(%s) = -1`, or give it a tensor of its own", name)
		}
	}
}

func (s *signature) openPacks(axes []ir.AxisRef, known map[string]bool) []string {
	var open []string
	for _, a := range axes {
		if a.Product != nil {
			open = append(open, s.openPacks(a.Product, known)...)
		} else if !known[a.Name] && !slices.Contains(open, a.Name) {
			open = append(open, a.Name)
		}
	}
	return open
}

// unusedVars reports dtype variables that no tensor or attribute has.
func (s *signature) unusedVars() {
	used := map[string]bool{}
	for _, t := range append(slices.Clone(s.inputs), s.outputs...) {
		used[t.param.Elem.Name] = true
	}
	for _, a := range s.attrs {
		used[a.decl.Elem.Name] = true
	}
	for i, v := range s.op.decl.Vars {
		if i < len(s.vars) && !used[v.Name.Name] {
			s.rep.errorf(v.Name.Span, "name-unused", "dtype variable %s is not used", quote(v.Name.Name))
			used[v.Name.Name] = true
		}
	}
}

// find gives the input or output of a name.
func (s *signature) find(name string) *tensorDecl {
	for _, t := range s.inputs {
		if t.param.Name == name {
			return t
		}
	}
	for _, t := range s.outputs {
		if t.param.Name == name {
			return t
		}
	}
	return nil
}

// attr gives the attribute of a name.
func (s *signature) attr(name string) *attribute {
	for _, a := range s.attrs {
		if a.decl.Name == name {
			return a
		}
	}
	return nil
}

// placeOf is the order of an axis of a function.
func (s *signature) placeOf(a *ir.Axis) int {
	if a.Of != "" {
		return s.rankOf(a.Of)
	}
	return s.rankOf(a.Name)
}

// rankOf is the order of an axis by first appearance.
func (s *signature) rankOf(name string) int {
	if i := slices.Index(s.axisOrder, name); i >= 0 {
		return i
	}
	return len(s.axisOrder)
}
