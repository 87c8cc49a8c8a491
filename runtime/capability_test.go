package runtime

import (
	goruntime "runtime"
	"slices"
	"testing"
)

// Every choice of dtypes is there once, with the code that it runs.
func TestCapabilities(t *testing.T) {
	sig := Signature{Op: "test.op", Vars: []Var{{Name: "T", DTypes: Floats}, {Name: "I", DTypes: Ints | 1<<Bool}}}
	o := &Op{Path: "test", Name: "op", Signature: &sig, Kernels: []string{"f32 int", "f64 i32"}, Assembly: true}
	list := o.Capabilities()
	if len(list) != 4*9 {
		t.Fatalf("%d choices of dtypes", len(list))
	}
	kernels := 0
	for _, c := range list {
		f, i := c.DTypes[0], c.DTypes[1]
		want := f != F64 && i != Bool || f == F64 && i == I32
		if c.Kernel != want {
			t.Errorf("%v: kernel is %v", c.DTypes, c.Kernel)
		}
		paths := []CPUPath{Generic}
		if want && goruntime.GOARCH == "amd64" {
			paths = append(paths, AVX2, AVX512)
		}
		if !slices.Equal(c.Paths, paths) || c.Best() != min(Path(), paths[len(paths)-1]) {
			t.Errorf("%v: paths %v, best %v", c.DTypes, c.Paths, c.Best())
		}
		if c.Kernel {
			kernels++
		}
	}
	if kernels != 3*8+1 {
		t.Errorf("%d choices have kernels", kernels)
	}
	for _, c := range Capabilities() {
		if c.Op == nil || len(c.DTypes) != len(c.Op.Signature.Vars) {
			t.Errorf("%v", c)
		}
	}
}
