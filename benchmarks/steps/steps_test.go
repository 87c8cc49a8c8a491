package steps

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// BenchmarkStep is a step of an optimizer with few large or many small parameters. least-ns is that of the fastest step, for machines that do
// other things too.
func BenchmarkStep(b *testing.B) {
	for _, o := range Optimizers {
		for i := range Shapes {
			s := &Shapes[i]
			b.Run(fmt.Sprintf("%s/%s", o.Name, s.Name), func(b *testing.B) {
				params, err := s.Tensors()
				if err != nil {
					b.Fatal(err)
				}
				opt, err := o.New(params)
				if err != nil {
					b.Fatal(err)
				}
				opt.ZeroGrad()
				if err := Backward(params); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					start := time.Now()
					if err := opt.Step(); err != nil {
						b.Fatal(err)
					}
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least), "least-ns")
				b.ReportMetric(float64(least)/float64(s.Elements()), "least-ns/element")
			})
		}
	}
}
