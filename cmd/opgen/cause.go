package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/emit"
)

// causes say why the files of a package aren't what opgen would write, a line for each spec. The text of a spec isn't in its code,
// but the comments and signatures of its Go API hold all that it says of its ops.
func causes(changes []change) []string {
	groups := map[string][]change{}
	var sources []string
	for _, ch := range changes {
		text := ch.new
		if text == nil {
			text = ch.old
		}
		source, _ := emit.Source(text)
		if groups[source] == nil {
			sources = append(sources, source)
		}
		groups[source] = append(groups[source], ch)
	}
	slices.Sort(sources)
	var r []string
	var others []string // specs that changed, for what they share with the rest of the package
	for _, s := range sources {
		text := cause(s, groups[s])
		if text != "" {
			others = append(others, s)
		}
		r = append(r, text)
	}
	for i, s := range sources {
		switch {
		case r[i] != "":
		case len(others) > 0:
			r[i] = s + ": it shares names and kernels with " + strings.Join(others, ", ")
		default:
			r[i] = s + ": it says of its ops what the code says; that was edited, or comes from another version of opgen or of what the spec imports"
		}
	}
	return r
}

// cause is why the code of one spec is as it is, "" where nothing that its code tells has changed.
func cause(source string, changes []change) string {
	kinds := map[string]bool{}
	for _, ch := range changes {
		kinds[ch.kind()] = true
	}
	switch {
	case len(kinds) == 1 && kinds["orphaned"]:
		return source + ": nothing of these files is made any more"
	case len(kinds) == 1 && kinds["missing"]:
		return source + ": not generated yet, or for fewer targets"
	}
	var names []string
	tests := true // nothing but tests differs
	targets := kinds["missing"] || kinds["orphaned"]
	for _, ch := range changes {
		if ch.old != nil && ch.new != nil && strings.HasSuffix(ch.path, "_gen.go") {
			names = append(names, differing(ch.old, ch.new)...)
		}
		if kind := ch.kind(); kind != "stale" { // there or not as a whole target is
			targets = targets && (strings.Contains(ch.path, "_amd64.") || strings.HasSuffix(ch.path, ".cu"))
		}
		tests = tests && strings.HasSuffix(filepath.ToSlash(ch.path), "_gen_test.go")
	}
	switch {
	case len(names) > 0:
		slices.Sort(names)
		return fmt.Sprintf("%s: spec and code say different things of %s", source, strings.Join(slices.Compact(names), ", "))
	case targets:
		return source + ": the code was written for other targets, or files of it were removed"
	case tests:
		return source + ": examples changed, or the tests were edited"
	}
	return ""
}

// differing are the exported functions and types whose comment or signature differs between two texts of a file.
func differing(old, new []byte) []string {
	a, b := surface(old), surface(new)
	if a == nil { // edited
		return nil
	}
	var r []string
	for name, text := range b {
		if a[name] != text {
			r = append(r, name)
		}
	}
	for name := range a {
		if _, is := b[name]; !is {
			r = append(r, name)
		}
	}
	return r
}

// surface has the comment and the signature of each exported function and type of a file; of a broken one nothing.
func surface(text []byte) map[string]string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	r := map[string]string{}
	note := func(name string, doc *ast.CommentGroup, node ast.Node) {
		var b bytes.Buffer
		if err := format.Node(&b, fset, node); err == nil && ast.IsExported(name) {
			r[name] = doc.Text() + b.String()
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				note(d.Name.Name, d.Doc, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, is := s.(*ast.TypeSpec); is {
					note(t.Name.Name, d.Doc, t)
				}
			}
		}
	}
	return r
}
