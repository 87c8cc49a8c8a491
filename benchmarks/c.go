package main

// #cgo LDFLAGS: -L${SRCDIR}/build -lbench -lgomp -lmvec -lm
// #include "c/harness.h"
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// variant is one way to compile the C. The order is that in c/harness.c; the flags are in run.
type variant struct {
	name    string
	threads bool // with OpenMP
	limit   bool // measures the memory limit: its vectors are the widest whatever the flags
}

var variants = []variant{
	{name: "256-bit vectors"},
	{name: "512-bit vectors", limit: true},
	{name: "512-bit vectors, unrolled"},
	{name: "256-bit vectors, OpenMP", threads: true},
	{name: "512-bit vectors, OpenMP", threads: true, limit: true},
	{name: "512-bit vectors, unrolled, OpenMP", threads: true},
}

// cell is the operands of a function in C, pinned for as long as it may be called.
type cell struct {
	c   C.struct_cell
	pin runtime.Pinner
}

func newCell(arrays [][]float32, rows, n, threads int) *cell {
	c := &cell{}
	for i, a := range arrays {
		p := unsafe.SliceData(a)
		c.pin.Pin(p)
		c.c.p[i] = (*C.float)(p)
	}
	c.c.rows, c.c.n, c.c.threads = C.size_t(rows), C.size_t(n/rows), C.int(threads)
	return c
}

func (c *cell) free() { c.pin.Unpin() }

// opCell is the operands of op.
func opCell(l *load, threads int) *cell {
	var arrays [][]float32
	for _, t := range slices.Concat(l.in, l.out) {
		arrays = append(arrays, data(t))
	}
	if l.op.scratch != nil {
		arrays = append(arrays, l.op.scratch(l, threads)...)
	}
	c := newCell(arrays, l.rows, l.n, threads)
	for i, v := range l.op.attrs {
		c.c.f[i] = C.float(v)
	}
	return c
}

// trafficArrays are as many arrays as op reads and writes, for the memory limit. What op changes in place is the same
// array twice.
func trafficArrays(o *op, n int) [][]float32 {
	var r [][]float32
	for k := range o.reads + o.writes {
		if i := k - o.reads; i >= 0 && o.inPlace != nil {
			r = append(r, r[o.inPlace[i]])
			continue
		}
		v := make([]float32, n)
		fill(v, k) // pages that nobody wrote to are all the same one
		r = append(r, v)
	}
	return r
}

// walks are the ways to walk memory for its limit.
var walks = []struct {
	name    string
	stream  bool // stores around the cache
	vectors int  // of a block
}{
	{"by vector", false, 1},
	{"by block", false, 4},
	{"by block, streaming", true, 4},
}

// trafficCell is the operands of the memory limit of op, for one of walks.
func trafficCell(o *op, arrays [][]float32, n, threads, walk int) *cell {
	c := newCell(arrays, 1, n, threads)
	c.c.reads, c.c.writes, c.c.block = C.int(o.reads), C.int(o.writes), C.int(walks[walk].vectors)
	if walks[walk].stream {
		c.c.stream = 1
	}
	return c
}

// bench is nanoseconds for one call of function op of a variant.
func (c *cell) bench(variant, op, calls int) float64 {
	return float64(C.bench(C.int(variant), C.int(op), &c.c, C.long(calls)))
}
