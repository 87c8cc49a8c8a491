package docs

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// irWriter writes the definitions of one function of the IR.
type irWriter struct {
	fn      *ir.Func
	lets    map[string]bool // names that the spec gives to values
	symbols map[*ir.Tensor]string
	auto    map[string]string // symbols of values without a name, by what the IR calls them
	counts  map[string]int
	numbers *ir.Numbering  // of the values of a body
	letters map[int]string // what stands for a value that occurs often
	small   bool
	uses    map[string]bool
}

func newIRWriter(fn *ir.Func, lets, uses map[string]bool) *irWriter {
	return &irWriter{fn: fn, lets: lets, uses: uses, symbols: map[*ir.Tensor]string{}, auto: map[string]string{}, counts: map[string]int{}}
}

// kinds are the letters for values that specs give no name, by what they begin with in the IR.
var kinds = []struct{ prefix, letter string }{{"sum", `\sigma`}, {"mean", `\sigma`}, {"norm", `\sigma`}, {"logsumexp", `\sigma`}, {"max", `\mu`}, {"min", `\mu`}, {"arg", `\mu`}}

// unnamed is the symbol of a value that the spec gives no name.
func (w *irWriter) unnamed(name string) string {
	if s := w.auto[name]; s != "" {
		return s
	}
	letter := `\omega`
	for _, k := range kinds {
		if strings.HasPrefix(name, k.prefix) {
			letter = k.letter
			break
		}
	}
	w.counts[letter]++
	w.auto[name] = fmt.Sprintf("%s_{%d}", letter, w.counts[letter])
	return w.auto[name]
}

// base is the symbol of a name: that of the spec, or a letter.
func (w *irWriter) base(name string) string {
	for _, t := range slices.Concat(w.fn.Inputs, w.fn.Outputs) {
		if t.Name == name {
			return symbol(name, false)
		}
	}
	if w.lets[name] {
		return symbol(name, false)
	}
	return w.unnamed(name)
}

// tensor is the symbol of a tensor.
func (w *irWriter) tensor(t *ir.Tensor) string {
	if s, ok := w.symbols[t]; ok {
		return s
	}
	s := ""
	switch {
	case t.Role == ir.Cotangent || t.Role == ir.Gradient:
		s = barred(symbol(strings.TrimPrefix(t.Name, "@"), false))
	case strings.HasPrefix(t.Name, "@"):
		of, part, _ := strings.Cut(t.Name[1:], ".")
		switch _, err := strconv.Atoi(strings.TrimPrefix(part, "all.")); {
		case part == "":
			s = barred(w.base(of))
		case part == "all":
			s = barred(w.base(of)) + `^{\ast}`
			w.uses["whole"] = true
		case err == nil:
			s = barred(w.base(of)) + "^{(" + strings.TrimPrefix(part, "all.") + ")}"
			w.uses["part"] = true
		default:
			s = w.unnamed(part + " of " + t.Name)
		}
	case strings.HasSuffix(t.Name, "'"):
		s = symbol(strings.TrimSuffix(t.Name, "'"), false) + "'"
	case t.Role == ir.Output && t.Of != nil:
		s = symbol(t.Of.Name, false) + "'"
	case strings.Contains(t.Name, "."):
		_, part, _ := strings.Cut(t.Name, ".")
		s = w.unnamed(part + " of " + t.Name)
	default:
		s = w.base(t.Name)
	}
	w.symbols[t] = s
	return s
}

var entry = regexp.MustCompile(`^(.*)\[(\d+)\]$`)

// scalar is the symbol of an attribute, or of an entry of one.
func scalar(name string) string {
	if m := entry.FindStringSubmatch(name); m != nil {
		s := symbol(m[1], false)
		if strings.Contains(s, "_{") {
			s = "{" + s + "}"
		}
		return s + "_{" + m[2] + "}"
	}
	return symbol(name, false)
}

// extent is the number of elements along an axis.
func (w *irWriter) extent(a *ir.Axis) term {
	if a.Pack {
		w.uses["pack"] = true
		return atom(`\lvert ` + symbol(a.Name, true) + ` \rvert`)
	}
	switch { // of a pack that stays together
	case a.Of != "" && a.At == ir.RankOf:
		return call(roman("rank"), atom(symbol(a.Of, true)))
	case a.Of != "" && a.Name == ir.EntryName(a.Of, a.At):
		return indexed(symbol(a.Of, true), strconv.Itoa(a.At))
	}
	return atom(symbol(a.Name, false))
}

