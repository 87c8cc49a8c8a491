package general

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
)

// maxText bounds expressions that are written where they are used.
const maxText = 60

// count counts the uses of the values that v is made of.
func (g *gen) count(vs ...*ir.Value) {
	seen := map[int]bool{}
	var visit func(v *ir.Value)
	visit = func(v *ir.Value) {
		id := g.num.ID(v)
		g.uses[id]++
		if seen[id] {
			return
		}
		seen[id] = true
		for _, a := range v.Args {
			visit(a)
		}
	}
	for _, v := range vs {
		visit(v)
	}
}

// depth is the number of loops that must be open for v.
func (g *gen) depth(v *ir.Value) int {
	d := 0
	ir.Walk(v, func(v *ir.Value) bool {
		if v.Op == ir.OpIndex {
			l := g.vars[v.Var]
			if l == nil {
				g.bail("variable %s is out of scope", v.Var.Name)
			}
			d = max(d, l.level)
		}
		return true
	})
	return d
}

// isSafe tells whether v can be computed whatever conditions hold: nothing in it has to be tested.
func (g *gen) isSafe(v *ir.Value) bool {
	id := g.num.ID(v)
	if s, ok := g.safe[id]; ok {
		return s
	}
	s := g.nodeSafe(v)
	for _, a := range v.Args {
		s = s && g.isSafe(a)
	}
	g.safe[id] = s
	return s
}

func (g *gen) nodeSafe(v *ir.Value) bool {
	if g.risky(v) {
		return false
	}
	k := g.kindOf(v)
	switch v.Op {
	case ir.OpScalar:
		return !k.int()
	case ir.OpRead:
		if b := g.buffers[v.Tensor]; b != nil && (b.set != "" || b.empty != "") || g.group.runs(v.Tensor) {
			return false
		}
		for i, a := range v.Args {
			if !g.within(a, v.Tensor.Axes[i], nil) {
				return false
			}
		}
		return true
	case ir.OpCast:
		switch from := g.kindOf(v.Args[0]); {
		case k == whole && from.float():
			return false
		case k == whole && from.wide():
			return false
		case k.int() && from == whole:
			return k.holds(v.Args[0])
		}
	case ir.OpDiv, ir.OpMod, ir.OpRem:
		if k.float() {
			return true
		}
		c := ir.ConstOf(v.Args[1])
		if c == nil && v.Args[1].Op == ir.OpCast {
			c = ir.ConstOf(v.Args[1].Args[0])
		}
		return c != nil && c.Sign() > 0
	case ir.OpPow:
		return k.float()
	}
	return true
}

// value writes v, in s or around it, and gives what stands for it.
func (g *gen) value(v *ir.Value, s *block) value {
	id := g.num.ID(v)
	changes := g.changes(v)
	hoisted := false
	if !changes && g.isSafe(v) {
		if home := s.home(g.depth(v)); home != s {
			s, hoisted = home, true
		}
	}
	if !changes {
		if m, ok := s.find(id); ok {
			return m
		}
	}
	r := g.compute(v, s)
	if g.uses[id] > 1 || hoisted || len(r.text) > maxText {
		if !r.simple() {
			r.term = g.let(s, hintOf(v), r.kind.goType(), r.term)
		}
		if r.den != nil && !r.den.simple() {
			d := primary("%s", g.name("den")) // a name of its own in the function, see asked
			g.declare(s, d.text, "int")
			s.maybe(d.text, "%s := %s", d.text, r.den.text)
			r.den = &d
		}
	}
	if !changes {
		s.memo[id] = r
	}
	return r
}

// hintOf is what a variable for v could be called.
func hintOf(v *ir.Value) string {
	switch {
	case v.Op == ir.OpRead:
		return v.Tensor.Name + " at"
	case v.Op == ir.OpCast:
		return hintOf(v.Args[0])
	case v.Op == ir.OpScalar:
		return v.Name
	case v.Type.Kind == ir.Exact:
		return "i"
	case v.Type.Kind == ir.Bool:
		return "c"
	}
	return "t"
}

// changes tells whether v reads what its own definition changes between two evaluations in one place.
func (g *gen) changes(v *ir.Value) bool {
	found := false
	ir.Walk(v, func(v *ir.Value) bool {
		found = found || v.Op == ir.OpRead && g.group.runs(v.Tensor) && g.buffer(v.Tensor).running
		return !found
	})
	return found
}

