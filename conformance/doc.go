// Package conformance holds tests that meet both sides of opgen: the compiler, with its evaluator and its interpreter of nests, and
// the code that it wrote, on every CPU path of the machine.
package conformance
