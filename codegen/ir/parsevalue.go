package ir

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// scan splits a text into tokens: names with their marks, numbers, signs, and three blanks that part the clauses of a definition.
func (p *textParser) scan(text string) {
	p.toks, p.at = p.toks[:0], 0
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "   "):
			n = 3
		case c == ' ':
			i++
			continue
		case nameStart(c):
			for i+n < len(text) && (nameStart(text[i+n]) || digit(text[i+n]) || strings.IndexByte("'#", text[i+n]) >= 0 ||
				text[i+n] == '.' && i+n+1 < len(text) && (nameStart(text[i+n+1]) || digit(text[i+n+1]))) {
				n++
			}
		case digit(c):
			for i+n < len(text) && (digit(text[i+n]) || text[i+n] == '/' && i+n+1 < len(text) && digit(text[i+n+1])) {
				n++
			}
		default:
			for _, sign := range []string{"...", "max=", "min=", "||=", "&&=", "..", "??", "&&", "||", "==", "!=", "<=", "+=", "*="} {
				if strings.HasPrefix(text[i:], sign) {
					n = len(sign)
					break
				}
			}
		}
		p.toks = append(p.toks, text[i:i+n])
		i += n
	}
	// The signs of maxima and minima begin like functions.
	for i := 0; i+1 < len(p.toks); i++ {
		if (p.toks[i] == "max" || p.toks[i] == "min") && p.toks[i+1] == "=" {
			p.toks = slices.Replace(p.toks, i, i+2, p.toks[i]+"=")
		}
	}
}

func nameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '@' || c >= 0x80
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func (p *textParser) peek() string {
	if p.at < len(p.toks) {
		return p.toks[p.at]
	}
	return ""
}

func (p *textParser) next() string {
	t := p.peek()
	if t == "" {
		p.fail("the line ends too early")
	}
	p.at++
	return t
}

func (p *textParser) accept(t string) bool {
	if p.peek() != t {
		return false
	}
	p.at++
	return true
}

func (p *textParser) expect(t string) {
	if !p.accept(t) {
		p.fail("expected %q, found %q", t, p.peek())
	}
}

func (p *textParser) end() {
	if p.at < len(p.toks) {
		p.fail("unexpected %q", p.peek())
	}
}

// rational reads 2 or 1/2.
func (p *textParser) rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		p.fail("%s is no number", text)
	}
	return r
}

// elem reads T, i64 or acc(T).
func (p *textParser) elem() Elem {
	e := Elem{Name: p.next()}
	if (e.Name == "acc" || e.Name == "sum") && p.accept("(") {
		e = Elem{Wrap: e.Name, Name: p.next()}
		p.expect(")")
	}
	return e
}

func (p *textParser) typ() Type {
	switch e := p.elem(); e {
	case Elem{Name: "exact"}:
		return ExactType
	case Elem{Name: "real"}:
		return RealType
	default:
		return ElemType(e)
	}
}

// isElem tells whether a name begins a type.
func (p *textParser) isElem(name string) bool {
	_, dtype := dtypes[name]
	return dtype || name == "exact" || name == "real" || name == "acc" || name == "sum" ||
		slices.ContainsFunc(p.f.ElemVars, func(v ElemVar) bool { return v.Name == name })
}

// def reads a definition. Its variables stand behind the formula that uses them, so they are read first.
func (p *textParser) def(text string) *Def {
	p.scan(text)
	d := &Def{}
	p.vars = map[string]*Var{}
	body := p.at
	for p.at < len(p.toks) && p.toks[p.at] != "   " {
		p.at++
	}
	end := p.at
	if p.at+1 < len(p.toks) && p.toks[p.at+1] == "for" {
		p.at += 2
		for more := true; more; more = p.accept(",") {
			v := &Var{Name: p.next()}
			p.expect("in")
			if p.peek() == "..." || !p.ranged() {
				v.Axis = p.axis()
			} else {
				v.Lo = p.value(5)
				p.expect("..")
				v.Hi = p.value(5)
			}
			p.vars[v.Name] = v
			d.Vars = append(d.Vars, v)
		}
	}
	tail := p.at
	p.at = body
	name := p.next()
	d.Target = p.target(name)
	p.expect("[")
	for !p.accept("]") {
		d.Dest = append(d.Dest, p.value(0))
		p.accept(",")
	}
	if d.Monoid = Monoid(slices.Index(signs[:], p.peek())); d.Monoid > All {
		p.fail("%q is no sign of a definition", p.peek())
	}
	p.at++
	declared := p.declared[name]
	if !declared {
		d.Target.Axes = nil
		for _, e := range d.Dest {
			if e.Op != OpIndex || e.Var.Axis == nil {
				p.fail("the axes of %s don't follow from its left side; declare it", name)
			}
			d.Target.Axes = append(d.Target.Axes, e.Var.Axis)
		}
	}
	start := p.at
	if !declared && d.Target.Elem == (Elem{}) { // which the formula may read itself
		d.Target.Elem = p.guess()
	}
	p.at = start
	d.Body = p.value(0)
	want := ElemType(d.Target.Elem)
	if d.Body.Type.Kind == Exact {
		d.Body = retype(d.Body, want)
	}
	if p.at != end {
		p.fail("unexpected %q", p.peek())
	}
	p.at = tail
	p.clauses(d)
	return d
}

