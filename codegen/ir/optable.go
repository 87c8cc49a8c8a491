package ir

import (
	"errors"
	"math"
	"math/big"
)

// Rule says how the type of a value follows from the types of its arguments.
type Rule uint8

const (
	RuleNone    Rule = iota // a leaf, a read or a cast: the constructor gives the type
	RuleArith               // the arguments meet; the result has their joint type
	RuleFunc                // a function: of exact values it is Real, else as RuleArith
	RuleWhole               // rounding to whole numbers: as RuleArith; the quotient of integers is exact
	RuleCompare             // the arguments meet, the result is Bool
	RuleEqual               // as RuleCompare; conditions may be compared too
	RuleTest                // one number, the result is Bool
	RuleLogic               // conditions
	RuleChoose              // a condition and two values, which meet
	RuleSame                // the type of the argument
)

// Variadic is the arity of ops that take two or more arguments.
const Variadic = -1

// Fact is what is known of an op, wherever it is used.
type Fact struct {
	Name  string // as printed: a sign where Prec is set, else a function
	Prec  int    // precedence of the sign, 0: printed as a call
	Arity int
	Rule  Rule
	Lazy  bool // arguments after the first are evaluated only where needed
	Cost  int  // in units of an addition, for choosing what to recompute

	F1 func(float64) float64      // value of one float argument
	F2 func(a, b float64) float64 // of two
	F3 func(a, b, c float64) float64

	// Exact is the value of exact arguments; nil: it isn't exact.
	Exact func(a []*big.Rat) (*big.Rat, error)
	// Compare is the truth of a comparison: of floats, and of exact values by the sign of their difference.
	CompareF func(a, b float64) bool
	CompareX func(sign int) bool
}

