package general

import (
	"fmt"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Bounds writes the bounds of exact values as calls of the runtime: what holds them is known once a call.
type Bounds struct {
	Func   *ir.Func
	Scalar func(name string) (string, error)  // an attribute, or the step, as an int
	Extent func(a *ir.Axis) (string, error)   // the extent of an axis, as an int
	Cond   func(c *ir.Value) (string, error)  // a condition of the call
	Fail   func(message string) (code string) // what follows where a bound doesn't hold
}

// Test is the code that tests a bound.
func (w *Bounds) Test(f ir.Fit) (string, error) {
	x, err := w.bounded(f)
	if err != nil {
		return "", err
	}
	conds := ""
	for _, c := range f.If {
		t, err := w.Cond(c)
		if err != nil {
			continue // tested whether it holds or not
		}
		if strings.Contains(t, "||") {
			t = "(" + t + ")"
		}
		conds += t + " && "
	}
	return fmt.Sprintf("if %s!%s.Inside(%d) {\n%s\n}", conds, x, f.Bits(), w.Fail(f.Message())), nil
}

func (w *Bounds) bounded(f ir.Fit) (string, error) {
	if f.Range == nil {
		return w.interval(f.Value)
	}
	return w.method("Width", f.Range.Lo, f.Range.Hi)
}

// method calls a method of the interval of the first value with those of the others.
func (w *Bounds) method(name string, vs ...*ir.Value) (string, error) {
	var list []string
	for _, v := range vs {
		t, err := w.interval(v)
		if err != nil {
			return "", err
		}
		list = append(list, t)
	}
	return fmt.Sprintf("%s.%s(%s)", list[0], name, strings.Join(list[1:], ", ")), nil
}

// interval is an interval of an exact value.
func (w *Bounds) interval(v *ir.Value) (string, error) {
	whole := func(t string, err error) (string, error) { return "runtime.Whole(" + t + ")", err }
	switch v.Op {
	case ir.OpConst:
		switch {
		case !v.Const.Num().IsInt64() || !v.Const.Denom().IsInt64():
			return "runtime.Unknown()", nil
		case !v.Const.IsInt():
			return fmt.Sprintf("runtime.Ratio(%s, %s)", v.Const.Num(), v.Const.Denom()), nil
		}
		return whole(v.Const.Num().String(), nil)
	case ir.OpScalar:
		return whole(w.Scalar(v.Name))
	case ir.OpExtent:
		return w.extent(v.Axis)
	case ir.OpIndex:
		if v.Var.Axis == nil {
			return w.method("Until", v.Var.Lo, v.Var.Hi)
		}
		x, err := w.extent(v.Var.Axis)
		if n, ok := strings.CutPrefix(x, "runtime.Whole("); ok {
			return "runtime.Indices(" + n, err
		}
		return x + ".Indices()", err
	case ir.OpCast:
		return "runtime.Numbers(0, 1)", nil // of a condition: what data are part of is no part of this
	case ir.OpSelect:
		return w.method("Or", v.Args[1], v.Args[2])
	}
	op, ok := ir.IntervalOps[v.Op]
	if !ok {
		return "", fmt.Errorf("%s of exact values", v.Op)
	}
	return w.method(op.Name, v.Args...)
}

// extent is an interval of an extent: of an axis that the signature hasn't, that of the value that it is.
func (w *Bounds) extent(a *ir.Axis) (string, error) {
	if a.Size != nil {
		return fmt.Sprintf("runtime.Numbers(0, %d)", ir.MaxElements+1), nil
	}
	x, err := w.Extent(a)
	if err == nil {
		return "runtime.Whole(" + x + ")", nil
	}
	for _, d := range w.Func.Dims {
		if d.Axis == a {
			return w.interval(d.Value)
		}
	}
	return "", err
}

// bounds writes those of values that this function computes first.
func (g *gen) bounds(s *block) *Bounds {
	return &Bounds{
		Func: g.k.Func,
		Scalar: func(name string) (string, error) {
			code, _, err := g.k.Scalar(name)
			return code, err
		},
		Extent: func(a *ir.Axis) (string, error) { return g.extent(a).text, nil },
		Cond:   func(c *ir.Value) (string, error) { return g.cond(c, s).text, nil },
		Fail: func(message string) string {
			g.fails = true
			return fmt.Sprintf("return runtime.FaultError(%q, %q)", g.k.Op, message)
		},
	}
}

// bounded tests that int64 hold what an extent is computed from.
func (g *gen) bounded(d ir.Dim, s *block) {
	for _, f := range ir.FitsOf(g.k.Func, d.Value, d.Span) {
		t, err := g.bounds(s).Test(f)
		if err != nil {
			g.bail("%v", err)
		}
		s.printf("%s\n", t)
	}
}
