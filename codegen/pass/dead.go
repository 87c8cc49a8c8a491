package pass

import "github.com/opgen/opgen/codegen/ir"

// Dead drops the definitions that no output depends on.
func Dead(f *ir.Func) *ir.Func { return with(f, ir.Live(f)) }
