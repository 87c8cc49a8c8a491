package specs_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/conformance/torch"

	_ "github.com/opgen/opgen/gen/activation"
	_ "github.com/opgen/opgen/gen/attention"
	_ "github.com/opgen/opgen/gen/index"
	_ "github.com/opgen/opgen/gen/linalg"
	_ "github.com/opgen/opgen/gen/loss"
	_ "github.com/opgen/opgen/gen/norm"
	_ "github.com/opgen/opgen/gen/pointwise"
	_ "github.com/opgen/opgen/gen/reduce"
	_ "github.com/opgen/opgen/gen/window"
)

// TestTorchGoldens holds the specs and their compiled code to PyTorch's values, gradients and second derivatives of its own
// samples: those beside the package torch, or others of the same form in the folder that OPGEN_GOLDENS names.
func TestTorchGoldens(t *testing.T) {
	dir := os.Getenv("OPGEN_GOLDENS")
	if dir == "" {
		dir = "../conformance/torch/testdata"
	} else if _, err := os.Stat(dir); err != nil && !filepath.IsAbs(dir) {
		dir = filepath.Join("..", dir) // as seen from the root of the module
	}
	s, err := torch.Run([]string{"./..."}, dir, func(o torch.Outcome) {
		switch {
		case o.Err != nil:
			t.Errorf("failed: %s (%s): %v", o.Name, o.Op, o.Err)
		case o.Reason != "":
			t.Logf("unsupported: %s: %s", o.Name, o.Reason)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, p := range slices.Sorted(maps.Keys(s.Ran)) {
		ran = append(ran, fmt.Sprintf("%d on %s", s.Ran[p], p))
	}
	t.Logf("compiled: %s", strings.Join(ran, ", "))
	t.Log(s)
}
