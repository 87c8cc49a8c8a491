package check

import "github.com/opgen/opgen/dsl/diag"

// foreignTypes are names that other languages have for types, and those here.
var foreignTypes = map[string]string{
	"half": "f16", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "single": "f32", "float64": "f64", "double": "f64",
	"int8": "i8", "int16": "i16", "short": "i16", "int32": "i32", "int64": "i64", "long": "i64",
	"uint8": "u8", "byte": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "boolean": "bool",
}

// foreignFunctions are functions of other languages, and what is written instead.
var foreignFunctions = map[string]string{
	"ln": "log(x)", "fabs": "abs(x)", "maximum": "max(x, z)", "minimum": "min(x, z)", "pow": "x^n", "power": "x^n", "square": "x^2", "cbrt": "x^(1/3)",
	"clip": "clamp(x, lo, hi)", "mod": "x % n", "fmod": "rem(x, n)", "sgn": "sign(x)", "reciprocal": "1/x", "rand": "uniform[N](seed)", "randn": "normal[N](seed)",
	"select": "if c then x else z", "einsum": "sum[K](a * b)", "dot": "sum[K](a * b)", "matmul": "sum[K](a * b)", "average": "mean[K](x)", "detach": "stop(x)",
	"zeros_like": "0*x", "ones_like": "1 + 0*x", "len": "N for the extent of axis N", "size": "N for the extent of axis N", "shape": "N for the extent of axis N",
	"numel": "prod(..B) for the number of elements of a pack B", "range": "k in 0..n in the brackets of a reduction",
	"transpose": "y[c, n] = x[n, c]", "permute": "y[c, n] = x[n, c]", "gather": "x[n, t[n]]", "take": "x[t[n]]", "flip": "x[N - 1 - n]", "arange": "n, the index itself",
	"view": "the axes as they are; (G, K) is one axis of two", "reshape": "the axes as they are; (G, K) is one axis of two", "expand": "x: it is copied along the axes it lacks",
	"exp_m1": "expm1(x)", "log1": "log1p(x)", "arctan": "atan(x)", "arcsin": "asin(x)", "arccos": "acos(x)", "is_nan": "isnan(x)", "is_inf": "isinf(x)", "float": "T(x)", "int": "i64(x)",
}

// foreignValues are names of values in other languages.
var foreignValues = map[string]string{
	"zeros": "0", "zero": "0", "ones": "1", "one": "1", "infinity": "inf", "none": "…?, and has(…) to ask for what is left out", "null": "…?, and has(…) to ask for what is left out",
	"self": "the inputs by their names", "e": "exp(1)",
}

// wordsOf hints at what is meant by a word of another language; it tells whether there is such a hint.
func wordsOf(table map[string]string, d *diag.Diagnostic, word string) bool {
	if table[word] == "" {
		return false
	}
	d.Hint = "write " + table[word]
	return true
}
