package codegen

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// corpus are the packages of all specs.
func corpus(tb testing.TB) []Source {
	sources, err := Find([]string{"../specs/..."}, "")
	if err != nil {
		tb.Fatal(err)
	}
	return sources
}

// BenchmarkCorpus takes all specs to portable Go, collecting garbage as seldom as the command does.
func BenchmarkCorpus(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	sources := corpus(b)
	for b.Loop() {
		for range RunAll(sources, Go) {
		}
	}
}

// BenchmarkStages does the same stage by stage.
func BenchmarkStages(b *testing.B) {
	sources := corpus(b)
	for _, s := range Pipeline {
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				var builds []*Build
				for _, src := range sources {
					p := New(src, Go)
					for _, before := range Pipeline {
						if before.Name == s.Name || p.Diags.HasErrors() {
							break
						}
						before.Run(p)
					}
					builds = append(builds, p)
				}
				b.StartTimer()
				for _, p := range builds {
					if !p.Diags.HasErrors() {
						s.Run(p)
					}
				}
			}
		})
	}
}

// BenchmarkProof derives and proves the gradients of each op, all its variants.
func BenchmarkProof(b *testing.B) {
	for _, src := range corpus(b) {
		p := New(src, Go)
		if !p.Run("lint") {
			b.Fatal(p.Diags.Err())
		}
		all := p.Functions
		for len(all) > 0 {
			op := all[0].Op
			n := 1
			for n < len(all) && all[n].Op == op {
				n++
			}
			own := all[:n]
			all = all[n:]
			b.Run(p.Package.Name+"."+op.Name, func(b *testing.B) {
				for b.Loop() {
					p.Functions = own
					p.derive()
					p.prove()
				}
			})
		}
	}
}

// manyOps is a spec of about as many lines as asked for, of ops of several kinds that all differ.
func manyOps(lines int) string {
	var out strings.Builder
	out.WriteString("package many\n\nenum reduction(none, mean, sum)\n\n")
	for i := 0; strings.Count(out.String(), "\n") < lines; {
		for range 50 { // counting lines is not what is measured
			fmt.Fprintf(&out, kinds[i%len(kinds)], i, i+2)
			i++
		}
	}
	return out.String()
}

// kinds are ops; %[1]d is the number of the op, %[2]d a constant in it.
var kinds = []string{
	`// Soft%[1]d is a smooth step.
op soft%[1]d[T: float](x: T[...B]; k: float = 1) -> (y: T[...B]) {
    let s = 1 + exp(-k*x*%[2]d)
    y = x / s
}

`,
	`// Loss%[1]d is a loss with a threshold.
op loss%[1]d[T: float](x, t: T[...B]; reduction: reduction = mean) -> (y: T[_]) {
    let e = abs(x - t)
    let l = if e < %[2]d then e^2/%[2]d else 2*e - %[2]d
    y = if reduction == none then l else if reduction == mean then mean(l) else sum(l)
}

`,
	`// Rows%[1]d are probabilities along an axis.
op rows%[1]d[T: float](x: T[...N, C]) -> (y: T[...N, C]) {
    let e = exp((x - max[C](x))/%[2]d)
    y = e / sum[C](e)
}

`,
	`// Mix%[1]d is a layer.
op mix%[1]d[T: float](x: T[...B, I], w: T[O, I], b: T[O]) -> (y: T[...B, O]) {
    y[..n, o] = tanh(sum[i](x[..n, i]*w[o, i])/%[2]d + b[o])
}

`,
}

// take runs the whole pipeline on a spec, with code for all targets or for portable Go alone.
func take(tb testing.TB, text string, targets ...Target) *Build {
	tb.Helper()
	b := New(Source{ImportPath: "many", Files: []SourceFile{{Name: "many.op", Data: []byte(text)}}}, targets...)
	if !b.Run("") {
		tb.Fatal(b.Diags.All[0].Message)
	}
	return b
}

// BenchmarkLines shows that the time for a line doesn't depend on how many there are.
func BenchmarkLines(b *testing.B) {
	for _, lines := range []int{2500, 5000, 10000, 20000} {
		text := manyOps(lines)
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				take(b, text, Go)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(strings.Count(text, "\n")), "µs/line")
		})
	}
}

// TestLinear counts the work for a line, by what is allocated: it is the same in a spec of four times as many.
func TestLinear(t *testing.T) {
	work := func(lines int) float64 {
		text := manyOps(lines)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		take(t, text)
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / float64(strings.Count(text, "\n"))
	}
	work(100) // what is made once
	few, many := work(300), work(1200)
	if many > 1.1*few {
		t.Errorf("%.0f allocations a line of 300, %.0f of 1200", few, many)
	}
}
