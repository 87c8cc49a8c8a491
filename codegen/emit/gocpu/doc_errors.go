package gocpu

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// checkKinds are the errors of functions without kernels, by what makes them.
var checkKinds = []struct{ function, kind string }{
	{"runtime.IndexError(", "ErrIndex"},
	{"runtime.RangeError(", "ErrIndex"},
	{"runtime.ValueError(", "ErrValue"},
	{"runtime.FaultError(", "ErrValue"},
	{"runtime.RequireError(", "ErrValue"},
}

// noteKind notes a kind of error that running can end with.
func (g *opGen) noteKind(back bool, kind string) {
	list := &g.kinds[0]
	if back {
		list = &g.kinds[1]
	}
	if !slices.Contains(*list, kind) {
		*list = append(*list, kind)
	}
}

// noteErrors notes the errors of a function without kernels.
func (g *opGen) noteErrors(back bool, text string) {
	for _, c := range checkKinds {
		if strings.Contains(text, c.function) {
			g.noteKind(back, c.kind)
		}
	}
}

// noteChecks notes the errors of programs of kernels.
func (g *opGen) noteChecks(s *signature) {
	for _, p := range s.group.programs(s.back) {
		if p.Nests != nil && len(p.Nests.Checks) > 0 {
			g.noteKind(s.back, "ErrIndex")
		}
	}
}

// errorKinds are what errors of the op wrap.
func (g *opGen) errorKinds() []string {
	kinds := []string{"ErrNil", "ErrShape", "ErrDType", "ErrDevice"}
	if g.hasValues() || g.decl.Update {
		kinds = append(kinds, "ErrAttr")
	}
	if slices.ContainsFunc(g.decl.Inputs, func(p *ir.Param) bool { return p.Mode != ir.Input }) {
		kinds = append(kinds, "ErrAlias")
	}
	return append(kinds, g.kinds[0]...)
}

// errors lists what errors wrap, and the requirements.
func (g *opGen) errors() string {
	text := "Errors wrap runtime." + oneOf(g.errorKinds())
	var parts []string
	add := func(r *ir.Require) {
		message := r.Message
		if message == "" {
			message = r.Cond.Words()
		}
		if what, _, ok := strings.Cut(message, ", since "); ok { // "elements along N, since max of nothing is no number"
			message = "there must be " + what
		}
		if !slices.Contains(parts, message) {
			parts = append(parts, message)
		}
	}
	for _, f := range g.op.Functions { // some hold for some choices alone
		if f.Variant.Forward != nil {
			for i := range f.Variant.Forward.Requires {
				add(&f.Variant.Forward.Requires[i])
			}
		}
		if f.Variant.Refused != nil {
			add(f.Variant.Refused)
		}
	}
	if parts == nil {
		return text + "."
	}
	return text + ": " + strings.Join(parts, "; ") + "."
}

// moreErrors lists what errors of a function that writes to tensors of the caller wrap beside those of the op.
func (g *opGen) moreErrors(back bool) string {
	known := g.errorKinds()
	more := []string{"ErrAlias"}
	if back {
		more = append(more, g.kinds[1]...)
	}
	more = slices.DeleteFunc(more, func(k string) bool { return slices.Contains(known, k) })
	if len(more) == 0 {
		return ""
	}
	return " Errors wrap the same kinds as those of [" + g.mainName() + "], or runtime." + oneOf(more) + "."
}
