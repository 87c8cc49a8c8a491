package nest

import (
	"fmt"
	"math"
	"slices"
)

// MathFunc is a function that a Builder composes of instructions, the same for every target. It covers all floats:
// infinities, NaN, zeros with their signs, and subnormals.
type MathFunc struct {
	Name string
	Args int
	// MaxULP32 and MaxULP64 bound the error, in units in the last place of the exact result (the distance of
	// the floats around it), for nests of F32 and F64.
	MaxULP32, MaxULP64 float64
	Method             string // and its source
	build              func(m *mathBuilder, args []*Value) *Value
}

var mathFuncs = []MathFunc{
	{"acos", 1, 2.5, 2.5, "π/2 - asin x, or 2 asin(sqrt((1-|x|)/2)) beyond 1/2", unary((*mathBuilder).acos)},
	{"acosh", 1, 3.5, 3.5, "log1p(t + sqrt(t(t+2))), t = x-1", unary((*mathBuilder).acosh)},
	{"asin", 1, 2.5, 2.5, "x + x³ P(x²), or π/2 - 2 asin(sqrt((1-|x|)/2)) beyond 1/2", unary((*mathBuilder).asin)},
	{"asinh", 1, 3.5, 3.5, "log1p(x + x²/(1 + sqrt(1+x²))), odd", unary((*mathBuilder).asinh)},
	{"atan", 1, 2, 2, "x, (x-1)/(x+1) or -1/x into |s| ≤ tan(π/8); s + s³ P(s²)", unary((*mathBuilder).atan)},
	{"atan2", 2, 3.5, 3.5, "atan of the lesser over the greater, moved to its octant", binaryFunc((*mathBuilder).atan2)},
	{"atanh", 1, 3, 3, "log1p(2x/(1-x))/2, odd", unary((*mathBuilder).atanh)},
	{"copysign", 2, 0, 0, "bits", binaryFunc((*mathBuilder).copysign)},
	{"cos", 1, 1.5, 1.5, "Payne and Hanek 1983: x = q π/2 + r for every x; polynomials", unary((*mathBuilder).cos)},
	{"cosh", 1, 2, 2, "e + 1/(4e), e = exp(|x|)/2", unary((*mathBuilder).cosh)},
	{"erf", 1, 1.5, 1.5, "x + x P(x²) for small x, else 1 - exp(Q(|x|)) with Q = log erfc", unary((*mathBuilder).erf)},
	{"erfc", 1, 4, 4, "exp(-x²) P(t)/(1+2x) (Shepherd and Laframboise 1981); 1 - erf x for small x", unary((*mathBuilder).erfc)},
	{"exp", 1, 1, 1, "Cody and Waite 1980: x = k ln 2 + r; polynomial; 2^k in two steps", unary((*mathBuilder).exp)},
	{"exp2", 1, 1.5, 1.5, "as exp, with r = (x - k) ln 2", unary((*mathBuilder).exp2)},
	{"expm1", 1, 2, 2, "as exp, with 2^k (e^r - 1) + (2^k - 1)", unary((*mathBuilder).expm1)},
	{"hypot", 2, 1.5, 1.5, "sqrt(x² + y²), scaled where squares would overflow or vanish", binaryFunc((*mathBuilder).hypot)},
	{"log", 1, 1, 1, "x = 2^k m, log m by a polynomial (f32) or as in FreeBSD e_log.c (f64)", unary((*mathBuilder).log)},
	{"log10", 1, 2, 2, "k log10 2 + log m / ln 10", unary((*mathBuilder).log10)},
	{"log1p", 1, 1.6, 1.6, "as log of 1+x, with its rounding error added to m", unary((*mathBuilder).log1p)},
	{"log2", 1, 2, 2, "k + log m / ln 2", unary((*mathBuilder).log2)},
	{"logaddexp", 2, 4, 4, "max(x, y) + log1p(exp(-|x-y|)), as softplus; where these cancel, the bound is of the greater of them", binaryFunc((*mathBuilder).logaddexp)},
	{"pow", 2, 1.5, 1.5, "2^(y log2 |x|), the logarithm in two floats: 2 atanh s with s³ exact enough", binaryFunc((*mathBuilder).pow)},
	{"rsqrt", 1, 1.5, 1.5, "1/sqrt(x)", unary((*mathBuilder).rsqrt)},
	{"sigmoid", 1, 2.5, 2.5, "(x < 0 ? e : 1)/(1 + e), e = exp(-|x|)", unary((*mathBuilder).sigmoid)},
	{"sin", 1, 1.5, 1.5, "as cos", unary((*mathBuilder).sin)},
	{"sinh", 1, 3, 3, "u + u/(2u+1), u = (exp(|x|) - 1)/2, odd", unary((*mathBuilder).sinh)},
	{"softplus", 1, 3, 3, "max(0, x) + log1p(exp(-|x|)), log1p(e) = 2 atanh(e/(2+e))", unary((*mathBuilder).softplus)},
	{"tan", 1, 3, 3, "the quotient of both", unary((*mathBuilder).tan)},
	{"tanh", 1, 3, 3, "-t/(t+2), t = expm1(-2|x|)", unary((*mathBuilder).tanh)},
	{"xlogy", 2, 2, 2, "x log(y), 0 where x is 0", binaryFunc((*mathBuilder).xlogy)},
}

