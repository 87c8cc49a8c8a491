package ir

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// signs are the signs of definitions by monoid.
var signs = [...]string{Assign: "=", Sum: "+=", Prod: "*=", Max: "max=", Min: "min=", Any: "||=", All: "&&="}

// String is the sign of a definition with this monoid.
func (m Monoid) String() string {
	if int(m) < len(signs) {
		return signs[m]
	}
	return fmt.Sprintf("monoid(%d)", m)
}

// String is the value as text: exact constants as written, extents as |N|, casts as T(v).
func (v *Value) String() string {
	var b strings.Builder
	printValue(&b, v, 0)
	return b.String()
}

// printValue writes v, in parentheses where its sign binds less than prec.
func printValue(b *strings.Builder, v *Value, prec int) {
	if v == nil {
		b.WriteString("<nil>")
		return
	}
	switch v.Op {
	case OpConst:
		printConst(b, v.Const, prec)
	case OpInf, OpNaN, OpPi, OpTrue, OpFalse:
		b.WriteString(Facts[v.Op].Name)
	case OpScalar:
		b.WriteString(v.Name)
	case OpExtent:
		b.WriteString("|" + axisName(v.Axis) + "|")
	case OpIndex:
		b.WriteString(v.Var.Name)
	case OpRead:
		b.WriteString(v.Tensor.Name)
		printList(b, "[", v.Args, "]")
	case OpPresent:
		b.WriteString("has(" + v.Tensor.Name + ")")
	case OpLowest, OpHighest, OpEpsilon:
		b.WriteString(Facts[v.Op].Name + "(" + v.Type.String() + ")")
	case OpUniform, OpNormal:
		fmt.Fprintf(b, "%s[%v](%s, stream %d)", Facts[v.Op].Name, v.Args[0], v.Name, v.Stream)
	case OpCast:
		if c := v.Args[0]; c.Op == OpConst && v.Type.Kind == Typed {
			// The constants of typed arithmetic are plain to see without their casts.
			printConst(b, c.Const, prec)
			return
		}
		b.WriteString(v.Type.String())
		printList(b, "(", v.Args, ")")
	case OpSelect:
		open, end := "", ""
		if prec > 0 {
			open, end = "(", ")"
		}
		b.WriteString(open + "if ")
		printValue(b, v.Args[0], 1)
		b.WriteString(" then ")
		printValue(b, v.Args[1], 1)
		b.WriteString(" else ")
		printValue(b, v.Args[2], 0)
		b.WriteString(end)
	default:
		printOp(b, v, prec)
	}
}

