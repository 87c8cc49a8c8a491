package torch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opgen/opgen/conformance/torch"

	_ "github.com/opgen/opgen/gen/activation"
	_ "github.com/opgen/opgen/gen/linalg"
	_ "github.com/opgen/opgen/gen/reduce"
)

// tensor is a tensor in the text of a sample; grad: it is differentiated by.
func tensor(shape, data string, grad bool) string {
	g := "false"
	if grad {
		g = "true"
	}
	return `{"dtype":"float64","shape":` + shape + `,"data":` + data + `,"grad":` + g + `}`
}

// TestRun runs samples written by hand: right ones pass, wrong values and gradients fail, and what can't be said has a reason.
func TestRun(t *testing.T) {
	relu := func(out, grad string) string {
		return `{"op":"nn.functional.relu","variant":"","sample":0,"args":[` + tensor("[2]", "[-1,2]", true) + `],"kwargs":{},"out":[` +
			tensor("[2]", out, false) + `],"cotangent":[` + tensor("[2]", "[3,5]", false) + `],"grads":[` + tensor("[2]", grad, false) + `]}`
	}
	einsum := func(equation, x, z, out string) string {
		return `{"op":"einsum","variant":"","sample":0,"args":[[` + x + `,` + z + `],"` + equation + `"],"kwargs":{},"out":[` + out + `]}`
	}
	x, z := tensor("[2,3]", "[1,2,3,4,5,6]", false), tensor("[2,1]", "[10,100]", false)
	for _, c := range []struct{ name, line, want string }{
		{"right", relu("[0,2]", "[0,5]"), ""},
		{"a wrong value", relu("[0,3]", "[0,5]"), "y: element 1 of [2] is 2, want 3"},
		{"a wrong gradient", relu("[0,2]", "[3,5]"), "gradient by x: element 0 of [2] is 0, want 3"},
		{"a wrong shape", strings.Replace(relu("[0,2]", "[0,5]"), `"out":[{"dtype":"float64","shape":[2]`, `"out":[{"dtype":"float64","shape":[2,1]`, 1),
			"shape [2], want [2 1]"},
		{"an unknown function", `{"op":"linalg.svd","variant":"","sample":0,"args":[],"kwargs":{},"out":[]}`, "unsupported: opgen has no such function"},
		{"an unknown argument", `{"op":"sum","variant":"","sample":0,"args":[` + x + `],"kwargs":{"where":1},"out":[` + tensor("[]", "[21]", false) + `]}`,
			"unsupported: there is no argument where"},
		{"another dtype", `{"op":"sum","variant":"","sample":0,"args":[` + x + `],"kwargs":{"dtype":"torch.float32"},"out":[` + tensor("[]", "[21]", false) + `]}`,
			"unsupported: a result of another dtype than the arguments: torch.float32"},
		{"a product in an equation", einsum("ij,i... -> j...", x, z, tensor("[3,1]", "[410,520,630]", false)), ""},
		{"a sum over an axis of one tensor", einsum("ij,ik->k", x, z, tensor("[1]", "[1560]", false)), ""},
		{"an equation without a result", einsum("ij,ik", x, z, tensor("[3,1]", "[410,520,630]", false)), ""},
		{"a diagonal in an equation", einsum("ii,ik->k", tensor("[2,2]", "[1,2,3,4]", false), z, tensor("[1]", "[0]", false)), "unsupported: diagonals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "samples.jsonl"), []byte(c.line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var got string
			s, err := torch.Run([]string{"../../specs/activation", "../../specs/linalg", "../../specs/reduce"}, dir, func(o torch.Outcome) {
				switch {
				case o.Err != nil:
					got = o.Err.Error()
				case o.Reason != "":
					got = "unsupported: " + o.Reason
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if n := s.Passed + s.Failed + s.Unsupported; n != 1 || (s.Passed == 1) != (c.want == "") {
				t.Errorf("counted as %s", s)
			}
		})
	}
}
