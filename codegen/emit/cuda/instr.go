package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/nest"
)

// spelling gives the C of each instruction that is only an expression: $0, $1, $2 are the arguments.
var spelling = map[nest.Op]string{
	nest.Add:   "$0 + $1",
	nest.Sub:   "$0 - $1",
	nest.Mul:   "opgen_mul($0, $1)",
	nest.Div:   "$0 / $1",
	nest.Fma:   "opgen_fma($0, $1, $2)",
	nest.Neg:   "-$0",
	nest.Abs:   "opgen_abs($0)",
	nest.Sqrt:  "opgen_sqrt($0)",
	nest.Max:   "opgen_max($0, $1)",
	nest.Min:   "opgen_min($0, $1)",
	nest.Floor: "opgen_floor($0)",
	nest.Ceil:  "opgen_ceil($0)",
	nest.Trunc: "opgen_trunc($0)",
	nest.Round: "opgen_round($0)",

	nest.Lt:    "$0 < $1",
	nest.Le:    "$0 <= $1",
	nest.Eq:    "$0 == $1",
	nest.Ne:    "$0 != $1",
	nest.IntLt: "$0 < $1",
	nest.IntLe: "$0 <= $1",
	nest.IntEq: "$0 == $1",
	nest.IntNe: "$0 != $1",

	nest.And:       "$0 && $1",
	nest.Or:        "$0 || $1",
	nest.Not:       "!$0",
	nest.Select:    "$0 ? $1 : $2",
	nest.IntSelect: "$0 ? $1 : $2",

	nest.AsBits:  "OpgenBits<$T>::of($0)",
	nest.AsFloat: "OpgenBits<$T>::to($0)",
	nest.BitAnd:  "$0 & $1",
	nest.BitOr:   "$0 | $1",
	nest.BitXor:  "$0 ^ $1",
	nest.BitAdd:  "$0 + $1",
	nest.BitSub:  "$0 - $1",
	nest.BitShl:  "$0 << $S",
	nest.BitShr:  "$0 >> $S",
}

func (p *printer) ctypeOf(t nest.Type) string {
	switch t {
	case nest.Float:
		return p.float
	case nest.Int:
		return "long long"
	case nest.Mask:
		return "bool"
	default:
		return "OpgenBits<" + p.float + ">::U"
	}
}

func (p *printer) instr(v *nest.Value) error {
	switch v.Op {
	case nest.Store:
		p.store(v)
		return nil
	case nest.Reduce:
		return p.reduce(v)
	}
	e, err := p.expr(v)
	if err != nil {
		return err
	}
	p.line("const %s %s = %s;", p.ctypeOf(v.Type), value(v), e)
	return nil
}

// store writes an element. In uniform code all threads hold the value and one writes it; where the memory is also read,
// barriers keep that apart from the reads of the other threads.
func (p *printer) store(v *nest.Value) {
	to := fmt.Sprintf("%s[%s] = %s;", pointer(v.Operand), p.at(v.Operand), value(v.Args[0]))
	if p.depth[nest.Vector] {
		p.line("%s", to)
		return
	}
	guard := "if (threadIdx.x == 0) "
	if !p.grid {
		guard = "if (blockIdx.x == 0 && threadIdx.x == 0) "
	}
	if readToo(p.n, v.Operand) {
		p.line("__syncthreads();")
		defer p.line("__syncthreads();")
	}
	p.line("%s%s", guard, to)
}

// readToo tells whether the memory behind an operand that is stored may also be read by other threads than the one that
// stores: through a gather or in uniform code, by its own name or that of an input it may share its memory with.
func readToo(n *nest.Nest, operand int) bool {
	read := false
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		v, ok := s.(*nest.Value)
		if !ok || v.Lane || v.Op != nest.Load && v.Op != nest.Gather && v.Op != nest.LoadInt {
			return
		}
		read = read || v.Operand == operand || slices.Contains(n.Operands[operand].InPlace, v.Operand)
	})
	return read
}

func (p *printer) reduce(v *nest.Value) error {
	s := p.n.Slots[v.Slot]
	r := slot(v.Slot)
	if s.Over == nest.Grid && s.Wide {
		r = fmt.Sprintf("%s[%s]", pointer(s.Acc), p.at(s.Acc))
	} else if s.Over == nest.Serial && s.Monoid == nest.SumOf {
		r += "b"
	}
	if len(v.Args) == 2 {
		if s.Monoid != nest.SumOf {
			return fmt.Errorf("a product is reduced into a sum only")
		}
		p.line("%s = opgen_fma(%s, %s, %s);", r, value(v.Args[0]), value(v.Args[1]), r)
		return nil
	}
	p.line("%s = %s::of(%s, %s);", r, p.functor(s.Monoid), r, value(v.Args[0]))
	return nil
}

func (p *printer) expr(v *nest.Value) (string, error) {
	switch v.Op {
	case nest.Const:
		return p.constant(v.Imm), nil
	case nest.BitsConst:
		if p.n.Float == nest.F32 {
			return fmt.Sprintf("0x%xu", v.Bits), nil
		}
		return fmt.Sprintf("0x%xull", v.Bits), nil
	case nest.MaskConst:
		return strconv.FormatBool(v.Imm != 0), nil
	case nest.ScalarOf, nest.IntScalar:
		return scalar(v.Scalar), nil
	case nest.Load, nest.LoadInt:
		return fmt.Sprintf("%s[%s]", pointer(v.Operand), p.at(v.Operand)), nil
	case nest.Gather:
		i := v.Operand
		at := fmt.Sprintf("%s * a.Step[%d]", value(v.Args[0]), i)
		if p.n.Operands[i].Grid && p.depth[nest.Grid] {
			at = fmt.Sprintf("r * a.Row[%d] + %s", i, at)
		}
		return fmt.Sprintf("%s[%s]", pointer(i), at), nil
	case nest.Iota:
		return "n", nil
	case nest.Result:
		return slot(v.Slot), nil
	}
	s, ok := spelling[v.Op]
	if !ok {
		return "", fmt.Errorf("no CUDA spelling for instruction %v", v.Op)
	}
	r := []string{"$T", p.float, "$S", strconv.Itoa(int(v.Shift))}
	for i, a := range v.Args {
		r = append(r, "$"+strconv.Itoa(i), value(a))
	}
	return strings.NewReplacer(r...).Replace(s), nil
}

// formatFloat writes x exactly, always as a floating-point literal.
func formatFloat(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
