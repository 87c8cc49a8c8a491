package ir

import (
	"math/big"
	"slices"

	"github.com/opgen/opgen/dsl/diag"
)

// Kind says in which numbers a value is computed.
type Kind uint8

const (
	Invalid Kind = iota
	Exact        // rational, exact: literals, extents, index variables, int attributes, step
	Real         // float64: float attributes, inf, nan, pi and other functions of exact values
	Typed        // an element of a dtype
	Bool         // a condition
)

// Elem is an element type: a dtype ("f32"), a dtype variable ("T"), or acc(T) and sum(T) of one.
type Elem struct {
	Wrap string // "", "acc" or "sum"
	Name string
}

// Type is the type of a value. Elem is set for Typed alone.
type Type struct {
	Kind Kind
	Elem Elem
}

// Common types.
var (
	ExactType = Type{Kind: Exact}
	RealType  = Type{Kind: Real}
	BoolType  = Type{Kind: Bool}
)

// TypedAs is the type of an element of e.
func TypedAs(e Elem) Type { return Type{Kind: Typed, Elem: e} }

// Axis is an extent with a name. A pack stands for any number of axes and is one opaque axis here:
// its index is the flat one, its extent the product. An op that computes with a pack has its axes one by one instead:
// these tell which axis of which pack they are.
type Axis struct {
	Name string
	Pack bool
	Of   string // the pack of the signature that this is an axis of; "": none
	At   int    // which; RankOf: not an axis, but their number

	// Size is set where the extent is known only once the call computes: it is the one element of this tensor, or 0 where
	// that is negative or has no value.
	Size *Tensor
}

// RankOf is At of what stands for the number of axes of a pack.
const RankOf = -1

// Var is an index variable. It runs over Axis where that is set, else over Lo ≤ v < Hi.
type Var struct {
	Name   string
	Axis   *Axis
	Lo, Hi *Value // exact; nil with Axis
}

// Value is a node of an expression. Which fields count depends on Op; see the table of ops.
//
// Values are immutable after construction and may be shared: an expression is a DAG.
type Value struct {
	Op     Op
	Type   Type
	Args   []*Value
	Const  *big.Rat // OpConst
	Name   string   // OpScalar: the attribute (or "step"); OpUniform, OpNormal: the attribute that is the seed
	Axis   *Axis    // OpExtent
	Var    *Var     // OpIndex
	Tensor *Tensor  // OpRead, OpPresent: what is read or asked for; Args are the indices
	Stream int      // OpUniform, OpNormal: which of the calls that the op writes, from 0
	Span   diag.Span
}

// Role says where a tensor comes from.
type Role uint8

const (
	Input Role = iota
	Output
	Local     // computed by a definition and not visible outside
	Inout     // the old value of an inout; its new value is an Output whose Of is this tensor
	State     // likewise for state
	Cotangent // @y: the incoming gradient of an output
	Gradient  // @x: the gradient of an input, an output of the backward function
	Tangent   // the change of an input or an output, in a tangent function
)

// Tensor is something that can be read: an input, an output, or the target of a definition.
type Tensor struct {
	Name     string
	Role     Role
	Elem     Elem
	Axes     []*Axis
	Optional bool     // the caller may leave it out
	Default  *big.Rat // an absent optional input reads as this everywhere; nil: presence is a static choice
	Of       *Tensor  // Cotangent: of which output; Gradient: of which input; Tangent: of which; Output: the inout or state it renews
	Init     *Value   // State: initial value; nil: zero
	IsSize   bool     // the Size of an axis: it stays a definition of its own
	Unasked  bool     // Cotangent: one of several, zero where nothing depends on its output; then what it is multiplied with doesn't count
	Exact    bool     // sums and products of exact numbers: what i64 doesn't hold is an error, and doesn't wrap
	Span     diag.Span
}

// Monoid is how contributions to one element of a definition meet.
type Monoid uint8

const (
	Assign Monoid = iota // exactly one contribution
	Sum
	Prod
	Max
	Min
	Any
	All
)

