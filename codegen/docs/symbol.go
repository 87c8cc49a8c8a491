package docs

import (
	"strings"
)

// greek are the names that are written as letters of their own.
var greek = map[string]string{
	"alpha": `\alpha`, "beta": `\beta`, "gamma": `\gamma`, "delta": `\delta`, "eps": `\varepsilon`, "lambda": `\lambda`, "rho": `\rho`,
	"theta": `\theta`, "tau": `\tau`,
}

// symbol is a name of a spec in a formula; bold where it stands for several axes or indices.
func symbol(name string, bold bool) string {
	if rest, primed := strings.CutSuffix(name, "'"); primed {
		return symbol(rest, bold) + "'"
	}
	letters := strings.TrimRight(name, "0123456789")
	digits := name[len(letters):]
	face := "mathrm"
	if bold {
		face = "mathbf"
	}
	switch {
	case letters == "":
		return `\mathrm{` + name + `}`
	case greek[letters] != "" && !bold:
		letters = greek[letters]
	case len(letters) > 1 || bold:
		letters = `\` + face + `{` + strings.ReplaceAll(letters, "_", `\_`) + `}`
	}
	if digits == "" {
		return letters
	}
	return letters + "_{" + digits + "}"
}

// roman is a word in a formula.
func roman(word string) string { return `\mathrm{` + strings.ReplaceAll(word, "_", `\_`) + `}` }

// barred is the cotangent of what has a symbol.
func barred(sym string) string {
	if letters := strings.SplitN(sym, "_{", 2); len(letters) == 2 && !strings.HasPrefix(sym, `\mathrm`) && !strings.HasPrefix(sym, `\mathbf`) {
		return barred(letters[0]) + "_{" + letters[1]
	}
	if len(sym) == 1 || strings.HasPrefix(sym, `\`) && !strings.ContainsAny(sym, "{ ") {
		return `\bar{` + sym + `}`
	}
	return `\overline{` + sym + `}`
}

// indexed is a symbol with indices. A symbol that has a subscript of its own is grouped.
func indexed(sym, index string) term {
	if index == "" {
		return atom(sym)
	}
	if strings.Contains(sym, "_{") {
		sym = "{" + sym + "}"
	}
	return atom(sym + "_{" + index + "}")
}
