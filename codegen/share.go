package codegen

import (
	"fmt"
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
	for _, prog := range []*nest.Program{p.Forward, p.Backward} {
		if prog != nil {
			r = append(r, prog)
		}
	}
	return r
}

// share lets equal kernels stand for each other, and some that do more for those that do less (see standIns). Kernels belong
// to the file of the first op that uses them.
func (b *Build) share() {
	b.standIns()
	set := newKernelSet()
	add := func(f *Function, n *nest.Nest) *nest.Nest {
		before := len(set.list)
		n = set.add(n)
		if len(set.list) > before {
			b.Kernels[f.Op.File] = append(b.Kernels[f.Op.File], n)
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
					l.Nest = add(f, l.Nest)
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
						l.Nest.SumsBy = add(f, sums.Nest)
					}
				}
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
