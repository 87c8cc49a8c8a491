package conformance

import (
	"fmt"
	"testing"
)

func TestZZ(t *testing.T) {
	ops, _ := goldenOps()
	for _, v := range ops["compose.conv_block"].Variants[:2] {
		fmt.Println(v.Choices)
		fmt.Println(v.Forward)
	}
	for _, v := range ops["window.max_pool"].Variants[2:3] {
		fmt.Println(v.Choices)
		fmt.Println(v.Forward)
	}
	for n, o := range ops { if len(o.Variants) > 40 { fmt.Println(n, len(o.Variants)) } }
}
