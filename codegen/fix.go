package codegen

import (
	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/lint"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// Fix applies the rewrites that warnings suggest to the files of a package. A package with errors comes back as it is, with these.
func Fix(s Source) ([]SourceFile, *diag.List) {
	b := New(s)
	cfg := check.Config{}
	if s.Import != nil {
		cfg.Import = b.imported
	}
	var files []lint.File
	for _, f := range s.Files {
		files = append(files, lint.File(f))
	}
	fixed, diags := lint.Fix(files, cfg, b.tree)
	r := make([]SourceFile, len(fixed))
	for i, f := range fixed {
		r[i] = SourceFile(f)
	}
	return r, diags
}

// tree is a package that was imported.
func (b *Build) tree(path string) []*dsl.File { return b.Trees[path] }
