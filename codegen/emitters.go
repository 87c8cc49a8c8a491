package codegen

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/amd64"
	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/codegen/emit/gocpu"
	"github.com/opgen/opgen/codegen/ir"
)

// emit writes the files of the package: for each .op file the API and portable kernels, and beside them assembly; CUDA C
// in a folder of its own, so that programs without a GPU carry none of it.
func (b *Build) emit() {
	type made struct {
		files []emit.File
		err   error
	}
	steps := []func(*emit.Unit) ([]emit.File, error){gocpu.Files, b.assembly, b.cuda}
	units := b.units()
	out := make([]made, len(units)*len(steps))
	parallel(len(out), func(i int) {
		out[i].files, out[i].err = steps[i%len(steps)](units[i/len(steps)])
	})
	for i, m := range out {
		if m.err == nil {
			b.Out = append(b.Out, m.files...)
		} else if before := i - i%len(steps); !slices.ContainsFunc(out[before:i], func(m made) bool { return m.err != nil }) {
			b.refuse(i/len(steps), m.err) // once a unit
		}
	}
	b.Report.Ops = len(b.Package.Ops)
	b.count()
}

// refuse reports what no code can be written for, each at its op.
func (b *Build) refuse(file int, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			b.refuse(file, e)
		}
		return
	}
	if b.overLimit(err) {
		return
	}
	if u := (*emit.Unsupported)(nil); errors.As(err, &u) {
		b.Diags.Errorf(u.Op.Span, "unsupported", "%v", err)
		return
	}
	b.Diags.Errorf(b.Files[file].Span, "internal", "%v", err).Hint = "this is a fault of opgen, not of the spec"
}

func targetOf(name string) Target {
	switch path.Ext(name) {
	case ".s":
		return AMD64
	case ".cu":
		return CUDA
	}
	return Go
}

// base is what the names of a unit's files begin with.
func base(u *emit.Unit) string { return strings.TrimSuffix(u.Source, ".op") }

func (b *Build) assembly(u *emit.Unit) ([]emit.File, error) {
	name := base(u)
	if !u.Assembly {
		return nil, nil
	}
	asm, stubs, err := amd64.File(emit.Header(u.Source), u.Package, emit.RuntimePath, u.Kernels)
	return []emit.File{{Name: name + "_gen_amd64.s", Data: asm}, {Name: name + "_gen_stubs_amd64.go", Data: stubs}}, err
}

func (b *Build) cuda(u *emit.Unit) ([]emit.File, error) {
	name := base(u)
	if !b.Targets[CUDA] || len(u.Kernels) == 0 {
		return nil, nil
	}
	text, err := cuda.File("// "+emit.Header(u.Source), u.Kernels)
	return []emit.File{{Name: u.Package + "cuda/" + name + "_gen.cu", Data: text}}, err
}

// units are the .op files of the package with what became of them.
func (b *Build) units() []*emit.Unit {
	made := map[*ir.Variant]*Function{}
	for _, f := range b.Functions {
		made[f.Variant] = f
	}
	var r []*emit.Unit
	doc := b.Package.Name
	var siblings []string
	for _, decl := range b.Package.Ops {
		siblings = append(siblings, decl.Name)
	}
	for i, f := range b.Files {
		source := filepath.Base(f.Name)
		u := &emit.Unit{Package: b.Package.Name, ImportPath: b.Source.ImportPath, Source: source, GoName: check.GoName, Siblings: siblings, Kernels: b.Kernels[source],
			Assembly: b.Targets[AMD64] && len(b.Kernels[source]) > 0}
		if i == 0 {
			u.Doc = "Package " + doc + " holds ops that opgen made of the formulas in " + sourceNames(b) + "."
		}
		for _, e := range f.Enums {
			for _, d := range b.Package.Enums {
				if d.Name == e.Name.Name {
					u.Enums = append(u.Enums, d)
				}
			}
		}
		for _, decl := range b.Package.Ops {
			if decl.File == source {
				u.Ops = append(u.Ops, unitOp(decl, made))
				u.Enums = append(u.Enums, b.inlineEnums(decl)...)
			}
		}
		r = append(r, u)
	}
	return r
}

// inlineEnums are those that attributes of an op declare.
func (b *Build) inlineEnums(decl *ir.OpDecl) []*ir.EnumDecl {
	var r []*ir.EnumDecl
	for _, a := range decl.Attrs {
		if a.Enum != nil && !slices.Contains(b.Package.Enums, a.Enum) && !slices.Contains(r, a.Enum) {
			r = append(r, a.Enum)
		}
	}
	return r
}

// unitOp is an op with what was made of its variants.
func unitOp(decl *ir.OpDecl, made map[*ir.Variant]*Function) *emit.Op {
	op := &emit.Op{Decl: decl}
	for _, v := range decl.Variants {
		fn := &emit.Function{Variant: v}
		if f := made[v]; f != nil {
			fn.Pairs = f.emitted()
			for i, p := range f.Phases {
				phase := emit.Phase{Func: v.Phases[i]}
				if p != nil {
					phase.Pairs = p.emitted()
				}
				fn.Phases = append(fn.Phases, phase)
			}
		}
		op.Functions = append(op.Functions, fn)
	}
	return op
}

// emitted are the programs of a function.
func (f *Function) emitted() []emit.Pair {
	var r []emit.Pair
	for _, p := range f.Pairs {
		pair := emit.Pair{DTypes: p.DTypes, Wide: p.Wide, Forward: emit.Launched(p.Forward), Backward: emit.Launched(p.Backward), NoGrad: f.Backward != nil && p.Derivative == nil}
		if p.Forward == nil {
			pair.Forward = emit.Portable(f.Forward, f.Kept...)
		}
		if p.Backward == nil {
			pair.Backward = emit.Portable(p.Derivative)
		}
		r = append(r, pair)
	}
	return r
}

func sourceNames(b *Build) string {
	var names []string
	for _, f := range b.Files {
		names = append(names, filepath.Base(f.Name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
