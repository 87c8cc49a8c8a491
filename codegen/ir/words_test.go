package ir

import (
	"math/big"
	"testing"
)

func TestWords(t *testing.T) {
	n := &Axis{Name: "N"}
	z := &Tensor{Name: "z", Elem: Elem{Name: "i64"}, Axes: []*Axis{n}}
	i := Index(&Var{Name: "n", Axis: n})
	read := Read(z, i)
	scale := ScalarOf(&Scalar{Name: "scale", Type: RealType})
	for _, c := range []struct {
		v    *Value
		want string
	}{
		{Add(Cast(read, ExactType), Extent(n)), "z[n] + N"},
		{Cast(Call(OpFloor, Mul(Cast(Extent(&Axis{Name: "S1", Of: "S", At: 1}), RealType), scale)), ExactType), "floor(S[1] * scale)"},
		{Mul(Extent(&Axis{Name: "B", Pack: true}), Int(2)), "prod(..B) * 2"},
		{Sub(Extent(&Axis{Name: "rank_S", Of: "S", At: RankOf}), Int(1)), "rank(S) - 1"},
		{Div(Cast(Add(i, Const(big.NewRat(1, 2))), RealType), scale), "(n + (1/2)) / scale"},
		{Cast(read, TypedAs(Elem{Name: "f32"})), "f32(z[n])"},
	} {
		if got := c.v.Words(); got != c.want {
			t.Errorf("%v is %s, not %s", c.v, got, c.want)
		}
	}
}
