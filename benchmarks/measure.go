package main

import (
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/opgen/opgen/runtime"
)

// column is what a contestant counts for: of several in one column the fastest is shown.
type column int

const (
	ours column = iota
	limit
	gcc
	pytorch
	columns
)

// contestant is one that is timed.
type contestant struct {
	column column
	name   string
	time   func() (float64, error) // nanoseconds a call, from calls enough for the budget
	times  []float64
}

// result is one line of a table: nanoseconds for each column, and who was the fastest in it.
type result struct {
	op         *op
	n, threads int
	ns         [columns]float64
	best       [columns]string
	spread     float64 // of ours: the slowest round by the fastest one
}

// bench is how everything is measured.
type bench struct {
	rounds int
	budget time.Duration // of one contestant in one round
	lowest bool          // take the fastest round, not the median
	torch  *torch        // nil: not here
	log    io.Writer
	errors map[string]*[columns]float64 // greatest difference from the reference, by op
}

// rowWidth is the length of rows.
const rowWidth = 1024

// quiet is the pause between contestants: threads of the one before stop spinning meanwhile.
const quiet = 2 * time.Millisecond

// cells measures one op at one size, for each number of threads.
func (b *bench) cells(o *op, n int, threads []int) ([]result, error) {
	first := newLoad(o, n, rowWidth)
	want := o.reference(first)
	var results []result
	for _, t := range threads {
		if err := b.check(first, want, t); err != nil {
			return nil, err
		}
		r, err := b.cell(first, t)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		fmt.Fprintf(b.log, "%-24s n %8d, threads %d: %s\n", o.name, n, t, r.text())
	}
	return results, nil
}

// check runs every contestant once and compares.
func (b *bench) check(l *load, want [][]float64, threads int) error {
	worst := b.errors[l.op.name]
	if worst == nil {
		worst = new([columns]float64)
		b.errors[l.op.name] = worst
	}
	compare := func(c column, name string, got [][]float32) error {
		d, err := difference(l.op, got, want)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		worst[c] = max(worst[c], d)
		return nil
	}
	mine := l.another()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(threads))
	if err := l.op.ours(mine)(); err != nil {
		return err
	}
	if err := compare(ours, "opgen", mine.outputValues()); err != nil {
		return err
	}
	for i, v := range variants {
		if v.threads && threads == 1 {
			continue
		}
		theirs := l.another()
		c := opCell(theirs, threads)
		c.bench(i, l.op.index(), 1)
		c.free()
		if err := compare(gcc, "gcc "+v.name, theirs.outputValues()); err != nil {
			return err
		}
	}
	if b.torch == nil {
		return nil
	}
	got, err := b.torch.outputs(l, threads)
	if err != nil {
		return err
	}
	return compare(pytorch, "PyTorch", got)
}

// cell times all contestants, in rounds: each of them once in each round.
func (b *bench) cell(l *load, threads int) (result, error) {
	o := l.op
	call := o.ours(l.another())
	list := []*contestant{{column: ours, name: "opgen " + runtime.Path().String(), time: b.calls(func(n int) (float64, error) { return loop(call, n) })}}
	var cells []*cell
	defer func() {
		for _, c := range cells {
			c.free()
		}
	}()
	add := func(col column, name string, c *cell, variant, op int) {
		cells = append(cells, c)
		list = append(list, &contestant{column: col, name: name, time: b.calls(func(n int) (float64, error) { return c.bench(variant, op, n), nil })})
	}
	theirs, arrays := l.another(), trafficArrays(o, l.n)
	for i, v := range variants {
		if v.threads && threads == 1 {
			continue
		}
		add(gcc, v.name, opCell(theirs, threads), i, o.index())
		if !v.limit {
			continue
		}
		for w, walk := range walks {
			if walk.stream && (l.n < 1<<20 || o.writes == 0) {
				continue // inside the cache they are slower by far
			}
			add(limit, v.name+", "+walk.name, trafficCell(o, arrays, l.n, threads, w), i, len(ops))
		}
	}
	if b.torch != nil {
		list = append(list, &contestant{column: pytorch, name: "PyTorch", time: func() (float64, error) {
			return b.torch.time(o, l.n, threads, b.budget.Seconds())
		}})
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(threads))
	goruntime.GC()
	if err := b.run(list); err != nil {
		return result{}, err
	}
	return b.summary(o, l.n, threads, list), nil
}

// run times the contestants in rounds.
func (b *bench) run(list []*contestant) error {
	for round := range b.rounds {
		for i := range list {
			c := list[(round+i)%len(list)] // each comes first in some round
			time.Sleep(quiet)
			ns, err := c.time()
			if err != nil {
				return err
			}
			c.times = append(c.times, ns)
		}
	}
	return nil
}

// summary takes the typical round of each, and the best of each column.
func (b *bench) summary(o *op, n, threads int, list []*contestant) result {
	r := result{op: o, n: n, threads: threads}
	for _, c := range list {
		ns := b.typical(c.times)
		if r.ns[c.column] == 0 || ns < r.ns[c.column] {
			r.ns[c.column], r.best[c.column] = ns, c.name
		}
		if c.column == ours {
			r.spread = slices.Max(c.times) / slices.Min(c.times)
		}
	}
	return r
}

// typical is the time of a contestant.
func (b *bench) typical(times []float64) float64 {
	if b.lowest {
		return slices.Min(times)
	}
	return median(times)
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// calls makes a timing of a function that runs a number of calls: of as many as fill the budget.
func (b *bench) calls(f func(n int) (float64, error)) func() (float64, error) {
	n := 0
	return func() (float64, error) {
		for tries := 0; n == 0; tries++ {
			// The first calls touch memory and wake threads: they don't count.
			ns, err := f(1 << tries)
			if err != nil {
				return 0, err
			}
			if all := ns * float64(int(1)<<tries); all > float64(b.budget)/4 || tries == 16 {
				n = max(2, int(float64(b.budget)/ns))
			}
		}
		if _, err := f(1); err != nil { // what others left in the caches goes, also what they wrote and memory must take
			return 0, err
		}
		return f(n)
	}
}

// loop times calls in Go.
func loop(f func() error, calls int) (float64, error) {
	start := time.Now()
	for range calls {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(start).Nanoseconds()) / float64(calls), nil
}
