package conformance

import (
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// goldenIndexing are functions that move elements.
func goldenIndexing() map[string]goldenForm {
	repeat := func(a *goldenArgs) {
		times, _ := a.numbers("times")
		for len(times) < a.rank("x") {
			times = append([]float64{1}, times...)
		}
		shape := a.tensor("x").Shape
		if len(times) == 0 {
			a.g.op = "index.flip" // nothing is repeated, and nothing turned
			a.setList("axes", nil)
			return
		}
		a.reshape("x", append(slices.Repeat([]int{1}, len(times)-len(shape)), shape...)...)
		a.setList("times", times)
	}
	swap := func(a *goldenArgs) {
		n := a.rank("x")
		perm := make([]float64, n)
		for i := range perm {
			perm[i] = float64(i)
		}
		i, j := (int(a.number("dim0", 0))+n)%max(n, 1), (int(a.number("dim1", 0))+n)%max(n, 1)
		if n > 0 {
			perm[i], perm[j] = perm[j], perm[i]
		}
		a.setList("perm", perm)
	}
	return map[string]goldenForm{
		"nn.embedding": {op: "index.embedding", args: "x! z! padding_idx max_norm- norm_type- scale_grad_by_freq! sparse-", say: func(a *goldenArgs) {
			w, idx := a.tensor("x"), a.tensor("z")
			if w.DType != "float64" {
				w, idx = idx, w
			}
			if a.given["max_norm"] != nil || a.is("scale_grad_by_freq") {
				a.refuse("rows that the call renormalizes or weighs by their number")
			}
			a.set("w", w)
			a.set("idx", idx)
			if p := a.number("padding_idx", 0); p < 0 {
				a.drop("padding_idx")
				a.set("padding_idx", p+float64(w.Shape[0]))
			}
		}},
		"nn.embedding_bag": {op: "index.embedding_bag", args: "x! z! offsets! mode! max_norm! norm_type- scale_grad_by_freq! sparse- per_sample_weights! " +
			"include_last_offset! padding_idx!", say: embeddingBag},
		"gather": {op: "index.gather", args: "x dim=axis idx sparse_grad-"},
		"take_along_dim": {op: "index.take_along_dim", args: "x idx dim=axis", say: func(a *goldenArgs) {
			if _, ok := a.numbers("dim"); !ok {
				a.reshape("x", len(a.tensor("x").Data))
				a.reshape("idx", len(a.tensor("idx").Data))
				a.set("axis", 0.0)
			}
		}},
		"index_select": {op: "index.index_select", args: "x dim=axis idx", say: func(a *goldenArgs) { a.atLeast1("idx") }},
		"index_add":    {op: "index.index_add", args: "x dim=axis idx src alpha", say: func(a *goldenArgs) { a.atLeast1("idx") }},
		"scatter_add":  {op: "index.scatter_add", args: "x dim=axis idx src"},
		"flip":         {op: "index.flip", args: "x dims!", say: func(a *goldenArgs) { axesFrom(a, "dims", "axes") }},
		"roll": {op: "index.roll", args: "x shifts! dims!", say: func(a *goldenArgs) {
			shifts, _ := a.numbers("shifts")
			dims, ok := a.numbers("dims")
			if !ok || len(dims) == 0 {
				// Without axes, elements in their order are one axis.
				a.reshape("x", len(a.tensor("x").Data))
				dims = []float64{0}
				a.g.Out[0].Shape = []int{len(a.tensor("x").Data)}
			}
			a.setList("shifts", shifts)
			a.setList("axes", dims)
		}},
		"repeat":  {op: "index.repeat", args: "x times!", say: repeat},
		"tile":    {op: "index.repeat", args: "x times!", say: repeat},
		"permute": {op: "index.permute", args: "x dims!", say: func(a *goldenArgs) { axesFrom(a, "dims", "perm") }},
		"rot90": {op: "index.flip", args: "x k! dims!", say: func(a *goldenArgs) {
			dims, ok := a.numbers("dims")
			if !ok {
				dims = []float64{0, 1}
			}
			switch k := (int(a.number("k", 1))%4 + 4) % 4; k {
			case 0:
				a.setList("axes", nil)
			case 2:
				a.setList("axes", dims)
			default:
				a.g.op = fmt.Sprintf("algebra.turn%d", k)
				a.set("first", dims[0])
				a.set("second", dims[1])
			}
		}},
		"transpose": {op: "index.permute", args: "x dim0! dim1!", say: swap},
	}
}

func axesFrom(a *goldenArgs, name, ours string) {
	v, _ := a.numbers(name)
	a.setList(ours, v)
}

// embeddingBag: bags are rows of idx, or what lies between offsets.
func embeddingBag(a *goldenArgs) {
	w, idx := a.tensor("x"), a.tensor("z")
	if w.DType != "float64" {
		w, idx = idx, w
	}
	if a.given["max_norm"] != nil || a.is("scale_grad_by_freq") {
		a.refuse("rows that the call renormalizes or weighs by their number")
	}
	a.set("w", w)
	a.set("idx", idx)
	scale := a.tensor("per_sample_weights")
	if scale != nil {
		a.set("scale", scale)
	}
	if len(idx.Shape) == 2 {
		n, m := idx.Shape[0], idx.Shape[1]
		a.reshape("idx", n*m)
		if scale != nil {
			a.reshape("scale", n*m)
		}
		offsets := ir.NewArray(n)
		for i := range n {
			offsets.Data[i] = float64(i * m)
		}
		a.g.inputs["offsets"] = offsets
	} else if o := a.tensor("offsets"); o != nil {
		a.set("offsets", o)
		if a.is("include_last_offset") {
			x := a.g.inputs["offsets"]
			x.Shape = []int{len(x.Data) - 1}
			x.Data = x.Data[:len(x.Data)-1]
		}
	}
	a.set("mode", a.text("mode", "mean"))
	if p := a.number("padding_idx", math.NaN()); p == p {
		rows := float64(w.Shape[0])
		a.set("padding_idx", math.Mod(p+rows, rows))
	}
}

// goldenWindows are convolutions, pools, interpolations and paddings.
func goldenWindows() map[string]goldenForm {
	r := map[string]goldenForm{}
	for n := 1; n <= 3; n++ {
		axes := fmt.Sprintf("%dd", n)
		r["nn.conv"+axes] = goldenForm{op: "window.conv", args: "x weight=w bias=b stride! padding! dilation! groups", say: func(a *goldenArgs) { conv(a, n) }}
		r["nn.conv_transpose"+axes] = goldenForm{op: "window.conv_transpose", args: "x weight=w bias=b stride! padding! output_padding! groups dilation!",
			say: func(a *goldenArgs) {
				a.windowLists(n, "stride", "padding=pad", "dilation", "output_padding=output_pad")
				a.fillLists(n)
			}}
		r["nn.max_pool"+axes] = goldenForm{op: "window.max_pool", args: "x kernel_size! stride! padding! dilation! ceil_mode return_indices-",
			say: func(a *goldenArgs) { a.windowLists(n, "kernel_size=kernel", "stride", "padding=pad", "dilation") }}
		r["nn.avg_pool"+axes] = goldenForm{op: "window.avg_pool", args: "x kernel_size! stride! padding! ceil_mode count_include_pad divisor_override=divisor",
			say: func(a *goldenArgs) { a.windowLists(n, "kernel_size=kernel", "stride", "padding=pad") }}
		for _, kind := range []string{"avg", "max"} {
			r["nn.adaptive_"+kind+"_pool"+axes] = goldenForm{op: "window.adaptive_" + kind + "_pool", args: "x output_size! return_indices-",
				say: func(a *goldenArgs) { adaptive(a, n) }}
		}
	}
	r["nn.unfold"] = goldenForm{op: "window.unfold", args: "x kernel_size! dilation! padding! stride!",
		say: func(a *goldenArgs) { a.windowLists(2, "kernel_size=kernel", "stride", "padding=pad", "dilation") }}
	for mode, ours := range map[string]string{"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic", "area": "area"} {
		r["nn.interpolate."+mode] = goldenForm{op: "window.interpolate_" + ours,
			args: "x size! scale_factor! mode- align_corners! recompute_scale_factor! antialias!", say: interpolate}
	}
	r["nn.upsample_bilinear"] = goldenForm{op: "window.interpolate_linear", args: "x size! scale_factor!", say: func(a *goldenArgs) {
		a.given["align_corners"] = true
		interpolate(a)
	}}
	r["nn.upsample_nearest"] = goldenForm{op: "window.interpolate_nearest", args: "x size! scale_factor!", say: interpolate}
	r["nn.pixel_shuffle"] = goldenForm{op: "window.pixel_shuffle", args: "x upscale_factor=factor"}
	r["nn.pixel_unshuffle"] = goldenForm{op: "window.pixel_unshuffle", args: "x downscale_factor=factor"}
	for _, mode := range []string{"constant", "reflect", "replicate", "circular"} {
		r["nn.pad."+mode] = goldenForm{op: "window.pad_" + mode, args: "x pad! mode- value!", say: func(a *goldenArgs) {
			p, _ := a.numbers("pad")
			var axes, before, after []float64
			for i := 0; i+1 < len(p); i += 2 {
				axes = append(axes, float64(a.rank("x")-1-i/2))
				before, after = append(before, p[i]), append(after, p[i+1])
			}
			a.setList("axes", axes)
			a.setList("before", before)
			a.setList("after", after)
			if mode == "constant" {
				a.set("value", a.number("value", 0))
			}
		}}
	}
	return r
}

// windowLists gives list attributes, each `name` or `name=ours`, n entries long.
func (a *goldenArgs) windowLists(n int, names ...string) {
	for _, w := range names {
		name, ours, _ := splitArg(w)
		a.list(name, ours, n)
	}
}

// fillLists gives a list where no attribute says how many axes there are.
func (a *goldenArgs) fillLists(n int) {
	if _, ok := a.numbers("stride"); !ok {
		a.setList("stride", slices.Repeat([]float64{1}, n))
	}
}

// conv: padding may be a word.
func conv(a *goldenArgs, n int) {
	a.windowLists(n, "dilation")
	switch a.text("padding", "") {
	case "":
		a.windowLists(n, "padding=pad")
	case "same":
		a.g.op = "algebra.conv_same"
		if _, ok := a.numbers("dilation"); !ok {
			a.setList("dilation", slices.Repeat([]float64{1}, n))
		}
		return
	}
	a.windowLists(n, "stride")
	a.fillLists(n)
}

// adaptive: a size left out is that of the input.
func adaptive(a *goldenArgs, n int) {
	shape := a.tensor("x").Shape
	size := []float64{}
	switch v := a.given["output_size"].(type) {
	case float64:
		size = slices.Repeat([]float64{v}, n)
	case []any:
		for i, e := range v {
			x, is := e.(float64)
			if !is {
				x = float64(shape[len(shape)-len(v)+i])
			}
			size = append(size, x)
		}
	}
	a.setList("size", size)
}

// interpolate: by size or scale; area is an adaptive mean.
func interpolate(a *goldenArgs) {
	n := a.rank("x") - 2
	if a.is("antialias") || a.is("recompute_scale_factor") {
		a.refuse("a filter against aliasing, or a scale that is computed anew")
	}
	if a.g.op == "window.interpolate_area" {
		a.g.op = "window.adaptive_avg_pool"
		size, ok := a.numbers("size")
		if !ok {
			scale, _ := a.numbers("scale_factor")
			for i, s := range fill(scale, n) {
				size = append(size, math.Floor(float64(a.tensor("x").Shape[2+i])*s))
			}
		}
		a.setList("size", fill(size, n))
		return
	}
	a.windowLists(n, "size", "scale_factor=scale")
	if a.g.op != "window.interpolate_nearest" {
		a.set("align_corners", a.is("align_corners"))
	}
}