// MathFuncs lists the functions that Math knows, by name.
func MathFuncs() []MathFunc { return slices.Clone(mathFuncs) }

// Math computes a function by name.
func (b *Builder) Math(fn string, args ...*Value) (*Value, error) {
	i := slices.IndexFunc(mathFuncs, func(f MathFunc) bool { return f.Name == fn })
	if i < 0 {
		return nil, fmt.Errorf("no composition for the function %s", fn)
	}
	if len(args) != mathFuncs[i].Args {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", fn, mathFuncs[i].Args, len(args))
	}
	return mathFuncs[i].build(&mathBuilder{b, formatOf(b.nest.Float)}, args), nil
}

func unary(f func(*mathBuilder, *Value) *Value) func(*mathBuilder, []*Value) *Value {
	return func(m *mathBuilder, args []*Value) *Value { return f(m, args[0]) }
}

func binaryFunc(f func(*mathBuilder, *Value, *Value) *Value) func(*mathBuilder, []*Value) *Value {
	return func(m *mathBuilder, args []*Value) *Value { return f(m, args[0], args[1]) }
}

// mathBuilder is a Builder with the facts about its floats.
type mathBuilder struct {
	*Builder
	*format
}

// format is what the methods need to know about a dtype.
type format struct {
	mant      uint    // bits of the fraction
	bias      float64 // of the exponent
	magic     float64 // 1.5 * 2^mant: x + magic has round(x) in its low bits
	one       uint64  // bits of 1
	sqrtHalf  uint64  // bits of sqrt(1/2)
	sign      uint64  // the sign bit
	minNormal float64
	tiny      float64 // below it x + x²/2 rounds to x

	log2e        float64
	ln2hi, ln2lo float64
	expMax       float64 // beyond it exp overflows
	expMin       float64 // below it exp is 0
	expm1Min     float64 // below it expm1 is -1
	erfMax       float64 // beyond it erf is 1
	erfSplit     float64 // where erf changes its method
	expq         []float64
	logq         []float64
	atanhq       []float64
	erfq, erfcq  []float64

	log2eHi, log2eLo       float64 // 1/ln 2 in two parts
	log10e, log10eLo       float64 // 1/ln 10 in two parts
	log102hi, log102lo     float64 // log10 2 in two parts, the first short enough that its multiples are exact
	ln2                    float64
	exp2Max, exp2Min       float64
	halfPi, halfPiLo       float64 // π/2 in two parts
	tanPi8                 float64 // tan(π/8)
	huge                   float64 // beyond it squares may overflow
	big                    float64 // beyond it 1 + x² is x²
	erfcxMid, erfcMax      float64
	atanq, asinq           []float64
	sinq, cosq             []float64
	limb, least, limbs     int // see reduceAngle
	twoOverPi              []float64
	powq                   []float64
	twoThirds, twoThirdsLo float64
	erfcxq                 []float64
}

func formatOf(d DType) *format {
	if d == F32 {
		return &format32
	}
	return &format64
}

func (m *mathBuilder) add(x, y *Value) *Value    { return m.Op(Add, x, y) }
func (m *mathBuilder) sub(x, y *Value) *Value    { return m.Op(Sub, x, y) }
func (m *mathBuilder) mul(x, y *Value) *Value    { return m.Op(Mul, x, y) }
func (m *mathBuilder) div(x, y *Value) *Value    { return m.Op(Div, x, y) }
func (m *mathBuilder) fma(x, y, z *Value) *Value { return m.Op(Fma, x, y, z) }
func (m *mathBuilder) c(x float64) *Value        { return m.Const(x) }

