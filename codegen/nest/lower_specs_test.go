package nest_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/dsl"
)

// specs are the variants of all ops of a folder of specs, by name.
func specs(t *testing.T, dir string) map[string]*pair {
	t.Helper()
	r := map[string]*pair{}
	names, err := filepath.Glob(filepath.Join(dir, "*.op"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*dsl.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, diags := dsl.Parse(filepath.Base(name), text)
		if len(diags.All) > 0 {
			t.Fatal(diags.All[0])
		}
		files = append(files, f)
	}
	pkg, diags := check.Package(files)
	if diags.HasErrors() {
		t.Fatal(diags.All[0])
	}
	for _, op := range pkg.Ops {
		for _, v := range op.Variants {
			name := op.Name
			for _, c := range v.Choices {
				switch {
				case c.Attr != "":
					name += "_" + c.Word
				case c.Present != "" && c.Holds:
					name += "_" + c.Present
				case c.Cond != nil && c.Holds:
					name += "_if"
				}
			}
			p := &pair{f: simple(t, v.Forward)}
			if !op.Update {
				g, err := grad.Reverse(v.Forward)
				if err != nil {
					t.Fatal(err)
				}
				p.g = simple(t, g)
			}
			r[name] = p
		}
	}
	return r
}

func simple(t *testing.T, f *ir.Func) *ir.Func {
	t.Helper()
	s, err := pass.Run(f, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSpecValues compares the programs of all specs with the evaluator.
func TestSpecValues(t *testing.T) {
	dirs, err := filepath.Glob("../../specs/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no specs", err)
	}
	for _, dir := range dirs {
		all := specs(t, dir)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, float := range []string{"f32", "f64"} {
				t.Run(name+"/"+float, func(t *testing.T) {
					p := *all[name]
					p.dtypes = map[string]string{"T": float, "I": "i64"}
					p.lower(t, name)
					each(len(p.f.Axes), func(sizes []int) { p.compare(t, p.f.Name, sizes) })
				})
			}
		}
	}
}
