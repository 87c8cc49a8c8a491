package conformance

import (
	"maps"
	"math"
	"slices"
)

// goldenForms are PyTorch's functions, by name and variant, in ours.
var goldenForms = func() map[string]goldenForm {
	r := map[string]goldenForm{}
	for _, part := range []map[string]goldenForm{goldenPointwise(), goldenReductions(), goldenLosses(), goldenAlgebra(), goldenIndexing(), goldenWindows()} {
		maps.Copy(r, part)
	}
	return r
}()

// goldenPointwise are functions of elements.
func goldenPointwise() map[string]goldenForm {
	r := map[string]goldenForm{}
	for name, ours := range map[string]string{
		"special.entr": "entr", "special.ndtr": "ndtr", "special.ndtri": "ndtri", "nn.logsigmoid": "log_sigmoid",
		"round.decimals_0": "round_decimals", "round.decimals_3": "round_decimals", "round.decimals_neg_3": "round_decimals", "sgn": "sign",
		"nn.selu": "selu", "nn.softsign": "softsign", "nn.tanhshrink": "tanhshrink",
	} {
		r[name] = goldenForm{op: "pointwise." + ours, args: "x inplace- decimals"}
	}
	for _, name := range []string{"abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc",
		"erfinv", "exp", "exp2", "expm1", "floor", "frac", "isfinite", "isinf", "isnan", "lgamma", "log", "log10", "log1p", "log2", "logical_not", "neg",
		"rad2deg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "signbit", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc"} {
		r[name] = goldenForm{op: "pointwise." + name, args: "x"}
	}
	for name, ours := range map[string]string{"maximum": "max", "minimum": "min", "max.binary": "max", "min.binary": "min", "float_power": "pow",
		"div.no_rounding_mode": "div", "true_divide": "div", "special.xlog1py": "xlog1py"} {
		r[name] = goldenForm{op: "pointwise." + ours, args: "x z# rounding_mode-"}
	}
	for _, name := range []string{"atan2", "clamp_max", "clamp_min", "copysign", "eq", "fmax", "fmin", "ge", "gt", "heaviside", "hypot", "le", "logaddexp",
		"logaddexp2", "logical_or", "lt", "mul", "ne", "pow", "xlogy"} {
		r[name] = goldenForm{op: "pointwise." + name, args: "x# z#"}
	}
	for name, ours := range map[string]string{"add": "add", "sub": "sub", "div.floor_rounding": "floor_divide", "div.trunc_rounding": "trunc_divide",
		"floor_divide": "floor_divide", "remainder": "remainder", "fmod": "fmod", "logical_and": "logical_and", "logical_xor": "logical_xor"} {
		r[name] = goldenForm{op: "activation." + ours, args: "x# z# alpha rounding_mode-"}
	}
	r["rsub"] = goldenForm{op: "pointwise.rsub", args: "x# z# alpha"}
	r["addcdiv"] = goldenForm{op: "pointwise.addcdiv", args: "x a b value"}
	r["addcmul"] = goldenForm{op: "pointwise.addcmul", args: "x a b value"}
	r["lerp"] = goldenForm{op: "activation.lerp", args: "x z w#"}
	r["clamp"] = goldenForm{op: "activation.clamp", args: "x min=lo# max=hi#"}
	r["nan_to_num"] = goldenForm{op: "activation.nan_to_num", args: "x nan=nan_value posinf neginf"}
	r["logit"] = goldenForm{op: "activation.logit", args: "x eps"}
	for name, form := range map[string]goldenForm{
		"relu": {args: "x inplace-"}, "relu6": {args: "x inplace-"}, "leaky_relu": {args: "x negative_slope=slope inplace-"},
		"elu": {args: "x alpha inplace-"}, "celu": {args: "x alpha inplace-"}, "gelu": {args: "x approximate"}, "silu": {args: "x inplace-"},
		"mish": {args: "x inplace-"}, "softplus": {args: "x beta threshold"}, "softshrink": {args: "x lambd=lambda"}, "hardswish": {args: "x inplace-"},
		"glu": {args: "x dim=axis"},
		"prelu": {args: "x weight=w", say: func(a *goldenArgs) {
			a.set("axis", float64(min(1, max(a.rank("x")-1, 0))))
			a.atLeast1("w")
		}},
	} {
		form.op = "activation." + name
		r["nn."+name] = form
	}
	r["nn.hardshrink"] = goldenForm{op: "pointwise.hardshrink", args: "x lambd=lambda"}
	r["nn.hardsigmoid"] = goldenForm{op: "pointwise.hardsigmoid", args: "x inplace-", deviates: "PyTorch's derivative has 1/6 in float32"}
	r["nn.hardtanh"] = goldenForm{op: "pointwise.hardtanh", args: "x min_val=lo max_val=hi inplace-"}
	r["nn.threshold"] = goldenForm{op: "pointwise.threshold", args: "x threshold=limit value inplace-"}
	r["masked_fill"] = goldenForm{op: "index.masked_fill", args: "x mask value!", say: func(a *goldenArgs) {
		if v := a.tensor("value"); v != nil {
			a.g.op = "index.where"
			a.set("z", a.tensor("x"))
			a.set("x", v)
		} else {
			a.set("value", a.number("value", 0))
		}
	}}
	r["where"] = goldenForm{op: "index.where", args: "x condition=mask z#"}
	return r
}

