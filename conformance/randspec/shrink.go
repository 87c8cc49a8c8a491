package randspec

import (
	"reflect"
	"slices"
	"strings"

	"github.com/opgen/opgen/dsl"
)

// Shrink makes a spec smaller while fails says that it still shows its fault: it drops statements, arguments and inputs, and puts
// parts of formulas, or numbers, in their places. It makes at most tries attempts. What doesn't type-check any more must not count
// as the fault. Calls keep the inputs that are left.
func Shrink(s *Spec, tries int, fails func(*Spec) bool) *Spec {
	best := s
	for changed := true; changed; {
		changed = false
		for i := 0; tries > 0; {
			text, ok := edited(best.File("p"), i)
			if !ok {
				break
			}
			c := *best
			c.Imports, c.Decls = split(text)
			tries--
			if len(c.Decls) < len(best.Decls) && fails(&c) {
				best, changed = &c, true
				continue // the edits behind have moved up
			}
			i++
		}
	}
	return best
}

// split takes the package clause and the imports off a file.
func split(text string) (imports []string, decls string) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "package "):
		case strings.HasPrefix(line, "import "):
			imports = append(imports, strings.Trim(strings.TrimSpace(line[len("import "):]), `"`))
		default:
			b.WriteString(line)
		}
	}
	return imports, strings.TrimLeft(b.String(), "\n")
}

// edited is a file with its n-th edit, without what is unused then; ok is false where there are no more edits.
func edited(text string, n int) (string, bool) {
	f, diags := dsl.Parse("p.op", []byte(text))
	if diags.HasErrors() {
		return "", false
	}
	var e edits
	e.walk(reflect.ValueOf(f).Elem())
	if n >= len(e) {
		return "", false
	}
	e[n]()
	f.Comments = nil
	out := string(dsl.Format(f))
	for {
		f, diags := dsl.Parse("p.op", []byte(out))
		if diags.HasErrors() || !tidy(f, out) {
			return out, true
		}
		f.Comments = nil
		out = string(dsl.Format(f))
	}
}

// edits are changes of a tree, each to be made on a tree of its own.
type edits []func()

var exprType = reflect.TypeFor[dsl.Expr]()

// droppable are the types of what a list may have less of.
var droppable = map[reflect.Type]bool{
	reflect.TypeFor[dsl.Stmt](): true, reflect.TypeFor[*dsl.Input](): true, reflect.TypeFor[*dsl.Output](): true, reflect.TypeFor[*dsl.Attr](): true,
	reflect.TypeFor[*dsl.Item](): true, reflect.TypeFor[*dsl.Arm](): true, reflect.TypeFor[*dsl.Func](): true, reflect.TypeFor[dsl.NamedArg](): true,
}

// walk collects the edits of a tree, those near the root first.
func (e *edits) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			e.walk(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == exprType && v.CanSet() {
			e.replace(v)
		}
		e.walk(v.Elem())
	case reflect.Slice:
		if v.CanSet() && droppable[v.Type().Elem()] {
			for i := range v.Len() {
				*e = append(*e, func() { v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len()))) })
			}
		}
		for i := range v.Len() {
			e.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if t := v.Type().Field(i); t.Name != "Span" && t.Name != "Comments" && t.Name != "Source" {
				e.walk(v.Field(i))
			}
		}
	}
}

// replace puts parts of an expression, or numbers, in its place.
func (e *edits) replace(v reflect.Value) {
	for _, part := range parts(v.Elem()) {
		*e = append(*e, func() { v.Set(part) })
	}
	if _, is := v.Interface().(*dsl.Number); !is {
		for _, n := range []string{"1", "0"} {
			*e = append(*e, func() { v.Set(reflect.ValueOf(&dsl.Number{Text: n})) })
		}
	}
	if r, is := v.Interface().(*dsl.Ref); is && r.Index != nil {
		*e = append(*e, func() { r.Index = nil })
	}
}

// parts are the expressions directly within one.
func parts(v reflect.Value) []reflect.Value {
	var r []reflect.Value
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r = parts(v.Elem())
		}
	case reflect.Interface:
		if v.Type() == exprType && !v.IsNil() {
			r = append(r, reflect.ValueOf(v.Interface()))
		}
	case reflect.Slice:
		for i := range v.Len() {
			r = append(r, parts(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "Span" {
				r = append(r, parts(v.Field(i))...)
			}
		}
	}
	return r
}

// tidy drops one declaration that nothing uses; it is false where there is none.
func tidy(f *dsl.File, text string) bool {
	count := words(text)
	once := func(id dsl.Ident) bool { return count[id.Name] <= 1 }
	if i := slices.IndexFunc(f.Imports, func(x dsl.Import) bool { return count[x.Path] <= 1 }); i >= 0 {
		f.Imports = slices.Delete(f.Imports, i, i+1)
		return true
	}
	if i := slices.IndexFunc(f.Funcs, func(x *dsl.Func) bool { return once(x.Name) }); i >= 0 {
		f.Funcs = slices.Delete(f.Funcs, i, i+1)
		return true
	}
	if i := slices.IndexFunc(f.Enums, func(x *dsl.Enum) bool { return once(x.Name) }); i >= 0 {
		f.Enums = slices.Delete(f.Enums, i, i+1)
		return true
	}
	if len(f.Ops) > 1 && once(f.Ops[0].Name) {
		f.Ops = f.Ops[1:]
		return true
	}
	if len(f.Ops) == 0 {
		return false
	}
	o := f.Ops[len(f.Ops)-1]
	if i := slices.IndexFunc(o.Body, func(s dsl.Stmt) bool {
		switch s := s.(type) {
		case *dsl.Let:
			return !slices.ContainsFunc(s.Names, func(id dsl.Ident) bool { return !once(id) })
		case *dsl.Dim:
			return once(s.Name)
		case *dsl.Assign:
			return once(s.Name) // an output that is gone
		}
		return false
	}); i >= 0 {
		o.Body = slices.Delete(o.Body, i, i+1)
		return true
	}
	if i := slices.IndexFunc(o.Inputs, func(x *dsl.Input) bool { return once(x.Name) }); i >= 0 {
		o.Inputs = slices.Delete(o.Inputs, i, i+1)
		return true
	}
	if i := slices.IndexFunc(o.Attrs, func(x *dsl.Attr) bool { return once(x.Name) }); i >= 0 {
		o.Attrs = slices.Delete(o.Attrs, i, i+1)
		return true
	}
	if i := slices.IndexFunc(o.Outputs, func(x *dsl.Output) bool { return once(x.Name) }); i >= 0 {
		o.Outputs = slices.Delete(o.Outputs, i, i+1)
		return true
	}
	if i := slices.IndexFunc(o.Vars, func(x dsl.TypeVar) bool { return once(x.Name) }); i >= 0 {
		o.Vars = slices.Delete(o.Vars, i, i+1)
		return true
	}
	return false
}
