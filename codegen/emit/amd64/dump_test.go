package amd64_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/opgen/opgen/codegen/nest/nesttest"
)

func TestDump(t *testing.T) {
	dir := os.Getenv("AMDDUMP")
	if dir == "" {
		t.Skip()
	}
	ns := append(nesttest.Corpus(), randomNests(2, 20)...)
	ns = append(ns, randomNests(1, 300)...)
	for _, f := range files(t, ns) {
		os.WriteFile(dir+"/"+f.Name, f.Data, 0o666)
	}
	for _, n := range ns {
		os.WriteFile(dir+"/"+n.Name+".nest", []byte(fmt.Sprint(n)), 0o666)
	}
}
