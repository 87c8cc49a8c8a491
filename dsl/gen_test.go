package dsl

import (
	"strings"

	"pgregory.net/rapid"
)

// trees draws syntax trees without places: every form of the grammar, with parentheses where it asks for them.
type trees struct{ t *rapid.T }

func (g *trees) flip() bool            { return rapid.Bool().Draw(g.t, "flip") }
func (g *trees) upTo(n int) int        { return rapid.IntRange(0, n).Draw(g.t, "n") }
func (g *trees) of(w ...string) string { return rapid.SampledFrom(w).Draw(g.t, "word") }

func list[T any](g *trees, least, most int, one func() T) []T {
	var out []T
	for n := least + g.upTo(most-least); n > 0; n-- {
		out = append(out, one())
	}
	return out
}

func (g *trees) value() Ident {
	return Ident{Name: g.of("x", "y", "z1", "weight", "a_b", "none", "step", "f32", "unverified", "axis")}
}
func (g *trees) upper() Ident { return Ident{Name: g.of("A", "B", "T", "Kernel", "N2")} }
func (g *trees) word() Ident {
	return Ident{Name: g.of("x", "sum", "mean", "op", "if", "else", "unverified", "where", "float", "T", "bool", "state")}
}
func (g *trees) text() string {
	return g.of("", "no", `a "quoted" \ one`, "tab\there", "größer", "line\nline")
}

func (g *trees) file() *File {
	f := &File{Package: g.value()}
	for _, path := range list(g, 0, 2, g.text) {
		if path != "" {
			f.Imports = append(f.Imports, Import{Path: path})
		}
	}
	f.Enums = list(g, 0, 2, func() *Enum {
		return &Enum{Doc: g.doc(), Name: g.value(), Words: list(g, 1, 4, g.word)}
	})
	f.Funcs = list(g, 0, 2, g.fn)
	f.Ops = list(g, 0, 3, g.op)
	return f
}

func (g *trees) doc() string {
	return strings.Join(list(g, 0, 2, func() string { return g.of("One is one.", "  and more", "// x", "y = x") }), "\n")
}

func (g *trees) fn() *Func {
	f := &Func{Doc: g.doc(), Name: g.value(), Params: list(g, 0, 3, g.value), Result: g.expr(2)}
	if g.flip() {
		a := g.upper()
		f.Axis = &a
	}
	f.Lets = list(g, 0, 2, g.let)
	return f
}

func (g *trees) op() *Op {
	o := &Op{Doc: g.doc(), Update: g.flip(), Name: g.word()}
	o.Vars = list(g, 0, 2, func() TypeVar { return TypeVar{Name: g.upper(), Alts: list(g, 1, 3, g.word)} })
	name := func() Ident {
		n := g.value()
		if o.Update && n.Name == "step" {
			n.Name = "stride"
		}
		return n
	}
	o.Inputs = list(g, 0, 4, func() *Input {
		in := &Input{Mode: InputMode(g.upTo(2)), Name: name(), Optional: g.flip(), Type: g.tensor()}
		if in.Mode == State && g.flip() {
			in.Init = g.expr(1)
		}
		return in
	})
	o.Attrs = list(g, 0, 5, func() *Attr { a := g.attr(); a.Name = name(); return a })
	if g.upTo(3) == 0 {
		o.Short = g.expr(3)
		return o
	}
	o.Outputs = list(g, 0, 2, func() *Output { return &Output{Name: name(), Type: g.tensor()} })
	o.Body = g.body(2, o.Update)
	return o
}

func (g *trees) attr() *Attr {
	a := &Attr{Optional: g.flip(), Kind: AttrKind(g.upTo(4))}
	switch a.Kind {
	case AttrElem:
		if a.Elem = g.elem(); a.Elem.Wrap == "" {
			a.Elem.Name.Name = g.of("float", "int", "bool", "rng", "T", "reduction")
		}
	case AttrEnum:
		a.Words = list(g, 1, 4, g.word)
	default:
		a.Words = list(g, 1, 3, g.upper)
	}
	if g.flip() {
		a.List = &Ident{Name: g.of("2", "S", "16")}
	}
	if g.flip() {
		a.Default = g.expr(1)
	}
	return a
}

