package codegen_test

import (
	"testing"

	"github.com/opgen/opgen/codegen"
)

// TestExamplesOfKept runs examples of an update with a choice of which one side renews nothing: what it leaves is its result.
func TestExamplesOfKept(t *testing.T) {
	const text = `package p

update now_and_then[T: float](inout p: T[N], g: T[N], state m: acc(T)[N] = 3; every: int = 3) {
    m' = if step % every == 0 then m + g else m
    p' = if step % every == 0 then p - g else p
    example { p = [1], g = [2], step = 3 } => { p' = [-1], m' = [5] }
    example { p = [1], g = [2], step = 4 } => { p' = [1], m' = [3] }
    example { p = [1], g = [2], m = [4] } => { p' = [1], m' = [4] }
    example { p = [1], g = [2], step = 5 } => { p' = [2] }
}
`
	b := codegen.New(codegen.Source{Dir: "p", ImportPath: "p", Files: []codegen.SourceFile{{Name: "p.op", Data: []byte(text)}}}, codegen.Go)
	if !b.Run("lower") {
		t.Fatal(b.Diags.Err())
	}
	for _, r := range b.Examples() {
		if wrong := r.Span.Start.Line == 9; (r.Err != nil) != wrong {
			t.Errorf("line %d on %s: %v", r.Span.Start.Line, r.Backend, r.Err)
		}
	}
}
