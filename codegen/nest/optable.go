package nest

// Cost says how dear an instruction is, for choices between computing again and keeping.
type Cost uint8

const (
	Free  Cost = iota // constants, scalars, results: nothing at each point
	Cheap             // about one instruction
	Dear              // a long latency: division, square root
)

// OpInfo is what is known about an Op.
type OpInfo struct {
	Name string
	// Args are the types of the arguments. Select takes Float or Bits in its last two, of one type (Poly).
	Args []Type
	// Optional arguments at the end of Args: Reduce has one.
	Optional int
	Result   Type // meaningless where Effect
	Poly     bool // arguments 1 and 2 and the result are all Float or all Bits
	Effect   bool // Store, Reduce: no value
	Memory   bool // reads memory: depends on the stores before it
	Source   bool // made by a method of Builder of its own; not a function of Args alone
	// Commutative: exchanging the first two arguments changes nothing, up to the payload of a NaN.
	Commutative bool
	Cost        Cost
}

var (
	noArgs   = []Type{}
	float1   = []Type{Float}
	float2   = []Type{Float, Float}
	float3   = []Type{Float, Float, Float}
	int1     = []Type{Int}
	int2     = []Type{Int, Int}
	mask1    = []Type{Mask}
	mask2    = []Type{Mask, Mask}
	bits1    = []Type{Bits}
	bits2    = []Type{Bits, Bits}
	selFloat = []Type{Mask, Float, Float}
	selInt   = []Type{Mask, Int, Int}
)

var opTable = [opCount]OpInfo{
	Const:     {Name: "const", Args: noArgs, Result: Float, Source: true},
	BitsConst: {Name: "bits", Args: noArgs, Result: Bits, Source: true},
	ScalarOf:  {Name: "scalar", Args: noArgs, Result: Float, Source: true},
	IntScalar: {Name: "intscalar", Args: noArgs, Result: Int, Source: true},
	Load:      {Name: "load", Args: noArgs, Result: Float, Source: true, Memory: true, Cost: Cheap},
	LoadInt:   {Name: "loadint", Args: noArgs, Result: Int, Source: true, Memory: true, Cost: Cheap},
	Gather:    {Name: "gather", Args: int1, Result: Float, Source: true, Memory: true, Cost: Cheap},
	Iota:      {Name: "iota", Args: noArgs, Result: Int, Source: true, Cost: Cheap},
	Result:    {Name: "result", Args: noArgs, Result: Float, Source: true},

	Store:  {Name: "store", Args: float1, Source: true, Effect: true, Cost: Cheap},
	Reduce: {Name: "reduce", Args: float2, Optional: 1, Source: true, Effect: true, Cost: Cheap},

	Add:   {Name: "add", Args: float2, Result: Float, Commutative: true, Cost: Cheap},
	Sub:   {Name: "sub", Args: float2, Result: Float, Cost: Cheap},
	Mul:   {Name: "mul", Args: float2, Result: Float, Commutative: true, Cost: Cheap},
	Div:   {Name: "div", Args: float2, Result: Float, Cost: Dear},
	Fma:   {Name: "fma", Args: float3, Result: Float, Commutative: true, Cost: Cheap},
	Neg:   {Name: "neg", Args: float1, Result: Float, Cost: Cheap},
	Abs:   {Name: "abs", Args: float1, Result: Float, Cost: Cheap},
	Sqrt:  {Name: "sqrt", Args: float1, Result: Float, Cost: Dear},
	Max:   {Name: "max", Args: float2, Result: Float, Cost: Cheap},
	Min:   {Name: "min", Args: float2, Result: Float, Cost: Cheap},
	Floor: {Name: "floor", Args: float1, Result: Float, Cost: Cheap},
	Ceil:  {Name: "ceil", Args: float1, Result: Float, Cost: Cheap},
	Trunc: {Name: "trunc", Args: float1, Result: Float, Cost: Cheap},
	Round: {Name: "round", Args: float1, Result: Float, Cost: Cheap},

	Lt: {Name: "lt", Args: float2, Result: Mask, Cost: Cheap},
	Le: {Name: "le", Args: float2, Result: Mask, Cost: Cheap},
	Eq: {Name: "eq", Args: float2, Result: Mask, Commutative: true, Cost: Cheap},
	Ne: {Name: "ne", Args: float2, Result: Mask, Commutative: true, Cost: Cheap},

	IntLt: {Name: "intlt", Args: int2, Result: Mask, Cost: Cheap},
	IntLe: {Name: "intle", Args: int2, Result: Mask, Cost: Cheap},
	IntEq: {Name: "inteq", Args: int2, Result: Mask, Commutative: true, Cost: Cheap},
	IntNe: {Name: "intne", Args: int2, Result: Mask, Commutative: true, Cost: Cheap},

	And:       {Name: "and", Args: mask2, Result: Mask, Commutative: true, Cost: Cheap},
	Or:        {Name: "or", Args: mask2, Result: Mask, Commutative: true, Cost: Cheap},
	Not:       {Name: "not", Args: mask1, Result: Mask, Cost: Cheap},
	MaskConst: {Name: "mask", Args: noArgs, Result: Mask, Source: true},

	Select:    {Name: "select", Args: selFloat, Result: Float, Poly: true, Cost: Cheap},
	IntSelect: {Name: "intselect", Args: selInt, Result: Int, Cost: Cheap},

	AsBits:  {Name: "asbits", Args: float1, Result: Bits},
	AsFloat: {Name: "asfloat", Args: bits1, Result: Float},
	BitAnd:  {Name: "bitand", Args: bits2, Result: Bits, Commutative: true, Cost: Cheap},
	BitOr:   {Name: "bitor", Args: bits2, Result: Bits, Commutative: true, Cost: Cheap},
	BitXor:  {Name: "bitxor", Args: bits2, Result: Bits, Commutative: true, Cost: Cheap},
	BitAdd:  {Name: "bitadd", Args: bits2, Result: Bits, Commutative: true, Cost: Cheap},
	BitSub:  {Name: "bitsub", Args: bits2, Result: Bits, Cost: Cheap},
	BitShl:  {Name: "shl", Args: bits1, Result: Bits, Source: true, Cost: Cheap},
	BitShr:  {Name: "shr", Args: bits1, Result: Bits, Source: true, Cost: Cheap},
}

