package ir

import (
	"math"
	"math/big"
	"sync"
)

// kind is how the evaluator keeps a value.
type kind uint8

const (
	kindExact kind = iota
	kindFloat      // Real and float dtypes
	kindInt        // integer dtypes, in number.i
	kindBool
)

// cell is the value of a node.
type cell struct {
	n number
	f float64
	b bool
}

// node is a value made ready for evaluation.
type node struct {
	v     *Value
	kind  kind
	dtype string // of typed values: what they are computed in
	args  []int
	depth int // number of the innermost loop that the value depends on; -1: none
	stamp int // when val was computed
	val   cell
}

// program holds the values of a definition. A value is computed when it is asked for, and again only after a loop that
// it depends on has moved.
type program struct {
	m       *machine
	nodes   []node
	index   map[*Value]int
	depthOf map[*Var]int
	at      []int // values of the loop variables
	moved   []int // when they were last changed
	clock   int
	roots   []int
	args    []int // of all nodes
	// Exact values that are computed with floats, and those that aren't: see isFree.
	free, strict map[*Value]bool
}

// programs have room that others left.
var programs = sync.Pool{New: func() any {
	return &program{index: map[*Value]int{}, depthOf: map[*Var]int{}, free: map[*Value]bool{}, strict: map[*Value]bool{}}
}}

func (m *machine) compile(vars []*Var, roots ...*Value) *program {
	p := programs.Get().(*program)
	p.m = m
	p.at, p.moved, p.clock = append(p.at[:0], make([]int, len(vars))...), append(p.moved[:0], make([]int, len(vars))...), 1
	for i, v := range vars {
		p.depthOf[v] = i
	}
	for _, r := range roots {
		p.mark(r, false)
		p.roots = append(p.roots, p.add(r))
	}
	return p
}

// done keeps the room of a program that is evaluated no more for the next one.
func (p *program) done() {
	if len(p.nodes) > maxKept {
		return
	}
	clear(p.nodes)
	clear(p.index)
	clear(p.depthOf)
	clear(p.free)
	clear(p.strict)
	p.m, p.nodes, p.roots, p.args = nil, p.nodes[:0], p.roots[:0], p.args[:0]
	programs.Put(p)
}

func (p *program) add(v *Value) int {
	if i, ok := p.index[v]; ok {
		return i
	}
	n := node{v: v, depth: -1}
	if k := len(p.args); len(v.Args) > 0 {
		p.args = append(p.args, make([]int, len(v.Args))...)
		n.args = p.args[k:len(p.args):len(p.args)]
	}
	for k, a := range v.Args {
		i := p.add(a)
		n.args[k] = i
		n.depth = max(n.depth, p.nodes[i].depth)
	}
	if v.Op == OpIndex {
		d, ok := p.depthOf[v.Var]
		if !ok {
			p.m.fail(v.Span, "variable %s is out of scope", v.Var.Name)
		}
		n.depth = d
	}
	switch v.Type.Kind {
	case Exact:
		n.kind = kindExact
	case Real:
		n.kind = kindFloat
	case Bool:
		n.kind = kindBool
	default:
		n.dtype = computeIn(v.Type.Elem.Resolve(p.m.dtypes))
		n.kind = kindFloat
		switch {
		case intBits[n.dtype] != 0 && v.Op == OpDiv:
			n.kind = kindExact
		case intBits[n.dtype] != 0:
			n.kind = kindInt
		}
	}
	i := len(p.nodes)
	p.nodes = append(p.nodes, n)
	p.index[v] = i
	return i
}

// set gives a loop variable its value.
func (p *program) set(depth, value int) {
	p.at[depth] = value
	p.clock++
	for d := depth; d < len(p.moved); d++ {
		p.moved[d] = p.clock
	}
}

// wholeAt is the value of an index or a bound.
func (p *program) wholeAt(i int) int {
	n := p.eval(i).n
	w, ok := n.whole()
	if !ok {
		p.m.fail(p.nodes[i].v.Span, "the index %s is %s, which isn't whole", p.nodes[i].v.Words(), n.rat().RatString())
	}
	return int(w)
}

