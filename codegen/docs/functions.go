package docs

// functions are those that are written otherwise than by their name; by what they are called in specs.
var functions = map[string]func(a []term) term{
	"abs":       func(a []term) term { return atom(fenced(`\lvert `, a[0].tex, ` \rvert`)) },
	"sqrt":      func(a []term) term { return atom(`\sqrt{` + a[0].tex + `}`) },
	"rsqrt":     func(a []term) term { return divide(number("1"), atom(`\sqrt{`+a[0].tex+`}`)) },
	"floor":     func(a []term) term { return atom(fenced(`\lfloor `, a[0].tex, ` \rfloor`)) },
	"ceil":      func(a []term) term { return atom(fenced(`\lceil `, a[0].tex, ` \rceil`)) },
	"exp2":      func(a []term) term { return power(number("2"), a[0]) },
	"log2":      plain(`\log_{2}`),
	"log10":     plain(`\log_{10}`),
	"atan2":     plain(`\mathrm{atan2}`),
	"digamma":   plain(`\psi`),
	"polygamma": func(a []term) term { return ofOrder(`\psi^{(%)}`, a) },
	"bessel_j":  func(a []term) term { return ofOrder(`J_{%}`, a) },
	"bessel_i":  func(a []term) term { return ofOrder(`I_{%}`, a) },
	"bessel_ie": func(a []term) term {
		return multiply(power(atom("e"), negate(atom(fenced(`\lvert `, a[1].tex, ` \rvert`)))), ofOrder(`I_{%}`, a))
	},
	"zeta":     plain(`\zeta`),
	"lgamma":   func(a []term) term { return call(`\log`, atom(`\lvert \Gamma(`+a[0].tex+`) \rvert`)) },
	"isnan":    func(a []term) term { return is(a, `\text{ is NaN}`) },
	"isinf":    func(a []term) term { return is(a, `\text{ is infinite}`) },
	"isfinite": func(a []term) term { return is(a, `\text{ is finite}`) },
	"signbit":  func(a []term) term { return is(a, `\text{ has the sign -}`) },
	"has":      func(a []term) term { return is(a, `\text{ is there}`) },
	"%":        func(a []term) term { return infix(a, `\bmod`) },
	"absorb":   func(a []term) term { return infix(a, `\star`) },
}

// standard are the functions that have a name in LaTeX.
var standard = map[string]bool{
	"exp": true, "log": true, "sin": true, "cos": true, "tan": true, "sinh": true, "cosh": true, "tanh": true, "max": true, "min": true,
}

func plain(name string) func([]term) term { return func(a []term) term { return call(name, a...) } }

// apply is a function of arguments.
func apply(name string, args []term) term {
	if f := functions[name]; f != nil {
		return f(args)
	}
	if standard[name] {
		return call(`\`+name, args...)
	}
	return call(roman(name), args...)
}

func is(a []term, what string) term {
	return term{tex: a[0].within(bindsSum).tex + what, binds: bindsCompare}
}

func infix(a []term, sign string) term {
	return term{tex: a[0].within(bindsPower).tex + ` ` + sign + ` ` + a[1].within(bindsPower).tex, binds: bindsBig}
}

// ofOrder is a family of functions: the first argument stands for % in the name.
func ofOrder(name string, a []term) term {
	text := ""
	for _, r := range name {
		if r == '%' {
			text += a[0].tex
		} else {
			text += string(r)
		}
	}
	return call(text, a[1])
}

// operators are the reducers.
var operators = map[string]string{
	"sum": `\sum`, "prod": `\prod`, "max": `\max`, "min": `\min`, "mean": `\mathop{\mathrm{mean}}`,
	"any": `\mathop{\mathrm{any}}`, "all": `\mathop{\mathrm{all}}`, "argmax": `\mathop{\mathrm{arg\,max}}`, "argmin": `\mathop{\mathrm{arg\,min}}`,
	"logsumexp": `\mathop{\mathrm{logsumexp}}`,
}

// reduce is a reducer over what stands below it.
func reduce(name, below string, args []term) term {
	if name == "norm" {
		r := fenced(`\lVert `, args[0].tex, ` \rVert`)
		if below != "" {
			r += "_{" + below + "}"
		}
		return atom(r)
	}
	op := operators[name]
	if len(args) > 1 {
		if below != "" {
			op += "_{" + below + "}"
		}
		return call(op, args...)
	}
	return operator(op, below, args[0])
}
