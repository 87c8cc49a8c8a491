package check_test
import ("testing";"os";"strings")
func TestOK(t *testing.T){ ops,_,_:=checkCorpus(t); var l []string; for n := range ops { l=append(l,n)}; os.WriteFile("/tmp/chk/ok.txt",[]byte(strings.Join(l,"\n")),0o644)
	p,f:=0,0
	for _, s := range samples(t, "/tmp/chk/all.jsonl") {
		d := ops[s.Op]
		if d == nil { continue }
		if err := s.run(d); err != nil { f++; t.Log(s.Torch, s.Sample, s.Op, err) } else { p++ }
	}
	t.Log(p,f)
}
