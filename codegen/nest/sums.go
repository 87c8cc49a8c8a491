package nest

// Sums is how the serial axis of a nest is cut that stores a function of a sum of products, as a linear layer with a bias: another nest
// stores the sums alone, for which the axis can be cut. Then the nest itself runs for a single step, which is the product of 1 and the sum.
type Sums struct {
	Nest     *Nest
	From     []int // by operand of Nest but the last one, where the sums go: the operand of the nest itself
	One, Sum int   // operands of the nest itself that are 1 and the sum in that step
}

// Sums is nil where a nest isn't of this kind: its rows read the same elements of one factor, as SharedWork says, and the other one is the
// same for all lanes.
func (n *Nest) Sums() *Sums {
	if _, pure := n.CutSteps(); pure || n.SharedWork() == 0 || len(n.Slots) != 1 || n.Slots[0].Over != Serial || n.Slots[0].Monoid != SumOf {
		return nil
	}
	var reduce *Value
	steps := 0
	n.Walk(func(s Stmt, loops []*For) {
		v, ok := s.(*Value)
		if !ok || len(loops) == 0 || loops[len(loops)-1].Depth != Serial {
			return
		}
		steps++
		if v.Op == Reduce {
			reduce = v
		}
	})
	const product = 3 // two loads and what they are reduced to
	if steps != product || reduce == nil || len(reduce.Args) != 2 {
		return nil
	}
	one, sum := reduce.Args[0], reduce.Args[1]
	if one.Lane {
		one, sum = sum, one
	}
	if one.Op != Load || sum.Op != Load || one.Lane || !n.Operands[sum.Operand].sharedAlongRows() {
		return nil
	}
	b := NewBuilder(n.Name+"_sums", n.Float)
	r := &Sums{From: []int{min(one.Operand, sum.Operand), max(one.Operand, sum.Operand)}, One: one.Operand, Sum: sum.Operand}
	at := map[int]int{}
	for _, o := range r.From {
		p := n.Operands[o]
		p.InPlace = nil
		at[o] = b.Operand(p)
	}
	to := b.Operand(Operand{Name: "sums", DType: n.Float, Mode: Out, Grid: true, Vector: true})
	slot := b.Slot(n.Slots[0])
	b.For(Grid, func() {
		b.For(Vector, func() {
			b.For(Serial, func() {
				b.ReduceProduct(slot, b.Load(at[reduce.Args[0].Operand]), b.Load(at[reduce.Args[1].Operand]))
			})
			b.Store(to, b.Result(slot))
		})
	})
	var err error
	if r.Nest, err = b.Done(); err != nil {
		return nil
	}
	return r
}
