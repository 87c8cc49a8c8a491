package codegen

import (
	"errors"

	"github.com/opgen/opgen/codegen/emit"
)

// overLimit reports an op that has more of something than generated code can hold. It tells whether err is about that.
func (b *Build) overLimit(err error) bool {
	var l *emit.Limit
	if !errors.As(err, &l) {
		return false
	}
	b.Diags.Errorf(l.Op.Span, "limit", "%v", l).Hint = "split the op"
	return true
}
