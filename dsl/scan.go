package dsl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// byteOrderMark may begin a file; it means nothing.
const byteOrderMark = "\uFEFF"

// strange are characters that stand for something that is written in another way.
var strange = map[rune]string{
	'#': "comments begin with //", '√': "write sqrt(…)", '²': "write ^2", '³': "write ^3", '∑': "write sum[k](…)", '∏': "write prod[k](…)",
	'\\': "a statement goes on behind an operator or a comma, and within brackets", '`': "names stand as they are", '~': "write ! for the opposite of a condition",
}

// lookalikes are characters that people paste or type out of habit, and what the language writes instead.
var lookalikes = map[rune]string{
	'×': "*", '·': "*", '⋅': "*", '÷': "/", '−': "-", '–': "-", '—': "-", '≤': "<=", '≥': ">=", '≠': "!=",
	'∞': "inf", 'π': "pi", '∧': "&&", '∨': "||", '¬': "!", '…': "...", '→': "->", '⇒': "=>",
	'“': `"`, '”': `"`, '’': "'", '‘': "'", '&': "&&",
}

// scanner cuts the text of one file into tokens.
type scanner struct {
	file     string
	src      string
	pos      diag.Pos
	tokens   []lexer.Token
	comments []Comment
	diags    diag.List
	lineHas  bool // a token stands before pos on this line
}

// scan gives the tokens of a file, every line end among them, without an EOF token.
func scan(file string, src []byte) *scanner {
	s := &scanner{file: file, src: string(src), pos: diag.Pos{File: file, Line: 1, Col: 1}}
	s.tokens = make([]lexer.Token, 0, len(src)/3+1) // two letters and a blank each, about
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.pos.Offset = len(byteOrderMark)
	}
	for s.pos.Offset < len(s.src) {
		s.step()
	}
	return s
}

func (s *scanner) rest() string { return s.src[s.pos.Offset:] }

// advance moves over n bytes that hold no line end.
func (s *scanner) advance(n int) diag.Span {
	span := diag.Span{Start: s.pos}
	s.pos.Col += utf8.RuneCountInString(s.src[s.pos.Offset : s.pos.Offset+n])
	s.pos.Offset += n
	span.End = s.pos
	return span
}

// emit makes the next n bytes a token.
func (s *scanner) emit(kind lexer.TokenType, n int) {
	span := s.advance(n)
	s.token(kind, s.src[span.Start.Offset:span.End.Offset], span)
}

func (s *scanner) token(kind lexer.TokenType, text string, at diag.Span) {
	s.lineHas = kind != tokNewline
	s.tokens = append(s.tokens, lexer.Token{Type: kind, Value: text, Pos: lexer.Position{
		Filename: s.file, Offset: at.Start.Offset, Line: at.Start.Line, Column: at.Start.Col}})
}

// step reads one token, comment or blank.
func (s *scanner) step() {
	rest := s.rest()
	c := rest[0]
	switch {
	case c == '\n' || strings.HasPrefix(rest, "\r\n"):
		s.newline()
	case c == ' ' || c == '\t':
		s.advance(1)
	case strings.HasPrefix(rest, "//"):
		s.comment()
	case strings.HasPrefix(rest, "/*"):
		s.blockComment()
	case isDigit(c):
		s.number()
	case isLetter(c):
		s.emit(tokWord, wordLen(rest))
	case c == '_' && wordLen(rest[1:]) > 0:
		span := s.advance(1 + wordLen(rest[1:]))
		s.bad(span, "lex-name", "a name begins with a letter").Hint = "write " + quote(strings.TrimLeft(s.text(span), "_"))
	case c == '"':
		s.str()
	default:
		for _, p := range puncts {
			if strings.HasPrefix(rest, p) {
				s.emit(tokPunct, len(p))
				return
			}
		}
		s.strange()
	}
}

func (s *scanner) text(at diag.Span) string { return s.src[at.Start.Offset:at.End.Offset] }

func (s *scanner) newline() {
	at := diag.Span{Start: s.pos, End: s.pos}
	s.token(tokNewline, "\n", at)
	s.pos.Offset += strings.IndexByte(s.rest(), '\n') + 1
	s.pos.Line++
	s.pos.Col = 1
}

// toLineEnd counts the bytes up to the end of the line, a carriage return before it not counted.
func toLineEnd(text string) int {
	n := strings.IndexByte(text, '\n')
	if n < 0 {
		n = len(text)
	} else if n > 0 && text[n-1] == '\r' {
		n--
	}
	return n
}

func (s *scanner) comment() {
	trailing := s.lineHas
	span := s.advance(toLineEnd(s.rest()))
	text := s.text(span)
	if !utf8.ValidString(text) {
		s.report(span, "lex-utf8", "the comment is not valid UTF-8")
	} else if r, found := control(text); found {
		s.report(span, "lex-char", "the character %U has no place in a comment", r)
	}
	s.comments = append(s.comments, Comment{Text: strings.TrimRightFunc(text, unicode.IsSpace), Trailing: trailing, Span: span})
}

