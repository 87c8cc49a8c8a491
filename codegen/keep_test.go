package codegen

import (
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

func named(ts []*ir.Tensor) []string {
	var r []string
	for _, t := range ts {
		r = append(r, t.Name)
	}
	slices.Sort(r)
	return slices.Compact(r)
}

// TestKeep checks what forward functions keep for derivatives, which read it and don't compute it again.
func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name, op string
		kept     []string // in f32
		portable bool     // forward
	}{
		{"maps are computed again", "let e = exp(sin(x))\n y = e*sqrt(1 + e^2)", nil, false},
		{"unless they are saved", "let e = exp(sin(x))\n y = e*sqrt(1 + e^2)\n save e", []string{"e"}, false},
		{"one of two", "let e = exp(sin(x))\n let f = exp(cos(x))\n y = e^2*f^2\n save f", []string{"f"}, false},
		{"what no derivative reads", "let e = 2*x\n y = e + x^2\n save e", nil, false},
		{"results of reductions are kept", "let m[...B] = mean[N](x)\n y = (x - m)^2/m", []string{"mean"}, false},
		{"unless they are computed again", "let m[...B] = mean[N](x)\n y = (x - m)^2/m\n recompute m", nil, false},
		{"with what they alone are made of", "let m[...B] = 1 + sqrt(1 + sum[N](x^2))\n y = x/m\n recompute m", nil, false},
		{"and not what others are made of", "let v[...B] = sum[N](x^2)\n let m[...B] = 1 + sqrt(1 + v)\n y = x/m\n recompute m", []string{"sum"}, false},
		{"equal lets are one", "let a = exp(sin(x))\n let e = exp(sin(x))\n y = e*sqrt(1 + a^2)\n save e", []string{"a"}, false},
		{"a reduction by the name of a let", "let s[..b, n in N] = sum[k in 0..=n](exp(x[..b, k]))\n y = s^2\n save s", []string{"sum"}, true},
		{"recurrences", "let h[..b, n] = if n == 0 then x[..b, n] else tanh((h[..b, n - 1] ?? 0) + x[..b, n])\n y = h^2\n save h", []string{"h"}, true},
		{"nor else", "let h[..b, n] = if n == 0 then x[..b, n] else tanh((h[..b, n - 1] ?? 0) + x[..b, n])\n y = h^2", nil, true},
		{"what requires elements", "let e = exp(sin(x))\n require all(x < 9)\n y = e*sqrt(1 + e^2)\n save e", []string{"e"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "package p\n\nop f[T: float](x: T[...B, N]) -> (y: T[...B, N]) {\n" + c.op + "\n}\n"
			b := New(Source{ImportPath: "p", Files: []SourceFile{{Name: "p.op", Data: []byte(text)}}}, Go)
			if !b.Run("") {
				t.Fatal(b.Diags.Err())
			}
			for _, f := range b.Functions {
				for k, p := range f.Pairs {
					e := f.emitted()[k]
					if got := named(e.Forward.Saved()); !slices.Equal(got, c.kept) {
						t.Errorf("%v: kept %v, want %v", p.DTypes, got, c.kept)
					}
					if c.portable != (p.Forward == nil) {
						t.Errorf("%v: portable: %v", p.DTypes, p.Portable)
					}
					for _, kept := range e.Forward.Saved() {
						reads := slices.ContainsFunc(e.Backward.Func.Inputs, func(u *ir.Tensor) bool { return u.Name == kept.Name && e.Backward.Reads(u) })
						if !reads || slices.ContainsFunc(e.Backward.Func.Defs, func(d *ir.Def) bool { return d.Target.Name == kept.Name }) {
							t.Errorf("%v: the derivative computes %s:\n%v", p.DTypes, kept.Name, e.Backward.Func)
						}
					}
				}
			}
		})
	}
}

// TestKeepAxes refuses to save what has other axes for other extents.
func TestKeepAxes(t *testing.T) {
	text := "package p\n\nop f[T: float](x: T[B, N]) -> (y: T[B, N]) {\n" +
		"let h = if N > 3 then exp(sin(sum[N](x))) else exp(sin(sum[B](x)))\ny = sqrt(1 + h^2)*x\nsave h\n}\n"
	b := New(Source{ImportPath: "p", Files: []SourceFile{{Name: "p.op", Data: []byte(text)}}}, Go)
	b.Run("")
	if len(b.Diags.All) != 1 || b.Diags.All[0].Code != "keep-axes" {
		t.Errorf("diagnostics: %v", b.Diags.Err())
	}
}

// TestKeepCalled saves what an op that is called says, over axes that are the caller's.
func TestKeepCalled(t *testing.T) {
	text := "package p\n\nop f[T: float](x: T[N, D]) -> (y: T[N, D]) {\nlet e = exp(x) + x\ny = e*e*e\nsave e\n}\n" +
		"op g[T: float](x: T[M, K]) -> (y: T[M]) {\nlet h[M, K] = f(x)\ny = sum[K](sin(h))\n}\n" +
		"op inner[T: float](x: T[N]) -> (y: T[N]) {\nlet e = exp(x) + x\ny = e*e*e\nsave e\n}\n" +
		"op h[T: float](x: T[M]) -> (y: T[]) {\nlet a[j in 1..M] = x[j]\nlet b[J] = inner(a)\ny = sum[J](sin(b))\n}\n"
	b := New(Source{ImportPath: "p", Files: []SourceFile{{Name: "p.op", Data: []byte(text)}}}, Go)
	if !b.Run("") {
		t.Fatal(b.Diags.Err())
	}
	want := map[string][]string{"f": {"e"}, "g": {"f_e"}, "inner": {"e"}, "h": nil}
	for _, f := range b.Functions {
		if got := named(f.Kept); !slices.Equal(got, want[f.Forward.Name]) {
			t.Errorf("%s keeps %v, want %v", f.Forward.Name, got, want[f.Forward.Name])
		}
	}
}