func (g *trees) elem() Elem {
	if g.upTo(3) == 0 {
		return Elem{Wrap: g.of("acc", "sum"), Name: g.upper()}
	}
	return Elem{Name: Ident{Name: g.of("T", "f32", "i64", "Q")}}
}

func (g *trees) tensor() TensorType {
	t := TensorType{Elem: g.elem()}
	if t.Infer = g.upTo(4) == 0; !t.Infer {
		t.Axes = list(g, 0, 3, func() *Axis { return g.axis(2) })
	}
	return t
}

func (g *trees) axis(deep int) *Axis {
	switch n := g.upTo(3); {
	case n == 0 && deep > 0:
		return &Axis{Product: list(g, 1, 3, func() *Axis { return g.axis(deep - 1) })}
	case n == 1:
		return &Axis{Pack: true, Name: g.upper()}
	}
	return &Axis{Name: g.upper(), Optional: g.flip()}
}

// body draws statements. In an update no let may be called step.
func (g *trees) body(deep int, update bool) []Stmt {
	stmts := list(g, 0, 3, func() Stmt { return g.stmt(deep, update) })
	Inspect(stmts, func(n any) bool {
		if l, is := n.(*Let); is && update {
			for i := range l.Names {
				if l.Names[i].Name == "step" {
					l.Names[i].Name = "stride"
				}
			}
		}
		return true
	})
	return stmts
}

func (g *trees) stmt(deep int, update bool) Stmt {
	switch g.upTo(8) {
	case 0:
		return g.let()
	case 1:
		return &Dim{Pack: g.flip(), Name: g.upper(), Value: g.expr(2)}
	case 2:
		return &Require{Cond: g.expr(2), Message: g.text()}
	case 3:
		if deep == 0 {
			return g.let()
		}
		return &Match{Name: g.value(), Arms: list(g, 0, 3, func() *Arm {
			a := &Arm{Labels: list(g, 0, 2, g.word)}
			if a.Block = g.flip(); a.Block {
				a.Body = g.body(deep-1, update)
			} else {
				a.Body = []Stmt{g.stmt(deep-1, false)}
			}
			return a
		})}
	case 4:
		s := &Grad{Name: g.value(), Left: g.left(), Value: g.expr(2)}
		if s.Unverified = g.flip(); s.Unverified {
			s.Reason = g.text()
		}
		return s
	case 5:
		return &GradNone{Names: list(g, 1, 3, g.value)}
	case 6:
		return &Keep{Save: g.flip(), Names: list(g, 1, 3, g.value)}
	case 7:
		bind := func() Bind { return Bind{Name: g.value(), Prime: g.flip(), Value: g.val(2)} }
		return &Example{In: list(g, 0, 3, bind), Out: list(g, 0, 2, bind)}
	}
	return &Assign{Name: g.value(), Prime: g.flip(), Left: g.left(), Value: g.expr(3)}
}

func (g *trees) let() *Let {
	if g.upTo(3) == 0 {
		return &Let{Names: list(g, 2, 3, g.value), Value: g.expr(2)}
	}
	return &Let{Pack: g.flip(), Names: []Ident{g.value()}, Left: g.left(), Value: g.expr(3)}
}

func (g *trees) left() *Bracket {
	if g.flip() {
		return nil
	}
	return g.bracket(1)
}

func (g *trees) val(deep int) Val {
	if deep == 0 || g.flip() {
		return Val{Expr: g.expr(1)}
	}
	return Val{List: list(g, 0, 3, func() Val { return g.val(deep - 1) })}
}