// number is the value of a node as it is stored.
func (p *program) number(i int) float64 {
	c := p.eval(i)
	switch p.nodes[i].kind {
	case kindExact:
		return c.n.float()
	case kindInt:
		return elementOf(p.nodes[i].dtype, c.n.i)
	case kindBool:
		if c.b {
			return 1
		}
		return 0
	}
	return c.f
}

// exact is the value of a node that is exact or an integer.
func (p *program) exact(i int) number {
	n := p.eval(i).n
	if p.nodes[i].kind == kindInt && p.nodes[i].dtype == "u64" && n.i < 0 {
		return number{r: new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(n.i)))}
	}
	return n
}

func (p *program) eval(i int) *cell {
	n := &p.nodes[i]
	if n.stamp != 0 && (n.depth < 0 || n.stamp >= p.moved[n.depth]) {
		return &n.val
	}
	n.val = p.compute(n)
	n.stamp = p.clock
	return &n.val
}

func (p *program) compute(n *node) cell {
	v := n.v
	switch v.Op {
	case OpConst:
		return cell{n: fromRat(v.Const)}
	case OpInf:
		return cell{f: math.Inf(1)}
	case OpNaN:
		return cell{f: math.NaN()}
	case OpPi:
		return cell{f: math.Pi}
	case OpScalar:
		return p.scalar(n)
	case OpExtent:
		return cell{n: number{i: int64(p.m.extent(v.Axis))}}
	case OpIndex:
		return cell{n: number{i: int64(p.at[n.depth])}}
	case OpTrue, OpFalse:
		return cell{b: v.Op == OpTrue}
	case OpRead:
		return p.read(n)
	case OpPresent:
		return cell{b: p.m.arrays[v.Tensor] != nil}
	case OpCast:
		return p.cast(n)
	case OpNot:
		return cell{b: !p.eval(n.args[0]).b}
	case OpAnd, OpOr:
		for _, a := range n.args {
			if p.eval(a).b == (v.Op == OpOr) {
				return cell{b: v.Op == OpOr}
			}
		}
		return cell{b: v.Op == OpAnd}
	case OpSelect:
		if p.eval(n.args[0]).b {
			return *p.eval(n.args[1])
		}
		return *p.eval(n.args[2])
	case OpStop:
		return *p.eval(n.args[0])
	case OpIsNaN:
		return cell{b: math.IsNaN(p.eval(n.args[0]).f)}
	case OpIsInf:
		return cell{b: math.IsInf(p.eval(n.args[0]).f, 0)}
	case OpSignbit:
		return cell{b: math.Signbit(p.eval(n.args[0]).f)}
	case OpLowest, OpHighest, OpEpsilon:
		return limit(v.Op, v.Type.Elem.Resolve(p.m.dtypes))
	case OpUniform, OpNormal:
		return cell{f: p.random(n)}
	case OpEq, OpNe, OpLt, OpLe:
		return cell{b: p.compare(v.Op, n.args[0], n.args[1])}
	}
	switch n.kind {
	case kindExact:
		args := make([]number, len(n.args))
		for i, a := range n.args {
			args[i] = p.exact(a)
		}
		r, err := exactCall(v.Op, args)
		if err != nil {
			p.m.fail(v.Span, "%s: %v", v.Words(), err)
		}
		if !p.isFree(v) && !(held(r) && (v.Op != OpDiv || signed(args[0], args[1]))) {
			p.m.fail(v.Span, "%s", Overflow(v))
		}
		return cell{n: r}
	case kindInt:
		if Facts[v.Op].Rule == RuleWhole {
			return p.rounded(n)
		}
		return cell{n: number{i: wrap(n.dtype, p.intCall(n))}}
	}
	return cell{f: roundTo(n.dtype, p.floatCall(n))}
}

