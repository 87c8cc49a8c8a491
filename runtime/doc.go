// Package runtime is what generated code runs on: tensors, calls of kernels, gradients, optimizers and the registry
// of ops. It depends on the standard library alone.
//
// Users meet [Tensor], [New], [FromSlice], [Data], [Must], [Lookup] and the errors. The rest is for generated code;
// generated.go lists it in the order in which a call uses it.
package runtime
