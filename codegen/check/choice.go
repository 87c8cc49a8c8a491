package check

import (
	"github.com/opgen/opgen/codegen/ir"
)

// maxVariants bounds how many combinations of choices an op may have.
const maxVariants = 512

// chooser walks the tree of choices of an op. Each lowering of the body takes one path: a choice that it meets for the
// first time is decided by the path as far as that goes, then by the first option.
type chooser struct {
	path    []decision
	met     int            // how many decisions of the path this lowering has met
	decided map[string]int // the decisions met, by key
}

// decision is one choice on the path.
type decision struct {
	option, options int
	choice          ir.Choice
}

// start begins another lowering.
func (c *chooser) start() {
	c.met = 0
	c.decided = map[string]int{}
}

// choose decides among options; what tells how the decision is recorded.
func (c *chooser) choose(key string, options int, what func(option int) ir.Choice) int {
	if o, ok := c.decided[key]; ok {
		return o
	}
	if c.met == len(c.path) {
		c.path = append(c.path, decision{options: options})
	}
	d := &c.path[c.met]
	d.choice = what(d.option)
	c.met++
	c.decided[key] = d.option
	return d.option
}

// next goes to the next path; false: all have been taken.
func (c *chooser) next() bool {
	c.path = c.path[:c.met]
	for k := len(c.path) - 1; k >= 0; k-- {
		if d := &c.path[k]; d.option+1 < d.options {
			d.option++
			c.path = c.path[:k+1]
			return true
		}
	}
	return false
}

// choices are the decisions that the lowering has met.
func (c *chooser) choices() []ir.Choice {
	list := make([]ir.Choice, c.met)
	for k := range list {
		list[k] = c.path[k].choice
	}
	return list
}

// word decides the value of an enum or bool attribute.
func (l *lowering) word(a *attribute) string {
	if l.callee != nil {
		return l.callee.wordOf(a)
	}
	words := []string{"false", "true"}
	if a.decl.Kind == ir.AttrEnum {
		words = a.decl.Enum.Words
	}
	if len(words) == 0 {
		return ""
	}
	name := a.decl.Name
	return words[l.choose.choose("attr "+name, len(words), func(o int) ir.Choice { return ir.Choice{Attr: name, Word: words[o]} })]
}

// has decides whether an optional input or attribute is there.
func (l *lowering) has(name string) bool {
	if l.callee != nil {
		return l.callee.has(l, name)
	}
	return l.choose.choose("has "+name, 2, func(o int) ir.Choice { return ir.Choice{Present: name, Holds: o == 0} }) == 0
}

// holds decides a uniform condition. A negation is the other side of what it negates.
func (l *lowering) holds(c *ir.Value) bool {
	switch c.Op {
	case ir.OpNot:
		return !l.holds(c.Args[0])
	case ir.OpNe:
		eq := *c
		eq.Op = ir.OpEq
		return !l.holds(&eq)
	}
	return l.choose.choose("if "+c.String(), 2, func(o int) ir.Choice { return ir.Choice{Cond: c, Holds: o == 0} }) == 0
}

// isUniform tells whether a value is the same for all elements of a call: it reads nothing and has no index.
func isUniform(v *ir.Value) bool {
	uniform := true
	ir.Walk(v, func(v *ir.Value) bool {
		uniform = uniform && v.Op != ir.OpRead && v.Op != ir.OpIndex && v.Op != ir.OpUniform && v.Op != ir.OpNormal && (v.Op != ir.OpExtent || v.Axis.Size == nil)
		return uniform
	})
	return uniform
}
