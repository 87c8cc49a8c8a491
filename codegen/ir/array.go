package ir

// Array is a tensor of the evaluator: row-major, one dimension for each axis (a pack is one flat axis). Integers and
// conditions (0 and 1) are stored as floats.
type Array struct {
	Shape []int
	Data  []float64
}

// NewArray is an array of zeros.
func NewArray(shape ...int) *Array {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return &Array{Shape: shape, Data: make([]float64, n)}
}

// stored is the array as a tensor of a dtype holds it: floats are rounded. It is the array itself where nothing changes.
func (a *Array) stored(dtype string) *Array {
	for i, x := range a.Data {
		if y := roundTo(dtype, x); y != x && x == x {
			r := &Array{Shape: a.Shape, Data: append([]float64{}, a.Data...)}
			for k, x := range a.Data[i:] {
				r.Data[i+k] = roundTo(dtype, x)
			}
			return r
		}
	}
	return a
}

// Binding is one call of a function for the evaluator.
type Binding struct {
	Extents map[*Axis]int
	Arrays  map[*Tensor]*Array // absent optional inputs are left out
	Scalars map[string]float64
	DTypes  map[string]string // what dtype variables stand for; those left out compute as f64 or i64
}
