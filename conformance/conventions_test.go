package conformance

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
	neg = math.Copysign(0, -1)
)

// expected is a call with what it must give.
type expected struct {
	name      string
	call      *call
	y         *ir.Array // nil: not tested; it is rounded to the dtype
	out       arrays    // outputs by name, as they are in any dtype
	fails     string    // a part of the error that the call must give
	cotangent *ir.Array // with grads; nil: one everywhere
	grads     arrays    // those that are tested
	near      float64   // relative error in float32 in units of 2^-24, in float64 of 2^-53; 0: the same bits
}

// check holds a backend to it.
func (e *expected) check(t *testing.T, b backend) {
	t.Helper()
	ok := tolerance(bits)
	if e.near > 0 {
		unit := 0x1p-53
		if b.float == "f32" {
			unit = u
		}
		ok = within(e.near*unit, 0)
	}
	out, err := b.forward(e.call)
	if portable(t, b, e.call, err) {
		return
	}
	if e.fails != "" {
		if err == nil || !strings.Contains(err.Error(), e.fails) {
			t.Errorf("%s: got %v and error %v, want an error that says %q", e.name, out["y"], err, e.fails)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", e.name, err)
		return
	}
	if e.y != nil {
		same(t, e.name+": y", out["y"], round(e.y, b.float), ok)
	}
	sameAll(t, e.name+":", out, e.out, ok)
	if e.grads == nil {
		return
	}
	g := e.cotangent
	if g == nil {
		g = ir.NewArray(out["y"].Shape...)
		for i := range g.Data {
			g.Data[i] = 1
		}
	}
	got, err := b.gradient(e.call, g)
	if portable(t, b, e.call, err) {
		return
	}
	if err != nil {
		t.Errorf("%s: gradient: %v", e.name, err)
		return
	}
	want := arrays{}
	for name, a := range e.grads {
		want[name] = round(a, b.float)
	}
	sameAll(t, e.name+": gradient by", got, want, ok)
}

// withoutNests are the ops of testdata that nests don't express, or whose derivatives they don't: portable code alone computes them.
var withoutNests = strings.Fields(`
	conventions.first conventions.first_least conventions.log_factorial conventions.psi conventions.noise conventions.product
	conventions.running_product conventions.moments conventions.tests conventions.cast conventions.cardinal_sine conventions.read_back
	conventions.running_total conventions.kept_product conventions.kept_place
	faults.product faults.take faults.floored faults.truncated faults.cardinal faults.top faults.embedding faults.index_add faults.dropout
	faults.avg_pool faults.conv_transpose`)

// portable tells whether a backend is no witness of a call, since there are no nests. That is an error for an op of floats
// that has had them.
func portable(t *testing.T, b backend, c *call, err error) bool {
	t.Helper()
	if !errors.Is(err, errPortable) {
		return false
	}
	if strings.Contains(b.float, "f") && !slices.Contains(withoutNests, c.op) {
		t.Errorf("%s in %s: %v", c.op, b.float, err)
	}
	return true
}

// hold tests expectations everywhere.
func hold(t *testing.T, list []expected, floats ...string) {
	t.Helper()
	everywhere(t, func(t *testing.T, b backend) {
		for i := range list {
			list[i].check(t, b)
		}
	}, floats...)
}

// rowID is the identifier of a row, at its beginning.
var rowID = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|")

// TestConventions holds every backend to the rows of docs/conventions.md, and the page to the tests: each row has one, and each test a row.
func TestConventions(t *testing.T) {
	page, err := os.ReadFile("../docs/conventions.md")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, m := range rowID.FindAllSubmatch(page, -1) {
		id := string(m[1])
		if met[id] {
			t.Errorf("two rows %s", id)
		}
		met[id] = true
		if conventionRows[id] == nil {
			t.Errorf("row %s of docs/conventions.md has no test", id)
			continue
		}
		t.Run(id, conventionRows[id])
	}
	if lines := bytes.Count(page, []byte("\n| ")) - 1; lines != len(met) {
		t.Errorf("docs/conventions.md has %d rows, of which %d have an identifier", lines, len(met))
	}
	for _, id := range slices.Sorted(maps.Keys(conventionRows)) {
		if !met[id] {
			t.Errorf("test %s has no row in docs/conventions.md", id)
		}
	}
}
