package conformance
import ("testing";"fmt";"github.com/opgen/opgen/codegen/grad")
func TestZZ(t *testing.T){
	ops,_:=goldenOps()
	f:=ops["window.conv"].Variants[0]
	for _,v:=range ops["window.conv"].Variants { fmt.Println(v.Choices) }
	fmt.Println(f.Forward)
	b,err:=grad.Reverse(f.Forward)
	fmt.Println(b,err)
}
