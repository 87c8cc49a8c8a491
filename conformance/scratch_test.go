package conformance

import (
	"testing"
	"time"
	"fmt"

	"github.com/opgen/opgen/codegen"
)

func TestScratch(t *testing.T) {
	src, err := codegen.Find([]string{"../specs/..."}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range src {
		t0 := time.Now()
		b := codegen.New(s)
		b.Run("share")
		n := 0
		for _, k := range b.Kernels {
			n += len(k)
		}
		fmt.Println(s.Dir, s.ImportPath, time.Since(t0), len(b.Functions), n, b.Report, len(b.Diags.All))
	}
}
