package amd64

import (
	"strings"

	"github.com/opgen/opgen/codegen/nest"
)

// form is how an instruction of a nest becomes machine code; the emitter of each stands in forms.go.
type form uint8

const (
	noForm   form = iota
	dyadic        // op b, a, dst
	monadic       // op a, dst
	rounding      // op $imm, a, dst
	shift         // op $Shift, a, dst
	sign          // op const, a, dst: the constant is the sign bit, or all but it (imm 1)
	compare       // op $imm, b, a, mask
	extreme       // as the processor does it, then repaired where a is NaN
	fusedMul      // a*b + c
	logical       // of masks
	inverse       // of a mask
	choice        // a or b by a mask
	rename        // the same register
)

// fact is the table row of an instruction. In mnemonics * stands for S or D by the floats, # for D or Q likewise.
type fact struct {
	form         form
	avx2, avx512 string // avx512 empty: as avx2
	imm          int64
}

// Rounding modes, without the inexact exception.
const (
	nearest  = 8
	downward = 9
	upward   = 10
	towards0 = 11
)

// Predicates of comparisons that don't signal, and of integers.
const (
	equal     = 0
	unordered = 3
	notEqual  = 4
	less      = 17
	lessEqual = 18

	intEqual     = 0
	intLess      = 1
	intLessEqual = 2
	intNotEqual  = 4
	intGreater   = 6
)

// facts is the instruction table.
var facts = map[nest.Op]fact{
	nest.Add:  {form: dyadic, avx2: "VADDP*"},
	nest.Sub:  {form: dyadic, avx2: "VSUBP*"},
	nest.Mul:  {form: dyadic, avx2: "VMULP*"},
	nest.Div:  {form: dyadic, avx2: "VDIVP*"},
	nest.Fma:  {form: fusedMul, avx2: "VFMADD"},
	nest.Sqrt: {form: monadic, avx2: "VSQRTP*"},
	nest.Neg:  {form: sign, avx2: "VXORP*", avx512: "VPXOR#"},
	nest.Abs:  {form: sign, avx2: "VANDP*", avx512: "VPAND#", imm: 1},
	nest.Max:  {form: extreme, avx2: "VMAXP*"},
	nest.Min:  {form: extreme, avx2: "VMINP*"},

	nest.Round: {form: rounding, avx2: "VROUNDP*", avx512: "VRNDSCALEP*", imm: nearest},
	nest.Floor: {form: rounding, avx2: "VROUNDP*", avx512: "VRNDSCALEP*", imm: downward},
	nest.Ceil:  {form: rounding, avx2: "VROUNDP*", avx512: "VRNDSCALEP*", imm: upward},
	nest.Trunc: {form: rounding, avx2: "VROUNDP*", avx512: "VRNDSCALEP*", imm: towards0},

	nest.Lt: {form: compare, avx2: "VCMPP*", imm: less},
	nest.Le: {form: compare, avx2: "VCMPP*", imm: lessEqual},
	nest.Eq: {form: compare, avx2: "VCMPP*", imm: equal},
	nest.Ne: {form: compare, avx2: "VCMPP*", imm: notEqual},

	nest.And: {form: logical, avx2: "VANDP*", avx512: "KANDW"},
	nest.Or:  {form: logical, avx2: "VORP*", avx512: "KORW"},
	nest.Not: {form: inverse, avx2: "VXORP*", avx512: "KNOTW"},

	nest.Select:  {form: choice, avx2: "VBLENDVP*", avx512: "VBLENDMP*"},
	nest.AsBits:  {form: rename},
	nest.AsFloat: {form: rename},

	nest.BitAnd: {form: dyadic, avx2: "VPAND", avx512: "VPAND#"},
	nest.BitOr:  {form: dyadic, avx2: "VPOR", avx512: "VPOR#"},
	nest.BitXor: {form: dyadic, avx2: "VPXOR", avx512: "VPXOR#"},
	nest.BitAdd: {form: dyadic, avx2: "VPADD#"},
	nest.BitSub: {form: dyadic, avx2: "VPSUB#"},
	nest.BitShl: {form: shift, avx2: "VPSLL#"},
	nest.BitShr: {form: shift, avx2: "VPSRL#"},
}

// combiners are the instructions of monoids.
var combiners = [...]nest.Op{nest.SumOf: nest.Add, nest.MaxOf: nest.Max, nest.MinOf: nest.Min, nest.ProdOf: nest.Mul}

// isa is what a path and a float dtype fix.
type isa struct {
	path   Path
	size   int   // of an element
	full   width // of a vector
	lanes  int   // elements of a vector
	vregs  int   // vector registers
	gregs  int   // general registers
	suffix *strings.Replacer
}

func newISA(p Path, float nest.DType) isa {
	s := isa{path: p, size: float.Size(), full: wy, vregs: 16, gregs: len(gprNames)}
	if p == AVX512 {
		s.full, s.vregs = wz, 32
	}
	s.lanes = s.full.bytes() / s.size
	if s.size == 4 {
		s.suffix = strings.NewReplacer("*", "S", "#", "D")
	} else {
		s.suffix = strings.NewReplacer("*", "D", "#", "Q")
	}
	return s
}

func (s *isa) wide() bool { return s.path == AVX512 }

// name completes a mnemonic.
func (s *isa) name(op string) string { return s.suffix.Replace(op) }

// pick is the mnemonic of the path.
func (s *isa) pick(avx2, avx512 string) string {
	if s.wide() && avx512 != "" {
		return s.name(avx512)
	}
	return s.name(avx2)
}

// signBit is the bit pattern of -0, or of all bits but it.
func (s *isa) signBit(others bool) uint64 {
	bit := uint64(1) << (8*s.size - 1)
	if others {
		return bit - 1
	}
	return bit
}

// ones is an element of ones.
func (s *isa) ones() uint64 { return s.signBit(true)<<1 | 1 }
