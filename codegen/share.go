package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/amd64"
	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/codegen/emit/gocpu"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// kernelSet keeps one of equal nests.
type kernelSet struct {
	list   []*nest.Nest
	byHash map[[32]byte]*nest.Nest
	names  map[string]bool
	shared int
}

func newKernelSet() *kernelSet {
	return &kernelSet{byHash: map[[32]byte]*nest.Nest{}, names: map[string]bool{}}
}

// add gives the nest that stands for n; a new one gets a name that is unique.
func (k *kernelSet) add(n *nest.Nest) *nest.Nest {
	h := n.Hash()
	if old := k.byHash[h]; old != nil {
		k.shared++
		return old
	}
	name := n.Name
	for i := 2; k.names[n.Name]; i++ {
		n.Name = fmt.Sprintf("%s_%d", name, i)
	}
	k.names[n.Name] = true
	k.byHash[h] = n
	k.list = append(k.list, n)
	return n
}

// programs are those of a pair that exist.
func (p *Pair) programs() []*nest.Program {
	var r []*nest.Program
	for _, prog := range []*nest.Program{p.Forward, p.Backward, p.Stack} {
		if prog != nil {
			r = append(r, prog)
		}
	}
	return r
}

// runs tells whether a target runs a program of the pair: see Stack.
func (p *Pair) runs(prog *nest.Program, t Target) bool {
	switch {
	case p.Stack == nil:
		return true
	case t == CUDA:
		return prog != p.Stack
	}
	return prog != p.Forward
}

// kernels are those of a file that a target needs.
func (b *Build) kernels(file string, t Target) []*nest.Nest {
	return slices.DeleteFunc(slices.Clone(b.Kernels[file]), func(n *nest.Nest) bool { return !b.uses[t][n] })
}

// share lets equal kernels stand for each other, and some that do more for those that do less (see standIns). Kernels belong
// to the file of the first op that uses them.
func (b *Build) share() {
	b.standIns()
	set := newKernelSet()
	add := func(f *Function, p *Pair, prog *nest.Program, n *nest.Nest) *nest.Nest {
		before := len(set.list)
		n = set.add(n)
		if len(set.list) > before {
			b.Kernels[f.Op.File] = append(b.Kernels[f.Op.File], n)
		}
		for _, t := range Targets {
			if p.runs(prog, t) {
				b.uses[t][n] = true
			}
		}
		return n
	}
	portable := map[*ir.OpDecl]bool{}
	for _, f := range b.all() {
		for _, p := range f.Pairs {
			if len(p.Portable) > 0 && !portable[f.Op] {
				portable[f.Op] = true
				b.Report.Portable = append(b.Report.Portable, f.Op.Package+"."+f.Op.Name)
			}
			for _, prog := range p.programs() {
				for _, l := range prog.Launches {
					l.Nest = add(f, p, prog, l.Nest)
				}
			}
		}
	}
	for _, f := range b.all() { // after the others, which often are what is needed
		for _, p := range f.Pairs {
			for _, prog := range p.programs() {
				for _, l := range prog.Launches {
					if l.Nest.SumsBy != nil {
						continue
					}
					if sums := l.Nest.Sums(); sums != nil {
						l.Nest.SumsBy = add(f, p, prog, sums.Nest)
					}
				}
			}
		}
	}
	for _, n := range set.list {
		for _, t := range Targets {
			if n.SumsBy != nil && b.uses[t][n] {
				b.uses[t][n.SumsBy] = true
			}
		}
	}
	b.Report.Kernels, b.Report.Shared = len(set.list), set.shared
}

// emitKernels prints kernels alone, for each target: what `opgen explain` shows.
func (b *Build) emitKernels(source string, nests []*nest.Nest) ([]emit.File, error) {
	var r []emit.File
	portable, err := gocpu.Kernels(b.Package.Name, source, nests)
	if err != nil {
		return nil, err
	}
	r = append(r, portable)
	if b.Targets[AMD64] {
		asm, _, err := amd64.File(emit.Header(source), b.Package.Name, emit.RuntimePath, nests)
		if err != nil {
			return nil, err
		}
		r = append(r, emit.File{Name: strings.TrimSuffix(source, ".op") + "_gen_amd64.s", Data: asm})
	}
	if b.Targets[CUDA] {
		cu, err := cuda.File("// "+emit.Header(source), nests)
		if err != nil {
			return nil, err
		}
		r = append(r, emit.File{Name: strings.TrimSuffix(source, ".op") + "_gen.cu", Data: cu})
	}
	return r, nil
}
