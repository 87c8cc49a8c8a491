package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// In the sources below « and » stand around the words that a message must mark, in the order of the text; the
// messages follow in that order, each with its code. Where a source begins with a blank, it is the body of an op with
// tensors x and z, an attribute p and an enum attribute k.
var wrong = []struct {
	name, src string
	want      []string
}{
	// Characters and tokens.
	{"character", " y = x «$» z", []string{"lex-char: the character `$` has no meaning here"}},
	{"look-alike", " y = x «×» z", []string{"lex-char: the character `×` has no meaning here | write `*`"}},
	{"hash", "package p «#» no comment", []string{"lex-char: the character `#` has no meaning here | comments begin with //"}},
	{"letter", " let «αβ» = x", []string{"lex-char: `αβ` is no name: names are made of the letters a to z and A to Z, digits and _"}},
	{"underscore", " let «_a» = x", []string{"lex-name: a name begins with a letter | write `a`"}},
	{"blank", " y = x +«\u00a0»z", []string{"lex-char: the blank character U+00A0 has no place here | use a space"}},
	{"control", " y = x «\x00» z", []string{"lex-char: the character U+0000 has no meaning here"}},
	{"carriage return", " y = x «\r» z", []string{"lex-char: the blank character U+000D has no place here | use a space"}},
	{"encoding", " y = x «\xff\xfe» z", []string{"lex-utf8: the text is not valid UTF-8"}},
	{"encoding of a comment", " y = x «// \xff that»", []string{"lex-utf8: the comment is not valid UTF-8"}},
	{"control in a comment", " y = x «// \x00 that»", []string{"lex-char: the character U+0000 has no place in a comment"}},
	{"control in a string", " require p > 0 else «\"\x01\"»", []string{"lex-char: the character U+0001 has no place in a string"}},
	{"encoding of a string", " require p > 0 else «\"\xff\"»", []string{"lex-utf8: the string is not valid UTF-8"}},
	{"block comment", " y = x «/*» z\n */", []string{"lex-comment: comments begin with // and end with the line"}},
	{"open string", " require p > 0 else «\"no»\n y = x", []string{"lex-string: the string isn't closed before the end of the line | close it with \""}},
	{"escape", ` require p > 0 else «"\q"»`, []string{"lex-string: the string holds an escape or a character that it can't | escapes are those of Go: \\n, \\t, \\\", \\\\, \\u00e9"}},
	{"number and name", " y = «2x»", []string{"lex-number: the number 2 runs into `x` | write 2*x for a product"}},
	{"capital exponent", " y = «1E5»", []string{"lex-number: the number 1 runs into `E5` | the exponent is written with a small e"}},
	{"exponent without digits", " y = «1e-» * x", []string{"lex-number: the exponent of 1e- has no digits"}},
	{"attributes of a call with a fault", " let «[»N] = f(x; p = 1)\n y = g(«,»x; p = 2, k = mean)\n y = h[«,» ](x; p = 3)", []string{
		"syntax-expected: expected a name, found `[`", "syntax-expected: expected an expression, found `,`", "syntax-expected: expected an expression, found `,`"}},
	{"hexadecimal", " y = «0x1F»", []string{"lex-number: the number 0 runs into `x1F` | numbers are decimal"}},
	{"number that begins with a dot", " y = «.»5", []string{"syntax-expected: expected an expression, found `.` | a number needs a digit before and behind its dot"}},
	{"number that ends with a dot", " y = 1«.»", []string{"syntax-expected: expected the end of the statement, found `.` | a number needs a digit before and behind its dot"}},
	{"two tokens", " let a = x «$» 1\n let b = «§» 2", []string{
		"lex-char: the character `$` has no meaning here", "lex-char: the character `§` has no meaning here"}},

	// Expressions.
	{"?? before *", " y = «x[..b] ?? 0» * z", []string{"alt-parens: `??` joins no other operator without parentheses | put parentheses around what belongs together: (a ?? b)"}},
	{"?? before /", " y = «p ?? x»/z", []string{"alt-parens: `??` joins no other operator without parentheses"}},
	{"?? behind ^", " y = x^«2 ?? 0»", []string{"alt-parens: `??` joins no other operator without parentheses"}},
	{"?? behind -", " y = -«x ?? 0»", []string{"alt-parens: `??` joins no other operator without parentheses"}},
	{"?? beside <", " y = if «p ?? 0» < 1 then x else z", []string{"alt-parens: `??` joins no other operator without parentheses"}},
	{"?? twice", " y = «x ?? 0» + «z ?? 1»", []string{"alt-parens: `??` joins no other operator", "alt-parens: `??` joins no other operator"}},
	{"chain", " y = if 0 < x «<» 1 then x else z", []string{"chained-comparison: comparisons don't chain | compare twice and join with `&&`: a < b && b < c"}},
	{"chain of ==", " y = if x == p «==» z then x else z", []string{"chained-comparison: comparisons don't chain"}},
	{"if as an operand", " y = 1 + «if» x > 0 then x else z", []string{"if-parens: an if that is an operand needs parentheses around it | write (if … then … else …)"}},
	{"no then", " y = if x > 0 «x» else z", []string{"syntax-expected: expected `then`, found `x`"}},
	{"no else", " y = if x > 0 then x«»\n", []string{"syntax-expected: expected `else`, found the end of the line | an if has two sides: if … then … else …"}},
	{"no operand", " y = x + «)»", []string{"syntax-expected: expected an expression, found `)`"}},
	{"operator at the start of a line", " y = x\n «+» z", []string{"syntax-expected: expected a statement, found `+`"}},
	{"line end between ] and (", " y = sum[...B]\n «(»x)", []string{"syntax-expected: expected a statement, found `(`"}},
	{"keyword as an operand", " y = x + «then»", []string{"syntax-expected: expected an expression, found `then`"}},
	{"reserved word as an operand", " y = x + «state»", []string{"reserved-word: `state` is a reserved word and can't be a name"}},
	{"and", " y = if x > 0 «and» z > 0 then x else z", []string{"syntax-expected: expected `then`, found `and` | write `&&`"}},
	{"**", " y = x*«*»2", []string{"syntax-expected: expected an expression, found `*` | powers are written `^`"}},
	{"= for ==", " y = if p «=» 1 then x else z", []string{"syntax-expected: expected `then`, found `=` | `==` compares"}},
	{"index of a call", " y = f(x)«[»0]", []string{"syntax-expected: expected the end of the statement, found `[` | only a name can be indexed: give the value one with let"}},
	{"lower-case pack", " y = sum[...«b»](x)", []string{"name-case: expected a pack of axes, which begins with an upper-case letter, found `b` | write `B`"}},
	{"lower-case cast", " y = acc(«t»)(x)", []string{"name-case: expected a dtype variable, which begins with an upper-case letter, found `t` | write `T`"}},
	{"cast of nothing", " y = acc(T)«()»", []string{"syntax-expected: expected a value to cast between the parentheses"}},
	{"empty parentheses", " y = («)»", []string{"syntax-expected: expected an expression, found `)`"}},
	{"unclosed call", " let a = abs(x - z«»\n let b = x", []string{"syntax-expected: expected `,`, `;` or `)`, found the end of the line || to close this `(`"}},
	{"unclosed bracket", " let a = x[0«»", []string{"syntax-expected: expected `,` or `]`, found the end of the line || to close this `[`"}},
	{"unclosed call, plain line behind", " let a = abs(x - z\n «y» = a", []string{"syntax-expected: expected `,`, `;` or `)`, found `y` || to close this `(`"}},
	{"attributes before values", " y = f(x; «2»)", []string{"syntax-expected: expected the name of an attribute, found the number 2"}},

	// Statements.
	{"reserved word", " let «where» = x", []string{"reserved-word: `where` is a reserved word and can't be a name"}},
	{"reducer", " let «max» = x", []string{"reserved-word: `max` is a reducer and can't name a value"}},
	{"upper-case let", " let «A» = x", []string{"name-case: the name of a value or function begins with a lower-case letter, not as `A` does | write `a`"}},
	{"upper-case output", " «Y» = x", []string{"name-case: the name of a value or function begins with a lower-case letter"}},
	{"lower-case dim", " dim «d» = 3", []string{"name-case: expected the name of an axis, which begins with an upper-case letter, found `d`"}},
	{"no value", " let a =«»\n let b = x", []string{"syntax-expected: expected an expression, found the end of the line"}},
	{"no name", " let «=» x", []string{"syntax-expected: expected a name, found `=`"}},
	{"+=", " y «+»= x", []string{"syntax-expected: expected `=`, found `+`"}},
	{"== for =", " y «==» x", []string{"syntax-expected: expected `=`, found `==` | `=` defines"}},
	{"no message", " require p > 0 else «p»", []string{"syntax-expected: expected the message, a string, found `p`"}},
	{"no reason", " grad x = z unverified«»\n", []string{"syntax-expected: expected the reason, a string, found the end of the line"}},
	{"return", " return «x»", []string{"syntax-expected: expected `=`, found `x`"}},
	{"two statements on a line", " let a = x «let» b = z", []string{"syntax-expected: expected the end of the statement, found `let`"}},
	{"call without parenthesis", " let h[N] = f «x»; k = 2)\n y = x «z»", []string{
		"syntax-expected: expected the end of the statement, found `x`", "syntax-expected: expected the end of the statement, found `z`"}},
	{"statement behind a faulty one", " y = x «z»; u = f(x) «w»", []string{
		"syntax-expected: expected the end of the statement, found `z`", "syntax-expected: expected the end of the statement, found `w`"}},
	{"match without arms", " match k «y» = x", []string{"syntax-expected: expected `{`, found `y`"}},
	{"arm without colon", " match k {\n  none «y» = x\n  mean: y = z\n }", []string{"syntax-expected: expected `:`, found `y`"}},
	{"example without result", " example { x = 1 }«»\n", []string{"syntax-expected: expected `=>`, found the end of the line"}},
	{"example without value", " example { x = «,» t = 1 } => { y = 1 }\n let a = «)»", []string{
		"syntax-expected: expected an expression, found `,`", "syntax-expected: expected an expression, found `)`"}},
	{"grad of nothing", " grad «=» x", []string{"syntax-expected: expected the name of an input or `none`, found `=`"}},
	{"several", " let «where» = x\n y = x «,» z\n", []string{
		"reserved-word: `where` is a reserved word", "syntax-expected: expected the end of the statement, found `,`"}},
	{"several in one body", " let a = «)»\n let b = if x > 0 «x» else z\n match k {\n  none: y = «]»\n  mean: { let c = «}»\n }\n y = x «z»", []string{
		"syntax-expected: expected an expression, found `)`", "syntax-expected: expected `then`, found `x`",
		"syntax-expected: expected an expression, found `]`", "syntax-expected: expected an expression, found `}`",
		"syntax-expected: expected the end of the statement, found `z`"}},
	{"division", " y = x «// z»", []string{"comment-division: `//` begins a comment; this one reads like the right side of a division"}},
	{"division within", " y = (x «// z»\n + 1)", []string{"comment-division: `//` begins a comment"}},
	{"a word that is no name", " y = x // plain", nil},
	{"no division", " y = x // the plain thing\n // z\n save a // b", nil},

	// Habits of other languages.
	{"assignment", " y «:»= x", []string{"syntax-expected: expected `=`, found `:` | write `=`"}},
	{"sum of two statements", " y = x; y «+»= 1", []string{"syntax-expected: expected `=`, found `+` | a value is set once"}},
	{"return of a value", " return «x» - 1", []string{"syntax-expected: expected `=`, found `x` | an output is set by its name, y = …"}},
	{"assertion", " assert «p» > 0", []string{"syntax-expected: expected `=`, found `p` | a condition of the call is written: require …"}},
	{"loop", " for «i» in N { y[i] = x[i] }", []string{"syntax-expected: expected `=`, found `i` | there are no loops"}},
	{"if as a statement", " «if» x > 0 then y = x else y = z", []string{"syntax-expected: expected a statement, found `if` | a choice is a value"}},
	{"if behind its value", " y = x «if» x > 0 else z", []string{"syntax-expected: expected the end of the statement, found `if` | write if … then … else …"}},
	{"question mark", " y = x > 0 «?» x : z", []string{"syntax-expected: expected the end of the statement, found `?` | write if … then … else …"}},
	{"product of matrices", " y = x «@» z", []string{"syntax-expected: expected the end of the statement, found `@` | a product of matrices is a sum"}},
	{"slice", " y = x[0«:»3]", []string{"syntax-expected: expected `,` or `]`, found `:` | there are no slices"}},
	{"slice of all", " y = x[«:», 0]", []string{"syntax-expected: expected an expression, found `:` | there are no slices"}},
	{"two brackets", " y = x[0]«[»1]", []string{"syntax-expected: expected the end of the statement, found `[` | indices stand in one pair of brackets"}},
	{"reducer without brackets", " y = sum «k» x[k]", []string{"syntax-expected: expected the end of the statement, found `k` | a reducer is called"}},
	{"axis by name", " y = sum(x, dim«=»1)", []string{"syntax-expected: expected `,`, `;` or `)`, found `=` | attributes of a call stand behind `;`, and axes in brackets"}},
	{"magnitude", " y = «|»x|", []string{"syntax-expected: expected an expression, found `|` | a magnitude is abs(…)"}},
	{"not", " y = if not «x» > 0 then x else z", []string{"syntax-expected: expected `then`, found `x` | write `!`"}},
	{"root", " y = «√»x", []string{"lex-char: the character `√` has no meaning here | write sqrt(…)"}},
	{"square", " y = x«²»", []string{"lex-char: the character `²` has no meaning here | write ^2"}},
	{"digits in groups", " y = «1_000»*x", []string{"lex-number: the number 1 runs into `_000` | a number has digits alone"}},
	{"message in a call", " require(p > 0, «\"no\"»)", []string{"syntax-expected: expected an expression, found the string \"no\" | a message stands behind else"}},
	{"single quotes", " require p > 0 else «'»no'", []string{"syntax-expected: expected the message, a string, found `'` | strings stand in `\"`"}},
	{"statements on one line", " let a = x «let» b = z", []string{"syntax-expected: expected the end of the statement, found `let` | a statement ends with its line, or with `;`"}},
	{"operator of the line before", " y = x\n «+» z", []string{"syntax-expected: expected a statement, found `+` | a line ends a statement"}},
	{"call without parentheses", " y = exp «x»", []string{"syntax-expected: expected the end of the statement, found `x` | a call needs its parentheses"}},
	{"range with a sign of equality", " y = sum[k «=» 0..3](x[k])", []string{"syntax-expected: expected `,` or `]`, found `=` | a range is written k in 0..n"}},
	{"range without an index", " y = sum[0«..»3](x)", []string{"syntax-expected: expected `,` or `]`, found `..` | a range has an index"}},
	{"range with three dots", " y = sum[k in 0«...»N](x[k])", []string{"syntax-expected: expected `,` or `]`, found `...` | a range is written 0..n"}},
	{"filter behind a bar", " y = sum[k «|» k != 1](x[k])", []string{"syntax-expected: expected `,` or `]`, found `|` | a filter stands behind where"}},
	{"filter behind an if", " y = sum[k](x[k] «if» k != 1)", []string{"syntax-expected: expected `,`, `;` or `)`, found `if` | a filter stands behind where"}},
	{"value behind a semicolon", " y = max(x; z«)»", []string{"syntax-expected: expected `=`, found `)` | behind `;` stand attributes with their values"}},
	{"string as a word", " y = if k == «\"mean\"» then x else z", []string{"syntax-expected: expected an expression, found the string \"mean\" | no value is a string"}},
	{"arms with arrows", " match k {\n  none «=>» y = x\n }", []string{"syntax-expected: expected `:`, found `=>` | write `:`"}},
	{"case", " match k {\n  case «none»: y = x\n }", []string{"syntax-expected: expected `:`, found `none` | an arm begins with its word"}},
	{"results of an example without braces", " example { x = [1] } => «[»1]", []string{"syntax-expected: expected `{`, found `[` | values stand in braces"}},
	{"derivative by another word", " backward «x» = z", []string{"syntax-expected: expected `=`, found `x` | a derivative by hand is written grad x"}},
	{"optional type", "package p\nop f[T: float](x: T[N]«?») = x", []string{"syntax-expected: expected `=`, `,`, `;` or `)`, found `?` | the `?` stands behind the name"}},
	{"state behind the colon", "package p\nupdate f[T: float](inout p: T[N], m: state «T»[N]) { p' = p }", []string{"syntax-expected: expected `[`, found `T` | the word stands before the name"}},
	{"axis of nothing", "package p\nop f[T: float](x: T[N]; axis: axis «=» -1) = x", []string{"syntax-expected: expected `(`, found `=` | it says which axes it is about"}},
	{"parameter with a type", "package p\nfunc f(x«:» T) = x", []string{"syntax-expected: expected `,` or `)`, found `:` | parameters of a func have no types"}},
	{"pack with two dots", "package p\nop f[T: float](x: T[«..»B]) = x", []string{"syntax-expected: expected an upper-case name, `(`, `...`, `_` or `]`, found `..` | a pack is written ...B"}},
	{"import by name", "package p\nimport «loss»", []string{"syntax-expected: expected a string, found `loss` | the path of a package is a string"}},
	{"import of a part", "package p\n«from» loss import mse", []string{"syntax-expected: expected `enum`, `func`, `op` or `update`, found `from` | a package is imported as a whole"}},
	{"misspelt statement", " lett «h» = x", []string{"syntax-expected: expected `=`, found `h` | did you mean `let`?"}},
	{"number as an arm", " match k {\n  «1»: y = x\n }", []string{"syntax-expected: expected a word of the enum or `_`, found the number 1 | match is by the words of an enum"}},
	{"short form with results", "package p\nop f[T: float](x: T[N]) -> (y: T[N]) «=» x", []string{"syntax-expected: expected `{`, found `=` | the short form names no results"}},
	{"brace on a line of its own", "package p\nop f[T: float](x: T[N]) -> (y: T[N])«»\n{ y = x }", []string{"syntax-expected: expected `{`, found the end of the line | the brace stands on the line"}},
	{"wrong arrow", "package p\nop f[T: float](x: T[N]) «=>» (y: T[N]) { y = x }", []string{"syntax-expected: expected `{`, `=` or `->`, found `=>` | write `->`"}},
	{"results without parentheses", "package p\nop f[T: float](x: T[N]) -> «y»: T[N] { y = x }", []string{"syntax-expected: expected `(`, found `y` | results stand in parentheses"}},
	{"number as an axis", "package p\nop f[T: float](x: T[«3»]) = x", []string{"syntax-expected: expected an upper-case name, `(`, `...`, `_` or `]`, found the number 3 | an axis has a name"}},
	{"pack without a name", "package p\nop f[T: float](x: T[...«]») = x", []string{"syntax-expected: expected an upper-case name, found `]` | a pack has a name"}},
	{"tensor without axes", "package p\nop f[T: float](x: T«)» = x", []string{"syntax-expected: expected `[`, found `)` | a tensor lists its axes"}},
	{"attribute without a type", "package p\nop f[T: float](x: T[B]; p «=» 2) = x", []string{"syntax-expected: expected `:`, `,` or `?`, found `=` | write the type behind the name"}},
	{"dtypes in angle brackets", "package p\nop f«<»T: float>(x: T[B]) = x", []string{"syntax-expected: expected `(` or `[`, found `<` | dtype variables stand in brackets"}},
	{"dtype variable without dtypes", "package p\nop f[T«]»(x: T[B]) = x", []string{"syntax-expected: expected `:`, found `]` | write the dtypes that it may be"}},
	{"hyphen in a name", "package p\nop my«-»op[T: float](x: T[B]) = x", []string{"syntax-expected: expected `(` or `[`, found `-` | names are made of letters"}},

	// Declarations.
	{"no package", "«op» f(x: T[B]) = x", []string{"syntax-package: expected `package` and the name of the package, found `op` | a file begins with a line such as: package loss"}},
	{"empty file", "«»", []string{"syntax-package: expected `package` and the name of the package, found the end of the file"}},
	{"package without name", "package«»\n", []string{"syntax-expected: expected a lower-case name, found the end of the line"}},
	{"upper-case package", "package «P»", []string{"name-case: the name of a value or function begins with a lower-case letter"}},
	{"import without path", "package p\nimport «window»", []string{"syntax-expected: expected a string, found `window`"}},
	{"late import", "package p\nfunc f(x) = x\n«import» \"q\"", []string{"syntax-import: imports stand before the declarations"}},
	{"unknown declaration", "package p\n«opp» f(x: T[B]) = x\nfunc g(«X») = x", []string{
		"syntax-expected: expected `enum`, `func`, `op` or `update`, found `opp` | did you mean `op`?",
		"name-case: the name of a value or function begins"}},
	{"statement at the top", "package p\n«x» = 1\n\nop f(x: T[B]) = x", []string{"syntax-expected: expected `enum`, `func`, `op` or `update`, found `x`"}},
	{"def", "package p\n«def» f(x) = x", []string{"syntax-expected: expected `enum`, `func`, `op` or `update`, found `def` | write `func`"}},
	{"enum without comma", "package p\nenum e(a «b»)", []string{"syntax-expected: expected `,` or `)`, found `b`"}},
	{"empty enum", "package p\nenum e(«)»", []string{"syntax-expected: expected a name, found `)`"}},
	{"no type", "package p\nop f(x «T»[B]) = x", []string{"syntax-expected: expected `:`, `,` or `?`, found `T`"}},
	{"no axes", "package p\nop f(x: T«)» = x", []string{"syntax-expected: expected `[`, found `)`"}},
	{"lower-case axis", "package p\nop f(x: T[«n»]) = x", []string{"name-case: expected the name of an axis, which begins with an upper-case letter, found `n` | write `N`"}},
	{"upper-case input", "package p\nop f(«X»: T[N]) = x", []string{"name-case: the name of a value or function begins with a lower-case letter, not as `X` does | write `x`"}},
	{"reserved input", "package p\nop f(«in»: T[N]) = x", []string{"reserved-word: `in` is a reserved word and can't be a name"}},
	{"reducer as an input", "package p\nop f(«sum»: T[N]) = x", []string{"reserved-word: `sum` is a reducer and can't name a value"}},
	{"reserved parameter", "package p\nfunc f(«let») = x", []string{"reserved-word: `let` is a reserved word and can't be a name"}},
	{"lower-case dtype variable", "package p\nop f[«t»: float](x: T[N]) = x", []string{"name-case: expected a dtype variable, which begins with an upper-case letter, found `t`"}},
	{"no comma between inputs", "package p\nop f(x: T[N] «y»: T[N]) = x", []string{"syntax-expected: expected `=`, `,`, `;` or `)`, found `y`"}},
	{"no comma between attributes", "package p\nop f(x: T[N]; a: float = 1 «b»: int) = x", []string{"syntax-expected: expected `,` or `)`, found `b`"}},
	{"second semicolon", "package p\nop f(x: T[N]; a: float«;» b: int) = x", []string{"syntax-expected: expected `[`, `=`, `,` or `)`, found `;`"}},
	{"attribute without type", "package p\nop f(x: T[N]; a«)» = x", []string{"syntax-expected: expected `:`, `,` or `?`, found `)`"}},
	{"length", "package p\nop f(x: T[N]; a: int[«2.5»]) = x", []string{"syntax-expected: expected the length of the list, a whole number, found 2.5"}},
	{"default", "package p\nop f(x: T[N]; a: int = «)») = x", []string{"syntax-expected: expected an expression, found `)`"}},
	{"initial value of an input", "package p\nop f(x: T[N] = «1») = x", []string{"init-state: only a state has an initial value"}},
	{"step", "package p\nupdate f(inout p: T[N]; «step»: int) {\n let «step» = p\n p' = step\n}\nop g(step: T[N]) = step", []string{
		"reserved-word: in an update `step` is the number of the step", "reserved-word: in an update `step` is the number of the step"}},
	{"no result", "package p\nop f(x: T[N]) «x»", []string{"syntax-expected: expected `{`, `=` or `->`, found `x`"}},
	{"no block", "package p\nop f(x: T[N]) -> (y: T[N])«»\n{\n y = «)»\n}", []string{
		"syntax-expected: expected `{`, found the end of the line", "syntax-expected: expected an expression, found `)`"}},
	{"unclosed head", "package p\nop f(x: T[N], y: T[N] «{»\n y = x +«»\n let a = 1\n}\nop g(«in»: T[N]) = x", []string{
		"syntax-expected: expected `=`, `,`, `;` or `)`, found `{` || this `(` isn't closed",
		"syntax-expected: expected an expression, found the end of the line",
		"reserved-word: `in` is a reserved word"}},
	{"unclosed block", "package p\nop f(x: T[N]) -> (y: T[N]) {\n y = x\n\n«op» g(x: T[N]) = x", []string{"syntax-expected: expected a statement or `}`, found `op` || to close this `{`"}},
	{"unclosed block at the end", "package p\nop f(x: T[N]) -> (y: T[N]) {\n y = x\n«»", []string{"syntax-expected: expected a statement or `}`, found the end of the file || to close this `{`"}},
	{"unclosed parentheses at the end", "package p\nop f(x: T[N]) = (x«»", []string{"syntax-expected: expected `,` or `)`, found the end of the file || to close this `(`"}},
	{"func without value", "package p\nfunc f(x) { let a = x «}»", []string{"syntax-expected: expected an expression, the value of the func, before `}`"}},
	{"func with two values", "package p\nfunc f(x) {\n x\n «x»\n}", []string{"syntax-expected: expected `}`, found `x` || to close this `{`"}},
	{"text behind a declaration", "package p\nfunc f(x) = x «y»\nfunc g(x) = x", []string{"syntax-expected: expected the end of the declaration, found `y`"}},
	{"brace too many", "package p\nop f(x: T[N]) -> (y: T[N]) { y = x }\n«}»\nop g(x: T[N]) = x «}»", []string{
		"syntax-expected: expected `enum`, `func`, `op` or `update`, found `}`", "syntax-expected: expected the end of the declaration, found `}`"}},
	{"several in one file", "package p\nimport «q»\nenum e(«1»)\nfunc f(«X») = x\nop g(x: T[«n»]) -> (y: T[N]) {\n y = «)»\n let a = x\n y = «]»\n}\nop h(x «T»[N]) = x", []string{
		"syntax-expected: expected a string, found `q`", "syntax-expected: expected a name, found the number 1",
		"name-case: the name of a value or function begins", "name-case: expected the name of an axis",
		"syntax-expected: expected an expression, found `)`", "syntax-expected: expected an expression, found `]`",
		"syntax-expected: expected `:`, `,` or `?`, found `T`"}},
}

