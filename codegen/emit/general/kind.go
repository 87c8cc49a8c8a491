package general

import "github.com/opgen/opgen/codegen/ir"

// kind is how a value is kept in Go.
type kind uint8

const (
	whole kind = iota // exact values: an int, or a quotient of two
	f32
	f64
	i32
	i64
	truth // bool
)

// kinds is what is known of each.
var kinds = [...]struct {
	goType, dtype, sum string // the type, the dtype of elements, the type that sums are kept in
	least, greatest    string
}{
	whole: {goType: "int", sum: "int"},
	f32:   {"float32", "f32", "float64", "float32(math.Inf(-1))", "float32(math.Inf(1))"},
	f64:   {"float64", "f64", "float64", "math.Inf(-1)", "math.Inf(1)"},
	i32:   {"int32", "i32", "int32", "int32(math.MinInt32)", "int32(math.MaxInt32)"},
	i64:   {"int64", "i64", "int64", "int64(math.MinInt64)", "int64(math.MaxInt64)"},
	truth: {goType: "bool", dtype: "bool", sum: "bool"},
}

func (k kind) goType() string { return kinds[k].goType }
func (k kind) float() bool    { return k == f32 || k == f64 }
func (k kind) int() bool      { return k == i32 || k == i64 }

// elem is how elements of a type are kept.
func (g *gen) elem(e ir.Elem) kind {
	d := e.Resolve(g.k.DTypes)
	for k := range kinds {
		if kinds[k].dtype == d {
			return kind(k)
		}
	}
	g.bail("elements of type %s", d)
	return 0
}

// kindOf is how a value is kept.
func (g *gen) kindOf(v *ir.Value) kind {
	switch v.Type.Kind {
	case ir.Exact:
		return whole
	case ir.Real:
		return f64
	case ir.Bool:
		return truth
	}
	return g.elem(v.Type.Elem)
}

// value is a value in Go. One of kind whole is term/den; den is positive, and nil where the value is an integer.
type value struct {
	kind kind
	term
	den *term
}

// functions are the Go functions of functions of floats, by name in the table of facts: in package math, over float64,
// or in the runtime, over the dtype itself.
var functions = map[string]struct{ math, runtime string }{
	"sqrt": {math: "Sqrt"}, "exp": {math: "Exp"}, "exp2": {math: "Exp2"}, "expm1": {math: "Expm1"},
	"log": {math: "Log"}, "log2": {math: "Log2"}, "log10": {math: "Log10"}, "log1p": {math: "Log1p"},
	"sin": {math: "Sin"}, "cos": {math: "Cos"}, "tan": {math: "Tan"}, "asin": {math: "Asin"}, "acos": {math: "Acos"}, "atan": {math: "Atan"},
	"sinh": {math: "Sinh"}, "cosh": {math: "Cosh"}, "tanh": {math: "Tanh"}, "asinh": {math: "Asinh"}, "acosh": {math: "Acosh"}, "atanh": {math: "Atanh"},
	"erf": {math: "Erf"}, "erfc": {math: "Erfc"}, "erfinv": {math: "Erfinv"},
	"floor": {math: "Floor"}, "ceil": {math: "Ceil"}, "trunc": {math: "Trunc"}, "round": {math: "RoundToEven"},
	"^": {math: "Pow"}, "rem": {math: "Mod"}, "atan2": {math: "Atan2"}, "hypot": {math: "Hypot"}, "copysign": {math: "Copysign"},
	"rsqrt": {runtime: "Rsqrt"}, "sigmoid": {runtime: "Sigmoid"}, "softplus": {runtime: "Softplus"}, "sign": {runtime: "Sign"},
	"lgamma": {runtime: "Lgamma"}, "polygamma": {runtime: "Polygamma"}, "xlogy": {runtime: "Xlogy"}, "logaddexp": {runtime: "Logaddexp"}, "absorb": {runtime: "Absorb"}, "%": {runtime: "FloorMod"},
}

// infix are the ops that are operators of Go.
var infix = map[ir.Op]struct {
	text string
	prec int
}{
	ir.OpAdd: {"+", precAdd}, ir.OpSub: {"-", precAdd}, ir.OpMul: {"*", precMul}, ir.OpDiv: {"/", precMul},
	ir.OpEq: {"==", precCompare}, ir.OpNe: {"!=", precCompare}, ir.OpLt: {"<", precCompare}, ir.OpLe: {"<=", precCompare},
}
