package gocpu

import (
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/nest"
)

// maxInline bounds the operators of an expression that is written in the place of its only use.
const maxInline = 4

// blockLanes is the number of elements that a kernel handles at a time. An input with step 0 is readable for as many.
const blockLanes = 64

// list writes a list. A value that is used once, in the same list, is written where it is used.
func (k *kernel) list(l *list) []jen.Code {
	w := &writer{k: k, l: l}
	for _, it := range l.items {
		switch {
		case it.value != nil:
			w.value(it.value)
		case it.loop != nil:
			w.flush(true)
			w.code = append(w.code, k.loopCode(it.loop, l.scope)...)
		case it.part != nil:
			w.code = append(w.code, k.partCode(it.part)...)
		}
	}
	w.flush(true)
	return w.code
}

// writer writes the values of one list.
type writer struct {
	k       *kernel
	l       *list
	code    []jen.Code
	pending []*nest.Value // written at their use, unless something comes between
}

// flush gives pending values a variable: all, or those that read memory.
func (w *writer) flush(all bool) {
	var keep []*nest.Value
	for _, v := range w.pending {
		if all || w.k.texts[v].load {
			w.declare(v, w.k.texts[v])
		} else {
			keep = append(keep, v)
		}
	}
	w.pending = keep
}

// declare writes v := e, or the store to the array where v outlives its loop over lanes.
func (w *writer) declare(v *nest.Value, e expr) {
	if arr, ok := w.k.arrays[v]; ok {
		w.code = append(w.code, jen.Id(arr).Index(jen.Id("i")).Op("=").Add(e.code))
		w.k.texts[v] = primary(jen.Id(arr).Index(jen.Id("i")))
		return
	}
	code := e.code
	if e.lit {
		code = jen.Id(w.k.typeOf(v)).Call(code)
	}
	name := w.k.names.name(w.k.hint(v))
	w.code = append(w.code, jen.Id(name).Op(":=").Add(code))
	w.k.texts[v] = ident(name)
}

func (k *kernel) typeOf(v *nest.Value) string {
	if v.Type == nest.Bits {
		return k.w.bits
	}
	return k.w.float
}

// hint is what a variable for v could be called.
func (k *kernel) hint(v *nest.Value) string {
	switch v.Op {
	case nest.Load, nest.LoadInt, nest.Gather:
		return k.operands[v.Operand] + "v"
	case nest.Lt, nest.Le, nest.Eq, nest.Ne, nest.And, nest.Or, nest.Not, nest.IntLt, nest.IntLe, nest.IntEq, nest.IntNe:
		return "c"
	case nest.AsBits, nest.BitAnd, nest.BitOr, nest.BitXor, nest.BitAdd, nest.BitSub, nest.BitShl, nest.BitShr:
		return "bits"
	}
	return "v"
}

// args takes the expressions of the arguments of v; what was pending is used up.
func (w *writer) args(v *nest.Value) []expr {
	var list []expr
	lits := 0
	for _, a := range v.Args {
		e, ok := w.k.texts[a]
		if !ok {
			w.k.fail("%s uses %s before it is computed", v.Op, a.Op)
			e = ident("_")
		}
		if e.lit {
			lits++
		}
		list = append(list, e)
		for i, p := range w.pending {
			if p == a {
				w.pending = append(w.pending[:i:i], w.pending[i+1:]...)
				break
			}
		}
	}
	// Go would compute an expression of constants without rounding; give them types.
	if lits == len(list) && lits > 0 && !v.Op.Info().Effect {
		for i, a := range v.Args {
			name := w.k.names.name("c1")
			w.code = append(w.code, jen.Id(name).Op(":=").Id(w.k.typeOf(a)).Call(list[i].code))
			list[i] = ident(name)
		}
	}
	return list
}

// value writes one statement.
func (w *writer) value(v *nest.Value) {
	k := w.k
	if _, done := k.texts[v]; done { // constants and scalars stand at the head
		return
	}
	switch v.Op {
	case nest.Store:
		e := w.args(v)[0]
		w.flush(false)
		w.code = append(w.code, k.onceARow(jen.Add(k.element(v.Operand, w.l.scope)).Op("=").Add(k.toElement(v.Operand, e)), w.l.scope))
		return
	case nest.Reduce:
		a := w.args(v)
		reduce := k.reduce(v, a, w.l.scope)
		if k.nest.Slots[v.Slot].Over == nest.Grid {
			reduce = k.onceARow(reduce, w.l.scope)
		}
		w.code = append(w.code, reduce)
		return
	case nest.Result:
		if row := k.slots[v.Slot].row; row != "" {
			k.texts[v] = ident(row)
			return
		}
	}
	e := w.expr(v)
	if w.inlined(v, e) {
		k.texts[v] = e
		w.pending = append(w.pending, v)
		return
	}
	w.declare(v, e)
}

