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
units:
	for i, u := range b.units() {
		name := strings.TrimSuffix(u.Source, ".op")
		steps := []func() ([]emit.File, error){
			func() ([]emit.File, error) { return gocpu.Files(u) },
			func() ([]emit.File, error) { return b.assembly(u, name) },
			func() ([]emit.File, error) { return b.cuda(u, name) },
			func() ([]emit.File, error) { return gocpu.Tests(u) },
		}
		for _, s := range steps {
			files, err := s()
			if err != nil {
				b.refuse(i, err)
				continue units
			}
			b.Out = append(b.Out, files...)
		}
	}
	for _, f := range b.Out {
		b.Report.Lines[targetOf(f.Name)] += f.Lines()
	}
	b.Report.Ops = len(b.Package.Ops)
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

func (b *Build) assembly(u *emit.Unit, name string) ([]emit.File, error) {
	if !u.Assembly {
		return nil, nil
	}
	asm, stubs, err := amd64.File(emit.Header(u.Source), u.Package, emit.RuntimePath, u.Kernels)
	return []emit.File{{Name: name + "_gen_amd64.s", Data: asm}, {Name: name + "_gen_stubs_amd64.go", Data: stubs}}, err
}

func (b *Build) cuda(u *emit.Unit, name string) ([]emit.File, error) {
	if !b.Targets[CUDA] || len(u.Kernels) == 0 {
		return nil, nil
	}
	text, err := cuda.File("// "+emit.Header(u.Source), u.Kernels)
	return []emit.File{{Name: u.Package + "cuda/" + name + "_gen.cu", Data: text}}, err
}

// units are the .op files of the package with what became of them.
func (b *Build) units() []*emit.Unit {
	var r []*emit.Unit
	doc := b.Package.Name
	for i, f := range b.Files {
		source := filepath.Base(f.Name)
		u := &emit.Unit{Package: b.Package.Name, ImportPath: b.Source.ImportPath, Source: source, GoName: check.GoName, Kernels: b.Kernels[source],
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
				u.Ops = append(u.Ops, b.unitOp(decl))
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

func (b *Build) unitOp(decl *ir.OpDecl) *emit.Op {
	op := &emit.Op{Decl: decl}
	for _, v := range decl.Variants {
		fn := &emit.Function{Variant: v}
		for _, f := range b.Functions {
			if f.Variant != v {
				continue
			}
			for _, p := range f.Pairs {
				pair := emit.Pair{DTypes: p.DTypes, Forward: emit.Launched(p.Forward), Backward: emit.Launched(p.Backward)}
				if p.Forward == nil {
					pair.Forward = emit.Portable(f.Forward)
				}
				if p.Backward == nil {
					pair.Backward = emit.Portable(f.Backward)
				}
				fn.Pairs = append(fn.Pairs, pair)
			}
		}
		op.Functions = append(op.Functions, fn)
	}
	return op
}

func sourceNames(b *Build) string {
	var names []string
	for _, f := range b.Files {
		names = append(names, filepath.Base(f.Name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