func (w *irWriter) variable(v *ir.Var) string {
	name := v.Name
	if v.Axis != nil && name == "z"+v.Axis.Name { // of a definition that is zero everywhere
		name = strings.ToLower(v.Axis.Name)
	}
	if v.Axis != nil && v.Axis.Pack {
		w.uses["pack"] = true
		return symbol(name, true)
	}
	if w.taken(name) { // it was named after its axis
		name += "'"
	}
	return symbol(name, false)
}

// taken tells whether a tensor, an attribute or a value of the spec has a name.
func (w *irWriter) taken(name string) bool {
	is := func(t *ir.Tensor) bool { return t.Name == name }
	return w.lets[name] || slices.ContainsFunc(w.fn.Inputs, is) || slices.ContainsFunc(w.fn.Outputs, is) ||
		slices.ContainsFunc(w.fn.Scalars, func(s *ir.Scalar) bool { return s.Name == name })
}

// rational is an exact number: a short fraction or decimals.
func rational(r *big.Rat) term {
	if r.Sign() < 0 {
		return negate(rational(new(big.Rat).Neg(r)))
	}
	if r.IsInt() {
		return number(r.Num().String())
	}
	if small, _ := r.Float64(); small < 1e-4 { // as specs write such numbers
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(small, 'e', -1, 64), "e")
		if text := digits + "e" + strings.Replace(exponent, "-0", "-", 1); mustRat(text).Cmp(r) == 0 {
			return numeral(text)
		}
	}
	if f, exact := new(big.Float).SetPrec(200).SetRat(r).Float64(); exact == 0 || r.Denom().BitLen() > 5 {
		if text := r.FloatString(18); new(big.Rat).Sub(mustRat(text), r).Sign() == 0 {
			if text = strings.TrimRight(text, "0"); len(text) < 12 {
				return number(text)
			}
		}
		if r.Num().BitLen() > 40 || r.Denom().BitLen() > 40 {
			return numeral(strings.TrimSuffix(fmt.Sprintf("%.9g", f), ".0"))
		}
	}
	return divide(number(r.Num().String()), number(r.Denom().String()))
}

