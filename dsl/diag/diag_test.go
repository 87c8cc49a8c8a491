package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place gives the span of the text between « and » in a source, and the source without the marks.
func place(t *testing.T, file, marked string) (string, Span) {
	t.Helper()
	before, rest, ok1 := strings.Cut(marked, "«")
	middle, behind, ok2 := strings.Cut(rest, "»")
	if !ok1 || !ok2 {
		t.Fatalf("no marks in %q", marked)
	}
	at := func(text string) Pos {
		line := strings.Count(text, "\n") + 1
		last := strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "\uFEFF")
		return Pos{File: file, Offset: len(text), Line: line, Col: len([]rune(last)) + 1}
	}
	return before + middle + behind, Span{Start: at(before), End: at(before + middle)}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"word", "package p\nlet a = «bcd» + 1\n", `f.op:2:9: error: M [c]
   |
 2 | let a = bcd + 1
   |         ^^^
`},
		{"tabs", "\tx\t= «y\tz»\n", `f.op:1:6: error: M [c]
   |
 1 |     x   = y z
   |           ^^^
`},
		{"wide", "漢字 \"日本\" «語» x", `f.op:1:9: error: M [c]
   |
 1 | 漢字 "日本" 語 x
   |             ^^
`},
		{"combining", "e\u0301 «x»", "f.op:1:4: error: M [c]\n   |\n 1 | e\u0301 x\n   |   ^\n"},
		{"control", "a\x1b[31m\u202e «x»", `f.op:1:9: error: M [c]
   |
 1 | a` + "\uFFFD[31m\uFFFD" + ` x
   |         ^
`},
		{"nothing", "abc«»\ndef", `f.op:1:4: error: M [c]
   |
 1 | abc
   |    ^
`},
		{"lines", "a «bc\ndef\ngh» i", `f.op:1:3: error: M [c]
   |
 1 | a bc
   |   ^^
`},
		{"carriage return", "a«»\r\nb\r\n", `f.op:1:2: error: M [c]
   |
 1 | a
   |  ^
`},
		{"byte order mark", "\uFEFF«ab»", `f.op:1:1: error: M [c]
   |
 1 | ab
   | ^^
`},
		{"large line number", strings.Repeat("\n", 999) + "«x»", `f.op:1000:1: error: M [c]
      |
 1000 | x
      | ^
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, at := place(t, "f.op", c.src)
			var l List
			l.Errorf(at, "c", "M")
			if d := cmp.Diff(c.want, l.Format(map[string][]byte{"f.op": []byte(src)})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRenderAll(t *testing.T) {
	src, at := place(t, "f.op", "let a = «bcd»")
	other, there := place(t, "g.op", "op «bc»()")
	var l List
	l.Errorf(at, "name-unknown", "there is no %s", "bcd").WithHint("did you mean %s?", "bc").WithNote(there, "%s is here", "bc")
	l.Warnf(Span{Start: Pos{File: "gone.op", Line: 3, Col: 4}}, "", "not shown")
	l.Errorf(Span{}, "", "no place")
	sources := map[string][]byte{"f.op": []byte(src), "g.op": []byte(other)}
	want := `f.op:1:9: error: there is no bcd [name-unknown]
   |
 1 | let a = bcd
   |         ^^^
   = hint: did you mean bc?
g.op:1:4: note: bc is here
   |
 1 | op bc()
   |    ^^

gone.op:3:4: warning: not shown

error: no place
`
	if d := cmp.Diff(want, l.Format(sources)); d != "" {
		t.Error(d)
	}
	var colored bytes.Buffer
	if err := l.Render(&colored, sources, true); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\x1b[1;31merror:\x1b[0m", "\x1b[1;35mwarning:\x1b[0m", "\x1b[1;31m^^^\x1b[0m", "\x1b[1;32mhint:\x1b[0m"} {
		if !strings.Contains(colored.String(), part) {
			t.Errorf("%q isn't in %q", part, colored.String())
		}
	}
}

func TestList(t *testing.T) {
	at := func(file string, offset int) Span {
		return Span{Start: Pos{File: file, Offset: offset, Line: 1, Col: offset + 1}, End: Pos{File: file, Offset: offset + 1, Line: 1, Col: offset + 2}}
	}
	var l, more List
	if l.Err() != nil || l.HasErrors() || (*List)(nil).HasErrors() {
		t.Error("an empty list has an error")
	}
	l.Warnf(at("b", 3), "w", "third")
	if l.Err() != nil || l.HasErrors() {
		t.Error("a warning is no error")
	}
	more.Errorf(at("b", 1), "e", "second")
	more.Errorf(at("a", 9), "e", "first")
	more.Errorf(at("b", 3), "e", "fourth")
	l.Append(&more)
	l.Append(nil)
	l.Sort()
	var text bytes.Buffer
	if err := l.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := "a:1:10: error: first [e]\nb:1:2: error: second [e]\nb:1:4: warning: third [w]\nb:1:4: error: fourth [e]\n"
	if d := cmp.Diff(want, text.String()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("a:1:10: error: first [e]\nb:1:2: error: second [e]\nb:1:4: error: fourth [e]", l.Err().Error()); d != "" {
		t.Error(d)
	}
	if l.Count(Error) != 3 || l.Count(Warning) != 1 {
		t.Errorf("%d errors, %d warnings", l.Count(Error), l.Count(Warning))
	}
}

func TestMachineForms(t *testing.T) {
	_, at := place(t, "a,b.op", "x «yz»")
	var l List
	l.Errorf(at, "c", "100%% <wrong>").WithHint("h").WithNote(at, "n")
	l.Warnf(Span{}, "", "w")
	var out bytes.Buffer
	if err := l.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	where := func(m map[string]any) map[string]any {
		m["file"], m["offset"], m["line"], m["column"] = "a,b.op", 2.0, 1.0, 3.0
		m["endOffset"], m["endLine"], m["endColumn"] = 4.0, 1.0, 5.0
		return m
	}
	want := where(map[string]any{"severity": "error", "code": "c", "message": "100% <wrong>", "hint": "h",
		"notes": []any{where(map[string]any{"message": "n"})}})
	if d := cmp.Diff(want, got[0]); d != "" || len(got) != 2 || got[1]["severity"] != "warning" {
		t.Errorf("%s\n%s", d, out.String())
	}
	out.Reset()
	if err := (&List{}).WriteJSON(&out); err != nil || out.String() != "[]\n" {
		t.Errorf("an empty list is %q, %v", out.String(), err)
	}
	out.Reset()
	l.All = l.All[:1]
	if err := l.WriteGitHub(&out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("::error file=a%2Cb.op,line=1,col=3,endLine=1,endColumn=5,title=c::100%25 <wrong>%0Ah\n", out.String()); d != "" {
		t.Error(d)
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"softmax", "log_softmax", "sum", "mean", "beta", "Beta2", "x"}
	for name, want := range map[string]string{
		"sofmax": "softmax", "softmaxx": "softmax", "sotfmax": "softmax", "smu": "sum", "bta": "beta", "Beta": "beta", "maen": "mean",
		"conv": "", "": "", "y": "", "SUM": "sum", "log_sftmax": "log_softmax", "averages": "",
	} {
		if got := Suggest(name, names); got != want {
			t.Errorf("%q suggests %q, want %q", name, got, want)
		}
	}
	if got := Suggest("sum", []string{"sum"}); got != "" {
		t.Errorf("a name suggests itself: %q", got)
	}
}
