package cuda_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/internal/specs"
)

var (
	kernelName = regexp.MustCompile(`extern "C" __global__ void (\w+)\(`)
	// ofClang matches what clang understands and nvcc doesn't.
	ofClang = regexp.MustCompile(`__nvvm_|__builtin_|__attribute__|#pragma clang`)
)

// TestGenerated compiles the CUDA text of the generated packages, for the ops that stand for all, to PTX without an SDK.
func TestGenerated(t *testing.T) {
	t.Parallel()
	clang, err := cuda.Clang()
	if err != nil {
		cuda.Needed(t, err.Error())
	}
	names, err := filepath.Glob("../../../gen/*/*cuda/*.cu")
	if err != nil || len(names) == 0 {
		t.Fatal("no generated CUDA text", err)
	}
	for _, name := range names {
		family := filepath.Base(filepath.Dir(filepath.Dir(name)))
		if op, _, _ := strings.Cut(filepath.Base(name), "_gen"); !specs.Stands(family + "." + op) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bad := ofClang.Find(text); bad != nil {
			t.Errorf("%s: %s, which only clang knows", name, bad)
		}
		ptx, err := cuda.PTX(clang, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, m := range kernelName.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(ptx), ".visible .entry "+m[1]+"(") {
				t.Errorf("%s: no entry point %s", name, m[1])
			}
		}
		if bad := cuda.Unrounded(ptx); bad != "" {
			t.Errorf("%s: PTX contains %q", name, bad)
		}
	}
}
