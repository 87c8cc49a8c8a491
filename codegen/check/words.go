package check

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// classes are the words that stand for several dtypes.
var classes = map[string][]string{
	"float": {"f16", "bf16", "f32", "f64"},
	"int":   {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"},
	"num":   {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"},
	"any":   {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"},
}

// dtypes are the names of dtypes.
var dtypes = func() map[string]bool {
	m := map[string]bool{}
	for _, d := range classes["any"] {
		m[d] = true
	}
	return m
}()

// constants are the words that are values.
var constants = map[string]*ir.Value{
	"true": ir.True, "false": ir.False, "inf": ir.Inf(), "nan": ir.NaN(), "pi": ir.Pi(),
}

// reducers are the functions over axes, with the number of arguments that they take.
var reducers = map[string]struct{ least, most int }{
	"sum": {1, 1}, "prod": {1, 1}, "mean": {1, 1}, "max": {1, 1}, "min": {1, 1}, "any": {1, 1}, "all": {1, 1},
	"argmax": {1, 2}, "argmin": {1, 2}, "logsumexp": {1, 1}, "norm": {1, 1},
}

// builtin is a function of values.
type builtin struct {
	arity int       // number of arguments; more: at least two
	op    ir.Op     // what it applies; OpInvalid: see expand
	wants valueKind // what its arguments must be

	// expand makes it of others; nil with op. Both unset: the compiler has no kernel form for it.
	expand func(l *lowering, at site, args []*ir.Value) *ir.Value
}

const more = -1

// valueKind is what the arguments of a function must be.
type valueKind uint8

const (
	anyNumber   valueKind = iota // exact, real or of a dtype that holds numbers
	floatNumber                  // not an integer dtype
)

var builtins map[string]builtin

func init() {
	builtins = map[string]builtin{
		"abs": {1, ir.OpAbs, anyNumber, nil}, "sign": {1, ir.OpSign, anyNumber, nil},
		"floor": {1, ir.OpFloor, anyNumber, nil}, "ceil": {1, ir.OpCeil, anyNumber, nil},
		"trunc": {1, ir.OpTrunc, anyNumber, nil}, "round": {1, ir.OpRound, anyNumber, nil},
		"max": {more, ir.OpMax, anyNumber, nil}, "min": {more, ir.OpMin, anyNumber, nil},
		"rem": {2, ir.OpRem, anyNumber, nil}, "fma": {3, ir.OpFma, anyNumber, nil},
		"stop": {1, ir.OpStop, anyNumber, nil},
		"sqrt": {1, ir.OpSqrt, floatNumber, nil}, "rsqrt": {1, ir.OpRsqrt, floatNumber, nil},
		"exp": {1, ir.OpExp, floatNumber, nil}, "expm1": {1, ir.OpExpm1, floatNumber, nil},
		"log": {1, ir.OpLog, floatNumber, nil}, "log1p": {1, ir.OpLog1p, floatNumber, nil},
		"tanh": {1, ir.OpTanh, floatNumber, nil}, "sigmoid": {1, ir.OpSigmoid, floatNumber, nil},
		"softplus": {1, ir.OpSoftplus, floatNumber, nil}, "erf": {1, ir.OpErf, floatNumber, nil},
		"sin": {1, ir.OpSin, floatNumber, nil}, "cos": {1, ir.OpCos, floatNumber, nil},
		"isnan": {1, ir.OpIsNaN, anyNumber, nil}, "isinf": {1, ir.OpIsInf, anyNumber, nil},

		"signbit": {1, ir.OpSignbit, anyNumber, nil},

		"exp2": {1, ir.OpExp2, floatNumber, nil}, "log2": {1, ir.OpLog2, floatNumber, nil}, "log10": {1, ir.OpLog10, floatNumber, nil},
		"tan": {1, ir.OpTan, floatNumber, nil}, "asin": {1, ir.OpAsin, floatNumber, nil}, "acos": {1, ir.OpAcos, floatNumber, nil},
		"atan": {1, ir.OpAtan, floatNumber, nil}, "atan2": {2, ir.OpAtan2, floatNumber, nil},
		"sinh": {1, ir.OpSinh, floatNumber, nil}, "cosh": {1, ir.OpCosh, floatNumber, nil}, "asinh": {1, ir.OpAsinh, floatNumber, nil},
		"acosh": {1, ir.OpAcosh, floatNumber, nil}, "atanh": {1, ir.OpAtanh, floatNumber, nil},
		"erfc": {1, ir.OpErfc, floatNumber, nil}, "erfinv": {1, ir.OpErfinv, floatNumber, nil}, "lgamma": {1, ir.OpLgamma, floatNumber, nil},
		"hypot": {2, ir.OpHypot, floatNumber, nil}, "copysign": {2, ir.OpCopysign, floatNumber, nil},
		"xlogy": {2, ir.OpXlogy, floatNumber, nil}, "logaddexp": {2, ir.OpLogaddexp, floatNumber, nil},

		"erfcx": {1, ir.OpErfcx, floatNumber, nil}, "polygamma": {2, ir.OpPolygamma, floatNumber, nil}, "zeta": {2, ir.OpZeta, floatNumber, nil},
		"bessel_j": {2, ir.OpBesselJ, floatNumber, nil}, "bessel_i": {2, ir.OpBesselI, floatNumber, nil}, "bessel_ie": {2, ir.OpBesselIe, floatNumber, nil},

		"sinc":        {1, ir.OpInvalid, floatNumber, expandSinc},
		"clamp":       {3, ir.OpInvalid, anyNumber, expandClamp},
		"isfinite":    {1, ir.OpInvalid, anyNumber, expandIsFinite},
		"log_sigmoid": {1, ir.OpInvalid, floatNumber, expandLogSigmoid},
		"digamma":     {1, ir.OpInvalid, floatNumber, expandDigamma},
		"fmax":        {2, ir.OpInvalid, anyNumber, expandFmax},
		"fmin":        {2, ir.OpInvalid, anyNumber, expandFmin},

		// With forms of their own: see call.go, random.go and limit.go.
		"has": {arity: 1}, "uniform": {arity: 1}, "normal": {arity: 1}, "lowest": {arity: 1}, "highest": {arity: 1}, "epsilon": {arity: 1},
	}
	for name, arity := range map[string]int{"ravel": 2, "unravel": 2, "rank": 1} {
		builtins[name] = builtin{arity: arity}
	}
}

// functionWords are the names that may stand before a parenthesis whatever a package declares.
func functionWords() []string {
	names := slices.Collect(maps.Keys(builtins))
	names = slices.AppendSeq(names, maps.Keys(reducers))
	names = slices.AppendSeq(names, maps.Keys(dtypes))
	slices.Sort(names)
	return slices.Compact(names)
}

// isUpper tells axes and dtype variables from values.
func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// quote puts a name into a message.
func quote(name string) string { return "`" + name + "`" }
