package nn_test

import (
	"os"
	"strings"
	"testing"
)

// TestTrainingPage holds docs/training.md to programs that run: each of its pieces of Go stands in example_test.go.
func TestTrainingPage(t *testing.T) {
	page, err := os.ReadFile("../docs/training.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	// Without indents, since pieces may come from the inside of a function.
	plain := func(s string) string {
		var b strings.Builder
		for line := range strings.Lines(s) {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		return b.String()
	}
	text := "\n" + plain(string(program))
	pieces := 0
	for i, part := range strings.Split(string(page), "```") {
		body, ok := strings.CutPrefix(part, "go\n")
		if i%2 == 0 || !ok {
			continue
		}
		pieces++
		if !strings.Contains(text, "\n"+plain(body)) {
			t.Errorf("no program has this piece:\n%s", body)
		}
	}
	if pieces < 8 {
		t.Errorf("only %d pieces", pieces)
	}
}
