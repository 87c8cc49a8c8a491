package main

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// pathResult is one op on one path of the CPU.
type pathResult struct {
	op *op
	ns [runtime.AVX512 + 1]float64 // 0: not on this machine
}

// paths measures the ops on all paths that this machine has, on one thread.
func (b *bench) paths(n int) ([]pathResult, error) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	var results []pathResult
	for i := range ops {
		o := &ops[i]
		call := o.ours(newLoad(o, n, rowWidth))
		var list []*contestant
		for p := runtime.Generic; p <= runtime.BestPath(); p++ {
			list = append(list, &contestant{name: p.String(), time: b.calls(func(calls int) (float64, error) {
				old, err := runtime.SetPath(p)
				if err != nil {
					return 0, err
				}
				defer func() { _, _ = runtime.SetPath(old) }()
				return loop(call, calls)
			})})
		}
		if err := b.run(list); err != nil {
			return nil, err
		}
		r := pathResult{op: o}
		for p, c := range list {
			r.ns[p] = b.typical(c.times) / float64(n)
		}
		fmt.Fprintf(b.log, "%-24s generic, avx2, avx512: %.4f ns\n", o.name, r.ns)
		results = append(results, r)
	}
	return results, nil
}

// smallResult is one op called with few elements.
type smallResult struct {
	op         *op
	ns, allocs float64
}

// smallSize is the number of elements of a small call.
const smallSize = 16

// small measures what a call costs beside its work.
func (b *bench) small() ([]smallResult, error) {
	var results []smallResult
	for i := range ops {
		o := &ops[i]
		call := o.ours(newLoad(o, smallSize, smallSize))
		c := &contestant{time: b.calls(func(n int) (float64, error) { return loop(call, n) })}
		if err := b.run([]*contestant{c}); err != nil {
			return nil, err
		}
		allocs := testing.AllocsPerRun(100, func() { _ = call() })
		results = append(results, smallResult{o, b.typical(c.times), allocs})
	}
	return results, nil
}