// axesOf gives `axes` from a dim that is a number, a list, or left out for all.
func axesOf(a *goldenArgs) {
	if v, ok := a.numbers("dim"); ok && len(v) > 0 {
		a.setList("axes", v)
	} else {
		a.set("axes", "all")
	}
}

// goldenReductions reduce, scan and normalize.
func goldenReductions() map[string]goldenForm {
	r := map[string]goldenForm{}
	for _, name := range []string{"sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "nansum", "nanmean", "logsumexp"} {
		r[name] = goldenForm{op: "reduce." + name, args: "x dim! keepdim=keepdims dtype-", say: axesOf}
	}
	for _, name := range []string{"var", "std", "var_mean", "std_mean"} {
		r[name] = goldenForm{op: "reduce." + name, args: "x dim! unbiased! keepdim=keepdims correction", say: func(a *goldenArgs) {
			if b, is := a.given["dim"].(bool); is { // the second argument may be either
				a.given["unbiased"], a.given["dim"] = b, nil
			}
			axesOf(a)
			if b, is := a.given["unbiased"].(bool); is && !b {
				a.set("correction", 0.0)
			}
		}}
	}
	norm := func(a *goldenArgs) {
		matrix := func() {
			if v, ok := a.numbers("dim"); ok && len(v) == 2 || !ok && a.rank("x") == 2 {
				a.refuse("a norm of matrices")
			}
		}
		switch p := a.given["ord"].(type) {
		case float64:
			if a.is("matrix") {
				matrix()
			}
			if float64(float32(p)) != p {
				a.g.deviates = "PyTorch rounds ord to float32"
			}
			a.set("p", p)
		case string:
			if p == "nuc" {
				a.refuse("a norm of matrices")
			}
		}
		axesOf(a)
	}
	r["linalg.vector_norm"] = goldenForm{op: "reduce.vector_norm", args: "x ord! dim! keepdim=keepdims dtype-", say: norm}
	for _, name := range []string{"linalg.norm", "linalg.norm.subgradients_at_zero"} {
		r[name] = goldenForm{op: "reduce.vector_norm", args: "x ord! dim! keepdim=keepdims dtype-", say: func(a *goldenArgs) {
			a.given["matrix"] = true
			norm(a)
			if x := a.tensor("x"); len(x.Data) > 0 && slices.Max(x.Data) == 0 && slices.Min(x.Data) == 0 {
				a.g.deviates = "at 0, PyTorch's second derivative of the norm is NaN; it is 0 here"
			}
		}}
	}
	for _, name := range []string{"norm", "norm.fro", "norm.inf", "norm.nuc"} {
		r[name] = goldenForm{op: "reduce.vector_norm", args: "x p! dim! keepdim=keepdims dtype-", say: func(a *goldenArgs) {
			switch p := a.given["p"].(type) {
			case float64:
				a.set("p", p)
			case string:
				if p == "nuc" {
					a.refuse("a norm of matrices")
				}
			}
			axesOf(a)
		}}
	}
	r["max.reduction_with_dim"] = goldenForm{op: "reduce.max_dim", args: "x dim=axis keepdim=keepdims"}
	r["min.reduction_with_dim"] = goldenForm{op: "reduce.min_dim", args: "x dim=axis keepdim=keepdims"}
	r["max.reduction_no_dim"] = goldenForm{op: "reduce.amax", args: "x"}
	r["min.reduction_no_dim"] = goldenForm{op: "reduce.amin", args: "x"}
	for name, ours := range map[string]string{"softmax": "softmax", "softmax.with_dtype": "softmax", "log_softmax": "log_softmax", "log_softmax.dtype": "log_softmax",
		"nn.softmin": "softmin", "nn.softmin.with_dtype": "softmin", "cumsum": "cumsum", "cumprod": "cumprod", "logcumsumexp": "logcumsumexp", "cummax": "cummax",
		"cummin": "cummin"} {
		r[name] = goldenForm{op: "reduce." + ours, args: "x dim=axis dtype-"}
	}
	r["diff"] = goldenForm{op: "algebra.diff_of_order", args: "x n! dim=axis prepend append", say: func(a *goldenArgs) {
		n := a.number("n", 1)
		if n == 0 {
			// Nothing is taken off, nor put in front or behind.
			delete(a.g.inputs, "prepend")
			delete(a.g.inputs, "append")
		}
		a.set("n", n)
	}}
	r["trapezoid"] = goldenForm{op: "reduce.trapezoid", args: "y x dim=axis dx"}
	r["renorm"] = goldenForm{op: "algebra.renorm", args: "x p dim=axis maxnorm=limit"}
	r["nn.layer_norm"] = goldenForm{op: "norm.layer_norm", args: "x normalized_shape! weight bias eps", say: func(a *goldenArgs) {
		shape, _ := a.numbers("normalized_shape")
		axes := []float64{}
		for i := range shape {
			axes = append(axes, float64(i-len(shape)))
		}
		a.setList("axes", axes)
	}}
	r["nn.group_norm"] = goldenForm{op: "norm.group_norm", args: "x groups weight bias eps"}
	r["nn.batch_norm"] = goldenForm{op: "norm.batch_norm", args: "x running_mean running_var weight bias training momentum eps",
		say: func(a *goldenArgs) { a.set("axis", float64(min(1, a.rank("x")-1))) }}
	r["nn.instance_norm"] = goldenForm{op: "norm.instance_norm", args: "x running_mean running_var weight bias use_input_stats momentum eps"}
	r["nn.local_response_norm"] = goldenForm{op: "norm.local_response_norm", args: "x size alpha beta k"}
	return r
}