func (p *program) scalar(n *node) cell {
	x, ok := p.m.scalars[n.v.Name]
	if !ok {
		p.m.fail(n.v.Span, "attribute %s has no value", n.v.Name)
	}
	switch n.kind {
	case kindExact, kindInt:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			p.m.fail(n.v.Span, "attribute %s is %v, which isn't exact", n.v.Name, x)
		}
		r := fromRat(new(big.Rat).SetFloat64(x))
		if _, whole := r.whole(); n.kind == kindInt && !whole {
			p.m.fail(n.v.Span, "attribute %s is %v, which isn't whole", n.v.Name, x)
		}
		return cell{n: r}
	case kindBool:
		return cell{b: x != 0}
	}
	if n.dtype == "bool" && x != 0 {
		x = 1
	}
	return cell{f: roundTo(n.dtype, x)}
}

func (p *program) read(n *node) cell {
	t := n.v.Tensor
	a := p.m.arrays[t]
	if a == nil {
		if t.Default == nil {
			p.m.fail(n.v.Span, "%s is read, but was not given", t.Name)
		}
		return p.store(n, fromRat(t.Default).float())
	}
	at := 0
	for k, e := range n.args {
		i := p.wholeAt(e)
		if i < 0 || i >= a.Shape[k] {
			p.m.fail(n.v.Span, "index %d of axis %s of %s (extent %d) is out of range", i, t.Axes[k].Name, t.Name, a.Shape[k])
		}
		at = at*a.Shape[k] + i
	}
	if u := p.m.unset[t]; u != nil && u[at] {
		panic(&noValue{p.m.fault(n.v.Span, "element %d of %s has no value", at, t.Name)})
	}
	if j := p.m.running[t]; j != nil && j.needsAll() && !j.set[at] {
		p.m.fail(n.v.Span, "element %d of %s is read before it is computed", at, t.Name)
	}
	return p.store(n, a.Data[at])
}

// store is an element of an array as a value.
func (p *program) store(n *node, x float64) cell {
	switch n.kind {
	case kindInt:
		return cell{n: number{i: integerOf(n.dtype, x)}}
	case kindBool:
		return cell{b: x != 0}
	}
	return cell{f: roundTo(n.dtype, x)}
}

// cast converts a value. A condition that a dtype variable stands for is the number 0 or 1.
func (p *program) cast(n *node) cell {
	c := p.converted(n)
	if n.kind == kindFloat && n.dtype == "bool" {
		if c.f != 0 {
			return cell{f: 1}
		}
		return cell{}
	}
	return c
}

func (p *program) converted(n *node) cell {
	from := &p.nodes[n.args[0]]
	c := *p.eval(n.args[0])
	if from.kind == kindInt {
		c.n = p.exact(n.args[0])
	}
	switch from.kind {
	case kindBool:
		x := 0.0
		if c.b {
			x = 1
		}
		return cell{f: x, n: number{i: int64(x)}, b: c.b}
	case kindExact, kindInt:
		switch n.kind {
		case kindFloat:
			if c.n.r != nil && n.dtype == "f32" {
				x, _ := c.n.r.Float32() // rounded once
				return cell{f: float64(x)}
			}
			if c.n.r == nil && n.dtype == "f32" {
				return cell{f: float64(float32(c.n.i))}
			}
			return cell{f: roundTo(n.dtype, c.n.float())}
		case kindInt:
			if from.kind == kindExact {
				return cell{n: number{i: p.fit(n, c.n)}}
			}
			return cell{n: number{i: wrap(n.dtype, p.eval(n.args[0]).n.i)}}
		case kindBool:
			return cell{b: c.n.r != nil || c.n.i != 0}
		}
		return cell{n: c.n}
	}
	switch n.kind {
	case kindInt:
		return cell{n: number{i: saturate(n.dtype, c.f)}}
	case kindBool:
		return cell{b: c.f != 0}
	case kindExact:
		if math.IsNaN(c.f) || math.IsInf(c.f, 0) {
			p.m.fail(n.v.Span, "%s is %v, which isn't exact", n.v.Args[0].Words(), c.f)
		}
		return cell{n: fromRat(new(big.Rat).SetFloat64(c.f))}
	}
	return cell{f: roundTo(n.dtype, c.f)}
}

