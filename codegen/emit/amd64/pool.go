package amd64

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// Const is read-only data of a file. Its name tells its content, so that kernels share it.
type Const struct {
	Name string // without the suffix <> of a static symbol
	Data []byte
}

// pool is a set of constants.
type pool map[string][]byte

func (p pool) list() []Const {
	var list []Const
	for _, name := range slices.Sorted(maps.Keys(p)) {
		list = append(list, Const{name, p[name]})
	}
	return list
}

// splatBytes is the size of a constant that is repeated: a YMM register.
const splatBytes = 32

// splat is an element repeated over a YMM register.
func (p pool) splat(bits uint64, size int) arg {
	name := fmt.Sprintf("k%0*x", 2*size, bits)
	if p[name] == nil {
		p[name] = words(size, splatBytes/size, func(int) uint64 { return bits })
	}
	return arg{kind: argSymbol, name: name}
}

// iota is 0, 1, 2 … over a ZMM register.
func (p pool) iota(size int) arg {
	name := fmt.Sprintf("iota%d", 8*size)
	if p[name] == nil {
		p[name] = words(size, wz.bytes()/size, func(i int) uint64 { return uint64(i) })
	}
	return arg{kind: argSymbol, name: name}
}

// tail is a YMM register of ones, then one of zeros: the 32 bytes from 32 - size·n on are the mask of n elements.
func (p pool) tail() arg {
	const name = "tail"
	if p[name] == nil {
		p[name] = words(4, 16, func(i int) uint64 {
			if i < 8 {
				return 1<<32 - 1
			}
			return 0
		})
	}
	return arg{kind: argSymbol, name: name}
}

// words is count little-endian integers.
func words(size, count int, f func(int) uint64) []byte {
	var data []byte
	for i := range count {
		if size == 4 {
			data = binary.LittleEndian.AppendUint32(data, uint32(f(i)))
		} else {
			data = binary.LittleEndian.AppendUint64(data, f(i))
		}
	}
	return data
}