// Facts is the table of ops, indexed by Op.
var Facts = [opCount]Fact{
	OpConst:  {Name: "const", Rule: RuleNone},
	OpInf:    {Name: "inf", Rule: RuleNone},
	OpNaN:    {Name: "nan", Rule: RuleNone},
	OpPi:     {Name: "pi", Rule: RuleNone},
	OpScalar: {Name: "scalar", Rule: RuleNone},
	OpExtent: {Name: "extent", Rule: RuleNone},
	OpIndex:  {Name: "index", Rule: RuleNone},
	OpTrue:   {Name: "true", Rule: RuleNone},
	OpFalse:  {Name: "false", Rule: RuleNone},

	OpLowest:  {Name: "lowest", Rule: RuleNone},
	OpHighest: {Name: "highest", Rule: RuleNone},
	OpEpsilon: {Name: "epsilon", Rule: RuleNone},

	OpUniform: {Name: "uniform", Arity: 1, Rule: RuleNone, Cost: 60},
	OpNormal:  {Name: "normal", Arity: 1, Rule: RuleNone, Cost: 120},

	OpRead:    {Name: "read", Arity: Variadic, Rule: RuleNone, Cost: 2},
	OpPresent: {Name: "has", Rule: RuleNone},
	OpCast:    {Name: "cast", Arity: 1, Rule: RuleNone, Cost: 1},

	OpAdd:  {Name: "+", Prec: 5, Arity: 2, Rule: RuleArith, Cost: 1, F2: func(a, b float64) float64 { return a + b }, Exact: exact2((*big.Rat).Add)},
	OpSub:  {Name: "-", Prec: 5, Arity: 2, Rule: RuleArith, Cost: 1, F2: func(a, b float64) float64 { return a - b }, Exact: exact2((*big.Rat).Sub)},
	OpMul:  {Name: "*", Prec: 6, Arity: 2, Rule: RuleArith, Cost: 1, F2: func(a, b float64) float64 { return a * b }, Exact: exact2((*big.Rat).Mul)},
	OpDiv:  {Name: "/", Prec: 6, Arity: 2, Rule: RuleArith, Cost: 6, F2: func(a, b float64) float64 { return a / b }, Exact: exactDiv},
	OpMod:  {Name: "%", Prec: 6, Arity: 2, Rule: RuleArith, Cost: 10, F2: floorMod, Exact: exactMod(exactFloor)},
	OpRem:  {Name: "rem", Arity: 2, Rule: RuleArith, Cost: 10, F2: math.Mod, Exact: exactMod(exactTrunc)},
	OpPow:  {Name: "^", Prec: 8, Arity: 2, Rule: RuleArith, Cost: 40, F2: math.Pow, Exact: exactPow},
	OpNeg:  {Name: "-", Prec: 7, Arity: 1, Rule: RuleArith, Cost: 1, F1: func(a float64) float64 { return -a }, Exact: exact1((*big.Rat).Neg)},
	OpAbs:  {Name: "abs", Arity: 1, Rule: RuleArith, Cost: 1, F1: math.Abs, Exact: exact1((*big.Rat).Abs)},
	OpSign: {Name: "sign", Arity: 1, Rule: RuleArith, Cost: 2, F1: sign, Exact: exactSign},
	OpMax:  {Name: "max", Arity: 2, Rule: RuleArith, Cost: 1, F2: maxNaN, Exact: exactPick(1)},
	OpMin:  {Name: "min", Arity: 2, Rule: RuleArith, Cost: 1, F2: minNaN, Exact: exactPick(-1)},
	OpFma:  {Name: "fma", Arity: 3, Rule: RuleArith, Cost: 1, F3: math.FMA, Exact: exactFma},

	OpSqrt:     {Name: "sqrt", Arity: 1, Rule: RuleFunc, Cost: 8, F1: math.Sqrt},
	OpRsqrt:    {Name: "rsqrt", Arity: 1, Rule: RuleFunc, Cost: 14, F1: func(a float64) float64 { return 1 / math.Sqrt(a) }},
	OpExp:      {Name: "exp", Arity: 1, Rule: RuleFunc, Cost: 15, F1: math.Exp},
	OpExpm1:    {Name: "expm1", Arity: 1, Rule: RuleFunc, Cost: 20, F1: math.Expm1},
	OpLog:      {Name: "log", Arity: 1, Rule: RuleFunc, Cost: 15, F1: natural},
	OpLog1p:    {Name: "log1p", Arity: 1, Rule: RuleFunc, Cost: 20, F1: math.Log1p},
	OpTanh:     {Name: "tanh", Arity: 1, Rule: RuleFunc, Cost: 20, F1: math.Tanh},
	OpSigmoid:  {Name: "sigmoid", Arity: 1, Rule: RuleFunc, Cost: 20, F1: sigmoid},
	OpSoftplus: {Name: "softplus", Arity: 1, Rule: RuleFunc, Cost: 25, F1: softplus},
	OpSin:      {Name: "sin", Arity: 1, Rule: RuleFunc, Cost: 20, F1: math.Sin},
	OpCos:      {Name: "cos", Arity: 1, Rule: RuleFunc, Cost: 20, F1: math.Cos},
	OpErf:      {Name: "erf", Arity: 1, Rule: RuleFunc, Cost: 25, F1: math.Erf},
	OpExp2:     {Name: "exp2", Arity: 1, Rule: RuleFunc, Cost: 15, F1: math.Exp2},
	OpLog2:     {Name: "log2", Arity: 1, Rule: RuleFunc, Cost: 15, F1: log2},
	OpLog10:    {Name: "log10", Arity: 1, Rule: RuleFunc, Cost: 15, F1: log10},
	OpTan:      {Name: "tan", Arity: 1, Rule: RuleFunc, Cost: 40, F1: math.Tan},
	OpAsin:     {Name: "asin", Arity: 1, Rule: RuleFunc, Cost: 25, F1: asin},
	OpAcos:     {Name: "acos", Arity: 1, Rule: RuleFunc, Cost: 25, F1: acos},
	OpAtan:     {Name: "atan", Arity: 1, Rule: RuleFunc, Cost: 25, F1: math.Atan},
	OpSinh:     {Name: "sinh", Arity: 1, Rule: RuleFunc, Cost: 30, F1: sinh},
	OpCosh:     {Name: "cosh", Arity: 1, Rule: RuleFunc, Cost: 30, F1: cosh},
	OpAsinh:    {Name: "asinh", Arity: 1, Rule: RuleFunc, Cost: 30, F1: math.Asinh},
	OpAcosh:    {Name: "acosh", Arity: 1, Rule: RuleFunc, Cost: 30, F1: math.Acosh},
	OpAtanh:    {Name: "atanh", Arity: 1, Rule: RuleFunc, Cost: 30, F1: math.Atanh},
	OpErfc:     {Name: "erfc", Arity: 1, Rule: RuleFunc, Cost: 30, F1: math.Erfc},
	OpErfinv:   {Name: "erfinv", Arity: 1, Rule: RuleFunc, Cost: 40, F1: math.Erfinv},
	OpLgamma:   {Name: "lgamma", Arity: 1, Rule: RuleFunc, Cost: 60, F1: lgamma},

	OpPolygamma: {Name: "polygamma", Arity: 2, Rule: RuleFunc, Cost: 80, F2: polygamma},
	OpSincn:     {Name: "sincn", Arity: 2, Rule: RuleFunc, Cost: 50, F2: sincn},
	OpErfcx:     {Name: "erfcx", Arity: 1, Rule: RuleFunc, Cost: 60, F1: erfcx},
	OpBesselJ:   {Name: "bessel_j", Arity: 2, Rule: RuleFunc, Cost: 80, F2: besselJ},
	OpBesselI:   {Name: "bessel_i", Arity: 2, Rule: RuleFunc, Cost: 80, F2: besselI},
	OpBesselIe:  {Name: "bessel_ie", Arity: 2, Rule: RuleFunc, Cost: 80, F2: besselIe},
	OpZeta:      {Name: "zeta", Arity: 2, Rule: RuleFunc, Cost: 100, F2: zeta},
	OpAtan2:     {Name: "atan2", Arity: 2, Rule: RuleFunc, Cost: 30, F2: math.Atan2},
	OpHypot:     {Name: "hypot", Arity: 2, Rule: RuleFunc, Cost: 15, F2: math.Hypot},
	OpXlogy:     {Name: "xlogy", Arity: 2, Rule: RuleFunc, Cost: 18, F2: xlogy},
	OpLogaddexp: {Name: "logaddexp", Arity: 2, Rule: RuleFunc, Cost: 30, F2: logaddexp},
	OpCopysign:  {Name: "copysign", Arity: 2, Rule: RuleFunc, Cost: 1, F2: math.Copysign},

	OpFloor: {Name: "floor", Arity: 1, Rule: RuleWhole, Cost: 1, F1: math.Floor, Exact: exactRound(exactFloor)},
	OpCeil:  {Name: "ceil", Arity: 1, Rule: RuleWhole, Cost: 1, F1: math.Ceil, Exact: exactRound(exactCeil)},
	OpTrunc: {Name: "trunc", Arity: 1, Rule: RuleWhole, Cost: 1, F1: math.Trunc, Exact: exactRound(exactTrunc)},
	OpRound: {Name: "round", Arity: 1, Rule: RuleWhole, Cost: 1, F1: math.RoundToEven, Exact: exactRound(exactEven)},

	OpEq:      {Name: "==", Prec: 4, Arity: 2, Rule: RuleEqual, Cost: 1, CompareF: func(a, b float64) bool { return a == b }, CompareX: func(s int) bool { return s == 0 }},
	OpNe:      {Name: "!=", Prec: 4, Arity: 2, Rule: RuleEqual, Cost: 1, CompareF: func(a, b float64) bool { return a != b }, CompareX: func(s int) bool { return s != 0 }},
	OpLt:      {Name: "<", Prec: 4, Arity: 2, Rule: RuleCompare, Cost: 1, CompareF: func(a, b float64) bool { return a < b }, CompareX: func(s int) bool { return s < 0 }},
	OpLe:      {Name: "<=", Prec: 4, Arity: 2, Rule: RuleCompare, Cost: 1, CompareF: func(a, b float64) bool { return a <= b }, CompareX: func(s int) bool { return s <= 0 }},
	OpNot:     {Name: "!", Prec: 7, Arity: 1, Rule: RuleLogic, Cost: 1},
	OpAnd:     {Name: "&&", Prec: 3, Arity: Variadic, Rule: RuleLogic, Lazy: true, Cost: 1},
	OpOr:      {Name: "||", Prec: 2, Arity: Variadic, Rule: RuleLogic, Lazy: true, Cost: 1},
	OpIsNaN:   {Name: "isnan", Arity: 1, Rule: RuleTest, Cost: 1},
	OpIsInf:   {Name: "isinf", Arity: 1, Rule: RuleTest, Cost: 1},
	OpSignbit: {Name: "signbit", Arity: 1, Rule: RuleTest, Cost: 1},

	OpSelect: {Name: "if", Prec: 1, Arity: 3, Rule: RuleChoose, Lazy: true, Cost: 1},
	OpStop:   {Name: "stop", Arity: 1, Rule: RuleSame},
	OpAbsorb: {Name: "absorb", Arity: 2, Rule: RuleArith, Cost: 3, F2: absorb},
}

