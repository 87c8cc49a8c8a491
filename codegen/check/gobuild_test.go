package check_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/emit/cuda"
)

// awkward are names that mean something in Go, in C++ or in what opgen writes.
var awkward = strings.Fields(`
	i n len math acc x0 type g float range threadIdx blockIdx out err runtime string nil init main t x y z f p q r s v w
	break case chan const continue default defer fallthrough for go goto interface map return select struct switch var
	bool byte error float32 float64 int int32 int64 rune uint uintptr iota append cap clear close copy delete make new panic print println
	real imag recover unsafe context sync args attrs ctx opt opts device dims size shape stride base data lane row col idx
	dx dy d_x x_new x1 x2 x_1 i0 i1 acc0 acc1 lo hi k tmp tensor tensors name ops kernel launch forward backward saved grad1 self reset
	auto char class double extern half inline long namespace operator private register short signed sizeof static template this
	typename union unsigned virtual void volatile blockDim gridDim warpSize expf powf nullptr constexpr restrict y1 seed_1`)

// TestNames takes such names for inputs, attributes, lets, outputs, index variables, enum words, axes and ops all the way to Go that passes go vet, and
// to CUDA C that compiles.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	const each = 8
	var b strings.Builder
	b.WriteString("package names\n")
	for at := 0; at+each <= len(awkward); at += each {
		for turn := range each / 2 {
			var n [each]string
			for k := range n {
				n[k] = awkward[at+(k+2*turn)%each]
			}
			fmt.Fprintf(&b, `
op case_%d[D: float](%s: D[%s], %s: D[%[3]s, %[5]s]; %[6]s: float = 1, %[7]s: enum(%[2]s, %[4]s) = %[2]s) -> (%[8]s: D[%[3]s], n_%[8]s: D[%[3]s]) {
    let %[9]s[%[3]s] = exp(%[2]s) * %[6]s + sum[%[5]s](%[4]s)
    %[8]s[%[10]s] = %[9]s[%[10]s] / sum[%[11]s](%[4]s[%[10]s, %[11]s] ^ 2)
    n_%[8]s = if %[7]s == %[2]s then max[%[5]s](%[4]s) else %[9]s
}
`, at+turn, n[0], axisNamed(n[7]), n[1], axisNamed(n[6])+"2", n[2], n[3], n[4], n[5], n[6], n[7])
		}
	}
	used := map[string]bool{}
	for _, name := range awkward {
		if exported := strings.ToLower(check.GoName(name)); !used[exported] {
			used[exported] = true
			fmt.Fprintf(&b, "op %s[D: float](%[1]s: D[...%[2]s]) -> (%[1]s_y: D[...%[2]s]) { %[1]s_y = 2*%[1]s }\n", name, axisNamed(name))
		}
	}
	build := codegen.New(codegen.Source{Dir: ".", ImportPath: "example.com/m/names", Files: []codegen.SourceFile{{Name: "names.op", Data: []byte(b.String())}}})
	if !build.Run("") {
		t.Fatalf("%v\n%s", build.Diags.Err(), b.String())
	}
	vet(t, build)
	clang, err := cuda.Clang()
	if err != nil {
		t.Logf("CUDA C isn't compiled: %v", err)
		return
	}
	for _, f := range build.Out {
		if strings.HasSuffix(f.Name, ".cu") {
			if _, err := cuda.PTX(clang, f.Data); err != nil {
				t.Errorf("%s: %.4000v", f.Name, err)
			}
		}
	}
}

// TestNeighbours has ops whose names are those of functions, kernels and files that are made of another op.
func TestNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	var b strings.Builder
	b.WriteString(`package neighbours

op f[D: float](x: D[N, K], b?: D[N]; how: enum(none, sum) = none, p: float = 2) -> (y: D[_]) {
    y = if how == none then exp(x)*p + (b ?? 0) else sum(exp(x)*p)
}
update g[D: float](inout p: D[N], g: D[N], state s: D[N]; lr: float) {
    s' = max(s, g)
    p' = p - lr*s'
}
`)
	for _, name := range strings.Fields(`f_none f_sum f_no_b f_b f_none_b f_none_no_b f_run f_f32 f_f64 f_none_f32 f_forward f_call f_grad f_op f_sig
		f_signature f_plan f_kernel f_kernels f_portable f_avx2 f_slice_run f_names f_bind f_launch f_program f_general f_example f_test f_test_run
		g_run g_step g_state g_s g_p g_phase g_optimizer g_new g_init g_attrs_run init_f register_f new_f new_f_run neighbours ops kernel_table tensors`) {
		fmt.Fprintf(&b, "op %s[D: float](x: D[N, K]) -> (y: D[N]) { y = sum[K](x * %d) }\n", name, len(name)+b.Len())
	}
	build := codegen.New(codegen.Source{Dir: ".", ImportPath: "example.com/m/neighbours", Files: []codegen.SourceFile{{Name: "neighbours.op", Data: []byte(b.String())}}})
	if !build.Run("") {
		t.Fatalf("%v\n%s", build.Diags.Err(), b.String())
	}
	vet(t, build)
}

// axisNamed is a name as that of an axis.
func axisNamed(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// vet writes generated packages into a module of their own and runs go vet on it.
func vet(t *testing.T, builds ...*codegen.Build) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const opgen = "github.com/opgen/opgen"
	files := map[string][]byte{"go.mod": fmt.Appendf(nil, "module example.com/m\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", opgen, root)}
	for _, b := range builds {
		for _, f := range b.Out {
			files[b.Package.Name+"/"+f.Name] = f.Data
		}
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%.4000s", err, out)
	}
}
