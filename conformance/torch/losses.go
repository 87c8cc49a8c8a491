package torch

import "slices"

// losses are losses.
func losses() map[string]form {
	const how = " size_average- reduce- reduction "
	r := map[string]form{
		"mse_loss":       {op: "mse", args: "x t" + how},
		"l1_loss":        {op: "l1", args: "x t" + how},
		"smooth_l1_loss": {op: "smooth_l1", args: "x t" + how + "beta"},
		"huber_loss":     {op: "huber", args: "x t reduction delta"},
		"binary_cross_entropy": {op: "bce", args: "x t weight" + how,
			deviates: deviation{second, "PyTorch adds 1e-12 in the second derivative"}},
		"binary_cross_entropy_with_logits": {op: "bce_with_logits", args: "x t weight" + how + "pos_weight"},
		"kl_div":                           {op: "kl_div", args: "x t" + how + "log_target"},
		"hinge_embedding_loss":             {op: "hinge_embedding", args: "x t margin" + how},
		"margin_ranking_loss":              {op: "margin_ranking", args: "x1 x2 t margin" + how},
		"soft_margin_loss":                 {op: "soft_margin", args: "x t" + how},
		"cosine_embedding_loss":            {op: "cosine_embedding", args: "x1 x2 t margin" + how},
		"triplet_margin_loss":              {op: "triplet_margin", args: "a p n margin norm_p eps swap" + how},
		"poisson_nll_loss":                 {op: "poisson_nll", args: "x t log_input full size_average- eps reduce- reduction"},
		"multi_margin_loss":                {op: "multi_margin", args: "x t p margin weight" + how, say: func(a *arguments) { a.atLeast1("x") }},
		"multilabel_margin_loss":           {op: "multilabel_margin", args: "x t" + how, say: func(a *arguments) { a.atLeast1("x", "t") }},
		"multilabel_soft_margin_loss":      {op: "multilabel_soft_margin", args: "x t weight" + how, say: func(a *arguments) { a.atLeast1("x", "t") }},
		"gaussian_nll_loss": {op: "gaussian_nll", args: "x t var full eps reduction", say: func(a *arguments) {
			x, v := a.tensor("x").Shape, a.tensor("var").Shape
			if len(x) > 0 && slices.Equal(v, x[:len(x)-1]) {
				a.reshape("var", append(slices.Clone(v), 1)...)
			}
		}},
		"nll_loss": {op: "nll", args: "x=logp t weight size_average- ignore_index reduce- reduction", say: classAxis},
		"cross_entropy": {op: "cross_entropy", args: "x t weight size_average- ignore_index reduce- reduction label_smoothing", say: func(a *arguments) {
			classAxis(a)
			if t := a.tensor("t"); t.float() {
				a.g.op = "loss.cross_entropy_prob"
				a.drop("ignore_index")
			}
		}},
	}
	all := map[string]form{}
	for name, f := range r {
		f.op = "loss." + f.op
		all["nn."+name] = f
	}
	return all
}

// classAxis: the classes are along the second axis, or the only one.
func classAxis(a *arguments) { a.set("axis", float64(min(1, a.rank("x")-1))) }

// drop takes an attribute back.
func (a *arguments) drop(name string) {
	for i, x := range a.g.attrs {
		if x.Name == name {
			a.g.attrs = slices.Delete(a.g.attrs, i, i+1)
			return
		}
	}
}
