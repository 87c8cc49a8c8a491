package dsl

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/opgen/opgen/dsl/diag"
)

// sameTree compares trees apart from places and comments.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(diag.Span{}),
	cmpopts.IgnoreFields(File{}, "Name", "Comments", "Source"),
	cmpopts.EquateEmpty(),
}

// diffTrees tells how two files differ apart from places and comments; "": they don't. Comparing is left to equal where
// it finds no difference, because it is a hundred times as fast as cmp.
func diffTrees(a, b *File) string {
	if equal(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()) {
		return ""
	}
	return cmp.Diff(a, b, sameTree)
}

func equal(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			switch f := a.Type().Field(i); {
			case f.Type == reflect.TypeFor[diag.Span]():
			case a.Type() == reflect.TypeFor[File]() && (f.Name == "Name" || f.Name == "Comments" || f.Name == "Source"):
			case !equal(a.Field(i), b.Field(i)):
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}

// readSpecs gives all specs by name.
func readSpecs(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("../specs/*/*.op")
	if err != nil || len(names) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	specs := map[string][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		specs[name] = src
	}
	return specs
}

// mustParse parses a text that is known to be right.
func mustParse(t testing.TB, name string, src []byte) *File {
	t.Helper()
	f, diags := Parse(name, src)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

func commentTexts(f *File) []string {
	var list []string
	for _, c := range f.Comments {
		list = append(list, c.Text)
	}
	return list
}

// checkFormat asserts what holds of every text that parses: its canonical form has the same tree and comments, and is
// its own canonical form.
func checkFormat(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string, src []byte) {
	t.Helper()
	f, diags := Parse(name, src)
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.Err(), src)
	}
	out := Format(f)
	g, diags := Parse(name, out)
	if diags.HasErrors() {
		t.Fatalf("the canonical form doesn't parse: %v\n-- source --\n%s\n-- form --\n%s", diags.Err(), src, out)
	}
	if d := diffTrees(f, g); d != "" {
		t.Fatalf("the canonical form has another tree: %s\n-- source --\n%s\n-- form --\n%s", d, src, out)
	}
	if a, b := commentTexts(f), commentTexts(g); !slices.Equal(a, b) {
		d := cmp.Diff(a, b)
		t.Fatalf("the canonical form has other comments: %s\n-- source --\n%s\n-- form --\n%s", d, src, out)
	}
	if again := Format(g); !bytes.Equal(out, again) {
		t.Fatalf("the canonical form isn't stable: %s\n-- source --\n%s", cmp.Diff(string(out), string(again)), src)
	}
}

func TestSpecs(t *testing.T) {
	ops, want := 0, 0
	for name, src := range readSpecs(t) {
		f, diags := Parse(name, src)
		for _, d := range diags.All {
			t.Error(d)
		}
		ops += len(f.Ops)
		want += strings.Count(string(src), "\nop ") + strings.Count(string(src), "\nupdate ")
		checkFormat(t, name, src)
	}
	if ops != want {
		t.Errorf("the specs have %d ops, found %d", want, ops)
	}
}

// Files are parsed side by side.
func TestConcurrently(t *testing.T) {
	var wait sync.WaitGroup
	for name, src := range readSpecs(t) {
		for range 2 {
			wait.Go(func() {
				if _, diags := FormatSource(name, src); diags.HasErrors() {
					t.Error(diags.Err())
				}
			})
		}
	}
	wait.Wait()
}

var indent = regexp.MustCompile(`(?m)^ +`)

