package ir

import (
	"github.com/opgen/opgen/dsl/diag"
)

// Package is a checked package of specs.
type Package struct {
	Name  string
	Enums []*EnumDecl
	Ops   []*OpDecl
}

// EnumDecl is a declared or inline enumeration.
type EnumDecl struct {
	Name  string // inline enumerations: op_attr
	Words []string
	Doc   string
}

// OpDecl is a checked op: the signature that users see, and one Func for each static choice.
type OpDecl struct {
	Package, Name, Doc string
	File               string // base name of the .op file
	Update             bool
	ElemVars           []ElemVar
	Inputs             []*Param
	Outputs            []*Param
	Attrs              []*AttrDecl
	Ranks              []RankGroup
	Variants           []*Variant
	Totals             []Total // what an update reduces over all tensors of a call
	Examples           []*Example
	Formula            string // the body as written, for documentation
	Span               diag.Span
}

// Param is a tensor of the signature as written.
type Param struct {
	Name     string
	Mode     Role // Input, Inout, State; Output for results
	Elem     Elem
	Optional bool
	Axes     []AxisRef // nil with Infer
	Infer    bool      // [_]: the axes differ by variant; see Func.Outputs
	Span     diag.Span
}

// AxisRef is an axis as written in a signature.
type AxisRef struct {
	Name     string
	Pack     bool
	Optional bool      // D?: may have extent 1, or be missing in front
	Product  []AxisRef // (G, K)
}

// AttrKind is the form of an attribute.
type AttrKind uint8

const (
	AttrFloat AttrKind = iota
	AttrInt
	AttrBool
	AttrElem // of dtype variable or dtype Elem
	AttrEnum
	AttrAxis // one axis placed by the caller
	AttrAxes // several, or all
	AttrKeep // keepdims
	AttrRNG
)

// AttrDecl is an attribute of the signature.
type AttrDecl struct {
	Name     string
	Kind     AttrKind
	Elem     Elem
	Enum     *EnumDecl
	Axes     []string // AttrAxis, AttrAxes, AttrKeep: which axes
	Optional bool
	Default  *Value // exact or real; nil: none (the attribute is positional)
	Word     string // default of enum, bool ("true"/"false") and axes ("all")
	List     string // length of a list: a number or pack name; "": not a list
	Span     diag.Span
}

// RankGroup is packs that have one number of axes.
type RankGroup struct {
	Packs  []string
	Spread bool // the op computes with them, so each variant is for one number of axes; see Choice.Rank
}

// Variant is an op under one set of static and uniform choices.
type Variant struct {
	Choices []Choice
	Forward *Func
	Refused *Require // a requirement that the choices never meet; Forward has it, and computes nothing
	Phases  []*Func  // of an op with totals or an update that requires something of elements; see Split
}

// Choice is one decision that selects a variant. Exactly one of Attr, Present, Rank and Cond is set.
type Choice struct {
	Attr    string // an enum or bool attribute has Word
	Word    string
	Present string // has(Present) is Holds, of an optional input or attribute
	Rank    string // the packs of the group that begins with Rank have N axes each
	N       int
	Cond    *Value // a uniform condition over attributes, extents and step is Holds
	Holds   bool
}

// ConditionText is the condition of a choice, or its negation where that holds, as a spec writes it.
func (c Choice) ConditionText() string {
	v := c.Cond
	if !c.Holds {
		v = Not(v)
	}
	return v.Words()
}

// Example is one example of an op.
type Example struct {
	Inputs, Outputs []ExampleValue
	Attrs           []ExampleAttr
	Span            diag.Span
}

// ExampleValue is a tensor written in an example, row-major.
type ExampleValue struct {
	Name  string
	Shape []int
	Data  []float64
}

// ExampleAttr is an attribute set in an example.
type ExampleAttr struct {
	Name   string
	Word   string // enum, bool
	Number float64
	List   []float64
}
