package randspec

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// newAttr is an attribute of a kind: one that is there, or another one.
func (g *gen) newAttr(kind string) *attr {
	for _, a := range g.attrs {
		if a.kind == kind && !a.hidden && !a.optional && g.chance(50) {
			return a
		}
	}
	a := &attr{kind: kind}
	g.attrs = append(g.attrs, a)
	set := func(make func(*rand.Rand) ir.ExampleAttr) {
		a.value = func(r *rand.Rand) ir.ExampleAttr {
			if r.IntN(4) == 0 && strings.Contains(a.text, "=") {
				return ir.ExampleAttr{}
			}
			return make(r)
		}
	}
	switch kind {
	case "bool":
		a.name = g.name("flag")
		a.text = a.name + ": bool = " + pick(g, []string{"true", "false"})
		set(func(r *rand.Rand) ir.ExampleAttr {
			return ir.ExampleAttr{Name: a.name, Word: []string{"true", "false"}[r.IntN(2)]}
		})
	case "enum":
		a.name = g.name("mode")
		a.words = []string{"one", "two", "three"}[:2+g.r.IntN(2)]
		if g.chance(50) {
			a.text = fmt.Sprintf("%s: enum(%s) = %s", a.name, strings.Join(a.words, ", "), pick(g, a.words))
		} else {
			e := "kind" + g.id + g.name("e")
			g.enums = append(g.enums, fmt.Sprintf("enum %s(%s)", e, strings.Join(a.words, ", ")))
			a.text = fmt.Sprintf("%s: %s = %s", a.name, e, pick(g, a.words))
		}
		set(func(r *rand.Rand) ir.ExampleAttr {
			return ir.ExampleAttr{Name: a.name, Word: a.words[r.IntN(len(a.words))]}
		})
	case "float", "T":
		a.name = g.name("c")
		a.size = 2
		typ := "float"
		if kind == "T" {
			typ = g.elem
		}
		a.text = a.name + ": " + typ
		if g.chance(60) {
			a.text += " = " + pick(g, []string{"0.5", "1", "2", "0.1"})
		}
		set(func(r *rand.Rand) ir.ExampleAttr {
			return ir.ExampleAttr{Name: a.name, Number: []float64{0, 0.5, 1, -1, 2, 0.3}[r.IntN(6)]}
		})
	case "int":
		a.name = g.name("n")
		a.size = 3
		a.text = a.name + ": int = " + pick(g, []string{"1", "2", "3"})
		set(func(r *rand.Rand) ir.ExampleAttr { return ir.ExampleAttr{Name: a.name, Number: float64(1 + r.IntN(3))} })
	case "rng":
		a.name = g.name("seed")
		a.text = a.name + ": rng"
		set(func(r *rand.Rand) ir.ExampleAttr {
			return ir.ExampleAttr{Name: a.name, Number: float64(r.IntN(1 << 20))}
		})
	}
	return a
}

// optionalAttr is a number that may be left out.
func (g *gen) optionalAttr() *attr {
	a := &attr{kind: "float", name: g.name("c"), optional: true, size: 2}
	a.text = a.name + "?: float"
	a.value = func(r *rand.Rand) ir.ExampleAttr {
		if r.IntN(2) == 0 {
			return ir.ExampleAttr{}
		}
		return ir.ExampleAttr{Name: a.name, Number: []float64{0.5, 1, -1}[r.IntN(3)]}
	}
	g.attrs = append(g.attrs, a)
	return a
}

func (g *gen) seed() string { return g.newAttr("rng").name }
