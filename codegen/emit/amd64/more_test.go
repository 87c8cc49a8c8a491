package amd64_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/nest/nesttest"
)

func TestMore(t *testing.T) {
	s, _ := strconv.Atoi(os.Getenv("AMDSEED"))
	if s == 0 {
		t.Skip()
	}
	nests := randomNests(int64(s), 600)
	compare(t, nests, files(t, nests), func(n *nest.Nest) []nesttest.Size {
		return append(nesttest.Sizes(n), nesttest.Size{Rows: 2, N: 129, K: 3})
	})
}
