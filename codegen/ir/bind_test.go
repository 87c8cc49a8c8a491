package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// signature makes a declaration of params written as "name: axis axis …", packs as "...B", optional axes as "C?",
// products as "(G,K)", outputs after "->". Its function sums all axes that an output lacks.
func signature(text string, attrs ...*ir.AttrDecl) *ir.OpDecl {
	decl := &ir.OpDecl{Package: "p", Name: "op", Attrs: attrs}
	b := irtest.New("op")
	axes := map[string]*ir.Axis{}
	axis := func(r ir.AxisRef) *ir.Axis {
		if axes[r.Name] == nil {
			axes[r.Name] = &ir.Axis{Name: r.Name, Pack: r.Pack}
			b.F.Axes = append(b.F.Axes, axes[r.Name])
		}
		return axes[r.Name]
	}
	var parse func(s string) ir.AxisRef
	parse = func(s string) ir.AxisRef {
		if strings.HasPrefix(s, "(") {
			var r ir.AxisRef
			for _, f := range strings.Split(strings.Trim(s, "()"), ",") {
				r.Product = append(r.Product, parse(f))
			}
			return r
		}
		r := ir.AxisRef{Name: strings.Trim(s, ".?"), Pack: strings.HasPrefix(s, "..."), Optional: strings.HasSuffix(s, "?")}
		axis(r)
		return r
	}
	flat := func(refs []ir.AxisRef) []*ir.Axis {
		var r []*ir.Axis
		for _, x := range refs {
			if x.Product != nil {
				for _, f := range x.Product {
					r = append(r, axis(f))
				}
			} else {
				r = append(r, axis(x))
			}
		}
		return r
	}
	ins, outs, _ := strings.Cut(text, "->")
	param := func(s string) *ir.Param {
		name, list, _ := strings.Cut(strings.TrimSpace(s), ":")
		p := &ir.Param{Name: strings.Trim(name, "?"), Elem: irtest.T, Optional: strings.HasSuffix(name, "?")}
		for _, a := range strings.Fields(list) {
			p.Axes = append(p.Axes, parse(a))
		}
		return p
	}
	body := ir.Cast(ir.Int(1), ir.TypedAs(irtest.T))
	vars := map[*ir.Axis]*ir.Var{}
	for _, s := range strings.Split(ins, ";") {
		p := param(s)
		decl.Inputs = append(decl.Inputs, p)
		t := b.In(p.Name, flat(p.Axes)...)
		t.Optional = p.Optional
		if p.Optional {
			t.Default = ir.Int(1).Const
		}
		for _, a := range t.Axes {
			if vars[a] == nil {
				vars[a] = irtest.Over(strings.ToLower(a.Name), a)
			}
		}
		var at []*ir.Var
		for _, a := range t.Axes {
			at = append(at, vars[a])
		}
		body = ir.Mul(body, irtest.At(t, at...))
	}
	p := param(outs)
	p.Mode = ir.Output
	decl.Outputs = []*ir.Param{p}
	var dest, reduced []*ir.Var
	in := map[*ir.Axis]bool{}
	for _, a := range flat(p.Axes) {
		in[a] = true
		if vars[a] == nil {
			vars[a] = irtest.Over(strings.ToLower(a.Name), a)
		}
		dest = append(dest, vars[a])
	}
	for _, a := range b.F.Axes {
		if !in[a] {
			reduced = append(reduced, vars[a])
		}
	}
	b.Out(p.Name, ir.Sum, dest, reduced, body)
	decl.Variants = []*ir.Variant{{Forward: b.F}}
	return decl
}

// count fills an array with 1, 2, 3, …
func count(shape ...int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		a.Data[i] = float64(i + 1)
	}
	return a
}

func axisAttr(name string, kind ir.AttrKind, axes ...string) *ir.AttrDecl {
	return &ir.AttrDecl{Name: name, Kind: kind, Axes: axes, Default: ir.Int(-1)}
}

