// Package gocpu emits portable Go: kernels from nests, and the functions that people call.
//
// Kernels are plain loops over slices that the compiler can prove to be within bounds. They give the bits of the
// interpreter of nests on every platform: products are rounded before they are added, fused operations round once,
// and reductions keep the virtual lanes that the nest asks for.
package gocpu

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/nest"
)

// KernelName is the function that Kernel makes of a nest.
func KernelName(n *nest.Nest) string { return n.Name + "_go" }

// Kernel is the nest as a function of runtime.Args.
func Kernel(n *nest.Nest) (jen.Code, error) {
	k := &kernel{
		nest:   n,
		w:      &width32,
		rows:   n.Passes(),
		names:  newNamer("a", "r", "n", "m", "i", "k", "k0", "end"),
		texts:  map[*nest.Value]expr{},
		homes:  map[*nest.Value]*list{},
		users:  map[*nest.Value][]*list{},
		arrays: map[*nest.Value]string{},
		used:   map[string]bool{},
		slots:  make([]slot, len(n.Slots)),
	}
	if n.Float == nest.F64 {
		k.w = &width64
	}
	for i := range n.Operands {
		k.operands = append(k.operands, k.names.name(n.Operands[i].Name))
	}
	root := k.plan(n.Body)
	body := append(k.head(root), k.list(root)...)
	body = append(body, k.tail()...)
	if k.err != nil {
		return nil, fmt.Errorf("%s: %w", KernelName(n), k.err)
	}
	doc := jen.Comment(k.doc())
	return jen.Add(doc).Line().Func().Id(KernelName(n)).Params(jen.Id("a").Op("*").Qual(runtimePath, "Args")).Block(body...), nil
}

// kernel is the state of making one function.
type kernel struct {
	nest     *nest.Nest
	rows     *nest.Passes // nil: long rows are cut anywhere
	w        *width
	names    namer
	operands []string // the name of each operand's slice or element
	slots    []slot
	texts    map[*nest.Value]expr    // how a value is written where it is used
	homes    map[*nest.Value]*list   // the list that computes a value
	users    map[*nest.Value][]*list // the lists that use it, one entry a use
	arrays   map[*nest.Value]string  // lane values that outlive their loop over lanes
	used     map[string]bool         // variables of loops that the code since their loop began uses
	passes   int
	err      error
}

// slot is how a reduction is kept.
type slot struct {
	name  string // the accumulator: an array of lanes, or one number
	block string // over Serial, sums: the sum of the current block
	row   string // over Vector: the result of the row
	lanes bool   // an array
	used  bool
}

func (k *kernel) fail(format string, args ...any) {
	if k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}

// doc describes the kernel in terms of its operands.
func (k *kernel) doc() string {
	var groups []string
	for _, mode := range []nest.Mode{nest.In, nest.InOut, nest.Out, nest.Acc} {
		var names []string
		for i := range k.nest.Operands {
			if k.nest.Operands[i].Mode == mode {
				names = append(names, k.operands[i])
			}
		}
		if len(names) > 0 {
			groups = append(groups, modeVerb[mode]+" "+strings.Join(names, ", "))
		}
	}
	return KernelName(k.nest) + " " + strings.Join(groups, "; ") + "."
}

var modeVerb = map[nest.Mode]string{nest.In: "reads", nest.InOut: "updates", nest.Out: "writes", nest.Acc: "accumulates"}

// head declares what lives as long as the call: scalars, constants without a literal, lanes over all rows.
func (k *kernel) head(root *list) []jen.Code {
	var code []jen.Code
	consts := map[uint64]expr{}
	k.nest.Walk(func(s nest.Stmt, _ []*nest.For) {
		v, ok := s.(*nest.Value)
		if !ok || len(k.users[v]) == 0 {
			return
		}
		switch v.Op {
		case nest.Const:
			k.texts[v] = k.constant(v, consts, &code)
		case nest.BitsConst:
			k.texts[v] = expr{code: jen.Op(fmt.Sprintf("%#x", v.Bits)), prec: precPrimary, lit: true}
		case nest.MaskConst:
			k.texts[v] = primary(jen.Lit(v.Imm != 0))
		}
	})
	seen := map[int]string{}
	k.nest.Walk(func(s nest.Stmt, _ []*nest.For) {
		v, ok := s.(*nest.Value)
		if !ok || len(k.users[v]) == 0 || v.Op != nest.ScalarOf && v.Op != nest.IntScalar {
			return
		}
		if _, ok := seen[v.Scalar]; !ok {
			seen[v.Scalar] = k.names.name(k.nest.Scalars[v.Scalar].Name)
			code = append(code, jen.Id(seen[v.Scalar]).Op(":=").Add(k.scalar(v)))
		}
		k.texts[v] = ident(seen[v.Scalar])
	})
	for i, s := range k.nest.Slots {
		if k.slots[i].used && s.Over == nest.Grid && !s.Wide {
			code = append(code, k.start(i)...)
		}
	}
	return code
}

func (k *kernel) scalar(v *nest.Value) jen.Code {
	if v.Op == nest.IntScalar {
		return jen.Id("a").Dot("I").Index(jen.Lit(v.Scalar))
	}
	return k.w.floatOf(primary(jen.Id("a").Dot("F").Index(jen.Lit(v.Scalar)))).code
}

// tail stores the reductions over all rows.
func (k *kernel) tail() []jen.Code {
	var code []jen.Code
	for i, s := range k.nest.Slots {
		if k.slots[i].used && s.Over == nest.Grid && !s.Wide {
			code = append(code, k.element(s.Acc, scope{}).Op("=").Add(k.finish(i).code))
		}
	}
	return code
}
