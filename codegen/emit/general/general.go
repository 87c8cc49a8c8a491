// Package general writes functions as plain portable Go, straight from their definitions: one Go function for each choice of
// dtypes, where all integers are one choice. It takes every function of the IR that has elements of dtypes of the runtime, whatever its shape, and is what
// runs where nests can't express a function.
//
// Each definition becomes loops over its variables, in the order of the evaluator of package ir, which is what the
// functions are tested against. A definition of one point for each element of its target runs over the elements in order;
// what is summed is kept in a variable meanwhile. Others (scatters) add to memory in ascending order of their source.
// Groups run in order along their axis. Maps that are read at one place are written where they are read.
//
// Arithmetic is that of the dtypes: float32 rounds after each operation, and products are never fused with sums. Sums and
// products over float32 are kept in float64 and rounded once; those over float64 are kept in float64, in order. Functions
// such as exp are those of package math in float64, of less than 1 ulp there, and so within 0.5001 ulp in float32.
//
// What isn't known to be right when the code is written is tested where it is evaluated, and only there: indices, whole
// numbers, divisors, elements without a value. A function that tests anything writes its results to memory of its own
// first, so that a call that ends with an error changed nothing.
package general

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Kernel says which function to write.
type Kernel struct {
	Name   string            // of the Go function
	Doc    string            // its comment, one line
	Op     string            // in messages: reduce.cumsum
	Func   *ir.Func          // what it computes
	DTypes map[string]string // what dtype variables stand for
	Params string            // parameters of the Go function; b is the runtime.Bound
	// Scalar is the Go expression of an attribute, or of step: an int where whole is set, else a float64.
	Scalar func(name string) (code string, whole bool, err error)
	Seed   func(name string) (code string, err error) // the Go expression of an attribute that is a seed
	Axis   func(a *ir.Axis) int                       // the number of an axis in the signature, -1 where it has none
	Param  func(t *ir.Tensor) int                     // the parameter of the signature that holds a tensor, -1 where there is none
	// Parts are the loops of the op that run in parts. Nil: those of this function follow it.
	Parts *Parts
	// Optional tells whether the caller may leave an output out. Nil: none.
	Optional func(t *ir.Tensor) bool
	// Takes is told what the function takes memory for, of extents that are known when tensors are bound: tensors with some axes, or all elements of
	// a parameter, where that is a page of equal ones. Nil: nobody wants to know.
	Takes func(parameter *ir.Tensor, axes []*ir.Axis, e ir.Elem)
}

// Unsupported says why a function can't be written.
type Unsupported struct{ Reason string }

func (e *Unsupported) Error() string { return e.Reason }

// gen writes one function.
type gen struct {
	k       *Kernel
	params  []Parameter // type parameters
	open    []kind      // their forms
	num     ir.Numbering
	names   map[string]bool
	next    map[string]int // the number to try next for a name that is taken
	inner   []string       // names in the definition that is written
	root    *block
	defs    []*ir.Def
	buffers map[*ir.Tensor]*buffer
	extents map[*ir.Axis]term
	vars    map[*ir.Var]*loopVar
	rangeOf map[*ir.Var][]*linear    // what is known of a variable
	clipped map[*ir.Var][2]*ir.Value // bounds of variables whose loops stand; see clip
	guards  []*ir.Value              // conditions without which the definition that is written adds nothing
	safe    map[int]bool
	uses    map[int]int
	offset  map[int]string // of reads, by number
	group   *group
	doing   int                   // the number of the definition of the group that is written
	wanted  map[*ir.Tensor]string // outputs that may be left out: the variable that tells

	types     map[string]string // of variables outside of all loops
	flat      int               // the outer loops that are left to be written as one
	flattened []flatVar
	ownParts  bool // of this function alone

	always *ir.Leaves   // see leaves
	risks  map[int]bool // see risky

	filled map[*ir.Var]bool // variables whose axes are known to have points

	lacking bool   // an element without a value makes that which is written have none
	lacks   string // and this is done there

	fails   bool
	sizes   []string // the head: extents
	rooms   []string // then tests that there is room for what has them
	loads   []string // then the memory of parameters
	ends    []string // the end: results that are copied out
	missing int      // requirements that were written
}