// expr draws an expression; where the grammar wants a tighter one, in puts it in parentheses.
func (g *trees) expr(deep int) Expr {
	if deep == 0 {
		return g.leaf()
	}
	in := func(least int) Expr {
		e := g.expr(deep - 1)
		if p := precedence(e); p < least || p == precAlt && least > precIf {
			return &Paren{X: e}
		}
		return e
	}
	switch g.upTo(8) {
	case 0:
		return &If{Cond: in(0), Then: in(0), Else: in(0)}
	case 1:
		return &Unary{Op: g.of("-", "!"), X: in(precUnary)}
	case 2:
		return &Binary{Op: "^", X: in(precPrim), Y: in(precUnary)}
	case 3:
		e := &Alt{Alts: []Expr{in(precPrim)}}
		for n := 1 + g.upTo(2); n > 0; n-- {
			x := in(precPrim)
			if g.flip() {
				x = &Unary{Op: "-", X: x}
			}
			e.Alts = append(e.Alts, x)
		}
		return e
	case 4, 5:
		op := g.of("+", "-", "*", "/", "%", "==", "<", ">=", "&&", "||")
		prec := levels[op]
		if prec == compare {
			return &Binary{Op: op, X: in(prec + 1), Y: in(prec + 1)}
		}
		return &Binary{Op: op, X: in(prec), Y: in(prec + 1)}
	case 6:
		return &Paren{X: in(0)}
	case 7:
		return g.call(deep - 1)
	}
	items := list(g, 1, 3, func() *Item { return g.item(deep - 1) })
	if i := items[0]; len(items) == 1 && i.Value != nil && !i.Pack && !i.In {
		i.Pack = true
	}
	return &Tuple{Items: items}
}

func (g *trees) leaf() Expr {
	if g.flip() {
		return &Number{Text: g.of("0", "1", "2.5", "1e-5", "0.1e+3")}
	}
	r := &Ref{Cotangent: g.upTo(5) == 0, Name: g.value(), Prime: g.upTo(5) == 0}
	if g.upTo(5) == 0 {
		r.Name.Name = g.of("inf", "nan", "pi", "true", "B", "sum")
	}
	if g.upTo(3) == 0 {
		r.Index = g.bracket(0)
	}
	return r
}

func (g *trees) call(deep int) Expr {
	c := &Call{Cotangent: g.upTo(5) == 0, Name: Ident{Name: g.of("f", "sum", "max", "T", "bool", "exp")}, Prime: g.upTo(9) == 0,
		Args: list(g, 0, 3, func() *Item { return g.item(deep) })}
	switch g.upTo(4) {
	case 0:
		pkg := g.value()
		c.Package, c.Name = &pkg, g.word()
	case 1:
		of := g.upper()
		c.Name.Name, c.AccOf = "acc", &of
		if len(c.Args) == 0 {
			return c // the dtype itself
		}
	}
	if g.flip() {
		c.Index = g.bracket(deep)
	}
	c.Named = list(g, 0, 2, func() NamedArg { return NamedArg{Name: g.value(), Value: g.expr(deep)} })
	return c
}

func (g *trees) bracket(deep int) *Bracket {
	b := &Bracket{Items: list(g, 0, 3, func() *Item { return g.item(deep) })}
	if len(b.Items) > 0 && g.upTo(3) == 0 {
		b.Where = g.expr(deep)
	}
	return b
}

func (g *trees) item(deep int) *Item {
	switch g.upTo(5) {
	case 0:
		return &Item{Star: true}
	case 1:
		a := g.upper()
		return &Item{AxisPack: &a}
	}
	i := &Item{Pack: g.flip(), Value: g.expr(deep)}
	if i.In = g.upTo(3) == 0; i.In {
		sum := func() Expr {
			e := g.expr(deep)
			if p := precedence(e); p < sums {
				return &Paren{X: e}
			}
			return e
		}
		i.From = sum()
		if g.flip() {
			i.To, i.Inclusive = sum(), g.flip()
		}
	}
	return i
}
