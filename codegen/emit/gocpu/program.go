package gocpu

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/runtime"
)

// programBody is the code of a program, in parts between which the calls of kernels stand.
type programBody struct {
	g       *opGen
	s       *signature
	variant int
	program typedProgram
	wanted  uint64 // the parameters of which one must be there for the launch that is written; 0: always
	h       *host
	names   namer
	memory  map[*ir.Tensor]jen.Code // where a tensor is, if that is computed at the head
	packed  map[string]string       // variables of inputs that several launches take with their axes in another order
	head    []jen.Code
	parts   []launchPart
	tail    []jen.Code
}

// launchPart is one launch: what comes before the call of the kernel.
type launchPart struct {
	wanted jen.Code // nil: always
	fill   []jen.Code
}

// code puts the calls in their places.
func (p *programBody) code(call func(launch int) jen.Code) []jen.Code {
	code := slices.Clone(p.head)
	for i, l := range p.parts {
		start := jen.Var().Id("a").Qual(runtimePath, "Args")
		body := append([]jen.Code{start}, l.fill...)
		body = append(body, call(i))
		switch {
		case l.wanted != nil:
			code = append(code, jen.If(l.wanted).Block(body...))
		case len(p.parts) == 1:
			code = append(code, body...)
		default:
			code = append(code, jen.Block(body...))
		}
	}
	return append(code, p.tail...)
}

// text is the code without the calls, for comparing.
func (p *programBody) text() string { return render1(p.code(func(int) jen.Code { return jen.Null() })) }

// programBody writes a program.
func (g *opGen) programBody(s *signature, variant int, prog typedProgram) (*programBody, error) {
	s.takes(variant, prog.dtypes)
	p := &programBody{g: g, s: s, variant: variant, program: prog, h: g.host(jen.Id("b")), names: newNamer("a", "b", "batch", "v", "step", "err"), memory: map[*ir.Tensor]jen.Code{}, packed: map[string]string{}}
	if err := p.checks(); err != nil {
		return nil, err
	}
	for _, t := range prog.Nests.Temps {
		d, err := p.dtype(t.Elem)
		if err != nil {
			return nil, err
		}
		memory := "Scratch"
		if isStacked(t) {
			memory = "Row"
		}
		p.local(t, jen.Id("b").Dot(memory).Call(d, p.elements(t.Axes)))
		p.takes(t.Elem, array{axes: g.axesOf(t.Axes)})
	}
	for _, t := range prog.Nests.Indices {
		p.takes(ir.Elem{Name: "i64"}, array{axes: g.axesOf(t.Axes)})
		p.local(t, jen.Id("b").Dot("Indices").Call(p.elements(t.Axes)))
	}
	if err := p.outputs(); err != nil {
		return nil, err
	}
	for _, l := range prog.Nests.Launches {
		part, err := p.launch(l)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, part)
	}
	return p, nil
}

// local computes the address of a tensor at the head.
func (p *programBody) local(t *ir.Tensor, address jen.Code) {
	name := p.names.name(t.Name)
	p.head = append(p.head, jen.Id(name).Op(":=").Add(address))
	p.memory[t] = jen.Id(name)
}

// outputs finds where outputs are written that cannot simply be where the caller has them: those that perhaps nobody
// wants, and new values of what is still read.
func (p *programBody) outputs() error {
	s := p.s
	for _, t := range slices.Concat(p.program.Func.Outputs, p.program.Saved()) {
		i := s.index(t)
		uses := p.uses(t)
		switch {
		case i < 0:
			return p.g.errorf("%s is written, but no parameter", t.Name)
		case uses == 0:
		case s.apart(p.program, t):
			d, err := p.dtype(t.Elem)
			if err != nil {
				return err
			}
			p.local(t, jen.Id("b").Dot("Scratch").Call(d, p.elements(t.Axes)))
			p.takes(t.Elem, array{axes: p.g.axesOf(t.Axes)})
			var order []jen.Code
			for k := range t.Axes {
				order = append(order, jen.Lit(k))
			}
			p.tail = append(p.tail, jen.Qual(runtimePath, "Reorder").Call(p.pointer(i), p.memory[t], d,
				jen.Index().Int().Values(p.extents(t.Axes)...), jen.Index().Int().Values(order...)))
		case (s.params[i].mode == "Gradient" || s.params[i].saved) && uses > 1:
			p.local(t, p.spare(i, t))
		}
	}
	return nil
}

// apart reports whether new values need memory of their own, since old ones are read when some of them are stored.
func (s *signature) apart(p typedProgram, t *ir.Tensor) bool {
	i := s.index(t)
	if i < 0 || s.renewed(t) < 0 {
		return false
	}
	old := s.tensorOf(p.Program, i, false)
	return old != nil && !p.MayShare(t, old)
}