// loopVar is a variable of a loop that is open.
type loopVar struct {
	name  string
	level int
}

func newGen(k *Kernel) *gen {
	g := &gen{k: k, names: map[string]bool{}, next: map[string]int{}, buffers: map[*ir.Tensor]*buffer{}, extents: map[*ir.Axis]term{}, vars: map[*ir.Var]*loopVar{},
		rangeOf: map[*ir.Var][]*linear{}, clipped: map[*ir.Var][2]*ir.Value{}, safe: map[int]bool{}, uses: map[int]int{}, offset: map[int]string{}, wanted: map[*ir.Tensor]string{}, filled: map[*ir.Var]bool{}, types: map[string]string{}, risks: map[int]bool{}}
	if k.Parts == nil {
		k.Parts, g.ownParts = &Parts{Name: k.Name}, true
	}
	g.root = &block{memo: map[int]value{}, texts: map[string]string{}}
	for _, n := range reservedNames {
		g.names[n] = true
	}
	g.params = k.Parameters()
	for _, p := range g.params {
		g.open = append(g.open, open(p.Name))
		g.names[p.Name] = true
	}
	return g
}

// catch makes an error of what a function can't be written for.
func (g *gen) catch(text *string, err *error) {
	switch r := recover().(type) {
	case nil:
	case *Unsupported:
		*text, *err = "", r
	default:
		panic(r)
	}
}

// Function writes a function.
func Function(k *Kernel) (text string, err error) {
	g := newGen(k)
	defer g.catch(&text, &err)
	g.defs = g.inlined(ir.Live(k.Func))
	g.requires()
	for i := 0; i < len(g.defs); {
		n := i + 1
		for g.defs[i].Group != 0 && n < len(g.defs) && g.defs[n].Group == g.defs[i].Group {
			n++
		}
		g.definitions(g.defs[i:n])
		g.requires()
		i = n
	}
	for _, t := range k.Func.Outputs {
		g.output(t)
	}
	return g.text(g.ends), nil
}

// text is the function as far as it is written, and its end.
func (g *gen) text(ends []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "// %s\nfunc %s%s(%s) error {\n", g.k.Doc, g.k.Name, g.typeParams(), g.k.Params)
	for _, part := range [][]string{g.sizes, g.rooms, g.loads, {g.root.text.String()}, ends} {
		for _, l := range part {
			out.WriteString(l)
		}
	}
	out.WriteString("return nil\n}\n")
	text := asked(out.String())
	if g.ownParts {
		for _, p := range g.k.Parts.Take() {
			text += "\n" + p
		}
	}
	return text
}

// typeParams declares the type parameters.
func (g *gen) typeParams() string {
	if g.params == nil {
		return ""
	}
	var names []string
	for _, p := range g.params {
		names = append(names, p.Name)
	}
	return "[" + strings.Join(names, ", ") + " runtime.Integer]"
}

// reservedNames are names that variables must not have: those of Go, of imports and of parameters.
var reservedNames = strings.Fields(`break case chan const continue default defer else fallthrough for func go goto if import interface map package range
	return select struct switch type var any bool byte comparable error false true iota nil append cap clear copy len make max min new
	float32 float64 int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 string panic print recover math runtime b v step part from to point rest err`)

func (g *gen) bail(format string, args ...any) {
	panic(&Unsupported{fmt.Sprintf(format, args...)})
}

