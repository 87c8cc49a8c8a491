// Package conformance tests opgen where its two sides meet: the compiler, with its evaluator and its interpreter of
// nests, and the code that it wrote, on every CPU path of the machine.
//
//	torch         values and derivatives of PyTorch
//	goldens       values and derivatives of PyTorch on the evaluator, of samples that OPGEN_GOLDENS names
//	conventions   the rows of docs/conventions.md
//	faults        faults that other libraries had, each with its right value
//	kernels       every kernel of the specs against the interpreter of nests, bit for bit
//	programs      every function of the specs, as nests, against the evaluator
//	layouts       generated functions on memory of any layout, against the nests
//
// A run takes about a minute; with OPGEN_HEAVY=1 it takes many more cases.
package conformance
