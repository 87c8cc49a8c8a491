package conformance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
)

// endings are what ends with the tests of the package, in the order of the beginnings.
var endings []func()

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(endings) {
		end()
	}
	os.Exit(code)
}

// lasting stands for a test where something is made once for all tests, and so ends with the last of them.
type lasting struct{ testing.TB }

// stopped is the panic of a lasting test that fails.
type stopped struct{ error }

// caught makes an error of the failure of a lasting test.
func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case stopped:
		*err = p.error
	default:
		panic(p)
	}
}

func (lasting) Helper()                        {}
func (lasting) Failed() bool                   { return false }
func (lasting) Cleanup(f func())               { endings = append(endings, f) }
func (lasting) Fatal(args ...any)              { panic(stopped{errors.New(fmt.Sprint(args...))}) }
func (lasting) Fatalf(format string, a ...any) { panic(stopped{fmt.Errorf(format, a...)}) }
func (lasting) Error(args ...any)              { fmt.Fprintln(os.Stderr, args...) }
func (lasting) Errorf(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }

func (l lasting) TempDir() string {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			l.Error(err)
		}
	})
	return dir
}
