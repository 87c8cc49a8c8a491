package general

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// form is how a value is kept in Go.
type form struct {
	name           string // the Go type
	dtype          string // of elements
	sum            string // the Go type that sums are kept in
	least          string // the values that the greatest and the least of nothing start at
	greatest       string
	class          class
	bits           int  // of integers
	unsigned, open bool // of integers; open: a type parameter
}

// class is the class of numbers of a form.
type class uint8

const (
	isExact class = iota
	isFloat
	isInt
	isTruth
)

// kind is one form: kinds are the same where they are the same pointer.
type kind = *form

var (
	whole = &form{name: "int", sum: "int"} // exact values: an int, or a quotient of two
	f32   = &form{"float32", "f32", "float64", "float32(math.Inf(-1))", "float32(math.Inf(1))", isFloat, 0, false, false}
	f64   = &form{"float64", "f64", "float64", "math.Inf(-1)", "math.Inf(1)", isFloat, 0, false, false}
	truth = &form{name: "bool", dtype: "bool", sum: "bool", class: isTruth}
)

// kinds are those of elements. Half precision is kept as float32.
var kinds = []kind{
	f32, f64, truth,
	signed("int8", "i8", "Int8", 8), signed("int16", "i16", "Int16", 16), signed("int32", "i32", "Int32", 32), signed("int64", "i64", "Int64", 64),
	unsigned("uint8", "u8", "Uint8", 8), unsigned("uint16", "u16", "Uint16", 16), unsigned("uint32", "u32", "Uint32", 32), unsigned("uint64", "u64", "Uint64", 64),
}

func signed(name, dtype, limit string, bits int) kind {
	return &form{name, dtype, name, name + "(math.Min" + limit + ")", name + "(math.Max" + limit + ")", isInt, bits, false, false}
}

func unsigned(name, dtype, limit string, bits int) kind {
	return &form{name, dtype, name, name + "(0)", name + "(math.Max" + limit + ")", isInt, bits, true, false}
}

// open is the form of a type parameter that stands for any integer type.
func open(name string) kind {
	return &form{name, ir.AnyInt, name, "runtime.Least[" + name + "]()", "runtime.Greatest[" + name + "]()", isInt, 64, false, true}
}

func (k *form) goType() string { return k.name }
func (k *form) float() bool    { return k.class == isFloat }
func (k *form) int() bool      { return k.class == isInt }

// wide tells whether an integer may be greater than an int.
func (k *form) wide() bool { return k.open || k.unsigned && k.bits == 64 }

// holds tells whether a constant is known to fit.
func (k *form) holds(v *ir.Value) bool {
	c := ir.ConstOf(v)
	if c == nil || !c.IsInt() {
		return false
	}
	bits := k.bits
	switch {
	case k.open:
		return c.Sign() >= 0 && c.Num().BitLen() < 8
	case k.unsigned:
		return c.Sign() >= 0 && c.Num().BitLen() <= bits
	case c.Sign() < 0 && c.Num().TrailingZeroBits() == uint(bits-1):
		return c.Num().BitLen() <= bits
	}
	return c.Num().BitLen() < bits
}

// Parameters are the type parameters of a function, in order: one for each dtype variable that stands for any integers,
// and one for the dtype of its sums where that occurs.
func (k *Kernel) Parameters() []Parameter {
	var r []Parameter
	for _, v := range k.Func.ElemVars {
		if k.DTypes[v.Name] != ir.AnyInt {
			continue
		}
		r = append(r, Parameter{Name: v.Name, Var: v.Name})
		if usesSum(k.Func, v.Name) {
			r = append(r, Parameter{Name: "Sum" + v.Name, Var: v.Name, Sum: true})
		}
	}
	return r
}

// Parameter is a type parameter.
type Parameter struct {
	Name string
	Var  string // the dtype variable
	Sum  bool   // it stands for sum(Var)
}

// usesSum tells whether elements or values of a function have the dtype of sums.
func usesSum(f *ir.Func, name string) bool {
	sum := ir.Elem{Wrap: "sum", Name: name}
	found := false
	for _, t := range slices.Concat(f.Inputs, f.Outputs) {
		found = found || t.Elem == sum
	}
	for _, d := range f.Defs {
		found = found || d.Target.Elem == sum
		for _, v := range d.Values() {
			ir.Walk(v, func(v *ir.Value) bool {
				found = found || v.Type.Kind == ir.Typed && v.Type.Elem == sum
				return !found
			})
		}
	}
	return found
}

// elem is how elements of a type are kept.
func (g *gen) elem(e ir.Elem) kind {
	d := e.Resolve(g.k.DTypes)
	if d == ir.AnyInt {
		for i, p := range g.params {
			if p.Var == e.Name && p.Sum == (e.Wrap == "sum") {
				return g.open[i]
			}
		}
	}
	if d == "f16" || d == "bf16" {
		return f32
	}
	for _, k := range kinds {
		if k.dtype == d {
			return k
		}
	}
	g.bail("elements of type %s", d)
	return nil
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
	k := g.elem(v.Type.Elem)
	if v.Op == ir.OpDiv && k.int() {
		return whole // the quotient of integers is exact
	}
	return k
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
	"lgamma": {runtime: "Lgamma"}, "polygamma": {runtime: "Polygamma"}, "xlogy": {runtime: "Xlogy"},
	"sincn": {runtime: "Sincn"}, "erfcx": {runtime: "Erfcx"}, "bessel_j": {runtime: "BesselJ"}, "bessel_i": {runtime: "BesselI"}, "bessel_ie": {runtime: "BesselIe"}, "zeta": {runtime: "Zeta"},
	"logaddexp": {runtime: "Logaddexp"}, "absorb": {runtime: "Absorb"}, "%": {runtime: "FloorMod"},
}

// FunctionOf is the function of Go that an op of floats is, "" for one that is none: of package math or of the runtime.
func FunctionOf(op ir.Op) (inMath bool, name string) {
	f := functions[ir.Facts[op].Name]
	if f.math != "" {
		return true, f.math
	}
	return false, f.runtime
}

// infix are the ops that are operators of Go.
var infix = map[ir.Op]struct {
	text string
	prec int
}{
	ir.OpAdd: {"+", precAdd}, ir.OpSub: {"-", precAdd}, ir.OpMul: {"*", precMul}, ir.OpDiv: {"/", precMul},
	ir.OpEq: {"==", precCompare}, ir.OpNe: {"!=", precCompare}, ir.OpLt: {"<", precCompare}, ir.OpLe: {"<=", precCompare},
}
