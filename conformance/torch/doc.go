// Package torch holds specs to what PyTorch gives on the samples of its own operator test database: values, gradients and
// second derivatives on the evaluator, then values and gradients of the compiled ops on each CPU path of this machine.
//
// The mapping of PyTorch's calls is a table, forms: it knows the functions, not the samples, so others of the same form
// can be run. What can't be said in opgen is listed with its reason.
package torch
