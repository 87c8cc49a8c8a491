package ir

import "testing"

// TestMapDefRanges maps a definition in which two ranges change of which one hangs on the other: each is renewed once, and all read that one.
func TestMapDefRanges(t *testing.T) {
	a := &Axis{Name: "N"}
	s := &Var{Name: "s", Lo: Int(0), Hi: Int(7)}
	r := &Var{Name: "r", Lo: Int(7), Hi: Add(Index(s), Int(1))}
	n := &Var{Name: "n", Axis: a}
	d := &Def{
		Target: &Tensor{Name: "y", Elem: Elem{Name: "i64"}, Axes: []*Axis{a}, Role: Output}, Dest: []*Value{Index(n)}, Vars: []*Var{n, s, r},
		Where: []*Value{Call(OpLt, Index(r), Index(s))}, Body: Cast(Add(Index(r), Index(s)), ElemType(Elem{Name: "i64"})), Monoid: Sum,
	}
	m := MapDef(d, func(v *Value) *Value {
		if IsConst(v, 7) {
			return Int(8)
		}
		return v
	})
	scope := map[*Var]bool{}
	for _, v := range m.Vars {
		if v.Axis == nil {
			for u := range FreeVars(v.Lo, v.Hi) {
				if !scope[u] {
					t.Errorf("the range of %s reads another %s", v.Name, u.Name)
				}
			}
		}
		scope[v] = true
	}
	for u := range FreeVars(m.Body, m.Where[0]) {
		if !scope[u] {
			t.Errorf("another %s is read", u.Name)
		}
	}
}
