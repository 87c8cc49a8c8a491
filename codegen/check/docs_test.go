package check_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/specs"
)

// section is what docs/errors.md says about a code: the fenced blocks below its heading.
type section struct {
	line   int
	blocks []string
}

// errorSections reads docs/errors.md.
func errorSections(t *testing.T) map[string]*section {
	t.Helper()
	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]*section{}
	var at *section
	fenced := false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			if fenced {
				at.blocks = append(at.blocks, "")
			}
		case fenced:
			at.blocks[len(at.blocks)-1] += line + "\n"
		case strings.HasPrefix(line, "### "):
			code := strings.TrimPrefix(line, "### ")
			if r[code] != nil {
				t.Errorf("docs/errors.md:%d: %s has two sections", i+1, code)
			}
			at = &section{line: i + 1}
			r[code] = at
		}
	}
	return r
}

// withoutExample are codes whose examples don't fit on a page: too large, or no text.
var withoutExample = map[string]func() string{
	"internal":    nil,
	"unsupported": nil,
	"limit": func() string {
		var in, terms []string
		for i := range 17 {
			in = append(in, fmt.Sprintf("x%d: T[N%[1]d]", i))
			terms = append(terms, fmt.Sprintf("sum(x%d)", i))
		}
		return fmt.Sprintf("op f[T: float](%s) -> (y: T[]) { y = %s }\n", strings.Join(in, ", "), strings.Join(terms, " + "))
	},
	"lex-utf8": func() string { return "// \xff\nfunc f(x) = x\n" },
	"nesting-deep": func() string {
		return "op f[T: float](x: T[...B]) = " + strings.Repeat("(", 1000) + "x" + strings.Repeat(")", 1000) + "\n"
	},
	"op-large": func() string {
		s := "func g0(x) = x + x\n"
		for k := range 60 {
			s += fmt.Sprintf("func g%d(x) = g%d(x) * g%d(x)\n", k+1, k, k)
		}
		return s + "op f[T: float](x: T[...B]) = g60(x)\n"
	},
	"choices-many": func() string {
		var attrs, terms []string
		for k := range 10 {
			attrs = append(attrs, fmt.Sprintf("a%d: bool", k))
			terms = append(terms, fmt.Sprintf("(if a%d then x else 2*x)", k))
		}
		return "op f[T: float](x: T[...B]; " + strings.Join(attrs, ", ") + ") = " + strings.Join(terms, " + ") + "\n"
	},
}

// TestErrorPage draws every error of docs/errors.md: each example has its code, and no other.
func TestErrorPage(t *testing.T) {
	for code, s := range errorSections(t) {
		specs := s.blocks
		if f, ok := withoutExample[code]; ok {
			if len(specs) > 0 {
				t.Errorf("%s has an example", code)
			}
			if f == nil {
				continue
			}
			specs = []string{f()}
		}
		if len(specs) == 0 {
			t.Errorf("docs/errors.md:%d: %s has no example", s.line, code)
		}
		for _, d := range drawn(t, code, specs) {
			if d.Code != code {
				t.Errorf("docs/errors.md:%d: %s: %s", s.line, code, d.String())
			}
		}
	}
}

// drawn are the diagnostics of specs. Those that begin with a package clause are the files of one folder, others stand alone.
func drawn(t *testing.T, code string, specs []string) []diag.Diagnostic {
	t.Helper()
	var together []string
	var all []diag.Diagnostic
	for _, s := range specs {
		if strings.HasPrefix(s, "package ") {
			together = append(together, s)
			continue
		}
		if code != "syntax-package" {
			s = "package p\n\n" + s
		}
		all = append(all, diagnose(t, []string{s})...)
	}
	if len(together) > 0 {
		all = append(all, diagnose(t, together)...)
	}
	return all
}

// diagnose takes the files of a package through the pipeline, or through the checker where they import others.
func diagnose(t *testing.T, texts []string) []diag.Diagnostic {
	t.Helper()
	source := codegen.Source{Dir: ".", ImportPath: "p"}
	var files []*dsl.File
	imports := false
	for i, text := range texts {
		name := fmt.Sprintf("p%d.op", i)
		source.Files = append(source.Files, codegen.SourceFile{Name: name, Data: []byte(text)})
		f, _ := dsl.Parse(name, []byte(text))
		files = append(files, f)
		imports = imports || len(f.Imports) > 0
	}
	b := codegen.New(source)
	b.Run("")
	diags := b.Diags.All
	if imports && b.Package != nil {
		cfg := specs.Config()
		cfg.Import = func(path string) ([]*dsl.File, error) {
			if path == "p" {
				return files, nil
			}
			return specs.Import(path)
		}
		_, list := cfg.Package(files)
		diags = list.All
	}
	if len(diags) == 0 {
		t.Errorf("nothing is said about\n%s", strings.Join(texts, "\n"))
	}
	return diags
}

// TestErrorPageIsWhole checks that docs/errors.md has a section for each code of the sources, and for no other.
func TestErrorPageIsWhole(t *testing.T) {
	used := map[string]bool{}
	for _, root := range []string{"../../dsl", "../../codegen", "../../cmd"} {
		codesIn(t, root, used)
	}
	sections := errorSections(t)
	for _, code := range slices.Sorted(maps.Keys(used)) {
		if sections[code] == nil {
			t.Errorf("docs/errors.md has no section %s", code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(sections)) {
		if !used[code] {
			t.Errorf("docs/errors.md: no message has the code %s", code)
		}
	}
}

// reporters are functions that make a diagnostic, with the position of the code among their arguments.
var reporters = map[string]int{"Errorf": 1, "Warnf": 1, "errorf": 1, "warnf": 1, "report": 1, "bad": 1, "fail": 1}

// codesIn collects the codes that the sources below a folder give to diagnostics.
func codesIn(t *testing.T, root string, used map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if code, ok := codeOf(n); ok {
				used[code] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// codeOf is the code that a call or a field gives.
func codeOf(n ast.Node) (string, bool) {
	var e ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return "", false
		}
		at, ok := reporters[f.Sel.Name]
		if !ok || len(n.Args) < at+2 {
			return "", false
		}
		e = n.Args[at]
	case *ast.KeyValueExpr:
		if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Code" {
			e = n.Value
		}
	}
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	code, err := strconv.Unquote(l.Value)
	return code, err == nil && code != "" && !strings.ContainsAny(code, " %")
}
