package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opgen": main})
}

// TestScripts runs the command as a user does; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"waitfor": waitFor, "sleep": sleep, "writemarked": writeMarked, "exits": exits,
		},
	})
}

// waitFor waits until a file holds a pattern: waitfor FILE PATTERN.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && pattern.Match(data) {
			return
		}
	}
	ts.Fatalf("%s never held %s", args[0], args[1])
}

func sleep(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
}

// writeMarked copies a text as some editors write it, with a byte order mark and carriage returns: writemarked TO FROM.
func writeMarked(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	to := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o777))
	ts.Check(os.WriteFile(to, append([]byte("\uFEFF"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...), 0o666))
}

// exits runs opgen and wants an exit code: exits CODE ARGS….
func exits(ts *testscript.TestScript, _ bool, args []string) {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) { // that of the script, where opgen is this program
		if p, err := exec.LookPath(filepath.Join(dir, "opgen")); err == nil && path == "" {
			path = p
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.CombinedOutput()
	code := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		code = e.ExitCode()
	} else if err != nil {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("opgen %s ends with %d, want %s:\n%s", strings.Join(args[1:], " "), code, args[0], out)
	}
}
