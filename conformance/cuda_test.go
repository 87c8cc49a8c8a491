package conformance

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/codegen/emit/cuda/shimtest"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/nest"
)

// textOps are the ops of the specs whose CUDA text the tests run, besides those of the packages below testdata.
var textOps = []string{"activation.relu", "linalg.linear", "loss.cross_entropy", "loss.mse", "loss.smooth_l1", "norm.batch_norm", "norm.layer_norm",
	"optim.momentum_sgd", "reduce.softmax"}

// cudaText is the CUDA text of the ops, compiled for the CPU. Sums over threads are added in an order of their own.
func cudaText(float string) backend {
	b := ofNests("cuda", float, func(op string) (nest.Executor, error) {
		launch, err := cudaProgram()
		if err == nil && !strings.HasPrefix(op, "conventions.") && !strings.HasPrefix(op, "faults.") && !slices.Contains(textOps, op) {
			err = fmt.Errorf("%s is none of textOps", op)
		}
		return launch, err
	})
	_, b.lacks = shimtest.Compiler()
	return b
}

// cudaProgram launches kernels of textOps and of the packages below testdata.
var cudaProgram = sync.OnceValues(func() (launch nest.Executor, err error) {
	defer caught(&err)
	var kernels []*nest.Nest
	number := map[*nest.Nest]int{}
	add := func(b *codegen.Build, all bool) {
		for _, f := range b.Functions {
			if !all && !slices.Contains(textOps, f.Op.Package+"."+f.Op.Name) {
				continue
			}
			for _, p := range f.Pairs {
				for _, prog := range []*nest.Program{p.Forward, p.Backward} {
					if prog == nil {
						continue
					}
					for _, l := range prog.Launches {
						if _, ok := number[l.Nest]; ok {
							continue
						}
						number[l.Nest] = len(kernels)
						k := *l.Nest
						k.Name = b.Package.Name + "_" + k.Name // unique over all packages
						kernels = append(kernels, &k)
					}
				}
			}
		}
	}
	for _, b := range builds(lasting{}) {
		add(b, false)
	}
	add(testBuild(lasting{}, "conventions"), true)
	add(testBuild(lasting{}, "faults"), true)
	text, err := cuda.File("// test", kernels)
	if err != nil {
		return nil, err
	}
	bin, err := shimtest.Program(lasting{}.TempDir(), text, kernels, cuda.OneBlock, "-O0")
	if err != nil {
		return nil, err
	}
	r := kerneltest.Start(lasting{}, kernels, shimtest.Paths, exec.Command(bin))
	turn := 0
	return func(l *nest.Launch, a *nest.Args) error {
		turn++
		path := shimtest.Paths[turn%len(shimtest.Paths)]
		return r.Do([]kerneltest.Job{{Path: path, Nest: number[l.Nest], Args: a}})
	}, nil
})
