package prove

import "github.com/opgen/opgen/codegen/ir"

// maxSteps bounds the conditions and signs of which all combinations are looked at.
const maxSteps = 5

// varies tells whether p is zero on no more than a set of measure zero of the floats that it reads: on each side of its
// conditions and signs it reads some of them through functions without steps, or is a number that isn't zero.
func (r *ring) varies(p *poly) bool { return r.variesOver(p, maxSteps) }

func (r *ring) variesOver(p *poly, left int) bool {
	if c, ok := p.number(); ok {
		return c.Sign() != 0
	}
	a := p.step()
	if a == nil {
		return p.moves()
	}
	return left > 0 && r.variesOver(r.decide(p, a, false), left-1) && r.variesOver(r.decide(p, a, true), left-1)
}

// step is a condition or a sign that is a factor somewhere in p; nil: there is none.
func (p *poly) step() *atom {
	for _, t := range p.terms {
		for _, f := range t.mono {
			if f.atom.kind == kindCond || f.atom.isSign() {
				return f.atom
			}
		}
	}
	return nil
}

// moves tells whether p reads floats, and nothing that has steps.
func (p *poly) moves() bool {
	any := false
	for _, t := range p.terms {
		moves, steps := t.mono.moves()
		if steps {
			return false
		}
		any = any || moves
	}
	return any
}

func (m mono) moves() (moves, steps bool) {
	for _, f := range m {
		a, b := f.atom.moves()
		moves, steps = moves || a, steps || b
	}
	return moves, steps
}

func (a *atom) moves() (moves, steps bool) {
	switch a.kind {
	case kindCond:
		return false, true
	case kindRead:
		return a.float, !a.float
	case kindSum:
		return a.body.moves()
	case kindFunc:
		if !smooth[a.name] {
			return false, true
		}
	}
	for _, p := range a.args {
		for _, t := range p.terms {
			x, y := t.mono.moves()
			moves, steps = moves || x, steps || y
		}
	}
	return moves, steps
}

// smooth are the functions without steps.
var smooth = func() map[string]bool {
	r := map[string]bool{ir.OpPow.String(): true, "pow": true, "log": true, "erf": true}
	for op, f := range ir.Facts {
		if f.Rule == ir.RuleFunc && ir.Op(op) != ir.OpCopysign {
			r[ir.Op(op).String()] = true
		}
	}
	return r
}()

func (a *atom) isSign() bool { return a.kind == kindFunc && (a.name == "sign" || a.name == signOff) }

// signOff is the sign where its argument isn't zero, so that its square is 1.
const signOff = "sign off 0"
