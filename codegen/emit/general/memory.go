package general

import (
	"fmt"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// buffer is the memory of a tensor.
type buffer struct {
	t    *ir.Tensor
	kind kind
	name string
	// variable is set for tensors without axes that live in a variable.
	variable bool
	// set is a slice that tells which elements have a value; empty is a condition under which none has. Both "": all have.
	set, empty string
	over       []*ir.Axis // with empty: one of these has no elements
	// running is set while a definition adds to elements that the group may read.
	running bool
}

// buffer is the memory of a tensor that is read: a parameter is fetched when it is first needed.
func (g *gen) buffer(t *ir.Tensor) *buffer {
	if b := g.buffers[t]; b != nil {
		return b
	}
	i := g.k.Param(t)
	if i < 0 {
		g.bail("%s is read before it is computed", t.Name)
	}
	b := &buffer{t: t, kind: g.elem(t.Elem), name: g.name(t.Name)}
	g.buffers[t] = b
	g.types[b.name] = "[]" + b.kind.goType()
	if g.k.Takes != nil {
		g.k.Takes(t, nil, t.Elem)
	}
	g.loads = append(g.loads, fmt.Sprintf("%s := runtime.Elements[%s](b, %d)\n", b.name, b.kind.goType(), i))
	return b
}

// define makes the memory of a tensor that is computed.
func (g *gen) define(t *ir.Tensor) *buffer {
	b := &buffer{t: t, kind: g.elem(t.Elem), name: g.name(t.Name)}
	g.buffers[t] = b
	g.types[b.name] = "[]" + b.kind.goType()
	if t.Role == ir.Local && g.k.Param(t) < 0 {
		if len(t.Axes) == 0 {
			b.variable = true
			g.types[b.name] = b.kind.goType()
			g.root.printf("var %s %s\n", b.name, b.kind.goType())
			return b
		}
		g.root.printf("%s := %s\n", b.name, g.temp(t.Elem, t.Axes))
		return b
	}
	return b
}

// temp is memory of zeros with a tensor's axes.
func (g *gen) temp(e ir.Elem, axes []*ir.Axis) string {
	typ := g.elem(e).goType()
	g.room(e, typ, axes)
	return fmt.Sprintf("runtime.Temp[%s](b, %s)", typ, g.elements(axes).text)
}

// Element types of what isn't kept as any tensor is.
var (
	boolElem = ir.Elem{Name: "bool"}
	f64Elem  = ir.Elem{Name: "f64"}
)

// room sees to a test that there is room for a tensor before anything is written. Binding tests it, but where no tensor of the caller has one of the axes: then the
// function does, at its head where data don't say their extents.
func (g *gen) room(e ir.Elem, typ string, axes []*ir.Axis) {
	var size *ir.Tensor
	var list []string
	computed := false
	for _, a := range axes {
		list = append(list, g.extent(a).text)
		if a.Size != nil && size == nil {
			size = a.Size
		}
		computed = computed || g.computed(a)
	}
	extents := strings.Join(list, ", ")
	switch {
	case size != nil:
		g.fails = true
		from := strings.Join(g.sources(map[*ir.Tensor]bool{size: true}), ", ")
		g.root.printf("if err := runtime.RoomOf[%s](b, %q, int64(%s), %s); err != nil {\nreturn err\n}\n", typ, from, g.buffer(size).element("0").text, extents)
	case computed:
		g.rooms = append(g.rooms, fmt.Sprintf("if err := runtime.Room[%s](b, %s); err != nil {\nreturn err\n}\n", typ, extents))
	case g.k.Takes != nil:
		g.k.Takes(nil, axes, e)
	}
}

// computed tells whether an axis is none of the signature, so that its extent isn't known when tensors are bound.
func (g *gen) computed(a *ir.Axis) bool {
	return a.Size == nil && g.k.Axis(packOf(a)) < 0
}

// packOf is the pack of an axis, or the axis.
func packOf(a *ir.Axis) *ir.Axis {
	if a.Of != "" {
		return &ir.Axis{Name: a.Of}
	}
	return a
}

// output writes where an output lies and, where it was computed elsewhere, copies it there: where the function may end
// with an error, where the old value may still be read, and where definitions read what the caller may leave out.
func (g *gen) output(t *ir.Tensor) {
	b := g.buffers[t]
	i := g.k.Param(t)
	if b == nil || i < 0 {
		g.bail("output %s has no definition", t.Name)
	}
	if t.Role != ir.Local { // what is kept may lack elements, which nothing asks for then
		g.allSet(b)
	}
	renews := t.Of != nil && t.Role == ir.Output
	read := false
	for _, d := range g.defs {
		read = read || d.Reads()[t]
	}
	from := fmt.Sprintf("runtime.Elements[%s](b, %d)", b.kind.goType(), i)
	if g.fails || renews || read && g.k.Optional != nil && g.k.Optional(t) {
		g.loads = append(g.loads, fmt.Sprintf("%s := %s\n", b.name, g.temp(t.Elem, t.Axes)))
		g.ends = append(g.ends, fmt.Sprintf("runtime.Copy(%s, %s)\n", from, b.name))
		return
	}
	g.loads = append(g.loads, fmt.Sprintf("%s := %s\n", b.name, from))
}

// allSet tests that every element of an output has a value.
func (g *gen) allSet(b *buffer) {
	cond := ""
	switch {
	case b.set != "":
		cond = fmt.Sprintf("runtime.AnyUnset(%s)", b.set)
	case b.empty != "" && b.variable:
		cond = b.empty
	case b.empty != "":
		cond = fmt.Sprintf("%s && len(%s) > 0", b.empty, b.name)
	default:
		return
	}
	if w := g.want(b.t); w != "" {
		cond = w + " && " + cond
	}
	g.test(g.root, primary("%s", cond), fmt.Sprintf("runtime.ValueError(%q, %q, \"a value for each element\")", g.k.Op, b.t.Name))
}

// extent is the extent of an axis.
func (g *gen) extent(a *ir.Axis) term {
	if t, ok := g.extents[a]; ok {
		return t
	}
	if a.Size != nil {
		t := primary("%s", g.name(a.Name))
		g.extents[a] = t
		g.root.printf("%s := runtime.ExtentOf(int64(%s))\n", t.text, g.buffer(a.Size).element("0").text)
		return t
	}
	if i := g.k.Axis(a); a.Of == "" && i >= 0 {
		t := primary("%s", g.name(a.Name))
		g.extents[a] = t
		g.types[t.text] = "int"
		g.sizes = append(g.sizes, fmt.Sprintf("%s := b.Ext[%d]\n", t.text, i))
		return t
	}
	if i := g.k.Axis(&ir.Axis{Name: a.Of}); a.Of != "" && i >= 0 {
		t := primary("%s", g.name(a.Name))
		g.extents[a] = t
		g.types[t.text] = "int"
		g.sizes = append(g.sizes, fmt.Sprintf("%s := b.PackExt(%d, %d)\n", t.text, i, a.At))
		return t
	}
	for _, d := range g.k.Func.Dims {
		if d.Axis != a {
			continue
		}
		// An axis that no tensor of the caller has. What its extent is made of is written before it, and so before all use.
		head := &block{memo: map[int]value{}, texts: map[string]string{}}
		g.count(d.Value)
		g.bounded(d, head)
		v := g.value(d.Value, head)
		n := g.integral(d.Value, v, head)
		name := g.name(a.Name)
		head.printf("%s := %s\n", name, typed(n).text)
		g.types[name] = "int"
		if !g.positive(d.Value) {
			g.negative(head, d, primary("%s", name))
		}
		if v := g.leaves().Of(d.Value); !v.Inside(44) {
			g.test(head, binary(">", precCompare, primary("%s", name), primary("runtime.MaxPoints")),
				fmt.Sprintf("runtime.ShapeError(%q, %q, %s)", g.k.Op, d.Axis.Name+" = "+strings.TrimSpace(d.Value.Words())+" of at most 2^44", name))
		}
		g.sizes = append(g.sizes, head.text.String())
		g.extents[a] = primary("%s", name)
		return g.extents[a]
	}
	g.bail("the extent of %s isn't known", a.Name)
	return term{}
}

// elements is the product of extents.
func (g *gen) elements(axes []*ir.Axis) term {
	n := number(1)
	for _, a := range axes {
		n = times(n, g.extent(a))
	}
	return n
}

// read writes a read.
func (g *gen) read(v *ir.Value, s *block) term {
	b := g.buffer(v.Tensor)
	at := g.at(v.Tensor, v.Args, v.Tensor.Name, s)
	g.offset[g.num.ID(v)] = at
	switch {
	case b.set != "" && !g.group.ready(g, v):
		g.lack(s, primary("!%s[%s]", b.set, at), b.t)
	case b.empty != "":
		g.lack(s, primary("%s", b.empty), b.t)
	}
	return b.element(at)
}

// lack writes what happens where cond holds, and an element of t that is read so has no value: an element of a local
// then has none itself, anything else is an error.
func (g *gen) lack(s *block, cond term, t *ir.Tensor) {
	if g.lacking {
		s.printf("if %s {\n%scontinue\n}\n", cond.text, g.lacks)
		return
	}
	g.test(s, cond, fmt.Sprintf("runtime.ValueError(%q, \"\", %q)", g.k.Op, "a value for an element of "+t.Name))
}

// element is the element at an offset.
func (b *buffer) element(at string) term {
	if b.variable {
		return primary("%s", b.name)
	}
	return primary("%s[%s]", b.name, at)
}

// at is the offset of an element, row-major. Indices that aren't known to lie within their axes are tested.
func (g *gen) at(t *ir.Tensor, index []*ir.Value, what string, s *block) string {
	sum := number(0)
	depth := 0
	free := true // what was added up needs no tests
	for i, e := range index {
		x := g.value(e, s)
		n := x.term
		if x.kind == whole {
			n = g.integral(e, x, s)
		} else {
			n = call("int", n)
		}
		if from := e; from.Op == ir.OpCast && g.kindOf(from.Args[0]).wide() && !g.within(e, t.Axes[i], s) {
			// What is too great for an int is out of range as an int, too.
			n = call("int", g.value(from.Args[0], s).term)
		}
		n = g.tested(e, n, t.Axes[i], what, s)
		// What is computed of outer variables is computed outside of inner loops.
		if i > 0 {
			sum = times(sum, g.extent(t.Axes[i]))
			if home := s.home(depth); home != s && !sum.simple() && free {
				sum = g.let(home, t.Name+" row", "int", sum)
			}
		}
		sum = plus(sum, n)
		depth = max(depth, g.depth(e))
		free = free && g.isSafe(e) && g.within(e, t.Axes[i], nil)
	}
	return sum.text
}

// tested is an index that lies within an axis.
func (g *gen) tested(e *ir.Value, n term, a *ir.Axis, what string, s *block) term {
	if g.within(e, a, s) {
		return n
	}
	if !n.simple() || n.lit {
		n = g.let(s, "i", "int", typed(n))
	}
	ext := g.extent(a)
	err := fmt.Sprintf("runtime.RangeError(%q, %q, %q, %s, %s)", g.k.Op, what, a.Name, n.text, ext.text)
	if r := uncast(e); r.Op == ir.OpRead && g.kindOf(r).int() && g.defOf(r.Tensor) == nil {
		if at, ok := g.offset[g.num.ID(r)]; ok {
			if at == "" {
				at = "0"
			}
			err = fmt.Sprintf("runtime.IndexError(%q, %q, %s, %s, %s)", g.k.Op, r.Tensor.Name, at, n.text, ext.text)
		}
	}
	g.test(s, term{text: fmt.Sprintf("uint(%s) >= uint(%s)", n.text, ext.text)}, err)
	return n
}

// formula is a definition as a comment.
func formula(d *ir.Def) string {
	var b strings.Builder
	for i, l := range strings.Split(strings.TrimSpace(d.String()), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("// " + strings.TrimSpace(l))
	}
	return b.String() + "\n"
}
