package nest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// String prints a nest in a readable form: lane values are v…, uniform ones u…; constants and scalars stand where
// they are used.
func (n *Nest) String() string {
	p := &printer{nest: n}
	p.header()
	p.body(n.Body, 1)
	return p.out.String()
}

type printer struct {
	nest *Nest
	out  strings.Builder
}

func (p *printer) linef(depth int, format string, args ...any) {
	p.out.WriteString(strings.Repeat("\t", depth))
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

func (p *printer) header() {
	n := p.nest
	p.linef(0, "nest %s %s lanes %d", n.Name, n.Float, n.Lanes)
	for i, o := range n.Operands {
		var moves, inPlace []string
		for d := Grid; d <= Serial; d++ {
			if o.Moves(d) {
				moves = append(moves, d.String())
			}
		}
		for _, q := range o.InPlace {
			inPlace = append(inPlace, p.operand(q))
		}
		line := fmt.Sprintf("%s %s %s [%s]", o.Mode, p.operand(i), o.DType, strings.Join(moves, " "))
		if len(inPlace) > 0 {
			line += " in place of " + strings.Join(inPlace, ", ")
		}
		p.linef(1, "%s", line)
	}
	for i, s := range n.Scalars {
		kind := n.Float.String()
		if s.Int {
			kind = Int.String()
		}
		p.linef(1, "scalar %s %s", p.scalar(i), kind)
	}
	for i, s := range n.Slots {
		to := ""
		if s.Over == Grid {
			to = " to " + p.operand(s.Acc)
			if s.Wide {
				to = " wide" + to
			}
		}
		p.linef(1, "slot s%d %s over %s%s", i, s.Monoid, s.Over, to)
	}
}

// loopVars are the names of the indices of the loops.
var loopVars = [...]string{Grid: "r", Vector: "n", Serial: "k"}

func (p *printer) body(stmts []Stmt, depth int) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *For:
			p.linef(depth, "for %s in %s {", nameOf(loopVars[:], int(s.Depth)), s.Depth)
			p.body(s.Body, depth+1)
			p.linef(depth, "}")
		case *Value:
			if !inline(s) {
				p.value(s, depth)
			}
		}
	}
}

// inline says whether a value is printed where it is used.
func inline(v *Value) bool {
	switch v.Op {
	case Const, BitsConst, MaskConst, ScalarOf, IntScalar:
		return true
	}
	return false
}

func (p *printer) value(v *Value, depth int) {
	parts := []string{v.Op.String()}
	switch v.Op {
	case Load, LoadInt, Gather, Store:
		parts = append(parts, p.operand(v.Operand))
	case Reduce, Result:
		parts = append(parts, fmt.Sprintf("s%d", v.Slot))
	}
	for _, a := range v.Args {
		parts = append(parts, p.ref(a))
	}
	if v.Op == BitShl || v.Op == BitShr {
		parts = append(parts, strconv.Itoa(int(v.Shift)))
	}
	line := strings.Join(parts, " ")
	if !v.Op.Info().Effect {
		line = p.ref(v) + " = " + line
	}
	p.linef(depth, "%s", line)
}

// ref is a value as an argument.
func (p *printer) ref(v *Value) string {
	switch v.Op {
	case Const:
		return strconv.FormatFloat(v.Imm, 'g', -1, 8*p.nest.Float.Size())
	case BitsConst:
		return fmt.Sprintf("%#x", v.Bits)
	case MaskConst:
		return strconv.FormatBool(v.Imm != 0)
	case ScalarOf, IntScalar:
		return p.scalar(v.Scalar)
	}
	if v.Lane {
		return fmt.Sprintf("v%d", v.ID)
	}
	return fmt.Sprintf("u%d", v.ID)
}

func (p *printer) operand(i int) string {
	if i < 0 || i >= len(p.nest.Operands) {
		return fmt.Sprintf("#%d", i)
	}
	return unique(p.nest.Operands[i].Name, i, len(p.nest.Operands), func(j int) string { return p.nest.Operands[j].Name })
}

func (p *printer) scalar(i int) string {
	if i < 0 || i >= len(p.nest.Scalars) {
		return fmt.Sprintf("$%d", i)
	}
	return "$" + unique(p.nest.Scalars[i].Name, i, len(p.nest.Scalars), func(j int) string { return p.nest.Scalars[j].Name })
}

// unique is a name, with its number where it is empty or not the only one of its kind.
func unique(name string, i, n int, other func(int) string) string {
	for j := range n {
		if j != i && other(j) == name || name == "" {
			return fmt.Sprintf("%s#%d", name, i)
		}
	}
	return name
}

// String prints a program: its launches, with what they run over and the tensors behind their operands.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s\n", p.Name)
	tensorLine(&b, "temps", p.Temps)
	tensorLine(&b, "saved", p.Saved)
	for _, c := range p.Checks {
		fmt.Fprintf(&b, "\tcheck 0 <= %s < |%s| of %s", c.Index.Name, c.Axis.Name, c.Of.Name)
		if c.Guard != nil {
			fmt.Fprintf(&b, " where %s", c.Guard)
		}
		b.WriteByte('\n')
	}
	for _, l := range p.Launches {
		b.WriteString("\t" + strings.ReplaceAll(strings.TrimRight(l.String(), "\n"), "\n", "\n\t") + "\n")
	}
	return b.String()
}

func tensorLine(b *strings.Builder, title string, ts []*ir.Tensor) {
	if len(ts) == 0 {
		return
	}
	fmt.Fprintf(b, "\t%s", title)
	for _, t := range ts {
		fmt.Fprintf(b, " %s[%s]", t.Name, axisNames(t.Axes, " "))
	}
	b.WriteByte('\n')
}

func axisNames(axes []*ir.Axis, sep string) string {
	var names []string
	for _, a := range axes {
		names = append(names, a.Name)
	}
	return strings.Join(names, sep)
}

// String prints a launch and its nest.
func (l *Launch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "launch %s", l.Nest.Name)
	if len(l.Batch) > 0 {
		fmt.Fprintf(&b, " for each of %s", axisNames(l.Batch, "*"))
	}
	for d, axes := range [][]*ir.Axis{Grid: l.Grid, Vector: l.Vector, Serial: l.Serial} {
		if len(axes) > 0 {
			fmt.Fprintf(&b, " %s %s", Depth(d), axisNames(axes, "*"))
		}
	}
	if len(l.Wanted) > 0 {
		b.WriteString(" if wanted")
		for _, t := range l.Wanted {
			b.WriteString(" " + t.Name)
		}
	}
	b.WriteByte('\n')
	for i, o := range l.Operands {
		fmt.Fprintf(&b, "\t%d: %s", i, o.Tensor.Name)
		for k, s := range o.Batch {
			if s.Moves {
				fmt.Fprintf(&b, " %s by %s", l.Batch[k].Name, orElse(axisNames(s.Axes, "*"), "1"))
			}
		}
		for d, s := range []Stride{Grid: o.Grid, Vector: o.Vector, Serial: o.Serial} {
			switch {
			case s.Moves && len(s.Axes) > 0:
				fmt.Fprintf(&b, " %s by %s", Depth(d), axisNames(s.Axes, "*"))
			case s.Moves:
				fmt.Fprintf(&b, " %s by 1", Depth(d))
			}
		}
		if o.Pack {
			fmt.Fprintf(&b, " packed %v", o.Order)
		}
		b.WriteByte('\n')
	}
	for i, v := range l.Scalars {
		fmt.Fprintf(&b, "\tscalar %d = %s\n", i, v)
	}
	b.WriteString(l.Nest.String())
	return b.String()
}
