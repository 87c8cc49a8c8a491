package nest

// Op is an instruction. Facts stand in optable.go.
type Op uint8

const (
	OpInvalid Op = iota

	// Sources.
	Const     // Imm
	BitsConst // Bits
	ScalarOf  // scalar Scalar, Float
	IntScalar // scalar Scalar, Int
	Load      // element of Operand at the current point; Lane where the operand moves along Vector and a vector loop is open
	LoadInt   // likewise of an integer operand, as Int (uniform only)
	Gather    // element of Operand at the current row with the vector index Args[0] (Int, uniform): uniform
	Iota      // the index along Vector, Int, Lane
	Result    // of Slot

	// Effects.
	Store  // Args[0] to Operand at the current point
	Reduce // Args[0], or the product of two Args, into Slot

	// Float arithmetic, IEEE, rounded to nearest even.
	Add
	Sub
	Mul
	Div
	Fma // a*b + c rounded once
	Neg
	Abs
	Sqrt
	Max // NaN wins; else a > b ? a : b, so the second of two zeros
	Min // NaN wins; else a < b ? a : b
	Floor
	Ceil
	Trunc
	Round // half to even

	// Comparisons of floats: false where one is NaN, but Ne is true then.
	Lt
	Le
	Eq
	Ne

	// Comparisons of Ints.
	IntLt
	IntLe
	IntEq
	IntNe

	// Masks.
	And
	Or
	Not
	MaskConst // Imm: 0 or 1

	Select    // mask, then, else: Float or Bits
	IntSelect // mask, then, else: Int, uniform

	// Bits of floats.
	AsBits
	AsFloat
	BitAnd
	BitOr
	BitXor
	BitAdd
	BitSub
	BitShl // by Shift
	BitShr // logical, by Shift

	opCount
)