// want is a variable that tells whether somebody wants an output; "" for those that are always wanted.
func (g *gen) want(t *ir.Tensor) string {
	if g.k.Optional == nil || !g.k.Optional(t) {
		return ""
	}
	if g.wanted[t] == "" {
		g.wanted[t] = g.name("want " + t.Name)
		g.types[g.wanted[t]] = "bool"
		g.loads = append(g.loads, fmt.Sprintf("%s := b.Tensor(%d) != nil\n", g.wanted[t], g.k.Param(t)))
	}
	return g.wanted[t]
}

// onlyFor is the condition under which somebody wants what definitions compute; "" always.
func (g *gen) onlyFor(defs []*ir.Def) string {
	reached := map[*ir.Tensor]bool{}
	for _, d := range defs {
		reached[d.Target] = true
	}
	after := false
	for _, d := range g.defs {
		if slices.Contains(defs, d) {
			after = true
			continue
		}
		if !after {
			continue
		}
		for t := range d.Reads() {
			if reached[t] {
				reached[d.Target] = true
			}
		}
	}
	for _, r := range g.k.Func.Requires {
		for t := range ir.Reads(r.Cond) {
			if reached[t] {
				return ""
			}
		}
	}
	var of []*ir.Tensor
	for _, t := range g.k.Func.Outputs {
		if reached[t] {
			of = append(of, t)
		}
	}
	optional := func(t *ir.Tensor) bool { return g.k.Optional != nil && g.k.Optional(t) }
	if !slices.ContainsFunc(of, optional) || slices.ContainsFunc(of, func(t *ir.Tensor) bool { return !optional(t) }) ||
		len(of) == len(g.k.Func.Outputs) && len(of) > 1 { // all of several are hardly ever unwanted together
		return ""
	}
	var conds []string
	for _, t := range of {
		conds = append(conds, g.want(t))
	}
	return strings.Join(conds, " || ")
}

// requires writes the requirements on elements whose tensors are computed, in order.
func (g *gen) requires() {
	f := g.k.Func
	for ; g.missing < len(f.Requires); g.missing++ {
		r := f.Requires[g.missing]
		reads := ir.Reads(r.Cond)
		if len(reads) == 0 {
			continue // of attributes and extents: tested before
		}
		for t := range reads {
			if g.defOf(t) != nil && g.buffers[t] == nil {
				return
			}
		}
		g.count(r.Cond)
		c := g.cond(r.Cond, g.root)
		fault := fmt.Sprintf("runtime.ValueError(%q, %q, %q)", g.k.Op, g.argument(reads), r.Cond.Words())
		if r.Message != "" {
			fault = fmt.Sprintf("runtime.RequireError(%q, %q, %q, runtime.ErrValue)", g.k.Op, g.argument(reads), r.Message)
		}
		g.test(g.root, not(c), fault)
	}
}

// argument is the input that tensors are computed from, if there is one.
func (g *gen) argument(reads map[*ir.Tensor]bool) string {
	if from := g.sources(reads); len(from) == 1 {
		return from[0]
	}
	return ""
}

// sources are the inputs that tensors are computed from, in the order of the signature.
func (g *gen) sources(reads map[*ir.Tensor]bool) []string {
	seen := map[*ir.Tensor]bool{}
	var visit func(t *ir.Tensor)
	visit = func(t *ir.Tensor) {
		if seen[t] {
			return
		}
		seen[t] = true
		if d := g.defOf(t); d != nil {
			for u := range d.Reads() {
				visit(u)
			}
		}
	}
	for t := range reads {
		visit(t)
	}
	var from []string
	for _, t := range g.k.Func.Inputs {
		if seen[t] && g.defOf(t) == nil {
			from = append(from, t.Name)
		}
	}
	return from
}

// defOf is the definition of a tensor, nil for inputs.
func (g *gen) defOf(t *ir.Tensor) *ir.Def {
	for _, d := range g.defs {
		if d.Target == t {
			return d
		}
	}
	return nil
}

// test writes what ends the function with an error where cond holds.
func (g *gen) test(s *block, cond term, err string) {
	g.fails = true
	s.printf("if %s {\nreturn %s\n}\n", cond.text, err)
}