// control finds a character that no text shows, and that Go does not take in a comment.
func control(text string) (rune, bool) {
	i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' || r == '\ufeff' })
	if i < 0 {
		return 0, false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r, true
}

// blockComment reports a comment of the kind that other languages have, and skips it.
func (s *scanner) blockComment() {
	span := s.advance(2)
	s.bad(span, "lex-comment", "comments begin with // and end with the line")
	for s.pos.Offset < len(s.src) && !strings.HasPrefix(s.rest(), "*/") {
		if n := toLineEnd(s.rest()); n > 0 {
			if end := strings.Index(s.rest()[:n], "*/"); end >= 0 {
				n = end
			}
			s.advance(n)
		} else if s.rest()[0] == '\n' || strings.HasPrefix(s.rest(), "\r\n") {
			s.newline()
		} else {
			s.advance(1)
		}
	}
	if s.pos.Offset < len(s.src) {
		s.advance(2)
	}
}

// number reads digits [. digits] [e [sign] digits]; a dot without a digit behind it is left, so that 0..k is a range.
func (s *scanner) number() {
	rest := s.rest()
	n := digitsLen(rest)
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
		n += 1 + digitsLen(rest[n+1:])
	}
	if m := exponentLen(rest[n:]); m > 0 {
		n += m
	}
	text := rest[:n]
	span := s.advance(n)
	s.token(tokNumber, text, span)
	if more := wordLen(s.rest()); more > 0 {
		tail := s.advance(more)
		word := s.text(tail)
		if next := s.rest(); word == "e" && next != "" && (next[0] == '-' || next[0] == '+') && !strings.Contains(text, "e") {
			s.report(join(span, s.advance(1)), "lex-number", "the exponent of %s has no digits", text+word+next[:1])
			return
		}
		d := s.report(join(span, tail), "lex-number", "the number %s runs into %s", text, quote(word))
		if m := exponentLen(strings.ToLower(s.src[tail.Start.Offset:])); m > 0 && word[0] == 'E' {
			d.Hint = "the exponent is written with a small e"
		} else {
			d.Hint = runsInto(text, word)
		}
	}
}

// runsInto says what to write for a number with a word behind it.
func runsInto(number, word string) string {
	switch {
	case word[0] == '_':
		return "a number has digits alone: leave out the _"
	case number == "0" && strings.ContainsAny(word[:1], "xXbo") && len(word) > 1:
		return "numbers are decimal"
	}
	return fmt.Sprintf("write %s*%s for a product", number, word)
}

// exponentLen counts the bytes of an exponent at the start of the text; 0: there is none.
func exponentLen(text string) int {
	if text == "" || text[0] != 'e' {
		return 0
	}
	n := 1
	if n < len(text) && (text[n] == '+' || text[n] == '-') {
		n++
	}
	digits := digitsLen(text[n:])
	if digits == 0 {
		return 0
	}
	return n + digits
}

// str reads a string. Whatever is wrong with it, a string token results, so that one fault gives one message.
func (s *scanner) str() {
	line := s.rest()[:toLineEnd(s.rest())]
	n := 1
	for n < len(line) && line[n] != '"' {
		if line[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(line) {
		span := s.advance(len(line))
		s.report(span, "lex-string", "the string isn't closed before the end of the line").Hint = `close it with "`
		s.token(tokString, s.text(span), span)
		return
	}
	span := s.advance(n + 1)
	text := s.text(span)
	odd, hasControl := control(text)
	switch _, err := strconv.Unquote(text); {
	case !utf8.ValidString(text):
		s.report(span, "lex-utf8", "the string is not valid UTF-8")
	case hasControl:
		s.report(span, "lex-char", "the character %U has no place in a string", odd)
	case err != nil:
		s.report(span, "lex-string", "the string holds an escape or a character that it can't").Hint =
			`escapes are those of Go: \n, \t, \", \\, \u00e9`
	}
	s.token(tokString, text, span)
}

// strange reports characters that begin no token: one message for a run of them.
func (s *scanner) strange() {
	r, size := utf8.DecodeRuneInString(s.rest())
	switch {
	case r == utf8.RuneError && size == 1:
		n := 1
		for n < len(s.rest()) {
			if r, size := utf8.DecodeRuneInString(s.rest()[n:]); r != utf8.RuneError || size != 1 {
				break
			}
			n++
		}
		s.bad(s.advance(n), "lex-utf8", "the text is not valid UTF-8")
	case unicode.IsLetter(r) && lookalikes[r] == "":
		n := strings.IndexFunc(s.rest(), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
		})
		if n < 0 {
			n = len(s.rest())
		}
		span := s.advance(n)
		s.bad(span, "lex-char", "%s is no name: names are made of the letters a to z and A to Z, digits and _", quote(s.text(span)))
	case unicode.IsSpace(r) || r == '\uFEFF':
		s.bad(s.advance(size), "lex-char", "the blank character %U has no place here", r).Hint = "use a space"
	case unicode.IsPrint(r):
		d := s.bad(s.advance(size), "lex-char", "the character %s has no meaning here", quote(string(r)))
		if better := lookalikes[r]; better != "" {
			d.Hint = "write " + quote(better)
		} else if hint := strange[r]; hint != "" {
			d.Hint = hint
		}
	default:
		s.bad(s.advance(size), "lex-char", "the character %U has no meaning here", r)
	}
}

// report adds an error.
func (s *scanner) report(at diag.Span, code, format string, args ...any) *diag.Diagnostic {
	return s.diags.Errorf(at, code, format, args...)
}

// bad adds an error and leaves a token at which the parser gives up without a further message.
func (s *scanner) bad(at diag.Span, code, format string, args ...any) *diag.Diagnostic {
	s.token(tokBad, s.text(at), at)
	return s.report(at, code, format, args...)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func digitsLen(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// wordLen counts the letters, digits and underscores at the start of the text.
func wordLen(text string) int {
	n := 0
	for n < len(text) && (isLetter(text[n]) || isDigit(text[n]) || text[n] == '_') {
		n++
	}
	return n
}