// uses is how many launches have a tensor.
func (p *programBody) uses(t *ir.Tensor) int {
	n := 0
	for _, l := range p.program.Nests.Launches {
		if slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return b.Tensor == t }) {
			n++
		}
	}
	return n
}

// pointer is the address of a parameter.
func (p *programBody) pointer(i int) *jen.Statement {
	if i < runtime.Near {
		return jen.Id("b").Dot("Ptr").Index(jen.Lit(i))
	}
	return jen.Id("b").Dot("Address").Call(jen.Lit(i))
}

// takes notes an array of elements of some type, as kernels have them.
func (p *programBody) takes(e ir.Elem, a array) {
	a.elem = p.elem(e)
	p.s.takes(p.variant, p.program.dtypes, a)
}

func (p *programBody) spare(i int, t *ir.Tensor) jen.Code {
	if p.wanted != 1<<i { // a launch for this parameter alone is for one that is there
		p.takes(t.Elem, array{axes: p.g.axesOf(t.Axes), wanted: p.wanted &^ (1 << i), absent: 1 << i})
	}
	return jen.Id("b").Dot("Spare").Call(jen.Lit(i), p.elements(t.Axes))
}

// address is where a tensor lies.
func (p *programBody) address(t *ir.Tensor) (jen.Code, error) {
	if m, ok := p.memory[t]; ok {
		return m, nil
	}
	i := p.s.index(t)
	if i < 0 {
		return nil, p.g.errorf("%s has no memory", t.Name)
	}
	if q := p.s.params[i]; q.mode == "Gradient" || q.saved && q.written() {
		return p.spare(i, t), nil
	}
	switch {
	case p.program.dtypes[t.Elem.Name] == ir.AnyInt:
		p.local(t, jen.Id("b").Dot("Wide").Call(jen.Lit(i)))
		p.takes(ir.Elem{Name: "i64"}, array{param: i + 1})
		return p.memory[t], nil
	case isBool(t, p.program):
		d, err := p.dtype(t.Elem)
		if err != nil {
			return nil, err
		}
		p.local(t, jen.Id("b").Dot("Truths").Call(jen.Lit(i), d))
		p.takes(t.Elem, array{param: i + 1})
		return p.memory[t], nil
	}
	return p.pointer(i), nil
}

// ext is the extent of an axis.
func (p *programBody) ext(a *ir.Axis) jen.Code {
	if a.Of != "" {
		return jen.Id("b").Dot("PackExt").Call(jen.Lit(p.g.axis(a.Of)), jen.Lit(a.At))
	}
	return jen.Id("b").Dot("Ext").Index(jen.Lit(p.g.axis(a.Name)))
}

func (p *programBody) extents(axes []*ir.Axis) []jen.Code {
	var list []jen.Code
	for _, a := range axes {
		list = append(list, p.ext(a))
	}
	return list
}

// elements is the product of extents. A stack has one tensor, unless the runtime makes it more.
func (p *programBody) elements(axes []*ir.Axis) jen.Code {
	axes = ofCall(axes)
	if len(axes) == 0 {
		return jen.Lit(1)
	}
	product := jen.Add(p.ext(axes[0]))
	for _, a := range axes[1:] {
		product = product.Op("*").Add(p.ext(a))
	}
	return product
}

// isBool reports whether the elements of a tensor are conditions, which nests read as floats.
func isBool(t *ir.Tensor, prog typedProgram) bool { return t.Elem.Resolve(prog.dtypes) == "bool" }

// floats is the type of the floats of a program: that of a variable, where one stands for it.
func (p *programBody) floats() ir.Elem {
	name := p.program.Nests.Launches[0].Nest.Float.String()
	for _, v := range p.g.decl.ElemVars {
		if p.program.dtypes[v.Name] == name {
			return ir.Elem{Name: v.Name}
		}
	}
	return ir.Elem{Name: name}
}

// elem is the type of elements as kernels have them: a variable, or a dtype.
func (p *programBody) elem(e ir.Elem) ir.Elem {
	switch resolved := e.Resolve(p.program.dtypes); {
	case resolved == "bool":
		return p.floats()
	case runtimeName[e.Name] != "":
		return ir.Elem{Name: ir.CodeFloat(e.Name)}
	case p.program.dtypes[e.Name] == ir.AnyInt:
		return ir.Elem{Name: "i64"} // see address
	case resolved == p.program.dtypes[e.Name]:
		return ir.Elem{Name: e.Name}
	default:
		return ir.Elem{Name: resolved}
	}
}

