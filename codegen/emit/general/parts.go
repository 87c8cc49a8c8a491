package general

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// The outer loops of a definition whose variables are indices of its target run over elements that no other turn of them writes.
// So they are one loop over all their points, of which threads take parts: a method of a type that holds what the loop
// reads. Each element is computed as without parts, whatever the number of threads, and of several errors the first one counts.

// flatVar is a variable of the loop over all points of some loops.
type flatVar struct {
	name   string
	extent term
}

// unknownRange is the number of points that a variable without an axis is taken to have, and functionCost what a function of package math
// costs beside other operations: work is estimated to find parts that are worth a thread.
const (
	unknownRange = 8
	functionCost = 8
)

// outer counts the outer loops of a definition that can be one: all but the innermost.
func (g *gen) outer(d *ir.Def) int {
	vars := d.Vars
	if d.IsPlain() && (d.Monoid != ir.Assign || len(d.Reduced()) == 0) {
		vars = nil // those of the target first, see body
		for _, e := range d.Dest {
			vars = append(vars, e.Var)
		}
		vars = carriedLast(d, vars)
	}
	n := 0
	for n < len(vars) && vars[n].Axis != nil && slices.ContainsFunc(d.Dest, func(e *ir.Value) bool { return e.Op == ir.OpIndex && e.Var == vars[n] }) {
		n++
	}
	for _, c := range d.Where {
		found := false
		ir.Walk(c, func(v *ir.Value) bool {
			found = found || v.Op == ir.OpIndex && slices.Contains(d.Vars, v.Var)
			return true
		})
		if !found {
			return 0 // it is evaluated once
		}
	}
	switch {
	case n == len(d.Dest) && d.Carried != nil: // in order along its variable
		n--
	case n == len(d.Dest) && n > 1:
		n--
	}
	return n
}

// inParts writes a definition whose n outer loops are one.
func (g *gen) inParts(d *ir.Def, n int, s *block) {
	loops := s.inner(false)
	g.flat, g.flattened = n, nil
	after := g.body(d, d.Vars, loops, s)
	body, flat := asked(loops.text.String()), g.flattened
	g.flat, g.flattened = 0, nil
	points := number(1)
	for _, v := range flat {
		points = times(points, v.extent)
	}
	if args, ok := g.captured(body); ok {
		s.printf("%s", g.part(args, body, flat, points, g.work(d, flat, body)))
	} else {
		point := "part"
		if len(flat) == 1 {
			point = flat[0].name
		}
		s.printf("for %s := range %s {\n%s%s}\n", point, points.text, indices(point, flat, body), body)
	}
	if after != nil {
		after()
	}
}

// work is the estimated work of one of the points of flat loops.
func (g *gen) work(d *ir.Def, flat []flatVar, body string) term {
	work := number(int64(1 + functionCost*strings.Count(body, "math.")))
	for _, v := range d.Vars {
		switch l := g.vars[v]; {
		case d.Carried != nil && v == d.Reduced()[0]: // all of its points are those of one run
		case l != nil && slices.ContainsFunc(flat, func(f flatVar) bool { return f.name == l.name }):
		case v.Axis != nil:
			work = times(work, g.extent(v.Axis))
		default:
			work = times(work, number(unknownRange))
		}
	}
	return work
}

// indices computes the variables of flat loops, those that are used, from the number of a point.
func indices(point string, flat []flatVar, body string) string {
	if len(flat) == 1 {
		if flat[0].name == point || !hasWord(body, flat[0].name) {
			return ""
		}
		return fmt.Sprintf("%s := %s\n", flat[0].name, point)
	}
	var out strings.Builder
	for i := len(flat) - 1; i >= 0; i-- {
		v := flat[i]
		if hasWord(body, v.name) {
			if i == 0 {
				fmt.Fprintf(&out, "%s := %s\n", v.name, point)
			} else {
				fmt.Fprintf(&out, "%s := %s %% %s\n", v.name, point, v.extent.at(precMul+1))
			}
		}
		if rest := slices.ContainsFunc(flat[:i], func(f flatVar) bool { return hasWord(body, f.name) }); rest {
			fmt.Fprintf(&out, "%s /= %s\n", point, v.extent.at(precMul+1))
		}
	}
	return out.String()
}

// quoted are texts in code.
var quoted = regexp.MustCompile(`"[^"\n]*"`)

// variable is a Go variable and its type.
type variable struct{ name, typ string }