func TestBind(t *testing.T) {
	type call struct {
		attrs  []ir.ExampleAttr
		inputs map[string]*ir.Array
		want   string // shape and data of the output, or an error
	}
	num := func(name string, n float64) []ir.ExampleAttr { return []ir.ExampleAttr{{Name: name, Number: n}} }
	in := func(kv ...any) map[string]*ir.Array {
		m := map[string]*ir.Array{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1].(*ir.Array)
		}
		return m
	}
	for _, c := range []struct {
		decl  *ir.OpDecl
		calls []call
	}{
		{signature("x: ...B; z: ...B -> y: ...B"), []call{
			{nil, in("x", count(2, 3), "z", count(3)), "[2 3] [1 4 9 4 10 18]"},
			{nil, in("x", count(2, 1), "z", count(3)), "[2 3] [1 2 3 2 4 6]"},
			{nil, in("x", count(), "z", count()), "[] [1]"},
			{nil, in("x", count(0, 3), "z", count(1, 1)), "[0 3] []"},
			{nil, in("x", count(2), "z", count(3)), "p.op: z: axis B has extent 3 here and 2 before"},
			{nil, in("x", count(2)), "p.op: z: is missing"},
			{nil, in("x", count(2), "z", count(2), "w", count(2)), "p.op: w: is not an input"},
			{num("beta", 1), in("x", count(2), "z", count(2)), "p.op: beta: is not an attribute"},
		}},
		{signature("x: ...B I; w: O I; b?: O -> y: ...B O"), []call{
			{nil, in("x", count(2), "w", count(1, 2)), "[1] [5]"},
			{nil, in("x", count(2, 2), "w", count(3, 2), "b", count(3)), "[2 3] [5 22 51 11 50 117]"},
			{nil, in("x", count(), "w", count(1, 2)), "p.op: x: has 0 axes, too few"},
			{nil, in("x", count(2, 2), "w", count(3, 4)), "p.op: w: axis I has extent 4 here and 2 before"},
			{nil, in("x", count(2, 2), "w", count(2, 3, 2)), "p.op: w: has 3 axes, at most 2 fit"},
		}},
		{signature("x: ...B D -> y: ...B", axisAttr("axis", ir.AttrAxis, "D")), []call{
			{nil, in("x", count(2, 3)), "[2] [6 15]"},
			{num("axis", 0), in("x", count(2, 3)), "[3] [5 7 9]"},
			{num("axis", -2), in("x", count(2, 3)), "[3] [5 7 9]"},
			{num("axis", 1), in("x", count(2, 2, 2)), "[2 2] [4 6 12 14]"},
			{nil, in("x", count()), "[] [1]"},
			{num("axis", 1), in("x", count()), "p.op: axis: axis 1 is out of range for x with 1 axis"},
			{num("axis", 2), in("x", count(2, 3)), "p.op: axis: axis 2 is out of range for x with 2 axes"},
			{num("axis", 0.5), in("x", count(2, 3)), "p.op: axis: 0.5 is not a whole number"},
		}},
		{signature("x: ...B D -> y: ...B D", axisAttr("axis", ir.AttrAxis, "D")), []call{
			{num("axis", 0), in("x", count(2, 3)), "[2 3] [1 2 3 4 5 6]"},
			{nil, in("x", count()), "[] [1]"},
		}},
		{signature("x: ...B ...R; w?: ...R -> y: ...B ...R", axisAttr("axes", ir.AttrAxes, "R")), []call{
			{nil, in("x", count(2, 3), "w", count(3)), "[2 3] [1 4 9 4 10 18]"},
			{num("axes", 0), in("x", count(2, 3), "w", count(2)), "[2 3] [1 2 3 8 10 12]"},
			{[]ir.ExampleAttr{{Name: "axes", List: []float64{1, 0}}}, in("x", count(2, 3), "w", count(3, 2)), "[2 3] [1 6 15 8 20 36]"},
			{[]ir.ExampleAttr{{Name: "axes", List: []float64{0, -2}}}, in("x", count(2, 3)), "p.op: axes: axis 0 is named twice"},
			{[]ir.ExampleAttr{{Name: "axes", Word: "all"}}, in("x", count(2, 2), "w", count(2, 2)), "[2 2] [1 4 9 16]"},
		}},
		{signature("x: ...B ...R -> y: ...B", axisAttr("axes", ir.AttrAxes, "R"), &ir.AttrDecl{Name: "keepdims", Kind: ir.AttrKeep, Axes: []string{"R"}, Word: "false"}), []call{
			{nil, in("x", count(2, 3)), "[2] [6 15]"},
			{[]ir.ExampleAttr{{Name: "keepdims", Word: "true"}}, in("x", count(2, 3)), "[2 1] [6 15]"},
			{[]ir.ExampleAttr{{Name: "keepdims", Word: "true"}, {Name: "axes", Number: 0}}, in("x", count(2, 3)), "[1 3] [5 7 9]"},
			{[]ir.ExampleAttr{{Name: "keepdims", Word: "true"}, {Name: "axes", Word: "all"}}, in("x", count(2, 3)), "[1 1] [21]"},
		}},
		{signature("x: ...B C; w: C? -> y: ...B C", &ir.AttrDecl{Name: "axis", Kind: ir.AttrAxis, Axes: []string{"C"}, Default: ir.Int(1)}), []call{
			{nil, in("x", count(1, 2, 2), "w", count(2)), "[1 2 2] [1 2 6 8]"},
			{nil, in("x", count(1, 2, 2), "w", count(1)), "[1 2 2] [1 2 3 4]"},
			{nil, in("x", count(1, 2, 2), "w", count()), "[1 2 2] [1 2 3 4]"},
		}},
		{signature("x: N (G,K); w: G -> y: N (G,K)"), []call{
			{nil, in("x", count(1, 6), "w", count(2)), "[1 6] [1 2 3 8 10 12]"},
			{nil, in("x", count(1, 6), "w", count(4)), "p.op: x: an axis of extent 6 is not a multiple of 4"},
		}},
	} {
		for _, k := range c.calls {
			got := ""
			out, err := ir.EvalOp(c.decl, k.inputs, k.attrs, nil)
			if err != nil {
				got = err.Error()
			} else {
				got = fmt.Sprint(out["y"].Shape, out["y"].Data)
			}
			if d := cmp.Diff(k.want, got); d != "" {
				t.Errorf("%v: (-want +got)\n%s", k.attrs, d)
			}
		}
	}
}

