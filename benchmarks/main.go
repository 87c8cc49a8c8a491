// Command benchmarks measures the generated ops beside C, PyTorch and the memory limit of the machine. All of them run
// in one process and its child, in turn, so that whatever else the machine does hits all alike. Start it with
// benchmarks/run, which compiles the C first.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/opgen/opgen/runtime"
)

// Sizes of the main tables. Rows are of 1024 elements; the last size is that of 9765 rows, about ten million elements.
var sizes = []int{4096, 256 << 10, 9765 * rowWidth}

// pathSize is the number of elements in the comparison of paths.
const pathSize = 256 << 10

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "two sizes, one thread, few rounds; no time to build")
	out := flag.String("o", "", "file to write the tables into, between its markers; - prints them. Without it a full run writes ../docs/performance.md and a quick one prints")
	only := flag.String("ops", "", "measure only ops whose name contains this, and nothing else")
	rounds := flag.Int("rounds", 15, "rounds of each cell")
	python := flag.String("python", "/usr/bin/python3", "Python that has PyTorch")
	root := flag.String("root", "..", "folder of the main module")
	flags := flag.String("cflags", "", "flags that the C was compiled with, to be shown")
	budget := flag.Duration("budget", 4*time.Millisecond, "time of one contestant in one round")
	lowest := flag.Bool("lowest", false, "take the fastest round instead of the median: for a machine that does other things too")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err := runtime.PathError(); err != nil {
		return err
	}
	b := &bench{rounds: *rounds, budget: *budget, lowest: *lowest, log: os.Stderr, errors: map[string]*[columns]float64{}}
	use, threads := sizes, threadCounts()
	if *quick {
		use, threads = sizes[:2], threads[:1]
		b.rounds, b.budget = min(b.rounds, 7), min(b.budget, 2*time.Millisecond)
	}
	p := &report{command: "benchmarks/run " + strings.Join(shown(os.Args[1:]), " "), date: time.Now().Format("2006-01-02"),
		machine: thisMachine(*flags), errors: b.errors, pathsAt: pathSize}
	p.command = strings.TrimSpace(p.command)
	p.startTorch(b, *python)
	defer b.torch.stop()
	if err := p.measure(b, use, threads, *only); err != nil {
		return err
	}
	var failed error // what was measured before is worth writing
	if *only == "" {
		p.costs, failed = measureCosts(*root, 3, !*quick)
	}
	to := *out
	if to == "" && !*quick && *only == "" {
		to = *root + "/docs/performance.md"
	}
	if to == "" || to == "-" {
		_, err := os.Stdout.Write(p.markdown())
		return errors.Join(failed, err)
	}
	return errors.Join(failed, writeInto(to, p.markdown()))
}

// startTorch starts PyTorch, or says why not.
func (p *report) startTorch(b *bench, python string) {
	t, err := startTorch(python)
	if err != nil {
		p.torch = "not measured: " + err.Error()
		fmt.Fprintln(b.log, "PyTorch is", p.torch)
		return
	}
	b.torch, p.torch = t, t.version+" on Python "+output(python, "-c", "import sys; print(sys.version.split()[0])")
}

// measure runs everything but the costs of generating and building.
func (p *report) measure(b *bench, sizes, threads []int, only string) error {
	for _, n := range sizes {
		for i := range ops {
			if !strings.Contains(ops[i].name, only) {
				continue
			}
			r, err := b.cells(&ops[i], n, threads)
			if err != nil {
				return err
			}
			p.results = append(p.results, r...)
		}
	}
	if only != "" {
		return nil
	}
	var err error
	if p.paths, err = b.paths(pathSize); err != nil {
		return err
	}
	p.small, err = b.small()
	return err
}

// threadCounts are one and, where there are more cores, two.
func threadCounts() []int {
	if goruntime.NumCPU() == 1 {
		return []int{1}
	}
	return []int{1, 2}
}

// shown is arguments without those that benchmarks/run adds.
func shown(args []string) []string {
	var r []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-cflags=") {
			r = append(r, a)
		}
	}
	return r
}
