package main

import (
	"bytes"
	"errors"
	"fmt"
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
			"waitfor": waitFor, "sleep": sleep, "writemarked": writeMarked, "exits": exits, "edit": edit, "killed": killed,
		},
		Condition: func(name string) (bool, error) {
			if name == "root" { // who may write everywhere
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
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

// edit replaces one text of a file by another one: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	escapes := strings.NewReplacer(`\n`, "\n", `\r`, "\r")
	old, new := escapes.Replace(args[1]), escapes.Replace(args[2])
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s has no %q", args[0], old)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, old, new)), 0o666))
}

// opgenOf is opgen as the script runs it.
func opgenOf(ts *testscript.TestScript, args ...string) *exec.Cmd {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) { // that of the script, where opgen is this program
		if p, err := exec.LookPath(filepath.Join(dir, "opgen")); err == nil && path == "" {
			path = p
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	return cmd
}

// killed runs opgen again and again and kills it, each time later, until a run ends by itself. After each, the files of a folder are
// those of one of two others, whole: killed DIR NEW OLD ARGS….
func killed(ts *testscript.TestScript, _ bool, args []string) {
	for after := time.Millisecond; ; after += after/8 + time.Millisecond/2 {
		cmd := opgenOf(ts, args[3:]...)
		ts.Check(cmd.Start())
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		entries, rerr := os.ReadDir(ts.MkAbs(args[0]))
		ts.Check(rerr)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tempPrefix) {
				continue // on its way when the run was killed
			}
			in := func(dir string) string { // import paths, which texts hold, end with the folder
				return strings.ReplaceAll(ts.ReadFile(filepath.Join(dir, e.Name())), "/"+dir, "/"+args[0])
			}
			if text := in(args[0]); text != in(args[1]) && text != in(args[2]) {
				ts.Fatalf("a run killed after %v leaves in %s neither the old nor the new text:\n%s", after, e.Name(), in(args[0]))
			}
		}
		if err == nil {
			return
		}
	}
}

// exits runs opgen and wants an exit code: exits CODE ARGS….
func exits(ts *testscript.TestScript, _ bool, args []string) {
	cmd := opgenOf(ts, args[1:]...)
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
