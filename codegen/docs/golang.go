package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// goAPI is what a generated file exports for an op.
type goAPI struct {
	funcs []string // signatures, in order
	attrs string   // the declaration of the attributes; "" where there are none
	field string   // how an attribute is set: Beta: new(0.5)
	shown []string // the bodies of examples
}

// apiOf reads the declarations of an op from the generated file of its spec.
func apiOf(b *codegen.Build, op *ir.OpDecl) (*goAPI, error) {
	name := strings.TrimSuffix(op.File, ".op") + "_gen.go"
	at := slices.IndexFunc(b.Out, func(f emit.File) bool { return f.Name == name })
	if at < 0 {
		return &goAPI{}, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, b.Out[at].Data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	text := func(n any) (string, error) {
		var out bytes.Buffer
		err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}).Fprint(&out, fset, n)
		return out.String(), err
	}
	main := check.GoName(op.Name)
	api := &goAPI{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			recv := ""
			if d.Recv != nil && len(d.Recv.List) > 0 {
				recv = strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*")
			}
			if !d.Name.IsExported() || !owns(main, d.Name.Name, recv) {
				continue
			}
			d.Body, d.Doc = nil, nil
			s, err := text(d)
			if err != nil {
				return nil, err
			}
			api.funcs = append(api.funcs, s)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				t, is := spec.(*ast.TypeSpec)
				if !is || t.Name.Name != main+"Attrs" {
					continue
				}
				from, to := fset.Position(d.TokPos).Offset, fset.Position(d.End()).Offset
				api.attrs = string(b.Out[at].Data[from:to])
				if s, is := t.Type.(*ast.StructType); is {
					api.field = setting(op, s)
				}
			}
		}
	}
	api.shown, err = examplesOf(b, op, main)
	return api, err
}

// examplesOf are the bodies of the functions in the test file that show how the op is called.
func examplesOf(b *codegen.Build, op *ir.OpDecl, main string) ([]string, error) {
	name := strings.TrimSuffix(op.File, ".op") + "_gen_test.go"
	at := slices.IndexFunc(b.Out, func(f emit.File) bool { return f.Name == name })
	if at < 0 {
		return nil, nil
	}
	src := b.Out[at].Data
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		of, _, _ := strings.Cut(strings.TrimPrefix(f.Name.Name, "Example"), "_")
		if of != main && of != main+"Into" {
			continue
		}
		body := string(src[fset.Position(f.Body.Lbrace).Offset+1 : fset.Position(f.Body.Rbrace).Offset])
		list = append(list, strings.ReplaceAll(strings.Trim(body, "\n"), "\n\t", "\n")[1:])
	}
	return list, nil
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}

// owns tells whether a function belongs to the op with the Go name main.
func owns(main, name, recv string) bool {
	if recv != "" {
		return recv == main
	}
	rest, is := strings.CutPrefix(name, main)
	if !is {
		return name == "New"+main
	}
	return slices.Contains([]string{"", "Into", "Slice", "SaveInto", "BackwardInto", "All"}, rest)
}

// setting shows how the first attribute with a default is set to something else.
func setting(op *ir.OpDecl, s *ast.StructType) string {
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			continue
		}
		name := f.Names[0].Name
		for _, a := range op.Attrs {
			if check.GoName(a.Name) != name || a.List != "" {
				continue
			}
			_, pointer := f.Type.(*ast.StarExpr)
			switch {
			case a.Kind == ir.AttrEnum && len(a.Enum.Words) > 1:
				word := a.Enum.Words[0]
				if word == a.Word {
					word = a.Enum.Words[1]
				}
				return name + ": " + op.Package + "." + check.GoName(a.Enum.Name) + check.GoName(word)
			case a.Kind == ir.AttrBool || a.Kind == ir.AttrKeep:
				if pointer {
					return name + ": new(false)"
				}
				return name + ": true"
			case a.Kind == ir.AttrFloat && pointer:
				return name + ": new(0.5)"
			case (a.Kind == ir.AttrInt || a.Kind == ir.AttrAxis) && pointer:
				return name + ": new(1)"
			}
		}
	}
	return ""
}
