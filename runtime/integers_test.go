package runtime

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// integers draws numbers of T, the extremes often.
func integers[T Integer]() *rapid.Generator[T] {
	return rapid.Custom(func(r *rapid.T) T {
		edge := rapid.SampledFrom([]T{0, 1, 2, 3, Least[T](), Least[T]() + 1, Greatest[T](), Greatest[T]() - 1, ^T(0), ^T(1)})
		if rapid.Bool().Draw(r, "edge") {
			return edge.Draw(r, "x")
		}
		return T(rapid.Int64().Draw(r, "x"))
	})
}

func exact[T Integer](x T) *big.Int {
	if x < 0 {
		return big.NewInt(int64(x))
	}
	return new(big.Int).SetUint64(uint64(x))
}

// Quotients, comparisons and conversions are those of exact numbers.
func TestIntegers(t *testing.T) {
	t.Run("i8", testIntegers[int8])
	t.Run("i16", testIntegers[int16])
	t.Run("i32", testIntegers[int32])
	t.Run("i64", testIntegers[int64])
	t.Run("u8", testIntegers[uint8])
	t.Run("u16", testIntegers[uint16])
	t.Run("u32", testIntegers[uint32])
	t.Run("u64", testIntegers[uint64])
}

func testIntegers[T Integer](t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, y := integers[T]().Draw(r, "x"), integers[T]().Draw(r, "y")
		n := rapid.OneOf(rapid.Just(math.MinInt), rapid.Just(math.MaxInt), rapid.IntRange(-300, 300), rapid.Int()).Draw(r, "n")
		d := rapid.IntRange(1, 5).Draw(r, "d")
		bx, by := exact(x), exact(y)
		if got, want := Fits[T](n), exact(T(n)).Cmp(big.NewInt(int64(n))) == 0; got != want {
			r.Fatalf("Fits(%d) is %v", n, got)
		}
		if got, want := Exceeds(x), !bx.IsInt64(); got != want {
			r.Fatalf("Exceeds(%d) is %v", x, got)
		}
		if got, want := Compare(x, n, d), new(big.Rat).SetInt(bx).Cmp(big.NewRat(int64(n), int64(d))); got != want {
			r.Fatalf("Compare(%d, %d, %d) is %d", x, n, d, got)
		}
		if f, exactly := new(big.Float).SetInt(bx).Float64(); exactly == big.Exact && !Holds[T](f) {
			r.Fatalf("Holds(%v) is false", f)
		}
		if Holds[T](float64(n)) {
			f, _ := big.NewFloat(float64(n)).Int(nil)
			if exact(T(float64(n))).Cmp(f) != 0 {
				r.Fatalf("Holds(%d)", n)
			}
		}
		if y == 0 {
			return
		}
		q := new(big.Rat).SetFrac(bx, by)
		if got, want := Overflows(x, y), new(big.Int).Quo(bx, by).Cmp(exact(x/y)) != 0; got != want {
			r.Fatalf("Overflows(%d, %d) is %v", x, y, got)
		}
		if Overflows(x, y) {
			return
		}
		floor := new(big.Int).Div(bx, by) // Euclidean: the floor for positive divisors
		if by.Sign() < 0 {
			floor = new(big.Int).Div(new(big.Int).Neg(bx), new(big.Int).Neg(by))
		}
		ceil := new(big.Int).Set(floor)
		if !q.IsInt() {
			ceil.Add(ceil, big.NewInt(1))
		}
		round := floor
		switch new(big.Rat).Sub(q, new(big.Rat).SetInt(floor)).Cmp(big.NewRat(1, 2)) {
		case 1:
			round = ceil
		case 0:
			if floor.Bit(0) != 0 {
				round = ceil
			}
		}
		for name, c := range map[string]struct {
			got  T
			want *big.Int
		}{"floor": {FloorQuo(x, y), floor}, "ceil": {CeilQuo(x, y), ceil}, "trunc": {TruncQuo(x, y), new(big.Int).Quo(bx, by)}, "round": {RoundQuo(x, y), round}} {
			if exact(c.got).Cmp(c.want) != 0 {
				r.Fatalf("%s(%d/%d) is %d, want %d", name, x, y, c.got, c.want)
			}
		}
	})
}