// compare compares floats, conditions, or exact numbers and integers: an exact number that an integer dtype can't hold is compared
// all the same.
func (p *program) compare(op Op, a, b int) bool {
	a, b = p.exactOf(a), p.exactOf(b)
	x, y := p.eval(a), p.eval(b)
	switch p.nodes[a].kind {
	case kindFloat:
		return Facts[op].CompareF(x.f, y.f)
	case kindBool:
		return (x.b == y.b) == (op == OpEq)
	}
	return Facts[op].CompareX(cmpNumbers(p.exact(a), p.exact(b)))
}

// fit is an exact value as an integer of the dtype of a node, which must hold it.
func (p *program) fit(n *node, x number) int64 {
	i, ok := x.whole()
	if n.dtype == "u64" {
		if r := x.rat(); r.IsInt() && r.Num().IsUint64() {
			return int64(r.Num().Uint64())
		}
		ok = false
	}
	if !ok || wrap(n.dtype, i) != i {
		p.m.fail(n.v.Span, "%s is %s, which %s can't hold", n.v.Args[0].Words(), x.rat().RatString(), n.dtype)
	}
	return i
}

// rounded is a function of whole numbers: of a quotient of integers, or of what is whole already.
func (p *program) rounded(n *node) cell {
	if p.nodes[n.args[0]].kind == kindInt {
		return *p.eval(n.args[0])
	}
	r, err := exactCall(n.v.Op, []number{p.exact(n.args[0])})
	if err != nil {
		p.m.fail(n.v.Span, "%s: %v", n.v.Words(), err)
	}
	return cell{n: number{i: p.fit(n, r)}}
}

// exactOf is the exact number that was cast to an integer dtype; the node itself where it is something else.
func (p *program) exactOf(i int) int {
	n := &p.nodes[i]
	if n.v.Op == OpCast && n.kind == kindInt && p.nodes[n.args[0]].kind == kindExact {
		return n.args[0]
	}
	return i
}

func (p *program) floatCall(n *node) float64 {
	f := &Facts[n.v.Op]
	var x [3]float64
	for i, a := range n.args {
		x[i] = p.eval(a).f
	}
	switch {
	case len(n.args) == 1 && f.F1 != nil:
		return f.F1(x[0])
	case len(n.args) == 2 && f.F2 != nil:
		return f.F2(x[0], x[1])
	case len(n.args) == 3 && f.F3 != nil:
		return f.F3(x[0], x[1], x[2])
	}
	p.m.fail(n.v.Span, "%v of floats", n.v.Op)
	return 0
}

func (p *program) intCall(n *node) int64 {
	var x [3]int64
	for i, a := range n.args {
		x[i] = p.eval(a).n.i
	}
	a, b := x[0], x[1]
	if n.dtype == "u64" {
		switch n.v.Op { // what isn't the same for the bits of an int64
		case OpAbs:
			return a
		case OpSign:
			return int64(min(uint64(a), 1))
		case OpMax:
			return int64(max(uint64(a), uint64(b)))
		case OpMin:
			return int64(min(uint64(a), uint64(b)))
		case OpMod, OpRem:
			if b != 0 {
				return int64(uint64(a) % uint64(b))
			}
		case OpPow:
			return power(a, uint64(b))
		}
	}
	switch n.v.Op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return a * b
	case OpFma:
		return a*b + x[2]
	case OpNeg:
		return -a
	case OpAbs:
		return max(a, -a)
	case OpSign:
		return int64(cmpNumbers(number{i: a}, number{}))
	case OpMax:
		return max(a, b)
	case OpMin:
		return min(a, b)
	case OpMod, OpRem:
		if b == 0 {
			p.m.fail(n.v.Span, "%s: %v", n.v.Words(), errDivideByZero)
		}
		r := a % b
		if n.v.Op == OpMod && r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r
	case OpPow:
		if b < 0 {
			p.m.fail(n.v.Span, "%s: a negative power of an integer", n.v.Words())
		}
		return power(a, uint64(b))
	}
	p.m.fail(n.v.Span, "%v of integers", n.v.Op)
	return 0
}

// power is a to the power b; it wraps.
func power(a int64, b uint64) int64 {
	r := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			r *= a
		}
		a *= a
	}
	return r
}