// source gives a source without its marks, and the marked places.
func source(marked string) (src string, marks [][2]int) {
	if strings.HasPrefix(marked, " ") {
		marked = "package q\nop f[T: float](x, z: T[...B]; p: float = 1, k: enum(none, mean) = mean) -> (y: T[...B]) {\n" + marked + "\n}\n"
	}
	var b strings.Builder
	for i := 0; i < len(marked); {
		switch {
		case strings.HasPrefix(marked[i:], "«"):
			marks = append(marks, [2]int{b.Len(), 0})
			i += len("«")
		case strings.HasPrefix(marked[i:], "»"):
			marks[len(marks)-1][1] = b.Len()
			i += len("»")
		default:
			b.WriteByte(marked[i])
			i++
		}
	}
	return b.String(), marks
}

func TestErrors(t *testing.T) {
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			src, marks := source(c.src)
			_, diags := Parse("w.op", []byte(src))
			var got, want []string
			for i, d := range diags.All {
				text := fmt.Sprintf("%d-%d %s: %s", d.Span.Start.Offset, d.Span.End.Offset, d.Code, d.Message)
				if i < len(c.want) {
					if strings.Contains(c.want[i], " | ") {
						text += " | " + d.Hint
					}
					if strings.Contains(c.want[i], " || ") {
						text += " || " + d.Notes[0].Message
					}
					text = text[:min(len(text), len(fmt.Sprintf("%d-%d ", d.Span.Start.Offset, d.Span.End.Offset))+len(c.want[i]))]
				}
				got = append(got, text)
			}
			for i, w := range c.want {
				place := [2]int{}
				if i < len(marks) {
					place = marks[i]
				}
				want = append(want, fmt.Sprintf("%d-%d %s", place[0], place[1], w))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s\n%s", d, diags.Format(map[string][]byte{"w.op": []byte(src)}))
			}
		})
	}
}
