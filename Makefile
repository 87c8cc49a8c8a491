# make run   generates the ops from their formulas and trains two models with them on real data
# make test  runs all tests, and checks that the generated code of the examples is up to date
# Both need Go, git and make only. What needs more says what it skips and why.

GO ?= go

.PHONY: run test generate docs check lint race fuzz bench clean

run: generate
	cd examples && $(GO) run ./train -out ../out

generate:
	$(GO) run ./cmd/opgen generate ./specs/...

# The pages of all ops.
docs:
	$(GO) run ./cmd/opgen docs ./specs/...

test:
	$(GO) test ./...
	cd examples && $(GO) tool opgen generate -check ./... && $(GO) test ./...

check:
	$(GO) run ./cmd/opgen generate -check ./specs/...
	$(GO) run ./cmd/opgen docs -check ./specs/...

lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	cd examples && $(GO) vet ./...
	$(GO) tool -modfile=tools.mod staticcheck ./...
	@if [ "$$(uname -m)" = x86_64 ] && command -v gcc >/dev/null; then cd benchmarks && ./run -build; else echo "the benchmarks are not built: they need gcc on amd64"; fi

# The packages of gen/ run in a few ways only, and each is there: by elements, rows, in order, steps of all tensors, random numbers.
race:
	$(GO) test -race ./runtime/... ./gen/loss ./gen/optim ./gen/random ./gen/reduce ./gen/rnn ./nn

# A short run of every fuzz target.
FUZZTIME ?= 20000x
fuzz:
	@for f in $$(grep -rl '^func Fuzz' --include='*_test.go' .); do \
		for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$f); do \
			echo "fuzz $$t in $$(dirname $$f)"; \
			$(GO) test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) || exit 1; \
		done; \
	done

bench:
	benchmarks/run

clean:
	rm -rf out bin