// goldenLosses are losses.
func goldenLosses() map[string]goldenForm {
	const how = " size_average- reduce- reduction "
	r := map[string]goldenForm{
		"mse_loss":                         {op: "mse", args: "x t" + how},
		"l1_loss":                          {op: "l1", args: "x t" + how},
		"smooth_l1_loss":                   {op: "smooth_l1", args: "x t" + how + "beta"},
		"huber_loss":                       {op: "huber", args: "x t reduction delta"},
		"binary_cross_entropy":             {op: "bce", args: "x t weight" + how},
		"binary_cross_entropy_with_logits": {op: "bce_with_logits", args: "x t weight" + how + "pos_weight"},
		"kl_div":                           {op: "kl_div", args: "x t" + how + "log_target"},
		"hinge_embedding_loss":             {op: "hinge_embedding", args: "x t margin" + how},
		"margin_ranking_loss":              {op: "margin_ranking", args: "x1 x2 t margin" + how},
		"soft_margin_loss":                 {op: "soft_margin", args: "x t" + how},
		"cosine_embedding_loss":            {op: "cosine_embedding", args: "x1 x2 t margin" + how},
		"triplet_margin_loss":              {op: "triplet_margin", args: "a p n margin norm_p eps swap" + how},
		"poisson_nll_loss":                 {op: "poisson_nll", args: "x t log_input full size_average- eps reduce- reduction"},
		"multi_margin_loss":                {op: "multi_margin", args: "x t p margin weight" + how, say: func(a *goldenArgs) { a.atLeast1("x") }},
		"multilabel_margin_loss":           {op: "multilabel_margin", args: "x t" + how, say: func(a *goldenArgs) { a.atLeast1("x", "t") }},
		"multilabel_soft_margin_loss":      {op: "multilabel_soft_margin", args: "x t weight" + how, say: func(a *goldenArgs) { a.atLeast1("x", "t") }},
		"gaussian_nll_loss": {op: "gaussian_nll", args: "x t var full eps reduction", say: func(a *goldenArgs) {
			x, v := a.tensor("x").Shape, a.tensor("var").Shape
			if len(x) > 0 && slices.Equal(v, x[:len(x)-1]) {
				a.reshape("var", append(slices.Clone(v), 1)...)
			}
		}},
		"nll_loss": {op: "nll", args: "x=logp t weight size_average- ignore_index reduce- reduction", say: classAxis},
		"cross_entropy": {op: "cross_entropy", args: "x t weight size_average- ignore_index reduce- reduction label_smoothing", say: func(a *goldenArgs) {
			classAxis(a)
			if t := a.tensor("t"); t.DType == "float64" {
				a.g.op = "loss.cross_entropy_prob"
				a.drop("ignore_index")
			}
		}},
	}
	all := map[string]goldenForm{}
	for name, f := range r {
		f.op = "loss." + f.op
		all["nn."+name] = f
	}
	return all
}

// classAxis: the classes are along the second axis, or the only one.
func classAxis(a *goldenArgs) { a.set("axis", float64(min(1, a.rank("x")-1))) }

