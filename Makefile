# make run    builds CoreDNS with gslb and serves Corefile.example
# make test   runs every check: formatting, vet, staticcheck, all tests with the race detector
# make bench  measures decisions, replies, look-ups, and a whole server beside CoreDNS's own plugins

GO      ?= go
BINARY  := build/coredns
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo dev)

.PHONY: build run test lint fuzz bench clean

build:
	CGO_ENABLED=0 $(GO) build -tags grpcnotrace -ldflags "-s -w -X github.com/coredns/coredns/coremain.GitCommit=$(VERSION)" -o $(BINARY) ./cmd/coredns

run: build
	./$(BINARY) -conf Corefile.example

test: lint
	$(GO) test -race -timeout 14m ./...

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./policy/... ./probe/... ./region/... ./plugin/... ./internal/... ./test/... ./cmd/...

# Each fuzz target for a minute.
fuzz:
	$(GO) test -run '^$$' -fuzz FuzzParse -fuzztime 1m ./plugin
	$(GO) test -run '^$$' -fuzz FuzzServeDNS -fuzztime 1m ./plugin

bench:
	$(GO) test -run '^$$' -bench . ./policy ./region ./plugin
	test/bench/run

clean:
	rm -rf build
