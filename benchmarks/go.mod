module github.com/opgen/opgen/benchmarks

go 1.26

require github.com/opgen/opgen v0.0.0

replace github.com/opgen/opgen => ../
