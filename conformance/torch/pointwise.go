package torch

import (
	"fmt"
	"maps"
)

// forms are PyTorch's functions, by name and variant, in ours.
var forms = func() map[string]form {
	r := map[string]form{}
	for _, part := range []map[string]form{pointwise(), reductions(), losses(), algebra(), indexing(), windows()} {
		maps.Copy(r, part)
	}
	return r
}()

// pointwise are functions of elements.
func pointwise() map[string]form {
	r := map[string]form{}
	for name, ours := range map[string]string{
		"special.entr": "entr", "special.ndtr": "ndtr", "special.ndtri": "ndtri",
		"round.decimals_0": "round_decimals", "round.decimals_3": "round_decimals", "round.decimals_neg_3": "round_decimals", "sgn": "sign",
	} {
		r[name] = form{op: "pointwise." + ours, args: "x inplace- decimals"}
	}
	for _, name := range []string{"abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc",
		"erfinv", "exp", "exp2", "expm1", "floor", "frac", "isfinite", "isinf", "isnan", "lgamma", "log", "log10", "log1p", "log2", "logical_not", "neg",
		"rad2deg", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "signbit", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc"} {
		r[name] = form{op: "pointwise." + name, args: "x"}
	}
	for name, ours := range map[string]string{"maximum": "max", "minimum": "min", "max.binary": "max", "min.binary": "min", "float_power": "pow",
		"div.no_rounding_mode": "div", "true_divide": "div", "special.xlog1py": "xlog1py"} {
		r[name] = form{op: "pointwise." + ours, args: "x z# rounding_mode-"}
	}
	for name, ours := range map[string]string{"i0": "i0", "special.i0e": "i0e", "special.i1": "i1", "special.i1e": "i1e",
		"special.erfcx": "erfcx", "special.log_ndtr": "log_ndtr"} {
		r[name] = form{op: "pointwise." + ours, args: "x"}
	}
	for _, name := range []string{"bessel_j0", "bessel_j1"} {
		r["special."+name] = form{op: "pointwise." + name, args: "x", deviates: deviation{value, "PyTorch's Bessel functions have eight digits"}}
	}
	r["special.zeta"] = form{op: "pointwise.zeta", args: "x# z#"}
	for n := range 5 {
		r[fmt.Sprintf("polygamma.polygamma_n_%d", n)] = form{op: "pointwise.polygamma", args: "x n"}
	}
	for _, name := range []string{"atan2", "clamp_max", "clamp_min", "copysign", "eq", "fmax", "fmin", "ge", "gt", "heaviside", "hypot", "le", "logaddexp",
		"logaddexp2", "logical_or", "lt", "mul", "ne", "pow", "xlogy"} {
		r[name] = form{op: "pointwise." + name, args: "x# z#"}
	}
	for name, ours := range map[string]string{"add": "add", "sub": "sub", "div.floor_rounding": "floor_divide", "div.trunc_rounding": "trunc_divide",
		"floor_divide": "floor_divide", "remainder": "remainder", "fmod": "fmod", "logical_and": "logical_and", "logical_xor": "logical_xor"} {
		r[name] = form{op: "pointwise." + ours, args: "x# z# alpha rounding_mode-"}
	}
	r["rsub"] = form{op: "pointwise.rsub", args: "x# z# alpha"}
	r["addcdiv"] = form{op: "pointwise.addcdiv", args: "x a b value"}
	r["addcmul"] = form{op: "pointwise.addcmul", args: "x a b value"}
	r["lerp"] = form{op: "pointwise.lerp", args: "x z w#"}
	r["clamp"] = form{op: "pointwise.clamp", args: "x min=lo# max=hi#"}
	r["nan_to_num"] = form{op: "pointwise.nan_to_num", args: "x nan=nan_value posinf neginf"}
	r["logit"] = form{op: "pointwise.logit", args: "x eps"}
	for name, form := range map[string]form{
		"relu": {args: "x inplace-"}, "relu6": {args: "x inplace-"}, "leaky_relu": {args: "x negative_slope=slope inplace-"},
		"elu": {args: "x alpha inplace-"}, "celu": {args: "x alpha inplace-"}, "gelu": {args: "x approximate"}, "silu": {args: "x inplace-"},
		"mish": {args: "x inplace-"}, "softplus": {args: "x beta threshold"}, "softshrink": {args: "x lambd=lambda"}, "hardswish": {args: "x inplace-"},
		"selu": {args: "x inplace-"}, "softsign": {args: "x"}, "tanhshrink": {args: "x"},
		"glu": {args: "x dim=axis"},
		"prelu": {args: "x weight=w", say: func(a *arguments) {
			a.set("axis", float64(min(1, max(a.rank("x")-1, 0))))
			a.atLeast1("w")
		}},
	} {
		form.op = "activation." + name
		r["nn."+name] = form
	}
	r["nn.logsigmoid"] = form{op: "activation.log_sigmoid", args: "x"}
	r["nn.hardshrink"] = form{op: "activation.hardshrink", args: "x lambd=lambda"}
	r["nn.hardsigmoid"] = form{op: "activation.hardsigmoid", args: "x inplace-", deviates: deviation{gradient, "PyTorch's derivative has 1/6 in float32"}}
	r["nn.hardtanh"] = form{op: "activation.hardtanh", args: "x min_val=lo max_val=hi inplace-"}
	r["nn.threshold"] = form{op: "activation.threshold", args: "x threshold=limit value inplace-"}
	r["masked_fill"] = form{op: "index.masked_fill", args: "x mask value!", say: func(a *arguments) {
		if v := a.tensor("value"); v != nil {
			a.g.op = "index.where"
			a.set("z", a.tensor("x"))
			a.set("x", v)
		} else {
			a.set("value", a.number("value", 0))
		}
	}}
	r["where"] = form{op: "index.where", args: "x condition=mask z#"}
	return r
}
