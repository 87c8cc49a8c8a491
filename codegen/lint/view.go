package lint

import (
	"fmt"
	"path"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// folder is a package of specs with the funcs that can be looked through.
type folder struct {
	name  string
	funcs map[string]*dsl.Func
	in    map[*dsl.Func]*dsl.File
}

func (l *linter) folder(files []*dsl.File) *folder {
	p := &folder{funcs: map[string]*dsl.Func{}, in: map[*dsl.Func]*dsl.File{}}
	for _, f := range files {
		p.name = f.Package.Name
		for _, d := range f.Funcs {
			p.funcs[d.Name.Name] = d
			p.in[d] = f
		}
	}
	return p
}

// frame is a body: of the op or func that is looked at, or of a func that is looked through.
type frame struct {
	folder *folder
	file   *dsl.File
	lets   map[string]*dsl.Let
	inputs map[string]bool // of an op
	params map[string]view // nil: the parameters stand for themselves
	axis   string          // the axis of the func; "": none
	axes   []*dsl.Item     // what it stands for, in the frame of the call
	caller *frame
	depth  int
}

// view is an expression in its body.
type view struct {
	e dsl.Expr
	f *frame
}

// newFrame is the frame of an op or func. Only lets that name a value without index variables can be looked through.
func newFrame(p *folder, file *dsl.File, d any) *frame {
	f := &frame{folder: p, file: file, lets: map[string]*dsl.Let{}, inputs: map[string]bool{}}
	if op, is := d.(*dsl.Op); is {
		for _, in := range op.Inputs {
			f.inputs[in.Name.Name] = in.Mode == dsl.In
		}
	}
	dsl.Inspect(d, func(n any) bool {
		s, is := n.(*dsl.Let)
		if !is || s.Pack || len(s.Names) != 1 {
			return true
		}
		name := s.Names[0].Name
		if _, twice := f.lets[name]; twice || !plainLeft(s.Left) {
			f.lets[name] = nil
		} else {
			f.lets[name] = s
		}
		return true
	})
	return f
}

// plainLeft tells whether a left side names axes only.
func plainLeft(b *dsl.Bracket) bool {
	if b == nil {
		return true
	}
	for _, i := range b.Items {
		r, is := i.Value.(*dsl.Ref)
		if i.AxisPack == nil && (!is || i.In || i.Pack || !isUpper(r.Name.Name) || r.Index != nil) {
			return false
		}
	}
	return b.Where == nil
}

func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// maxCalls is how deep calls are looked through, and maxSteps how often at one place: lets of lets grow without bounds.
const (
	maxCalls = 20
	maxSteps = 2000
)

// see looks through parentheses, parameters, lets and calls of funcs.
func (l *linter) see(v view) view {
	for {
		next, ok := l.through(v)
		if !ok {
			return v
		}
		v = next
	}
}

func (l *linter) through(v view) (view, bool) {
	if l.steps--; l.steps <= 0 {
		return v, false // nothing is said about this place
	}
	switch e := v.e.(type) {
	case *dsl.Paren:
		return view{e.X, v.f}, true
	case *dsl.Ref:
		if !isBare(e) {
			return v, false
		}
		if p, is := v.f.params[e.Name.Name]; is {
			return p, true
		}
		if s := v.f.lets[e.Name.Name]; s != nil {
			return view{s.Value, v.f}, true
		}
	case *dsl.Call:
		if fn, p := l.callee(e, v.f); fn != nil && v.f.depth < maxCalls {
			return view{fn.Result, l.enter(fn, p, e, v.f)}, true
		}
	}
	return v, false
}

func isBare(r *dsl.Ref) bool { return r.Package == nil && !r.Prime && !r.Cotangent && r.Index == nil }

// callee is the func that a call names, where it can be looked through.
func (l *linter) callee(c *dsl.Call, f *frame) (*dsl.Func, *folder) {
	p := f.folder
	if c.Package != nil && c.Package.Name != p.name {
		p = l.imports(f.file, c.Package.Name)
	}
	if p == nil || c.AccOf != nil || len(c.Named) > 0 || c.Index != nil && c.Index.Where != nil {
		return nil, nil // a filter of axes is that of the reductions inside
	}
	fn := p.funcs[c.Name.Name]
	if fn == nil || len(fn.Params) != len(c.Args) {
		return nil, nil
	}
	for _, a := range c.Args {
		if a.Pack || a.Value == nil || a.In {
			return nil, nil
		}
	}
	return fn, p
}

// imports is the package that a file imports under a name.
func (l *linter) imports(file *dsl.File, name string) *folder {
	for _, i := range file.Imports {
		if path.Base(i.Path) != name || l.imported == nil {
			continue
		}
		p, done := l.loaded[i.Path]
		if !done {
			if files := l.imported(i.Path); files != nil {
				p = l.folder(files)
			}
			l.loaded[i.Path] = p
		}
		return p
	}
	return nil
}

// enter is the frame of the body of a func that is called.
func (l *linter) enter(fn *dsl.Func, p *folder, c *dsl.Call, f *frame) *frame {
	g := newFrame(p, p.in[fn], fn)
	g.params, g.caller, g.depth = map[string]view{}, f, f.depth+1
	for i, id := range fn.Params {
		g.params[id.Name] = view{c.Args[i].Value, f}
	}
	if fn.Axis != nil && c.Index != nil {
		g.axis, g.axes = fn.Axis.Name, c.Index.Items
	}
	return g
}

// copier copies an expression with the names of one body replaced by what they stand for.
type copier struct {
	l    *linter
	deep bool                // through lets and funcs of the body at home too
	left int                 // parts that may still be copied
	vars map[string]dsl.Expr // index variables to be replaced
}

// maxCopy bounds the size of what is copied: nobody wants a rewrite of this size, and nested funcs grow without bounds.
const maxCopy = 4000

// written is an expression as it can be written where the finding is: what is visible there is named, all else copied.
func (l *linter) written(v view) dsl.Expr {
	for p, is := v.e.(*dsl.Paren); is; p, is = v.e.(*dsl.Paren) {
		v.e = p.X
	}
	c := &copier{l: l, left: maxCopy}
	return c.expr(v)
}

// renamed is written with an index variable replaced.
func (l *linter) renamed(v view, from, to string) dsl.Expr {
	c := &copier{l: l, left: maxCopy, vars: map[string]dsl.Expr{from: ref(to)}}
	return c.expr(v)
}

// keyRenamed is key with an index variable replaced.
func (l *linter) keyRenamed(v view, from, to string) string {
	c := &copier{l: l, deep: true, left: maxCopy, vars: map[string]dsl.Expr{from: ref(to)}}
	e := c.expr(v)
	if c.left <= 0 || l.steps <= 0 {
		return ""
	}
	return dsl.FormatExpr(e)
}

func ref(name string) dsl.Expr { return &dsl.Ref{Name: dsl.Ident{Name: name}} }

// freshName is an index variable that the op or func doesn't have.
func (l *linter) freshName() string {
	for _, name := range []string{"k", "j", "i", "q", "r"} {
		if !l.mentioned[name] {
			return name
		}
	}
	return "other_k"
}

// key is equal for equal expressions, whatever is named or called in them.
func (l *linter) key(v view) string {
	c := &copier{l: l, deep: true, left: maxCopy}
	e := c.expr(v)
	if c.left <= 0 || l.steps <= 0 {
		return fmt.Sprintf("%p", v.e)
	}
	return dsl.FormatExpr(e)
}

// same tells whether two expressions are equal.
func (l *linter) same(a, b view) bool { return l.key(a) == l.key(b) }

func (c *copier) expr(v view) dsl.Expr {
	if c.left--; c.left <= 0 {
		return v.e
	}
	f := v.f
	sub := func(e dsl.Expr) dsl.Expr { return c.expr(view{e, f}) }
	switch e := v.e.(type) {
	case *dsl.Paren:
		if c.deep {
			return sub(e.X)
		}
		return &dsl.Paren{X: sub(e.X), Span: c.place(e.Span)}
	case *dsl.Number:
		return &dsl.Number{Text: e.Text, Span: c.place(e.Span)}
	case *dsl.Ref:
		if x := c.vars[e.Name.Name]; x != nil && isBare(e) {
			return x
		}
		if c.deep || f != c.l.home {
			if w, ok := c.l.through(v); ok {
				return c.expr(w)
			}
		}
		r := *e
		r.Span, r.Name = c.place(e.Span), dsl.Ident{Name: e.Name.Name}
		r.Index = c.bracket(e.Index, f)
		return &r
	case *dsl.Call:
		if c.deep || f.folder != c.l.home.folder {
			if w, ok := c.l.through(v); ok {
				return c.expr(w)
			}
		}
		r := *e
		r.Span, r.Name = c.place(e.Span), dsl.Ident{Name: e.Name.Name}
		r.Index = c.bracket(e.Index, f)
		r.Args = c.items(e.Args, f)
		r.Named = nil
		for _, n := range e.Named {
			r.Named = append(r.Named, dsl.NamedArg{Name: dsl.Ident{Name: n.Name.Name}, Value: sub(n.Value)})
		}
		return &r
	case *dsl.Binary:
		return &dsl.Binary{Op: e.Op, X: sub(e.X), Y: sub(e.Y), OpAt: c.place(e.OpAt), Span: c.place(e.Span)}
	case *dsl.Unary:
		return &dsl.Unary{Op: e.Op, X: sub(e.X), Span: c.place(e.Span)}
	case *dsl.Alt:
		r := &dsl.Alt{}
		for _, x := range e.Alts {
			r.Alts = append(r.Alts, sub(x))
		}
		return r
	case *dsl.If:
		return &dsl.If{Cond: sub(e.Cond), Then: sub(e.Then), Else: sub(e.Else)}
	case *dsl.Tuple:
		return &dsl.Tuple{Items: c.items(e.Items, f)}
	}
	return v.e
}

// place keeps where something stood, from which the formatter takes what the writer wrote close together; equal expressions are equal
// without that.
func (c *copier) place(s diag.Span) diag.Span {
	if c.deep {
		return diag.Span{}
	}
	return s
}

func (c *copier) bracket(b *dsl.Bracket, f *frame) *dsl.Bracket {
	if b == nil {
		return nil
	}
	r := &dsl.Bracket{Items: c.items(b.Items, f)}
	if b.Where != nil {
		r.Where = c.expr(view{b.Where, f})
	}
	return r
}

func (c *copier) items(list []*dsl.Item, f *frame) []*dsl.Item {
	var r []*dsl.Item
	for _, i := range list {
		if x, is := i.Value.(*dsl.Ref); is && f.axis != "" && x.Name.Name == f.axis && isBare(x) && !i.In {
			r = append(r, c.items(f.axes, f.caller)...)
			continue
		}
		n := &dsl.Item{Star: i.Star, Pack: i.Pack, In: i.In, Inclusive: i.Inclusive}
		if i.AxisPack != nil {
			n.AxisPack = &dsl.Ident{Name: i.AxisPack.Name}
		}
		for _, p := range []struct {
			to   *dsl.Expr
			from dsl.Expr
		}{{&n.Value, i.Value}, {&n.From, i.From}, {&n.To, i.To}} {
			if p.from != nil {
				*p.to = c.expr(view{p.from, f})
			}
		}
		r = append(r, n)
	}
	return r
}

// namesIn adds the names of values that an expression mentions, and those behind its lets.
func (l *linter) namesIn(e dsl.Expr, into map[string]bool) {
	c := &copier{l: l, deep: true, left: maxCopy}
	for _, x := range []dsl.Expr{e, c.expr(view{e, l.home})} {
		dsl.Inspect(x, func(n any) bool {
			if r, is := n.(*dsl.Ref); is && !isUpper(r.Name.Name) {
				into[r.Name.Name] = true
			}
			return true
		})
	}
}
