package dsl

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A tree made by a program comes back from its text.
func TestFormatTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := (&trees{t: t}).file()
		out := Format(f)
		g, diags := Parse("t.op", out)
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags.Err(), out)
		}
		if d := diffTrees(f, g); d != "" {
			t.Fatalf("%s\n%s", d, out)
		}
		checkFormat(t, "t.op", out)
	})
}

// Comments may stand wherever a line may end; none is lost, and the tree stays.
func TestFormatComments(t *testing.T) {
	specs := readSpecs(t)
	var names []string
	for name := range specs {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		src := specs[rapid.SampledFrom(names).Draw(t, "file")]
		for n := rapid.IntRange(1, 8).Draw(t, "comments"); n > 0; n-- {
			tokens := scan("", src).tokens
			at := tokens[rapid.IntRange(0, len(tokens)-1).Draw(t, "token")].Pos.Offset
			text := fmt.Sprintf(" // comment %d here\n", n)
			if rapid.Bool().Draw(t, "own line") {
				text = "\n" + text
			}
			with := slices.Concat(src[:at], []byte(text), src[at:])
			if _, diags := Parse("c.op", with); !diags.HasErrors() {
				src = with
			}
		}
		checkFormat(t, "c.op", src)
	})
}

// Line ends put where they may be put don't change the tree either.
func TestFormatLines(t *testing.T) {
	specs := readSpecs(t)
	var names []string
	for name := range specs {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		src := specs[rapid.SampledFrom(names).Draw(t, "file")]
		for n := rapid.IntRange(1, 10).Draw(t, "lines"); n > 0; n-- {
			tokens := scan("", src).tokens
			at := tokens[rapid.IntRange(0, len(tokens)-1).Draw(t, "token")].Pos.Offset
			with := slices.Concat(src[:at], []byte("\n"), src[at:])
			if _, diags := Parse("c.op", with); !diags.HasErrors() {
				src = with
			}
		}
		checkFormat(t, "c.op", src)
	})
}

