package lint

import (
	"bytes"
	"slices"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// File is one file of a package.
type File struct {
	Name string
	Data []byte
}

// maxFixes bounds how many fixes are applied to a package.
const maxFixes = 10000

// Fix applies the edits of the findings in a package, one finding after another, until none is left that can be applied. After each the
// package is parsed and checked again; a fix that brings an error is taken back. Lets that nothing reads any more go away with it. A package
// with errors comes back as it is, with these.
func Fix(files []File, cfg check.Config, imported Imported) ([]File, *diag.List) {
	files = slices.Clone(files)
	state, diags := load(files, cfg, imported)
	if diags.HasErrors() {
		return files, diags
	}
	refused := map[string]bool{}
	for range maxFixes {
		k := slices.IndexFunc(state, func(f Finding) bool { return len(f.Edits) > 0 && !refused[keyOf(f, files)] })
		if k < 0 {
			break
		}
		next := apply1(files, state[k])
		next, found, ok := settle(next, cfg, imported)
		if !ok {
			refused[keyOf(state[k], files)] = true
			continue
		}
		files, state = next, found
	}
	return files, diags
}

// keyOf names a finding by its text, which other fixes don't move.
func keyOf(f Finding, files []File) string {
	k := slices.IndexFunc(files, func(x File) bool { return x.Name == f.Span.Start.File })
	return f.Code + "\x00" + string(files[k].Data[f.Span.Start.Offset:f.Span.End.Offset])
}

// apply1 gives the files with the edits of one finding.
func apply1(files []File, f Finding) []File {
	r := slices.Clone(files)
	for i := range r {
		if r[i].Name == f.Span.Start.File {
			r[i].Data = Apply(r[i].Data, f.Edits)
		}
	}
	return r
}

// Apply replaces stretches of a text that don't overlap.
func Apply(src []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(src[at:])
	return out.Bytes()
}

// load parses, checks and looks at the files of a package.
func load(files []File, cfg check.Config, imported Imported) ([]Finding, *diag.List) {
	var trees []*dsl.File
	diags := &diag.List{}
	for _, f := range files {
		tree, list := dsl.Parse(f.Name, f.Data)
		trees = append(trees, tree)
		diags.Append(list)
	}
	if diags.HasErrors() {
		return nil, diags
	}
	pkg, list := cfg.Package(trees)
	diags.Append(list)
	if diags.HasErrors() {
		return nil, diags
	}
	found := Check(trees, pkg, imported)
	ds := make([]diag.Diagnostic, len(found))
	for i, f := range found {
		ds[i] = f.Diagnostic
	}
	kept := Silence(trees, ds)
	return slices.DeleteFunc(found, func(f Finding) bool {
		return !slices.ContainsFunc(kept, func(d diag.Diagnostic) bool { return d.Code == f.Code && d.Span == f.Span })
	}), diags
}

// settle takes away the lets that a fix has left without a reader. It fails where the package has other errors.
func settle(files []File, cfg check.Config, imported Imported) ([]File, []Finding, bool) {
	for {
		found, diags := load(files, cfg, imported)
		if !diags.HasErrors() {
			return files, found, true
		}
		d := diags.All[slices.IndexFunc(diags.All, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })]
		next, ok := dropLet(files, d)
		if !ok {
			return nil, nil, false
		}
		files = next
	}
}

// dropLet takes the let away that an error calls unused, and leaves its comments.
func dropLet(files []File, d diag.Diagnostic) ([]File, bool) {
	k := slices.IndexFunc(files, func(f File) bool { return f.Name == d.Span.Start.File })
	if d.Code != "name-unused" || k < 0 {
		return nil, false
	}
	tree, _ := dsl.Parse(files[k].Name, files[k].Data)
	var let *dsl.Let
	dsl.Inspect(tree, func(n any) bool {
		if s, is := n.(*dsl.Let); is && len(s.Names) == 1 && s.Names[0].Span == d.Span {
			let = s
		}
		return true
	})
	if let == nil {
		return nil, false
	}
	src := files[k].Data
	edit := Edit{Start: let.Span.Start.Offset, End: let.Span.End.Offset}
	for _, c := range tree.Comments {
		if c.Span.Start.Offset >= edit.Start && c.Span.End.Offset <= edit.End {
			edit.Text += c.Text + "\n"
		}
	}
	for edit.Text == "" && edit.End < len(src) && bytes.IndexByte([]byte(" \t\r;"), src[edit.End]) >= 0 {
		edit.End++
	}
	if line := lineStart(src, edit.Start); edit.Text == "" && isBlank(string(src[line:edit.Start])) && (edit.End == len(src) || src[edit.End] == '\n') {
		edit.Start, edit.End = line, min(edit.End+1, len(src))
	}
	r := slices.Clone(files)
	r[k].Data = Apply(src, []Edit{edit})
	return r, true
}
