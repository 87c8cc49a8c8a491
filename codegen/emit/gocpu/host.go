package gocpu

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// host writes what is computed once a call: numbers of attributes, extents and the step, in float64, and conditions of
// them.
type host struct {
	scalar func(name string) (e expr, isInt bool, err error) // an attribute, or "step"
	extent func(a *ir.Axis) (expr, error)
	read   func(v *ir.Value) (expr, error) // an element of a tensor, an integer; nil: there are none
	limit  func(v *ir.Value) (expr, error) // a number that the dtype of a call sets; nil: there are none
	// round rounds to what an element type computes in, which conditions on such numbers do; nil: the dtype isn't known.
	round    func(e ir.Elem, x expr) expr
	rounding bool
}

// hostInfix are ops that are operators of Go on float64.
var hostInfix = map[ir.Op]struct {
	text string
	prec int
}{
	ir.OpAdd: {"+", precAdd}, ir.OpSub: {"-", precAdd}, ir.OpMul: {"*", precMul}, ir.OpDiv: {"/", precMul},
}

// hostCompare are conditions on two numbers.
var hostCompare = map[ir.Op]string{ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<="}

// float writes v as a float64.
func (h *host) float(v *ir.Value) (expr, error) {
	e, err := h.unrounded(v)
	if err == nil && h.rounding && h.round != nil && v.Type.Kind == ir.Typed && v.Op != ir.OpRead {
		e = h.round(v.Type.Elem, e)
	}
	return e, err
}

func (h *host) unrounded(v *ir.Value) (expr, error) {
	if r, ok := h.ratio(v); ok && r.den != 1 && v.Op != ir.OpConst {
		return r.float(), nil
	}
	if v.Type.Kind == ir.Bool { // 1 where it holds
		c, err := h.cond(v)
		return call(runtimeFunc("Select64"), c, primary(jen.Lit(1)), primary(jen.Lit(0))), err
	}
	switch v.Op {
	case ir.OpConst:
		return hostConst(v)
	case ir.OpInf:
		return primary(jen.Qual("math", "Inf").Call(jen.Lit(1))), nil
	case ir.OpNaN:
		return primary(jen.Qual("math", "NaN").Call()), nil
	case ir.OpPi:
		return primary(jen.Qual("math", "Pi")), nil
	case ir.OpCast:
		return h.float(v.Args[0]) // computed as attributes are: in float64
	case ir.OpScalar:
		e, isInt, err := h.scalar(v.Name)
		return toFloat(e, isInt), err
	case ir.OpExtent:
		e, err := h.extent(v.Axis)
		return toFloat(e, true), err
	case ir.OpRead:
		if h.read != nil {
			e, err := h.read(v)
			return toFloat(e, true), err
		}
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		if h.limit != nil {
			return h.limit(v)
		}
	case ir.OpStop:
		return h.float(v.Args[0])
	case ir.OpSelect:
		c, err := h.cond(v.Args[0])
		if err != nil {
			return expr{}, err
		}
		a, err := h.floats(v.Args[1:])
		if err != nil {
			return expr{}, err
		}
		return call(runtimeFunc("Select64"), c, a[0], a[1]), nil
	}
	args, err := h.floats(v.Args)
	if err != nil {
		return expr{}, err
	}
	if op, ok := hostInfix[v.Op]; ok {
		e := binary(op.text, op.prec, args[0], args[1])
		if v.Op == ir.OpMul {
			e = call(jen.Id("float64"), e) // not fused with what is added
		}
		return e, nil
	}
	switch inMath, f := general.FunctionOf(v.Op); {
	case f == "":
	case inMath:
		return call(jen.Qual("math", f), args...), nil
	default:
		return call(runtimeFunc(f), args...), nil
	}
	switch v.Op {
	case ir.OpAbs:
		return call(jen.Qual("math", "Abs"), args...), nil
	case ir.OpFma:
		return call(jen.Qual("math", "FMA"), args...), nil
	case ir.OpNeg:
		return unary("-", args[0]), nil
	case ir.OpMax:
		return call(jen.Id("max"), args...), nil
	case ir.OpMin:
		return call(jen.Id("min"), args...), nil
	}
	return expr{}, fmt.Errorf("%s cannot be computed on the host", v)
}

// floats writes several. Where all are constants they get a type, or Go would compute with them exactly.
func (h *host) floats(vs []*ir.Value) ([]expr, error) {
	var list []expr
	lits := 0
	for _, v := range vs {
		e, err := h.float(v)
		if err != nil {
			return nil, err
		}
		if e.lit {
			lits++
		}
		list = append(list, e)
	}
	if lits == len(list) {
		for i := range list {
			list[i] = call(jen.Id("float64"), list[i])
		}
	}
	return list, nil
}

func toFloat(e expr, isInt bool) expr {
	if isInt {
		return call(jen.Id("float64"), e)
	}
	return e
}

// hostConst is an exact constant as the nearest float64.
func hostConst(v *ir.Value) (expr, error) {
	f, _ := v.Const.Float64()
	if math.IsInf(f, 0) {
		return expr{}, fmt.Errorf("the constant %s is too large", v.Const)
	}
	e, _ := width64.literal(f)
	return e, nil
}

// integer writes v as an int.
func (h *host) integer(v *ir.Value) (expr, error) {
	switch v.Op {
	case ir.OpConst:
		if v.Const.IsInt() && v.Const.Num().IsInt64() {
			return intLiteral(v.Const.Num().Int64()), nil
		}
	case ir.OpScalar:
		if e, isInt, err := h.scalar(v.Name); err != nil || isInt {
			return e, err
		}
	case ir.OpExtent:
		return h.extent(v.Axis)
	case ir.OpRead:
		if h.read != nil {
			return h.read(v)
		}
	case ir.OpCast:
		if k := v.Args[0].Type.Kind; k == ir.Exact || k == ir.Typed {
			return h.integer(v.Args[0])
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpMax, ir.OpMin:
		var a []expr
		for _, x := range v.Args {
			e, err := h.integer(x)
			if err != nil {
				return expr{}, err
			}
			a = append(a, e)
		}
		switch v.Op {
		case ir.OpNeg:
			return unary("-", a[0]), nil
		case ir.OpMax:
			return call(jen.Id("max"), a...), nil
		case ir.OpMin:
			return call(jen.Id("min"), a...), nil
		}
		return binary(hostInfix[v.Op].text, hostInfix[v.Op].prec, a[0], a[1]), nil
	}
	return expr{}, fmt.Errorf("%s is not computed as a whole number on the host", v)
}

// whole reports whether v can be written as an int.
func (h *host) whole(v *ir.Value) bool {
	_, err := h.integer(v)
	return err == nil
}

// cond writes a condition.
func (h *host) cond(v *ir.Value) (expr, error) {
	switch v.Op {
	case ir.OpTrue, ir.OpFalse:
		return primary(jen.Lit(v.Op == ir.OpTrue)), nil
	case ir.OpNot:
		c, err := h.cond(v.Args[0])
		return unary("!", c), err
	case ir.OpAnd, ir.OpOr:
		op, prec := "&&", precAnd
		if v.Op == ir.OpOr {
			op, prec = "||", precOr
		}
		var all expr
		for i, x := range v.Args {
			c, err := h.cond(x)
			if err != nil {
				return expr{}, err
			}
			if i == 0 {
				all = c
			} else {
				all = binary(op, prec, all, c)
			}
		}
		return all, nil
	case ir.OpIsNaN, ir.OpIsInf, ir.OpSignbit:
		e, err := h.float(v.Args[0])
		switch v.Op {
		case ir.OpIsNaN:
			return call(jen.Qual("math", "IsNaN"), e), err
		case ir.OpSignbit:
			return call(jen.Qual("math", "Signbit"), e), err
		}
		return call(jen.Qual("math", "IsInf"), e, primary(jen.Lit(0))), err
	case ir.OpSelect:
		var parts [3]expr
		for i, x := range v.Args {
			c, err := h.cond(x)
			if err != nil {
				return expr{}, err
			}
			parts[i] = c
		}
		yes := binary("&&", precAnd, parts[0], parts[1])
		return binary("||", precOr, yes, binary("&&", precAnd, unary("!", parts[0]), parts[2])), nil
	}
	op, ok := hostCompare[v.Op]
	if !ok {
		return expr{}, fmt.Errorf("%s cannot be decided on the host", v)
	}
	a, b := v.Args[0], v.Args[1]
	if a.Type.Kind == ir.Bool {
		x, err := h.cond(a)
		if err != nil {
			return expr{}, err
		}
		y, err := h.cond(b)
		return binary(op, precCompare, x, y), err
	}
	if x, ok := h.ratio(a); ok {
		if y, ok := h.ratio(b); ok && (x.den != 1 || y.den != 1) {
			x, y, _ := meet(x, y)
			return binary(op, precCompare, x, y), nil
		}
	}
	if c, ok := h.quotients(v.Op, a, b); ok {
		return c, nil
	}
	exact := *h
	exact.rounding = true
	number := exact.float
	if h.whole(a) && h.whole(b) {
		number = h.integer
	}
	x, err := number(a)
	if err != nil {
		return expr{}, err
	}
	y, err := number(b)
	return binary(op, precCompare, x, y), err
}