// printOp writes an op with arguments as signs or as a call.
func printOp(b *strings.Builder, v *Value, prec int) {
	if v.Op >= opCount {
		fmt.Fprintf(b, "<op %d>", v.Op)
		return
	}
	f := &Facts[v.Op]
	if f.Prec == 0 {
		b.WriteString(f.Name)
		printList(b, "(", v.Args, ")")
		return
	}
	if f.Prec < prec {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	if len(v.Args) == 1 {
		b.WriteString(f.Name)
		printValue(b, v.Args[0], f.Prec+1)
		return
	}
	for i, a := range v.Args {
		p := f.Prec + 1
		switch {
		case i > 0:
			b.WriteString(" " + f.Name + " ")
		case v.Op != OpPow && f.Prec != 4:
			p = f.Prec // groups from the left
		}
		printValue(b, a, p)
	}
}

// printConst writes a rational: a fraction in parentheses where it stands in an operation.
func printConst(b *strings.Builder, r *big.Rat, prec int) {
	s := r.RatString()
	if prec > 5 && (r.Sign() < 0 || !r.IsInt()) {
		s = "(" + s + ")"
	}
	b.WriteString(s)
}

func printList(b *strings.Builder, open string, vs []*Value, end string) {
	b.WriteString(open)
	for i, v := range vs {
		if i > 0 {
			b.WriteString(", ")
		}
		printValue(b, v, 0)
	}
	b.WriteString(end)
}

func axisName(a *Axis) string {
	if a == nil {
		return "?"
	}
	if a.Pack {
		return "..." + a.Name
	}
	return a.Name
}

// String is the definition as text.
func (d *Def) String() string {
	var b strings.Builder
	b.WriteString(d.Target.Name)
	printList(&b, "[", d.Dest, "]")
	b.WriteString(" " + d.Monoid.String() + " ")
	printValue(&b, d.Body, 0)
	for i, v := range d.Vars {
		sep := ", "
		if i == 0 {
			sep = "   for "
		}
		b.WriteString(sep + v.Name + " in ")
		if v.Axis != nil {
			b.WriteString(axisName(v.Axis))
		} else {
			printValue(&b, v.Lo, 5)
			b.WriteString("..")
			printValue(&b, v.Hi, 5)
		}
	}
	for i, c := range d.Where {
		sep := " && "
		if i == 0 {
			sep = "   where "
		}
		b.WriteString(sep)
		printValue(&b, c, 4)
	}
	dir := "up"
	if d.Reverse {
		dir = "down"
	}
	if d.Carried != nil {
		fmt.Fprintf(&b, "   carried along %s %s", d.Carried.Name, dir)
		if d.Kept != nil {
			b.WriteString(" kept ")
			printValue(&b, d.Kept, 0)
		}
		if d.Scaled != nil {
			b.WriteString(" scaled ")
			printValue(&b, d.Scaled, 0)
		}
	}
	if d.Group != 0 {
		along := "?"
		if d.Along != nil {
			along = d.Along.Name
		}
		fmt.Fprintf(&b, "   group %d along %s %s", d.Group, along, dir)
	}
	return b.String()
}

// roles are the words for roles in text.
var roles = [...]string{Input: "in", Output: "out", Local: "let", Inout: "inout", State: "state", Cotangent: "cotangent", Gradient: "gradient", Tangent: "tangent"}

// String is the word for the role.
func (r Role) String() string {
	if int(r) < len(roles) {
		return roles[r]
	}
	return fmt.Sprintf("role(%d)", r)
}

// String is the tensor's name and type.
func (t *Tensor) String() string {
	var b strings.Builder
	b.WriteString(t.Name)
	if t.Optional {
		b.WriteByte('?')
	}
	b.WriteString(": " + t.Elem.String() + "[")
	for i, a := range t.Axes {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(axisName(a))
	}
	b.WriteByte(']')
	if t.Default != nil {
		b.WriteString(" ?? " + t.Default.RatString())
	}
	return b.String()
}

// String is the function as text: the signature, then the definitions in order. Equal functions have equal text.
func (f *Func) String() string {
	var b strings.Builder
	name := f.Name
	if f.Package != "" {
		name = f.Package + "." + name
	}
	fmt.Fprintf(&b, "func %s\n", name)
	for _, e := range f.ElemVars {
		fmt.Fprintf(&b, "  dtype %s: %s\n", e.Name, strings.Join(e.DTypes, "|"))
	}
	for _, t := range f.Inputs {
		fmt.Fprintf(&b, "  %v %v\n", t.Role, t)
	}
	for _, s := range f.Scalars {
		fmt.Fprintf(&b, "  attr %s: %v\n", s.Name, s.Type)
	}
	for _, d := range f.Dims {
		fmt.Fprintf(&b, "  dim %s = %v\n", axisName(d.Axis), d.Value)
	}
	for _, r := range f.Requires {
		fmt.Fprintf(&b, "  require %v else %q\n", r.Cond, r.Message)
	}
	sized := map[*Axis]bool{}
	for _, d := range f.Defs {
		printSizes(&b, d, sized)
		fmt.Fprintf(&b, "  %v\n", d)
	}
	for _, g := range f.UserGrads {
		if g.None {
			fmt.Fprintf(&b, "  grad none %s\n", g.Of.Name)
			continue
		}
		fmt.Fprintf(&b, "  grad %s = %s\n", g.Of.Name, g.Result.Name)
		for _, d := range g.Defs {
			printSizes(&b, d, sized)
			fmt.Fprintf(&b, "    %v\n", d)
		}
	}
	for _, t := range f.Outputs {
		fmt.Fprintf(&b, "  %v %v\n", t.Role, t)
	}
	return b.String()
}

// printSizes says of the axes of a definition which tensors hold their extents, once each.
func printSizes(b *strings.Builder, d *Def, done map[*Axis]bool) {
	axes := slices.Clone(d.Target.Axes)
	for _, v := range d.Vars {
		axes = append(axes, v.Axis)
	}
	for _, a := range axes {
		if a != nil && a.Size != nil && !done[a] {
			done[a] = true
			fmt.Fprintf(b, "  size %s = %s\n", axisName(a), a.Size.Name)
		}
	}
}
