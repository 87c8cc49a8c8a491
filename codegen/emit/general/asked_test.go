package general

import "testing"

// TestAsked checks that lines are kept as far as something asks for what they set.
func TestAsked(t *testing.T) {
	const text = "a := f()\n\x01den\x01den := g(a)\n\x01den2\x01var den2 int\nif c {\n\x01den2\x01den2 = den\n}\n"
	for end, want := range map[string]string{
		"use(a, den22)\n": "a := f()\nif c {\n}\nuse(a, den22)\n",
		"use(den)\n":      "a := f()\nden := g(a)\nif c {\n}\nuse(den)\n",
		"use(den2)\n":     "a := f()\nden := g(a)\nvar den2 int\nif c {\nden2 = den\n}\nuse(den2)\n",
	} {
		if got := asked(text + end); got != want {
			t.Errorf("%q gives\n%s\nwant\n%s", end, got, want)
		}
	}
}
