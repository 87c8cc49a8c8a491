package dsl

// Inspect calls visit for a node and, where visit says so, for all below it, in the order of the text: statements,
// expressions, brackets and items. The node is a *File, *Func, *Op, Stmt, []Stmt, Expr, *Bracket or *Item; anything
// else, nil too, has nothing below it.
func Inspect(node any, visit func(node any) bool) {
	w := walker(visit)
	switch n := node.(type) {
	case *File:
		for _, f := range n.Funcs {
			w.fn(f)
		}
		for _, o := range n.Ops {
			w.op(o)
		}
	case *Func:
		w.fn(n)
	case *Op:
		w.op(n)
	case []Stmt:
		w.stmts(n)
	case Stmt:
		w.stmt(n)
	case Expr:
		w.expr(n)
	case *Bracket:
		w.bracket(n)
	case *Item:
		w.item(n)
	}
}

type walker func(node any) bool

func (w walker) fn(f *Func) {
	if !w(f) {
		return
	}
	for _, l := range f.Lets {
		w.stmt(l)
	}
	w.expr(f.Result)
}

func (w walker) op(o *Op) {
	if !w(o) {
		return
	}
	for _, in := range o.Inputs {
		w.expr(in.Init)
	}
	for _, a := range o.Attrs {
		w.expr(a.Default)
	}
	w.expr(o.Short)
	w.stmts(o.Body)
}

func (w walker) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w walker) stmt(s Stmt) {
	if !w(s) {
		return
	}
	switch s := s.(type) {
	case *Let:
		w.bracket(s.Left)
		w.expr(s.Value)
	case *Assign:
		w.bracket(s.Left)
		w.expr(s.Value)
	case *Dim:
		w.expr(s.Value)
	case *Require:
		w.expr(s.Cond)
	case *Match:
		for _, a := range s.Arms {
			w.stmts(a.Body)
		}
	case *Grad:
		w.bracket(s.Left)
		w.expr(s.Value)
	case *Example:
		w.binds(s.In)
		w.binds(s.Out)
	}
}

func (w walker) binds(list []Bind) {
	for _, b := range list {
		w.val(b.Value)
	}
}

func (w walker) val(v Val) {
	w.expr(v.Expr)
	for _, v := range v.List {
		w.val(v)
	}
}

func (w walker) expr(e Expr) {
	if e == nil || !w(e) {
		return
	}
	switch e := e.(type) {
	case *Ref:
		w.bracket(e.Index)
	case *Call:
		w.bracket(e.Index)
		w.items(e.Args)
		for _, n := range e.Named {
			w.expr(n.Value)
		}
	case *Binary:
		w.expr(e.X)
		w.expr(e.Y)
	case *Unary:
		w.expr(e.X)
	case *Alt:
		for _, x := range e.Alts {
			w.expr(x)
		}
	case *If:
		w.expr(e.Cond)
		w.expr(e.Then)
		w.expr(e.Else)
	case *Paren:
		w.expr(e.X)
	case *Tuple:
		w.items(e.Items)
	}
}

func (w walker) bracket(b *Bracket) {
	if b == nil || !w(b) {
		return
	}
	w.items(b.Items)
	w.expr(b.Where)
}

func (w walker) items(list []*Item) {
	for _, i := range list {
		w.item(i)
	}
}

func (w walker) item(i *Item) {
	if !w(i) {
		return
	}
	w.expr(i.Value)
	w.expr(i.From)
	w.expr(i.To)
}
