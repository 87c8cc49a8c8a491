package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// faultRow is a row of docs/faults.md: identifier, and what stands in the last column.
	faultRow  = regexp.MustCompile("(?m)^\\| `([A-Z]+[0-9]+)` \\|.*\\| ([^|]+) \\|$")
	testName  = regexp.MustCompile("`([^`]+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	faultName = regexp.MustCompile(`^[A-Z]+[0-9]+$`)
)

// TestFaultsTable holds docs/faults.md to the tests: those that it names are there, and what is tested has a row.
func TestFaultsTable(t *testing.T) {
	page, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{}
	for _, g := range faultGroups {
		for _, e := range g.cases {
			if id, _, _ := strings.Cut(e.name, " "); faultName.MatchString(id) {
				cases[id] = true
			}
		}
	}
	functions := testsIn(t, ".")
	met := map[string]bool{}
	tested, _, _ := strings.Cut(string(page), "\n## Waiting")
	for _, m := range faultRow.FindAllStringSubmatch(tested, -1) {
		id := m[1]
		names := testName.FindAllStringSubmatch(m[2], -1)
		if len(names) == 0 {
			t.Errorf("%s names no test", id)
		}
		for _, n := range names {
			name := n[1]
			row, isRow := strings.CutPrefix(name, "TestConventions/")
			dir, other, elsewhere := strings.Cut(name, ".")
			switch {
			case name == "TestFaults":
				if !cases[id] {
					t.Errorf("%s has no case in TestFaults", id)
				}
			case isRow:
				if conventionRows[row] == nil {
					t.Errorf("%s: there is no row %s of conventions", id, row)
				}
			case elsewhere:
				if !testsIn(t, filepath.Join("..", dir))[other] {
					t.Errorf("%s: %s has no test %s", id, dir, other)
				}
			case !functions[name]:
				t.Errorf("%s: there is no test %s", id, name)
			}
		}
	}
	for _, m := range faultRow.FindAllStringSubmatch(string(page), -1) {
		if met[m[1]] {
			t.Errorf("two rows %s", m[1])
		}
		met[m[1]] = true
	}
	for name := range functions {
		if id := strings.TrimPrefix(name, "Test"); faultName.MatchString(id) {
			cases[id] = true
		}
	}
	for id := range cases {
		if !strings.Contains(tested, "\n| `"+id+"` |") {
			t.Errorf("%s is tested and not among the tested rows of docs/faults.md", id)
		}
	}
	if n := strings.Count(string(page), "\n| `"); n != len(met) {
		t.Errorf("%d rows, of which %d have an identifier and a last column", n, len(met))
	}
}

// testsIn are the names of the tests in a folder.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			r[m[1]] = true
		}
	}
	return r
}
