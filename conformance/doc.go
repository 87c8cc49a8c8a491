// Package conformance tests opgen where its two sides meet: the compiler, with its evaluator and its interpreter of
// nests, and the code that it wrote, on every CPU path of the machine.
//
//	torch         values and derivatives of PyTorch, in float32 and on nests too; the package of that name, which the tests
//	              beside the specs call, has the samples of all functions
//	conventions   the rows of docs/conventions.md, on every backend
//	faults        faults that other libraries had, each with its right value; docs/faults.md lists them
//	kernels       every kernel of the specs against the interpreter of nests, bit for bit
//	programs      every function of the specs, as nests, against the evaluator
//	layouts       generated functions on memory of any layout, against the nests
//	randspec      random specs over the whole language: text, values and gradients of everything, against everything;
//	              OPGEN_RANDOM_SPECS says how many, OPGEN_RANDOM_SEED where they begin
//
// A run takes about a minute; with OPGEN_HEAVY=1 it takes many more cases.
package conformance
