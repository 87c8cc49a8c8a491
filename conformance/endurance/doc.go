// Package endurance tests generated ops over time: that memory is used again and nothing leaks over a million calls, that
// results have the same bits for any number of threads, and that a long kernel doesn't keep others waiting.
//
// With OPGEN_HEAVY=1 the tests run at full size.
package endurance
