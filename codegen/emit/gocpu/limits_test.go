package gocpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/runtime"
)

// buildText takes the text of a package through the pipeline.
func buildText(text string) *codegen.Build {
	b := codegen.New(codegen.Source{Dir: ".", ImportPath: "generated.test/many", Files: []codegen.SourceFile{{Name: "many.op", Data: []byte(text)}}}, codegen.Go)
	b.Run("")
	return b
}

// list is part(0) to part(n-1), joined.
func list(n int, join string, part func(i int) string) string {
	var parts []string
	for i := range n {
		parts = append(parts, part(i))
	}
	return strings.Join(parts, join)
}

// tensorsOp has n inputs, an output that its derivative reads, and gradients: 2n+2 tensors.
func tensorsOp(n int) string {
	return fmt.Sprintf("op tensors%d[T: float](%s) -> (y: T[...B]) { y = exp(%s) }\n", n,
		list(n, ", ", func(i int) string { return fmt.Sprintf("x%d: T[...B]", i) }),
		list(n, " + ", func(i int) string { return fmt.Sprintf("x%d", i) }))
}

// productsOp is a sum of n products: 4n+1 tensors with the gradients, more than one kernel has.
func productsOp(n int) string {
	return fmt.Sprintf("op products%d[T: float](%s) -> (y: T[...B]) { y = %s }\n", n,
		list(2*n, ", ", func(i int) string { return fmt.Sprintf("x%d: T[...B]", i) }),
		list(n, " + ", func(i int) string { return fmt.Sprintf("x%d*x%d", 2*i, 2*i+1) }))
}

func axesOp(n int) string {
	return fmt.Sprintf("op axes%d[T: float](%s) -> (y: T[A0]) { y = x0 + %s }\n", n,
		list(n, ", ", func(i int) string { return fmt.Sprintf("x%d: T[A%d]", i, i) }),
		list(n-1, " + ", func(i int) string { return fmt.Sprintf("sum[A%d](x%d)", i+1, i+1) }))
}

func varsOp(n int) string {
	return fmt.Sprintf("op vars%d[%s](%s) -> (y: T0[...B]) { y = x0 + %s }\n", n,
		list(n, ", ", func(i int) string { return fmt.Sprintf("T%d: float", i) }),
		list(n, ", ", func(i int) string { return fmt.Sprintf("x%d: T%d[...B]", i, i) }),
		list(n-1, " + ", func(i int) string { return fmt.Sprintf("T0(x%d)", i+1) }))
}

func attrsOp(n int) string {
	return fmt.Sprintf("op attrs%d[T: float](x: T[...B]; %s) -> (y: T[...B]) { y = x*(%s) }\n", n,
		list(n, ", ", func(i int) string { return fmt.Sprintf("a%d: float = %d", i, i) }),
		list(n, " + ", func(i int) string { return fmt.Sprintf("x*a%d", i) }))
}

// many are the ops at the limits. Those of kernels are no limits of ops: what has more runs without them.
func many() string {
	return "package many\n" + tensorsOp(runtime.MaxParams/2-1) + productsOp(5) + productsOp(runtime.MaxOperands-1) +
		axesOp(runtime.MaxAxes) + varsOp(runtime.MaxVars) + attrsOp(runtime.MaxScalars+1)
}

// manyFiles generates the ops at the limits, for testdata/many_test.go.txt.
func manyFiles(t *testing.T) []emit.File {
	t.Helper()
	b := buildText(many())
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	var files []emit.File
	for _, f := range b.Out {
		files = append(files, emit.File{Name: "many/" + f.Name, Data: f.Data})
	}
	return files
}

// TestLimits refuses, at the op, what is beyond a limit.
func TestLimits(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{tensorsOp(runtime.MaxParams / 2), "many.tensors32 has 66 tensors in its derivative; the most are 64"},
		{productsOp(runtime.MaxParams / 4), "many.products16 has 65 tensors in its derivative; the most are 64"},
		{tensorsOp(runtime.MaxParams), "many.tensors64 has 65 tensors; the most are 64"},
		{axesOp(runtime.MaxAxes + 1), "many.axes17 has 17 names of axes; the most are 16"},
		{varsOp(runtime.MaxVars + 1), "many.vars5 has 5 dtype variables; the most are 4"},
	} {
		b := buildText("package many\n\n" + c.op)
		if len(b.Diags.All) != 1 {
			t.Errorf("want %q, got %v", c.want, b.Diags.All)
			continue
		}
		d := b.Diags.All[0]
		if d.Code != "limit" || d.Message != c.want || d.Span.Start.Line != 3 {
			t.Errorf("want %q, got %s %q at %v", c.want, d.Code, d.Message, d.Span)
		}
	}
}

// Signatures list what calls take beside their tensors, an axis as often as a value has it, and the dtypes for which they do.
func TestRoom(t *testing.T) {
	b := buildText(`package many

op pairs[T: float](x: T[N]) -> (y: T[]) {
  let u[i in N, j in N] = exp(x[i] - x[j])
  let m[i] = max[j in N](u[i, j])
  y = sum[i in N, j in N](u[i, j]/m[j])
}

op windows[T: float](x: T[N]; k: int) -> (y: T[N]) {
  require k > 0 else "k must be positive"
  y[i] = sum[m in 0..2*k](x[i]*max[j in N](x[j]*m))
}

op products[T: num](x: T[N], z: T[N]) -> (y: T[N]) {
  y[i] = sum[j in N](x[i]*z[j])
}
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	all := ""
	for _, f := range b.Out {
		all += string(f.Data)
	}
	for _, want := range []string{
		"Scratch: []runtime.Scratch{{Axes: []int{0}, Absent: 1 << 2}},",               // what pairs would keep
		"Scratch: []runtime.Scratch{{Axes: []int{0, 0}}, {Axes: []int{0}, More: 2}},", // its derivative
		"Scratch: []runtime.Scratch{{Axes: []int{1}}, {Axes: []int{0}}, {Spread: 1 << 0}},",
		"{{Axes: []int{0}, Elem: runtime.Elem{Wrap: runtime.SumOfInts}, For: []runtime.DTypes{runtime.Ints}}, {Spread: 1<<0 | 1<<1, For: []runtime.DTypes{runtime.Ints}}},",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}