// String is the name of the op in the table.
func (op Op) String() string {
	if op == OpInvalid || op >= opCount {
		return "invalid"
	}
	return Facts[op].Name
}

// floorMod is a - b*floor(a/b): the remainder with the sign of b.
func floorMod(a, b float64) float64 {
	r := math.Mod(a, b)
	switch {
	case r == 0:
		return math.Copysign(0, b) // has the sign of the divisor as well
	case (r < 0) != (b < 0):
		r += b
	}
	return r
}

// sign is -1, 0 or 1; NaN and zeros stay what they are.
func sign(a float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return a
}

// maxNaN is the greater; NaN wins.
func maxNaN(a, b float64) float64 {
	if a != a || a > b {
		return a
	}
	return b
}

// minNaN is the lesser; NaN wins.
func minNaN(a, b float64) float64 {
	if a != a || a < b {
		return a
	}
	return b
}

// sigmoid is 1/(1+exp(-a)), without overflow.
func sigmoid(a float64) float64 {
	if a < 0 {
		e := math.Exp(a)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-a))
}

// softplus is log(1+exp(a)) = max(a,0) + log1p(exp(-|a|)).
func softplus(a float64) float64 { return maxNaN(a, 0) + math.Log1p(math.Exp(-math.Abs(a))) }

