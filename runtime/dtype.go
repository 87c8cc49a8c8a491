package runtime

import (
	"reflect"
	"strconv"
	"strings"
)

// DType is the type of the elements of a tensor.
type DType uint8

// Element types.
const (
	NoDType DType = iota
	F32
	F64
	I32
	I64
	dtypeCount
)

var dtypeTable = [dtypeCount]struct {
	name  string
	size  int
	float bool
}{
	NoDType: {name: "no dtype"},
	F32:     {name: "f32", size: 4, float: true},
	F64:     {name: "f64", size: 8, float: true},
	I32:     {name: "i32", size: 4},
	I64:     {name: "i64", size: 8},
}

// String is the name of d in .op files: "f32".
func (d DType) String() string {
	if d >= dtypeCount {
		return "dtype " + strconv.Itoa(int(d))
	}
	return dtypeTable[d].name
}

// Size is the size of an element in bytes.
func (d DType) Size() int {
	if d >= dtypeCount {
		return 0
	}
	return dtypeTable[d].size
}

// Float reports whether d is a floating-point type.
func (d DType) Float() bool { return d < dtypeCount && dtypeTable[d].float }

func (d DType) valid() bool { return d > NoDType && d < dtypeCount }

// DTypes is a set of dtypes.
type DTypes uint32

// Classes of dtypes, as .op files name them.
const (
	Floats DTypes = 1<<F32 | 1<<F64
	Ints   DTypes = 1<<I32 | 1<<I64
	Nums          = Floats | Ints
	Any           = Nums
)

// Has reports whether d is in s.
func (s DTypes) Has(d DType) bool { return s>>d&1 != 0 }

// String lists the dtypes: "f32 or f64".
func (s DTypes) String() string {
	var names []string
	for d := NoDType + 1; d < dtypeCount; d++ {
		if s.Has(d) {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, " or ")
}

// Element is a Go type that tensors can hold.
type Element interface {
	~float32 | ~float64 | ~int32 | ~int64
}

// DTypeOf is the dtype of T.
func DTypeOf[T Element]() DType {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Float32:
		return F32
	case reflect.Float64:
		return F64
	case reflect.Int32:
		return I32
	default:
		return I64
	}
}

// Device says where the elements of a tensor are.
type Device uint16

// CPU is the memory of the process.
const CPU Device = 0

// String is the name of d.
func (d Device) String() string {
	if d == CPU {
		return "cpu"
	}
	return "device " + strconv.Itoa(int(d))
}
