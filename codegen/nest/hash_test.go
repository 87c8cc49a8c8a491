package nest

import "testing"

func TestHash(t *testing.T) {
	a, b := layered(t), layered(t)
	b.Name = "other"
	for i := range b.Operands {
		b.Operands[i].Name += "_"
	}
	b.Scalars[0].Name = "c"
	if a.Hash() != b.Hash() {
		t.Error("names count")
	}
	changes := map[string]func(n *Nest){
		"lanes":   func(n *Nest) { n.Lanes = 32 },
		"mode":    func(n *Nest) { n.Operands[3].Mode = InOut },
		"moves":   func(n *Nest) { n.Operands[0].Grid = false },
		"inplace": func(n *Nest) { n.Operands[3].InPlace = nil },
		"monoid":  func(n *Nest) { n.Slots[0].Monoid = MaxOf },
		"scalar":  func(n *Nest) { n.Scalars[0].Int = true },
		"op":      func(n *Nest) { find(n, Sqrt).Op = Abs },
		"operand": func(n *Nest) { find(n, Load).Operand = 0 },
		"argument": func(n *Nest) {
			v := find(n, Add)
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		},
		"loop":  func(n *Nest) { n.Body[1].(*For).Depth = Vector },
		"order": func(n *Nest) { n.Body[0], n.Body[1] = n.Body[1], n.Body[0] },
	}
	for name, change := range changes {
		c := layered(t)
		change(c)
		if c.Hash() == a.Hash() {
			t.Errorf("%s doesn't count", name)
		}
	}
}

// find is the first value with an instruction.
func find(n *Nest, op Op) *Value {
	var found *Value
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok && v.Op == op && found == nil {
			found = v
		}
	})
	return found
}
