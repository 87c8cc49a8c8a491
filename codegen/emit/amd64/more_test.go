package amd64_test

import "testing"

func TestMore(t *testing.T) {
	for s := range int64(3) {
		nests := randomNests(100+s, 500)
		compare(t, nests, files(t, nests), some(10))
	}
}
