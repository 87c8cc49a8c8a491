package ir

// Op is what a Value does. Facts about each op stand in one table, in optable.go.
type Op uint8

const (
	OpInvalid Op = iota

	// Leaves.
	OpConst  // an exact constant
	OpInf    // +∞, Real
	OpNaN    // Real
	OpPi     // Real
	OpScalar // attribute Name
	OpExtent // extent of Axis, Exact
	OpIndex  // index variable as a value, Exact
	OpTrue
	OpFalse
	OpLowest  // the least finite number of the dtype of the value, of whatever float or integer dtype
	OpHighest // the greatest finite number
	OpEpsilon // the distance from 1 to the next number of a float dtype

	// Random numbers, each a function of the seed Name, the stream Stream and the counter Args[0]; see random.go.
	OpUniform // at least 0 and below 1
	OpNormal  // standard normal

	// Tensors.
	OpRead    // Tensor[Args...]
	OpPresent // has(Tensor), a condition of the call

	// Conversions: exact or real to the type of the value, rounded once; casts between dtypes.
	OpCast

	// Arithmetic. On exact values exact, on typed values IEEE in the compute type.
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod // floored
	OpRem // truncated
	OpPow
	OpNeg
	OpAbs
	OpSign
	OpMax // NaN wins; derivative: half each at a tie
	OpMin
	OpFma // a*b + c, rounded once

	// Functions.
	OpSqrt
	OpRsqrt
	OpExp
	OpExpm1
	OpLog
	OpLog1p
	OpTanh
	OpSigmoid
	OpSoftplus
	OpSin
	OpCos
	OpErf
	OpExp2
	OpLog2
	OpLog10
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpSinh
	OpCosh
	OpAsinh
	OpAcosh
	OpAtanh
	OpErfc
	OpErfinv
	OpLgamma    // log |Γ(x)|
	OpPolygamma // Args n and x: the n-th derivative of digamma at x
	OpSincn     // Args n and x: the n-th derivative of sin(x)/x at x
	OpErfcx     // exp(x²)·erfc(x)
	OpBesselJ   // Args n and x: Bessel's function of the first kind
	OpBesselI   // the modified one
	OpBesselIe  // that times exp(-|x|)
	OpZeta      // Args s and q: Hurwitz's zeta function
	OpAtan2     // Args y, x: the angle of (x, y)
	OpHypot
	OpXlogy // x*log(y), and 0 where x is 0
	OpLogaddexp
	OpCopysign // the size of the first with the sign of the second
	OpFloor
	OpCeil
	OpTrunc
	OpRound // half to even

	// Conditions.
	OpEq
	OpNe
	OpLt
	OpLe
	OpNot
	OpAnd // lazy
	OpOr  // lazy
	OpIsNaN
	OpIsInf
	OpSignbit // the sign is minus; also of zeros

	// Choice: Args are condition, then, else; the side not taken is not evaluated.
	OpSelect

	// OpStop is its argument, with no derivative.
	OpStop
	// OpAbsorb is x*d where a zero x absorbs any d: Args x, d. The reverse rule uses it where a cotangent may
	// be zero because nothing was selected.
	OpAbsorb

	opCount
)