// absorb is a*b, and a where that is 0, whatever b is.
func absorb(a, b float64) float64 {
	if a == 0 {
		return a
	}
	return a * b
}

var (
	errDivideByZero = errors.New("division by zero")
	errPower        = errors.New("an exact power needs a whole exponent of at most 4096")
)

// maxExponent bounds exact powers, whose size grows with the exponent.
const maxExponent = 4096

func exact1(f func(z, x *big.Rat) *big.Rat) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) { return f(new(big.Rat), a[0]), nil }
}

func exact2(f func(z, x, y *big.Rat) *big.Rat) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) { return f(new(big.Rat), a[0], a[1]), nil }
}

func exactDiv(a []*big.Rat) (*big.Rat, error) {
	if a[1].Sign() == 0 {
		return nil, errDivideByZero
	}
	return new(big.Rat).Quo(a[0], a[1]), nil
}

func exactSign(a []*big.Rat) (*big.Rat, error) { return big.NewRat(int64(a[0].Sign()), 1), nil }

func exactFma(a []*big.Rat) (*big.Rat, error) {
	p := new(big.Rat).Mul(a[0], a[1])
	return p.Add(p, a[2]), nil
}

// exactPick is max (want 1) or min (want -1).
func exactPick(want int) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) {
		if a[0].Cmp(a[1]) == want {
			return a[0], nil
		}
		return a[1], nil
	}
}

func exactRound(f func(*big.Rat) *big.Int) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) { return new(big.Rat).SetInt(f(a[0])), nil }
}

// exactMod is a - b*whole(a/b).
func exactMod(whole func(*big.Rat) *big.Int) func([]*big.Rat) (*big.Rat, error) {
	return func(a []*big.Rat) (*big.Rat, error) {
		q, err := exactDiv(a)
		if err != nil {
			return nil, err
		}
		n := new(big.Rat).SetInt(whole(q))
		return n.Sub(a[0], n.Mul(n, a[1])), nil
	}
}

func exactPow(a []*big.Rat) (*big.Rat, error) {
	if !a[1].IsInt() || !a[1].Num().IsInt64() {
		return nil, errPower
	}
	n := a[1].Num().Int64()
	if n < -maxExponent || n > maxExponent {
		return nil, errPower
	}
	m := n
	if m < 0 {
		m = -m
	}
	e := big.NewInt(m)
	r := new(big.Rat).SetFrac(new(big.Int).Exp(a[0].Num(), e, nil), new(big.Int).Exp(a[0].Denom(), e, nil))
	if n < 0 {
		if r.Sign() == 0 {
			return nil, errDivideByZero
		}
		r.Inv(r)
	}
	return r, nil
}

// exactFloor is the greatest integer not above r.
func exactFloor(r *big.Rat) *big.Int {
	// Div rounds towards minus infinity for positive divisors, and denominators are positive.
	return new(big.Int).Div(r.Num(), r.Denom())
}

func exactCeil(r *big.Rat) *big.Int {
	n := exactFloor(new(big.Rat).Neg(r))
	return n.Neg(n)
}

func exactTrunc(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// exactEven rounds to the nearest integer, halves to the even one.
func exactEven(r *big.Rat) *big.Int {
	lo := exactFloor(r)
	switch new(big.Rat).Sub(r, new(big.Rat).SetInt(lo)).Cmp(big.NewRat(1, 2)) {
	case -1:
		return lo
	case 0:
		if lo.Bit(0) == 0 {
			return lo
		}
	}
	return lo.Add(lo, big.NewInt(1))
}
