package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// proseOf is the text of a page of Markdown without code and comments.
func proseOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?ms)<!--.*?-->|^```.*?^```$|^    .*?$|`[^`\n]*`").ReplaceAllStringFunc(string(data), func(code string) string {
		if !strings.HasPrefix(code, "`") || strings.HasPrefix(code, "```") {
			return ""
		}
		return strings.NewReplacer("`", "", "[", "", "]", "").Replace(code) // of a heading, or of the words of a link
	})
	return text
}

// anchorsOf are the fragments that links to a page may have, as GitHub makes them.
func anchorsOf(text string) map[string]bool {
	r := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_\- ]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		r[strings.ReplaceAll(name, " ", "-")] = true
	}
	return r
}

// TestLinks: what the pages of this repository link to in it is there.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, root+"/README.md", root+"/CONTRIBUTING.md", root+"/CHANGELOG.md") {
		for _, m := range regexp.MustCompile(`\[[^\]]+\]\(([^()\s]+)\)`).FindAllStringSubmatch(proseOf(t, page), -1) {
			to, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") { // elsewhere
				continue
			}
			links++
			target := page
			if to != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if fragment != "" && !anchorsOf(proseOf(t, target))[fragment] {
				t.Errorf("%s links to %s: there is no such heading", page, m[1])
			}
		}
	}
	if links < 300 {
		t.Errorf("%d links were found, far from all", links)
	}
}

// TestArchitectureFolders: docs/architecture.md names every folder with Go code, or one above it.
func TestArchitectureFolders(t *testing.T) {
	data, err := os.ReadFile(root + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "/…`", "`")
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || path == root {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "out" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if strings.Contains(text, "`"+filepath.ToSlash(rel)+"`") && rel != "codegen" { // whose folders have rows of their own
			return filepath.SkipDir
		}
		if code, err := filepath.Glob(path + "/*.go"); err != nil || len(code) > 0 && rel != "codegen" {
			t.Errorf("docs/architecture.md doesn't name %s", filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