// Def is a definition:  target[dest(v)] ⊕= body(v)  for v in vars where conditions.
//
// Pointwise: Dest are the variables themselves. Reduction: some variables are not in Dest. Scatter: Dest is any index.
type Def struct {
	Target  *Tensor
	Vars    []*Var
	Dest    []*Value // exact (or an element of an integer tensor); one for each axis of Target
	Monoid  Monoid
	Where   []*Value // Bool, all must hold
	Body    *Value
	Group   int  // definitions of one group (> 0) run interleaved, in order along Along
	Along   *Var // the variable of this definition that the group runs along
	Reverse bool // the group, or what is carried, runs from the last index to the first
	Derived bool // made by the reverse rule: algebra may rewrite it where the formulas of specs keep their order
	Span    diag.Span

	// Carried is the variable of the destination that a reduction is carried on along: the range of its first reduced variable has one end
	// that hangs on it and only grows as Carried runs up (or, with Reverse, down), and nothing else that is reduced hangs on it. So each
	// element is the one before it with a few points more. What the definition says is the same without it. Nil: every element is reduced
	// for itself.
	//
	// What is reduced may also hang on a running maximum or minimum at Carried, in one of two ways. Kept: where it isn't as it was one step before, none
	// of the points so far counts any more, and Kept, a condition, is false. Scaled: what was summed up so far is to be multiplied by Scaled, a float64, or
	// summed up anew where that is above 1.
	Carried      *Var
	Kept, Scaled *Value

	Across string // of a reduction over all tensors of a call: which of the op it is; "": over one tensor
}

// Scalar is an attribute that is a value at run time (enum and bool attributes are static choices).
type Scalar struct {
	Name     string
	Type     Type // Exact, Real, or Typed for attributes of type T
	Default  *Value
	Optional bool
	List     string // the attribute that this is an entry of; "": an attribute of its own
	At       int    // which entry
	Span     diag.Span
}

// Require is a condition of the call.
type Require struct {
	Cond    *Value
	Message string
	Span    diag.Span
}

// Same tells whether two requirements are of one text.
func (r Require) Same(q Require) bool {
	return r.Message == q.Message && r.Cond.String() == q.Cond.String()
}

// Dim fixes the extent of an axis.
type Dim struct {
	Axis  *Axis
	Value *Value
	Span  diag.Span
}

// Func is one function: what it reads, and definitions in order, each using earlier ones only (but for groups).
type Func struct {
	Package, Name string
	Inputs        []*Tensor // inputs, inouts and states, in the order of the signature; then cotangents
	Outputs       []*Tensor // in order; new values of inouts and states after the outputs
	Scalars       []*Scalar
	Axes          []*Axis // every axis whose extent is an unknown of the call, in order of appearance
	Dims          []Dim
	Requires      []Require
	Defs          []*Def
	ElemVars      []ElemVar
	UserGrads     []UserGrad
	Save          []*Tensor // definitions that forward keeps because the author says so
	Recompute     []*Tensor // definitions that it must not keep
	// Given are definitions that are known to hold of the inputs: in a backward function, how the forward function
	// computed the outputs that are inputs here. They are not run.
	Given []*Def
	// Bounded are bounds that hold for a call although nothing here computes the values: that is left to a later phase. See Fits.
	Bounded []Fit
	Span    diag.Span
}

// Owns tells whether an axis is one that only definitions have, and no tensor of the signature.
func (f *Func) Owns(a *Axis) bool {
	has := func(t *Tensor) bool { return slices.Contains(t.Axes, a) }
	return a.Of == "" && !slices.ContainsFunc(f.Inputs, has) && !slices.ContainsFunc(f.Outputs, has)
}

// ElemVar is a dtype variable with the dtypes that it may be.
type ElemVar struct {
	Name   string
	DTypes []string
}

// UserGrad is a derivative written by hand: definitions that end in the gradient of Of.
// They may read the inputs, outputs and definitions of the forward function and cotangents.
type UserGrad struct {
	Of         *Tensor
	None       bool // grad none
	Result     *Tensor
	Defs       []*Def
	Unverified bool
	Reason     string
	Span       diag.Span
}