// inlined says whether v is written at its use.
func (w *writer) inlined(v *nest.Value, e expr) bool {
	users := w.k.users[v]
	return len(users) == 1 && users[0] == w.l && e.size <= maxInline
}

// expr is the expression of a value that is not an effect.
func (w *writer) expr(v *nest.Value) expr {
	k := w.k
	args := w.args(v)
	e, ok := k.w.pure(v, args)
	if !ok {
		switch v.Op {
		case nest.Load, nest.LoadInt:
			e = k.fromElement(v.Operand, primary(k.element(v.Operand, w.l.scope)))
			e.load = true
		case nest.Gather:
			e = k.fromElement(v.Operand, primary(k.gathered(v.Operand, args[0], w.l.scope)))
			e.load = true
		case nest.Iota:
			e = binary("+", precAdd, binary("+", precAdd, primary(jen.Id("a").Dot("Lane")), ident("n")), ident("i"))
		case nest.Result:
			e = k.result(v, w.l.scope)
		default:
			k.fail("%s has no form in Go", v.Op)
		}
	}
	e.size = 1
	for _, a := range args {
		e.size += a.size
		e.load = e.load || a.load
	}
	return e
}

// constant is a float constant. One without a literal becomes a variable at the head.
func (k *kernel) constant(v *nest.Value, seen map[uint64]expr, head *[]jen.Code) expr {
	if e, ok := k.w.literal(v.Imm); ok {
		return e
	}
	bits := math.Float64bits(v.Imm)
	if e, ok := seen[bits]; ok {
		return e
	}
	hint := "inf"
	switch {
	case math.IsNaN(v.Imm):
		hint = "nan"
	case v.Imm == 0:
		hint = "minusZero"
	case v.Imm < 0:
		hint = "minusInf"
	}
	name := k.names.name(hint)
	*head = append(*head, jen.Id(name).Op(":=").Add(k.w.special(v.Imm).code))
	seen[bits] = ident(name)
	return seen[bits]
}

var goType = map[nest.DType]string{nest.F32: "float32", nest.F64: "float64", nest.I32: "int32", nest.I64: "int64"}

// toElement converts a value to the type of the elements of an operand, fromElement the reverse.
func (k *kernel) toElement(operand int, e expr) jen.Code {
	if d := k.nest.Operands[operand].DType; d == nest.I32 || d == nest.I64 {
		return jen.Id(goType[d]).Call(e.code)
	}
	return e.code
}

func (k *kernel) fromElement(operand int, e expr) expr {
	if d := k.nest.Operands[operand].DType; d == nest.I32 || d == nest.I64 {
		return call(jen.Id("int"), e)
	}
	return e
}

// element is the element of an operand at the current point: of its slice in the loop over lanes, else through
// its address.
func (k *kernel) element(operand int, sc scope) *jen.Statement {
	o := &k.nest.Operands[operand]
	if sc.lane && o.Vector {
		return jen.Id(k.operands[operand]).Index(jen.Id("i"))
	}
	return k.address(operand, k.offset(operand, sc, nil))
}

// gathered is the element of an operand in the current row at a vector index.
func (k *kernel) gathered(operand int, index expr, sc scope) *jen.Statement {
	return k.address(operand, k.offset(operand, sc, binary("-", precAdd, index, primary(jen.Id("a").Dot("Lane"))).at(precMul)))
}

func (k *kernel) address(operand int, offset jen.Code) *jen.Statement {
	return jen.Op("*").Qual(runtimePath, "At").Types(jen.Id(goType[k.nest.Operands[operand].DType])).
		Call(jen.Id("a").Dot("Ptr").Index(jen.Lit(operand)), offset)
}

// offset is where the current point lies in an operand, in elements, at vector index (nil: the start of the block).
func (k *kernel) offset(operand int, sc scope, index jen.Code) jen.Code {
	o := &k.nest.Operands[operand]
	var sum *jen.Statement
	term := func(i jen.Code, stride string) {
		t := jen.Add(i).Op("*").Id("a").Dot(stride).Index(jen.Lit(operand))
		if sum == nil {
			sum = t
		} else {
			sum = sum.Op("+").Add(t)
		}
	}
	if sc.grid && o.Grid {
		k.used["r"] = true
		term(jen.Id("r"), "Row")
	}
	switch {
	case index != nil:
		term(index, "Step")
	case sc.vector && o.Vector:
		term(jen.Id("n"), "Step")
	}
	if sc.serial && o.Serial {
		k.used["k"] = true
		term(jen.Id("k"), "KStep")
	}
	if sum == nil {
		return jen.Lit(0)
	}
	return sum
}
