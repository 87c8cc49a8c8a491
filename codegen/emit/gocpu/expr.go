package gocpu

import (
	"math"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/nest"
)

// runtimePath is the package that generated code imports.
const runtimePath = emit.RuntimePath

// Precedences of Go's operators.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precPrimary
)

// expr is a Go expression.
type expr struct {
	code jen.Code
	prec int
	size int  // operators in it
	load bool // reads memory
	lit  bool // an untyped constant
}

func primary(code jen.Code) expr { return expr{code: code, prec: precPrimary} }

func ident(name string) expr { return primary(jen.Id(name)) }

// at is e as an operand of an operator of precedence prec.
func (e expr) at(prec int) jen.Code {
	if e.prec < prec {
		return jen.Parens(e.code)
	}
	return e.code
}

func binary(op string, prec int, a, b expr) expr {
	return expr{code: jen.Add(a.at(prec)).Op(op).Add(b.at(prec + 1)), prec: prec}
}

func unary(op string, a expr) expr {
	return expr{code: jen.Op(op).Add(a.at(precUnary)), prec: precUnary}
}

func call(f jen.Code, args ...expr) expr {
	var list []jen.Code
	for _, a := range args {
		list = append(list, a.code)
	}
	return primary(jen.Add(f).Call(list...))
}

func runtimeFunc(name string) jen.Code { return jen.Qual(runtimePath, name) }

// infix are the instructions that are operators of Go.
var infix = map[nest.Op]struct {
	text string
	prec int
}{
	nest.Add: {"+", precAdd}, nest.Sub: {"-", precAdd}, nest.Mul: {"*", precMul}, nest.Div: {"/", precMul},
	nest.Lt: {"<", precCompare}, nest.Le: {"<=", precCompare}, nest.Eq: {"==", precCompare}, nest.Ne: {"!=", precCompare},
	nest.IntLt: {"<", precCompare}, nest.IntLe: {"<=", precCompare}, nest.IntEq: {"==", precCompare}, nest.IntNe: {"!=", precCompare},
	nest.And: {"&&", precAnd}, nest.Or: {"||", precOr},
	nest.BitAnd: {"&", precMul}, nest.BitOr: {"|", precAdd}, nest.BitXor: {"^", precAdd},
	nest.BitAdd: {"+", precAdd}, nest.BitSub: {"-", precAdd},
}

// rounding are the instructions that package math has for float64 and that are exact or rounded right when their
// result is converted to float32.
var rounding = map[nest.Op]string{
	nest.Sqrt: "Sqrt", nest.Floor: "Floor", nest.Ceil: "Ceil", nest.Trunc: "Trunc", nest.Round: "RoundToEven",
}

// width are the names that depend on the dtype of a nest's floats.
type width struct {
	float, bits             string // Go types
	fma, sel, abs, max, min jen.Code
	toBits, fromBits        jen.Code
	parse                   int             // bits of strconv
	floatOf, wideOf, narrow func(expr) expr // to the float type; to float64 and back
}

var width32 = width{
	float: "float32", bits: "uint32",
	fma: runtimeFunc("FMA32"), sel: runtimeFunc("Select32"), abs: runtimeFunc("Abs32"),
	max: runtimeFunc("Max32"), min: runtimeFunc("Min32"),
	toBits: jen.Qual("math", "Float32bits"), fromBits: jen.Qual("math", "Float32frombits"),
	parse:   32,
	wideOf:  func(e expr) expr { return call(jen.Id("float64"), e) },
	floatOf: func(e expr) expr { return call(jen.Id("float32"), e) },
	narrow:  func(e expr) expr { return call(jen.Id("float32"), e) },
}

var width64 = width{
	float: "float64", bits: "uint64",
	fma: jen.Qual("math", "FMA"), sel: runtimeFunc("Select64"), abs: jen.Qual("math", "Abs"),
	max: runtimeFunc("Max64"), min: runtimeFunc("Min64"),
	toBits: jen.Qual("math", "Float64bits"), fromBits: jen.Qual("math", "Float64frombits"),
	parse:   64,
	wideOf:  func(e expr) expr { return e },
	floatOf: func(e expr) expr { return call(jen.Id("float64"), e) },
	narrow:  func(e expr) expr { return e },
}

// literal is a finite constant of Go, or false where Go has none for x.
func (w *width) literal(x float64) (expr, bool) {
	if math.IsInf(x, 0) || math.IsNaN(x) || x == 0 && math.Signbit(x) {
		return expr{}, false
	}
	if w.parse == 32 {
		x = float64(float32(x))
	}
	s := strconv.FormatFloat(math.Abs(x), 'g', -1, w.parse)
	if a := math.Abs(x); a >= 1 && a < 1e15 || a == 0 {
		s = strconv.FormatFloat(a, 'f', -1, w.parse)
	}
	e := expr{code: jen.Op(s), prec: precPrimary, lit: true}
	if x < 0 {
		e = expr{code: jen.Op("-" + s), prec: precUnary, lit: true}
	}
	return e, true
}

// special is a float that has no literal.
func (w *width) special(x float64) expr {
	switch {
	case math.IsNaN(x):
		return w.floatOf(primary(jen.Qual("math", "NaN").Call()))
	case x == 0:
		return w.floatOf(primary(jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))))
	case x > 0:
		return w.floatOf(primary(jen.Qual("math", "Inf").Call(jen.Lit(1))))
	}
	return w.floatOf(primary(jen.Qual("math", "Inf").Call(jen.Lit(-1))))
}

// pure is an instruction that depends on its arguments alone, or false for others.
//
// Every product is converted to its own type: Go may fuse x*y + z into one rounding, but not across a conversion.
func (w *width) pure(v *nest.Value, a []expr) (expr, bool) {
	if op, ok := infix[v.Op]; ok {
		e := binary(op.text, op.prec, a[0], a[1])
		if v.Op == nest.Mul {
			e = w.floatOf(e)
		}
		return e, true
	}
	if f, ok := rounding[v.Op]; ok {
		return w.narrow(call(jen.Qual("math", f), w.wideOf(a[0]))), true
	}
	switch v.Op {
	case nest.Fma:
		return call(w.fma, a...), true
	case nest.Neg:
		return unary("-", a[0]), true
	case nest.Abs:
		return call(w.abs, a...), true
	case nest.Max:
		return call(w.max, a...), true
	case nest.Min:
		return call(w.min, a...), true
	case nest.Not:
		return unary("!", a[0]), true
	case nest.Select:
		if v.Type == nest.Bits {
			return call(runtimeFunc("SelectInt"), a...), true
		}
		return call(w.sel, a...), true
	case nest.IntSelect:
		return call(runtimeFunc("SelectInt"), a...), true
	case nest.AsBits:
		return call(w.toBits, a...), true
	case nest.AsFloat:
		return call(w.fromBits, a...), true
	case nest.BitShl:
		return binary("<<", precMul, a[0], primary(jen.Lit(int(v.Shift)))), true
	case nest.BitShr:
		return binary(">>", precMul, a[0], primary(jen.Lit(int(v.Shift)))), true
	}
	return expr{}, false
}