func mustRat(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// value is an expression.
func (w *irWriter) value(v *ir.Value) term {
	if s := w.letter(v); s != "" {
		return atom(s)
	}
	switch v.Op {
	case ir.OpConst:
		return w.scaled(rational(v.Const))
	case ir.OpInf, ir.OpNaN, ir.OpPi, ir.OpTrue, ir.OpFalse:
		return atom(constants[ir.Facts[v.Op].Name])
	case ir.OpScalar:
		return atom(scalar(v.Name))
	case ir.OpExtent:
		return w.extent(v.Axis)
	case ir.OpIndex:
		return atom(w.variable(v.Var))
	case ir.OpRead:
		return indexed(w.tensor(v.Tensor), w.index(v.Args))
	case ir.OpPresent:
		return is([]term{atom(symbol(v.Tensor.Name, false))}, `\text{ is given}`)
	case ir.OpLowest, ir.OpHighest, ir.OpEpsilon:
		return call(roman(ir.Facts[v.Op].Name), atom(roman(v.Type.Elem.Name)))
	case ir.OpUniform, ir.OpNormal:
		name := roman(ir.Facts[v.Op].Name)
		if v.Stream > 0 {
			name += fmt.Sprintf("_{%d}", v.Stream)
		}
		return call(name, atom(symbol(v.Name, false)))
	case ir.OpCast:
		return w.cast(v)
	case ir.OpSelect:
		return w.choice(v)
	case ir.OpAnd, ir.OpOr:
		var list []term
		for _, a := range v.Args {
			list = append(list, w.value(a))
		}
		if v.Op == ir.OpAnd {
			return both(list)
		}
		return either(list)
	case ir.OpNot:
		return not(w.value(v.Args[0]))
	case ir.OpAbsorb:
		w.uses["absorb"] = true
	case ir.OpStop: // the derivative has been taken
		return w.value(v.Args[0])
	}
	var a []term
	for _, x := range v.Args {
		a = append(a, w.value(x))
	}
	if v.Type.Kind == ir.Exact {
		if base, by := shift(v); base != v {
			return shifted(w.value(base), by)
		}
	}
	switch v.Op {
	case ir.OpAdd:
		return add(a[0], "+", a[1])
	case ir.OpSub:
		return add(a[0], "-", a[1])
	case ir.OpMul:
		if a[0].tex == a[1].tex && a[0].binds == bindsAtom && !a[0].lead {
			return power(a[0], number("2"))
		}
		return multiply(a[0], a[1])
	case ir.OpDiv:
		if w.small {
			return term{tex: a[0].within(bindsProduct).tex + "/" + a[1].within(bindsPower).tex, binds: bindsBig}
		}
		return divide(a[0], a[1])
	case ir.OpPow:
		return power(a[0], a[1])
	case ir.OpNeg:
		return negate(a[0])
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return compare(signs[ir.Facts[v.Op].Name], a[0], a[1])
	case ir.OpSincn:
		w.uses["sincn"] = true
		return ofOrder(`\mathrm{sa}^{(%)}`, a)
	}
	return apply(ir.Facts[v.Op].Name, a)
}

// shift splits an exact value into one without a constant behind it, and that constant.
func shift(v *ir.Value) (*ir.Value, *big.Rat) {
	if v.Op != ir.OpAdd && v.Op != ir.OpSub || v.Args[1].Op != ir.OpConst {
		return v, new(big.Rat)
	}
	base, by := shift(v.Args[0])
	if v.Op == ir.OpAdd {
		return base, new(big.Rat).Add(by, v.Args[1].Const)
	}
	return base, new(big.Rat).Sub(by, v.Args[1].Const)
}

func shifted(base term, by *big.Rat) term {
	switch by.Sign() {
	case 0:
		return base
	case 1:
		return add(base, "+", rational(by))
	}
	return add(base, "-", rational(new(big.Rat).Neg(by)))
}

// scaled is a number as it may stand in an index: fractions on the line.
func (w *irWriter) scaled(t term) term {
	if w.small && t.num != nil {
		return term{tex: t.num.tex + "/" + t.den.tex, binds: bindsBig, lead: true}
	}
	return t
}

// cast is a conversion. Those between kinds of numbers, and to what a float is computed in, are no matter of a formula.
func (w *irWriter) cast(v *ir.Value) term {
	from, to := v.Args[0].Type, v.Type
	x := w.value(v.Args[0])
	if from.Kind == ir.Typed && to.Kind == ir.Typed && from.Elem.Name != to.Elem.Name || from.Kind == ir.Bool && to.Kind != ir.Bool {
		return call(roman(to.Elem.Name), x)
	}
	if to.Kind == ir.Bool {
		return compare(`\ne`, x, number("0"))
	}
	return x
}

// choice is if … then … else …; of a product with a condition, 0 being the other side, the condition in brackets.
func (w *irWriter) choice(v *ir.Value) term {
	var list []branch
	for first := true; v.Op == ir.OpSelect && (first || w.letter(v) == ""); first = false {
		list = append(list, branch{w.value(v.Args[1]).tex, w.value(v.Args[0]).tex})
		v = v.Args[2]
	}
	list = append(list, branch{value: w.value(v).tex})
	if len(list) > 2 {
		w.uses["cases"] = true
	}
	if w.small {
		return inline(list)
	}
	return cases(list)
}

// index is the indices of a read.
func (w *irWriter) index(args []*ir.Value) string {
	defer func(was bool) { w.small = was }(w.small)
	w.small = true
	var texts []string
	for _, a := range args {
		texts = append(texts, w.value(a).tex)
	}
	return strings.Join(texts, ", ")
}

// reducers are the operators of monoids.
var reducers = map[ir.Monoid]string{ir.Sum: "sum", ir.Prod: "prod", ir.Max: "max", ir.Min: "min", ir.Any: "any", ir.All: "all"}

// definition is d as equations: the definition, and below it what stands for values that occur several times.
func (w *irWriter) definition(d *ir.Def) []equation {
	shared := w.share(d.Body)
	defer func() { w.letters = nil }()
	left := w.tensor(d.Target)
	var index, below []string
	bound := map[*ir.Var]bool{}
	for i, e := range d.Dest {
		if e.Op == ir.OpIndex && !bound[e.Var] {
			bound[e.Var] = true
			index = append(index, w.variable(e.Var))
			if r := w.part(e.Var, d.Target.Axes[i]); r != "" {
				below = append(below, r)
			}
			continue
		}
		name := w.fresh(d, d.Target.Axes[i], i)
		index = append(index, name)
		below = append(below, w.index([]*ir.Value{e})+" = "+name)
	}
	var over []string
	for _, v := range d.Vars {
		if bound[v] {
			continue
		}
		over = append(over, w.over(v))
	}
	defer func(was bool) { w.small = was }(w.small)
	w.small = true
	conditions := append([]string{}, below...)
	var where []term
	for _, c := range d.Where {
		for _, p := range ir.Conjuncts(c) {
			if !within(d, p) {
				where = append(where, w.value(p))
			}
		}
	}
	for _, c := range chained(where) {
		conditions = append(conditions, c.tex)
	}
	w.small = false
	var lines []string
	for len(over) > 0 { // at most five on a line
		n := min(5, len(over))
		lines = append(lines, strings.Join(over[:n], ", "))
		over = over[n:]
	}
	r, more := w.narrow(d.Body)
	shared = append(shared, more...)
	if len(d.Dest) < len(d.Vars)+len(below) || len(conditions) > 0 || d.Monoid != ir.Assign {
		if d.Monoid == ir.Assign {
			return append([]equation{{left: indexed(left, strings.Join(index, ", ")).tex, right: r, note: noteOf(d, conditions)}}, shared...)
		}
		r = reduce(reducers[d.Monoid], stack(append(lines, conditions...)), []term{r})
	}
	e := equation{left: indexed(left, strings.Join(index, ", ")).tex, right: r}
	if d.Group != 0 && d.Along != nil {
		order := `\text{in order of rising }`
		if d.Reverse {
			order = `\text{in order of falling }`
		}
		e.note = order + w.variable(d.Along)
	}
	return append([]equation{e}, shared...)
}

// within tells whether a condition says no more than that the left side of d is an element of its target.
func within(d *ir.Def, c *ir.Value) bool {
	for i, e := range d.Dest {
		lower := c.Op == ir.OpLe && ir.IsConst(c.Args[0], 0) && ir.Equal(c.Args[1], e)
		upper := c.Op == ir.OpLt && ir.Equal(c.Args[0], e) && c.Args[1].Op == ir.OpExtent && c.Args[1].Axis == d.Target.Axes[i]
		if (e.Op != ir.OpIndex || e.Var.Axis == nil) && (lower || upper) {
			return true
		}
	}
	return false
}

// noteOf is where an assignment holds that isn't for all elements.
func noteOf(d *ir.Def, conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return `\text{where } ` + strings.Join(conditions, `,\, `)
}

// part tells which elements of an axis of the target a variable of the left side runs over; "" where they are all.
func (w *irWriter) part(v *ir.Var, a *ir.Axis) string {
	if v.Axis != nil || ir.IsConst(v.Lo, 0) && v.Hi.Op == ir.OpExtent && v.Hi.Axis == a {
		return ""
	}
	return w.over(v)
}

// over is a variable with what it runs over.
func (w *irWriter) over(v *ir.Var) string {
	if v.Axis != nil {
		axis := symbol(v.Axis.Name, v.Axis.Pack)
		return w.variable(v) + ` \in ` + axis
	}
	defer func(was bool) { w.small = was }(w.small)
	w.small = true
	return w.value(v.Lo).within(bindsSum).tex + ` \le ` + w.variable(v) + " < " + w.value(v.Hi).within(bindsSum).tex
}

// fresh is a name for the index along an axis that no variable of d has.
func (w *irWriter) fresh(d *ir.Def, a *ir.Axis, at int) string {
	name := strings.ToLower(a.Name)
	for slices.ContainsFunc(d.Vars, func(v *ir.Var) bool { return v.Name == name }) || !a.Pack && w.taken(name) {
		name += "'"
	}
	return symbol(name, a.Pack)
}
