// Package amd64 writes Go assembly from nests, for AVX2 with FMA and for AVX-512 (F, DQ, BW, VL).
//
// A kernel is made in three steps. Selection turns the statements of a nest into instructions on virtual registers,
// by the facts of one table (isa.go). Allocation maps these to the 16 YMM or 32 ZMM, opmask and general registers,
// and keeps in memory what doesn't fit: constants as operands from a pool, all else in the frame. Printing lines the
// instructions up.
//
// How the loops of a nest run:
//
//	grid           one loop over rows; each operand that moves has a row pointer
//	vector, map    blocks of a few vectors, single vectors, one masked vector
//	vector, reduce blocks of Lanes elements with the accumulators in registers, then as above with the accumulators
//	               in the frame; at the end a halving tree over the lanes
//	serial         one loop for a block of vectors; sums restart after SerialBlock steps
//
// Uniform floats fill a register with equal lanes, so uniform code is lane code. Uniform indices are in general
// registers. A lane compares indices with the width of its float: in a float32 nest that compares them, the vector
// axis must be shorter than 2^31 - 64.
package amd64

import (
	"errors"
	"fmt"

	"github.com/opgen/opgen/codegen/nest"
)

// Path is a level of the instruction set.
type Path uint8

const (
	AVX2   Path = iota // AVX2 and FMA
	AVX512             // F, DQ, BW and VL
)

// Paths lists all paths.
func Paths() []Path { return []Path{AVX2, AVX512} }

// String is the suffix of the names of kernels of a path.
func (p Path) String() string {
	if p == AVX512 {
		return "avx512"
	}
	return "avx2"
}

// Symbol is the name of the function that runs a nest on a path.
func Symbol(n *nest.Nest, p Path) string { return n.Name + "_" + p.String() }

// Kernel is the assembly of one nest for one path.
type Kernel struct {
	Name   string   // of the function
	Lines  []string // the body: instructions and labels
	Frame  int      // bytes of stack
	Consts []Const  // read-only data that Lines refer to
}

// Emit translates a nest.
func Emit(n *nest.Nest, p Path) (*Kernel, error) { return emitFor(n, newISA(p, n.Float)) }

func emitFor(n *nest.Nest, s isa) (*Kernel, error) {
	if err := n.Verify(); err != nil {
		return nil, err
	}
	fail := func(err error) (*Kernel, error) { return nil, fmt.Errorf("nest %s: %s: %w", n.Name, s.path, err) }
	g := newGen(n, s)
	g.kernel()
	if g.err != nil {
		return fail(g.err)
	}
	insts, err := g.finish()
	if err != nil {
		return fail(err)
	}
	return &Kernel{Name: Symbol(n, s.path), Lines: lines(insts), Frame: g.frame, Consts: g.pool.list()}, nil
}

var errTooFewLanes = errors.New("the virtual lanes of its reductions don't fill a register of 64 bytes")
