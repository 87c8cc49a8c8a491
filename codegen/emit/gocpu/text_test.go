package gocpu_test

import (
	"strings"
	"testing"
)

// TestComments checks what generated comments say.
func TestComments(t *testing.T) {
	b := buildText(`package many

// pseudo_huber is smooth.
op pseudo_huber[T: float](x_in: T[...B], inout run_mean: acc(T)[...B]) -> (y: T[...B]) {
    y = sqrt(x_in^2 + 1) - 1
    run_mean' = run_mean + x_in
}

// Sum_at takes rows of a table.
op sum_at[T: float, I: int](len: T[N, C], at: I[...B]) -> (y: T[...B]) { y[..b] = sum[C](len[at[..b], C]) }
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	text := ""
	for _, f := range b.Out {
		text += string(f.Data)
	}
	for _, want := range []string{
		"// PseudoHuber is smooth.",
		"// xIn (x_in in the formula): T[...B], runMean (run_mean in the formula): acc(T)[...B]; y: T[...B]. T: f16, bf16, f32 or f64. acc(T): f32 for f16 and bf16, else T.",
		"// Errors wrap runtime.ErrNil, ErrShape, ErrDType, ErrDevice or ErrAlias.",
		"// SumAt takes rows of a table.",
		"// len2 (len in the formula): T[N, C], at: I[...B]; y: T[...B].",
		"// Errors wrap runtime.ErrNil, ErrShape, ErrDType, ErrDevice or ErrIndex.",
		"Errors wrap the same kinds as those of [SumAt], or runtime.ErrAlias.",
		`Name: "gradient of len"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "// ") || strings.Contains(line, "Name:") {
				t.Log(line)
			}
		}
	}
}

// TestSharedPack checks that an input which several launches take in another order of axes is copied once in a call.
func TestSharedPack(t *testing.T) {
	b := buildText(`package many

op twins[T: float](x: T[M, J, K], z: T[P, J, K], w: T[J, N, K]) -> (y: T[M, N], u: T[P, N]) {
    y = sum[J, K](x*w)
    u = sum[J, K](z*w)
}
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	text := string(b.Out[0].Data)
	from := strings.Index(text, "func twinsRun(")
	run := text[from : from+strings.Index(text[from:], "\n}\n")]
	if strings.Count(run, "if wPacked == nil {") != 2 || strings.Count(run, "var wPacked unsafe.Pointer") != 1 {
		t.Errorf("the copy is not shared:\n%s", run)
	}
}

// TestAsItLies checks that what all rows of a launch share isn't copied before it where one stride leads through its steps and one through
// its lanes: the launch takes what it needs.
func TestAsItLies(t *testing.T) {
	b := buildText(`package many

op turned[T: float](x: T[M, K], w: T[N, K]) -> (y: T[M, N]) {
    y = sum[K](x*w)
}
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	text := string(b.Out[0].Data)
	if strings.Contains(text, "Packed") || !strings.Contains(text, "a.Step[1], a.KStep[1] = b.Ptr[1], b.Ext[1]*b.Move(1), b.Move(1)") {
		t.Errorf("w is copied:\n%s", text)
	}
}

// TestRequiresFirst checks that what is required of lists is tested before extents are computed of their entries, and once.
func TestRequiresFirst(t *testing.T) {
	b := buildText(`package many

op slide[T: float](x: T[...S]; hop: int[S] = 1) -> (y: T[...P]) {
    require all(..hop > 0) else "hop must be positive"
    dim ...P = floor((S - 1)/hop) + 1
    y[..p] = x[..p*hop]
}
`)
	if b.Diags.HasErrors() {
		t.Fatal(b.Diags.All)
	}
	text := ""
	for _, f := range b.Out {
		text += string(f.Data)
	}
	extents := strings.Split(text, "\nfunc slideExtents")[1:]
	if len(extents) == 0 {
		t.Fatal("no extents are computed")
	}
	for _, f := range extents {
		f, _, _ = strings.Cut(f, "\n}\n")
		if fault := strings.Index(f, "runtime.FaultError("); fault >= 0 && !strings.Contains(f[:fault], `"hop must be positive"`) {
			t.Errorf("a division by zero comes first:\n%s", f)
		}
	}
	if n := strings.Count(text, `ErrAttr, v.hop)`); n != 3 {
		t.Errorf("tested in %d places, want one for each number of axes", n)
	}
}
