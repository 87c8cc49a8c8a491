package check_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/specs"
)

// marker is a comment that says what is wrong in the line above it, with carets below the very words:
//
//	op f[T: float](x: T[...B]) = xx
//	//                           ^^ name-unknown: `xx` is not declared; did you mean `x`?
var marker = regexp.MustCompile(`^//( *\^+| *@\d+) [a-z-]+: `)

// TestWrong checks the specs in testdata/wrong, which say beside each fault what is to be said about it.
func TestWrong(t *testing.T) {
	names, err := filepath.Glob("testdata/wrong/*.op")
	if err != nil || len(names) == 0 {
		t.Fatal("no specs", err)
	}
	total := 0
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, diags := dsl.Parse(name, src)
		if diags.HasErrors() {
			t.Errorf("%s isn't parsed: %v", name, diags.Err())
			continue
		}
		p, diags := check.Package([]*dsl.File{f})
		if err := sane(p.Name, diags); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		total += diags.Count(diag.Error)
		got := marked(src, diags)
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if !bytes.Equal(got, src) {
			golden(t, name, string(got))
		}
	}
	if total < 350 {
		t.Errorf("only %d faults", total)
	}
}

// sane checks what all diagnostics have in common.
func sane(pkg string, diags *diag.List) error {
	for _, d := range diags.All {
		if d.Code == "" || d.Code == "internal" || d.Message == "" || !d.Span.Start.IsValid() || d.Span.End.Offset < d.Span.Start.Offset {
			return fmt.Errorf("package %s: %s at %v", pkg, d.String(), d.Span)
		}
	}
	return nil
}

// marked is the source with the diagnostics in markers of their own.
func marked(src []byte, diags *diag.List) []byte {
	var lines []string
	var from []int // the number that the line has in the source
	for n, line := range strings.Split(string(src), "\n") {
		if !marker.MatchString(line) {
			lines = append(lines, line)
			from = append(from, n+1)
		}
	}
	var out []string
	for k, line := range lines {
		out = append(out, line)
		for _, d := range diags.All {
			if d.Span.Start.Line == from[k] {
				out = append(out, mark(src, d))
			}
		}
	}
	return []byte(strings.Join(out, "\n"))
}

func mark(src []byte, d diag.Diagnostic) string {
	at := fmt.Sprintf("// @%d", d.Span.Start.Col)
	if d.Span.Start.Col > 2 {
		words, _, _ := strings.Cut(string(src[d.Span.Start.Offset:d.Span.End.Offset]), "\n")
		at = "//" + strings.Repeat(" ", d.Span.Start.Col-3) + strings.Repeat("^", max(1, utf8.RuneCountInString(words)))
	}
	text := d.Code + ": " + d.Message
	if d.Hint != "" {
		text += "; " + d.Hint
	}
	for _, n := range d.Notes {
		there, _, _ := strings.Cut(string(src[n.Span.Start.Offset:n.Span.End.Offset]), "\n")
		text += fmt.Sprintf(" [%s: %s]", n.Message, there)
	}
	return at + " " + text
}

// TestMutants checks specs with a token left out, repeated or swapped with its neighbour: none may make the checker
// panic, take it for faulty, or leave out an op without a word.
func TestMutants(t *testing.T) {
	more, err := filepath.Glob("testdata/right/*.op")
	if err != nil {
		t.Fatal(err)
	}
	names := append(specFiles(t), more...)
	token := regexp.MustCompile(`[A-Za-z_0-9]+|\.\.\.?=?|[=<>!]=|->|=>|&&|\|\||\?\?|[^\sA-Za-z_0-9]`)
	rng := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range mutants {
		name := names[rng.IntN(len(names))]
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		at := token.FindAllIndex(src, -1)
		k := 2 + rng.IntN(len(at)-3)
		a, b := at[k], at[k+1]
		first, gap, second := string(src[a[0]:a[1]]), string(src[a[1]:b[0]]), string(src[b[0]:b[1]])
		middle := []string{gap + second, first + " " + first + gap + second, second + gap + first}[rng.IntN(3)]
		if rng.IntN(3) == 0 {
			other := at[rng.IntN(len(at))]
			middle = string(src[other[0]:other[1]]) + gap + second
		}
		mutant := string(src[:a[0]]) + middle + string(src[b[1]:])
		f, diags := dsl.Parse(name, []byte(mutant))
		if diags.HasErrors() {
			continue
		}
		checked++
		p, diags := specs.Config().Package(append(helpers(t, name), f))
		if err := sane(p.Name, diags); err != nil {
			t.Errorf("%v\nin %s, where %q became %q", err, name, first+gap+second, middle)
		}
		if len(p.Ops) < len(f.Ops) && !diags.HasErrors() {
			t.Errorf("%s: ops are missing without a word, where %q became %q", name, first+gap+second, middle)
		}
	}
	if checked < mutants/20 {
		t.Errorf("only %d of %d mutants were parsed", checked, mutants)
	}
}

const mutants = 250