func (g *gen) compute(v *ir.Value, s *block) value {
	k := g.kindOf(v)
	is := func(t term) value { return value{kind: k, term: t} }
	switch v.Op {
	case ir.OpConst:
		if !v.Const.Num().IsInt64() || !v.Const.Denom().IsInt64() {
			g.bail("exact numbers are at most those of an i64, so nothing is computed with %s; cast it to a float", v.Const.RatString())
		}
		return g.constant(v)
	case ir.OpInf:
		return is(primary("math.Inf(1)"))
	case ir.OpNaN:
		return is(primary("math.NaN()"))
	case ir.OpPi:
		return is(primary("math.Pi"))
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		return is(g.limit(v, k))
	case ir.OpScalar:
		return is(g.scalar(v, s))
	case ir.OpExtent:
		return is(g.extent(v.Axis))
	case ir.OpIndex:
		return is(primary("%s", g.vars[v.Var].name))
	case ir.OpTrue:
		return is(primary("true"))
	case ir.OpFalse:
		return is(primary("false"))
	case ir.OpRead:
		return is(g.read(v, s))
	case ir.OpPresent:
		i := g.k.Param(v.Tensor)
		if i < 0 {
			g.bail("has(%s)", v.Tensor.Name)
		}
		return is(term{text: fmt.Sprintf("b.Tensor(%d) != nil", i), prec: precCompare})
	case ir.OpCast:
		return g.cast(v, k, s)
	case ir.OpNot:
		return is(not(g.cond(v.Args[0], s)))
	case ir.OpAnd, ir.OpOr:
		return is(g.logic(v, s))
	case ir.OpSelect:
		return g.choose(v, k, s)
	case ir.OpUniform, ir.OpNormal:
		return is(g.random(v, k, s))
	case ir.OpStop:
		return g.value(v.Args[0], s)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return is(g.compare(v, s))
	case ir.OpIsNaN, ir.OpIsInf:
		a := g.value(v.Args[0], s)
		switch {
		case !a.kind.float():
			return is(primary("false"))
		case v.Op == ir.OpIsNaN:
			return is(call("math.IsNaN", wide(a)))
		}
		return is(call("math.IsInf", wide(a), number(0)))
	}
	switch k.class {
	case isExact:
		return g.exact(v, s)
	case isInt:
		return is(g.integer(v, k, s))
	case isTruth:
		return is(g.test1(v, s))
	}
	return is(g.float(v, k, s))
}

// random writes a random number.
func (g *gen) random(v *ir.Value, k kind, s *block) term {
	seed, err := g.k.Seed(v.Name)
	if err != nil {
		g.bail("%v", err)
	}
	f := map[ir.Op]string{ir.OpUniform: "runtime.Uniform", ir.OpNormal: "runtime.Normal"}[v.Op] + widths[k]
	at := g.integral(v.Args[0], g.value(v.Args[0], s), s)
	return call(f, primary("%s", seed), number(int64(v.Stream)), at)
}

// widths are the suffixes of functions of the runtime for floats.
var widths = map[kind]string{f32: "32", f64: "64"}

// wide is a float as a float64.
func wide(a value) term {
	if a.kind == f32 {
		return call("float64", a.term)
	}
	return a.term
}

// args writes the arguments of v. Where all are constants, the first gets a variable: Go would compute with them exactly.
func (g *gen) args(v *ir.Value, s *block) []value {
	var r []value
	lits := 0
	for _, a := range v.Args {
		x := g.value(a, s)
		r = append(r, x)
		if x.lit {
			lits++
		}
	}
	if lits == len(r) && lits > 0 && r[0].kind != whole {
		r[0].term = g.let(s, "c1", r[0].kind.goType(), r[0].term)
	}
	return r
}

