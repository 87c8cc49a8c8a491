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
	F16
	BF16
	F32
	F64
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	Bool
	dtypeCount
)

// dtypeTable is what is known of each. compute is the dtype that kernels compute in and sum that of sums.
var dtypeTable = [dtypeCount]struct {
	name         string
	size         int
	float        bool
	compute, sum DType
	kind         reflect.Kind
}{
	NoDType: {name: "no dtype"},
	F16:     {name: "f16", size: 2, float: true, compute: F32, sum: F16},
	BF16:    {name: "bf16", size: 2, float: true, compute: F32, sum: BF16},
	F32:     {name: "f32", size: 4, float: true, compute: F32, sum: F32, kind: reflect.Float32},
	F64:     {name: "f64", size: 8, float: true, compute: F64, sum: F64, kind: reflect.Float64},
	I8:      {name: "i8", size: 1, compute: I8, sum: I64, kind: reflect.Int8},
	I16:     {name: "i16", size: 2, compute: I16, sum: I64, kind: reflect.Int16},
	I32:     {name: "i32", size: 4, compute: I32, sum: I64, kind: reflect.Int32},
	I64:     {name: "i64", size: 8, compute: I64, sum: I64, kind: reflect.Int64},
	U8:      {name: "u8", size: 1, compute: U8, sum: U64, kind: reflect.Uint8},
	U16:     {name: "u16", size: 2, compute: U16, sum: U64, kind: reflect.Uint16},
	U32:     {name: "u32", size: 4, compute: U32, sum: U64, kind: reflect.Uint32},
	U64:     {name: "u64", size: 8, compute: U64, sum: U64, kind: reflect.Uint64},
	Bool:    {name: "bool", size: 1, compute: Bool, sum: Bool, kind: reflect.Bool},
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

// half reports whether elements of d are computed with as float32.
func (d DType) half() bool { return d == F16 || d == BF16 }

// computed is the dtype that kernels see: that of d, or F32 for elements of two bytes.
func (d DType) computed() DType {
	if d.half() {
		return F32
	}
	return d
}

// ParseDType is the dtype of a name: "f32".
func ParseDType(name string) (DType, error) {
	for d := NoDType + 1; d < dtypeCount; d++ {
		if dtypeTable[d].name == name {
			return d, nil
		}
	}
	return NoDType, &ArgError{Op: "ParseDType", Arg: "name", Want: Any.String(), Got: strconv.Quote(name), Err: ErrDType}
}

// DTypes is a set of dtypes.
type DTypes uint32

// Classes of dtypes, as .op files name them.
const (
	Floats   DTypes = 1<<F16 | 1<<BF16 | 1<<F32 | 1<<F64
	Signed   DTypes = 1<<I8 | 1<<I16 | 1<<I32 | 1<<I64
	Unsigned DTypes = 1<<U8 | 1<<U16 | 1<<U32 | 1<<U64
	Ints            = Signed | Unsigned
	Nums            = Floats | Ints
	Any             = Nums | 1<<Bool
)

// Has reports whether d is in s.
func (s DTypes) Has(d DType) bool { return s>>d&1 != 0 }

// String lists the dtypes: "f16, bf16, f32 or f64".
func (s DTypes) String() string {
	var names []string
	for d := NoDType + 1; d < dtypeCount; d++ {
		if s.Has(d) {
			names = append(names, d.String())
		}
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return strings.Join(names, "")
}

// Integer is a Go type of elements that are integers.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | uint16 | ~uint32 | ~uint64
}

// Element is a Go type that tensors can hold.
type Element interface {
	~float32 | ~float64 | Float16 | BFloat16 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | uint16 | ~uint32 | ~uint64 | ~bool
}

// DTypeOf is the dtype of T.
func DTypeOf[T Element]() DType {
	switch any((*T)(nil)).(type) {
	case *float32:
		return F32
	case *float64:
		return F64
	case *Float16:
		return F16
	case *BFloat16:
		return BF16
	}
	k := reflect.TypeFor[T]().Kind()
	for d := F32; d < dtypeCount; d++ {
		if dtypeTable[d].kind == k {
			return d
		}
	}
	return NoDType
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
	if d == released {
		return "released"
	}
	return "device " + strconv.Itoa(int(d))
}
