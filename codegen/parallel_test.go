package codegen

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// TestRunAll checks that packages come in their order, are those that Run makes, and that leaving early ends what was begun.
func TestRunAll(t *testing.T) {
	var sources []Source
	for i := range 9 {
		text := fmt.Sprintf("package p\n\nop f%d[T: float](x: T[N]) = x + %d\n", i, i)
		if i == 4 {
			text = "package p\n\nop f[T: float](x: T[N]) = x + y\n"
		}
		sources = append(sources, Source{Dir: fmt.Sprint(i), ImportPath: "p", Files: []SourceFile{{Name: "f.op", Data: []byte(text)}}})
	}
	i := 0
	for b := range RunAll(sources, Go) {
		want := New(sources[i], Go)
		want.Run("")
		if b.Source.Dir != sources[i].Dir || b.Diags.HasErrors() != (i == 4) || len(b.Out) != len(want.Out) {
			t.Fatalf("package %d: %s, %d files, %v", i, b.Source.Dir, len(b.Out), b.Diags.All)
		}
		for k, f := range b.Out {
			if f.Name != want.Out[k].Name || string(f.Data) != string(want.Out[k].Data) {
				t.Errorf("package %d: %s differs", i, f.Name)
			}
		}
		i++
	}
	if i != len(sources) {
		t.Errorf("%d packages, want %d", i, len(sources))
	}
	before := runtime.NumGoroutine()
	for range RunAll(sources, Go) {
		break
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait > 1000 {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
