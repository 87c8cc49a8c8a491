package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// kongOf is the parser of the command, which writes nothing.
func kongOf(t *testing.T) *kong.Kong {
	t.Helper()
	k, err := kong.New(&commands{}, kong.Name("opgen"), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestHelpTeaches: the help of every verb ends with examples of it.
func TestHelpTeaches(t *testing.T) {
	for _, verb := range kongOf(t).Model.Children {
		if verb.Hidden {
			continue
		}
		var out bytes.Buffer
		if code := run([]string{verb.Name, "--help"}, env{stdout: &out, stderr: &out}); code != exitClean {
			t.Errorf("%s --help ends with %d: %s", verb.Name, code, &out)
		}
		if !slices.ContainsFunc(strings.Split(out.String(), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "  ") && strings.Contains(line, "opgen "+verb.Name)
		}) {
			t.Errorf("the help of %s has no example:\n%s", verb.Name, &out)
		}
	}
}

// TestCLIPage: docs/cli.md has a section for each verb, with each of its flags.
func TestCLIPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(data), "\n## ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		sections[title] = text
	}
	for _, verb := range kongOf(t).Model.Children {
		if verb.Hidden {
			continue
		}
		text, ok := sections[verb.Name]
		if !ok {
			t.Errorf("docs/cli.md has no section %s", verb.Name)
			continue
		}
		for _, f := range verb.Flags {
			if f.Name != "help" && !strings.Contains(text, "| `-"+f.Name) && !strings.Contains(text, "`-"+string(f.Short)+"`, `-"+f.Name) {
				t.Errorf("docs/cli.md: the section %s has no row for -%s", verb.Name, f.Name)
			}
		}
		delete(sections, verb.Name)
	}
	for title := range sections {
		if title == strings.ToLower(title) {
			t.Errorf("docs/cli.md has a section %s, and there is no such verb", title)
		}
	}
}

// TestProgress: on a terminal the packages of a long run are counted on one line of stderr, which is gone at the end; elsewhere
// there is none, and what is printed to stdout is the same.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name, name+".op")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		text := "package " + name + "\n\nop f[T: float](x: T[...B]) -> (y: T[...B]) {\n    y = 2*x\n    example { x = [1] } => { y = [2] }\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range [][]string{{"generate", "-n"}, {"check"}, {"test"}, {"list"}, {"docs", "-n", "-o", filepath.Join(dir, "ops")}} {
		var plain string
		for _, terminal := range []bool{false, true} {
			var out, errs bytes.Buffer
			args := append(append([]string{}, verb...), filepath.Join(dir, "..."))
			if code := run(args, env{stdout: &out, stderr: &errs, terminal: terminal}); code != exitClean {
				t.Errorf("%v ends with %d: %s", verb, code, &errs)
			}
			if !terminal {
				plain = out.String()
				if errs.Len() > 0 {
					t.Errorf("%v writes to stderr where there is no terminal: %q", verb, &errs)
				}
				continue
			}
			if out.String() != plain {
				t.Errorf("%v prints otherwise on a terminal:\n%s\nelsewhere:\n%s", verb, &out, plain)
			}
			shown := errs.String()
			if !strings.Contains(shown, "1/2 a") || !strings.Contains(shown, "2/2 b") || !strings.HasSuffix(shown, clearLine) || strings.Contains(shown, "\n") {
				t.Errorf("%v shows %q", verb, shown)
			}
		}
	}
}

// TestColorful: color is for terminals, unless NO_COLOR says anything or TERM is dumb or not set. The null device is one of characters,
// as a terminal is.
func TestColorful(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if info, err := null.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Skip("no device of characters to try")
	}
	for _, c := range []struct {
		file          *os.File
		noColor, term string
		want          bool
	}{
		{null, "", "xterm-256color", true},
		{null, "1", "xterm-256color", false},
		{null, "", "dumb", false},
		{null, "", "", false},
		{file, "", "xterm-256color", false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := colorful(c.file); got != c.want {
			t.Errorf("NO_COLOR=%s TERM=%s, %s: %v, want %v", c.noColor, c.term, c.file.Name(), got, c.want)
		}
	}
}
