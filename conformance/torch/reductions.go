package torch

import (
	"math"
	"slices"
)

// axesOf gives `axes` from a dim that is a number, a list, or left out for all.
func axesOf(a *arguments) {
	if v, ok := a.numbers("dim"); ok && len(v) > 0 {
		a.setList("axes", v)
	} else {
		a.set("axes", "all")
	}
}

// reductions reduce, scan and normalize.
func reductions() map[string]form {
	r := map[string]form{}
	for _, name := range []string{"sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "nansum", "nanmean", "logsumexp"} {
		r[name] = form{op: "reduce." + name, args: "x dim! keepdim=keepdims dtype-", say: axesOf}
	}
	for _, name := range []string{"var", "std", "var_mean", "std_mean"} {
		r[name] = form{op: "reduce." + name, args: "x dim! unbiased! keepdim=keepdims correction", say: func(a *arguments) {
			if b, is := a.given["dim"].(bool); is { // the second argument may be either
				a.given["unbiased"], a.given["dim"] = b, nil
			}
			axesOf(a)
			if b, is := a.given["unbiased"].(bool); is && !b {
				a.set("correction", 0.0)
			}
		}}
	}
	// norm gives p; the norm of a matrix is one of those that sums of its columns or rows give.
	norm := func(a *arguments, name string, matrices bool) {
		dim, ok := a.numbers("dim")
		matrices = matrices && (len(dim) == 2 || !ok && a.rank("x") == 2)
		switch p := a.given[name].(type) {
		case float64:
			if matrices {
				word := map[float64]string{1: "one", -1: "minus_one", math.Inf(1): "infinite", math.Inf(-1): "minus_infinite"}[p]
				if word == "" {
					a.refuse("a norm of matrices by singular values")
				}
				a.g.op = "linalg.matrix_norm"
				a.set("ord", word)
				if ok {
					a.lastAxes("x", dim)
				}
				return
			}
			if float64(float32(p)) != p {
				a.g.deviates = deviation{value, "PyTorch rounds the order of a norm to float32"}
			}
			a.set("p", p)
		case string:
			if p != "fro" {
				a.refuse("a norm of matrices by singular values")
			}
		}
		axesOf(a)
	}
	r["linalg.vector_norm"] = form{op: "reduce.vector_norm", args: "x ord! dim! keepdim=keepdims dtype-",
		say: func(a *arguments) { norm(a, "ord", false) }}
	for _, name := range []string{"linalg.norm", "linalg.norm.subgradients_at_zero"} {
		r[name] = form{op: "reduce.vector_norm", args: "x ord! dim! keepdim=keepdims dtype-", say: func(a *arguments) {
			if x := a.tensor("x"); len(x.Data) > 0 && slices.Max(x.Data) == 0 && slices.Min(x.Data) == 0 {
				a.g.deviates = deviation{second, "at 0, PyTorch's second derivative of the norm is NaN; it is 0 here"}
			}
			norm(a, "ord", true)
		}}
	}
	for _, name := range []string{"norm", "norm.fro", "norm.inf", "norm.nuc"} {
		r[name] = form{op: "reduce.vector_norm", args: "x p! dim! keepdim=keepdims dtype-",
			say: func(a *arguments) { norm(a, "p", false) }}
	}
	r["max.reduction_with_dim"] = form{op: "reduce.max_dim", args: "x dim=axis keepdim=keepdims"}
	r["min.reduction_with_dim"] = form{op: "reduce.min_dim", args: "x dim=axis keepdim=keepdims"}
	r["max.reduction_no_dim"] = form{op: "reduce.amax", args: "x"}
	r["min.reduction_no_dim"] = form{op: "reduce.amin", args: "x"}
	for name, ours := range map[string]string{"softmax": "softmax", "softmax.with_dtype": "softmax", "log_softmax": "log_softmax", "log_softmax.dtype": "log_softmax",
		"nn.softmin": "softmin", "nn.softmin.with_dtype": "softmin", "cumsum": "cumsum", "cumprod": "cumprod", "logcumsumexp": "logcumsumexp", "cummax": "cummax",
		"cummin": "cummin"} {
		r[name] = form{op: "reduce." + ours, args: "x dim=axis dtype-"}
	}
	r["diff"] = form{op: "reduce.diff", args: "x n! dim=axis prepend append", say: func(a *arguments) {
		n := a.number("n", 1)
		if n == 1 {
			return
		}
		if n == 0 {
			// Nothing is taken off, nor put in front or behind.
			delete(a.g.inputs, "prepend")
			delete(a.g.inputs, "append")
		}
		a.g.op = "reduce.diff_order"
		a.set("n", n)
	}}
	r["trapezoid"] = form{op: "reduce.trapezoid", args: "y x dim=axis dx"}
	r["renorm"] = form{op: "linalg.renorm", args: "x p dim=axis maxnorm=limit"}
	r["nn.layer_norm"] = form{op: "norm.layer_norm", args: "x normalized_shape! weight bias eps", say: func(a *arguments) {
		shape, _ := a.numbers("normalized_shape")
		axes := []float64{}
		for i := range shape {
			axes = append(axes, float64(i-len(shape)))
		}
		a.setList("axes", axes)
	}}
	r["nn.group_norm"] = form{op: "norm.group_norm", args: "x groups weight bias eps"}
	r["nn.batch_norm"] = form{op: "norm.batch_norm", args: "x running_mean running_var weight bias training momentum eps",
		say: func(a *arguments) { a.set("axis", float64(min(1, a.rank("x")-1))) }}
	r["nn.instance_norm"] = form{op: "norm.instance_norm", args: "x running_mean running_var weight bias use_input_stats momentum eps"}
	r["nn.local_response_norm"] = form{op: "norm.local_response_norm", args: "x size alpha beta k"}
	return r
}