// drop takes an attribute back.
func (a *goldenArgs) drop(name string) {
	for i, x := range a.g.attrs {
		if x.Name == name {
			a.g.attrs = slices.Delete(a.g.attrs, i, i+1)
			return
		}
	}
}

// goldenAlgebra are products.
func goldenAlgebra() map[string]goldenForm {
	matmul := func(a *goldenArgs) {
		x, z := a.rank("x") > 1, a.rank("z") > 1
		a.g.op = "linalg." + map[[2]bool]string{{false, false}: "dot", {true, true}: "matmul", {true, false}: "matvec", {false, true}: "vecmat"}[[2]bool{x, z}]
	}
	return map[string]goldenForm{
		"nn.linear":               {op: "linalg.linear", args: "x weight=w bias=b"},
		"nn.bilinear":             {op: "linalg.bilinear", args: "x z weight=w bias=b"},
		"dot":                     {op: "linalg.dot", args: "x z"},
		"vdot":                    {op: "linalg.dot", args: "x z"},
		"outer":                   {op: "linalg.outer", args: "x z"},
		"mv":                      {op: "linalg.mv", args: "x z"},
		"mm":                      {op: "linalg.matmul", args: "x z"},
		"bmm":                     {op: "linalg.matmul", args: "x z"},
		"matmul":                  {op: "linalg.matmul", args: "x z", say: matmul},
		"addmm":                   {op: "linalg.addmm", args: "c x z beta alpha"},
		"addmv":                   {op: "linalg.addmv", args: "c x z beta alpha"},
		"baddbmm":                 {op: "linalg.baddbmm", args: "c x z beta alpha"},
		"addbmm":                  {op: "algebra.addbmm", args: "c x z beta alpha"},
		"addr":                    {op: "algebra.addr", args: "c x z beta alpha"},
		"nn.cosine_similarity":    {op: "linalg.cosine_similarity", args: "x z dim=axis eps"},
		"nn.pairwise_distance":    {op: "linalg.pairwise_distance", args: "x z p eps keepdim=keepdims"},
		"nn.normalize":            {op: "linalg.normalize", args: "x p dim=axis eps"},
		"cross":                   {op: "linalg.cross", args: "x z dim=axis"},
		"linalg.cross":            {op: "linalg.cross", args: "x z dim=axis"},
		"linalg.vecdot":           {op: "algebra.vecdot", args: "x z dim=axis"},
		"trace":                   {op: "linalg.trace", args: "x"},
		"tril":                    {op: "linalg.tril", args: "x diagonal"},
		"triu":                    {op: "linalg.triu", args: "x diagonal"},
		"dist":                    {op: "linalg.dist", args: "x z p"},
		"tensordot":               {op: "algebra.contract2", args: "x z dims!", say: func(a *goldenArgs) { a.need("dims", 2) }},
		"einsum":                  {op: "linalg.matmul", args: "operands! equation!", say: einsum},
		"nn.scaled_dot_attention": {op: "attention.scaled_dot_product_attention", args: "q k v"},
		"nn._scaled_dot_product_attention": {op: "attention.scaled_dot_product_attention", args: "q k v attn_mask! dropout_p! need_attn_weights- is_causal=causal",
			say: func(a *goldenArgs) {
				if a.number("dropout_p", 0) != 0 {
					a.refuse("random numbers differ")
				}
				if m := a.tensor("attn_mask"); m != nil && m.DType == "bool" {
					a.set("mask", m)
				} else if m != nil {
					a.set("bias", m)
				}
			}},
	}
}

// need refuses other values of an argument than the one that the form is for.
func (a *goldenArgs) need(name string, want float64) {
	if a.number(name, math.NaN()) != want {
		a.refuse(name + " is something else here")
	}
}

// einsum is written in the language, so each equation is an op of its own; these are the ones that there are.
func einsum(a *goldenArgs) {
	list, _ := a.given["operands"].([]any)
	give := func(op string, names ...string) {
		a.g.op = op
		for i, n := range names {
			if i < len(list) {
				a.set(n, list[i])
			}
		}
	}
	switch a.text("equation", "") {
	case "i->":
		give("algebra.total", "x")
	case "ij->i":
		give("reduce.sum", "x")
		a.setList("axes", []float64{1})
	case "aij,jk->aik":
		give("linalg.matmul", "x", "z")
	case "ij,Ab->ijAb":
		give("algebra.outer2", "x", "z")
	case "iji->j":
		give("algebra.diagonal_sum", "x")
	case "...ik, ...j -> ij":
		give("algebra.sum_of_outer", "x", "z")
	default:
		a.refuse("an equation in a string: it is an op of its own in opgen")
	}
}
