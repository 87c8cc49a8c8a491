package dsl

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// Parse reads the text of one file. The file is what could be understood of it, never nil; it is whole if the list has
// no errors. The list is in the order of the text. The name stands in every place of the tree and is not opened.
func Parse(name string, src []byte) (*File, *diag.List) {
	s := scan(name, src)
	list, deep := statementLines(s.tokens, s.pos)
	f := &File{Name: name, Comments: s.comments, Source: src,
		Span: diag.Span{Start: diag.Pos{File: name, Line: 1, Col: 1}, End: s.pos}}
	p := &parser{file: f, tokens: list, diags: s.diags}
	if deep != nil {
		p.diags.Errorf(spanOf(deep), "nesting-deep", "brackets nest more than %d levels deep", maxDepth)
	} else if lex, err := lexer.Upgrade(&tokens{list}); err != nil {
		p.diags.Errorf(f.Span, "syntax-expected", "%v", err)
	} else {
		p.lex = lex
		p.readFile()
		p.attachDocs()
		p.warnOfDivisions(s.tokens)
	}
	p.diags.Sort()
	return f, &p.diags
}

// parser reads a file declaration by declaration.
type parser struct {
	file   *File
	tokens []lexer.Token
	lex    *lexer.PeekingLexer
	diags  diag.List
}

// index is the place of the next token in the list.
func (p *parser) index() int { return int(p.lex.RawCursor()) }

func (p *parser) peek() *lexer.Token { return p.lex.Peek() }

func (p *parser) at(word string) bool { return p.peek().Type == tokWord && p.peek().Value == word }

// moveTo goes ahead to a token of the list.
func (p *parser) moveTo(index int) {
	if index > p.index() {
		p.lex.FastForward(lexer.RawCursor(index - 1))
	}
}

func (p *parser) skipEnds() {
	for p.peek().Type == tokNewline || p.peek().Type == tokPunct && p.peek().Value == ";" {
		p.lex.Next()
	}
}

// readFile reads File = "package" id {"import" string} {Enum|Func|Op}.
func (p *parser) readFile() {
	p.skipEnds()
	if p.at("package") {
		if n, ok := readPart[packageNode](p); ok {
			p.file.Package = n.Name.Ident
			p.endPart()
		} else {
			p.recover()
		}
	} else if p.peek().Type != tokBad {
		p.diags.Errorf(spanOf(p.peek()), "syntax-package", "expected `package` and the name of the package, found %s", describe(p.peek())).
			WithHint("a file begins with a line such as: package loss")
	}
	for p.skipEnds(); !p.peek().EOF(); p.skipEnds() {
		if p.readPart() {
			p.endPart()
		} else {
			p.recover()
		}
	}
}

// readPart reads one import or declaration, and tells whether the stream stands behind it.
func (p *parser) readPart() bool {
	t := p.peek()
	switch {
	case p.at("import"):
		if len(p.file.Enums)+len(p.file.Funcs)+len(p.file.Ops) > 0 {
			p.diags.Errorf(spanOf(t), "syntax-import", "imports stand before the declarations")
		}
		n, ok := readPart[importNode](p)
		if ok {
			p.file.Imports = append(p.file.Imports, Import{Path: n.Path.Text, Span: p.spanFrom(t)})
		}
		return ok
	case p.at("enum"):
		n, ok := readPart[enumNode](p)
		if n.Name.Name != "" {
			p.file.Enums = append(p.file.Enums, n.enum(p.spanFrom(t)))
		}
		return ok
	case p.at("func"):
		n, ok := readPart[funcNode](p)
		if !ok {
			n.Short, n.Body = nil, &bodyNode{}
			ok = p.readRest(n.Body)
		}
		if n.Name.Name != "" {
			p.file.Funcs = append(p.file.Funcs, n.fn(p.spanFrom(t), &p.diags))
		}
		return ok
	case p.at("op"), p.at("update"):
		n, ok := readPart[opNode](p)
		if !ok {
			n.Short, n.Body = nil, &blockNode{}
			ok = p.readRest(n.Body)
		}
		if n.Name.Name != "" {
			p.file.Ops = append(p.file.Ops, n.op(p.spanFrom(t), &p.diags))
		}
		return ok
	}
	p.noPart(t)
	return false
}