func TestChoices(t *testing.T) {
	d := signature("x: ...B; w?: ...B -> y: ...B",
		&ir.AttrDecl{Name: "mode", Kind: ir.AttrEnum, Enum: &ir.EnumDecl{Name: "mode", Words: []string{"a", "b"}}, Word: "b"},
		&ir.AttrDecl{Name: "lr", Kind: ir.AttrFloat, Default: ir.Frac(1, 2)})
	base := d.Variants[0].Forward
	lr := ir.ScalarOf(&ir.Scalar{Name: "lr", Type: ir.RealType})
	small := ir.Call(ir.OpLt, lr, ir.Int(1))
	named := func(name string, c ...ir.Choice) *ir.Variant {
		f := *base
		f.Name = name
		return &ir.Variant{Choices: c, Forward: &f}
	}
	d.Variants = []*ir.Variant{
		named("a", ir.Choice{Attr: "mode", Word: "a"}),
		named("b with w", ir.Choice{Attr: "mode", Word: "b"}, ir.Choice{Present: "w", Holds: true}),
		named("b small", ir.Choice{Attr: "mode", Word: "b"}, ir.Choice{Present: "w"}, ir.Choice{Cond: small, Holds: true}),
		named("b large", ir.Choice{Attr: "mode", Word: "b"}, ir.Choice{Present: "w"}, ir.Choice{Cond: small}),
	}
	for _, c := range []struct {
		attrs []ir.ExampleAttr
		w     bool
		want  string
	}{
		{[]ir.ExampleAttr{{Name: "mode", Word: "a"}}, false, "a"},
		{nil, true, "b with w"}, {nil, false, "b small"},
		{[]ir.ExampleAttr{{Name: "lr", Number: 2}}, false, "b large"},
	} {
		shapes := map[string][]int{"x": {2}}
		if c.w {
			shapes["w"] = []int{2}
		}
		b, err := ir.Bind(d, shapes, c.attrs)
		if err != nil {
			t.Error(err)
		} else if b.Func.Name != c.want {
			t.Errorf("%v chose %s, want %s", c.attrs, b.Func.Name, c.want)
		}
	}
	if _, err := ir.Bind(d, map[string][]int{"x": {2}}, []ir.ExampleAttr{{Name: "mode", Word: "c"}}); err == nil || !strings.Contains(err.Error(), "not one of") {
		t.Error(err)
	}
}
