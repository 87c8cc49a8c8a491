package nest

import (
	"crypto/sha256"
	"math"
)

// Key identifies what a nest does at each point, without regard to which inputs move along its axes and where values that
// are the same for several points are computed. If two nests have one key, and each input of b moves along no axis along which
// that of a doesn't, a computes the bits of b where strides are 0.
func (n *Nest) Key() [32]byte {
	h, one := newHasher(), newHasher()
	defer hashers.Put(h)
	defer hashers.Put(one)
	h.put(uint64(n.Float), uint64(n.Lanes), uint64(len(n.Operands)), uint64(len(n.Scalars)), uint64(len(n.Slots)))
	for _, o := range n.Operands {
		h.put(uint64(o.DType), uint64(o.Mode))
		if o.Mode != In {
			h.put(bit(o.Grid), bit(o.Vector), bit(o.Serial))
		}
	}
	for _, s := range n.Scalars {
		h.put(bit(s.Int))
	}
	for _, s := range n.Slots {
		h.put(uint64(s.Monoid), uint64(s.Over), bit(s.Wide), uint64(s.Acc))
	}
	known := map[*Value][32]byte{}
	effects := uint64(0)
	n.Walk(func(s Stmt, loops []*For) {
		v, ok := s.(*Value)
		if !ok {
			return
		}
		one.data = one.data[:0]
		one.put(uint64(v.Op), uint64(len(v.Args)), math.Float64bits(v.Imm), v.Bits, uint64(v.Shift), uint64(v.Operand), uint64(v.Scalar), uint64(v.Slot))
		for _, a := range v.Args {
			sum := known[a]
			one.data = append(one.data, sum[:]...)
		}
		switch {
		case v.Op.Info().Effect: // in order, and in its loops
			for _, l := range loops {
				h.put(uint64(l.Depth))
			}
			h.put(bit(v.Lane))
			h.data = append(h.data, one.data...)
			effects++
		case (v.Op == Load || v.Op == Gather) && n.Operands[v.Operand].Mode != In:
			one.put(effects) // it sees what was stored before
		}
		known[v] = sha256.Sum256(one.data)
	})
	return sha256.Sum256(h.data)
}
