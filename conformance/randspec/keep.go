package randspec

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// keeps says of some lets that they are saved or computed again. It has a stream of its own: seeds make the same formulas as without.
func (g *gen) keeps(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1<<32))
	if g.update || r.IntN(4) > 0 {
		return
	}
	for _, t := range g.known {
		let := false
		for _, s := range g.stmts {
			let = let || len(s.names) == 1 && s.names[0] == t.name && strings.HasPrefix(s.text, "let "+t.name)
		}
		if let && t.kind == float && r.IntN(2) == 0 {
			g.emit(fmt.Sprint([]string{"save ", "recompute "}[r.IntN(2)], t.name))
		}
	}
}