func TestFormatText(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"blanks", "package   p;import \"q\"\n\n\n\nfunc f( x,y )=x+y*2 // done", `package p

import "q"

func f(x, y) = x + y*2 // done
`},
		{"blocks", `package p
op f[ T:float|i32 ](x,z :T[...B,(G,C)];k:enum(none ,mean)=none)->(y:T[_]){match k{none:y=x;mean:{let a=x;y=a}}

// last
}
op g(x:T[]) { y=x }
`, `package p

op f[T: float|i32](x, z: T[...B, (G, C)]; k: enum(none, mean) = none) -> (y: T[_]) {
    match k {
        none: y = x
        mean: {
            let a = x
            y = a
        }
    }

    // last
}
op g(x: T[]) { y = x }
`},
		{"line ends", `package p
op f(x: T[B]; aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: float = 1, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: float = 2, ccccccccccccccccc: int) -> (y: T[B]) {
    y = if x > 0
        then x else
        (z
        + 1)
}
`, `package p

op f(x: T[B];
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: float = 1, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: float = 2, ccccccccccccccccc: int)
        -> (y: T[B]) {
    y = if x > 0
        then x
        else (z +
        1)
}
`},
		{"comments in odd places", `package p
func f(x) = if // behind if
x*2 > 0 then // behind then
x else // behind else
x^ // behind ^
2
op f(x // behind x
: T[ // behind [
B, C // behind C
]) // behind )
-> (y: T[B]) { y = x; z = x; // behind z
  save x, // behind ,
  z }
`, `package p

func f(x) = if // behind if
    x*2 > 0 // behind then
    then x // behind else
    else x^ // behind ^
    2
op f(x: // behind x
        T[ // behind [
        B, C // behind C
        ]) // behind )
        -> (y: T[B]) {
    y = x
    z = x // behind z
    save x, // behind ,
        z
}
`},
		{"comments", `// first

// of p
package p // behind p
// above a
enum a(x, // in a
  y)
op f(x: T[B], // the input
     z: T[B]) -> (y: T[B]) { // the block
  // before
  let a = x + // in a sum
     z // behind


  // between
  y = f(a, z // an argument
  )
  // after
} // the end
// last`, `// first

// of p
package p // behind p

// above a
enum a(x, // in a
    y)
op f(x: T[B], // the input
        z: T[B]) -> (y: T[B]) { // the block
    // before
    let a = x + // in a sum
        z // behind

    // between
    y = f(a, z // an argument
        )
    // after
} // the end
// last
`},
		{"the results of a long example", `package p

op f[T: float](x: T[...B], t: T[...B]) -> (y: T[...B]) {
    y = x*t
    example { x = [1.0000000001, 2.0000000002, 3.0000000003], t = [1, 2, 3] } => { y = [1.0000000001, 4.0000000004, 9.0000000009] }
}
`, `package p

op f[T: float](x: T[...B], t: T[...B]) -> (y: T[...B]) {
    y = x*t
    example { x = [1.0000000001, 2.0000000002, 3.0000000003], t = [1, 2, 3] }
        => { y = [1.0000000001, 4.0000000004, 9.0000000009] }
}
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, diags := FormatSource("f.op", []byte(c.src))
			if diags.HasErrors() {
				t.Fatal(diags.Err())
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Error(d)
			}
			checkFormat(t, "f.op", []byte(c.src))
		})
	}
}

// A changed doc replaces the comments that it came from, and only those.
func TestFormatChangedDoc(t *testing.T) {
	f := mustParse(t, "d.op", []byte("package p\n\n// Other.\n\n// Old\n// doc.\nfunc f(x) = x // kept\n"))
	f.Funcs[0].Doc = "New doc."
	if d := cmp.Diff("package p\n\n// Other.\n\n// New doc.\nfunc f(x) = x // kept\n", string(Format(f))); d != "" {
		t.Error(d)
	}
}

// A text with errors is left alone.
func TestFormatErrors(t *testing.T) {
	src := []byte("package p\nfunc f(x)  = )\n")
	out, diags := FormatSource("e.op", src)
	if !diags.HasErrors() || !bytes.Equal(out, src) {
		t.Errorf("%v: %s", diags, out)
	}
}

// Nesting has a limit, whatever nests; up to it all works.
func TestNesting(t *testing.T) {
	nest := func(n int, open, middle, shut string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(shut, n)
	}
	for name, make := range map[string]func(n int) string{
		"parentheses": func(n int) string { return "func f(x) = " + nest(n, "(", "x", ")") },
		"indices":     func(n int) string { return "func f(x) = " + nest(n, "x[", "0", "]") },
		"calls":       func(n int) string { return "func f(x) = " + nest(n, "f(", "x", ")") },
		"signs":       func(n int) string { return "func f(x) = " + nest(n, "-", "x", "") },
		"powers":      func(n int) string { return "func f(x) = " + nest(n, "x^", "x", "") },
		"sums":        func(n int) string { return "func f(x) = " + nest(n, "x + ", "x", "") },
		"branches":    func(n int) string { return "func f(x) = " + nest(n, "if x then x else ", "x", "") },
		"conditions":  func(n int) string { return "func f(x) = " + nest(n, "if ", "x", " then x else x") },
		"axes":        func(n int) string { return "op f(x: T[" + nest(n, "(", "A", ")") + "]) = x" },
		"blocks":      func(n int) string { return "op f(x: T[A]) " + nest(n, "{ match k { a: ", "y = x", "} }") },
		"unclosed":    func(n int) string { return "func f(x) = " + nest(n, "(", "x", "") },
		"lists":       func(n int) string { return "op f(x: T[A]) { example { x = " + nest(n, "[", "1", "]") + " } => {} }" },
	} {
		src := []byte("package p\n" + make(100))
		if _, diags := Parse("n.op", src); diags.HasErrors() != (name == "unclosed") {
			t.Errorf("%s: %v", name, diags.Err())
		}
		out, _ := FormatSource("n.op", src)
		if again, diags := FormatSource("n.op", out); len(diags.All) > 0 && name != "unclosed" || !bytes.Equal(out, again) {
			t.Errorf("%s: the canonical form isn't stable: %v", name, diags.Err())
		}
		_, diags := Parse("n.op", []byte("package p\n"+make(100_000)))
		if len(diags.All) == 0 || diags.All[0].Code != "nesting-deep" {
			t.Errorf("%s: %v", name, diags.Err())
		}
	}
}