func (g *gen) float(v *ir.Value, k kind, s *block) term {
	fact := &ir.Facts[v.Op]
	if v.Op == ir.OpPow && ir.ConstOf(uncast(v.Args[1])) != nil && ir.IsConst(uncast(v.Args[1]), 2) {
		x := g.value(v.Args[0], s)
		if !x.simple() || x.lit {
			x.term = g.let(s, "t", k.goType(), x.term)
		}
		return call(k.goType(), binary("*", precMul, x.term, x.term))
	}
	a := g.args(v, s)
	var terms []term
	for _, x := range a {
		terms = append(terms, x.term)
	}
	if op, ok := infix[v.Op]; ok {
		t := binary(op.text, op.prec, terms[0], terms[1])
		if v.Op == ir.OpMul {
			t = call(k.goType(), t) // not fused with what is added
		}
		return t
	}
	width := map[kind]string{f32: "32", f64: "64"}[k]
	switch v.Op {
	case ir.OpNeg:
		return negative(terms[0])
	case ir.OpAbs:
		if k == f32 {
			return call("runtime.Abs32", terms...)
		}
		return call("math.Abs", terms...)
	case ir.OpMax:
		return call("runtime.Max"+width, terms...)
	case ir.OpMin:
		return call("runtime.Min"+width, terms...)
	case ir.OpFma:
		if k == f32 {
			return call("runtime.FMA32", terms...)
		}
		return call("math.FMA", terms...)
	}
	f, ok := functions[fact.Name]
	switch {
	case !ok:
		g.bail("%s of floats has no form in Go", fact.Name)
	case f.runtime != "":
		return call("runtime."+f.runtime, terms...)
	}
	for i := range terms {
		terms[i] = wide(a[i])
	}
	t := call("math."+f.math, terms...)
	if k == f32 {
		t = call("float32", t)
	}
	return t
}

// integer writes an op of integers, which wrap.
func (g *gen) integer(v *ir.Value, k kind, s *block) term {
	if q := g.quotientOf(v, k); q != nil {
		return g.divide(v, q, k, s)
	}
	a := g.args(v, s)
	if op, ok := infix[v.Op]; ok && v.Op != ir.OpDiv {
		return binary(op.text, op.prec, a[0].term, a[1].term)
	}
	again := func(t term) term {
		if t.simple() && !t.lit {
			return t
		}
		return g.let(s, "n", k.goType(), t)
	}
	switch v.Op {
	case ir.OpNeg:
		return negative(a[0].term)
	case ir.OpAbs:
		if k.unsigned {
			return a[0].term
		}
		return call("runtime.AbsInt", a[0].term)
	case ir.OpSign:
		return call("runtime.Sign", a[0].term)
	case ir.OpMax:
		return call("max", a[0].term, a[1].term)
	case ir.OpMin:
		return call("min", a[0].term, a[1].term)
	case ir.OpFma:
		return binary("+", precAdd, binary("*", precMul, a[0].term, a[1].term), a[2].term)
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound:
		if a[0].kind == whole {
			return g.fits(rounding(v.Op, a[0]), k, s, v)
		}
		return a[0].term
	case ir.OpMod, ir.OpRem:
		d := again(a[1].term)
		if !g.isSafe(v) {
			g.test(s, binary("==", precCompare, d, number(0)), g.valueError(v, "division by zero"))
		}
		if v.Op == ir.OpMod {
			return call("runtime.FloorModInt", a[0].term, d)
		}
		return binary("%", precMul, a[0].term, d)
	case ir.OpPow:
		e := again(a[1].term)
		if !k.unsigned {
			g.test(s, binary("<", precCompare, e, number(0)), g.valueError(v, "a negative power of an integer"))
		}
		return call("runtime.PowInt", a[0].term, e)
	}
	g.bail("%s of integers", ir.Facts[v.Op].Name)
	return term{}
}

func (g *gen) valueError(v *ir.Value, what string) string {
	return fmt.Sprintf("runtime.FaultError(%q, %q)", g.k.Op, what+" in "+v.Words())
}

// test1 writes a condition on one float that the table of facts has no op of Go for.
func (g *gen) test1(v *ir.Value, s *block) term {
	switch name := ir.Facts[v.Op].Name; name {
	case "isfinite":
		x := g.let(s, "t", "float64", wide(g.value(v.Args[0], s)))
		return term{text: fmt.Sprintf("!math.IsNaN(%s) && !math.IsInf(%[1]s, 0)", x.text), prec: precAnd}
	case "signbit":
		return call("math.Signbit", wide(g.value(v.Args[0], s)))
	default:
		g.bail("the condition %s has no form in Go", name)
		return term{}
	}
}

func uncast(v *ir.Value) *ir.Value {
	for v.Op == ir.OpCast {
		v = v.Args[0]
	}
	return v
}
