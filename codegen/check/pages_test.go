package check_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl/diag"
)

// snippet is a fenced block of a page, with what the comment before it says about it:
//
//	<!-- in: SPEC -->           the block stands in SPEC in the place of …
//	<!-- wrong CODE in: SPEC --> the same, and it draws an error
//	<!-- no spec -->            it is something else
type snippet struct {
	line    int
	comment string
	text    string
}

var comment = regexp.MustCompile(`(?s)<!-- (.*?) -->`)

// snippets are the fenced blocks without a language of a page.
func snippets(t *testing.T, name string) []snippet {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var r []snippet
	parts := strings.Split(string(text), "```")
	line := 1
	for i, part := range parts {
		language, body, _ := strings.Cut(part, "\n")
		if i%2 == 1 && language == "" {
			s := snippet{line: line, text: body}
			if all := comment.FindAllStringSubmatchIndex(parts[i-1], -1); len(all) > 0 {
				if last := all[len(all)-1]; strings.TrimSpace(parts[i-1][last[1]:]) == "" {
					s.comment = parts[i-1][last[2]:last[3]]
				}
			}
			r = append(r, s)
		}
		line += strings.Count(part, "\n")
	}
	return r
}

// spec is the whole spec of a snippet and the code of the error that it draws ("": none); ok: false where it is none.
func (s snippet) spec() (text, code string, ok bool) {
	how, frame, _ := strings.Cut(s.comment, ":")
	text = s.text
	switch {
	case s.comment == "no spec":
		return "", "", false
	case strings.HasPrefix(how, "wrong "):
		code = strings.TrimSuffix(strings.TrimPrefix(how, "wrong "), " in")
	}
	if s.comment != "" {
		text = strings.Replace(frame, "…", "\n"+text, 1)
	}
	if !strings.HasPrefix(text, "package ") {
		text = "package p\n\n" + text
	}
	return text, code, true
}

// generate takes a spec through the whole pipeline.
func generate(text string) []diag.Diagnostic {
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "p", Files: []codegen.SourceFile{{Name: "p.op", Data: []byte(text)}}})
	b.Run("")
	return b.Diags.All
}

// TestPages generates code for the specs in the pages of the documentation, and checks that those which are said to be wrong are
// refused.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		page  string
		specs int
	}{{"language.md", 6}, {"writing-specs.md", 2}} {
		specs := 0
		for _, s := range snippets(t, "../../docs/"+c.page) {
			text, code, ok := s.spec()
			if !ok {
				continue
			}
			specs++
			ds := generate(text)
			if code != "" && len(ds) == 0 {
				t.Errorf("docs/%s:%d: nothing is said, want %s", c.page, s.line, code)
			}
			for _, d := range ds {
				if d.Code != code {
					t.Errorf("docs/%s:%d: %s", c.page, s.line, d.String())
				}
			}
		}
		if specs < c.specs {
			t.Errorf("docs/%s has only %d specs", c.page, specs)
		}
	}
}

var (
	functionList = regexp.MustCompile("(?s)\nElementwise: `(.*?)`")
	laterList    = regexp.MustCompile("(?s)\n- the functions `(.*?)`")
	laterSpec    = regexp.MustCompile("(?s)<!-- later: (.*?) -->")
)

// TestLater checks section 13 of docs/language.md: the spec beside each line is refused, and so is each function. A line whose spec
// isn't refused any more has to go.
func TestLater(t *testing.T) {
	text, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range laterSpec.FindAllStringSubmatch(string(text), -1) {
		if len(generate("package p\n\n"+m[1]+"\n")) == 0 {
			t.Errorf("code is generated for this, so take the line with it out of section 13 of docs/language.md:\n%s", m[1])
		}
	}
	var later []string
	if m := laterList.FindStringSubmatch(string(text)); m != nil {
		later = strings.Fields(m[1])
	}
	for _, name := range later {
		if ds := callOf(name); len(ds) == 0 {
			t.Errorf("%s is compiled, so take it out of the last line of section 13 of docs/language.md", name)
		}
	}
	functions := functionList.FindStringSubmatch(string(text))
	if functions == nil {
		t.Fatal("no list of functions")
	}
	for _, name := range strings.Fields(functions[1]) {
		if name == "has" || slices.Contains(later, name) {
			continue // has takes what may be absent
		}
		if ds := callOf(name); len(ds) > 0 {
			t.Errorf("%s: %v", name, ds)
		}
	}
}

// callOf generates code for a call of a function, with as many arguments as it takes, whether it is a number or a condition.
func callOf(name string) []diag.Diagnostic {
	if slices.Contains([]string{"lowest", "highest", "epsilon"}, name) {
		return generate("package p\nop f[T: float](x: T[...B]) -> (y: T[...B]) { y = x * " + name + "(T) }\n")
	}
	if name == "zeta" { // which has no derivative by its order
		return generate("package p\nop f[T: float](x, z: T[...B]) -> (y: T[...B]) {\n    y = zeta(x, z)\n    grad none x\n}\n")
	}
	var ds []diag.Diagnostic
	for _, args := range []string{"x", "x, z", "x, z, u"} {
		for _, body := range []string{"%s(%s)", "if %s(%s) then x else 2*x"} {
			text := fmt.Sprintf("package p\nop f[T: float](%s: T[...B]) -> (y: T[...B]) { y = "+body+" }\n", args, name, args)
			ds = generate(text)
			ofForm := slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
				return d.Code == "arg-count" || d.Code == "type-stored" || d.Code == "type-condition"
			})
			if !ofForm {
				return ds
			}
		}
	}
	return ds
}
