package endurance

import (
	goruntime "runtime"
	"testing"

	"github.com/opgen/opgen/runtime"

	_ "github.com/opgen/opgen/gen/activation"
	_ "github.com/opgen/opgen/gen/linalg"
	_ "github.com/opgen/opgen/gen/loss"
	_ "github.com/opgen/opgen/gen/norm"
	_ "github.com/opgen/opgen/gen/reduce"
)

// Results and gradients have the same bits for any number of threads, of ops with every kind of launch: points, sums over everything,
// over rows, over columns, and products of matrices.
func TestSameBitsForAnyThreads(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	n := 150_001
	for _, c := range []struct {
		op     string
		inputs []*runtime.Tensor
		attrs  map[string]any
	}{
		{"activation.relu", []*runtime.Tensor{tensor(1, n)}, nil},
		{"activation.gelu", []*runtime.Tensor{tensor(1, n)}, nil},
		{"loss.mse", []*runtime.Tensor{tensor(1, n), tensor(2, n)}, nil},
		{"loss.smooth_l1", []*runtime.Tensor{tensor(1, 3, n), tensor(2, n)}, map[string]any{"reduction": "sum"}},
		{"loss.huber", []*runtime.Tensor{tensor(1, 300, 501), tensor(2, 501)}, map[string]any{"reduction": "none"}},
		{"reduce.softmax", []*runtime.Tensor{tensor(1, 301, 1003)}, nil},
		{"reduce.softmax", []*runtime.Tensor{tensor(1, 1003, 301)}, map[string]any{"axis": 0}},
		{"reduce.logsumexp", []*runtime.Tensor{tensor(1, 301, 1003)}, nil},
		{"norm.layer_norm", []*runtime.Tensor{tensor(1, 2001, 130), tensor(2, 130), tensor(3, 130)}, nil},
		{"linalg.linear", []*runtime.Tensor{tensor(1, 257, 130), tensor(2, 131, 130), tensor(3, 131)}, nil},
		{"linalg.matmul", []*runtime.Tensor{tensor(1, 130, 131), tensor(2, 131, 257)}, nil},
	} {
		t.Run(c.op, func(t *testing.T) {
			op, err := runtime.Lookup(c.op)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range c.inputs {
				if err := x.RequireGrad(); err != nil {
					t.Fatal(err)
				}
			}
			var first []*runtime.Tensor
			for _, threads := range []int{1, 2, 3, 7, 1} {
				goruntime.GOMAXPROCS(threads)
				got, err := op.Call(c.inputs, c.attrs)
				if err != nil {
					t.Fatal(err)
				}
				if err := got[0].BackwardWith(tensor(9, got[0].Shape()...)); err != nil {
					t.Fatal(err)
				}
				for _, x := range c.inputs {
					got = append(got, x.Grad())
					x.ZeroGrad()
				}
				if first == nil {
					first = got
				}
				for i := range got {
					if !runtime.Equal(got[i], first[i]) {
						t.Errorf("%d threads: result or gradient %d has other bits than with one", threads, i)
					}
				}
			}
		})
	}
}
