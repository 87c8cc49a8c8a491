// Package cuda writes CUDA C from nests.
//
// A .cu file stands alone: nvcc compiles it as it is, clang compiles it without an SDK through sdkfree/cuda.h, and a C++
// compiler compiles it for the CPU through shim/cuda.h, for tests. Options that give up IEEE arithmetic, such as
// --use_fast_math, give up the promised results.
//
// How a nest is spread over threads, by its form:
//
//	vector loop only             grid-stride: each thread takes every (blocks·threads)-th element
//	grid loop                    rows are dealt to blocks; the threads of a block share the vector loop
//	Slot over Vector             per thread, then shuffles, then shared memory; all threads get the result
//	Slot over Grid               per thread, reduced over the block at the end, one partial result a block
//	Slot over Grid, Wide         a partial row a block; a thread owns its columns
//	serial loop                  in each thread, in order
//
// An element n of a row belongs to the same thread in every stage, so a stage may read what an earlier one stored
// without a barrier. Nothing is atomic: results are the same from run to run for one launch shape.
package cuda

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/opgen/opgen/codegen/nest"
)

//go:embed prelude.cu
var prelude []byte

// File returns the text of a .cu file with the kernels; header is its first line, a comment.
func File(header string, kernels []*nest.Nest) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", header)
	b.Write(prelude)
	for _, n := range kernels {
		k, err := kernel(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		b.WriteByte('\n')
		b.WriteString(k)
	}
	return b.Bytes(), nil
}

// OneBlock tells whether a nest has to be launched as one block. Without a grid loop, blocks share the vector axis; a nest
// that goes on with a reduction over it, or that stores what other threads read, needs all of it in one block.
func OneBlock(n *nest.Nest) bool {
	if hasLoop(n.Body, nest.Grid) {
		return false
	}
	for _, s := range n.Slots {
		if s.Over == nest.Vector {
			return true
		}
	}
	one := false
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		v, ok := s.(*nest.Value)
		one = one || ok && v.Op == nest.Store && readToo(n, v.Operand)
	})
	return one
}