// dtype is the dtype of an element type in the call.
func (p *programBody) dtype(e ir.Elem) (jen.Code, error) {
	of := p.elem(e)
	if k := slices.IndexFunc(p.g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == of.Name }); k >= 0 {
		return jen.Id("b").Dot("DType").Index(jen.Lit(k)), nil
	}
	if runtimeName[of.Name] == "" {
		return nil, p.g.errorf("the dtype %s is not supported in Go", e)
	}
	return jen.Qual(runtimePath, runtimeName[of.Name]), nil
}

// checks tests indices that are data.
func (p *programBody) checks() error {
	for _, c := range p.program.Nests.Checks {
		i := p.s.index(c.Index)
		if i < 0 {
			return p.g.errorf("%s is used as an index, but is no input", c.Index.Name)
		}
		guard := jen.Code(jen.Nil())
		if c.Guard != nil {
			h := *p.h
			h.read = func(v *ir.Value) (expr, error) {
				if v.Tensor != c.Index {
					return expr{}, fmt.Errorf("the use of an index depends on %s", v.Tensor.Name)
				}
				return ident("x"), nil
			}
			e, err := h.cond(c.Guard)
			if err != nil {
				return p.g.wrap(err)
			}
			guard = jen.Func().Params(jen.Id("x").Int()).Bool().Block(jen.Return(e.code))
		}
		call := jen.Id("b").Dot("CheckIndex").Call(jen.Lit(i), jen.Lit(p.g.axis(c.Axis.Name)), guard)
		if c.Axis.Of != "" {
			call = jen.Id("b").Dot("CheckIndexBelow").Call(jen.Lit(i), p.ext(c.Axis), guard)
		}
		p.head = append(p.head, jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	}
	return nil
}

// launch fills the arguments of a kernel.
func (p *programBody) launch(l *nest.Launch) (launchPart, error) {
	var part launchPart
	p.wanted = 0
	for _, t := range l.Wanted {
		i := p.s.index(t)
		if i < 0 {
			return part, p.g.errorf("%s is no parameter", t.Name)
		}
		p.wanted |= 1 << i
		wanted := jen.Id("b").Dot("Tensor").Call(jen.Lit(i)).Op("!=").Nil()
		if part.wanted == nil {
			part.wanted = wanted
		} else {
			part.wanted = jen.Add(part.wanted).Op("||").Add(wanted)
		}
	}
	add := func(c jen.Code) { part.fill = append(part.fill, c) }
	a := func(name string) *jen.Statement { return jen.Id("a").Dot(name) }
	add(jen.List(a("Rows"), a("N"), a("K")).Op("=").List(p.elements(l.Grid), p.elements(l.Vector), p.elements(l.Serial)))
	if len(l.Batch) > 0 {
		part.fill = append(part.fill, p.batch(l)...)
	}
	gathered := gatheredOperands(l.Nest)
	for i, b := range l.Operands {
		if lies, ok := l.AsItLies(i); ok {
			b = lies // runtime.Launch copies what it needs
		}
		o := &l.Nest.Operands[i]
		address, err := p.address(b.Tensor)
		if err != nil {
			return part, err
		}
		dtype, err := p.dtype(b.Tensor.Elem)
		if err != nil {
			return part, err
		}
		switch {
		case b.Pack:
			address = p.pack(&part, b, address, dtype)
		case o.Mode == nest.In && o.Vector && !b.Vector.Moves:
			address = jen.Id("b").Dot("Page").Call(address, dtype)
		}
		left := []jen.Code{a("Ptr").Index(jen.Lit(i))}
		right := []jen.Code{address}
		stride := func(field string, moves bool, s nest.Stride) {
			if moves && s.Moves {
				left = append(left, a(field).Index(jen.Lit(i)))
				right = append(right, p.stride(b, s))
			}
		}
		stride("Row", o.Grid, b.Grid)
		if o.Mode == nest.Acc {
			if o.Vector {
				left, right = append(left, a("Step").Index(jen.Lit(i))), append(right, jen.Lit(1))
			}
		} else {
			stride("Step", o.Vector, b.Vector)
		}
		stride("KStep", o.Serial, b.Serial)
		add(jen.List(left...).Op("=").List(right...))
		if gathered[i] {
			// Where no index counts, the tensor may have no elements; one is read and not used.
			add(jen.If(a("Ptr").Index(jen.Lit(i)).Op("==").Nil()).Block(
				a("Ptr").Index(jen.Lit(i)).Op("=").Qual(runtimePath, "Splat").Call(dtype, jen.Lit(0))))
		}
	}
	for i, v := range l.Scalars {
		if l.Nest.Scalars[i].Int {
			e, err := p.h.integer(v)
			if err != nil {
				return part, p.g.wrap(err)
			}
			add(a("I").Index(jen.Lit(i)).Op("=").Add(e.code))
			continue
		}
		if v.Op == ir.OpCast {
			v = v.Args[0] // the kernel rounds
		}
		e, err := p.h.float(v)
		if err != nil {
			return part, p.g.wrap(err)
		}
		add(a("F").Index(jen.Lit(i)).Op("=").Add(e.code))
	}
	return part, nil
}

// gatheredOperands are the operands that are read at an index that is data.
func gatheredOperands(n *nest.Nest) map[int]bool {
	r := map[int]bool{}
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		if v, ok := s.(*nest.Value); ok && v.Op == nest.Gather {
			r[v.Operand] = true
		}
	})
	return r
}