// guess is the type of a local that isn't declared: the one that its formula has.
func (p *textParser) guess() Elem {
	v := p.value(0)
	switch v.Type.Kind {
	case Bool:
		return Elem{Name: "bool"}
	case Typed:
		return v.Type.Elem
	}
	p.fail("nothing tells the type of this local; declare it")
	return Elem{}
}

// ranged tells whether a variable has bounds: signs of a range come before the next one.
func (p *textParser) ranged() bool {
	depth := 0
	for i := p.at; i < len(p.toks); i++ {
		switch p.toks[i] {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "   ":
			return false
		case ",":
			if depth == 0 {
				return false
			}
		case "..":
			return true
		}
	}
	return false
}

// clauses reads the conditions and the group of a definition.
func (p *textParser) clauses(d *Def) {
	for p.accept("   ") {
		switch w := p.next(); w {
		case "where":
			for more := true; more; more = p.accept("&&") {
				d.Where = append(d.Where, p.value(4))
			}
		case "carried":
			p.expect("along")
			d.Carried = p.vars[p.next()]
			d.Reverse = p.next() == "down"
			if p.accept("kept") {
				d.Kept = p.value(0)
			}
			if p.accept("scaled") {
				d.Scaled = p.value(0)
			}
		case "group":
			n, err := strconv.Atoi(p.next())
			if err != nil {
				p.fail("%v", err)
			}
			p.expect("along")
			d.Group, d.Along = n, p.vars[p.next()]
			d.Reverse = p.next() == "down"
		default:
			p.fail("unexpected %q", w)
		}
	}
	p.end()
}

// opsBySign and opsByName find ops by what is printed for them.
var opsBySign, opsByName = opTables()

func opTables() (signs, names map[string]Op) {
	signs, names = map[string]Op{}, map[string]Op{}
	for op := OpInvalid + 1; op < opCount; op++ {
		f := &Facts[op]
		switch {
		case op == OpLowest || op == OpHighest || op == OpEpsilon:
			names[f.Name] = op
		case op == OpNeg || op == OpNot || op == OpSelect || f.Rule == RuleNone && f.Prec == 0 && f.Arity == 0:
		case f.Prec > 0:
			signs[f.Name] = op
		default:
			names[f.Name] = op
		}
	}
	return signs, names
}

// value reads an expression whose signs bind at least as tightly as prec.
func (p *textParser) value(prec int) *Value {
	x := p.operand()
	for {
		op, ok := opsBySign[p.peek()]
		if !ok || Facts[op].Prec < prec {
			return x
		}
		least := Facts[op].Prec
		args := []*Value{x}
		for p.peek() == Facts[op].Name {
			p.at++
			args = append(args, p.value(least+1))
			if op != OpAnd && op != OpOr {
				break
			}
		}
		x = p.apply(op, args)
	}
}

func (p *textParser) operand() *Value {
	t := p.next()
	switch t {
	case "(":
		v := p.value(0)
		p.expect(")")
		return v
	case "-":
		if n := p.peek(); n != "" && digit(n[0]) && !(p.at+1 < len(p.toks) && p.toks[p.at+1] == "^") {
			p.at++
			if n == "0" { // of floats, whose zeros have a sign
				return &Value{Op: OpNeg, Type: Int(0).Type, Args: []*Value{Int(0)}}
			}
			return Const(p.rational("-" + n))
		}
		return p.apply(OpNeg, []*Value{p.value(Facts[OpNeg].Prec + 1)})
	case "!":
		return p.apply(OpNot, []*Value{p.value(Facts[OpNot].Prec + 1)})
	case "|":
		a := p.axis()
		p.expect("|")
		return Extent(a)
	case "if":
		c := p.value(1)
		p.expect("then")
		a := p.value(1)
		p.expect("else")
		return p.apply(OpSelect, []*Value{c, a, p.value(0)})
	case "inf", "nan", "pi":
		return map[string]func() *Value{"inf": Inf, "nan": NaN, "pi": Pi}[t]()
	case "true":
		return True
	case "false":
		return False
	}
	if digit(t[0]) {
		return Const(p.rational(t))
	}
	if v := p.vars[t]; v != nil && p.peek() != "[" && p.peek() != "(" {
		return Index(v)
	}
	return p.named(t)
}

