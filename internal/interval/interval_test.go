package interval

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// sample is an interval with a number of it.
type sample struct {
	in  Interval
	num *big.Int
	den *big.Int
}

func (s sample) rat() *big.Rat { return new(big.Rat).SetFrac(s.num, s.den) }

// numbers draws whole numbers, of which many are near the ends of an int64.
func numbers() *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		n := rapid.Int64Range(-6, 6).Draw(t, "near")
		switch rapid.IntRange(0, 4).Draw(t, "size") {
		case 0:
			return math.MinInt64 + max(n, -n)
		case 1:
			return math.MaxInt64 - max(n, -n)
		case 2:
			return 1<<(31) + n
		case 3:
			return -1<<(32) + n
		}
		return n
	})
}

func samples(name string, whole bool) func(t *rapid.T) sample {
	return func(t *rapid.T) sample {
		a, b := numbers().Draw(t, name+" from"), numbers().Draw(t, name+" to")
		lo, hi := min(a, b), max(a, b)
		n := rapid.SampledFrom([]int64{lo, hi}).Draw(t, name)
		least, most, d := int64(1), int64(1), int64(1)
		if !whole && rapid.Bool().Draw(t, name+" over") {
			least = rapid.Int64Range(1, 9).Draw(t, name+" least")
			most = rapid.Int64Range(least, 12).Draw(t, name+" most")
			d = rapid.Int64Range(least, most).Draw(t, name+" den")
		}
		return sample{Interval{lo: lo, hi: hi, least: least, most: most}, big.NewInt(n), big.NewInt(d)}
	}
}