// Info gives the facts of an instruction; an unknown one has no name.
func (op Op) Info() *OpInfo {
	if op >= opCount {
		op = OpInvalid
	}
	return &opTable[op]
}

// String is the name of an instruction in printed nests.
func (op Op) String() string {
	if n := op.Info().Name; n != "" {
		return n
	}
	return "invalid"
}

// Ops lists all instructions, for tables and tests that must cover each of them.
func Ops() []Op {
	var ops []Op
	for op := OpInvalid + 1; op < opCount; op++ {
		ops = append(ops, op)
	}
	return ops
}

var typeNames = [...]string{Float: "float", Int: "int", Mask: "mask", Bits: "bits"}

func (t Type) String() string { return nameOf(typeNames[:], int(t)) }

var dtypeNames = [...]string{F32: "f32", F64: "f64", I32: "i32", I64: "i64"}

func (d DType) String() string { return nameOf(dtypeNames[:], int(d)) }

// IsFloat says whether d is the dtype of floats.
func (d DType) IsFloat() bool { return d == F32 || d == F64 }

var depthNames = [...]string{Grid: "grid", Vector: "vector", Serial: "serial"}

func (d Depth) String() string { return nameOf(depthNames[:], int(d)) }

var modeNames = [...]string{In: "in", Out: "out", InOut: "inout", Acc: "acc"}

func (m Mode) String() string { return nameOf(modeNames[:], int(m)) }

var monoidNames = [...]string{SumOf: "sum", MaxOf: "max", MinOf: "min", ProdOf: "prod"}

func (m Monoid) String() string { return nameOf(monoidNames[:], int(m)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}

// Moves says whether o moves along the loop d.
func (o *Operand) Moves(d Depth) bool {
	switch d {
	case Grid:
		return o.Grid
	case Vector:
		return o.Vector
	default:
		return o.Serial
	}
}
