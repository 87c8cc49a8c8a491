//go:build unix

package products

import (
	"testing"
	"time"
)

// BenchmarkBatches measures the fastest of many calls, with GOMAXPROCS=1, as BenchmarkProducts does.
func BenchmarkBatches(b *testing.B) {
	for _, s := range Batches {
		m := NewMatrices(s)
		for _, p := range BatchPasses {
			b.Run(p.Name+"/"+s.String(), func(b *testing.B) {
				for b.Loop() {
					least, err := Least(100*time.Millisecond, func() error { return p.Call(m) })
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(least), "least-ns")
					b.ReportMetric(s.Flops()/float64(least), "GFLOP/s")
				}
			})
		}
	}
}

// BenchmarkProducts measures the fastest of many calls, with GOMAXPROCS=1: least-ns, and GFLOP/s.
func BenchmarkProducts(b *testing.B) {
	for _, s := range Shapes {
		l := NewLayer(s)
		for _, p := range Passes {
			b.Run(p.Name+"/"+s.String(), func(b *testing.B) {
				for b.Loop() {
					least, err := Least(100*time.Millisecond, func() error { return p.Call(l) })
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(least), "least-ns")
					b.ReportMetric(s.Flops()/float64(least), "GFLOP/s")
				}
			})
		}
		b.Log(s, l.Hash())
	}
}
