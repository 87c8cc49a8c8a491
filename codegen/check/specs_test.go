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

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

var update = flag.Bool("update", false, "write what the tests get as what they want")

const corpus = "../../dsl/testdata/specs"

// families are the packages of specs/.
var families = []string{"activation", "linalg", "loss", "norm", "optim", "reduce"}

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

// checkSpecs checks a package of specs/, which must be free of errors.
func checkSpecs(t testing.TB, family string) *ir.Package {
	t.Helper()
	names, err := filepath.Glob("../../specs/" + family + "/*.op")
	if err != nil || len(names) == 0 {
		t.Fatalf("no specs of %s: %v", family, err)
	}
	p, diags := check.Package(parse(t, names...))
	for _, d := range diags.All {
		t.Error(d.String())
	}
	return p
}

// corpusConfig imports from the corpus.
func corpusConfig(t testing.TB) *check.Config {
	return &check.Config{Import: func(path string) ([]*dsl.File, error) {
		name := filepath.Join(corpus, path+".op")
		if _, err := os.Stat(name); err != nil {
			return nil, err
		}
		return parse(t, name), nil
	}}
}

// checkCorpus checks the packages of the language's test corpus, one a file. The result is by package and name.
func checkCorpus(t testing.TB) (ops map[string]*ir.OpDecl, total []string, diags *diag.List) {
	t.Helper()
	names, err := filepath.Glob(corpus + "/*.op")
	if err != nil {
		t.Fatal(err)
	}
	cfg := corpusConfig(t)
	ops, diags = map[string]*ir.OpDecl{}, &diag.List{}
	for _, name := range names {
		files := parse(t, name)
		p, list := cfg.Package(files)
		diags.Append(list)
		for _, o := range files[0].Ops {
			total = append(total, p.Name+"."+o.Name.Name)
		}
		for _, o := range p.Ops {
			ops[p.Name+"."+o.Name] = o
		}
	}
	return ops, total, diags
}

// TestExamples evaluates the examples of specs/, of which each op has at least one.
func TestExamples(t *testing.T) {
	for _, family := range families {
		for _, o := range checkSpecs(t, family).Ops {
			if len(o.Examples) == 0 || o.Doc == "" {
				t.Errorf("%s.%s has %d examples and the documentation %q", family, o.Name, len(o.Examples), o.Doc)
			}
			for _, x := range o.Examples {
				if err := evalExample(o, x); err != nil {
					t.Errorf("%v: %s.%s: %v", x.Span.Start, family, o.Name, err)
				}
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

// TestCorpus checks all ops of the corpus. What the compiler doesn't lower is said so, and nothing else is said.
func TestCorpus(t *testing.T) {
	ops, total, diags := checkCorpus(t)
	for _, d := range diags.All {
		if d.Code != "unsupported" {
			t.Error(d.String())
		}
	}
	var refused []string
	for _, name := range total {
		if ops[name] == nil {
			refused = append(refused, name)
		}
	}
	text := fmt.Sprintf("# %d of %d ops are lowered. The others, with what they want:\n", len(ops), len(total))
	for _, name := range refused {
		text += name + "\n"
	}
	text += "\n"
	for _, d := range diags.All {
		text += strings.TrimPrefix(d.String(), corpus+"/") + "\n"
	}
	golden(t, "testdata/refused.txt", text)
}

// TestTorch compares with what PyTorch gives; see testdata/README.md.
func TestTorch(t *testing.T) {
	ops, _, _ := checkCorpus(t)
	for _, family := range families {
		for _, o := range checkSpecs(t, family).Ops {
			ops[family+"."+o.Name] = o // what is in specs/ rather than its first draft
		}
	}
	for _, s := range samples(t, "testdata/torch.jsonl") {
		if err := s.run(ops[s.Op]); err != nil {
			t.Errorf("%s (%s, sample %d): %v", s.Op, s.Torch, s.Sample, err)
		}
	}
}

// TestIR compares the functions of ops, for all their choices, with golden files.
func TestIR(t *testing.T) {
	for _, family := range families {
		t.Run(family, func(t *testing.T) { goldenIR(t, "testdata/ir/"+family+".txtar", checkSpecs(t, family).Ops) })
	}
	t.Run("corpus", func(t *testing.T) {
		ops, _, _ := checkCorpus(t)
		var list []*ir.OpDecl
		for _, name := range []string{
			"activation.glu", "activation.gelu", "activation.logical_and", "activation.prelu", "activation.floor_divide",
			"index.embedding", "index.embedding_bag", "index.concat", "index.index_add", "linalg.addmm", "linalg.trace",
			"linalg.cross", "linalg.matmul", "loss.nll", "loss.multi_margin", "loss.multilabel_margin", "loss.gaussian_nll", "norm.group_norm",
			"norm.local_response_norm", "optim.sgd", "optim.rmsprop", "optim.lamb", "quant.quantize", "reduce.argmax", "reduce.logsumexp",
			"reduce.count_nonzero", "reduce.vector_norm", "reduce.std_mean", "reduce.cummax", "reduce.diff", "reduce.trapezoid", "rnn.lstm_cell",
		} {
			if o := ops[name]; o != nil {
				list = append(list, o)
			} else if !slices.Contains([]string{"activation.gelu"}, name) {
				t.Errorf("%s isn't lowered", name)
			}
		}
		goldenIR(t, "testdata/ir/corpus.txtar", list)
	})
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
	ops, _, _ := checkCorpus(t)
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