// named reads what begins with a name: a read, a cast, a call or an attribute.
func (p *textParser) named(name string) *Value {
	switch {
	case (name == "uniform" || name == "normal") && p.peek() == "[" && p.tensors[name] == nil:
		return p.random(name)
	case p.tensors[name] == nil && p.at+1 < len(p.toks) && p.scalars[name+"["+p.toks[p.at+1]+"]"] != nil: // an entry of a list
		name += "[" + p.toks[p.at+1] + "]"
		p.at += 3
		return ScalarOf(p.scalars[name])
	case p.accept("["):
		return Read(p.known(name), p.list("]")...)
	case p.isElem(name) && p.peek() == "(":
		p.at--
		t := p.typ()
		p.expect("(")
		v := p.value(0)
		p.expect(")")
		if v.Op == OpConst && t.Kind == Typed {
			v = &Value{Op: OpCast, Type: t, Args: []*Value{v}} // the cast of a constant alone is not printed, so this one is of a dtype
		}
		return &Value{Op: OpCast, Type: t, Args: []*Value{v}}
	case name == "has" && p.accept("("):
		t := p.known(p.next())
		p.expect(")")
		return Present(t)
	case p.peek() == "(":
		op, ok := opsByName[name]
		if !ok {
			p.fail("there is no function %s", name)
		}
		p.at++
		if op == OpLowest || op == OpHighest || op == OpEpsilon {
			e := p.elem()
			p.expect(")")
			return Limit(op, e)
		}
		return p.apply(op, p.list(")"))
	case p.scalars[name] != nil:
		return ScalarOf(p.scalars[name])
	case name == "step":
		return &Value{Op: OpScalar, Type: ExactType, Name: name}
	}
	p.fail("%s is not known", name)
	return nil
}

// random reads uniform[count](seed, stream 0). Random numbers are of the first dtype variable that is a float, else of the first float
// tensor's dtype.
func (p *textParser) random(name string) *Value {
	v := &Value{Op: opsByName[name]}
	p.expect("[")
	v.Args = p.list("]")
	p.expect("(")
	v.Name = p.next()
	p.expect(",")
	p.expect("stream")
	n, err := strconv.Atoi(p.next())
	if err != nil {
		p.fail("%v", err)
	}
	v.Stream = n
	p.expect(")")
	for _, e := range p.f.ElemVars {
		if elem := (Elem{Name: e.Name}); ClassOf(p.f.ElemVars, elem) == ClassFloat {
			v.Type = TypedAs(elem)
			return v
		}
	}
	for _, t := range p.f.Inputs {
		if p.f.IsFloat(t) {
			v.Type = TypedAs(Elem{Name: t.Elem.Name})
			return v
		}
	}
	p.fail("nothing tells the dtype of %s", name)
	return nil
}

func (p *textParser) list(end string) []*Value {
	args := []*Value{}
	for !p.accept(end) {
		args = append(args, p.value(0))
		p.accept(",")
	}
	return args
}

// apply makes a value of an op as it stands: constants take the type that they meet, nothing is folded.
func (p *textParser) apply(op Op, args []*Value) *Value {
	f := &Facts[op]
	if f.Arity >= 0 && len(args) != f.Arity {
		p.fail("%s takes %d arguments, not %d", f.Name, f.Arity, len(args))
	}
	v := &Value{Op: op, Args: args}
	from := 0
	if op == OpSelect {
		from = 1
	}
	if f.Rule == RuleLogic || f.Rule == RuleTest {
		v.Type = BoolType
		return v
	}
	t := args[from].Type
	for _, a := range args[from+1:] {
		var err error
		if t, err = join(p.f.ElemVars, t, a.Type); err != nil {
			p.fail("%v", err)
		}
	}
	for i := from; i < len(args); i++ {
		if args[i].Type.Kind == Exact && t.Kind == Typed {
			args[i] = retype(args[i], t)
		}
	}
	if v.Type = t; f.Rule == RuleCompare || f.Rule == RuleEqual {
		v.Type = BoolType
	}
	return v
}

// retype gives a formula of constants the dtype that it has in the formula around it, which is not printed.
func retype(v *Value, t Type) *Value {
	if v.Type.Kind != Exact || t.Kind != Typed {
		return v
	}
	if v.Op == OpConst {
		return Cast(v, t)
	}
	n := *v
	n.Type, n.Args = t, slices.Clone(v.Args)
	for i, a := range n.Args {
		if n.Op != OpSelect || i > 0 {
			n.Args[i] = retype(a, t)
		}
	}
	return &n
}
