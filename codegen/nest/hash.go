package nest

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
)

// Hash identifies what a nest does: equal for nests that differ in names alone.
func (n *Nest) Hash() [32]byte {
	h := newHasher()
	defer hashers.Put(h)
	h.put(uint64(n.Float), uint64(n.Lanes), uint64(len(n.Operands)), uint64(len(n.Scalars)), uint64(len(n.Slots)))
	for _, o := range n.Operands {
		h.put(uint64(o.DType), uint64(o.Mode), bit(o.Grid), bit(o.Vector), bit(o.Serial), uint64(len(o.InPlace)))
		for _, p := range o.InPlace {
			h.put(uint64(p))
		}
	}
	for _, s := range n.Scalars {
		h.put(bit(s.Int))
	}
	for _, s := range n.Slots {
		h.put(uint64(s.Monoid), uint64(s.Over), bit(s.Wide), uint64(s.Acc))
	}
	ids := map[*Value]uint64{}
	h.body(n.Body, ids)
	return sha256.Sum256(h.data)
}

// hasher collects a text that determines the nest.
type hasher struct{ data []byte }

// newHasher is an empty one of hashers.
func newHasher() *hasher {
	h := hashers.Get().(*hasher)
	h.data = h.data[:0]
	return h
}

// hashers have room for most nests.
var hashers = sync.Pool{New: func() any { return &hasher{make([]byte, 0, 1<<13)} }}

func (h *hasher) put(xs ...uint64) {
	for _, x := range xs {
		h.data = binary.LittleEndian.AppendUint64(h.data, x)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Marks before statements; an instruction is marked by its Op, which is smaller.
const (
	markLoop = 1<<32 + iota
	markEnd
)

func (h *hasher) body(stmts []Stmt, ids map[*Value]uint64) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *For:
			h.put(markLoop, uint64(s.Depth))
			h.body(s.Body, ids)
			h.put(markEnd)
		case *Value:
			ids[s] = uint64(len(ids))
			h.put(uint64(s.Op), uint64(len(s.Args)))
			for _, a := range s.Args {
				h.put(ids[a])
			}
			h.put(math.Float64bits(s.Imm), s.Bits, uint64(s.Shift), uint64(s.Operand), uint64(s.Scalar), uint64(s.Slot))
		}
	}
}
