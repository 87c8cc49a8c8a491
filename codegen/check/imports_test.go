package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
)

// library are packages that those of TestWrongImports import.
var library = map[string]string{
	"lib": "package lib\n\nfunc twice(x) = 2*x\nfunc over[A](x) = sum[A](x)\nenum mode(up, down)\nop half[T: float](x: T[...B]) = x/2\n" +
		"op total[T: float](x: T[N, K]) -> (y: T[N]) { y = sum[K](x) }\n",
	"deep/lib": "package lib\n\nfunc thrice(x) = 3*x\n",
	"ring":     "package ring\n\nimport \"ring2\"\n\nfunc f(x) = ring2.g(x)\n",
	"ring2":    "package ring2\n\nimport \"ring\"\n\nfunc g(x) = ring.f(x)\n",
	"broken":   "package broken\n\nfunc f(x) = \n",
}

// TestWrongImports checks messages about more than one package. « and » mark the places, in the order of the text.
func TestWrongImports(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"«import \"gone\"»\n", []string{"import-unreadable: package `gone` can't be read: there is no gone"}},
		{"«import \"broken\"»\n", []string{"import-unreadable: package `broken` can't be read: broken.op:4:1: error: expected an expression, found the end of the file [syntax-expected]"}},
		{"import \"lib\"\n«import \"deep/lib\"»\nop f[T: float](x: T[...B]) = lib.twice(x)\n", []string{"import-twice: a package `lib` is already imported [imported here: import \"lib\"]"}},
		{"«import \"lib\"»\nop f[T: float](x: T[...B]) = x\n", []string{"name-unused: package `lib` is imported and not used"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = lib.«twcie»(x)\n", []string{"name-unknown: package `lib` has no func or op `twcie`; did you mean `twice`?"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = x + «lib.twice»\n", []string{"name-qualified: only funcs and ops are taken from other packages; values of an op have plain names"}},
		{"op f[T: float](x: T[...B]) = «lib».twice(x)\n", []string{"import-missing: package `lib` is not imported; write `import \"lib\"` below the package clause"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = lib.twice«[B]»(x)\n", []string{"call-index: `twice` takes no axes [declared here: twice]"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = lib.half«[...B]»(x)\n", []string{"call-index: `half` takes no axes [declared here: half]"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = lib.«over»(x)\n", []string{"call-axes: `over` needs to know over which axes; write over[…](…) [declared here: A]"}},
		{"import \"lib\"\nop f[T: float](x: T[...B]) = «lib.twice(x, x)»\n", []string{"arg-count: `twice` takes 1 argument, not 2"}},
		{"import \"lib\"\nop f[T: float](x: T[N, K]) -> (y: T[N]) { y = 2*«lib.total(x)» }\n",
			[]string{"call-alone: the tensors of `total` aren't all of axes [...B], so its call stands alone; name its result: let h[…] = total(…) [declared here: total]"}},
		{"import \"ring\"\nop f[T: float](x: T[...B]) = ring.f(x)\n", []string{"15-28 import-cycle: packages import each other: ring -> ring2 -> ring"}},
	} {
		src, places := unmarked(c.src)
		f, diags := dsl.Parse("p.op", []byte(src))
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		cfg := &check.Config{Import: func(path string) ([]*dsl.File, error) {
			text, ok := library[path]
			if !ok {
				return nil, fmt.Errorf("there is no %s", path)
			}
			f, diags := dsl.Parse(path+".op", []byte(text))
			if err := diags.Err(); err != nil {
				return nil, errors.New(err.Error())
			}
			return []*dsl.File{f}, nil
		}}
		_, diags = cfg.Package([]*dsl.File{f})
		var got, want []string
		for _, d := range diags.All {
			text := fmt.Sprintf("%d-%d %s: %s", d.Span.Start.Offset, d.Span.End.Offset, d.Code, d.Message)
			if d.Hint != "" {
				text += "; " + d.Hint
			}
			for _, n := range d.Notes {
				there := src
				if n.Span.Start.File != "p.op" {
					there = library[strings.TrimSuffix(n.Span.Start.File, ".op")]
				}
				text += fmt.Sprintf(" [%s: %s]", n.Message, there[n.Span.Start.Offset:n.Span.End.Offset])
			}
			got = append(got, text)
		}
		for k, w := range c.want {
			if k < len(places) { // else the place is in another file
				w = fmt.Sprintf("%d-%d %s", places[k][0], places[k][1], w)
			}
			want = append(want, w)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", src, d)
		}
	}
}

// TestPackageNames checks the names that Go has no packages of.
func TestPackageNames(t *testing.T) {
	for name, wrong := range map[string]bool{"type": true, "range": true, "main": true, "init": true, "loss_test": true, "math": false, "runtime": false, "string": false, "a_b": false} {
		f, _ := dsl.Parse("p.op", []byte("package "+name+"\n\nfunc f(x) = x\n"))
		_, diags := check.Package([]*dsl.File{f})
		if got := len(diags.All) == 1 && diags.All[0].Code == "go-name" && diags.All[0].Span == f.Package.Span; got != wrong || !wrong && len(diags.All) > 0 {
			t.Errorf("package %s: %v", name, diags.Err())
		}
	}
}

// unmarked gives a package without the marks « and », and the places between them.
func unmarked(marked string) (src string, places [][2]int) {
	src = "package p\n\n"
	for k, part := range strings.Split(strings.ReplaceAll(marked, "»", "«"), "«") {
		if k%2 == 1 {
			places = append(places, [2]int{len(src), len(src) + len(part)})
		}
		src += part
	}
	return src, places
}