// noPart reports a token that begins no declaration.
func (p *parser) noPart(t *lexer.Token) {
	if t.Type == tokBad {
		return
	}
	d := p.diags.Errorf(spanOf(t), "syntax-expected", "expected `enum`, `func`, `op` or `update`, found %s", describe(t))
	if t.Type != tokWord {
		return
	}
	if near := diag.Suggest(t.Value, []string{"op", "func", "enum", "update", "import"}); near != "" {
		d.WithHint("did you mean %s?", quote(near))
	} else if habits[t.Value] != "" {
		d.Hint = habits[t.Value]
	} else if foreign[t.Value] != "" {
		d.WithHint("write %s", quote(foreign[t.Value]))
	}
}

// readPart reads one production. Where it has a fault, that is reported, the stream stands at the token that didn't
// fit, and the node is what could be read.
func readPart[Node any](p *parser) (n *Node, ok bool) {
	start := p.index()
	at := p.lex.MakeCheckpoint()
	n, err := read[Node](p.lex)
	stop, stopped := stopOf(err)
	if !stopped {
		return n, true
	}
	p.lex.LoadCheckpoint(at)
	bad := start
	for !p.tokens[bad].EOF() && p.tokens[bad].Pos.Offset < stop.Pos.Offset {
		bad++
	}
	if syntax, is := err.(*syntaxError); is {
		p.diags.All = append(p.diags.All, syntax.found...)
	} else if d := misfit[Node](p.tokens[start:], bad-start); d != nil {
		p.diags.Add(*d)
	}
	p.moveTo(max(bad, start+1))
	return n, false
}

// readRest reads the block of a declaration whose head has a fault, for the faults within; false: there is none.
func (p *parser) readRest(body participle.Parseable) bool {
	for i := p.index(); !p.startsPart(i); i++ {
		if t := &p.tokens[i]; t.Type == tokPunct && t.Value == "{" {
			p.moveTo(i)
			return body.Parse(p.lex) == nil
		}
	}
	return false
}

// startsPart tells whether a new declaration, or the end of the file, is at an index of the list.
func (p *parser) startsPart(i int) bool {
	t := &p.tokens[i]
	if t.EOF() {
		return true
	}
	if i > 0 && p.tokens[i-1].Type != tokNewline {
		return false
	}
	return startsDeclaration(p.tokens[i:]) || t.Type == tokWord && t.Value == "import" && p.tokens[i+1].Type == tokString
}

// recover goes to the next declaration.
func (p *parser) recover() {
	i := p.index()
	if !p.tokens[i].EOF() {
		i++
	}
	for !p.startsPart(i) {
		i++
	}
	p.moveTo(i)
}

// endPart sees to it that nothing else stands on the line of a declaration.
func (p *parser) endPart() {
	t := p.peek()
	if t.EOF() || t.Type == tokNewline || t.Type == tokPunct && t.Value == ";" {
		return
	}
	i := p.index()
	if p.startsPart(i) {
		return
	}
	if t.Type != tokBad {
		d := p.diags.Errorf(spanOf(t), "syntax-expected", "expected the end of the declaration, found %s", describe(t))
		d.Hint = hintFor(guess{&p.tokens[i-1], t, &p.tokens[min(i+1, len(p.tokens)-1)], "the end of the declaration"})
	}
	p.recover()
}

// spanFrom is the text from a token up to the last one read.
func (p *parser) spanFrom(start *lexer.Token) diag.Span {
	return join(spanOf(start), spanOf(&p.tokens[max(p.index()-1, 0)]))
}

// attachDocs gives each declaration the comment block that ends on the line above it.
func (p *parser) attachDocs() {
	f := p.file
	for _, d := range f.Enums {
		d.Doc = docOf(f.Comments, d.Span.Start)
	}
	for _, d := range f.Funcs {
		d.Doc = docOf(f.Comments, d.Span.Start)
	}
	for _, d := range f.Ops {
		d.Doc = docOf(f.Comments, d.Span.Start)
	}
}

// directive begins comments that are meant for opgen, and don't document anything.
const directive = "opgen:"

// docOf gives the text of the comments directly above a place, without their slashes.
func docOf(comments []Comment, at diag.Pos) string {
	var lines []string
	for _, c := range docComments(comments, at) {
		line := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " ")
		if !strings.HasPrefix(line, directive) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// docComments gives the comments, each on a line of its own, that stand directly above a place without a gap.
func docComments(comments []Comment, at diag.Pos) []Comment {
	end, _ := slices.BinarySearchFunc(comments, at.Offset, func(c Comment, offset int) int { return c.Span.Start.Offset - offset })
	first := end
	for line := at.Line - 1; first > 0 && !comments[first-1].Trailing && comments[first-1].Span.Start.Line == line; line-- {
		first--
	}
	return comments[first:end]
}