// stride is a distance in elements; 0 where the tensor is a page of equal elements.
func (p *programBody) stride(b nest.Bind, s nest.Stride) jen.Code {
	i := p.s.index(b.Tensor)
	if i < 0 || !p.s.params[i].splat() {
		return p.elements(s.Axes)
	}
	move := jen.Id("b").Dot("Move").Call(jen.Lit(i))
	if len(s.Axes) == 0 {
		return move
	}
	return jen.Add(p.elements(s.Axes)).Op("*").Add(move)
}

// pack copies a tensor with its axes in another order; a page of equal elements stays as it is.
func (p *programBody) pack(part *launchPart, b nest.Bind, address, dtype jen.Code) jen.Code {
	shared := p.sharesPack(b)
	name := p.packed[packKey(b)]
	if copy := (array{axes: p.g.axesOf(b.Tensor.Axes), wanted: p.wanted}); !shared {
		p.takes(b.Tensor.Elem, copy)
	} else if name == "" {
		copy.wanted = p.packWanted(b)
		p.takes(b.Tensor.Elem, copy)
	}
	if name == "" {
		name = p.names.name(b.Tensor.Name + "_packed")
		p.packed[packKey(b)] = name
		if shared {
			p.head = append(p.head, jen.Var().Id(name).Qual("unsafe", "Pointer"))
		}
	}
	var order []jen.Code
	for _, k := range b.Order {
		order = append(order, jen.Lit(k))
	}
	first := ":="
	if shared {
		first = "="
	}
	scratch := jen.Id("b").Dot("Scratch").Call(dtype, p.elements(b.Tensor.Axes))
	reorder := jen.Qual(runtimePath, "Reorder").Call(jen.Id(name), address, dtype,
		jen.Index().Int().Values(p.extents(b.Tensor.Axes)...), jen.Index().Int().Values(order...))
	copied := []jen.Code{jen.Id(name).Op(first).Add(scratch), reorder}
	if i := p.s.index(b.Tensor); i >= 0 && p.s.params[i].splat() {
		copied = []jen.Code{jen.Id(name).Op(first).Add(address),
			jen.If(jen.Id("b").Dot("Move").Call(jen.Lit(i)).Op("!=").Lit(0)).Block(jen.Id(name).Op("=").Add(scratch), reorder)}
	}
	if shared {
		copied = []jen.Code{jen.If(jen.Id(name).Op("==").Nil()).Block(copied...)}
	}
	part.fill = append(part.fill, copied...)
	return jen.Id(name)
}

// packWanted are the parameters of which one must be there for a launch that takes a copy; 0: none.
func (p *programBody) packWanted(b nest.Bind) uint64 {
	all := uint64(0)
	for _, l := range p.packing(b) {
		if len(l.Wanted) == 0 {
			return 0
		}
		for _, t := range l.Wanted {
			all |= 1 << max(p.s.index(t), 0)
		}
	}
	return all
}

// packKey says what is copied, and in which order of axes.
func packKey(b nest.Bind) string { return fmt.Sprintf("%p %v", b.Tensor, b.Order) }

// sharesPack reports whether several launches take the same copy: of an input, whose elements stay what they are.
func (p *programBody) sharesPack(b nest.Bind) bool {
	return len(p.packing(b)) > 1 && slices.Contains(p.program.Func.Inputs, b.Tensor)
}

// packing are the launches that take a copy, each as often as it does.
func (p *programBody) packing(b nest.Bind) []*nest.Launch {
	var r []*nest.Launch
	for _, l := range p.program.Nests.Launches {
		for i, c := range l.Operands {
			if _, lies := l.AsItLies(i); c.Pack && !lies && packKey(c) == packKey(b) {
				r = append(r, l)
			}
		}
	}
	return r
}
