// Package dsl reads and writes the text of .op files: lexer, parser, syntax tree and formatter.
//
// The tree mirrors the grammar in docs/language.md. It says nothing about meaning: one bracket production serves
// indices, binders and axes alike, and the checker (codegen/check) tells them apart.
package dsl

import "github.com/opgen/opgen/dsl/diag"

// File is one .op file.
type File struct {
	Name     string // path as given
	Package  Ident
	Imports  []Import
	Enums    []*Enum
	Funcs    []*Func
	Ops      []*Op
	Comments []Comment // every comment of the file, in order, so that formatting loses none
	Span     diag.Span
	Source   []byte
}

// Comment is one // comment, with its slashes.
type Comment struct {
	Text     string
	Trailing bool // other text stands before it on its line
	Span     diag.Span
}

// Ident is a name and its place.
type Ident struct {
	Name string
	Span diag.Span
}

// Import names another package of specs.
type Import struct {
	Path string
	Span diag.Span
}

// Enum declares a set of words.
type Enum struct {
	Doc   string
	Name  Ident
	Words []Ident
	Span  diag.Span
}

// Func is an inlined function over expressions.
type Func struct {
	Doc    string
	Name   Ident
	Axis   *Ident // the [A] parameter, or nil
	Params []Ident
	Lets   []*Let
	Result Expr
	Span   diag.Span
}

// Op is an op or an update.
type Op struct {
	Doc     string
	Update  bool
	Name    Ident
	Vars    []TypeVar
	Inputs  []*Input
	Attrs   []*Attr
	Outputs []*Output // nil with Short
	Short   Expr      // op f(..) = e; nil otherwise
	Body    []Stmt
	Span    diag.Span
}

// TypeVar is a dtype variable and the classes or dtypes it ranges over: T: float, I: i32|i64.
type TypeVar struct {
	Name Ident
	Alts []Ident
}

// InputMode says how an input is used.
type InputMode uint8

const (
	In InputMode = iota
	Inout
	State
)

// Input is one tensor parameter (x, t: T[...B] gives two).
type Input struct {
	Mode     InputMode
	Name     Ident
	Optional bool
	Type     TensorType
	Init     Expr // initial value of state; nil: zero
	Span     diag.Span
}

// Output is one result.
type Output struct {
	Name Ident
	Type TensorType
}

// AttrKind is the form of an attribute's type.
type AttrKind uint8

const (
	AttrElem AttrKind = iota // float, int, bool, rng, a dtype (variable), or a declared enum, by word
	AttrEnum                 // enum(a, b)
	AttrAxis                 // axis(D|K)
	AttrAxes                 // axes(R)
	AttrKeep                 // keep(R)
)

// Attr is one attribute, written after the semicolon.
type Attr struct {
	Name     Ident
	Optional bool
	Kind     AttrKind
	Elem     Elem    // AttrElem
	Words    []Ident // AttrEnum: the words; AttrAxis, AttrAxes, AttrKeep: the axes
	List     *Ident  // int[2], float[S]: the length, a number or a pack; nil: not a list
	Default  Expr    // nil: none
	Span     diag.Span
}

// Elem is an element type: a dtype, dtype variable or word, or acc(T), sum(T).
type Elem struct {
	Wrap string // "", "acc" or "sum"
	Name Ident
}

// TensorType is an element type with axes. Infer stands for [_].
type TensorType struct {
	Elem  Elem
	Infer bool
	Axes  []*Axis
	Span  diag.Span
}

// Axis is one axis of a tensor type: a name, a pack ...B, or a product (G, K).
type Axis struct {
	Name     Ident // empty for a product
	Pack     bool
	Optional bool // D?
	Product  []*Axis
	Span     diag.Span
}

// Stmt is a statement of an op's body.
type Stmt interface {
	Pos() diag.Span
	stmt()
}

type (
	// Let is let e = …, let h[N, C] = …, let ..s = …, or let (y, at) = ….
	Let struct {
		Pack  bool
		Names []Ident // more than one: the results of an op
		Left  *Bracket
		Value Expr
		Span  diag.Span
	}
	// Assign sets an output, or with Prime the new value of an inout or state.
	Assign struct {
		Name  Ident
		Prime bool
		Left  *Bracket
		Value Expr
		Span  diag.Span
	}
	// Dim gives or checks an extent.
	Dim struct {
		Pack  bool
		Name  Ident
		Value Expr
		Span  diag.Span
	}
	// Require is a condition of the call.
	Require struct {
		Cond    Expr
		Message string
		Span    diag.Span
	}
	// Match chooses by an attribute.
	Match struct {
		Name Ident
		Arms []*Arm
		Span diag.Span
	}
	// Grad gives a derivative by hand.
	Grad struct {
		Name       Ident
		Left       *Bracket
		Value      Expr
		Unverified bool
		Reason     string
		Span       diag.Span
	}
	// GradNone declares that inputs have no derivative.
	GradNone struct {
		Names []Ident
		Span  diag.Span
	}
	// Keep is save (Save) or recompute of lets.
	Keep struct {
		Save  bool
		Names []Ident
		Span  diag.Span
	}
	// Example is a call and its result.
	Example struct {
		In, Out []Bind
		Span    diag.Span
	}
)

