package docs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// both ways of a formula: as LaTeX, and its value.
type drawn struct {
	tex   term
	value float64
}

var values = map[string]float64{"x": 1.25, "y": -0.75, "z": 3.5, "w": -2}

// squarePlus is what the operator \max stands for here: it shows how far its body goes.
func squarePlus(x float64) float64 { return x*x + 1 }

func draw(t *rapid.T, depth int) drawn {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 8).Draw(t, "kind")
	}
	below := func() drawn { return draw(t, depth-1) }
	switch kind {
	case 2:
		a, b := below(), below()
		return drawn{add(a.tex, "+", b.tex), a.value + b.value}
	case 3:
		a, b := below(), below()
		return drawn{add(a.tex, "-", b.tex), a.value - b.value}
	case 4:
		a, b := below(), below()
		return drawn{multiply(a.tex, b.tex), a.value * b.value}
	case 5:
		a, b := below(), below()
		return drawn{divide(a.tex, b.tex), a.value / b.value}
	case 6:
		a := below()
		return drawn{negate(a.tex), -a.value}
	case 7:
		a := below()
		return drawn{power(a.tex, number("2")), a.value * a.value}
	case 8:
		a := below()
		return drawn{operator(`\max`, "i", a.tex), squarePlus(a.value)}
	}
	if kind == 1 {
		n := rapid.IntRange(1, 3).Draw(t, "n")
		return drawn{number(strconv.Itoa(n)), float64(n)}
	}
	name := rapid.SampledFrom([]string{"x", "y", "z", "w"}).Draw(t, "name")
	return drawn{atom(name), values[name]}
}

// Parentheses stand where they are needed: what is written is read as what was meant.
func TestReadAsMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t, 5)
		if err := sound(d.tex.tex); err != nil {
			t.Fatalf("%s: %v", d.tex.tex, err)
		}
		r := &texReader{tokens: tokensOf(d.tex.tex)}
		got := r.sum()
		if r.err != nil || len(r.tokens) > 0 {
			t.Fatalf("%s: %v, left %q", d.tex.tex, r.err, r.tokens)
		}
		if math.IsNaN(d.value) || math.IsInf(d.value, 0) || math.Abs(d.value) > 1e12 {
			return
		}
		if math.Abs(got-d.value) > 1e-6*(1+math.Abs(d.value)) {
			t.Fatalf("%s is read as %v, means %v", d.tex.tex, got, d.value)
		}
	})
}

func tokensOf(tex string) []string {
	tex = strings.NewReplacer(`\left(`, "(", `\right)`, ")", `\,`, " ", `\cdot`, " ").Replace(tex)
	for _, s := range []string{"(", ")", "{", "}", "+", "-", "^", "_", `\frac`, `\max`} {
		tex = strings.ReplaceAll(tex, s, " "+s+" ")
	}
	return strings.Fields(tex)
}

// texReader reads formulas by the rules of mathematics: a product is factors beside each other, and an operator takes the product
// behind it.
type texReader struct {
	tokens []string
	err    error
}

func (r *texReader) next() string {
	if len(r.tokens) == 0 {
		return ""
	}
	return r.tokens[0]
}

func (r *texReader) take(want string) {
	if r.next() != want {
		r.err = fmt.Errorf("want %q, have %q", want, r.tokens)
		r.tokens = nil
		return
	}
	r.tokens = r.tokens[1:]
}

func (r *texReader) sum() float64 {
	sign := 1.0
	if r.next() == "-" {
		r.take("-")
		sign = -1
	}
	total := sign * r.product()
	for r.err == nil && (r.next() == "+" || r.next() == "-") {
		if r.next() == "+" {
			r.take("+")
			total += r.product()
		} else {
			r.take("-")
			total -= r.product()
		}
	}
	return total
}

func (r *texReader) product() float64 {
	total := 1.0
	for r.err == nil {
		switch r.next() {
		case "", "+", "-", ")", "}":
			return total
		case `\max`:
			r.take(`\max`)
			r.take("_")
			r.take("{")
			r.take("i")
			r.take("}")
			return total * squarePlus(r.product())
		}
		total *= r.factor()
	}
	return total
}

func (r *texReader) group() float64 {
	r.take("{")
	v := r.sum()
	r.take("}")
	return v
}

func (r *texReader) factor() float64 {
	v := 0.0
	switch tok := r.next(); tok {
	case "(":
		r.take("(")
		v = r.sum()
		r.take(")")
	case "{":
		v = r.group()
	case `\frac`:
		r.take(`\frac`)
		v = r.group()
		v /= r.group()
	default:
		r.take(tok)
		number, err := strconv.ParseFloat(tok, 64)
		v = number
		if named, ok := values[tok]; ok {
			v = named
		} else if err != nil {
			r.err = err
		}
	}
	if r.next() == "^" {
		r.take("^")
		v = math.Pow(v, r.group())
	}
	return v
}
