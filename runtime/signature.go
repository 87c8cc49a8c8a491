package runtime

// Bounds of a signature.
const (
	MaxParams = 64 // tensors
	MaxAxes   = 16 // names of axes and packs
	MaxVars   = 4  // dtype variables
)

// Signature says which tensors an op takes and gives, and how their axes hang together. It is static data of
// generated code.
type Signature struct {
	Op      string    // "loss.smooth_l1"
	Vars    []Var     // dtype variables
	Axes    []Axis    // every axis and pack by number
	Params  []Param   // inputs, then outputs: the order in which [Signature.Bind] takes them
	Placed  *Placed   // nil: no axis is placed by the caller
	Outer   bool      // every tensor has one and the same pack for all its axes, or none; nothing is placed
	Alike   [][]int   // packs that have one number of axes; also those that a list has an entry for each axis of
	Scratch []Scratch // what calls take memory for beside their tensors, as far as the signature tells how much
}

// Scratch is an array, or several, that calls take memory for beside their tensors: values on the way, a copy of a parameter with its axes in another order,
// or a parameter with its elements as code needs them.
type Scratch struct {
	Axes   []int    // its axes; one that it has twice is there twice
	More   int      // how many more there are of the kind
	Elem   Elem     // its elements, as kernels have them
	For    []DTypes // the dtypes, by variable and as kernels see them, of the calls that take it; nil: all
	Wanted uint64   // only where one of these parameters (bits) is there; 0: always
	Absent uint64   // only where this parameter (a bit) isn't there
	Param  int      // in place of Axes, a parameter, counted from 1: copied where its elements are of another dtype
	Spread uint64   // in place of these, parameters (bits): written out where they are pages of equal elements
}

// Var is a dtype variable and what it may be.
type Var struct {
	Name   string
	DTypes DTypes
}

// Axis is a name of an axis, or of a pack of any number of axes.
type Axis struct {
	Name  string
	Pack  bool
	Ranks uint16 // of a pack that is computed with: the numbers of axes (bits) that there are kernels for; 0: any
}

// Mode is how an op uses a tensor.
type Mode uint8

// Modes. All but In have exactly the shape that their axes have; In is expanded to it.
const (
	In       Mode = iota
	Inout         // read, then written
	Back          // an input shaped as an output: a cotangent, or an output that backward reads
	Out           // written
	Gradient      // written; shaped as the input Of, however that was expanded; nil where nobody wants it
)

func (m Mode) written() bool { return m == Inout || m == Out || m == Gradient }
func (m Mode) given() bool   { return m == In || m == Inout || m == Back }

// Wrap is a function on dtypes.
type Wrap uint8

// Wraps.
const (
	Plain     Wrap = iota
	AccOf          // what sums are kept in: F32 for F16 and BF16, else the dtype itself
	SumOfInts      // I64 or U64 for integers, else the dtype itself
)

// Elem is the element type of a parameter.
type Elem struct {
	Fixed DType // a dtype, or NoDType: variable Var under Wrap
	Var   uint8
	Wrap  Wrap
}

// Param is a tensor of a signature.
type Param struct {
	Name     string
	Mode     Mode
	Elem     Elem
	Dims     []Dim
	Optional bool
	// Splat: the kernels move over it along rows, lanes and steps alone, so that it may be a page of equal elements.
	Splat   bool
	Default float64 // with Splat and Optional: what it is where it is absent
	Of      int     // Gradient: the input
	InPlace uint64  // written: the inputs (bits, by number) whose memory it may be exactly
	// Batch: kernels of floats are launched for each point of so many of the first dimensions (see [Batch.Axis]) and take the parameter
	// as it lies along them; a gradient that doesn't move along one is summed over it.
	Batch int
	Kept  []Kept // shaped as an output, where no axis is placed: where keepdims leaves ones
}

// Kept is an axis or pack of which keepdims leaves ones before the dimension At of a parameter.
type Kept struct{ At, Axis int }

// Dim is one axis of a parameter as written: an axis or pack, or a product of several, row-major.
type Dim struct {
	Axis     int
	Optional bool  // may have extent 1, or be missing in front
	Factors  []int // a product; Axis is then not used
}

// Placed says which axes the caller places, or keeps.
type Placed struct {
	Attr string // the attribute: "axis", "axes"
	Axes []int  // the axes or packs that lie there: D of axis(D), D and K of axis(D|K); nil: keepdims alone
}

// Placement is where the caller places axes.
type Placement struct {
	At   [MaxRank]int // positions in the joint rank, negative from the right
	N    int
	All  bool // every axis
	Keep bool // outputs have extents of 1 where the axes were
}

// PlaceAxis is the placement of one axis.
func PlaceAxis(axis int) Placement { return Placement{At: [MaxRank]int{axis}, N: 1} }

// PlaceAxes is the placement of several axes. More than MaxRank can't be right; Bind says so.
func PlaceAxes(axes []int) Placement {
	p := Placement{N: len(axes)}
	copy(p.At[:], axes)
	return p
}

// Of is the dtype of an element type, where its variable stands for d.
func (e Elem) Of(d DType) DType { return elemDType(e, &[MaxVars]DType{d, d, d, d}) }

// elemDType is the dtype of an element type under the dtypes of the variables.
func elemDType(e Elem, vars *[MaxVars]DType) DType {
	if e.Fixed != NoDType {
		return e.Fixed
	}
	d := vars[e.Var]
	switch e.Wrap {
	case AccOf:
		return d.computed()
	case SumOfInts:
		return dtypeTable[d].sum
	}
	return d
}