// Arm is one arm of a match; no labels stand for _.
type Arm struct {
	Labels []Ident
	Body   []Stmt
	Block  bool // written in braces
	Span   diag.Span
}

// Bind is name = value in an example.
type Bind struct {
	Name  Ident
	Prime bool
	Value Val
}

// Val is an expression or a list of values.
type Val struct {
	Expr Expr
	List []Val // used where Expr is nil
	Span diag.Span
}

// Expr is an expression.
type Expr interface {
	Pos() diag.Span
	expr()
}

type (
	// Number is a literal, kept exactly as written.
	Number struct {
		Text string
		Span diag.Span
	}
	// Ref names a value, an axis or a constant, with an optional prime, @ and index: x, p', @y[i], G.
	Ref struct {
		Cotangent bool
		Package   *Ident // qualified; nil: not
		Name      Ident
		Prime     bool
		Index     *Bracket
		Span      diag.Span
	}
	// Call applies a function, reducer, op or cast: sum[K](x), window.conv(x, w; stride = 2).
	Call struct {
		Cotangent bool
		Package   *Ident
		Name      Ident
		AccOf     *Ident // acc(T)(x): Name is acc
		Prime     bool
		Index     *Bracket
		Args      []*Item
		Named     []NamedArg
		Span      diag.Span
	}
	// Binary is a op b.
	Binary struct {
		Op   string
		X, Y Expr
		OpAt diag.Span
		Span diag.Span
	}
	// Unary is -a or !a.
	Unary struct {
		Op   string
		X    Expr
		Span diag.Span
	}
	// Alt is a ?? b ?? c.
	Alt struct {
		Alts []Expr
		Span diag.Span
	}
	// If is if c then a else b.
	If struct {
		Cond, Then, Else Expr
		Span             diag.Span
	}
	// Paren is ( e ), kept so that formatting and the rule about ?? can see it.
	Paren struct {
		X    Expr
		Span diag.Span
	}
	// Tuple is (g, k) or a list of numbers.
	Tuple struct {
		Items []*Item
		Span  diag.Span
	}
)

// NamedArg is stride = 2 in a call.
type NamedArg struct {
	Name  Ident
	Value Expr
}

// Bracket is [ … where cond ].
type Bracket struct {
	Items []*Item
	Where Expr
	Span  diag.Span
}

// Item is one entry of a bracket, tuple or argument list.
type Item struct {
	Star      bool   // *
	AxisPack  *Ident // ...B
	Pack      bool   // ..e
	Value     Expr
	In        bool // e in …
	From, To  Expr // e in From, or e in From..To
	Inclusive bool // ..=
	Span      diag.Span
}

func (s *Let) Pos() diag.Span      { return s.Span }
func (s *Assign) Pos() diag.Span   { return s.Span }
func (s *Dim) Pos() diag.Span      { return s.Span }
func (s *Require) Pos() diag.Span  { return s.Span }
func (s *Match) Pos() diag.Span    { return s.Span }
func (s *Grad) Pos() diag.Span     { return s.Span }
func (s *GradNone) Pos() diag.Span { return s.Span }
func (s *Keep) Pos() diag.Span     { return s.Span }
func (s *Example) Pos() diag.Span  { return s.Span }

func (*Let) stmt()      {}
func (*Assign) stmt()   {}
func (*Dim) stmt()      {}
func (*Require) stmt()  {}
func (*Match) stmt()    {}
func (*Grad) stmt()     {}
func (*GradNone) stmt() {}
func (*Keep) stmt()     {}
func (*Example) stmt()  {}

func (e *Number) Pos() diag.Span { return e.Span }
func (e *Ref) Pos() diag.Span    { return e.Span }
func (e *Call) Pos() diag.Span   { return e.Span }
func (e *Binary) Pos() diag.Span { return e.Span }
func (e *Unary) Pos() diag.Span  { return e.Span }
func (e *Alt) Pos() diag.Span    { return e.Span }
func (e *If) Pos() diag.Span     { return e.Span }
func (e *Paren) Pos() diag.Span  { return e.Span }
func (e *Tuple) Pos() diag.Span  { return e.Span }

func (*Number) expr() {}
func (*Ref) expr()    {}
func (*Call) expr()   {}
func (*Binary) expr() {}
func (*Unary) expr()  {}
func (*Alt) expr()    {}
func (*If) expr()     {}
func (*Paren) expr()  {}
func (*Tuple) expr()  {}
