package runtime

// Rounded is a number as a dtype variable computes with it: rounded to float32 for all floats but F64, and as it is for others.
func (b *Bound) Rounded(v int, x float64) float64 {
	switch d := b.DType[v]; {
	case d == F64 || !d.Float():
		return x
	}
	return float64(float32(x))
}
