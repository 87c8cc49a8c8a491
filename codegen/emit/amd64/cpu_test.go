package amd64_test

import (
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// runnable lists the paths that this machine can run.
func runnable(t *testing.T) []string {
	t.Helper()
	switch runtime.BestPath() {
	case runtime.AVX512:
		return pathNames
	case runtime.AVX2:
		t.Log("no AVX-512: only AVX2 is tested")
		return pathNames[:1]
	default:
		t.Skipf("neither AVX2 nor AVX-512 on this %s machine", goruntime.GOARCH)
		return nil
	}
}