func (m *mathBuilder) sel(cond, x, y *Value) *Value { return m.Op(Select, cond, x, y) }

// poly is a polynomial by Horner's rule, lowest coefficient first.
func (m *mathBuilder) poly(x *Value, coeffs ...float64) *Value {
	p := m.c(coeffs[len(coeffs)-1])
	for _, c := range slices.Backward(coeffs[:len(coeffs)-1]) {
		p = m.fma(p, x, m.c(c))
	}
	return p
}

// minusAbs is -|x|.
func (m *mathBuilder) minusAbs(x *Value) *Value {
	return m.Op(AsFloat, m.Op(BitOr, m.Op(AsBits, x), m.BitsConst(m.sign)))
}

// copySign gives x, which isn't negative, the sign of y.
func (m *mathBuilder) copySign(x, y *Value) *Value {
	sign := m.Op(BitAnd, m.Op(AsBits, y), m.BitsConst(m.sign))
	return m.Op(AsFloat, m.Op(BitOr, m.Op(AsBits, x), sign))
}

// rsqrt is 1/sqrt(x).
func (m *mathBuilder) rsqrt(x *Value) *Value { return m.div(m.c(1), m.Op(Sqrt, x)) }

// UniformDiv is x/d for a uniform d within a vector loop: two multiplications for each x, with factors that are
// computed once. Its error is below 1.5 units in the last place where x/d is finite, and x = 0, d = 0, infinities and NaN
// give what division does. With s = 1 and 1/d alone, 1/d would overflow for a tiny d and lose bits for a huge one.
func UniformDiv(b *Builder, x, d *Value) *Value {
	m := &mathBuilder{b, formatOf(b.nest.Float)}
	exp := int(m.bias) - 1
	least, most := m.c(math.Ldexp(1, -exp)), m.c(math.Ldexp(1, exp))
	size := m.Op(Abs, d)
	scale := m.sel(m.Op(Lt, most, size), m.c(math.Ldexp(1, -exp/2)), m.c(1))
	scale = m.sel(m.Op(Lt, size, least), m.c(math.Ldexp(1, exp-exp/4)), scale)
	inverse := m.div(m.c(1), m.mul(d, scale))
	x, factor := powerOfTwo(x)
	if factor != 1 {
		scale = m.mul(scale, m.c(factor))
	}
	return m.mul(m.mul(x, scale), inverse)
}

// UniformMulDiv is u·x/d for uniform u and d within a vector loop: two multiplications for each x. Where u/d is a
// normal number it is the factor; else a power of two is kept apart, so that x = 0 gives 0 whatever a finite u/d is,
// up to u = 2^80 (f32) or 2^768 (f64) for the tiniest d. The error is below 2 units in the last place where x·u/d
// and u/d, without its power of two, are normal.
func UniformMulDiv(b *Builder, x, u, d *Value) *Value {
	m := &mathBuilder{b, formatOf(b.nest.Float)}
	exp := int(m.bias) - 1
	up, down := exp-exp/5, exp-2
	one := m.c(1)
	size := m.Op(Abs, m.div(u, d))
	huge := m.Op(And, m.Op(Lt, m.c(math.Ldexp(1, exp)), size), m.Op(Lt, m.Op(Abs, d), one))
	least := m.Op(And, m.Op(Lt, size, m.c(math.Ldexp(1, -exp))), m.Op(Lt, m.Op(Abs, u), m.c(4)))
	scale := m.sel(huge, m.c(math.Ldexp(1, up)), one)
	factor := m.div(m.mul(u, m.sel(least, m.c(math.Ldexp(1, down)), one)), m.mul(d, scale))
	return m.mul(m.mul(x, m.sel(least, m.c(math.Ldexp(1, -down)), scale)), factor)
}

// powerOfTwo splits x = y·f, where f is a small power of two that x was multiplied with last: it can join another power of
// two without an error.
func powerOfTwo(x *Value) (y *Value, f float64) {
	if x.Op != Mul {
		return x, 1
	}
	for i, a := range x.Args {
		if frac, exp := math.Frexp(a.Imm); a.Op == Const && frac == 0.5 && -8 <= exp && exp <= 8 {
			return x.Args[1-i], a.Imm
		}
	}
	return x, 1
}
