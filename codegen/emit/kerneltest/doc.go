// Package kerneltest compares compiled kernels with the interpreter of nests, bit for bit.
//
// Build writes a temporary module with the kernels under test and a small program around them, builds it once and
// starts it. The program is a server on its standard input and output, so any number of cases run without another
// build. Kernels of other languages are tested likewise by a program that speaks the same protocol, given to Start.
//
// # Protocol
//
// All numbers are little-endian; u32 and i64 are integers of 4 and 8 bytes, f64 is a float of 8 bytes. A request is
//
//	u32 kernel              index in the list of nests
//	u32 path                index in the list of paths
//	i64 rows, n, k          extents
//	u32 buffers             how many, then for each
//	    i64 length          in bytes
//	    bytes               the content
//	u32 operands            how many, then for each
//	    u32 buffer          index of its buffer; operands may share one
//	    i64 offset          in bytes: where the element (0, 0, 0) is
//	    i64 row, step, kstep  strides in elements
//	u32 floats, f64 …       scalars: Args.F
//	u32 ints, i64 …         scalars: Args.I
//
// and its answer
//
//	u32 status              0; anything else is an error, and then a text comes first: u32 length, bytes
//	for each buffer
//	    bytes               the content after the call
//
// Answers come in the order of the requests. The program ends when its input does. A server should put the end of each
// buffer next to memory that cannot be touched, so that an access beyond it is a crash and not a chance.
package kerneltest