// captured lists what a body uses of the function around it; ok is false where that can't be handed on.
func (g *gen) captured(body string) (list []variable, ok bool) {
	used := variables(quoted.ReplaceAllString(body, ""))
	if used["b"] {
		return nil, false
	}
	params := map[string]string{}
	for _, p := range strings.Split(g.k.Params, ", ") {
		name, typ, _ := strings.Cut(p, " ")
		params[name] = typ
	}
	for _, name := range []string{"v", "step"} {
		if used[name] {
			list = append(list, variable{name, params[name]})
		}
	}
	var names []string
	for name := range used {
		switch {
		case !g.names[name]:
		case slices.Contains(g.inner, name):
			if g.types[name] != "" {
				names = append(names, name)
			}
		case !slices.Contains(reservedNames, name):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.ContainsFunc(g.params, func(p Parameter) bool { return p.Name == name }) {
			continue
		}
		typ := g.types[name]
		if typ == "" {
			return nil, false
		}
		list = append(list, variable{name, typ})
	}
	slices.SortStableFunc(list, func(a, b variable) int { return strings.Compare(a.typ, b.typ) })
	return list, true
}

// Parts are the types of loops that run in parts, of one op: loops that do the same share one.
type Parts struct {
	Name  string            // that names begin with
	names map[string]string // by text
	texts []string
}

// In gives the loops that a function runs.
func (p *Parts) In(function string) []string {
	var texts []string
	for text, name := range p.names {
		if hasWord(function, name) {
			texts = append(texts, text)
		}
	}
	return texts
}

// Take gives the types that were written since the last time.
func (p *Parts) Take() []string {
	texts := p.texts
	p.texts = nil
	return texts
}

// named is the name of the type with a text, in which it stands for itself as "\x00".
func (p *Parts) named(text string) string {
	name, ok := p.names[text]
	if !ok {
		if p.names == nil {
			p.names = map[string]string{}
		}
		name = fmt.Sprintf("%sPart%d", p.Name, len(p.names))
		p.names[text] = name
		p.texts = append(p.texts, strings.ReplaceAll(text, "\x00", name))
	}
	return name
}

// part writes a type for the parts of a loop, and the code that runs them.
func (g *gen) part(args []variable, body string, flat []flatVar, points, work term) string {
	of := ""
	if g.params != nil {
		var names []string
		for _, p := range g.params {
			names = append(names, p.Name)
		}
		of = "[" + strings.Join(names, ", ") + "]"
	}
	var fields, values, left, right []string
	for i, a := range args {
		if i > 0 && args[i-1].typ == a.typ {
			fields[len(fields)-1] += ", " + a.name
		} else {
			fields = append(fields, a.name)
		}
		if i == len(args)-1 || args[i+1].typ != a.typ {
			fields[len(fields)-1] += " " + strings.TrimPrefix(a.typ, "*")
		}
		value, field := a.name, "part."+a.name
		if strings.HasPrefix(a.typ, "*") {
			value, field = "*"+value, "&"+field
		}
		values, left, right = append(values, value), append(left, a.name), append(right, field)
	}
	point, inner := flat[0].name, ""
	if len(flat) > 1 {
		point = "point"
		if inner = indices("rest", flat, body); inner != "" {
			inner = "rest := point\n" + inner
		}
	}
	unpack := ""
	if len(args) > 0 {
		unpack = strings.Join(left, ", ") + " := " + strings.Join(right, ", ") + "\n"
	}
	name := g.k.Parts.named(fmt.Sprintf("// \x00 is a loop that runs in parts.\ntype \x00%s struct {\n%s\n}\n\nfunc (part *\x00%s) Run(from, to int) error {\n%sfor %[5]s := from; %[5]s < to; %[5]s++ {\n%[6]s%[7]s}\nreturn nil\n}\n",
		g.typeParams(), strings.Join(fields, "\n"), of, unpack, point, inner, body))
	return fmt.Sprintf("if part := (%[1]s%[2]s{%[3]s}); runtime.Small(%[4]s, %[5]s) {\nif err := part.Run(0, %[4]s); err != nil {\nreturn err\n}\n} else if err := runtime.Split(part, %[4]s, %[5]s); err != nil {\nreturn err\n}\n",
		name, of, strings.Join(values, ", "), points.text, work.text)
}

// declare notes the type of a variable that is declared outside of all loops.
func (g *gen) declare(s *block, name, typ string) {
	if s == nil || s.level == 0 {
		g.types[name] = typ
	}
}

// variables are the names that occur in a text as variables: not as fields, nor as functions of a package.
func variables(text string) map[string]bool {
	r := map[string]bool{}
	for i := 0; i < len(text); {
		from := i
		for i < len(text) && isWordByte(text[i]) {
			i++
		}
		if i == from {
			i++
		} else if from == 0 || text[from-1] != '.' {
			r[text[from:i]] = true
		}
	}
	return r
}
