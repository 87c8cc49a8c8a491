package general_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl"
)

const corpus = "../../../dsl/testdata/specs/"

// families are the packages of the corpus.
var families = []string{"activation", "attention", "index", "linalg", "loss", "norm", "optim", "quant", "random", "reduce", "rnn", "window"}

// source is the text of a family without the ops that are left out. The function of another package that it calls is put
// into it, since a package alone has no imports here.
func source(t testing.TB, family string, without []string) string {
	t.Helper()
	data, err := os.ReadFile(corpus + family + ".op")
	if err != nil {
		t.Fatal(err)
	}
	f, diags := dsl.Parse(family+".op", data)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	text := string(data)
	for _, o := range slices.Backward(f.Ops) {
		if slices.Contains(without, o.Name.Name) {
			text = text[:o.Span.Start.Offset] + text[o.Span.End.Offset:]
		}
	}
	if strings.Contains(text, "\nimport ") {
		text = regexp.MustCompile(`(?m)^import .*$`).ReplaceAllString(text, "")
		loss, err := os.ReadFile(corpus + "loss.op")
		if err != nil {
			t.Fatal(err)
		}
		f, _ := dsl.Parse("loss.op", loss)
		for _, fn := range f.Funcs {
			if strings.Contains(text, "loss."+fn.Name.Name) || fn.Name.Name == "root" {
				text += "\n" + string(loss[fn.Span.Start.Offset:fn.Span.End.Offset]) + "\n"
			}
		}
		text = strings.ReplaceAll(text, "loss.", "")
	}
	return text
}

// build takes a family through the pipeline, without the ops that are refused: those are given with the reasons.
func build(t testing.TB, family string) (*codegen.Build, map[string]string) {
	t.Helper()
	refused := map[string]string{}
	var without []string
	for range 10 {
		b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/" + family, Files: []codegen.SourceFile{
			{Name: family + ".op", Data: []byte(source(t, family, without))}}}, codegen.Go)
		if b.Run("") {
			return b, refused
		}
		before := len(without)
		f, _ := dsl.Parse(family+".op", b.Source.Files[0].Data)
		for _, d := range b.Diags.All {
			if d.Code != "unsupported" {
				t.Errorf("%s: %s", family, d.String())
			}
			for _, o := range f.Ops {
				if d.Span.Start.Offset >= o.Span.Start.Offset && d.Span.Start.Offset < o.Span.End.Offset && !slices.Contains(without, o.Name.Name) {
					without = append(without, o.Name.Name)
					refused[o.Name.Name] = d.Message
				}
			}
		}
		if len(without) == before {
			break
		}
	}
	t.Fatalf("%s can't be built", family)
	return nil, nil
}

func seeded(name string) *rand.Rand {
	var s uint64
	for _, c := range name {
		s = s*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(s, 1))
}
