package ir

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var testVars = []ElemVar{{Name: "T", DTypes: []string{"f16", "f32"}}, {Name: "I", DTypes: []string{"i32", "i64"}}, {Name: "N", DTypes: []string{"f32", "i32"}}}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		e    Elem
		want Class
	}{{Elem{Name: "T"}, ClassFloat}, {Elem{Name: "I"}, ClassInt}, {Elem{Name: "N"}, ClassUnknown}, {Elem{Name: "u8"}, ClassInt}, {Elem{Name: "bool"}, ClassBool}} {
		if got := ClassOf(testVars, c.e); got != c.want {
			t.Errorf("%v is %v, want %v", c.e, got, c.want)
		}
	}
	for _, c := range []struct {
		e    Elem
		d    string
		want string
	}{{Elem{Name: "T"}, "f16", "f16"}, {Elem{"acc", "T"}, "f16", "f32"}, {Elem{"acc", "T"}, "f64", "f64"}, {Elem{"sum", "T"}, "i8", "i64"}, {Elem{"sum", "T"}, "u8", "u64"}} {
		if got := c.e.Resolve(map[string]string{"T": c.d}); got != c.want {
			t.Errorf("%v of %s is %s, want %s", c.e, c.d, got, c.want)
		}
	}
}

// How values of different kinds meet.
func TestMeeting(t *testing.T) {
	x := Read(&Tensor{Name: "x", Elem: Elem{Name: "T"}})
	acc := Read(&Tensor{Name: "a", Elem: Elem{"acc", "T"}})
	i := Read(&Tensor{Name: "i", Elem: Elem{Name: "I"}})
	flag := Read(&Tensor{Name: "b", Elem: Elem{Name: "bool"}})
	beta := ScalarOf(&Scalar{Name: "beta", Type: RealType})
	n := Index(&Var{Name: "n"})
	for _, c := range []struct {
		op   Op
		a, b *Value
		want string // the value and its type, or an error
	}{
		{OpAdd, Int(2), Frac(1, 2), "5/2: exact"},
		{OpAdd, n, Int(0), "n: exact"},
		{OpMul, n, Int(1), "n: exact"},
		{OpMul, n, Int(0), "0: exact"},
		{OpAdd, beta, Int(1), "beta + real(1): real"},
		{OpMul, x, Int(1), "x[] * 1: T"},
		{OpMul, x, beta, "x[] * T(beta): T"},
		{OpAdd, x, acc, "x[] + a[]: acc(T)"},
		{OpDiv, i, Int(2), "exact(i[]) / exact(2): exact"},
		{OpAdd, i, n, "i[] + I(n): I"},
		{OpAdd, i, beta, "error: a real number meets the integer dtype I"},
		{OpAdd, i, x, "error: I meets T"},
		{OpAdd, flag, x, "error: a condition meets a number"},
		{OpAdd, flag, flag, "error: a number is wanted"},
		{OpEq, flag, flag, "b[] == b[]: bool"},
		{OpLt, flag, flag, "error: a number is wanted"},
		{OpLt, Int(1), Int(2), "true: bool"},
		{OpPow, Int(2), Frac(1, 2), "real(2) ^ real(1/2): real"},
		{OpPow, Int(2), Int(-2), "1/4: exact"},
		{OpDiv, Int(1), Int(0), "error: division by zero"},
		{OpMod, Int(-7), Int(3), "2: exact"},
		{OpRem, Int(-7), Int(3), "-1: exact"},
	} {
		v, err := Build(testVars, c.op, c.a, c.b)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = v.String() + ": " + v.Type.String()
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, c.want)) {
			t.Errorf("%v of %v and %v is %s, want %s", c.op, c.a, c.b, got, c.want)
		}
	}
	if _, err := Build(testVars, OpExp, i); err == nil {
		t.Error("exp takes an integer dtype")
	}
	if v, _ := Build(testVars, OpExp, Int(1)); v.Type != RealType {
		t.Errorf("exp of exact is %v", v.Type)
	}
	if _, err := Build(testVars, OpSelect, x, x, x); err == nil {
		t.Error("if takes a number as its condition")
	}
	if _, err := Build(testVars, OpRead, x); err == nil {
		t.Error("a read is no call")
	}
}

func TestLogic(t *testing.T) {
	p, q := Present(&Tensor{Name: "p"}), Present(&Tensor{Name: "q"})
	for _, c := range []struct {
		v    *Value
		want string
	}{
		{And(), "true"}, {Or(), "false"}, {And(p, True, q), "has(p) && has(q)"}, {And(p, False), "false"},
		{Or(p, Not(p)), "true"}, {And(p, Not(p)), "false"}, {And(p, And(q, p)), "has(p) && has(q)"},
		{Not(Not(p)), "has(p)"}, {Or(And(p, q), Not(q)), "has(p) && has(q) || !has(q)"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// Exact rounding and remainders agree with their definitions.
func TestExactRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := big.NewRat(rapid.Int64Range(-1000, 1000).Draw(t, "a"), rapid.Int64Range(1, 12).Draw(t, "d"))
		x, _ := a.Float64()
		for op, f := range map[Op]func(float64) float64{OpFloor: math.Floor, OpCeil: math.Ceil, OpTrunc: math.Trunc, OpRound: math.RoundToEven} {
			r, err := Facts[op].Exact([]*big.Rat{a})
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := r.Float64(); got != f(x) {
				t.Fatalf("%v of %v is %v", op, a, r)
			}
		}
		b := big.NewRat(rapid.Int64Range(1, 50).Draw(t, "b"), 3)
		r, _ := Facts[OpMod].Exact([]*big.Rat{a, b})
		if r.Sign() < 0 || r.Cmp(b) >= 0 {
			t.Fatalf("%v %% %v is %v", a, b, r)
		}
	})
}

// Small exact arithmetic, which is done in machine integers, agrees with rationals.
func TestSmallNumbers(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 0, 1}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := edge.Draw(t, "a"), edge.Draw(t, "b")
		for _, op := range []Op{OpAdd, OpSub, OpMul, OpMax, OpMin} {
			got, err := exactCall(op, []number{{i: a}, {i: b}})
			if err != nil {
				t.Fatal(err)
			}
			want, _ := Facts[op].Exact([]*big.Rat{big.NewRat(a, 1), big.NewRat(b, 1)})
			if got.rat().Cmp(want) != 0 {
				t.Fatalf("%d %v %d is %v, want %v", a, op, b, got.rat(), want)
			}
		}
	})
}

func TestNumbering(t *testing.T) {
	v, w := &Var{Name: "i"}, &Var{Name: "i"}
	a := Add(Index(v), Int(1))
	if !Equal(a, Add(Index(v), Int(1))) || Equal(a, Add(Index(w), Int(1))) {
		t.Error("variables are equal by identity, not by name")
	}
	if Subst(a, map[*Var]*Value{v: Int(2)}).Const.Cmp(big.NewRat(3, 1)) != 0 {
		t.Error("substitution folds")
	}
	if m := Map(a, func(v *Value) *Value { return v }); m != a {
		t.Error("a map that changes nothing keeps the value")
	}
}
