package check_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/internal/specs"
)

var update = flag.Bool("update", false, "write what the tests get as what they want")

func parse(t testing.TB, names ...string) []*dsl.File {
	t.Helper()
	var files []*dsl.File
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, diags := dsl.Parse(name, src)
		if diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		files = append(files, f)
	}
	return files
}

// specFiles are the files of all specs.
func specFiles(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, family := range specs.Families(t) {
		names = append(names, specs.Names(t, family)...)
	}
	return names
}

// helpers are the files beside a spec that have no ops: what the ops of the folder share.
func helpers(t testing.TB, name string) []*dsl.File {
	t.Helper()
	var r []*dsl.File
	if !slices.Contains(specs.Families(t), filepath.Base(filepath.Dir(name))) {
		return nil
	}
	for _, f := range specs.Files(t, filepath.Base(filepath.Dir(name))) {
		if len(f.Ops) == 0 && f.Name != name {
			r = append(r, f)
		}
	}
	return r
}

// opsByName checks all specs; the result is by package and name.
func opsByName(t testing.TB) map[string]*ir.OpDecl {
	t.Helper()
	r := map[string]*ir.OpDecl{}
	for _, o := range specs.Ops(t) {
		r[o.Package+"."+o.Name] = o
	}
	return r
}

// TestExamples evaluates the examples of specs/, of which each op has at least one.
func TestExamples(t *testing.T) {
	for _, o := range specs.Ops(t) {
		if len(o.Examples) == 0 || o.Doc == "" {
			t.Errorf("%s.%s has %d examples and the documentation %q", o.Package, o.Name, len(o.Examples), o.Doc)
		}
		for _, x := range o.Examples {
			if err := evalExample(o, x); err != nil {
				t.Errorf("%v: %s.%s: %v", x.Span.Start, o.Package, o.Name, err)
			}
		}
	}
}

func evalExample(o *ir.OpDecl, x *ir.Example) error {
	inputs := map[string]*ir.Array{}
	for _, v := range x.Inputs {
		inputs[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
	}
	got, err := ir.EvalOp(o, inputs, x.Attrs, nil)
	if err != nil {
		return err
	}
	for _, v := range x.Outputs {
		if err := compare(got[v.Name], &ir.Array{Shape: v.Shape, Data: v.Data}); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return nil
}

// TestSpecs checks that every op of the specs is lowered, for all its choices, and that no word is said about any.
func TestSpecs(t *testing.T) {
	ops := opsByName(t)
	for _, family := range specs.Families(t) {
		for _, f := range specs.Files(t, family) {
			for _, o := range f.Ops {
				if ops[family+"."+o.Name.Name] == nil {
					t.Errorf("%s.%s isn't lowered", family, o.Name.Name)
				}
			}
		}
	}
}

// TestTorch compares with what PyTorch gives; see testdata/README.md.
func TestTorch(t *testing.T) {
	ops := opsByName(t)
	for _, s := range samples(t, "testdata/torch.jsonl") {
		if err := s.run(ops[s.Op]); err != nil {
			t.Errorf("%s (%s, sample %d): %v", s.Op, s.Torch, s.Sample, err)
		}
	}
}

// shown are the ops whose functions are compared with golden files: what is particular to a kind of op is among them.
var shown = map[string]string{
	"activation": "gelu glu prelu relu",
	"index":      "concat embedding embedding_bag index_add",
	"linalg":     "addmm cross linear matmul trace",
	"loss":       "cross_entropy gaussian_nll mse multi_margin multilabel_margin nll smooth_l1",
	"norm":       "group_norm layer_norm local_response_norm",
	"optim":      "lamb momentum_sgd rmsprop sgd",
	"pointwise":  "floor_divide logical_and",
	"quant":      "quantize",
	"reduce":     "argmax count_nonzero cummax diff logsumexp softmax std_mean trapezoid vector_norm",
	"rnn":        "lstm_cell",
}

// TestIR compares the functions of ops, for all their choices, with golden files.
func TestIR(t *testing.T) {
	ops := opsByName(t)
	for family, names := range shown {
		t.Run(family, func(t *testing.T) {
			var list []*ir.OpDecl
			for name := range strings.FieldsSeq(names) {
				o := ops[family+"."+name]
				if o == nil {
					t.Fatalf("%s isn't lowered", name)
				}
				list = append(list, o)
			}
			goldenIR(t, "testdata/ir/"+family+".txtar", list)
		})
	}
}

func goldenIR(t *testing.T, name string, ops []*ir.OpDecl) {
	var text strings.Builder // in the form of txtar
	for _, o := range ops {
		for _, v := range o.Variants {
			fmt.Fprintf(&text, "-- %s.%s%s --\n%s", o.Package, o.Name, choices(v), v.Forward)
		}
	}
	golden(t, name, text.String())
}

// choices is what selects a variant.
func choices(v *ir.Variant) string {
	text := ""
	for _, c := range v.Choices {
		switch {
		case c.Attr != "":
			text += ", " + c.Attr + " is " + c.Word
		case c.Present != "":
			text += ", " + map[bool]string{true: "has ", false: "without "}[c.Holds] + c.Present
		case c.Rank != "":
			text += fmt.Sprintf(", rank(%s) == %d", c.Rank, c.N)
		default:
			text += ", " + map[bool]string{true: "", false: "not "}[c.Holds] + c.Cond.String()
		}
	}
	return text
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for k := range max(len(g), len(w)) {
		at := func(list []string) string {
			if k < len(list) {
				return list[k]
			}
			return "(end)"
		}
		if at(g) != at(w) {
			t.Errorf("%s:%d: got  %s\nwant %s\nrun with -update if this is meant", name, k+1, at(g), at(w))
			return
		}
	}
}

// TestVariants checks that the choices of each op tell its variants apart: no two sets hold at once.
func TestVariants(t *testing.T) {
	ops := opsByName(t)
	for _, name := range slices.SortedFunc(maps.Keys(ops), cmp.Compare) {
		list := ops[name].Variants
		for i, v := range list {
			for _, w := range list[:i] {
				if !contradict(v.Choices, w.Choices) {
					t.Errorf("%s: variants%s and%s may both be meant", name, choices(v), choices(w))
				}
			}
		}
	}
}

func contradict(a, b []ir.Choice) bool {
	for _, x := range a {
		for _, y := range b {
			same := x.Attr == y.Attr && x.Present == y.Present && x.Rank == y.Rank && (x.Cond == nil) == (y.Cond == nil) &&
				(x.Cond == nil || x.Cond.String() == y.Cond.String())
			if same && (x.Word != y.Word || x.Holds != y.Holds || x.N != y.N) {
				return true
			}
		}
	}
	return false
}
