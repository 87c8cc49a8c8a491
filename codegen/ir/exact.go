package ir

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// number is an exact value: r where that is set, else i. Almost all of them are small integers.
type number struct {
	i int64
	r *big.Rat
}

func (n number) rat() *big.Rat {
	if n.r != nil {
		return n.r
	}
	return big.NewRat(n.i, 1)
}

func (n number) float() float64 {
	if n.r != nil {
		f, _ := n.r.Float64()
		return f
	}
	return float64(n.i)
}

func fromRat(r *big.Rat) number {
	if r.IsInt() && r.Num().IsInt64() {
		return number{i: r.Num().Int64()}
	}
	return number{r: r}
}

// whole is the value as an integer, if it is one.
func (n number) whole() (int64, bool) { return n.i, n.r == nil }

// exactCall applies an op of the table to exact values.
func exactCall(op Op, args []number) (number, error) {
	if args[0].r == nil && (len(args) == 1 || args[1].r == nil) {
		if n, ok := smallCall(op, args); ok {
			return n, nil
		}
	}
	f := Facts[op].Exact
	if f == nil {
		return number{}, fmt.Errorf("%v of exact values", op)
	}
	rats := make([]*big.Rat, len(args))
	for i, a := range args {
		rats[i] = a.rat()
	}
	r, err := f(rats)
	if err != nil {
		return number{}, err
	}
	return fromRat(r), nil
}

// smallCall is exactCall of integers, where that doesn't overflow.
func smallCall(op Op, args []number) (number, bool) {
	a, b := args[0].i, args[len(args)-1].i
	switch op {
	case OpAdd:
		s := a + b
		return number{i: s}, (s > a) == (b > 0)
	case OpSub:
		s := a - b
		return number{i: s}, (s < a) == (b > 0)
	case OpMul:
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		if hi != 0 || lo > math.MaxInt64 {
			return number{}, false
		}
		return number{i: a * b}, true
	case OpNeg:
		return number{i: -a}, a != math.MinInt64
	case OpMax:
		return number{i: max(a, b)}, true
	case OpMin:
		return number{i: min(a, b)}, true
	case OpFloor, OpCeil, OpTrunc, OpRound:
		return number{i: a}, true
	}
	return number{}, false
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

func cmpNumbers(a, b number) int {
	if a.r == nil && b.r == nil {
		switch {
		case a.i < b.i:
			return -1
		case a.i > b.i:
			return 1
		}
		return 0
	}
	return a.rat().Cmp(b.rat())
}
