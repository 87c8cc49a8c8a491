package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

func build(t *testing.T, pattern string) []*codegen.Build {
	t.Helper()
	sources, err := codegen.Find([]string{pattern}, "")
	if err != nil {
		t.Fatal(err)
	}
	var r []*codegen.Build
	for _, s := range sources {
		b := codegen.New(s, codegen.Go)
		if !b.Run("") {
			t.Fatal(b.Diags.Err())
		}
		r = append(r, b)
	}
	return r
}

var links = Links{Conventions: "../../conventions.md", Language: "../../language.md", Spec: func(_ *codegen.Build, op string) string { return "../../../specs/" + op }}

// Pages of ops that show each kind of formula.
func TestGolden(t *testing.T) {
	builds := build(t, "testdata/telling")
	pages, err := Pages(builds[0], links)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"ops.md": string(Index(builds, "ops"))}
	for _, p := range pages {
		got[filepath.Base(p.Name)] = string(p.Data)
	}
	for name, text := range got {
		name = filepath.Join("testdata", "pages", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), text); d != "" {
			t.Errorf("%s: run with -update if this is right (-want +got):\n%s", name, d)
		}
	}
}

// Every page of every spec is sound: what it shows as mathematics is LaTeX that GitHub draws, nothing of the compiler's inside shows, and
// a second run gives the same bytes.
func TestAllPages(t *testing.T) {
	if testing.Short() {
		t.Skip("renders every spec")
	}
	rows := conventionRows(t)
	for _, b := range build(t, "../../specs/...") {
		pages, err := Pages(b, links)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Pages(b, links)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pages {
			text := string(p.Data)
			if text != string(again[i].Data) {
				t.Errorf("%s differs from run to run", p.Name)
			}
			for _, f := range mathOf(text) {
				if err := sound(f); err != nil {
					t.Errorf("%s: %v in\n%s", p.Name, err, f)
				}
			}
			if m := inside.FindString(outsideCode(text)); m != "" {
				t.Errorf("%s shows %q", p.Name, m)
			}
		}
		for _, f := range b.Functions {
			rangesShown(t, f.Formulas())
		}
		for _, c := range conventions {
			if !rows[c.row] {
				t.Errorf("docs/conventions.md has no row %s", c.row)
			}
		}
	}
}

// rangesShown holds every definition to what its variables run over: a range that isn't an axis of the target stands in the equation.
func rangesShown(t *testing.T, fn *ir.Func) {
	if fn == nil {
		return
	}
	w := newIRWriter(fn, map[string]bool{}, map[string]bool{})
	for _, d := range fn.Defs {
		d = tidy(d)
		text := aligned(w.definition(d))
		for _, v := range d.Vars {
			whole := slices.ContainsFunc(d.Target.Axes, func(a *ir.Axis) bool { return w.part(v, a) == "" })
			if v.Axis == nil && !whole && !strings.Contains(text, w.over(v)) {
				t.Errorf("%s: what %s runs over, %s, is missing in\n%s", fn.Name, v.Name, w.over(v), text)
			}
		}
	}
}

func conventionRows(t *testing.T) map[string]bool {
	data, err := os.ReadFile("../../docs/conventions.md")
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)`").FindAllStringSubmatch(string(data), -1) {
		r[m[1]] = true
	}
	return r
}

// inside matches what only the compiler calls so.
var inside = regexp.MustCompile(`%!?\w|<nil>|@\w|\.(ties|others)\b|\.sum\d|exact\(|real\(|invalid`)

// outsideCode is a page without its blocks of code.
func outsideCode(text string) string {
	return regexp.MustCompile("(?s)```(go)?\n.*?```").ReplaceAllString(text, "")
}

var (
	mathBlock = regexp.MustCompile("(?s)```math\n(.*?)\n *```")
	mathLine  = regexp.MustCompile("\\$`(.*?)`\\$")
)

// mathOf are the formulas of a page.
func mathOf(text string) []string {
	var r []string
	for _, re := range []*regexp.Regexp{mathBlock, mathLine} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			r = append(r, m[1])
		}
	}
	return r
}

// known are the commands that formulas use; GitHub draws all of them.
var known = func() map[string]bool {
	m := map[string]bool{}
	for _, c := range strings.Fields(`frac sqrt sum prod max min exp log sin cos tan sinh cosh tanh mathrm mathbf mathop mathbin text bar overline left right
		begin end substack le ge ne in land lor lnot cdot bmod star ast infty pi lvert rvert lVert rVert lfloor rfloor lceil rceil quad psi zeta Gamma
		alpha beta gamma delta varepsilon lambda rho theta tau sigma mu omega varphi`) {
		m[c] = true
	}
	return m
}()

// sound checks the form of a formula: braces, environments and delimiters in pairs, one script of each kind behind a symbol, and no
// commands but those that are known.
func sound(f string) error {
	var open []string
	pop := func(want string) error {
		if len(open) == 0 || open[len(open)-1] != want {
			return fmt.Errorf("something closes %s, open is %q", want, open)
		}
		open = open[:len(open)-1]
		return nil
	}
	scripts := []string{""} // scripts of the last symbol, at each depth of braces
	tokens := regexp.MustCompile(`\\[a-zA-Z]+|\\.|\s+|.`).FindAllString(f, -1)
	for i := 0; i < len(tokens); i++ {
		tok := tokens[i]
		top := len(scripts) - 1
		switch {
		case tok == "{":
			if i == 0 || tokens[i-1] != "_" && tokens[i-1] != "^" { // a symbol of its own
				scripts[top] = ""
			}
			open, scripts = append(open, "{"), append(scripts, "")
			continue
		case tok == "}":
			if err := pop("{"); err != nil {
				return err
			}
			scripts = scripts[:top]
			continue
		case tok == "_" || tok == "^":
			if strings.Contains(scripts[top], tok) {
				return fmt.Errorf("two scripts %s", tok)
			}
			if i+1 == len(tokens) || tokens[i+1] != "{" {
				return fmt.Errorf("a script without braces")
			}
			scripts[top] += tok
			continue
		case tok == "'":
			continue
		case tok == `\left`:
			open = append(open, "left")
		case tok == `\right`:
			if err := pop("left"); err != nil {
				return err
			}
		case tok == `\begin` || tok == `\end`:
			end := i + 1
			for tokens[end] != "}" {
				end++
			}
			name := strings.Join(tokens[i+2:end], "")
			if tok == `\begin` {
				open = append(open, name)
			} else if err := pop(name); err != nil {
				return err
			}
			i = end
		case tok == "&" || tok == `\\`:
			if !(len(open) > 0 && (open[len(open)-1] == "cases" || open[len(open)-1] == "aligned")) && !strings.Contains(f, `\substack`) {
				return fmt.Errorf("%s outside of an environment", tok)
			}
		case tok == "%" || tok == "#" || tok == "$" || tok == "@":
			return fmt.Errorf("%s is no mathematics", tok)
		case len(tok) > 2 && tok[0] == '\\' && !known[tok[1:]]:
			return fmt.Errorf("unknown command %s", tok)
		}
		if strings.TrimSpace(tok) != "" {
			scripts[len(scripts)-1] = ""
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%q is not closed", open)
	}
	return nil
}
