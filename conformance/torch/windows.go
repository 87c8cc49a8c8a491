package torch

import (
	"fmt"
	"math"
	"slices"
)

// windows are convolutions, pools, interpolations and paddings.
func windows() map[string]form {
	r := map[string]form{}
	r["nn.grid_sample"] = form{op: "window.grid_sample", args: "x grid mode padding_mode=padding align_corners", say: func(a *arguments) {
		if a.rank("x") == 5 {
			a.g.op = "window.grid_sample_volume"
		}
	}}
	for n := 1; n <= 3; n++ {
		axes := fmt.Sprintf("%dd", n)
		r["nn.conv"+axes] = form{op: "window.conv", args: "x weight=w bias=b stride! padding! dilation! groups", say: func(a *arguments) { conv(a, n) }}
		r["nn.conv_transpose"+axes] = form{op: "window.conv_transpose", args: "x weight=w bias=b stride! padding! output_padding! groups dilation!",
			say: func(a *arguments) {
				a.windowLists(n, "stride", "padding=pad", "dilation", "output_padding=output_pad")
				a.fillLists(n)
			}}
		r["nn.max_pool"+axes] = form{op: "window.max_pool", args: "x kernel_size! stride! padding! dilation! ceil_mode return_indices-",
			say: func(a *arguments) { a.windowLists(n, "kernel_size=kernel", "stride", "padding=pad", "dilation") }}
		r["nn.avg_pool"+axes] = form{op: "window.avg_pool", args: "x kernel_size! stride! padding! ceil_mode count_include_pad divisor_override=divisor",
			say: func(a *arguments) { a.windowLists(n, "kernel_size=kernel", "stride", "padding=pad") }}
		for _, kind := range []string{"avg", "max"} {
			r["nn.adaptive_"+kind+"_pool"+axes] = form{op: "window.adaptive_" + kind + "_pool", args: "x output_size! return_indices-",
				say: func(a *arguments) { adaptive(a, n) }}
		}
	}
	r["nn.unfold"] = form{op: "window.unfold", args: "x kernel_size! dilation! padding! stride!",
		say: func(a *arguments) { a.windowLists(2, "kernel_size=kernel", "stride", "padding=pad", "dilation") }}
	for mode, ours := range map[string]string{"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic", "area": "area"} {
		r["nn.interpolate."+mode] = form{op: "window.interpolate_" + ours,
			args: "x size! scale_factor! mode- align_corners! recompute_scale_factor! antialias!", say: interpolate}
	}
	r["nn.upsample_bilinear"] = form{op: "window.interpolate_linear", args: "x size! scale_factor!", say: func(a *arguments) {
		a.given["align_corners"] = true
		interpolate(a)
	}}
	r["nn.upsample_nearest"] = form{op: "window.interpolate_nearest", args: "x size! scale_factor!", say: interpolate}
	r["nn.pixel_shuffle"] = form{op: "window.pixel_shuffle", args: "x upscale_factor=factor"}
	r["nn.pixel_unshuffle"] = form{op: "window.pixel_unshuffle", args: "x downscale_factor=factor"}
	for _, mode := range []string{"constant", "reflect", "replicate", "circular"} {
		r["nn.pad."+mode] = form{op: "window.pad_" + mode, args: "x pad! mode- value!", say: func(a *arguments) {
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
func (a *arguments) windowLists(n int, names ...string) {
	for _, w := range names {
		name, ours, _ := splitArg(w)
		a.list(name, ours, n)
	}
}

// fillLists gives a list where no attribute says how many axes there are.
func (a *arguments) fillLists(n int) {
	if _, ok := a.numbers("stride"); !ok {
		a.setList("stride", slices.Repeat([]float64{1}, n))
	}
}

// conv: padding may be a word.
func conv(a *arguments, n int) {
	a.windowLists(n, "dilation")
	switch a.text("padding", "") {
	case "":
		a.windowLists(n, "padding=pad")
	case "same":
		a.g.op = "window.conv_same"
		if _, ok := a.numbers("dilation"); !ok {
			a.setList("dilation", slices.Repeat([]float64{1}, n))
		}
		return
	}
	a.windowLists(n, "stride")
	a.fillLists(n)
}

// adaptive: a size left out is that of the input.
func adaptive(a *arguments, n int) {
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
func interpolate(a *arguments) {
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