func times(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

// together brings two numbers to one denominator. Code that sees that two have the same one doesn't multiply: what it computes is
// less, and equal.
func together(a, b sample) (x, y, d *big.Int) {
	if a.den.Cmp(b.den) == 0 && a.in.least == a.in.most && b.in.least == b.in.most {
		return a.num, b.num, a.den
	}
	return times(a.num, b.den), times(b.num, a.den), times(a.den, b.den)
}

// TestNumbersLieInside: of two numbers of two intervals, what code computes of them lies in the interval of the results,
// and is held by an int64 if that says so.
func TestNumbersLieInside(t *testing.T) {
	ops := []struct {
		name  string
		whole bool
		of    func(a, b Interval) Interval
		num   func(a, b sample) (n, d *big.Int) // nil: there is none
	}{
		{"+", false, Interval.Add, func(a, b sample) (*big.Int, *big.Int) {
			x, y, d := together(a, b)
			return new(big.Int).Add(x, y), d
		}},
		{"-", false, Interval.Sub, func(a, b sample) (*big.Int, *big.Int) {
			x, y, d := together(a, b)
			return new(big.Int).Sub(x, y), d
		}},
		{"*", false, Interval.Mul, func(a, b sample) (*big.Int, *big.Int) { return times(a.num, b.num), times(a.den, b.den) }},
		{"/", false, Interval.Div, func(a, b sample) (*big.Int, *big.Int) {
			n, d := times(a.num, b.den), times(b.num, a.den)
			switch d.Sign() {
			case 0:
				return nil, nil
			case -1:
				return n.Neg(n), d.Neg(d)
			}
			return n, d
		}},
		{"max", true, Interval.Max, func(a, b sample) (*big.Int, *big.Int) {
			if a.num.Cmp(b.num) < 0 {
				a = b
			}
			return a.num, a.den
		}},
		{"min", true, Interval.Min, func(a, b sample) (*big.Int, *big.Int) {
			if a.num.Cmp(b.num) > 0 {
				a = b
			}
			return a.num, a.den
		}},
		{"%", true, Interval.Mod, func(a, b sample) (*big.Int, *big.Int) {
			if b.num.Sign() == 0 {
				return nil, nil
			}
			r := new(big.Int).Rem(a.num, b.num)
			if r.Sign() != 0 && r.Sign() != b.num.Sign() {
				r.Add(r, b.num)
			}
			return r, a.den
		}},
		{"rem", true, Interval.Mod, func(a, b sample) (*big.Int, *big.Int) {
			if b.num.Sign() == 0 {
				return nil, nil
			}
			return new(big.Int).Rem(a.num, b.num), a.den
		}},
		{"^", true, Interval.Pow, func(a, b sample) (*big.Int, *big.Int) {
			if b.num.Sign() < 0 { // see below
				return nil, nil
			}
			if a.num.CmpAbs(big.NewInt(1)) <= 0 { // else the power is none that an int64 holds, or b is small
				return new(big.Int).Exp(a.num, new(big.Int).And(b.num, big.NewInt(3)), nil), a.den
			}
			return new(big.Int).Exp(a.num, new(big.Int).SetInt64(min(b.num.Int64(), 65)), nil), a.den
		}},
		{"^ of quotients", false, func(a, b Interval) Interval { return a.Pow(b.Floor()) }, func(a, b sample) (*big.Int, *big.Int) {
			n, d, e := a.num, a.den, new(big.Int).Div(b.num, b.den)
			if e.Sign() < 0 {
				if n, d = d, n; d.Sign() == 0 {
					return nil, nil
				} else if d.Sign() < 0 {
					n, d = new(big.Int).Neg(n), new(big.Int).Neg(d)
				}
				e.Neg(e)
			}
			if one := big.NewInt(1); n.CmpAbs(one) <= 0 && d.Cmp(one) == 0 {
				e.And(e, big.NewInt(3))
			} else if e.CmpAbs(big.NewInt(65)) > 0 {
				e.SetInt64(65)
			}
			return new(big.Int).Exp(n, e, nil), new(big.Int).Exp(d, e, nil)
		}},
		{"neg", false, func(a, _ Interval) Interval { return a.Neg() }, func(a, _ sample) (*big.Int, *big.Int) { return new(big.Int).Neg(a.num), a.den }},
		{"abs", false, func(a, _ Interval) Interval { return a.Abs() }, func(a, _ sample) (*big.Int, *big.Int) { return new(big.Int).Abs(a.num), a.den }},
		{"floor", false, func(a, _ Interval) Interval { return a.Floor() }, func(a, _ sample) (*big.Int, *big.Int) {
			return new(big.Int).Div(a.num, a.den), big.NewInt(1)
		}},
		{"ceil", false, func(a, _ Interval) Interval { return a.Ceil() }, func(a, _ sample) (*big.Int, *big.Int) {
			n := new(big.Int).Div(new(big.Int).Neg(a.num), a.den)
			return n.Neg(n), big.NewInt(1)
		}},
		{"trunc", false, func(a, _ Interval) Interval { return a.Round() }, func(a, _ sample) (*big.Int, *big.Int) {
			return new(big.Int).Quo(a.num, a.den), big.NewInt(1)
		}},
		{"or", false, Interval.Or, func(a, _ sample) (*big.Int, *big.Int) { return a.num, a.den }},
	}
	for _, op := range ops {
		t.Run(op.name, rapid.MakeCheck(func(t *rapid.T) {
			a, b := samples("a", op.whole)(t), samples("b", op.whole)(t)
			n, d := op.num(a, b)
			if n == nil {
				t.Skip()
			}
			r := op.of(a.in, b.in)
			if !r.Holds() {
				return
			}
			if !n.IsInt64() || !d.IsInt64() {
				t.Fatalf("%v %s %v: %v/%v isn't held, the interval is %+v", a, op.name, b, n, d, r)
			}
			if n, d := n.Int64(), d.Int64(); n < r.lo || n > r.hi || d < r.least || d > r.most {
				t.Fatalf("%v %s %v: %d/%d isn't in %+v", a.rat(), op.name, b.rat(), n, d, r)
			}
		}))
	}
}

// TestOneNumber: the interval of one whole number is exact, so it says of every sum, difference and product whether an int64 holds it.
func TestOneNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers().Draw(t, "a"), numbers().Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		for _, c := range []struct {
			name string
			want *big.Int
			got  Interval
			n    func(x, y int64) (int64, bool)
		}{
			{"+", new(big.Int).Add(x, y), Of(a).Add(Of(b)), Plus},
			{"-", new(big.Int).Sub(x, y), Of(a).Sub(Of(b)), Minus},
			{"*", new(big.Int).Mul(x, y), Of(a).Mul(Of(b)), Times},
		} {
			n, ok := c.n(a, b)
			if ok != c.want.IsInt64() || ok && n != c.want.Int64() {
				t.Fatalf("%d %s %d: %d %v, want %v", a, c.name, b, n, ok, c.want)
			}
			if c.got.Holds() != ok || ok && (c.got.lo != n || c.got.hi != n) {
				t.Fatalf("%d %s %d: %+v, want %v", a, c.name, b, c.got, c.want)
			}
		}
	})
}

func TestRanges(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		name string
		got  Interval
		want Interval
	}{
		{"an axis of 5", Below(5), Between(0, 4)},
		{"an axis of none", Below(0), Between(0, 0)},
		{"2..7", Of(2).Until(Of(7)), Between(2, 6)},
		{"7..2", Of(7).Until(Of(2)), Between(7, 7)},
		{"0..least", Of(0).Until(Of(-most - 1)), Between(0, 0)},
		{"least..least", Of(-most - 1).Until(Of(-most - 1)), Between(-most-1, -most-1)},
		{"0..most", Of(0).Until(Of(most)), Between(0, most-1)},
		{"the width of -2..5", Of(-2).Width(Of(5)), Between(7, 7)},
		{"the width of 5..-2", Of(5).Width(Of(-2)), Between(0, 0)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
	if Of(-2).Width(Of(most)).Holds() {
		t.Error("more numbers than an int64 counts")
	}
}
