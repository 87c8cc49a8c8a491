package check

import (
	"maps"
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// attrWords are the attribute types that are words.
var attrWords = map[string]ir.AttrKind{
	"float": ir.AttrFloat, "int": ir.AttrInt, "bool": ir.AttrBool, "rng": ir.AttrRNG,
}

// maxEntries bounds the lengths of lists that are numbers; each entry is an attribute in generated code.
const maxEntries = 64

// attribute reads one attribute.
func (s *signature) attribute(a *dsl.Attr) {
	if !s.declare(a.Name, symAttr) {
		return
	}
	d := &ir.AttrDecl{Name: a.Name.Name, Optional: a.Optional, Span: a.Name.Span}
	at := &attribute{syntax: a, decl: d}
	ok := true
	switch a.Kind {
	case dsl.AttrElem:
		ok = s.attrElem(a, d)
	case dsl.AttrEnum:
		d.Kind = ir.AttrEnum
		d.Enum = &ir.EnumDecl{Name: s.op.decl.Name.Name + "_" + d.Name, Words: s.op.in.unit.enumWords(a.Words)}
	default:
		d.Kind = map[dsl.AttrKind]ir.AttrKind{dsl.AttrAxis: ir.AttrAxis, dsl.AttrAxes: ir.AttrAxes, dsl.AttrKeep: ir.AttrKeep}[a.Kind]
		s.placed(a, d)
		s.decls[d.Name].used = true // used by the boundary of the call
	}
	s.attrs = append(s.attrs, at)
	if !ok {
		at.broken = true
		return
	}
	if a.List != nil {
		d.List = a.List.Name
		if d.Kind != ir.AttrInt && d.Kind != ir.AttrFloat {
			x := s.rep.errorf(a.List.Span, "attr-list", "a list holds int or float")
			if d.Kind == ir.AttrElem && isUpper(d.List) {
				x.Hint = "a tensor stands before the `;`"
			}
		} else if l := s.axes[d.List]; isUpper(d.List) && (l == nil || !l.pack) {
			s.rep.errorf(a.List.Span, "axis-unknown", "%s is no pack of the signature, so it can't be the length of a list", quote(d.List)).
				WithHint("a list has an entry for each axis of a pack, as in int[S], or a number of entries; an entry for each element is a tensor")
		}
		if n, err := strconv.Atoi(d.List); !isUpper(d.List) && (err != nil || n < 1 || n > maxEntries) {
			s.rep.errorf(a.List.Span, "attr-list", "a list has 1 to %d entries, not %s", maxEntries, d.List)
		}
	}
	if a.Optional && a.Default != nil {
		s.rep.errorf(a.Default.Pos(), "attr-default", "%s is optional, so it has no default", quote(d.Name)).
			WithHint("leave out the `?`, or the default")
	}
	if a.Optional && (d.Kind == ir.AttrEnum || d.Kind == ir.AttrBool || d.Kind >= ir.AttrAxis) {
		s.rep.errorf(a.Name.Span, "attr-optional", "%s can't be optional: only numbers can be left out", quote(d.Name))
	}
	if a.Default != nil {
		s.defaultOf(a, d)
	}
	if t, is := scalarTypes[d.Kind]; is && d.List == "" {
		if d.Kind == ir.AttrElem {
			t = ir.ElemType(d.Elem)
		}
		at.scalar = &ir.Scalar{Name: d.Name, Type: t, Default: d.Default, Optional: d.Optional, Span: d.Span}
	}
}

// scalarTypes are the types of attributes that are numbers when the op runs.
var scalarTypes = map[ir.AttrKind]ir.Type{ir.AttrFloat: ir.RealType, ir.AttrInt: ir.ExactType, ir.AttrElem: {}, ir.AttrRNG: ir.ExactType}

// attrElem reads the type of an attribute that is one word.
func (s *signature) attrElem(a *dsl.Attr, d *ir.AttrDecl) bool {
	n := a.Elem.Name.Name
	kind, isWord := attrWords[n]
	switch e := s.op.in.unit.enums[n]; {
	case a.Elem.Wrap != "" || isUpper(n) || dtypes[n] && n != "bool":
		d.Kind = ir.AttrElem
		d.Elem = s.elem(a.Elem)
		return d.Elem != ir.Elem{}
	case isWord:
		d.Kind = kind
	case e != nil:
		d.Kind, d.Enum = ir.AttrEnum, e
	default:
		x := s.rep.errorf(a.Elem.Name.Span, "type-unknown", "%s is neither a type of attributes nor an enum", quote(n))
		names := slices.AppendSeq(slices.Collect(maps.Keys(attrWords)), maps.Keys(s.op.in.unit.enums))
		slices.Sort(names)
		if wordsOf(foreignTypes, x, n); x.Hint == "" {
			suggest(x, n, names)
		}
		if x.Hint == "" {
			x.Hint = "there are float, int, bool, rng, dtypes, enum(…), axis(…), axes(…) and keep(…)"
		}
		return false
	}
	return true
}

// placed reads axis(D|K), axes(R) and keep(R).
func (s *signature) placed(a *dsl.Attr, d *ir.AttrDecl) {
	for _, w := range a.Words {
		x := s.axes[w.Name]
		switch {
		case x == nil:
			e := s.rep.errorf(w.Span, "axis-unknown", "%s is no axis of the signature", quote(w.Name))
			suggest(e, w.Name, s.axisOrder)
		case d.Kind == ir.AttrAxis && x.pack:
			s.rep.errorf(w.Span, "axis-kind", "%s is a pack", quote(w.Name)).WithHint("write axes(%s)", w.Name)
		case d.Kind == ir.AttrAxes && !x.pack:
			s.rep.errorf(w.Span, "axis-kind", "%s is one axis", quote(w.Name)).WithHint("write axis(%s)", w.Name)
		}
		d.Axes = append(d.Axes, w.Name)
	}
}
