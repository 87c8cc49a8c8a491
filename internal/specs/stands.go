package specs

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/opgen/opgen/dsl"
)

// kinds are the ops that stand for all, by what is particular to them.
var kinds = []struct{ what, ops string }{
	{"from formula to trained model", "activation.relu linalg.linear loss.mse loss.smooth_l1 loss.cross_entropy norm.layer_norm reduce.softmax optim.momentum_sgd"},
	{"one input, by elements", "activation.gelu activation.mish pointwise.tanh pointwise.log1p pointwise.lgamma"},
	{"several inputs, by elements", "pointwise.add pointwise.lerp pointwise.pow pointwise.clamp activation.prelu"},
	{"integers and conditions", "pointwise.floor_divide pointwise.eq pointwise.logical_and reduce.count_nonzero"},
	{"reductions of a placed axis", "reduce.var reduce.logsumexp reduce.max_dim reduce.prod attention.scaled_dot_product_attention"},
	{"in order along an axis", "reduce.cumsum reduce.cummax rnn.gru"},
	{"products of matrices", "linalg.matmul linalg.addmm linalg.cdist"},
	{"parts of axes", "activation.glu linalg.trace norm.group_norm"},
	{"indices that are data", "index.embedding index.index_add index.gather index.where loss.nll"},
	{"windows of any number of axes", "window.conv window.max_pool window.avg_pool window.interpolate_linear"},
	{"losses with a weight or a condition", "loss.bce_with_logits loss.gaussian_nll loss.multi_margin"},
	{"statistics that are renewed", "norm.batch_norm"},
	{"optimizers, with totals and without", "optim.adamw optim.lamb optim.clip_grad_norm"},
	{"random numbers", "random.dropout"},
	{"codes of few bits", "quant.fake_quantize"},
	{"ops that call others", "compose.conv_block"},
}

var stands = sync.OnceValue(func() map[string]bool {
	r := map[string]bool{}
	for _, k := range kinds {
		for _, name := range strings.Fields(k.ops) {
			r[name] = true
		}
	}
	return r
})

// Heavy tells whether tests go over everything, however long that takes: with OPGEN_HEAVY=1 in the environment.
func Heavy() bool { return os.Getenv("OPGEN_HEAVY") != "" }

// Stands tells whether a test that takes long looks at an op, given as loss.mse: at those that stand for all, or at every one
// where Heavy.
func Stands(name string) bool { return Heavy() || stands()[name] }

// Reads tells whether a test that takes long reads a file: that of an op that stands for all, or one without ops, which the others of
// its folder share.
func Reads(name string) bool {
	family := filepath.Base(filepath.Dir(name))
	if Stands(family + "." + strings.TrimSuffix(filepath.Base(name), ".op")) {
		return true
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return true // the reader will say so
	}
	f, _ := dsl.Parse(name, src)
	return len(f.Ops) == 0
}
