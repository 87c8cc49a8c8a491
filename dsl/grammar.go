package dsl

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/opgen/opgen/dsl/diag"
)

// The grammar of declarations. What stands in expressions and blocks is read by reader; both share one token stream.
// One token of lookahead decides everywhere, so a fault is always at the token where the reading stopped.
type (
	// fileNode is the whole: Parse reads its parts one by one, so that a fault in one doesn't hide the others.
	fileNode struct {
		Package packageNode  `parser:"@@"`
		Imports []importNode `parser:"{ @@ }"`
		Decls   []declNode   `parser:"{ @@ }"`
	}
	packageNode struct {
		Name nameNode `parser:"'package' @@"`
	}
	importNode struct {
		Tokens []lexer.Token
		Path   stringNode `parser:"'import' @@"`
	}
	declNode struct {
		Enum *enumNode `parser:"@@"`
		Func *funcNode `parser:"| @@"`
		Op   *opNode   `parser:"| @@"`
	}
	enumNode struct {
		Tokens []lexer.Token
		Name   nameNode   `parser:"'enum' @@"`
		Words  []wordNode `parser:"'(' @@ { ',' @@ } ')'"`
	}
	funcNode struct {
		Tokens []lexer.Token
		Name   nameNode    `parser:"'func' @@"`
		Axis   *axisName   `parser:"[ '[' @@ ']' ]"`
		Params []valueNode `parser:"'(' [ @@ { ',' @@ } ] ')'"`
		Short  *exprNode   `parser:"( '=' @@"`
		Body   *bodyNode   `parser:"| @@ )"`
	}
	opNode struct {
		Tokens  []lexer.Token
		Update  bool        `parser:"( 'op' | @'update' )"`
		Name    wordNode    `parser:"@@"`
		Vars    []varNode   `parser:"[ '[' @@ { ',' @@ } ']' ]"`
		Inputs  []inputNode `parser:"'(' [ @@ { ',' @@ } ]"`
		Attrs   []attrNode  `parser:"[ ';' @@ { ',' @@ } ] ')'"`
		Short   *exprNode   `parser:"( '=' @@"`
		Outputs []outNode   `parser:"| [ '->' '(' @@ { ',' @@ } ')' ]"`
		Body    *blockNode  `parser:"@@ )"`
	}
	varNode struct {
		Name dtypeName  `parser:"@@ ':'"`
		Alts []wordNode `parser:"@@ { '|' @@ }"`
	}
	inputNode struct {
		Tokens []lexer.Token
		Mode   string      `parser:"[ @( 'inout' | 'state' ) ]"`
		Names  []namesNode `parser:"@@ { ',' @@ } ':'"`
		Type   typeNode    `parser:"@@"`
		Init   *exprNode   `parser:"[ '=' @@ ]"`
	}
	namesNode struct {
		Name     valueNode `parser:"@@"`
		Optional bool      `parser:"[ @'?' ]"`
	}
	outNode struct {
		Names []valueNode `parser:"@@ { ',' @@ } ':'"`
		Type  typeNode    `parser:"@@"`
	}
	attrNode struct {
		Tokens  []lexer.Token
		Names   []namesNode `parser:"@@ { ',' @@ } ':'"`
		Enum    []wordNode  `parser:"( 'enum' '(' @@ { ',' @@ } ')'"`
		Place   string      `parser:"| @( 'axis' | 'axes' | 'keep' )"`
		Axes    []axisName  `parser:"  '(' @@ { '|' @@ } ')'"`
		Elem    *elemNode   `parser:"| @@ )"`
		List    *lengthNode `parser:"[ '[' @@ ']' ]"`
		Default *exprNode   `parser:"[ '=' @@ ]"`
	}
	typeNode struct {
		Tokens []lexer.Token
		Elem   elemNode    `parser:"@@"`
		Infer  bool        `parser:"'[' [ @'_'"`
		Axes   []*axisNode `parser:"| @@ { ',' @@ } ] ']'"`
	}
	elemNode struct {
		Wrap  string     `parser:"( @( 'acc' | 'sum' )"`
		Of    *dtypeName `parser:"  '(' @@ ')' )"`
		Plain *wordNode  `parser:"| @@"`
	}
	axisNode struct {
		Tokens   []lexer.Token
		Pack     *axisName   `parser:"'...' @@"`
		Product  []*axisNode `parser:"| '(' @@ { ',' @@ } ')'"`
		Name     *axisName   `parser:"| @@"`
		Optional bool        `parser:"  [ @'?' ]"`
	}
)

// tokens is a list of tokens as a source for the declaration grammar.
type tokens struct{ list []lexer.Token }

// Next gives the tokens one by one; the last is the end of the file.
func (t *tokens) Next() (lexer.Token, error) {
	next := t.list[0]
	if !next.EOF() {
		t.list = t.list[1:]
	}
	return next, nil
}

// definition makes the scanner the grammar's source of tokens.
type definition struct{}

// Symbols names the kinds of token that the grammar may refer to.
func (definition) Symbols() map[string]lexer.TokenType { return symbols }

// Lex scans a whole file.
func (definition) Lex(name string, in io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	s := scan(name, src)
	if err := s.diags.Err(); err != nil {
		return nil, err
	}
	list, _ := statementLines(s.tokens, s.pos)
	return &tokens{list}, nil
}

var grammar = sync.OnceValue(func() *participle.Parser[fileNode] {
	return participle.MustBuild[fileNode](participle.Lexer(definition{}), participle.UseLookahead(0))
})

// read reads one production of the grammar from the stream.
func read[Node any](lex *lexer.PeekingLexer) (*Node, error) {
	p, err := participle.ParserForProduction[Node](grammar())
	if err != nil {
		return new(Node), err
	}
	return p.ParseFromLexer(lex, participle.AllowTrailing(true))
}

// syntaxError carries finished messages out of the grammar; none where the scanner has given one already.
type syntaxError struct {
	found []diag.Diagnostic
	at    lexer.Token // where the reading stopped
}

// Error is the first message without its place.
func (e *syntaxError) Error() string {
	if len(e.found) == 0 {
		return "unreadable text"
	}
	return e.found[0].Message
}