// Line ends and a byte order mark make no difference to the tree.
func TestLineEnds(t *testing.T) {
	for name, src := range readSpecs(t) {
		want := mustParse(t, name, src)
		crlf := []byte(byteOrderMark + strings.ReplaceAll(string(src), "\n", "\r\n"))
		got := mustParse(t, name, crlf)
		if d := diffTrees(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(commentTexts(want), commentTexts(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(string(Format(want)), string(Format(got))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		tabs := indent.ReplaceAllFunc(src, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("    "), []byte("\t")) })
		if d := diffTrees(want, mustParse(t, name, tabs)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Every place of the tree is the place of the text that it came from.
func TestPlaces(t *testing.T) {
	for name, src := range readSpecs(t) {
		f := mustParse(t, name, src)
		text := func(s diag.Span) string { return string(src[s.Start.Offset:s.End.Offset]) }
		lines := strings.Split(string(src), "\n")
		Inspect(f, func(n any) bool {
			switch n := n.(type) {
			case *Op:
				if got := text(n.Name.Span); got != n.Name.Name {
					t.Errorf("%v: the op %s stands at %q", n.Span.Start, n.Name.Name, got)
				}
				if got := text(n.Span); !strings.HasPrefix(got, "op ") && !strings.HasPrefix(got, "update ") {
					t.Errorf("%v: an op begins at %q", n.Span.Start, got)
				}
				if at := n.Span.Start; lines[at.Line-1][:3] != text(n.Span)[:3] || at.Col != 1 {
					t.Errorf("%v is not the place of op %s", at, n.Name.Name)
				}
			case *Number:
				if got := text(n.Span); got != n.Text {
					t.Errorf("%v: the number %s stands at %q", n.Span.Start, n.Text, got)
				}
			case *Binary:
				if got := text(n.OpAt); got != n.Op {
					t.Errorf("%v: the operator %s stands at %q", n.OpAt.Start, n.Op, got)
				}
				again, bad := parseExpr(text(n.Span))
				if bad != "" || cmp.Diff(Expr(n), again, sameTree) != "" {
					t.Errorf("%v: %q doesn't give the expression that stands there (%s)", n.Span.Start, text(n.Span), bad)
				}
			case Expr:
				again, bad := parseExpr(text(n.Pos()))
				if bad != "" || cmp.Diff(n, again, sameTree) != "" {
					t.Errorf("%v: %q doesn't give the expression that stands there (%s)", n.Pos().Start, text(n.Pos()), bad)
				}
			}
			return true
		})
	}
}

// parseExpr parses an expression alone, in brackets so that it may span lines.
func parseExpr(text string) (Expr, string) {
	f, diags := Parse("", []byte("package p\nfunc f() = ("+text+")\n"))
	if len(diags.All) > 0 {
		return nil, diags.All[0].String()
	}
	p, is := f.Funcs[0].Result.(*Paren)
	if !is {
		return f.Funcs[0].Result, ""
	}
	return p.X, ""
}

// shape writes an expression with all its parentheses.
func shape(e Expr) string {
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Ref:
		return e.Name.Name
	case *Binary:
		return "(" + shape(e.X) + " " + e.Op + " " + shape(e.Y) + ")"
	case *Unary:
		return "(" + e.Op + shape(e.X) + ")"
	case *Alt:
		var parts []string
		for _, x := range e.Alts {
			parts = append(parts, shape(x))
		}
		return "(" + strings.Join(parts, " ?? ") + ")"
	case *If:
		return "(if " + shape(e.Cond) + " then " + shape(e.Then) + " else " + shape(e.Else) + ")"
	case *Paren:
		return shape(e.X)
	}
	return fmt.Sprintf("%T", e)
}

func TestPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		"a + b*c":                             "(a + (b * c))",
		"a - b - c":                           "((a - b) - c)",
		"a/b*c%d":                             "(((a / b) * c) % d)",
		"-x^2":                                "(-(x ^ 2))",
		"2^-3":                                "(2 ^ (-3))",
		"a^b^c":                               "(a ^ (b ^ c))",
		"-a*b":                                "((-a) * b)",
		"!a && b || c":                        "(((!a) && b) || c)",
		"a || b && c == d + e":                "(a || (b && (c == (d + e))))",
		"a ?? b ?? -1":                        "(a ?? b ?? (-1))",
		"if a then b else c + d":              "(if a then b else (c + d))",
		"if a ?? b then c else d":             "(if (a ?? b) then c else d)",
		"(if a then b else c) + d":            "((if a then b else c) + d)",
		"a < b == true || c":                  "",
		"(a ?? b)^2 + 1":                      "(((a ?? b) ^ 2) + 1)",
		"- - a":                               "(-(-a))",
		"if a then if b then c else d else e": "(if a then (if b then c else d) else e)",
	} {
		e, bad := parseExpr(text)
		if want == "" {
			if bad == "" {
				t.Errorf("%s parses as %s", text, shape(e))
			}
			continue
		}
		if bad != "" || shape(e) != want {
			t.Errorf("%s: %s, want %s (%s)", text, shape(e), want, bad)
		}
	}
}

func TestDocs(t *testing.T) {
	f := mustParse(t, "d.op", []byte(`// About the file.

package p

// Not a doc of a.

// A is one.
//
//   indented
enum a(x) // behind

// B
// is two.
func b(x) = x
op c[T: float](x: T[...B]) = x // of c
op d[T: float](x: T[...B]) = x
`))
	got := []string{f.Enums[0].Doc, f.Funcs[0].Doc, f.Ops[0].Doc, f.Ops[1].Doc}
	want := []string{"A is one.\n\n  indented", "B\nis two.", "", ""}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// generated gives a file of about so many lines.
func generated(lines int) []byte {
	var b bytes.Buffer
	b.WriteString("package big\n")
	for i := 0; i*10 < lines; i++ {
		fmt.Fprintf(&b, `
// Op%d is one of many.
op op%d[T: float](x: T[...B, I], w: T[O, I], b?: T[O]; eps: float = 1e-5, mode: enum(none, mean) = none) -> (y: T[...B, O]) {
    require eps > 0 else "eps must be positive" // why
    let z = sum[I](x * w) + (b ?? 0)
    let e[..b, o] = if z[..b, o] > eps then exp(z[..b, o] - max[O](z)) else z[..b, o]^2 / (1 + eps)
    match mode { none: y = e; mean: y = e / sum[O](e) }
    example { x = [0, 2], w = [[1, 2]] } => { y = [0.5] }
}
`, i, i)
	}
	return b.Bytes()
}

// The work to parse a file grows as the file does: what is allocated for a line doesn't depend on how many there are.
func TestLinear(t *testing.T) {
	work := func(lines int) float64 {
		src := generated(lines)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mustParse(t, "big.op", src)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(lines)
	}
	work(100) // what is made once
	if few, many := work(2000), work(20000); many > 1.5*few {
		t.Errorf("%.0f bytes a line of 2,000, %.0f of 20,000", few, many)
	}
}

func BenchmarkParse(b *testing.B) {
	src := generated(20000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, diags := Parse("big.op", src); diags.HasErrors() {
			b.Fatal(diags.Err())
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	src := generated(20000)
	f, _ := Parse("big.op", src)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Format(f)
	}
}

// TestDirectives checks that comments for opgen are no documentation.
func TestDirectives(t *testing.T) {
	src := "package p\n\n// F doubles.\n// opgen:ignore lint-log1p\nfunc f(x) = 2*x\n"
	f, diags := Parse("p.op", []byte(src))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	if f.Funcs[0].Doc != "F doubles." {
		t.Errorf("the documentation is %q", f.Funcs[0].Doc)
	}
	if out := string(Format(f)); out != src {
		t.Errorf("formatted:\n%s", out)
	}
}
