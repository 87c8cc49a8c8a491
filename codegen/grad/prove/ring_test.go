package prove

import (
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// layers are definitions h1, h2, … of functions of the one before, each of which makes the normal form grow.
func layers(n int, next func(h, mean *ir.Value) *ir.Value) ([]*ir.Def, *ir.Tensor) {
	h := x
	var defs []*ir.Def
	for i := range n {
		m, g := local(fmt.Sprint("m", i), axB), local(fmt.Sprint("h", i), axB, axD)
		mean := ir.Read(m, ir.Index(b))
		defs = append(defs,
			reduce(ir.Sum, m, ir.Div(at(h), ir.Extent(axD)), []*ir.Var{b}, d),
			assign(g, next(at(h), mean), b, d))
		h = g
	}
	return defs, h
}

// heavy are formulas whose normal forms would take long; why is what the proof says when it gives up.
var heavy = []struct {
	name, why string
	defs      int
	next      func(h, mean *ir.Value) *ir.Value
}{
	{"layers", "too much work|too deeply|too many terms", 12, func(h, mean *ir.Value) *ir.Value {
		return ir.Call(ir.OpTanh, ir.Sub(h, mean))
	}},
	{"conditions", "too much work|too deeply|too many terms", 20, func(h, mean *ir.Value) *ir.Value {
		return ir.Select(ir.Call(ir.OpLt, h, mean), ir.Mul(h, mean), ir.Add(h, mean))
	}},
	{"squares", "too long", 25, func(h, _ *ir.Value) *ir.Value {
		h = ir.Mul(ir.Int(3), h)
		return ir.Mul(h, h)
	}},
	{"large powers", "too much work", 1, func(h, _ *ir.Value) *ir.Value {
		p := func(n int64) *ir.Value { return ir.Call(ir.OpPow, h, ir.Const(big.NewRat(n, 2))) }
		return ir.Add(p(1), p(2_000_000_001))
	}},
}

// TestWork proves what would take long: the proof gives up, after no more work than the bound allows, and after the same work each
// time, beside other proofs too. The work stands for what is allocated.
func TestWork(t *testing.T) {
	for _, c := range heavy {
		defs, h := layers(c.defs, c.next)
		sq := local("sq", axB, axD)
		defs = append(defs, assign(sq, ir.Sub(at(h), ir.Mul(at(h), ir.Int(2))), b, d))
		prove := func() (int, error) {
			n := newNormalizer(nil, defs...)
			n.almost = isTyped
			err := catch(func() { n.vanishes(n.read(sq, n.point(2))) })
			return maxWork - n.left, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		work, err := prove()
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: the proof ended after %d", c.name, work)
			continue
		}
		said := false
		for _, why := range strings.Split(c.why, "|") {
			said = said || strings.Contains(err.Error(), why)
		}
		if !said {
			t.Errorf("%s: %v", c.name, err)
		}
		mallocs := after.Mallocs - before.Mallocs
		t.Logf("%s: %v; work %d, %d allocations", c.name, err, work, mallocs)
		if work > maxWork+maxWork/4 {
			t.Errorf("%s: work %d, the bound is %d", c.name, work, maxWork)
		}
		if mallocs > maxWork/4 {
			t.Errorf("%s: %d allocations", c.name, mallocs)
		}
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				if again, _ := prove(); again != work {
					t.Errorf("%s: work %d, then %d", c.name, work, again)
				}
			})
		}
		wait.Wait()
	}
}

// TestLargeNumbers has exponents that 64 bits don't hold: they are no small ones.
func TestLargeNumbers(t *testing.T) {
	huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64))
	huge.Add(huge, one)
	two, X := ir.Int(2), at(x)
	for _, base := range []*ir.Value{ir.Mul(two, X), ir.Add(X, two)} {
		p, q := local("p", axB, axD), local("q", axB, axD)
		defs := []*ir.Def{assign(p, ir.Call(ir.OpPow, base, ir.Const(huge)), b, d), assign(q, base, b, d)}
		if equal, _ := Equal(nil, defs, p, q, nil); equal {
			t.Errorf("(%v)^(2^64+1) is taken for %[1]v", base)
		}
	}
	half := new(big.Rat).Add(huge, big.NewRat(1, 2))
	p := local("p", axB, axD)
	pow := func(e *big.Rat) *ir.Value { return ir.Call(ir.OpPow, X, ir.Const(e)) }
	defs := []*ir.Def{assign(p, ir.Sub(pow(half), pow(big.NewRat(3, 2))), b, d)}
	if Zero(nil, defs, p) {
		t.Error("x^(2^64+3/2) - x^(3/2) is taken for zero")
	}
}
